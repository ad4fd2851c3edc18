"""Files that a job makes, disputes and reminders through the API: what a program can do, and what it is told."""

import gzip
import io
import json
import uuid

import pytest
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from openpyxl import load_workbook

from accounts.csv_files import BOM
from accounts.models import Account
from hands.models import Hand, Session
from jobs import queue
from jobs.models import Job
from settlement.models import BookFile, ClubExport, Dispute, Reminder
from tests.api.world import World

pytestmark = pytest.mark.django_db
BASE = "/api/v1"


def work() -> None:
    # The world's webhook has an address that nobody answers.
    for job_id in Job.objects.filter(status="queued").exclude(kind="webhook").values_list("pk", flat=True):
        queue.run(job_id)


def content(answer) -> bytes:
    return b"".join(answer.streaming_content)


def codes(answer) -> list[tuple[str, str]]:
    return [(one["pointer"], one["code"]) for one in answer.json()["errors"]]


def test_a_club_is_exported_and_fetched(client, world: World):
    asked = world.call(client, "post", f"{BASE}/exports")
    assert (asked.status_code, asked.json()["state"], asked.json()["is_ready"]) == (201, "queued", False)
    where = asked["Location"]
    assert world.call(client, "get", f"{where}/download").status_code == 404, "it is not made yet"
    # While it is being written, that is the one.
    assert world.call(client, "post", f"{BASE}/exports")["Location"] == where
    work()
    found = world.call(client, "get", where).json()
    assert (found["state"], found["error"], found["is_ready"]) == ("done", "", True)
    assert found["progress"] == {"done": found["lines"], "total": found["lines"]}
    raw = content(world.call(client, "get", f"{where}/download"))
    assert len(raw) == found["size_bytes"]
    lines = [json.loads(line) for line in gzip.decompress(raw).splitlines()]
    assert (lines[0]["kind"], lines[0]["name"], lines[-1]["kind"]) == ("club", world.club.name, "end")
    assert world.call(client, "get", where, If_None_Match=world.call(client, "get", where)["ETag"]).status_code == 304


def test_a_repeated_request_for_an_export_is_answered_the_same(client, world: World):
    """The first answer's, although the export is made by then and another request would make another."""
    first = world.call(client, "post", f"{BASE}/exports", Idempotency_Key="e-1")
    work()
    again = world.call(client, "post", f"{BASE}/exports", Idempotency_Key="e-1")
    assert (again.json(), again["Idempotency-Replayed"]) == (first.json(), "true")
    assert ClubExport.objects.filter(club=world.club).count() == 2, "the world's own and this one"


def test_a_ledger_and_a_session_are_made_and_fetched_as_workbook_and_csv(client, world: World):
    month = {"currency": "USD", "first_day": "2026-11-01", "last_day": "2026-11-30"}
    for body, sheet in ((month, "Balances"), ({"session": str(world.ids["session_id"])}, "Scoreboard")):
        asked = world.call(client, "post", f"{BASE}/book-files", body)
        assert (asked.status_code, asked.json()["state"]) == (201, "queued")
        where = asked["Location"]
        assert world.call(client, "get", f"{where}/csv").status_code == 404
        work()
        found = world.call(client, "get", where).json()
        assert (found["state"], found["is_ready"]) == ("done", True)
        book = load_workbook(io.BytesIO(content(world.call(client, "get", f"{where}/workbook"))))
        assert book.sheetnames[0] == sheet
        answer = world.call(client, "get", f"{where}/csv")
        assert answer["Content-Type"] == "text/csv; charset=utf-8"
        assert content(answer).decode().startswith(BOM)
    of_session = world.call(client, "get", f"{BASE}/book-files?session={world.ids['session_id']}").json()["results"]
    assert [one["session"] for one in of_session] == [str(world.ids["session_id"])]


