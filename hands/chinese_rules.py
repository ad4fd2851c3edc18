"""What the page of a rule set of the Chinese family shows: its parameters in words, and hands that are scored by them.

The cards of the worked hands stand here; every number beside them is worked out by the scoring core from these rules.
"""

from collections.abc import Iterator
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from hands.chinese_pages import NATURAL_WORDS, seat_shown
from hands.forms import ROW_WORDS
from hands.rule_parts import money_words
from hands.scoring import chinese
from hands.scoring.cards import JOKERS, RANKS, card_words, parse_cards
from hands.scoring.chinese import ROWS, Explanation, Rules, Setup
from hands.scoring.chinese.rules import CARDS_DEALT, FANTASYLAND_CARDS, FIVE_HANDS, NATURALS, ROW_POINTS, TOP_HANDS


def _setup(text: str) -> Setup:
    return Setup(*(parse_cards(row) for row in text.split(" / ")))


# Ana's setup, then Ben's.
Example = tuple[Setup, Setup]

# Ana wins top and bottom, Ben the middle; a pair of queens or better is on both tops.
MIXED: Final[Example] = (_setup("KsKd4c / 9h9d5s5c2d / AhJh8h6h3h"), _setup("QsQd7c / JcJdTsTh3c / 9s8s7d6c5d"))
# She wins all three.
SCOOPED: Final[Example] = (_setup("AsAd7h / TcTdTh4s2c / QhQcQd8d8c"), _setup("9s9c5h / KcKh6s6h3d / JsTs9d8s7c"))
# His kings on top beat the nines in his middle.
FOULED: Final[Example] = (SCOOPED[0], _setup("KcKh5h / 9s9c6s4h3d / JsTs9d8s7c"))
# A dragon against six pairs.
NATURAL: Final[Example] = (_setup("4c3d2h / 9s8d7h6c5s / AsKdQhJcTs"), _setup("6d6h2c / JdJh9c9dAh / KcKhQsQcAd"))
SURRENDERED: Final[Example] = (MIXED[0], Setup((), (), (), surrendered=True))
# Three kings on top would foul over two pair: her joker is an ace beside two of them.
JOKER: Final[Example] = (_setup("KsKdX1 / 9h9d5s5c2d / AhJh8h6h3h"), MIXED[1])
# Four of a kind at the bottom stays in Fantasyland.
STAYING: Final[Example] = (
    Setup(*(parse_cards(row) for row in ("AcJh9s", "8h8d5s5cKd", "7s7h7d7cQs")), fantasyland=13),
    _setup("KsKc4h / AdAh2s2dTc / QcJc9c6c3c"),
)

# Pages say what the rows are called elsewhere.
ROW_LABELS: Final = {
    "top": gettext_lazy("Top (front)"),
    "middle": gettext_lazy("Middle"),
    "bottom": gettext_lazy("Bottom (back)"),
}
CARDS_OF_ROWS: Final = {
    "top": gettext_lazy("three cards: high card, pair or three of a kind"),
    "middle": gettext_lazy("five cards, at least as strong as the top"),
    "bottom": gettext_lazy("five cards, at least as strong as the middle"),
}


def rules_told(rules: Rules) -> dict[str, Any]:
    return {
        "said": list(_said(rules)),
        "row_lines": [(ROW_LABELS[row], CARDS_OF_ROWS[row], ROW_POINTS) for row in ROWS],
        "tables": list(_tables(rules)),
        "examples": [_shown(*example, rules) for example in _examples(rules)],
        "reading": _reading(rules),
        "tips": list(_tips(rules)),
    }


def rules_short(rules: Rules) -> str:
    """A line that tells rule sets of one game apart."""
    told = [_("scoring %(method)s") % {"method": rules.method}]
    told += [_("royalties")] * bool(rules.royalties) + [_("naturals")] * bool(rules.naturals)
    told += [_("surrender")] * rules.surrender + [_("two jokers")] * bool(rules.jokers)
    told += [_("the middle stays")] * rules.middle_stays
    return " · ".join(told)


