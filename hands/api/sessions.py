"""Sessions: opened with their seats, or by the first hand that names them; closed, opened again, settled above."""

import uuid
from typing import Any, Final

import django_filters
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import shapes
from accounts.api.bodies import Body
from accounts.api.etags import etag_of
from accounts.api.filters import ClubFilters, MomentFilter, TextFilter
from accounts.api.shapes import example, identifier, moment, money, number, text
from accounts.api.views import ClubListView, ClubView
from accounts.models import Player
from accounts.services import players_named
from hands import services
from hands.heads import check_point_value
from hands.models import Seat, Session
from hands.queries import net_points_by_player
from hands.rulesets import rules_by_name

SEAT: Final = shapes.shape(
    "Seat",
    seat=number(),
    player=identifier(),
    name=text(),
    first_hand=number(),
    last_hand=number(allow_null=True),
    points=number(help_text="The player's points over the whole session."),
    stake_minor=number(allow_null=True, help_text="What the player began with; null without table stakes."),
)
SESSION: Final = shapes.shape(
    "Session",
    id=identifier(),
    external_id=text(allow_null=True),
    table=text(),
    rule_set=shapes.shape("RuleSetName", id=identifier(), name=text())(),
    point_value=money(),
    state=text(),
    revision=number(),
    hands=number(),
    started_at=moment(),
    closed_at=moment(allow_null=True),
    seats=SEAT(many=True, required=False),
    **shapes.WARNINGS,
)
NEW_SESSION: Final = shapes.shape(
    "NewSession",
    id=identifier(required=False, help_text="Made by you, so that sending it twice opens one session."),
    table=text(max_length=60),
    rule_set=text(required=False, help_text="The name of a preset or of a rule set of the club; phenom without."),
    point_value=money(),
    started_at=moment(),
    external_id=text(required=False, max_length=100),
    seats=shapes.shape(
        "NewSeat",
        seat=number(min_value=1, max_value=6),
        name=text(max_length=60),
        stake_minor=number(
            min_value=1, required=False, help_text="Under table stakes, in the currency of the point value."
        ),
    )(many=True, required=False),
)


def with_hand_count(rows: QuerySet[Session]) -> QuerySet[Session]:
    counted = Count("hands", filter=Q(hands__current__is_void=False))
    return rows.select_related("rule_set").annotate(hand_count=counted)


def session_body(session: Session, *, with_seats: bool = False) -> dict[str, Any]:
    """As the API answers it; ``session`` is of ``with_hand_count``."""
    body: dict[str, Any] = {
        "id": str(session.pk),
        "external_id": session.external_id,
        "table": session.table,
        "rule_set": {"id": str(session.rule_set_id), "name": session.rule_set.name},
        "point_value": {"amount_minor": session.point_value_minor, "currency": session.currency},
        "state": session.state,
        "revision": session.revision,
        "hands": session.hand_count,  # type: ignore[attr-defined]  # annotated
        "started_at": session.started_at.isoformat(),
        "closed_at": session.closed_at.isoformat() if session.closed_at else None,
    }
    if with_seats:
        points = net_points_by_player(session)
        body["seats"] = [
            {
                "seat": seat.number,
                "player": str(seat.player_id),
                "name": seat.player.name,
                "first_hand": seat.first_hand,
                "last_hand": seat.last_hand,
                "points": points.get(seat.player_id, 0),
                "stake_minor": seat.stake_minor,
            }
            for seat in Seat.objects.filter(session=session).select_related("player")
        ]
    return body


def session_tag(session: Session) -> str:
    return etag_of(session.pk, session.revision, session.state)


class SessionFilters(ClubFilters):
    state = django_filters.ChoiceFilter(choices=Session.State.choices)
    external_id = TextFilter()
    table = TextFilter()
    started_after = MomentFilter(field_name="started_at", lookup_expr="gte")
    started_before = MomentFilter(field_name="started_at", lookup_expr="lt")

    class Meta:
        model = Session
        fields: list[str] = []


