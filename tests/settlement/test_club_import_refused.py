"""A file that is not as it was exported is refused with a sentence, and nothing of it is kept."""

import contextlib
import copy
import gzip
import io
import json

import pytest
from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.models import Club, Player, Transfer, User
from accounts.services import create_club
from settlement.club_import import import_club
from tests.settlement.club_files import export, fill, packed

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture(scope="module")
def exported(django_db_setup, django_db_blocker) -> bytes:
    """The file of a club with one of everything; the club itself is gone again."""
    with django_db_blocker.unblock(), transaction.atomic():
        owner = User.objects.create_user("exporter@example.com", "a long password")
        club = create_club(owner=owner, name="Harbour Card Room", time_zone="Asia/Taipei")
        fill(club, owner)
        with export(club).file.open("rb") as file:
            raw: bytes = file.read()
        transaction.set_rollback(True)
    return raw


@pytest.fixture
def lines(exported) -> list[dict]:
    return [json.loads(line) for line in gzip.decompress(exported).splitlines()]


def test_a_club_that_is_not_empty_is_refused(full_club, owner):
    with export(full_club).file.open("rb") as file, pytest.raises(ValidationError, match="is not empty"):
        import_club(file=file, owner=owner, club=full_club)


def broken(lines, change):
    lines = copy.deepcopy(lines)
    change(lines)
    return packed(lines)


def first(lines, kind):
    return next(line for line in lines if line["kind"] == kind)


def dealt(lines):
    return next(line["dealt"] for line in lines if "dealt" in line)


def without_cards(lines):
    return next(line for line in lines if line["kind"] == "hand" and "boards" not in line["versions"][0])


CHANGES = {
    "version": (lambda lines: lines[0].update(format="homerun-club/9"), "Line 1 (/format): The export has the format"),
    "name": (lambda lines: lines[1].update(name=""), "Line 2 (/name): A name needs at least one visible letter."),
    "card": (
        lambda lines: first(lines, "hand")["versions"][0]["seats"][0].update(top=["1s"]),
        "(/seats/0/top/0): “1s” is not a card.",
    ),
    "stranger": (
        lambda lines: first(lines, "session")["seats"][0].update(player="nobody"),
        "(/player): player names nothing that stands before this line.",
    ),
    "order": (lambda lines: lines.insert(1, lines.pop(-3)), "cannot stand here."),
    "no JSON": (lambda lines: lines.insert(1, "a text"), "Line 2 (/kind): This is no line of a club's export."),
    "cut": (lambda lines: lines.pop(), "a part of it is missing."),
    "left out": (lambda lines: lines.pop(-2), "says another number of lines"),
    "twice": (
        lambda lines: lines.insert(2, {**lines[1], "external_id": "p-17"}) or lines.insert(3, lines[2]),
        "Line 4: This contradicts the lines before it",
    ),
    "balance": (
        lambda lines: first(lines, "balance").update(balance_minor=1),
        "The balances are not those of the file, so nothing was kept.",
    ),
    "paid": (
        lambda lines: first(lines, "payment").update(was_paid=False),
        "A payment that is paid was paid, and one that is pending was not.",
    ),
    "rules": (lambda lines: first(lines, "rule_set").update(parameters=5), "parameters or money is missing"),
    "point value": (lambda lines: first(lines, "session").update(point_value=5), "point_value is missing"),
    "versions": (lambda lines: first(lines, "hand").update(versions=[]), "numbered from 1, without a gap."),
    "time": (lambda lines: first(lines, "session").update(started_at="2026-11-28T20:00:00"), "has no offset."),
    "dealt otherwise": (
        lambda lines: dealt(lines).update(secret="00"), "(/dealt): dealt does not say how the house dealt this hand."
    ),
    "dealt to nobody": (lambda lines: dealt(lines).update(parts={}), "(/dealt): dealt does not say"),
    "dealt to another seat": (
        lambda lines: dealt(lines).update(parts={" 1": "11" * 32, "2": "22" * 32}), "(/dealt): dealt does not say"
    ),
    "dealt without cards": (
        lambda lines: without_cards(lines).update(dealt=dealt(lines)), "this one has no cards of it."
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_wrong_is_said_with_its_line_and_nothing_is_kept(lines, owner, name):
    change, sentence = CHANGES[name]
    before = Club.objects.count(), Player.objects.count(), Transfer.objects.count()
    with pytest.raises(ValidationError) as raised:
        import_club(file=broken(lines, change), owner=owner)
    assert sentence in raised.value.messages[0]
    assert (Club.objects.count(), Player.objects.count(), Transfer.objects.count()) == before


JUNK = [None, -1, 10**18, "x", "\0", [5], {"a": 1}]


def places(value, path=()):
    """Every place in a line, however deep."""
    yield from [path] if path else []
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, (*path, key))


@pytest.mark.slow
def test_junk_in_any_place_is_a_sentence_or_passed_over(lines, owner):
    tried = 0
    for kind in dict.fromkeys(line["kind"] for line in lines):
        longest = max((line for line in lines if line["kind"] == kind), key=lambda line: len(json.dumps(line)))
        where = lines.index(longest)
        for path in places(longest):
            for junk in JUNK:

                def change(changed, path=path, junk=junk, where=where):
                    holder = changed[where]
                    for key in path[:-1]:
                        holder = holder[key]
                    holder[path[-1]] = junk

                with contextlib.suppress(ValidationError), transaction.atomic():
                    import_club(file=broken(lines, change), owner=owner)
                    transaction.set_rollback(True)
                tried += 1
    assert tried > 1000


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda raw: raw[: len(raw) // 2], "The file is damaged behind line"),
        (lambda raw: raw[:-8] + bytes(8), "The file is damaged behind line"),
        (lambda raw: b"", "The file ends in line 0, before its end"),
        (lambda raw: gzip.compress(b"[" * 10_000), "Line 1: The JSON is nested more than 32 levels deep."),
        (lambda raw: gzip.compress(b" " * 5_000_000), "Line 1 is longer than any line of an export."),
    ],
)
def test_a_damaged_file_is_refused(exported, owner, damage, sentence):
    with pytest.raises(ValidationError) as raised:
        import_club(file=io.BytesIO(damage(exported)), owner=owner)
    assert sentence in raised.value.messages[0]
