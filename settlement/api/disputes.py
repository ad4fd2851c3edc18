"""What somebody doubts, and the friendly words to those who owe."""

import uuid
from typing import Any, Final

import django_filters
from django.db import transaction
from django.db.models import F, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import shapes
from accounts.api.bodies import Body
from accounts.api.etags import etag_of, need_match
from accounts.api.filters import ClubFilters
from accounts.api.shapes import example, identifier, moment, money, text
from accounts.api.views import ClubListView, ClubView
from accounts.models import Account, ApiKey, Player
from hands.models import Hand, Session
from settlement import disputes, reminders
from settlement.api.payments import PARTY, party_body
from settlement.disputes import SENTENCE_LENGTH
from settlement.models import Dispute, Payment, Reminder

DISPUTE: Final = shapes.shape(
    "Dispute",
    id=identifier(),
    state=text(help_text="open, corrected or declined."),
    sentence=text(),
    session=identifier(allow_null=True),
    hand=identifier(allow_null=True),
    payment=identifier(allow_null=True),
    player=identifier(allow_null=True),
    raised_at=moment(),
    answer=text(allow_blank=True),
    answered_at=moment(allow_null=True),
    **shapes.WARNINGS,
)
NEW_DISPUTE: Final = shapes.shape(
    "NewDispute",
    hand=identifier(required=False, help_text="What is doubted: a hand, or a payment."),
    payment=identifier(required=False),
    player=identifier(required=False, help_text="Who doubts it."),
    sentence=text(max_length=SENTENCE_LENGTH, help_text="What is wrong; everybody concerned can read it."),
)
REMINDER: Final = shapes.shape(
    "Reminder",
    id=identifier(),
    payer=PARTY(),
    payee=PARTY(),
    amount=money(),
    session=identifier(allow_null=True),
    asked_at=moment(),
    **shapes.WARNINGS,
)
NEW_REMINDER: Final = shapes.shape(
    "NewReminder",
    payer=identifier(help_text="An account, from balances."),
    payee=identifier(),
    session=identifier(required=False, help_text="What it is owed for."),
)


def dispute_body(one: Dispute) -> dict[str, Any]:
    keys = {name: getattr(one, f"{name}_id") for name in ("session", "hand", "payment", "player")}
    return {
        "id": str(one.pk),
        "state": one.state,
        "sentence": one.sentence,
        **{name: str(key) if key else None for name, key in keys.items()},
        "raised_at": one.raised_at.isoformat(),
        "answer": one.answer,
        "answered_at": one.answered_at.isoformat() if one.answered_at else None,
    }


def dispute_tag(one: Dispute) -> str:
    return etag_of(one.pk, one.state)


class DisputeFilters(ClubFilters):
    state = django_filters.ChoiceFilter(choices=Dispute.State.choices)
    session = django_filters.UUIDFilter()
    hand = django_filters.UUIDFilter()
    payment = django_filters.UUIDFilter()
    player = django_filters.UUIDFilter()

    class Meta:
        model = Dispute
        fields: list[str] = []


class DisputeListView(ClubListView):
    ordering = ("-raised_at", "pk")
    filterset_class = DisputeFilters

    def rows(self) -> QuerySet[Dispute]:
        return Dispute.objects.filter(club=self.club)

    def body_of(self, row: Dispute) -> dict[str, Any]:
        return dispute_body(row)

    @shapes.lists(
        DISPUTE,
        "What is doubted, the newest first",
        operation_id="list_disputes",
        tags=["disputes"],
        filters=shapes.filters_of(
            state="open, corrected or declined.",
            session="A session's id.",
            hand="A hand's id.",
            payment="A payment's id.",
            player="A player's id.",
        ),
    )
    def get(self, request: Request) -> Response:
        return super().get(request)

    @shapes.writes(
        DISPUTE,
        "Doubt a hand or a payment",
        body=NEW_DISPUTE,
        created=True,
        operation_id="raise_dispute",
        tags=["disputes"],
        description="The same doubt of the same player again is the one that is open.",
        examples=[
            example(
                "A misread card",
                {
                    "hand": "00000000-0000-4000-8000-00000000000e",
                    "player": "00000000-0000-4000-8000-00000000000c",
                    "sentence": "My middle was two jacks.",
                },
            )
        ],
    )
    def post(self, request: Request) -> Response:
        body = Body(request.data)
        hands = Hand.objects.filter(session__club=self.club)
        hand = body.row("hand", hands, "no_such_hand", _("The club has no such hand."), needed=False)
        payments = Payment.objects.filter(club=self.club)
        payment = body.row("payment", payments, "no_such_payment", _("The club has no such payment."), needed=False)
        players = Player.objects.filter(club=self.club)
        player = body.row("player", players, "no_such_player", _("The club has no such player."), needed=False)
        sentence = body.text("sentence", most=SENTENCE_LENGTH)
        if ("hand" in body) == ("payment" in body):
            body.refuse("", "one_thing", _("Name what is doubted: a hand or a payment, one of them."))
        body.finish()
        one = disputes.raise_dispute(
            club=self.club, sentence=sentence, author=None, player=player, hand=hand, payment=payment
        )
        where = reverse("api-dispute", args=[one.pk])
        return self.answer(dispute_body(one) | body.warnings(), etag=dispute_tag(one), status=201, where=where)


