"""Hands through the API: the same reading and the same `record_hands` as the form and the import."""

import uuid
from typing import Any

from django.db import transaction
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.keys import HasKey
from accounts.api.problems import problem
from accounts.models import Club
from hands.history import read_hand
from hands.models import Hand
from hands.queries import load_versions
from hands.report import score_report
from hands.rulesets import rules_by_name, rules_of
from hands.services import record_hand, session_for


class NothingView(APIView):
    """Every other URL of the API: a problem, as programs expect it, not a page."""

    authentication_classes = ()
    permission_classes = ()

    def initial(self, request: Request, *args: Any, **options: Any) -> None:
        raise Http404


class HandListView(APIView):
    """POST /api/v1/hands: one hand, self-contained, as in a hand history."""

    permission_classes = [HasKey]

    def post(self, request: Request) -> Response:
        club: Club = request.auth.club
        head, deal = read_hand(request.data, rules_by_name(club))
        with transaction.atomic():
            session = session_for(club=club, head=head, author=None)
            answer = record_hand(session=session, deal=deal, author=None)
        if answer.result == "conflict":
            return problem(409, "conflict", answer.sentence)
        body = hand_body(answer.hand.pk, club)
        where = reverse("api-hand", args=[answer.hand.pk])
        return Response(body, status=201 if answer.result == "accepted" else 200, headers={"Location": where})


class HandView(APIView):
    """GET /api/v1/hands/{id}: the hand as it lies in the book, with its points."""

    permission_classes = [HasKey]

    def get(self, request: Request, hand_id: uuid.UUID) -> Response:
        return Response(hand_body(hand_id, request.auth.club))


def hand_body(hand_id: uuid.UUID, club: Club) -> dict[str, Any]:
    """The hand of that club as the API answers it, a void one without cards; 404 for any other."""
    rows = Hand.objects.select_related("session__rule_set", "current")
    hand = get_object_or_404(rows, pk=hand_id, session__club=club)
    session = hand.session
    stored = next(load_versions([hand.current_id]))
    report: dict[str, Any] = {}
    if not stored.has_cards:
        report = {"net": {str(seat.player_id): seat.net_points for seat in stored.seats}}
    elif not hand.current.is_void:
        report = score_report(
            boards=stored.boards,
            setups=[seat.setup for seat in stored.seats],
            names=[str(seat.player_id) for seat in stored.seats],
            rules=rules_of(session.rule_set),
            explain=True,
        )
    return {
        "id": str(hand.pk),
        "external_id": hand.external_id,
        "session": {"id": str(session.pk), "external_id": session.external_id, "table": session.table},
        "number": hand.number,
        "version": stored.version,
        "is_void": hand.current.is_void,
        "has_cards": stored.has_cards,
        "played_at": stored.played_at.isoformat(),
        "players": {str(seat.player_id): {"name": seat.name, "seat": seat.number} for seat in stored.seats},
        **report,
    }
