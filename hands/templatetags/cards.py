"""Tags and filters that draw cards, the six-mark, seats, points and icons.

Everything is HTML with classes of ``hands.css`` and shapes of ``templates/parts/_sprite.html``; nothing carries a
style attribute, so that a strict content security policy holds. What is drawn is also said, for a screen reader.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Final

from django import forms, template
from django.forms import BoundField
from django.utils.formats import number_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

register = template.Library()

MINUS: Final = "\N{MINUS SIGN}"
CARD_SIZES: Final = (24, 30, 46, 54)
ICONS: Final = frozenset(
    [
        "back",
        "more",
        "plus",
        "minus",
        "check",
        "clock",
        "cross",
        "warning",
        "copy",
        "download",
        "upload",
        "qr",
        "key",
        "chevron",
        "arrow",
        "undo",
        "recall",
        "keyboard",
        "printer",
        "lock",
        "bell",
        "eye",
        "star",
        "star-hollow",
    ]
)
RANK_WORDS: Final = {
    "2": gettext_lazy("Two"),
    "3": gettext_lazy("Three"),
    "4": gettext_lazy("Four"),
    "5": gettext_lazy("Five"),
    "6": gettext_lazy("Six"),
    "7": gettext_lazy("Seven"),
    "8": gettext_lazy("Eight"),
    "9": gettext_lazy("Nine"),
    "T": gettext_lazy("Ten"),
    "J": gettext_lazy("Jack"),
    "Q": gettext_lazy("Queen"),
    "K": gettext_lazy("King"),
    "A": gettext_lazy("Ace"),
}
SUIT_WORDS: Final = {
    "s": gettext_lazy("spades"),
    "h": gettext_lazy("hearts"),
    "d": gettext_lazy("diamonds"),
    "c": gettext_lazy("clubs"),
}
JOKERS: Final = {"X1": "star", "X2": "star-hollow"}
ROW_WORDS: Final = (gettext_lazy("top"), gettext_lazy("middle"), gettext_lazy("bottom"))

# Of each size of the six-mark: one unit of length, the height of a bar, the distance from bar to bar.
# Lengths are 1, 2 and 3 units whatever a rule set pays for a row; the two halves are HALVES_GAP apart.
SIX_MARK_SIZES: Final = {
    "3": (3.0, 3.5, 5.0),
    "4": (4.0, 4.0, 6.0),
    "12": (12.0, 12.0, 17.0),
    "badge": (3.0, 3.0, 4.5),
    "logo": (4.0, 5.0, 7.0),
}
HALVES_GAP: Final = 3.0


@register.filter
def card_words(text: str) -> str:
    """The spoken name of a card in its two-character form: ``Ks`` is "King of spades", ``X1`` is "Joker 1"."""
    if text in JOKERS:
        return _("Joker %(number)s") % {"number": text[1]}
    rank, suit = _rank_and_suit(text)
    return _("%(rank)s of %(suit)s") % {"rank": RANK_WORDS[rank], "suit": SUIT_WORDS[suit]}


@register.simple_tag
def card(
    text: str | None,
    size: int | str = 30,
    marked: bool = False,
    raised: bool = False,
    played_as: str = "",
    marks: Mapping[int, bool] | None = None,
) -> SafeString:
    """Draw one card, ``{% card "Ks" size="46" marked=True raised=True %}``; without a text an empty slot.

    ``marked`` puts the bar of the best five under it and ``raised`` lifts it by 5 px. ``marks`` says so by board,
    ``{1: True, 2: False}``: the bar shows while that board is in view (see ``.by-board`` in hands.css).
    ``played_as`` is the card that a joker stands for.
    """
    if not text:
        return card_slot(size)
    words = card_words(text)
    if played_as:
        words = _("%(card)s, played as %(other)s") % {"card": words, "other": _in_a_sentence(card_words(played_as))}
    if marked:
        words = _("%(card)s, in the best five") % {"card": words}
    classes = ["pcard", f"pcard-{_card_size(size)}"]
    classes += ["is-marked"] * bool(marked) + ["is-raised"] * bool(raised)
    classes += [f"mark-{board}" for board, used in sorted((marks or {}).items()) if used]
    if text in JOKERS:
        rank, shape = "Jk", JOKERS[text]
        classes.append("suit-joker")
    else:
        rank, suit = _rank_and_suit(text)
        rank, shape = _shown_rank(rank), f"suit-{suit}"
        classes += [shape] + ["is-ten"] * (rank == "10")
    return format_html(
        '<span class="{}" role="img" aria-label="{}"><span class="pcard-rank" aria-hidden="true">{}</span>{}{}</span>',
        " ".join(classes),
        words,
        rank,
        _shape(shape),
        _played_as(played_as),
    )


@register.simple_tag
def cards(
    hand: str | Iterable[str], size: int | str = 30, marked: Iterable[str] = (), raised: bool = False
) -> SafeString:
    """Draw a row of cards from ``"KsQd"``, ``"Ks Qd"`` or a list; those in ``marked`` are of the best five."""
    texts = _split(hand)
    best = set(_split(marked))
    drawn = ((card(text, size=size, marked=text in best, raised=raised and text in best),) for text in texts)
    return format_html('<span class="pcards">{}</span>', format_html_join("", "{}", drawn))


@register.simple_tag
def card_back(size: int | str = 30) -> SafeString:
    """Draw a card that lies face down."""
    return format_html(
        '<span class="pcard pcard-{} pcard-back" role="img" aria-label="{}">'
        '<svg width="100%" height="100%" aria-hidden="true"><rect width="100%" height="100%" fill="url(#weave)"/></svg>'
        "</span>",
        _card_size(size),
        _("Card face down"),
    )


@register.simple_tag
def card_slot(size: int | str = 30, due: bool = False) -> SafeString:
    """Draw the place of a card that is not there yet; with ``due`` the one that is filled next."""
    return format_html(
        '<span class="pcard pcard-{} pcard-slot{}" role="img" aria-label="{}"></span>',
        _card_size(size),
        " is-next" if due else "",
        _("Next card") if due else _("No card yet"),
    )


@register.simple_tag
def six_mark(
    rows: Sequence[int], homerun: bool = False, size: int | str = 4, points: int | None = None, spoken: bool = True
) -> SafeString:
    """Draw how one seat stands against another: a bar for each row on each board.

    ``rows`` are the signed points of top, middle, bottom on board 1, then on board 2 (three numbers where there is
    one board). Won is filled, lost hollow, tied a line. The colour follows ``points``, else the sum of ``rows``;
    a homerun is brass. Sizes: 3 (a phone's matrix), 4 (a desk's), 12 (explanations), "badge", "logo".
    ``spoken=False`` hides it from a screen reader, where the words stand beside it.
    """
    unit, height, step = SIX_MARK_SIZES[str(size)]
    halves = [rows[start : start + 3] for start in range(0, len(rows), 3)]
    half_width = 3 * unit
    width = half_width * len(halves) + HALVES_GAP * (len(halves) - 1)
    bars = [
        _bar(
            points_of_row,
            half_width - (row + 1) * unit if board == 0 else half_width + HALVES_GAP,
            row,
            unit,
            height,
            step,
        )
        for board, half in enumerate(halves)
        for row, points_of_row in enumerate(half)
    ]
    total = sum(rows) if points is None else points
    tone = "brass" if homerun else outcome(total)
    label = format_html('role="img" aria-label="{}"', six_mark_words(rows, homerun)) if spoken else 'aria-hidden="true"'
    return format_html(
        '<svg class="six-mark {}" width="{}" height="{}" viewBox="0 0 {} {}" preserveAspectRatio="none" {}>{}</svg>',
        tone,
        f"{width:g}",
        f"{2 * step + height:g}",
        f"{width:g}",
        f"{2 * step + height:g}",
        SafeString(label),
        format_html_join("", "{}", ((bar,) for bar in bars)),
    )


@register.simple_tag
def logo(size: str = "logo") -> SafeString:
    """Draw the mark of the house, all six in brass; ``{% logo "badge" %}`` for the badge of a homerun."""
    return six_mark((1, 2, 3, 1, 2, 3), homerun=True, size=size, spoken=False)


def six_mark_words(rows: Sequence[int], homerun: bool = False) -> str:
    """What a six-mark shows, in words: "Board 1: won top, lost middle, tied bottom. Board 2: ..."."""
    if homerun:
        return _("Homerun: won all six rows") if sum(rows) > 0 else _("Homerun against: lost all six rows")
    halves = [rows[start : start + 3] for start in range(0, len(rows), 3)]
    if len(halves) == 1:
        return _row_words(halves[0]).capitalize()
    return " ".join(
        _("Board %(number)s: %(rows)s.") % {"number": number, "rows": _row_words(half)}
        for number, half in enumerate(halves, start=1)
    )


@register.simple_tag
def seat_disc(number: int) -> SafeString:
    """Draw a seat's number on its colour."""
    return format_html(
        '<span class="seat-disc seat-{}"><span class="visually-hidden">{} </span>{}</span>',
        number,
        _("Seat"),
        number,
    )


