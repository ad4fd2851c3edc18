"""The key's own club, and its players."""

import uuid
from typing import Any, Final

import django_filters
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import services
from accounts.api import shapes
from accounts.api.bodies import Body
from accounts.api.etags import etag_of, need_match
from accounts.api.filters import ClubFilters, TextFilter
from accounts.api.shapes import example, flag, identifier, moment, text
from accounts.api.views import ClubListView, ClubView
from accounts.forms import PaymentNoteForm
from accounts.models import Club, Player

CLUB: Final = shapes.shape(
    "Club", id=identifier(), name=text(), time_zone=text(), created_at=moment(), book_entries=shapes.number()
)
PLAYER: Final = shapes.shape(
    "Player",
    id=identifier(),
    name=text(),
    external_id=text(allow_null=True),
    payment_note=text(allow_blank=True),
    payment_link=text(allow_blank=True),
    is_active=flag(),
    created_at=moment(),
    **shapes.WARNINGS,
)
NEW_PLAYER: Final = shapes.shape("NewPlayer", name=text(max_length=60))
PLAYER_CHANGE: Final = shapes.shape(
    "PlayerChange",
    payment_note=text(required=False, allow_blank=True, max_length=100),
    payment_link=text(required=False, allow_blank=True, max_length=300),
    is_active=flag(required=False),
)


def club_body(club: Club) -> dict[str, Any]:
    return {
        "id": str(club.pk),
        "name": club.name,
        "time_zone": club.time_zone,
        "created_at": club.created_at.isoformat(),
        "book_entries": club.book.head_sequence,
    }


def player_body(player: Player) -> dict[str, Any]:
    return {
        "id": str(player.pk),
        "name": player.name,
        "external_id": player.external_id,
        "payment_note": player.payment_note,
        "payment_link": player.payment_link,
        "is_active": player.deactivated_at is None,
        "created_at": player.created_at.isoformat(),
    }


def player_tag(player: Player) -> str:
    return etag_of(player.pk, player.name, player.payment_note, player.payment_link, player.deactivated_at)


class OwnClubView(ClubView):
    @shapes.reads(CLUB, "The club of this key", operation_id="get_club", tags=["clubs"])
    def get(self, request: Request) -> Response:
        body = club_body(self.club)
        return self.answer(body, etag=etag_of(body))


class PlayerFilters(ClubFilters):
    external_id = TextFilter(field_name="external_id")
    is_active = django_filters.BooleanFilter(field_name="deactivated_at", lookup_expr="isnull")

    class Meta:
        model = Player
        fields: list[str] = []


class PlayerListView(ClubListView):
    filterset_class = PlayerFilters

    def rows(self) -> QuerySet[Player]:
        return Player.objects.filter(club=self.club)

    def body_of(self, row: Player) -> dict[str, Any]:
        return player_body(row)

    @shapes.lists(
        PLAYER,
        "Players, the newest first",
        operation_id="list_players",
        tags=["players"],
        filters=shapes.filters_of(external_id="The club's own id.", is_active="true or false."),
    )
    def get(self, request: Request) -> Response:
        return super().get(request)

    @shapes.writes(
        PLAYER,
        "Add a player",
        body=NEW_PLAYER,
        created=True,
        operation_id="add_player",
        tags=["players"],
        examples=[example("A player", {"name": "Gus"})],
    )
    def post(self, request: Request) -> Response:
        body = Body(request.data)
        name = body.text("name")
        body.finish()
        player = services.add_player(club=self.club, name=name)
        where = reverse("api-player", args=[player.pk])
        return self.answer(player_body(player) | body.warnings(), etag=player_tag(player), status=201, where=where)


class PlayerView(ClubView):
    def _player(self, key: uuid.UUID) -> Player:
        player: Player = self.one(Player.objects.filter(club=self.club), key)
        return player

    @shapes.reads(PLAYER, "One player", operation_id="get_player", tags=["players"])
    def get(self, request: Request, player_id: uuid.UUID) -> Response:
        player = self._player(player_id)
        return self.answer(player_body(player), etag=player_tag(player))

    @shapes.writes(
        PLAYER,
        "Change how a player is paid, or let them go",
        body=PLAYER_CHANGE,
        needs_match=True,
        is_post=False,
        operation_id="change_player",
        tags=["players"],
        examples=[example("How to pay", {"payment_note": "cash on Thursday"})],
    )
    @transaction.atomic
    def patch(self, request: Request, player_id: uuid.UUID) -> Response:
        services.lock_club(self.club.pk)
        player = self._player(player_id)
        need_match(request, player_tag(player))
        body = Body(request.data)
        note = body.text("payment_note", needed=False, most=100) if "payment_note" in body else player.payment_note
        link = body.text("payment_link", needed=False, most=300) if "payment_link" in body else player.payment_link
        is_active = body.boolean("is_active", default=player.deactivated_at is None)
        form = PaymentNoteForm({"payment_note": note, "payment_link": link})
        for name, errors in form.errors.as_data().items():
            for error in errors:
                body.refuse(f"/{name}", error.code or "invalid", error.messages[0])
        body.finish()
        services.describe_payment(player=player, payment_note=note, payment_link=link)
        services.set_active(player=player, is_active=is_active)
        player.refresh_from_db()
        return self.answer(player_body(player) | body.warnings(), etag=player_tag(player))
