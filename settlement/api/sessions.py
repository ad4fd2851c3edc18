"""What a session and its hands are asked to do, where money follows: close, open again, settle; correct, void."""

import uuid
from typing import Any, Final

import django_filters
from django.db import transaction
from django.db.models import F, QuerySet
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import shapes
from accounts.api.bodies import Body
from accounts.api.etags import etag_of, need_match
from accounts.api.filters import ClubFilters
from accounts.api.shapes import anything, example, flag, identifier, moment, money, number, text
from accounts.api.views import ClubListView, ClubView
from accounts.models import ApiKey
from hands.api.hands import EXAMPLE, HAND, deal_for, hand_body, hand_tag
from hands.api.sessions import SESSION, session_body, session_tag, with_hand_count
from hands.history import read_deal
from hands.models import Hand, Session
from hands.rulesets import rules_of
from jobs.models import Job
from settlement import closing, corrections, services
from settlement.models import SettledPair, Settlement

PAIR: Final = shapes.shape(
    "SettledPair",
    winner=identifier(),
    loser=identifier(),
    hands=number(),
    points=number(),
    amount=money(),
    transfer=identifier(allow_null=True),
)
SETTLEMENT: Final = shapes.shape(
    "Settlement",
    id=identifier(),
    session=identifier(),
    revision=number(),
    hands=number(),
    hands_digest=text(),
    settled_at=moment(),
    occurred_at=moment(),
    reversed_at=moment(allow_null=True),
    pairs=PAIR(many=True, required=False),
)
SETTLING: Final = shapes.shape(
    "Settling",
    session=identifier(),
    state=text(help_text="queued, running, done or failed."),
    error=text(allow_blank=True),
    settlement=identifier(allow_null=True),
)


class _SessionOperation(ClubView):
    needs = ApiKey.Scope.SETTLE

    def locked(self, request: Request, key: uuid.UUID) -> Session:
        """The session, held until the transaction ends, as the caller saw it."""
        Session.objects.filter(pk=key, club=self.club).update(revision=F("revision"))
        session: Session = self.one(Session.objects.filter(club=self.club).select_related("club", "rule_set"), key)
        need_match(request, session_tag(session))
        return session

    def session_answer(self, key: uuid.UUID, more: dict[str, Any]) -> Response:
        session = with_hand_count(Session.objects.filter(pk=key)).get()
        return self.answer(session_body(session, with_seats=True) | more, etag=session_tag(session))


class SessionCloseView(_SessionOperation):
    @shapes.writes(
        SESSION,
        "End recording",
        body=shapes.shape("Closing", anyway=flag(required=False, help_text="Despite disputes and drafts."))(
            required=False
        ),
        needs_match=True,
        operation_id="close_session",
        tags=["sessions"],
    )
    @transaction.atomic
    def post(self, request: Request, session_id: uuid.UUID) -> Response:
        body = Body(request.data)
        anyway = body.boolean("anyway")
        body.finish()
        session = self.locked(request, session_id)
        closing.close_session(session=session, anyway=anyway)
        return self.session_answer(session.pk, body.warnings())


class SessionReopenView(_SessionOperation):
    @shapes.writes(
        SESSION,
        "Open it again; a settlement is reversed",
        body=shapes.REASON,
        needs_match=True,
        operation_id="reopen_session",
        tags=["sessions"],
        examples=[example("A hand was forgotten", {"reason": "Hand 13 was forgotten."})],
    )
    @transaction.atomic
    def post(self, request: Request, session_id: uuid.UUID) -> Response:
        body = Body(request.data)
        reason = body.text("reason")
        body.finish()
        session = self.locked(request, session_id)
        corrections.reopen_session(session=session, reason=reason)
        return self.session_answer(session.pk, body.warnings())


class SessionSettleView(_SessionOperation):
    """A job: a GET of the same address says how it goes."""

    @shapes.writes(
        SETTLING,
        "Settle a closed session",
        needs_match=True,
        operation_id="settle_session",
        tags=["sessions"],
        also={202: SETTLING},
    )
    @transaction.atomic
    def post(self, request: Request, session_id: uuid.UUID) -> Response:
        session = self.locked(request, session_id)
        job = services.request_settlement(session=session)
        return self._settling(session, job, status=202)

    @shapes.reads(SETTLING, "How settling goes", has_etag=False, operation_id="get_settling", tags=["sessions"])
    def get(self, request: Request, session_id: uuid.UUID) -> Response:
        session = self.one(Session.objects.filter(club=self.club), session_id)
        job = Job.objects.filter(kind=services.SETTLE, subject_id=session.pk).order_by("-created_at").first()
        if job is None:
            self.one(Settlement.objects.none(), session.pk)
        return self._settling(session, job)

    def _settling(self, session: Session, job: Any, *, status: int = 200) -> Response:
        settlement = Settlement.objects.filter(session=session, reversed_at=None).first()
        body = {
            "session": str(session.pk),
            "state": job.status,
            "error": job.error,
            "settlement": str(settlement.pk) if settlement else None,
        }
        return self.answer(body, status=status, where=reverse("api-session-settle", args=[session.pk]))


class _HandOperation(ClubView):
    def locked(self, request: Request, key: uuid.UUID) -> Hand:
        rows = Hand.objects.filter(session__club=self.club).select_related("session__rule_set", "session__club")
        hand: Hand = self.one(rows, key)
        Session.objects.filter(pk=hand.session_id).update(revision=F("revision"))
        hand.refresh_from_db(fields=["current"])
        need_match(request, hand_tag(hand))
        return hand

    def hand_answer(self, hand: Hand, more: dict[str, Any]) -> Response:
        body, tag = hand_body(hand.pk, self.club)
        return self.answer(body | more, etag=tag)


