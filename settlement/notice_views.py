"""Notices on pages: the list of a person, what they want to be told, and the link in a mail that stops its kind."""

import uuid

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from settlement import notices
from settlement.forms import NoticesForm
from settlement.notice_models import Notice
from settlement.notice_words import subjects_of, tell, words_of

LISTED = 50


def list_notices(request: HttpRequest) -> HttpResponse:
    """The newest first; ``before`` is the notice that the last page ended with."""
    mine = notices.notices_of(request.user)
    before = mine.filter(pk=asked).first() if (asked := _key(request.GET.get("before", ""))) else None
    listed = list(notices.notices_of(request.user, before=before)[:LISTED])
    context = {"notices": tell(listed), "next": listed[-1].pk if len(listed) == LISTED else None}
    return render(request, "settlement/notices.html", context)


def _key(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def notice(request: HttpRequest, notice_id: uuid.UUID) -> HttpResponse:
    """Open what the notice is about; it is read by that."""
    rows = Notice.objects.filter(user=request.user, club__put_away_at=None)
    found = get_object_or_404(rows.select_related("user"), pk=notice_id)
    notices.mark_read(user=request.user, notice=found)
    return redirect(words_of(found, subjects_of([found])[found.pk]).url)


@require_POST
def read_notices(request: HttpRequest) -> HttpResponse:
    notices.mark_read(user=request.user)
    return redirect("notices")


def choose_notices(request: HttpRequest) -> HttpResponse:
    # A form without a single box is an answer too.
    data = request.POST if request.method == "POST" else None
    form = NoticesForm(data, initial=notices.chosen_notices(request.user))
    if request.method == "POST" and form.is_valid():
        notices.choose_notices(user=request.user, **form.cleaned_data)
        messages.success(request, _("Kept."))
        return redirect("notices-chosen")
    return render(request, "settlement/notices_chosen.html", {"form": form}, status=422 if form.errors else 200)


@csrf_exempt
@login_not_required
def stop_mail(request: HttpRequest, signed: str) -> HttpResponse:
    """Switch one kind of mail off without a log-in: asked about first, or one click of a mail program (RFC 8058).

    A look at it changes nothing, because mail programs look at links by themselves.
    """
    found = notices.read_off_text(signed)
    if found is None:
        raise Http404
    user, kind = found
    if request.method == "POST":
        notices.stop_mail(user=user, kind=kind)
    context = {"kind": kind.label, "is_off": request.method == "POST"}
    return render(request, "settlement/notice_off.html", context)
