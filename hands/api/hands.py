"""Hands through the API: the same reading and the same `record_hands` as the form and the import."""

import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import django_filters
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api import shapes
from accounts.api.etags import etag_of
from accounts.api.filters import ClubFilters, TextFilter
from accounts.api.problems import problem
from accounts.api.shapes import anything, example, flag, identifier, moment, number, text
from accounts.api.views import ClubListView, ClubView
from accounts.models import Club
from hands.fantasyland import Warned
from hands.history import Deal, read_hand
from hands.models import Hand
from hands.queries import StoredHand, load_versions
from hands.reading import setup_document
from hands.report import score_report
from hands.rulesets import rules_by_name, rules_of
from hands.scoring.cards import card_text
from hands.services import known_session, record_hand, session_for
from hands.street_document import streets_document

EXAMPLE: Final = {
    "spec_version": "1.0",
    "game": "taiwanese",
    "session": {
        "external_id": "T7-2026-11-28",
        "table": "T7",
        "rule_set": "phenom",
        "point_value": {"amount_minor": 50, "currency": "USD"},
        "started_at": "2026-11-28T20:00:00+08:00",
    },
    "external_id": "T7-2026-11-28-0012",
    "number": 12,
    "played_at": "2026-11-28T20:41:07+08:00",
    "button": 2,
    "boards": [["2d", "Ac", "4d", "Qc", "8h"], ["As", "Jh", "Jd", "4c", "Js"]],
    "seats": [
        {
            "seat": 1,
            "player": {"external_id": "p-17", "name": "Ana"},
            "top": ["7h"],
            "middle": ["9h", "Ad"],
            "bottom": ["3c", "5s", "3s", "7d"],
        },
        {
            "seat": 2,
            "player": {"external_id": "p-22", "name": "Ben"},
            "top": ["5d"],
            "middle": ["Td", "5c"],
            "bottom": ["8s", "2c", "Th", "7s"],
        },
    ],
    "claimed_points": {"1": 20, "2": -20},
}

HAND: Final = shapes.shape(
    "Hand",
    id=identifier(),
    external_id=text(allow_null=True),
    session=anything(),
    game=text(),
    number=number(),
    version=number(),
    is_void=flag(),
    has_cards=flag(),
    played_at=moment(),
    button=number(allow_null=True),
    boards=anything(),
    players=anything(help_text="By player id: name, seat and rows."),
    streets=anything(required=False, help_text="Who placed which cards when, where it was told."),
    net=anything(required=False, help_text="Points by player id."),
    pairs=anything(required=False),
    categories=anything(required=False),
    best_five=anything(required=False),
    fouls=anything(required=False, help_text="Of the Chinese family: the players who fouled."),
    royalties=anything(required=False, help_text="By player id and row, of those who have any."),
    naturals=anything(required=False, help_text="By player id, of those who have one."),
    fantasyland=anything(required=False, help_text="By player id: the cards that a seat is dealt in the next hand."),
    **shapes.WARNINGS,
)
HAND_LINE: Final = shapes.shape(
    "HandLine",
    id=identifier(),
    external_id=text(allow_null=True),
    session=anything(),
    number=number(),
    version=number(),
    is_void=flag(),
    played_at=moment(),
)
RECORDED: Final = shapes.shape(
    "RecordedHand",
    id=identifier(),
    external_id=text(allow_null=True),
    session=anything(),
    number=number(),
    result=text(help_text="accepted or duplicate."),
    points=anything(help_text="Each seat's points, by seat number."),
    is_differing=flag(help_text="Whether claimed_points are others; see discrepancies."),
    **shapes.WARNINGS,
)
HAND_DOCUMENT: Final = shapes.shape(
    "HandDocument",
    spec_version=text(required=False),
    game=text(),
    session=anything(),
    external_id=text(max_length=100),
    number=number(required=False),
    played_at=moment(),
    button=number(required=False, allow_null=True),
    boards=anything(required=False),
    seats=anything(),
    claimed_points=anything(required=False),
    streets=anything(required=False, help_text="Of Open-Face and its kin: who placed which cards when."),
)


@extend_schema(exclude=True)
class NothingView(APIView):
    """Every other URL of the API: a problem, as programs expect it, not a page."""

    authentication_classes = ()
    permission_classes = ()

    def initial(self, request: Request, *args: Any, **options: Any) -> None:
        raise Http404


class HandFilters(ClubFilters):
    session = django_filters.UUIDFilter()
    external_id = TextFilter()
    is_void = django_filters.BooleanFilter(field_name="current__is_void")

    class Meta:
        model = Hand
        fields: list[str] = []


