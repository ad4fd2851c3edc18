"""Exports of a whole club on pages; for its owner."""

import uuid

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from accounts.models import Membership
from accounts.views import club_or_404, for_member
from jobs.queue import with_jobs
from settlement.exports import file_name, request_export
from settlement.models import ClubExport

SHOWN = 20


def exports(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    club = club_or_404(request, club_id, owner=True)
    if request.method == "POST":
        request_export(club=club, author=request.user)
        return redirect("exports", club.pk)
    listed = with_jobs(ClubExport.objects.filter(club=club)[:SHOWN])
    is_working = any(not job.is_over for _row, job in listed)
    context = {"club": club, "section": "keys", "exports": listed, "is_working": is_working}
    return render(request, "settlement/exports.html", context)


def download_export(request: HttpRequest, export_id: uuid.UUID) -> FileResponse:
    mine = for_member(ClubExport.objects.select_related("club"), request.user).filter(
        club__memberships__user=request.user, club__memberships__role=Membership.Role.OWNER
    )
    found = get_object_or_404(mine, pk=export_id)
    if not found.file:
        raise Http404
    file = found.file.open("rb")
    return FileResponse(file, as_attachment=True, filename=file_name(found), content_type="application/gzip")