@pytest.mark.parametrize(
    ("body", "faults"),
    [
        ({}, [("/currency", "missing"), ("/first_day", "missing"), ("/last_day", "missing")]),
        ({"currency": "USD", "first_day": "2026-11-02", "last_day": "2026-11-01"}, [("/last_day", "period")]),
        ({"currency": "ZZZ", "first_day": "2026-11-01", "last_day": "2026-11-01"}, [("", "currency")]),
        ({"session": str(uuid.uuid4())}, [("/session", "no_such_session")]),
        ({"session": 7}, [("/session", "uuid")]),
    ],
)
def test_what_is_no_file_of_the_books_is_refused_where_it_is_wrong(client, world: World, body, faults):
    before = BookFile.objects.count()
    answer = world.call(client, "post", f"{BASE}/book-files", body)
    assert (answer.status_code, codes(answer)) == (422, faults)
    assert BookFile.objects.count() == before


def test_a_failed_job_says_so_and_gives_out_no_file(client, world: World):
    # 40 points of a value whose 40-fold the book cannot keep.
    Session.objects.filter(pk=world.ids["open_session_id"]).update(point_value_minor=10**14)
    asked = world.call(client, "post", f"{BASE}/book-files", {"session": str(world.ids["open_session_id"])})
    work()
    found = world.call(client, "get", asked["Location"]).json()
    assert (found["state"], found["error"]) == ("failed", "An amount of this session is too large to be kept.")
    assert world.call(client, "get", f"{asked['Location']}/workbook").status_code == 404


