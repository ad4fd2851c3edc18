"""The rules of a club on pages: what there is, and each rule set in words with worked hands."""

import uuid

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.faults import faults_in
from accounts.models import Club
from accounts.views import club_or_404, for_member
from hands.access import readable_sessions
from hands.house_money import house_money_of, house_sentences
from hands.house_money_form import HouseMoneyForm
from hands.models import RuleSet
from hands.rule_forms import rule_form
from hands.rule_pages import rules_page
from hands.rulesets import create_rule_set, own_rule_sets, rules_of
from hands.scoring.games import GAMES, PRESETS, Game, Rules


def rule_sets(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    """The rules that this club may play by, and the form for a house's own."""
    club = club_or_404(request, club_id)
    chosen = GAMES.get(request.GET.get("game", ""), GAMES["taiwanese"])
    form = rule_form(chosen.name, request.POST or None)
    money_form = HouseMoneyForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and money_form.is_valid():
        try:
            made = create_rule_set(
                club=club,
                name=form.cleaned_data["name"],
                parameters=form.parameters(),
                money=money_form.document(),
                game=chosen.name,
            )
        except ValidationError as error:
            for pointer, _code, sentence in faults_in(error):
                field = pointer.strip("/")
                form.add_error(field if field in form.fields else None, sentence)
        else:
            messages.success(request, _("The rules “%(name)s” are kept.") % {"name": made.name})
            return redirect("rule-sets", club.pk)
    context = {"club": club, "section": "rules", "games": _by_game(club), "chosen": chosen, "form": form}
    status = 422 if form.errors or money_form.errors else 200
    return render(request, "hands/rule_sets.html", context | {"money_form": money_form}, status=status)


def _by_game(club: Club) -> list[tuple[Game, list[tuple[str, str, Rules]]]]:
    """Each game with the rule sets of it that a club may play by: the page of each, its name, its rules."""
    presets = [(reverse("rule-preset", args=[club.pk, name]), name, rules) for name, rules in PRESETS.items()]
    own = [(reverse("rule-set", args=[found.pk]), found.name, rules) for found, rules in own_rule_sets(club)]
    return [(game, [line for line in (*presets, *own) if line[2].game == game.name]) for game in GAMES.values()]


def rule_set(request: HttpRequest, rule_set_id: uuid.UUID) -> HttpResponse:
    """The rules of a session's table, or a house's own."""
    kept = for_member(RuleSet.objects.all(), request.user).values("pk")
    played = readable_sessions(request.user).values("rule_set")
    rows = RuleSet.objects.filter(Q(pk__in=kept) | Q(pk__in=played)).select_related("club")
    found = get_object_or_404(rows, pk=rule_set_id)
    context = rules_page(found.club, found.name, rules_of(found)) | {"is_kept": kept.filter(pk=found.pk).exists()}
    return render(request, "hands/rules.html", context | {"house": list(house_sentences(house_money_of(found)))})


def preset(request: HttpRequest, club_id: uuid.UUID, preset: str) -> HttpResponse:
    """Rules that every club may play by."""
    club = club_or_404(request, club_id)
    if preset not in PRESETS:
        raise Http404
    return render(request, "hands/rules.html", rules_page(club, preset, PRESETS[preset]) | {"is_kept": True})