@register.simple_tag
def button_mark() -> SafeString:
    """Draw the dealer button, beside the name of who has it."""
    return format_html(
        '<span class="button-mark"><span aria-hidden="true">D</span><span class="visually-hidden">{}</span></span>',
        _("has the button"),
    )


@register.filter(name="points")
def format_points(value: int | float | Decimal) -> str:
    """Points as people read them: ``+12``, ``−29`` (U+2212), ``0``; an average keeps one decimal, ``+11.7``."""
    amount = number_format(
        abs(value), decimal_pos=None if value == int(value) and isinstance(value, int) else 1, force_grouping=True
    )
    if not value:
        return amount
    return ("+" if value > 0 else MINUS) + amount


def points_words(value: int | float | Decimal) -> str:
    """Points as they are spoken: "plus 12", "minus 29", "0"."""
    text = format_points(value)
    if not value:
        return text
    return (_("plus %(points)s") if value > 0 else _("minus %(points)s")) % {"points": text[1:]}


@register.simple_tag(name="points")
def points_tag(value: int | float | Decimal) -> SafeString:
    """Points in the colour of their outcome, with their spoken form: ``{% points seat.net_points %}``."""
    return signed(format_points(value), points_words(value), outcome(value))


@register.filter
def outcome(value: int | float | Decimal) -> str:
    """The class that colours a result of play: ``gain``, ``loss`` or ``even``."""
    return "gain" if value > 0 else "loss" if value < 0 else "even"


