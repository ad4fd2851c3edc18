"""A hand's chances through the API: counted as on its page."""

import uuid
from typing import Any, Final

from django.http import Http404
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import shapes
from accounts.api.etags import etag_of
from accounts.api.shapes import anything, identifier, number, text
from accounts.api.views import ClubView
from accounts.faults import fault
from hands.access import with_chances
from hands.chances import STREETS
from hands.models import Hand
from hands.queries import load_versions
from hands.rulesets import rules_of
from hands.scoring.cards import card_text
from hands.scoring.equity import Shares, equity
from hands.scoring.taiwanese import ROWS

CHANCES: Final = shapes.shape(
    "HandChances",
    id=identifier(),
    version=number(),
    street=text(),
    boards=anything(help_text="The cards that lie on that street."),
    players=anything(help_text="By player id: expected points, and by board and row what is won, tied and lost of 1."),
    pairs=anything(help_text="Expected points of the first from the second, and the homeruns of both, of 1."),
)
STREET: Final = OpenApiParameter(
    "street", str, description="Where the hand stands; deal where it is not said.", enum=[one.name for one in STREETS]
)


class HandChancesView(ClubView):
    """A Taiwanese hand as it stood on a street: before the flop, or where ``street`` says."""

    @shapes.reads(
        CHANCES,
        "A hand's chances on a street",
        operation_id="get_hand_chances",
        tags=["hands"],
        filters=[STREET],
        description=(
            "Every card that can still come is counted. A void hand, one without cards and other games have none."
        ),
    )
    def get(self, request: Request, hand_id: uuid.UUID) -> Response:
        named = request.query_params.get("street", STREETS[0].name)
        street = next((one for one in STREETS if one.name == named), None)
        if street is None:
            raise fault("/street", "choice", _("A street is deal, flop, turn or river."))
        rows = with_chances(Hand.objects.filter(session__club=self.club)).select_related("session__rule_set")
        hand = rows.filter(pk=hand_id).first()
        if hand is None:
            raise Http404
        body = _chances(hand, street.name, street.known)
        return self.answer(body, etag=etag_of(hand.pk, hand.current_id, street.name))


def _chances(hand: Hand, street: str, known: int) -> dict[str, Any]:
    (stored,) = load_versions([hand.current_id])
    boards = [board[:known] for board in stored.boards]
    found = equity(boards=boards, setups=[seat.setup for seat in stored.seats], rules=rules_of(hand.session.rule_set))
    ids = [str(seat.player_id) for seat in stored.seats]
    return {
        "id": str(hand.pk),
        "version": stored.version,
        "street": street,
        "boards": [[card_text(card) for card in board] for board in boards],
        "players": {
            player: {
                "points": seat.points,
                "boards": [
                    {row: _of_one(shares) for row, shares in zip(ROWS, rows, strict=True)} for rows in seat.rows
                ],
            }
            for player, seat in zip(ids, found.seats, strict=True)
        },
        "pairs": [
            {
                "first": ids[pair.first],
                "second": ids[pair.second],
                "points": pair.points,
                "homerun_of_first": pair.homerun.win,
                "homerun_of_second": pair.homerun.lose,
            }
            for pair in found.pairs
        ],
    }


def _of_one(shares: Shares) -> dict[str, float]:
    return {"win": shares.win, "tie": shares.tie, "lose": shares.lose}
