"""What every view of the API does: who calls, how often, once for a key, and what was seen."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.idempotency import run_once
from accounts.api.keys import HasKey
from accounts.api.limits import Allowance, count_call
from accounts.api.paging import Pages
from accounts.models import ApiKey, Club


class ClubView(APIView):
    """A view of the club whose key calls.

    ``needs`` is the scope for what changes something. Every POST can be sent again with its Idempotency-Key.
    """

    permission_classes = [HasKey]
    needs: str = ApiKey.Scope.WRITE
    # An answer that carries a secret is not kept, whatever key it came with.
    answer_is_secret = False
    allowance: Allowance | None = None

    @property
    def club(self) -> Club:
        club: Club = self.request.auth.club
        return club

    def initial(self, request: Request, *args: Any, **options: Any) -> None:
        # Keys first: who is unknown is not counted.
        self.perform_authentication(request)
        if request.auth is not None:
            self.allowance = count_call(request.auth.pk)
            if self.allowance.is_over:
                raise Throttled(self.allowance.seconds, _("Too many calls with this key."))
        super().initial(request, *args, **options)
        if request.method == "POST" and hasattr(self, "post"):
            self.post = partial(run_once, self, self.post)

    def finalize_response(self, request: Request, response: Any, *args: Any, **options: Any) -> Any:
        response = super().finalize_response(request, response, *args, **options)
        for name, value in self.allowance.headers().items() if self.allowance else ():
            response.headers[name] = value
        return response

    def one(self, rows: QuerySet[Any], key: Any) -> Any:
        """The row of that id in these, 404 for any other."""
        return get_object_or_404(rows, pk=key)

    def answer(self, body: Mapping[str, Any], *, etag: str = "", status: int = 200, where: str = "") -> Response:
        """One resource; 304 where the caller has it as it is."""
        headers = ({"ETag": etag} if etag else {}) | ({"Location": where} if where else {})
        if etag and self.request.method == "GET" and self.request.headers.get("If-None-Match") == etag:
            return Response(status=304, headers=headers)
        return Response(body, status=status, headers=headers)


class ClubListView(ClubView):
    """A list of the club's resources: filtered, in the order of ``ordering``, page by page."""

    ordering: tuple[str, ...] = ("-created_at", "pk")
    filterset_class: Any = None

    def rows(self) -> QuerySet[Any]:
        """The club's rows, unfiltered; each list says its own."""
        raise NotImplementedError

    def body_of(self, row: Any) -> dict[str, Any]:
        """One of ``rows`` as the API shows it; each list says its own."""
        raise NotImplementedError

    def get(self, request: Request) -> Response:
        rows = self.rows()
        if self.filterset_class is not None:
            chosen = self.filterset_class(request.query_params, queryset=rows)
            if not chosen.is_valid():
                raise chosen.form_faults()
            rows = chosen.qs
        pages = Pages()
        found = pages.paginate_queryset(rows, request, view=self)
        return pages.get_paginated_response([self.body_of(row) for row in found or []])
