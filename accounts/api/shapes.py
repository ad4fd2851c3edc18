"""The API's document: shapes of bodies and answers, and what every operation has in common.

The document is OpenAPI 3.1, made by drf-spectacular from the views; every example in it is executed by a test.
"""

from collections.abc import Sequence
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers

Field = serializers.Field


class KeyScheme(OpenApiAuthenticationExtension):
    """By what a caller is known."""

    target_class = "accounts.api.keys.ApiKeyAuthentication"
    name = "ApiKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "`Api-Key <prefix>.<secret>`, as the club's owner made it.",
        }


class MoneySerializer(serializers.Serializer):
    amount_minor = serializers.IntegerField(help_text="A whole number of the currency's minor units.")
    currency = serializers.CharField(min_length=3, max_length=3, help_text="ISO 4217, such as USD.")


class FaultSerializer(serializers.Serializer):
    pointer = serializers.CharField(allow_blank=True, help_text="JSON pointer into the body.")
    code = serializers.CharField()
    detail = serializers.CharField()


class ProblemSerializer(serializers.Serializer):
    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField()
    detail = serializers.CharField()
    errors = FaultSerializer(many=True, required=False)


def text(**options: Any) -> Field:
    return serializers.CharField(**options)


def number(**options: Any) -> Field:
    return serializers.IntegerField(**options)


def identifier(**options: Any) -> Field:
    return serializers.UUIDField(**options)


def moment(**options: Any) -> Field:
    return serializers.DateTimeField(**options)


def flag(**options: Any) -> Field:
    return serializers.BooleanField(**options)


def anything(**options: Any) -> Field:
    return serializers.JSONField(**options)


def money(**options: Any) -> Field:
    return MoneySerializer(**options)


def shape(name: str, /, **fields: Field) -> type[serializers.Serializer]:
    """A named shape of an object."""
    return type(f"{name}Serializer", (serializers.Serializer,), dict(fields))


def page_of(one: type[serializers.Serializer]) -> Any:
    name = one.__name__.removesuffix("Serializer")
    return inline_serializer(
        f"{name}Page",
        {"results": one(many=True), "next": serializers.URLField(allow_null=True)},
    )


WARNINGS = {"warnings": FaultSerializer(many=True, required=False, help_text="Fields that mean nothing here.")}
REASON = shape("Reason", reason=text(help_text="Why; everybody concerned can read it."))

_PROBLEMS = {
    400: "The JSON cannot be read.",
    401: "No key, or an unknown one.",
    403: "The key's scope does not reach so far.",
    404: "Nothing here that this key may see.",
    409: "It conflicts with what is in the book, or the same Idempotency-Key is still running.",
    412: "It was changed since you saw it.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    422: "The content is not right; `errors` says what.",
    428: "If-Match is missing.",
    429: "Too many calls with this key.",
}
_READING = (400, 401, 404, 429)
_LISTING = (400, 401, 404, 422, 429)
_WRITING = (400, 401, 403, 404, 409, 413, 415, 422, 429)

LIMIT = OpenApiParameter("limit", int, description="How many a page, at most 200.")
CURSOR = OpenApiParameter("cursor", str, description="Where the page begins; from `next`.")
IDEMPOTENCY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="The same key and body within 24 hours gets the same answer.",
)
IF_MATCH = OpenApiParameter(
    "If-Match", str, OpenApiParameter.HEADER, required=True, description="The ETag of what you saw."
)
IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match", str, OpenApiParameter.HEADER, description="The ETag of what you have."
)


def problems(codes: Sequence[int]) -> dict[Any, Any]:
    return {
        (code, "application/problem+json"): OpenApiResponse(ProblemSerializer, description=_PROBLEMS[code])
        for code in codes
    }


def example(name: str, value: Any) -> OpenApiExample:
    return OpenApiExample(name, value=value, request_only=True)


def reads(
    one: Any, summary: str, *, has_etag: bool = True, filters: Sequence[OpenApiParameter] = (), **options: Any
) -> Any:
    """Describes a GET of one resource."""
    parameters = [*([IF_NONE_MATCH] if has_etag else []), *filters]
    codes = (*_READING, 422) if filters else _READING
    found = {200: one} | ({304: OpenApiResponse(description="As you have it.")} if has_etag else {})
    return extend_schema(summary=summary, parameters=parameters, responses=found | problems(codes), **options)


def lists(one: Any, summary: str, *, filters: Sequence[OpenApiParameter] = (), **options: Any) -> Any:
    """Describes a GET of a list, page by page."""
    return extend_schema(
        summary=summary,
        parameters=[LIMIT, CURSOR, *filters],
        responses={200: page_of(one)} | problems(_LISTING),
        **options,
    )


def writes(
    answer: Any,
    summary: str,
    *,
    body: Any = None,
    created: bool = False,
    needs_match: bool = False,
    examples: Sequence[OpenApiExample] = (),
    also: dict[Any, Any] | None = None,
    is_post: bool = True,
    **options: Any,
) -> Any:
    """Describes a call that changes something."""
    parameters = ([IDEMPOTENCY] if is_post else []) + ([IF_MATCH] if needs_match else [])
    codes = [*_WRITING, *((412, 428) if needs_match else ())]
    return extend_schema(
        summary=summary,
        parameters=parameters,
        request=body,
        responses={201 if created else 200: answer} | (also or {}) | problems(codes),
        examples=list(examples),
        **options,
    )


def filters_of(**descriptions: str) -> list[OpenApiParameter]:
    """Filters of a list, each with what it narrows to."""
    return [OpenApiParameter(name, str, description=words) for name, words in descriptions.items()]