class SessionListView(ClubListView):
    ordering = ("-started_at", "pk")
    filterset_class = SessionFilters

    def rows(self) -> QuerySet[Session]:
        return with_hand_count(Session.objects.filter(club=self.club))

    def body_of(self, row: Session) -> dict[str, Any]:
        return session_body(row)

    @shapes.lists(
        SESSION,
        "Sessions, the last one first",
        operation_id="list_sessions",
        tags=["sessions"],
        filters=shapes.filters_of(
            state="open, closed or settled.",
            external_id="The club's own id.",
            table="The table's name.",
            started_after="Begun then or later.",
            started_before="Begun before then.",
        ),
    )
    def get(self, request: Request) -> Response:
        return super().get(request)

    @shapes.writes(
        SESSION,
        "Open a session",
        body=NEW_SESSION,
        created=True,
        operation_id="open_session",
        tags=["sessions"],
        examples=[
            example(
                "A home game",
                {
                    "table": "Kitchen",
                    "rule_set": "phenom",
                    "point_value": {"amount_minor": 50, "currency": "USD"},
                    "started_at": "2026-11-28T20:00:00+08:00",
                    "seats": [{"seat": 1, "name": "Ana"}, {"seat": 2, "name": "Ben"}],
                },
            )
        ],
    )
    def post(self, request: Request) -> Response:
        body = Body(request.data)
        session = self._open(body)
        session = with_hand_count(Session.objects.filter(pk=session.pk)).get()
        where = reverse("api-session", args=[session.pk])
        answer = session_body(session, with_seats=True) | body.warnings()
        return self.answer(answer, etag=session_tag(session), status=201, where=where)

    @transaction.atomic
    def _open(self, body: Body) -> Session:
        named = rules_by_name(self.club)
        key, table, external_id = (
            body.identifier("id", needed=False),
            body.text("table"),
            body.text("external_id", needed=False, most=100),
        )
        rule_set = body.text("rule_set", needed=False) or "phenom"
        amount_minor, currency = body.money("point_value")
        started_at = body.moment("started_at")
        if rule_set not in named:
            words = _("There is no rule set “%(name)s”.") % {"name": rule_set[:60]}
            body.refuse("/rule_set", "rule_set", words)
        if "point_value" in body and currency:
            try:
                check_point_value(amount_minor)
            except ValidationError as error:
                body.adopt(error, "/point_value/amount_minor")
        names, stakes_minor = self._seats(body)
        if key is not None and Session.objects.filter(pk=key).exclude(club=self.club).exists():
            body.refuse("/id", "uuid", _("This id is taken; make a fresh one."))
        body.finish()
        if external_id and (there := Session.objects.filter(club=self.club, external_id=external_id).first()):
            if there.pk != key:
                body.refuse("/external_id", "conflict", _("There is a session with this external_id already."))
                body.finish()
            return there
        return services.open_session(
            club=self.club,
            table=table,
            rules=named[rule_set],
            rule_set_name=rule_set,
            point_value_minor=amount_minor,
            currency=currency,
            started_at=started_at,
            players=self._players(names),
            author=None,
            external_id=external_id or None,
            session_id=key,
            stakes_minor=stakes_minor,
        )

    def _seats(self, body: Body) -> tuple[dict[int, str], dict[int, int]]:
        """Names and stakes by seat number."""
        seats = body.take("seats") or []
        names: dict[int, str] = {}
        stakes_minor: dict[int, int] = {}
        if not isinstance(seats, list) or len(seats) > 6:
            body.refuse("/seats", "seats", _("seats is a list of up to six seats."))
            return {}, {}
        for place, seat in enumerate(seats):
            if not isinstance(seat, dict):
                body.refuse(f"/seats/{place}", "object", _("A seat is an object with seat and name."))
                continue
            one = Body(seat)
            chair, name = one.take("seat"), one.text("name", most=200)
            if isinstance(chair, bool) or not isinstance(chair, int) or not 1 <= chair <= 6 or chair in names:
                one.refuse("/seat", "seat", _("seat is a number from 1 to 6, each once."))
            else:
                names[chair] = name
                stake_minor = one.take("stake_minor")
                if isinstance(stake_minor, bool) or not isinstance(stake_minor, int | None):
                    one.refuse("/stake_minor", "stake", _("stake_minor is a whole number of minor units."))
                elif stake_minor is not None:
                    stakes_minor[chair] = stake_minor
            body.faults += [_moved(error, place) for error in one.faults]
        return names, stakes_minor

    def _players(self, names: dict[int, str]) -> dict[int, Player]:
        return players_named(club=self.club, names=names)


def _moved(error: ValidationError, place: int) -> ValidationError:
    error.pointer = f"/seats/{place}{error.pointer}"  # type: ignore[attr-defined]  # set by `fault`
    return error


class SessionView(ClubView):
    @shapes.reads(SESSION, "One session, with who sat where", operation_id="get_session", tags=["sessions"])
    def get(self, request: Request, session_id: uuid.UUID) -> Response:
        session = self.one(with_hand_count(Session.objects.filter(club=self.club)), session_id)
        return self.answer(session_body(session, with_seats=True), etag=session_tag(session))