@register.simple_tag
def icon(name: str, label: str = "") -> SafeString:
    """Draw an icon of the sprite, 20 px, in the colour of the text: ``{% icon "check" %}``.

    An icon stands beside a word and is hidden from a screen reader; only one that stands alone has a ``label``.
    """
    if name not in ICONS:
        raise ValueError(f"There is no icon {name!r}.")
    hidden = SafeString('aria-hidden="true"')
    return format_html(
        '<svg class="icon icon-{}" width="20" height="20" viewBox="0 0 24 24" {}><use href="#icon-{}"/></svg>',
        name,
        format_html('role="img" aria-label="{}"', label) if label else hidden,
        name,
    )


@register.simple_tag
def percent_bar(wins: float, ties: float = 0) -> SafeString:
    """Draw a 10 px bar of percent (0 to 100): wins filled, ties hatched behind them. The number stands beside it."""
    return format_html(
        '<svg class="percent-bar" width="100%" height="10" aria-hidden="true">'
        '<rect class="bed" width="100%" height="10"/>'
        '<rect class="wins" width="{}%" height="10"/><rect x="{}%" width="{}%" height="10" fill="url(#hatch)"/></svg>',
        f"{wins:.1f}",
        f"{wins:.1f}",
        f"{ties:.1f}",
    )


@register.filter
def widget_kind(field: BoundField) -> str:
    """How a form field is laid out: "check", "choices" or "text"."""
    widget = field.field.widget
    if isinstance(widget, forms.CheckboxInput):
        return "check"
    return "choices" if isinstance(widget, forms.RadioSelect | forms.CheckboxSelectMultiple) else "text"