class DisputeView(ClubView):
    needs = ApiKey.Scope.SETTLE

    @shapes.reads(DISPUTE, "One dispute", operation_id="get_dispute", tags=["disputes"])
    def get(self, request: Request, dispute_id: uuid.UUID) -> Response:
        one = self.one(Dispute.objects.filter(club=self.club), dispute_id)
        return self.answer(dispute_body(one), etag=dispute_tag(one))


class DisputeDeclineView(ClubView):
    needs = ApiKey.Scope.SETTLE

    @shapes.writes(
        DISPUTE,
        "Say why it stays as it is",
        body=shapes.REASON,
        needs_match=True,
        operation_id="decline_dispute",
        tags=["disputes"],
        description="One that is answered keeps its answer. A correction of the hand answers a dispute by itself.",
        examples=[example("The cards were right", {"reason": "Both of you looked at the photo: they were tens."})],
    )
    @transaction.atomic
    def post(self, request: Request, dispute_id: uuid.UUID) -> Response:
        body = Body(request.data)
        reason = body.text("reason", most=SENTENCE_LENGTH)
        body.finish()
        mine = Dispute.objects.filter(club=self.club)
        # Held until the transaction ends, as the caller saw it.
        mine.filter(pk=dispute_id).update(state=F("state"))
        one = self.one(mine, dispute_id)
        need_match(request, dispute_tag(one))
        disputes.decline_dispute(dispute=one, reason=reason, author=None)
        one.refresh_from_db()
        return self.answer(dispute_body(one) | body.warnings(), etag=dispute_tag(one))


def reminder_body(one: Reminder) -> dict[str, Any]:
    return {
        "id": str(one.pk),
        "payer": party_body(one.payer),
        "payee": party_body(one.payee),
        "amount": {"amount_minor": one.amount_minor, "currency": one.payer.currency},
        "session": str(one.session_id) if one.session_id else None,
        "asked_at": one.asked_at.isoformat(),
    }


class ReminderFilters(ClubFilters):
    payer = django_filters.UUIDFilter()
    payee = django_filters.UUIDFilter()
    session = django_filters.UUIDFilter()

    class Meta:
        model = Reminder
        fields: list[str] = []


class ReminderListView(ClubListView):
    needs = ApiKey.Scope.SETTLE
    ordering = ("-asked_at", "pk")
    filterset_class = ReminderFilters

    def rows(self) -> QuerySet[Reminder]:
        return Reminder.objects.filter(club=self.club).select_related("payer__player", "payee__player")

    def body_of(self, row: Reminder) -> dict[str, Any]:
        return reminder_body(row)

    @shapes.lists(
        REMINDER,
        "Reminders, the newest first",
        operation_id="list_reminders",
        tags=["reminders"],
        filters=shapes.filters_of(payer="An account's id.", payee="An account's id.", session="A session's id."),
    )
    def get(self, request: Request) -> Response:
        return super().get(request)

    @shapes.writes(
        REMINDER,
        "Send who owes a friendly word, as a notice",
        body=NEW_REMINDER,
        created=True,
        operation_id="ask_reminder",
        tags=["reminders"],
        description="At most one a day for the same two, and only where something is owed and the payer has a log-in.",
        examples=[
            example(
                "For a session",
                {
                    "payer": "00000000-0000-4000-8000-00000000000a",
                    "payee": "00000000-0000-4000-8000-00000000000b",
                    "session": "00000000-0000-4000-8000-00000000000d",
                },
            )
        ],
    )
    def post(self, request: Request) -> Response:
        body = Body(request.data)
        accounts = Account.objects.filter(club=self.club).select_related("player__user")
        no_account = _("The club has no such account; balances lists them.")
        payer, payee = (body.row(name, accounts, "no_such_account", no_account) for name in ("payer", "payee"))
        sessions = Session.objects.filter(club=self.club)
        session = body.row("session", sessions, "no_such_session", _("The club has no such session."), needed=False)
        body.finish()
        one = reminders.ask_reminder(payer=payer, payee=payee, session=session, author=None)
        where = reverse("api-reminder", args=[one.pk])
        answer = reminder_body(one)
        return self.answer(answer | body.warnings(), etag=etag_of(answer), status=201, where=where)


class ReminderView(ClubView):
    @shapes.reads(REMINDER, "One reminder", operation_id="get_reminder", tags=["reminders"])
    def get(self, request: Request, reminder_id: uuid.UUID) -> Response:
        rows = Reminder.objects.filter(club=self.club).select_related("payer__player", "payee__player")
        body = reminder_body(self.one(rows, reminder_id))
        return self.answer(body, etag=etag_of(body))
