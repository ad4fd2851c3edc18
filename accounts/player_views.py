"""One player on pages: how to pay them, leaving, two names, and the invitation by which a person claims them."""

import uuid

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts import merging, services
from accounts.forms import PaymentNoteForm
from accounts.models import Membership, Merge, Player
from accounts.views import for_member, kept_clubs


def player_or_404(request: HttpRequest, player_id: uuid.UUID) -> Player:
    """A player of a club that this person keeps."""
    return get_object_or_404(for_member(Player.objects.select_related("club"), request.user), pk=player_id)


def own_player_or_404(request: HttpRequest, player_id: uuid.UUID) -> Player:
    """A player of a club that this person keeps, or the player that is this person; ``is_kept`` says which."""
    rows = Player.objects.filter(Q(club__in=kept_clubs(request.user)) | Q(user=request.user, club__put_away_at=None))
    player = get_object_or_404(rows.select_related("club"), pk=player_id)
    player.is_kept = Membership.objects.filter(club=player.club, user=request.user).exists()
    return player


def edit_player(request: HttpRequest, player_id: uuid.UUID) -> HttpResponse:
    player = own_player_or_404(request, player_id)
    initial = {"payment_note": player.payment_note, "payment_link": player.payment_link}
    form = PaymentNoteForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        services.describe_payment(player=player, **form.cleaned_data)
        messages.success(request, _("Kept."))
        return redirect("player", player.pk)
    is_erased = hasattr(player, "erasure")
    is_owner = Membership.objects.filter(club=player.club, user=request.user, role=Membership.Role.OWNER).exists()
    context = {"club": player.club, "player": player, "is_kept": player.is_kept, "form": form}
    context["may_erase"] = (is_owner or player.user_id == request.user.pk) and not is_erased
    if player.is_kept:
        standing = Merge.objects.filter(undone_at=None)
        context |= {
            "section": "players",
            "merges": standing.filter(kept=player).select_related("merged"),
            "merged_into": standing.filter(merged=player).select_related("kept").first(),
            "others": Player.objects.filter(club=player.club, user=None, merges=None).exclude(
                Q(pk=player.pk) | Q(pk__in=standing.values("merged"))
            ),
        }
        if player.user_id is None and not is_erased:
            context["invitation"] = request.build_absolute_uri(reverse("join", args=[services.invitation(player)]))
    return render(request, "accounts/player_edit.html", context, status=422 if form.errors else 200)


@require_POST
def set_active(request: HttpRequest, player_id: uuid.UUID) -> HttpResponse:
    player = player_or_404(request, player_id)
    services.set_active(player=player, is_active="activate" in request.POST)
    return redirect("player-edit", player.pk)


@require_POST
def merge(request: HttpRequest, player_id: uuid.UUID) -> HttpResponse:
    """Make another name of the club part of this player."""
    kept = player_or_404(request, player_id)
    try:
        other = for_member(Player.objects.filter(club=kept.club), request.user).get(pk=request.POST.get("merged"))
        merging.merge_players(kept=kept, merged=other)
    except (Player.DoesNotExist, ValidationError) as error:
        words = error.messages if isinstance(error, ValidationError) else [_("Choose another player of this club.")]
        messages.error(request, " ".join(words))
        return redirect("player-edit", kept.pk)
    messages.success(
        request, _("%(merged)s is %(kept)s now. What was written stays.") % {"merged": other.name, "kept": kept.name}
    )
    return redirect("player", kept.pk)


@require_POST
def undo_merge(request: HttpRequest, merge_id: uuid.UUID) -> HttpResponse:
    found = get_object_or_404(for_member(Merge.objects.select_related("kept", "merged"), request.user), pk=merge_id)
    merging.undo_merge(merge=found)
    messages.success(request, _("%(name)s is a player of their own again.") % {"name": found.merged.name})
    return redirect("player", found.kept_id)


def join(request: HttpRequest, text: str) -> HttpResponse:
    """Take up an invitation: this player is me. Somebody who did so before is led to their page."""
    try:
        player = services.invited_player(text=text, user=request.user)
    except ValidationError as error:
        return render(request, "accounts/join_over.html", {"sentence": " ".join(error.messages)}, status=404)
    if player.user_id is not None:
        return redirect("player", player.pk)
    context = {"player": player, "club": player.club}
    if request.method == "POST":
        try:
            services.claim_player(player=player, user=request.user)
        except ValidationError as error:
            return render(request, "accounts/join.html", context | {"fault": " ".join(error.messages)}, status=422)
        return redirect("player", player.pk)
    return render(request, "accounts/join.html", context)
