"""The page on which a person is taken out of a club's records."""

import uuid

from django.contrib import messages
from django.contrib.auth import logout
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.models import Account, Player, User
from settlement.erasure import erase_player, may_erase
from settlement.forms import ErasureForm


def erase(request: HttpRequest, player_id: uuid.UUID) -> HttpResponse:
    player = get_object_or_404(Player.objects.filter(may_erase(request.user)).select_related("club"), pk=player_id)
    is_own = player.user_id == request.user.pk
    form = ErasureForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            pseudonym = erase_player(player=player, typed_name=form.cleaned_data["name"], author=request.user)
        except ValidationError as error:
            form.add_error("name", error)
        else:
            if not User.objects.filter(pk=request.user.pk).exists():
                logout(request)
                messages.success(request, _("You are erased, and your log-in is gone."))
                return redirect("account_login")
            messages.success(request, _("Erased. In the books it says %(name)s now.") % {"name": pseudonym})
            return redirect("sessions" if is_own else "player", *([] if is_own else [player.pk]))
    context = {
        "club": player.club,
        "player": player,
        "is_own": is_own,
        "open_accounts": Account.objects.filter(player=player).exclude(balance_minor=0).order_by("currency"),
        "form": form,
    }
    return render(request, "settlement/erase.html", context, status=422 if form.errors else 200)
