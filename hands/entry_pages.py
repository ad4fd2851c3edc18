"""What the pages of entering a hand show: the grid of keys with its slots, and the check before saving."""

from typing import Any, Final

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext_lazy

from accounts.models import User
from hands.besides import mark_choices, most_discards
from hands.drafts import begin_entry
from hands.fantasyland import unexpected_next
from hands.forms import ROW_WORDS, HandForm
from hands.hand_pages import hand_without_links
from hands.history import Deal
from hands.models import Hand, Session
from hands.phone_rounds import is_open_round
from hands.queries import as_stored
from hands.rulesets import rules_of
from hands.scoring.cards import RANKS
from hands.scoring.games import GAMES, ROWS
from hands.scoring.taiwanese.rules import BOARD_SIZE
from hands.seating import next_number

SUITS_OF_KEYS: Final = "shdc"
# The fifty-two cards leave four cells of 7 x 8, each at the end of a suit's or the second line of one.
SPARE_CELLS: Final = {"s": "X1", "h": "X2", "d": "undo", "c": "type"}


def entry_page(session: Session, form: HandForm, asked: QueryDict, reader: User) -> dict[str, Any]:
    """The page of a new hand. A form that came back with errors is shown as the plain form that it was."""
    number = next_number(session)
    page = {"club": session.club, "session": session, "form": form, "number": number}
    if form.is_bound or "plain" in asked:
        return page
    entry = begin_entry(session, wanted=asked.get("draft", ""), seats=list(form.seats))
    begun_by = entry.draft.author if entry.draft else None
    game, marks = GAMES[form.rules.game], mark_choices(form.rules)
    sizes = dict(zip(ROWS, game.row_sizes, strict=True))
    return page | {
        "keys": card_keys(form.rules.jokers),
        "boards": [(board, range(BOARD_SIZE)) for board in range(1, form.boards + 1)],
        "rows": [(row, ROW_WORDS[row], range(size)) for row, size in sizes.items()],
        "cards_of_seat": range(sum(sizes.values())),
        "discards": range(most_discards(form.rules)),
        "fantasyland": marks.get("fantasyland", ()),
        "may_surrender": "surrendered" in marks,
        "entry": {
            "key": str(entry.client_key),
            "revision": entry.revision,
            "begun_by": str(begun_by) if begun_by and begun_by != reader else "",
            "facts": entry.facts,
            "boards": form.boards,
            "by_street": is_open_round(session, entry.client_key),
            "jokers": form.rules.jokers,
            "rows": sizes,
            "discards": most_discards(form.rules),
            "cards_dealt": game.cards_dealt,
            "fewest_seats": game.fewest_seats,
            "seats": [{"number": seat.number, "name": seat.player.name} for seat in form.seats],
            "urls": {
                "draft": reverse("draft", args=[session.pk, entry.client_key]),
                "check": reverse("hand-check", args=[session.pk]),
                "save": reverse("hand-save", args=[session.pk]),
                "session": reverse("session", args=[session.pk]),
            },
            "words": {name: str(words) for name, words in WORDS.items()},
        },
    }


def key_of(card: str) -> dict[str, Any]:
    """The key of one card."""
    return (
        {"joker": card} if card in {"X1", "X2"} else {"card": card, "rank": card[0].replace("T", "10"), "suit": card[1]}
    )


def card_keys(jokers: int) -> list[dict[str, Any]]:
    """The grid line by line: each suit from the ace to the 8, then from the 7 to the 2 and a spare cell."""
    keys = []
    for suit in SUITS_OF_KEYS:
        cards = [key_of(rank + suit) for rank in reversed(RANKS)]
        special = SPARE_CELLS[suit]
        spare = {"joker": special, "absent": not jokers} if special in {"X1", "X2"} else {"special": special}
        keys += [*cards, spare]
        for key in keys[-7:]:
            key["ends_suit"] = suit != SUITS_OF_KEYS[-1]
    return keys


def check_page(session: Session, deal: Deal) -> dict[str, Any]:
    """What a hand would score, in the shapes of the hand page, the seats as they sit."""
    rules = rules_of(session.rule_set)
    hand = Hand(session=session, number=next_number(session))
    page = {"session": session} | hand_without_links(as_stored(hand, deal, rules), rules)
    seats = sorted(page["seats"], key=lambda seat: seat["number"])
    return page | {"seats": seats, "warnings": unexpected_next(session, deal)}


# What the script says; {0}, {1} ... are filled in there.
WORDS: Final = {
    "board": gettext_lazy("Board {0}"),
    "top": gettext_lazy("top"),
    "middle": gettext_lazy("middle"),
    "bottom": gettext_lazy("bottom"),
    "discards": gettext_lazy("discards"),
    "fantasyland": gettext_lazy("Fantasyland, {0} cards"),
    "surrendered": gettext_lazy("surrenders"),
    "seat_gone": gettext_lazy("{0} surrenders"),
    "slot": gettext_lazy("{0}, card {1}: {2}"),
    "empty": gettext_lazy("empty"),
    "held": gettext_lazy("{0} has it"),
    "put": gettext_lazy("{0}: {1}"),
    "count": gettext_lazy("{0} of {1}"),
    "seat_count": gettext_lazy("{0}, {1} of {2} cards"),
    "seat_out": gettext_lazy("{0} sits out"),
    "out": gettext_lazy("out"),
    "too_few": gettext_lazy("{0} seats at least"),
    "phone_and_server": gettext_lazy("Saved on this phone and the server"),
    "server": gettext_lazy("Saved on the server"),
    "phone": gettext_lazy("Saved on this phone"),
    "unsaved": gettext_lazy("Not saved yet"),
    "offline": gettext_lazy("On this phone"),
    "signed_out": gettext_lazy("Saved on this phone. Sign in again to go on."),
    "begun_by": gettext_lazy("Begun by {0}"),
    "unread": gettext_lazy("“{0}” is no card"),
    "unread_long": gettext_lazy("“{0}” is not a card. Write a rank (2 to 9, T, J, Q, K, A) and a suit (c, d, h, s)."),
    "used": gettext_lazy("{0} is used"),
    "used_long": gettext_lazy("{0} is in this hand already: {1}."),
    "too_many": gettext_lazy("{0} is too many"),
    "too_many_long": gettext_lazy("There is no place left for {0}."),
    "no_joker": gettext_lazy("No {0} here"),
    "no_joker_long": gettext_lazy(
        "{0} cannot lie here: jokers are dealt to players only, and only where the rules have them."
    ),
    "nothing_copied": gettext_lazy("Press and hold here, then paste"),
    "no_network": gettext_lazy(
        "No network. Your cards are saved on this phone; the points come as soon as it is back."
    ),
    "not_saved": gettext_lazy(
        "The hand is not in the book yet: no network. Your cards are saved on this phone. Save again."
    ),
    "changed_by": gettext_lazy("{0} changed this hand at {1}"),
    "thrown_away": gettext_lazy("Somebody threw this draft away"),
    "no_cards": gettext_lazy("no cards"),
    "plays": gettext_lazy("plays"),
}
