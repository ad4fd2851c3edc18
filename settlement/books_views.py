"""The club's books and its jobs on pages."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.models import Membership
from accounts.views import club_or_404
from jobs.models import Job
from settlement import books, services, verify


def books_of_club(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    """Whoever keeps score may read; ``before`` is the sequence that the last page ended with."""
    club = club_or_404(request, club_id)
    is_owner = club.memberships.filter(user=request.user, role=Membership.Role.OWNER).exists()
    context = books.books_page(club, request.GET.get("before", "")) | {"is_owner": is_owner}
    return render(request, "settlement/books.html", context)


@require_POST
def verify_books(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    club = club_or_404(request, club_id, owner=True)
    verify.request_verification(club=club, author=request.user)
    return redirect("books", club.pk)


def jobs_of_club(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    club = club_or_404(request, club_id, owner=True)
    return render(request, "settlement/jobs.html", books.jobs_page(club))


@require_POST
def retry_job(request: HttpRequest, club_id: uuid.UUID, job_id: uuid.UUID) -> HttpResponse:
    club = club_or_404(request, club_id, owner=True)
    job = get_object_or_404(Job, pk=job_id, club_id=club.pk)
    if services.retry_job(job=job):
        messages.success(request, _("It is tried again."))
    return redirect("jobs", club.pk)
