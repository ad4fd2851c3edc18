"""What the page of a hand shows, whatever was played; what each game adds stands in a module of its own."""

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, Final

from django.utils.translation import gettext as _

from hands import chinese_pages, taiwanese_pages
from hands.hand_parts import Chosen
from hands.models import Hand, HandVersion
from hands.queries import StoredHand, load_versions
from hands.rulesets import rules_of
from hands.scoring import chinese
from hands.scoring.cards import cards_text
from hands.scoring.games import GAMES, ROWS, Rules
from hands.templatetags.cards import format_points

# Who shows a game's hands: ``scored_hand`` in full, ``last_hand_shown`` in short.
_PAGES: Final[Mapping[str, ModuleType]] = {
    name: chinese_pages if game.setup is chinese.Setup else taiwanese_pages for name, game in GAMES.items()
}


def last_hand_shown(hand: StoredHand, rules: Rules) -> dict[str, Any]:
    """A hand in short, as its game tells it; one without cards has nothing to show."""
    shown: dict[str, Any] = _PAGES[rules.game].last_hand_shown(hand, rules) if hand.has_cards else {}
    return shown | {"hand": hand}


def scored_hand(stored: StoredHand, rules: Rules, chosen: Chosen) -> dict[str, Any]:
    """What its cards say of a hand: seats by result, the matrix of pairs, what is told in full; boards if any."""
    shown: dict[str, Any] = _PAGES[rules.game].scored_hand(stored, rules, chosen)
    return shown | {"rules": rules}


def hand_page(hand: Hand, version: HandVersion, versions: Sequence[HandVersion], chosen: Chosen) -> dict[str, Any]:
    """What was dealt, every row with what it is, every pair's rows and net points.

    ``version`` is the one that is shown, mostly the current one. ``chosen`` is the row, where rows are told, and the
    pair whose points are told.
    """
    session = hand.session
    others = Hand.objects.filter(session=session)
    stored = None if version.is_void else next(iter(load_versions([version.pk])))
    context = {
        "club": session.club,
        "session": session,
        "hand": hand,
        "version": version,
        "is_old": version.pk != hand.current_id,
        "versions": versions[::-1],
        "before": others.filter(number__lt=hand.number).order_by("-number").first(),
        "after": others.filter(number__gt=hand.number).order_by("number").first(),
        "stored": stored,
    }
    if stored is None:
        return context
    rules = rules_of(session.rule_set)
    if not stored.has_cards:
        return context | {"seats": sorted(stored.seats, key=lambda seat: -seat.net_points), "rules": rules}
    shown = scored_hand(stored, rules, chosen)
    return context | shown | {"text_lines": _text_lines(stored, shown["seats"])}


def hand_without_links(stored: StoredHand, rules: Rules) -> dict[str, Any]:
    """Like ``scored_hand``, for who cannot open the hand's page: nobody yet, or nobody without a log-in."""
    page = scored_hand(stored, rules, Chosen())
    for line in page["matrix"]:
        for cell in filter(None, line["cells"]):
            del cell["url"]
    for seat in page["seats"]:
        for row in seat["rows"]:
            for reading in row.get("readings", ()):
                del reading["url"]
    return page


def _text_lines(stored: StoredHand, shown: Sequence[Mapping[str, Any]]) -> list[str]:
    """The hand as text, to be sent to somebody: a line a board, a line a seat, with what its badges say."""
    lines = [
        _("Board %(number)d: %(cards)s") % {"number": number, "cards": cards_text(board)}
        for number, board in enumerate(stored.boards, start=1)
    ]
    badges = {seat["number"]: [badge["words"] for badge in seat.get("badges", ())] for seat in shown}
    for seat in stored.seats:
        rows = [cards_text(cards) for row in ROWS if (cards := getattr(seat.setup, row))]
        told = [" / ".join(rows)] * bool(rows) + badges[seat.number]
        lines.append(f"{seat.name} {format_points(seat.net_points)}: {'; '.join(told)}")
    return lines
