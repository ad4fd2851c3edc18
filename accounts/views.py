"""Clubs, members, players and keys."""

import uuid
from typing import TypeVar

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts import services
from accounts.forms import ApiKeyForm, ClubForm, HostForm, PlayerForm
from accounts.models import Account, AuditRow, Club, Membership, Player, User

Row = TypeVar("Row", bound=Model)


def for_member(rows: QuerySet[Row], user: User, path: str = "club") -> QuerySet[Row]:
    """Only what belongs to a club of which the user is a member: anything else is not there (404).

    Nor is what belongs to a demo that was put away.
    """
    prefix = f"{path}__" if path else ""
    return rows.filter(**{f"{prefix}memberships__user": user, f"{prefix}put_away_at": None})


def kept_clubs(user: User) -> QuerySet[Club]:
    """The clubs whose books this person keeps."""
    return for_member(Club.objects.all(), user, path="")


def club_or_404(request: HttpRequest, club_id: uuid.UUID, *, owner: bool = False) -> Club:
    clubs = for_member(Club.objects.all(), request.user, path="")
    if owner:
        clubs = clubs.filter(memberships__role=Membership.Role.OWNER, memberships__user=request.user)
    return get_object_or_404(clubs, pk=club_id)


def new_club(request: HttpRequest) -> HttpResponse:
    form = ClubForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        club = services.create_club(owner=request.user, **form.cleaned_data)
        return redirect("session-new", club.pk)
    return render(request, "accounts/club_new.html", {"form": form}, status=422 if form.errors else 200)


def club(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    found = club_or_404(request, club_id)
    membership = Membership.objects.get(club=found, user=request.user)
    return render(request, "accounts/club.html", _club_page(found, membership))


def _club_page(found: Club, membership: Membership, **more: object) -> dict[str, object]:
    return {
        "club": found,
        "section": "keys",
        "is_owner": membership.role == Membership.Role.OWNER,
        "memberships": found.memberships.select_related("user").order_by("created_at"),
        "api_keys": services.keys_of(found),
        "test_club": found.test_clubs.filter(put_away_at=None).first(),
        "host_form": HostForm(),
        "key_form": ApiKeyForm(),
    } | more


@require_POST
def add_host(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    found = club_or_404(request, club_id, owner=True)
    form = HostForm(request.POST)
    if form.is_valid():
        try:
            services.add_host(club=found, email=form.cleaned_data["email"])
        except ValidationError as error:
            form.add_error("email", error)
        else:
            messages.success(request, _("%(email)s is a host now.") % {"email": form.cleaned_data["email"]})
            return redirect("club", found.pk)
    membership = Membership.objects.get(club=found, user=request.user)
    return render(request, "accounts/club.html", _club_page(found, membership, host_form=form), status=422)


@require_POST
def create_key(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    """Answers with the page itself, not a redirect: the secret is shown this once."""
    found = club_or_404(request, club_id, owner=True)
    form = ApiKeyForm(request.POST)
    membership = Membership.objects.get(club=found, user=request.user)
    if not form.is_valid():
        return render(request, "accounts/club.html", _club_page(found, membership, key_form=form), status=422)
    _key, secret = services.create_api_key(club=found, author=request.user, **form.cleaned_data)
    response = render(request, "accounts/club.html", _club_page(found, membership, secret=secret))
    response["Cache-Control"] = "no-store"
    return response


@require_POST
def revoke_key(request: HttpRequest, club_id: uuid.UUID, key_id: uuid.UUID) -> HttpResponse:
    found = club_or_404(request, club_id, owner=True)
    key = get_object_or_404(services.keys_of(found).select_related("club"), pk=key_id)
    services.revoke_api_key(key=key)
    messages.success(request, _("The key “%(name)s” is revoked.") % {"name": key.name})
    return redirect("club", found.pk)


@require_POST
def wipe_test_club(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    found = club_or_404(request, club_id, owner=True)
    if services.wipe_test_club(club=found) is not None:
        messages.success(request, _("The test club is empty again; its keys go on with it."))
    return redirect("club", found.pk)


def players(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    found = club_or_404(request, club_id)
    form = PlayerForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            player = services.add_player(club=found, name=form.cleaned_data["name"])
        except ValidationError as error:
            form.add_error("name", error)
        else:
            messages.success(request, _("%(name)s is added.") % {"name": player.name})
            return redirect("players", found.pk)
    held: dict[uuid.UUID, list[Account]] = {}
    for account in Account.objects.filter(club=found, kind=Account.Kind.PLAYER).order_by("currency"):
        if account.player_id is not None:
            held.setdefault(account.player_id, []).append(account)
    listed = [(player, held.get(player.pk, [])) for player in Player.objects.filter(club=found)]
    context = {"club": found, "section": "players", "players": listed, "form": form}
    return render(request, "accounts/players.html", context, status=422 if form.errors else 200)


AUDIT_ROWS = 100


def audit(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    """Who did what, the newest first; for the owner. ``before`` is the row that the last page ended with."""
    found = club_or_404(request, club_id, owner=True)
    rows = AuditRow.objects.filter(club=found).select_related("user", "api_key").order_by("-id")
    if (before := request.GET.get("before", "")).isdecimal():
        rows = rows.filter(pk__lt=int(before[:18]))
    listed = list(rows[:AUDIT_ROWS])
    more = listed[-1].pk if len(listed) == AUDIT_ROWS else None
    return render(request, "accounts/audit.html", {"club": found, "section": "keys", "rows": listed, "next": more})