class HandCorrectView(_HandOperation):
    @shapes.writes(
        HAND,
        "Write a hand down anew, with a reason",
        body=shapes.shape("Correction", reason=text(), hand=anything(help_text="As a hand document, of its cards."))(),
        needs_match=True,
        operation_id="correct_hand",
        tags=["hands"],
        description="In a settled session the settlement is reversed and made again in one step.",
        examples=[
            example(
                "Two cards were swapped",
                {
                    "reason": "Ana's top was the nine.",
                    "hand": {
                        "played_at": EXAMPLE["played_at"],
                        "boards": EXAMPLE["boards"],
                        "seats": [
                            {**EXAMPLE["seats"][0], "top": ["9h"], "middle": ["7h", "Ad"]},
                            EXAMPLE["seats"][1],
                        ],
                    },
                },
            )
        ],
    )
    @transaction.atomic
    def post(self, request: Request, hand_id: uuid.UUID) -> Response:
        body = Body(request.data)
        reason, document = body.text("reason"), body.take("hand")
        body.finish()
        hand = self.locked(request, hand_id)
        deal = deal_for(hand, read_deal(document, rules_of(hand.session.rule_set)))
        based_on = hand.current.version
        corrections.correct_hand(hand=hand, based_on=based_on, deal=deal, reason=reason, author=None)
        return self.hand_answer(hand, body.warnings())


class HandVoidView(_HandOperation):
    @shapes.writes(
        HAND,
        "Void a hand, with a reason",
        body=shapes.REASON,
        needs_match=True,
        operation_id="void_hand",
        tags=["hands"],
        examples=[example("A misdeal", {"reason": "It was a misdeal."})],
    )
    @transaction.atomic
    def post(self, request: Request, hand_id: uuid.UUID) -> Response:
        body = Body(request.data)
        reason = body.text("reason")
        body.finish()
        hand = self.locked(request, hand_id)
        based_on = hand.current.version
        corrections.correct_hand(hand=hand, based_on=based_on, deal=None, reason=reason, author=None)
        return self.hand_answer(hand, body.warnings())


class SettlementFilters(ClubFilters):
    session = django_filters.UUIDFilter()
    is_reversed = django_filters.BooleanFilter(field_name="reversed_at", lookup_expr="isnull", exclude=True)

    class Meta:
        model = Settlement
        fields: list[str] = []


def settlement_body(settlement: Settlement, *, with_pairs: bool = False) -> dict[str, Any]:
    body: dict[str, Any] = {
        "id": str(settlement.pk),
        "session": str(settlement.session_id),
        "revision": settlement.revision,
        "hands": settlement.hands,
        "hands_digest": settlement.hands_digest,
        "settled_at": settlement.settled_at.isoformat(),
        "occurred_at": settlement.occurred_at.isoformat(),
        "reversed_at": settlement.reversed_at.isoformat() if settlement.reversed_at else None,
    }
    if with_pairs:
        currency = settlement.session.currency
        body["pairs"] = [
            {
                "winner": str(pair.winner_id),
                "loser": str(pair.loser_id),
                "hands": pair.hands,
                "points": pair.points,
                "amount": {"amount_minor": pair.transfer.amount_minor if pair.transfer else 0, "currency": currency},
                "transfer": str(pair.transfer_id) if pair.transfer_id else None,
            }
            for pair in SettledPair.objects.filter(settlement=settlement).select_related("transfer")
        ]
    return body


def settlement_tag(settlement: Settlement) -> str:
    return etag_of(settlement.pk, settlement.reversed_at)


class SettlementListView(ClubListView):
    ordering = ("-settled_at", "pk")
    filterset_class = SettlementFilters

    def rows(self) -> QuerySet[Settlement]:
        return Settlement.objects.filter(session__club=self.club)

    def body_of(self, row: Settlement) -> dict[str, Any]:
        return settlement_body(row)

    @shapes.lists(
        SETTLEMENT,
        "Settlements, the newest first",
        operation_id="list_settlements",
        tags=["settlements"],
        filters=shapes.filters_of(session="A session's id.", is_reversed="true or false."),
    )
    def get(self, request: Request) -> Response:
        return super().get(request)


class SettlementView(ClubView):
    @shapes.reads(SETTLEMENT, "One settlement, pair by pair", operation_id="get_settlement", tags=["settlements"])
    def get(self, request: Request, settlement_id: uuid.UUID) -> Response:
        rows = Settlement.objects.filter(session__club=self.club).select_related("session")
        settlement = self.one(rows, settlement_id)
        return self.answer(settlement_body(settlement, with_pairs=True), etag=settlement_tag(settlement))


class SettlementReverseView(ClubView):
    needs = ApiKey.Scope.SETTLE

    @shapes.writes(
        SETTLEMENT,
        "Take a settlement back, with a reason",
        body=shapes.REASON,
        needs_match=True,
        operation_id="reverse_settlement",
        tags=["settlements"],
        examples=[example("The wrong table", {"reason": "It was the wrong table."})],
    )
    @transaction.atomic
    def post(self, request: Request, settlement_id: uuid.UUID) -> Response:
        body = Body(request.data)
        reason = body.text("reason")
        body.finish()
        rows = Settlement.objects.filter(session__club=self.club).select_related("session__club")
        settlement = self.one(rows, settlement_id)
        Session.objects.filter(pk=settlement.session_id).update(revision=F("revision"))
        settlement.refresh_from_db(fields=["reversed_at"])
        need_match(request, settlement_tag(settlement))
        corrections.reverse_settlement(settlement=settlement, reason=reason)
        settlement.refresh_from_db()
        answer = settlement_body(settlement, with_pairs=True) | body.warnings()
        return self.answer(answer, etag=settlement_tag(settlement))
