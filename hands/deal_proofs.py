"""How a hand was dealt by the house, told and checked after it is over."""

import uuid
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from accounts.faults import fault
from hands.chances import boards_lying
from hands.deal_models import DealProof, HouseDeal
from hands.models import Hand
from hands.queries import load_versions
from hands.reading import say
from hands.rulesets import rules_of
from hands.scoring.cards import card_text
from hands.scoring.fair_deal import VERSION, check_deal, deal_fairly
from hands.scoring.taiwanese import ROWS, Rules


def proof_facts(dealt: HouseDeal, name: str) -> dict[str, Any]:
    """What is kept: the hand's name in the deal, and the commitment, secret and parts by seat, hexadecimal."""
    return {
        "version": VERSION,
        "hand": name,
        "committed": dealt.committed,
        "secret": dealt.secret,
        "parts": dealt.parts,
    }


def read_proof(document: Any, rules: Rules) -> dict[str, Any]:
    """What was kept, out of a document: as ``proof_facts`` made it, and such that it can be dealt again.

    Whether the hand's cards follow from it is for ``proof_faults``. Raises ``ValidationError``.
    """
    refused = fault("/dealt", "dealt", _("dealt does not say how the house dealt this hand."))
    try:
        secret, parts = bytes.fromhex(document["secret"]), parts_of(document["parts"])
        deal_fairly(secret=secret, parts=parts, hand=document["hand"], rules=rules)
        kept = {
            "version": VERSION,
            "hand": str(uuid.UUID(document["hand"])),
            "committed": bytes.fromhex(document["committed"]).hex(),
            "secret": secret.hex(),
            "parts": {str(number): part.hex() for number, part in parts.items()},
        }
    except (AttributeError, KeyError, TypeError, ValueError):
        raise refused from None
    if document != kept:
        raise refused
    return kept


def proof_faults(proof: DealProof) -> list[ValidationError]:
    """What does not fit between what was opened and the hand's cards as they count now; empty for a fair deal.

    A hand that is void, or has points alone by now, is compared as it last had cards.
    """
    hand, facts = proof.hand, proof.facts
    version = hand.versions.filter(is_void=False, has_cards=True).latest("version")
    (stored,) = load_versions([version.pk])
    problems = check_deal(
        secret=bytes.fromhex(facts["secret"]),
        parts=parts_of(facts["parts"]),
        hand=facts["hand"],
        rules=rules_of(hand.session.rule_set),
        committed=facts["committed"],
        parts_committed={},
        boards=stored.boards,
        hands={seat.number: [card for row in ROWS for card in getattr(seat.setup, row)] for seat in stored.seats},
    )
    return [say(problem) for problem in problems]


def parts_of(kept: dict[str, str]) -> dict[int, bytes]:
    """The parts as `deal_fairly` takes them; JSON has its keys as texts."""
    return {int(number): bytes.fromhex(part) for number, part in kept.items()}


def proof_page(hand: Hand) -> dict[str, Any]:
    """Everything that was opened, the cards that follow from it, and what does not fit."""
    proof: DealProof = hand.deal_proof
    rules = rules_of(hand.session.rule_set)
    parts = parts_of(proof.facts["parts"])
    secret = bytes.fromhex(proof.facts["secret"])
    dealt = deal_fairly(secret=secret, parts=parts, hand=proof.facts["hand"], rules=rules)
    names = dict(hand.session.seats.values_list("number", "player__name"))
    return {
        "club": hand.session.club,
        "session": hand.session,
        "hand": hand,
        "facts": proof.facts,
        "rules": rules,
        "faults": [sentence for fault in proof_faults(proof) for sentence in fault.messages],
        "boards": boards_lying(dealt.boards),
        "seats": [
            {
                "number": number,
                "name": names.get(number, ""),
                "part": proof.facts["parts"][str(number)],
                "cards": [card_text(card) for card in cards],
            }
            for number, cards in sorted(dealt.hands.items())
        ],
    }
