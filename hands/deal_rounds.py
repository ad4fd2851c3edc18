"""A hand on own phones that the house deals: its secret, the parts of the seats, and the boards street by street.

What is drawn is worked out anew from secret and parts (`hands/scoring/fair_deal.py`) whenever it is asked for.
Whoever changes anything here holds the table's row.
"""

import re
import secrets
from hashlib import sha256
from typing import Final

from django.utils.translation import gettext as _

from accounts.faults import fault
from hands.deal_models import DealProof, HouseDeal
from hands.deal_proofs import parts_of, proof_facts
from hands.history import Deal
from hands.models import Hand
from hands.phone_models import HiddenSetup, PhoneTable
from hands.rulesets import rules_of
from hands.scoring.cards import card_text
from hands.scoring.fair_deal import SECRET_SIZE, Dealt, commitment, deal_fairly
from hands.scoring.taiwanese.rules import BOARD_SIZE

# How many cards of every board lie after each press of the host.
SHOWN: Final = {0: 3, 3: 4, 4: BOARD_SIZE}


def begin_deal(table: PhoneTable) -> None:
    """Draw the house's secret for the hand that has just been begun."""
    secret = secrets.token_bytes(SECRET_SIZE)
    HouseDeal.objects.create(table=table, secret=secret.hex(), committed=commitment(secret))


def deal_of(table: PhoneTable) -> HouseDeal | None:
    """The deal of the hand that is being set; None where people deal."""
    return HouseDeal.objects.filter(table=table).first()


def read_part(text: str) -> str:
    """A seat's part: 64 hexadecimal digits as a phone draws them, else the SHA-256 of what a person typed.

    Raises ``ValidationError`` for nothing typed, and for a text that is too long.
    """
    typed = text.strip()
    if not typed or len(typed) > 200:
        raise fault("/part", "part", _("Type anything, up to 200 characters."))
    return typed.lower() if re.fullmatch(r"[0-9a-fA-F]{64}", typed) else sha256(typed.encode()).hexdigest()


def deal_when_given(table: PhoneTable, setups: list[HiddenSetup]) -> None:
    """Deal as soon as every seat that plays has given its part."""
    dealt = deal_of(table)
    if dealt is None or dealt.parts is not None or not all(setup.part for setup in setups):
        return
    dealt.parts = {str(setup.seat.number): setup.part for setup in setups}
    dealt.save(update_fields=["parts"])


def cards_dealt(table: PhoneTable, dealt: HouseDeal) -> Dealt:
    """Boards and hands of a deal to which every seat has given its part; for the server's own eyes."""
    parts = parts_of(dealt.parts or {})
    rules = rules_of(table.session.rule_set)
    return deal_fairly(secret=bytes.fromhex(dealt.secret), parts=parts, hand=str(table.round_key), rules=rules)


def hand_of(table: PhoneTable, number: int) -> list[str] | None:
    """The seven cards that a seat was dealt, sorted, the highest first; None where it was dealt none by the house."""
    dealt = deal_of(table)
    if dealt is None or dealt.parts is None:
        return None
    cards = cards_dealt(table, dealt).hands.get(number, ())
    return [card_text(card) for card in sorted(cards, reverse=True)]


def shown_boards(table: PhoneTable, dealt: HouseDeal) -> list[tuple[int, ...]]:
    """As much of the boards as the host has shown."""
    return [board[: dealt.known] for board in cards_dealt(table, dealt).boards]


def check_dealt(table: PhoneTable, deal: Deal) -> None:
    """Raise ``ValidationError`` where a hand that the house dealt is played on other boards, or before they lie."""
    dealt = deal_of(table)
    if dealt is None:
        return
    if dealt.known < BOARD_SIZE:
        raise fault("", "boards_hidden", _("The hand can be saved when the boards are shown."))
    fair = cards_dealt(table, dealt)
    for place, (board, right) in enumerate(zip(deal.boards, fair.boards, strict=True)):
        if board != right:
            sentence = _("Board %(number)d is not the one that was dealt. Nothing was saved.")
            raise fault(f"/boards/{place}", "dealt_board", sentence % {"number": place + 1})


def open_deal(table: PhoneTable, hand: Hand) -> None:
    """The hand is in the book: its deal is opened for everybody, and kept with it."""
    dealt = deal_of(table)
    if dealt is not None:
        DealProof.objects.create(hand=hand, facts=proof_facts(dealt, str(table.round_key)))
        dealt.delete()
