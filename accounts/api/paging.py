"""Pages by cursor: `limit` at most 200; `next` in the body and in the header `Link`."""

from typing import Any

from rest_framework.pagination import CursorPagination
from rest_framework.response import Response


class Pages(CursorPagination):
    """The order is the view's ``ordering``, ending in a column that is unique."""

    page_size = 50
    page_size_query_param = "limit"
    max_page_size = 200

    def get_ordering(self, request: Any, queryset: Any, view: Any) -> tuple[str, ...]:
        ordering: tuple[str, ...] = view.ordering
        return ordering

    def get_paginated_response(self, data: Any) -> Response:
        following = self.get_next_link()
        headers = {"Link": f'<{following}>; rel="next"'} if following else {}
        return Response({"results": data, "next": following}, headers=headers)

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        following = {"type": ["string", "null"], "format": "uri", "description": "The next page; null on the last."}
        return {
            "type": "object",
            "required": ["results", "next"],
            "properties": {"results": schema, "next": following},
        }