@register.filter
def dressed(field: BoundField) -> SafeString:
    """A form field's input with the classes of its kind; an invalid one names its error and its help for a reader."""
    widget = field.field.widget
    kind = "form-select" if isinstance(widget, forms.Select) else "form-control"
    if widget_kind(field) == "check":
        kind = "form-check-input"
    classes = [kind, widget.attrs.get("class", ""), "is-invalid" if field.errors else ""]
    attrs: dict[str, object] = {"class": " ".join(filter(None, classes))}
    if isinstance(widget, forms.EmailInput):
        attrs["placeholder"] = _("you@example.com")
    elif isinstance(widget, forms.PasswordInput):
        attrs["placeholder"] = False  # it would only say the label again
    described_by = [f"{field.auto_id}_error"] * bool(field.errors) + [f"{field.auto_id}_helptext"] * bool(
        field.help_text
    )
    if described_by:
        attrs["aria-describedby"] = " ".join(described_by)
    return field.as_widget(attrs=attrs)


def signed(text: str, words: str, classes: str) -> SafeString:
    """A signed figure for the eye with its words for the ear; without a sign the figure alone says it."""
    if text == words:
        return format_html('<span class="figure {}">{}</span>', classes, text)
    return format_html(
        '<span class="figure {}"><span aria-hidden="true">{}</span><span class="visually-hidden">{}</span></span>',
        classes,
        text,
        words,
    )


def _split(hand: str | Iterable[str]) -> list[str]:
    if not isinstance(hand, str):
        return list(hand)
    packed = "".join(hand.split())
    return [packed[start : start + 2] for start in range(0, len(packed), 2)]


def _rank_and_suit(text: str) -> tuple[str, str]:
    if len(text) != 2 or text[0] not in RANK_WORDS or text[1] not in SUIT_WORDS:
        raise ValueError(f"{text!r} is not a card in its two-character form.")
    return text[0], text[1]


def _shown_rank(rank: str) -> str:
    return "10" if rank == "T" else rank


def _in_a_sentence(words: str) -> str:
    return words[:1].lower() + words[1:]


def _card_size(size: int | str) -> int:
    if int(size) not in CARD_SIZES:
        raise ValueError(f"Cards are {CARD_SIZES} wide, not {size}.")
    return int(size)


def _shape(shape: str) -> SafeString:
    return format_html('<svg class="pcard-suit" viewBox="0 0 20 20" aria-hidden="true"><use href="#{}"/></svg>', shape)


def _played_as(text: str) -> SafeString:
    if not text:
        return SafeString("")
    rank, suit = _rank_and_suit(text)
    return format_html(
        '<span class="pcard-as suit-{}" aria-hidden="true">{}{}</span>', suit, _shown_rank(rank), _shape(f"suit-{suit}")
    )


def _bar(points: int, x: float, row: int, unit: float, height: float, step: float) -> SafeString:
    width, y = (row + 1) * unit, row * step
    if points > 0:
        shape = '<rect class="won" x="{}" y="{}" width="{}" height="{}" rx="1"/>'
        return format_html(shape, f"{x:g}", f"{y:g}", f"{width:g}", f"{height:g}")
    if points < 0:
        shape = '<rect class="lost" x="{}" y="{}" width="{}" height="{}" rx="1"/>'
        return format_html(shape, f"{x + 0.5:g}", f"{y + 0.5:g}", f"{width - 1:g}", f"{height - 1:g}")
    shape = '<rect class="tied" x="{}" y="{}" width="{}" height="1"/>'
    return format_html(shape, f"{x:g}", f"{y + (height - 1) / 2:g}", f"{width:g}")


def _row_words(rows: Sequence[int]) -> str:
    won, lost, tied = _("won %(row)s"), _("lost %(row)s"), _("tied %(row)s")
    return ", ".join(
        (won if points > 0 else lost if points < 0 else tied) % {"row": word}
        for points, word in zip(rows, ROW_WORDS, strict=True)
    )