def _said(rules: Rules) -> Iterator[str]:
    """Every parameter as a sentence."""
    who = _("Two players") if rules.seats == 2 else _("Two to %(seats)d players") % {"seats": rules.seats}
    dealt = {
        13: _("%(who)s are dealt five cards, then one at a time, and lay each open in one of three rows."),
        17: _(
            "%(who)s are dealt five cards, then four times three, of which one is discarded, and lay the others open "
            "in three rows."
        ),
    }[CARDS_DEALT[rules.game]]
    if rules.game == "chinese":
        dealt = _("%(who)s hold thirteen cards each and set them in three rows.")
    yield dealt % {"who": who}
    yield _(
        "The bottom must be at least as strong as the middle, the middle at least as strong as the top; equal is "
        "legal. Rows in another order are a foul."
    )
    yield _("Each pair of players is scored by itself: a row won is worth 1 point, a tie nothing.")
    if rules.scoop_bonus and rules.method == "1-6":
        yield _("All three rows are a scoop: %(bonus)d more. A tied row voids it.") % {"bonus": rules.scoop_bonus}
    elif rules.scoop_bonus:
        yield _("Who wins two rows or three gets %(bonus)d more.") % {"bonus": rules.scoop_bonus}
    yield _(
        "A foul loses %(points)d points to everybody who did not foul, earns no royalties and pays theirs. Two fouls "
        "leave nothing between them."
    ) % {"points": rules.foul_points}
    if rules.surrender:
        yield _(
            "Who surrenders pays %(points)d points to everybody else, and neither earns nor pays royalties. A "
            "surrender against a foul is nothing."
        ) % {"points": rules.surrender_points}
    if rules.naturals:
        yield _(
            "A natural collects its points from everybody without one, and from who has a lower one, before rows are "
            "compared. It is no foul."
        )
    yield from _said_of_royalties(rules)
    if rules.jokers:
        yield _(
            "Two jokers are dealt. A joker is read so that the setup does not foul, where any reading is legal: the "
            "strongest bottom first, then the middle, then the top."
        )


def _said_of_royalties(rules: Rules) -> Iterator[str]:
    if rules.royalties:
        yield {
            "both": _("Strong rows earn royalties: both seats' are counted, and the difference is paid."),
            "winner": _("Strong rows earn royalties: only who wins the row collects; a tie collects nothing."),
            "higher": _("Strong rows earn royalties: in each row only the higher one is paid, whole."),
        }[rules.royalties_paid]
    cards = FANTASYLAND_CARDS[rules.game]
    if cards:
        yield _(
            "A pair of queens or better on top, without a foul, enters Fantasyland: in the next hand that seat is "
            "dealt all its cards at once. That hand continues the one before it, so the button stands."
        )
        ways = [_("three of a kind on top")]
        ways += [_("a full house or better in the middle")] * rules.middle_stays
        ways += [_("four of a kind or better at the bottom")]
        words = _("Who is in Fantasyland stays with %(ways)s, dealt %(cards)d cards again.")
        yield words % {"ways": _(", or ").join(ways), "cards": cards[0]}


def _tables(rules: Rules) -> Iterator[dict[str, Any]]:
    if rules.royalties:
        top, middle, bottom = rules.royalties
        five = [(hand, [middle[place], bottom[place]]) for place, hand in enumerate(FIVE_HANDS)]
        yield {
            "title": _("Royalties of five cards"),
            "head": _("Category"),
            "columns": [ROW_WORDS["middle"], ROW_WORDS["bottom"]],
            "lines": [line for line in reversed(five) if any(line[1])],
        }
        paid = dict(zip(TOP_HANDS, top, strict=True))
        three = [(rank.replace("T", "10"), [paid[rank * 2], paid[rank * 3]]) for rank in RANKS]
        yield {
            "title": _("Royalties on top"),
            "head": _("Rank"),
            "columns": [_("Pair"), _("Three of a kind")],
            "lines": [line for line in reversed(three) if any(line[1])],
        }
    if rules.naturals:
        naturals = zip(NATURALS, rules.naturals, strict=True)
        yield {
            "title": _("Naturals"),
            "head": _("Natural"),
            "columns": [_("Points")],
            "lines": [(NATURAL_WORDS[name], [points]) for name, points in naturals],
        }
    if cards := FANTASYLAND_CARDS[rules.game]:
        # Dealt by what is on top where there are several numbers; who stays is dealt the first.
        tops = [_("QQ on top"), _("KK on top"), _("AA on top"), _("three of a kind on top")]
        by_top = (
            list(zip(tops, cards, strict=True)) if len(cards) > 1 else [(_("enters: QQ or better on top"), cards[0])]
        )
        yield {
            "title": _("Fantasyland"),
            "head": _("Who"),
            "columns": [_("Cards")],
            "lines": [(words, [count]) for words, count in [*by_top, (_("stays"), cards[0])]],
        }


