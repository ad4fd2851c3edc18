"""The OpenAPI document is right: valid, complete, every example does what it says, and nothing answers otherwise."""

import os
import re
import zlib
from typing import Any

import pytest
import requests
import schemathesis
from django.core.management import call_command
from django.db import transaction
from django.urls import get_resolver
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.api.world import World

pytestmark = pytest.mark.django_db

CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
)
OPERATION = re.compile(r"/(close|reopen|correct|void|reverse|confirm|cancel|decline)$")
# Where an example names an id, the world's own is put in its place.
PLACES = {
    "00000000-0000-4000-8000-00000000000a": "payer",
    "00000000-0000-4000-8000-00000000000b": "payee",
    "00000000-0000-4000-8000-00000000000c": "player_id",
    "00000000-0000-4000-8000-00000000000d": "session_id",
    "00000000-0000-4000-8000-00000000000e": "hand_id",
}


@pytest.fixture
def document(client) -> dict[str, Any]:
    answer = client.get("/api/v1/schema/", headers={"Accept": "application/json"})
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (address, method, operation)
        for address, path in document["paths"].items()
        for method, operation in path.items()
    ]


def test_the_document_is_openapi_3_1_and_every_address_of_the_api_is_in_it(document):
    assert document["openapi"].startswith("3.1")
    described = {re.sub(r"\{(\w+)\}", "*", address) for address in document["paths"]}
    urls = {
        re.sub(r"<\w+:(\w+)>", "*", f"/{entry[1][:-2] if entry[1].endswith('Z') else entry[1]}")
        for entry in _addresses()
    }
    assert urls == described


def test_the_document_is_made_without_a_warning(tmp_path):
    # Of two shapes with one name it would describe only one.
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "document.yaml"))


def _addresses() -> list[tuple[str, str]]:
    found = []

    def walk(patterns: Any, before: str) -> None:
        for pattern in patterns:
            here = before + str(pattern.pattern)
            if hasattr(pattern, "url_patterns"):
                walk(pattern.url_patterns, here)
            elif (pattern.name or "").startswith("api-") and pattern.name not in {"api-schema", "api-docs"}:
                found.append((pattern.name, here))

    walk(get_resolver().url_patterns, "")
    return found


def test_every_operation_has_a_summary_an_id_and_a_tag(document):
    ids = [operation["operationId"] for _address, _method, operation in operations(document)]
    assert len(ids) == len(set(ids)) > 50
    for address, method, operation in operations(document):
        assert operation.get("summary"), (address, method)
        assert len(operation.get("tags", [])) == 1, (address, method)


def put_in_place(value: Any, world: World) -> Any:
    if isinstance(value, dict):
        return {name: put_in_place(inner, world) for name, inner in value.items()}
    if isinstance(value, list):
        return [put_in_place(inner, world) for inner in value]
    return str(world.ids[PLACES[value]]) if value in PLACES else value


def test_every_example_does_what_it_says(document, client, world):
    executed = 0
    for address, method, operation in operations(document):
        for content in operation.get("requestBody", {}).get("content", {}).values():
            for name, example in content.get("examples", {}).items():
                executed += 1
                url = re.sub(r"\{(\w+)\}", lambda match: str(world.ids[match[1]]), address)
                # Each begins in the same world: two of them would undo the same thing.
                with transaction.atomic():
                    seen = client.get(OPERATION.sub("", url), headers={"Authorization": f"Api-Key {world.key}"})
                    value = put_in_place(example["value"], world)
                    answer = world.call(client, method, url, value, **{"If-Match": seen.get("ETag", "*")})
                    transaction.set_rollback(True)
                assert answer.status_code < 300, (address, name, answer.content)
                assert str(answer.status_code) in operation["responses"], (address, answer.status_code)
                assert "warnings" not in answer.json(), (address, name)
    assert executed >= 9


def test_every_get_answers_as_described(document, client, world):
    for address, path in document["paths"].items():
        if "get" not in path:
            continue
        case = SCHEMA[address]["GET"].Case(path_parameters={name: str(world.ids[name]) for name in _names(address)})
        answer = send(client, case, world)
        assert answer.status_code == 200, (address, answer.content)
        assert "ratelimit" in answer.headers, address
        case.validate_response(answer, checks=CHECKS)


def _names(address: str) -> list[str]:
    return re.findall(r"\{(\w+)\}", address)


def send(client: Any, case: Any, world: World) -> Any:
    """Send what schemathesis made up through Django's client, with the club's key."""
    asked = requests.Request(**case.as_transport_kwargs(base_url="http://127.0.0.1")).prepare()
    headers = {name: value for name, value in asked.headers.items() if name.lower() not in {"content-type", "cookie"}}
    answer = client.generic(
        asked.method,
        asked.path_url,
        asked.body if asked.body is not None else b"",
        content_type=asked.headers.get("Content-Type", "application/json"),
        headers=headers | {"Authorization": f"Api-Key {world.key}", "Accept": "application/json"},
    )
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    headers = {name: [value] for name, value in answer.items()}
    return schemathesis.Response(answer.status_code, headers, content, asked, elapsed=0.0, verify=False)


def test_the_document_can_be_browsed_without_a_network(client, db):
    page = client.get("/api/v1/docs/").text
    assert re.findall(r'(?:src|href)="(https?:)?//', page) == []
    assert "/static/drf_spectacular_sidecar/" in page


SCHEMA = schemathesis.openapi.from_dict(SchemaGenerator().get_schema(request=None, public=True))
NO_RETRY = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much]
# `pytest --hypothesis-profile=...` is for everything; this is for the document alone.
EXAMPLES = int(os.environ.get("HOMERUN_SCHEMA_EXAMPLES", "50"))


TAGS = sorted({operation["tags"][0] for path in SCHEMA.raw_schema["paths"].values() for operation in path.values()})


@pytest.mark.parametrize("tag", TAGS)
def test_whatever_is_sent_is_answered_as_described(tag, client, world):
    """Every operation of the tag, with many calls each; each call begins in the same world."""
    tried = 0
    for address, path in SCHEMA.raw_schema["paths"].items():
        for method, operation in path.items():
            if operation["tags"] == [tag]:
                try_out(SCHEMA[address][method.upper()], _names(address), client, world)
                tried += 1
    assert tried


def try_out(operation: Any, names: list[str], client: Any, world: World) -> None:
    @hypothesis_settings(
        max_examples=EXAMPLES,
        deadline=None,
        suppress_health_check=NO_RETRY,
        phases=[Phase.explicit, Phase.generate],
        database=None,
    )
    @given(case=operation.as_strategy())
    def call(case: Any) -> None:
        for name in names:
            # Half of the calls are of something that is there.
            if zlib.crc32(str(case.path_parameters[name]).encode()) % 2:
                case.path_parameters[name] = str(world.ids[name])
        with transaction.atomic():
            answer = send(client, case, world)
            transaction.set_rollback(True)
        case.validate_response(answer, checks=CHECKS)

    call()