def test_lists_of_files_ask_the_same_however_long_they_are(client, world: World):
    def asked(address: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            assert world.call(client, "get", address).status_code == 200
        return len(queries)

    addresses = [f"{BASE}/{name}" for name in ("exports", "book-files", "disputes", "reminders")]
    asked(f"{BASE}/club")
    before = [asked(address) for address in addresses]
    for day in range(1, 6):
        days = {"first_day": "2026-11-01", "last_day": f"2026-11-{day:02}"}
        world.call(client, "post", f"{BASE}/book-files", {"currency": "USD"} | days)
        world.call(client, "post", f"{BASE}/exports")
        work()
        hand = str(world.ids["hand_id"])
        player = str(world.ids["player_id"]) if day % 2 else None
        body = {"hand": hand, "player": player, "sentence": "No."}
        world.call(client, "post", f"{BASE}/disputes", body)
    assert [asked(address) for address in addresses] == before


def test_a_dispute_is_raised_listed_and_declined_with_a_reason(client, world: World):
    body = {"hand": str(world.ids["hand_id"]), "player": str(world.ids["player_id"]), "sentence": "It was a six."}
    raised = world.call(client, "post", f"{BASE}/disputes", body)
    assert raised.status_code == 201
    found = raised.json()
    assert (found["state"], found["hand"], found["payment"]) == ("open", body["hand"], None)
    assert found["session"] == str(world.ids["open_session_id"])
    # The same doubt again is the one that is open.
    assert world.call(client, "post", f"{BASE}/disputes", body).json()["id"] == found["id"]
    listed = world.call(client, "get", f"{BASE}/disputes?state=open&hand={body['hand']}").json()["results"]
    assert [one["id"] for one in listed] == [found["id"]]
    decline, reason = f"{raised['Location']}/decline", {"reason": "The photo shows a five."}
    assert world.call(client, "post", decline, reason).status_code == 428
    answer = world.call(client, "post", decline, reason, If_Match=raised["ETag"])
    assert (answer.status_code, answer.json()["state"], answer.json()["answer"]) == (
        200,
        "declined",
        "The photo shows a five.",
    )
    # Who saw it open is too late; and an answer stays.
    assert world.call(client, "post", decline, {"reason": "No."}, If_Match=raised["ETag"]).status_code == 412
    world.call(client, "post", decline, {"reason": "No."}, If_Match="*")
    assert Dispute.objects.get(pk=found["id"]).answer == "The photo shows a five."


def test_a_correction_through_the_api_answers_the_dispute(client, world: World):
    hand = str(world.ids["hand_id"])
    raised = world.call(client, "post", f"{BASE}/disputes", {"hand": hand, "sentence": "It was misdealt."})
    tag = world.call(client, "get", f"{BASE}/hands/{hand}")["ETag"]
    assert (
        world.call(client, "post", f"{BASE}/hands/{hand}/void", {"reason": "It was."}, If_Match=tag).status_code == 200
    )
    found = world.call(client, "get", raised["Location"]).json()
    assert (found["state"], found["answer"]) == ("corrected", "It was.")


@pytest.mark.parametrize(
    ("names", "faults"),
    [
        ((), [("", "one_thing")]),
        (("hand", "payment"), [("", "one_thing")]),
    ],
)
def test_a_dispute_is_of_one_thing(client, world: World, names, faults):
    body = {"sentence": "No."} | {name: str(world.ids[f"{name}_id"]) for name in names}
    answer = world.call(client, "post", f"{BASE}/disputes", body)
    assert (answer.status_code, codes(answer)) == (422, faults)


def test_a_dispute_of_what_is_anothers_is_refused(client, world: World, stranger):
    theirs = {name: str(uuid.uuid4()) for name in ("hand", "player")}
    answer = world.call(client, "post", f"{BASE}/disputes", theirs | {"sentence": "No."})
    assert codes(answer) == [("/hand", "no_such_hand"), ("/player", "no_such_player")]
    assert not Hand.objects.filter(disputes__isnull=False).exists()


def test_a_reminder_goes_out_as_a_notice_and_once_a_day(client, world: World):
    body = {name: str(world.ids[name]) for name in ("payer", "payee")}
    asked = world.call(client, "post", f"{BASE}/reminders", body)
    assert asked.status_code == 201
    # Ben owes 20.00 in all, of which 1.00 is paid; Ana is owed 11.00 less that: 10.00 of it is between them.
    assert asked.json()["amount"] == {"amount_minor": 1000, "currency": "USD"}
    work()
    assert world.call(client, "get", asked["Location"]).json() == asked.json()
    assert [one.to for one in mail.outbox][-1] == ["ben@example.com"]
    again = world.call(client, "post", f"{BASE}/reminders", body)
    assert (again.status_code, codes(again)) == (422, [("", "reminded_today")])
    assert Reminder.objects.filter(payer=world.ids["payer"], payee=world.ids["payee"]).count() == 1


def test_who_owes_nothing_or_has_no_log_in_is_not_reminded(client, world: World):
    chi = Account.objects.get(player__name="Chi", club=world.club)
    for payer, payee, code in (
        (world.ids["payee"], world.ids["payer"], "nothing_owed"),
        (chi.pk, world.ids["payee"], "nothing_owed"),
    ):
        answer = world.call(client, "post", f"{BASE}/reminders", {"payer": str(payer), "payee": str(payee)})
        assert (answer.status_code, codes(answer)) == (422, [("", code)])
    answer = world.call(client, "post", f"{BASE}/reminders", {"payer": str(uuid.uuid4()), "payee": str(chi.pk)})
    assert codes(answer) == [("/payer", "no_such_account")]


def test_the_etag_of_what_was_just_made_is_the_one_that_is_read(client, world: World):
    """A state is an enum's while it is made, and a text once it is read."""
    payment = {name: str(world.ids[name]) for name in ("payer", "payee")} | {
        "amount": {"amount_minor": 100, "currency": "USD"}
    }
    for name, body in (
        ("payments", payment),
        ("disputes", {"hand": str(world.ids["hand_id"]), "sentence": "No."}),
        ("exports", None),
        ("book-files", {"session": str(world.ids["session_id"])}),
    ):
        made = world.call(client, "post", f"{BASE}/{name}", body)
        assert made.status_code == 201, name
        assert world.call(client, "get", made["Location"])["ETag"] == made["ETag"], name