class HandListView(ClubListView):
    """One hand, self-contained, as in a hand history; and all hands of the club."""

    ordering = ("-pk",)
    filterset_class = HandFilters

    def rows(self) -> QuerySet[Hand]:
        return Hand.objects.filter(session__club=self.club).select_related("current", "session")

    def body_of(self, row: Hand) -> dict[str, Any]:
        session = row.session
        return {
            "id": str(row.pk),
            "external_id": row.external_id,
            "session": {"id": str(session.pk), "external_id": session.external_id, "table": session.table},
            "number": row.number,
            "version": row.current.version,
            "is_void": row.current.is_void,
            "played_at": row.current.played_at.isoformat(),
        }

    @shapes.lists(
        HAND_LINE,
        "Hands, the newest first",
        operation_id="list_hands",
        tags=["hands"],
        filters=shapes.filters_of(session="A session's id.", external_id="Your own id.", is_void="true or false."),
    )
    def get(self, request: Request) -> Response:
        return super().get(request)

    @shapes.writes(
        RECORDED,
        "Record a hand",
        body=HAND_DOCUMENT,
        created=True,
        also={200: RECORDED},
        operation_id="record_hand",
        tags=["hands"],
        description=(
            "The same hand again is 200 and changes nothing; another content under the same id is 409. Why the points "
            "are what they are is at the answer's Location."
        ),
        examples=[example("Two seats", EXAMPLE)],
    )
    def post(self, request: Request) -> Response:
        head, deal = read_hand(request.data, rules_by_name(self.club))
        # Mostly it is there: looked up before the transaction, which on SQLite is one writer's at a time.
        session = known_session(club=self.club, head=head)
        if session is None:
            with transaction.atomic():
                session = session_for(club=self.club, head=head, author=None)
                answer = record_hand(session=session, deal=deal, author=None)
        else:
            answer = record_hand(session=session, deal=deal, author=None)
        if answer.result == "conflict":
            differs = {"pointer": answer.pointer, "code": "conflict", "detail": answer.sentence}
            return problem(409, "conflict", answer.sentence, [differs])
        hand = answer.hand
        body = {
            "id": str(hand.pk),
            "external_id": hand.external_id,
            "session": {"id": str(session.pk), "external_id": session.external_id, "table": session.table},
            "number": hand.number,
            "result": answer.result,
            "points": {
                str(seat.number): points for seat, points in zip(deal.seats, deal.net_points(head.rules), strict=True)
            },
            "is_differing": answer.is_differing,
        }
        where = reverse("api-hand", args=[hand.pk])
        return self.answer(
            body | _warnings(deal, answer.warnings), status=201 if answer.result == "accepted" else 200, where=where
        )


def _warnings(deal: Deal, told: Sequence[Warned]) -> dict[str, Any]:
    words = _("This field means nothing here; it was passed over.")
    found = [{"pointer": name, "code": "unknown_field", "detail": words} for name in deal.unknown_fields]
    found += [{"pointer": pointer, "code": code, "detail": sentence} for pointer, code, sentence in told]
    return {"warnings": found} if found else {}


class HandView(ClubView):
    """The hand as it lies in the book, with its points."""

    @shapes.reads(HAND, "One hand, with its points and why", operation_id="get_hand", tags=["hands"])
    def get(self, request: Request, hand_id: uuid.UUID) -> Response:
        body, tag = hand_body(hand_id, self.club)
        return self.answer(body, etag=tag)


def hand_tag(hand: Hand) -> str:
    return etag_of(hand.pk, hand.current_id)


def hand_body(hand_id: uuid.UUID, club: Club) -> tuple[dict[str, Any], str]:
    """The hand of that club as the API answers it, a void one without cards, and its tag; 404 for any other."""
    rows = Hand.objects.select_related("session__rule_set", "current")
    hand = rows.filter(session__club=club, pk=hand_id).first()
    if hand is None:
        raise Http404
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
    body = {
        "id": str(hand.pk),
        "external_id": hand.external_id,
        "session": {"id": str(session.pk), "external_id": session.external_id, "table": session.table},
        "game": session.rule_set.game,
        "number": hand.number,
        "version": stored.version,
        "is_void": hand.current.is_void,
        "has_cards": stored.has_cards,
        "played_at": stored.played_at.isoformat(),
        "button": stored.button,
        "boards": [[card_text(card) for card in board] for board in stored.boards],
        "players": _players(stored),
        **({"streets": streets_document(stored.streets)} if stored.streets else {}),
        **report,
    }
    return body, hand_tag(hand)


def _players(stored: StoredHand) -> dict[str, Any]:
    return {
        str(seat.player_id): {"name": seat.name, "seat": seat.number}
        | (setup_document(seat.setup) if stored.has_cards else {})
        for seat in stored.seats
    }


def deal_for(hand: Hand, deal: Deal) -> Deal:
    """The deal of a correction, which keeps the hand's own number and id."""
    return replace(deal, number=None, external_id=hand.external_id, client_key=hand.client_key)