def _examples(rules: Rules) -> Iterator[tuple[str, str, Example]]:
    has_fantasyland = bool(FANTASYLAND_CARDS[rules.game])
    lesson = _("Ana wins two rows, Ben one.")
    if has_fantasyland:
        lesson = _("Ana wins two rows, Ben one; both enter Fantasyland.")
    yield _("Rows one by one"), lesson, MIXED
    yield _("A scoop"), _("Ana wins all three rows."), SCOOPED
    yield _("A foul"), _("Ben's kings on top beat his own middle."), FOULED
    if has_fantasyland:
        yield _("Staying in Fantasyland"), _("Ana was dealt her cards at once; her bottom keeps her there."), STAYING
    if rules.naturals:
        yield _("A natural"), _("Ana holds one card of every rank, Ben six pairs."), NATURAL
    if rules.surrender:
        yield _("A surrender"), _("Ben gives up before rows are compared."), SURRENDERED
    if rules.jokers:
        yield _("A joker"), _("Three kings on top would foul; beside two of them the joker is an ace."), JOKER


def _shown(heading: str, lesson: str, example: Example, rules: Rules) -> dict[str, Any]:
    if example is STAYING:
        ana, ben = example
        example = (Setup(ana.top, ana.middle, ana.bottom, fantasyland=FANTASYLAND_CARDS[rules.game][0]), ben)
    explained = chinese.explain((), example, rules)
    pair = explained.score.pairs[0]
    seats = [
        seat_shown(place, place + 1, name, setup, explained) | {"label": f"{heading}: {name}"}
        for place, (name, setup) in enumerate(zip(("Ana", "Ben"), example, strict=True))
    ]
    return {
        "heading": heading,
        "lesson": lesson,
        "seats": seats,
        "rows": pair.rows if any(pair.rows) else (),
        "homerun": False,
        "points": pair.points,
        "words": explained.pairs[0],
        "money": money_words(pair.points),
        "jokers": list(_played_words(example[0], explained)),
    }


def _played_words(setup: Setup, explained: Explanation) -> Iterator[str]:
    for row, reading in zip(ROWS, explained.rows[0], strict=True):
        for card, played in zip(getattr(setup, row), reading.played, strict=True):
            if card in JOKERS:
                yield _("The joker is the %(card)s.") % {"card": card_words(played).lower()}


def _reading(rules: Rules) -> dict[str, Any]:
    """Rows, points and money of the mixed hand, as an example of how a number is read."""
    pair = chinese.explain((), MIXED, rules).score.pairs[0]
    return {"rows": pair.rows, "points": pair.points, "money": money_words(pair.points)}


def _tips(rules: Rules) -> Iterator[str]:
    """Advice for a first evening, with the numbers of these rules."""
    yield _(
        "Set safe before you set strong: a foul costs %(points)d points to every other seat, and their royalties."
    ) % {"points": rules.foul_points}
    yield _("Against the same category the longer row is stronger: three cards never tie with five.")
    if FANTASYLAND_CARDS[rules.game]:
        yield _("Queens on top are worth a Fantasyland, but only over a middle that beats them.")
        yield _("What was discarded need not be written down; if you do, write all of a seat's.")
    if rules.naturals:
        yield _(
            "Look for a natural before you set: three straights and three flushes count in the rows as you set them."
        )
    yield _("When a number surprises you, tap the pair: the page of the hand says how it came about.")
