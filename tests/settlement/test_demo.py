"""The demo comes through the product's own doors, and a start that was cut off is made good by the next."""

import io
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction
from django.urls import reverse

from accounts.models import Account, Club, Player, Transfer, User
from accounts.services import create_club
from hands.models import Hand, Import, Session
from jobs import queue
from jobs.models import Job
from settlement.management.commands import load_demo
from settlement.models import Payment, Settlement, Statement
from settlement.owing import session_owing

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]
# The doors through which the demo goes, as the command knows them.
DOORS = ["create_club", "request_import", "close_session", "request_settlement", "record_payments", "request_statement"]


class Cut(Exception):
    """The machine is switched off."""


@pytest.fixture
def steps(monkeypatch) -> dict[str, int]:
    """Counts the steps of loading and cuts it off after number ``cut`` (0: never).

    A step is a door, or a job that is done; the job is done here instead of in a worker.
    """
    counter = {"done": 0, "cut": 0}

    def count() -> None:
        counter["done"] += 1
        if counter["done"] == counter["cut"]:
            raise Cut

    def counted(door: Callable[..., Any]) -> Callable[..., Any]:
        def go_through(*args: Any, **options: Any) -> Any:
            answer = door(*args, **options)
            count()
            return answer

        return go_through

    def do_the_job(_command: load_demo.Command, subject_id: Any) -> None:
        job = Job.objects.filter(subject_id=subject_id).latest("created_at")
        queue.run(job.pk)
        job.refresh_from_db()
        assert job.status == "done", job.error
        count()

    for name in DOORS:
        monkeypatch.setattr(load_demo, name, counted(getattr(load_demo, name)))
    monkeypatch.setattr(load_demo.Command, "_wait", do_the_job)
    return counter


def load() -> str:
    out = io.StringIO()
    call_command("load_demo", port=8000, stdout=out)
    return out.getvalue()


def facts() -> dict[str, object]:
    """What is in the book: everything that does not depend on the moment or on random ids."""
    return {
        "clubs": Club.objects.count(),
        "users": User.objects.count(),
        "imports": [history.accepted for history in Import.objects.all()],
        "hands": Hand.objects.count(),
        "sessions": sorted(Session.objects.values_list("external_id", "state")),
        "players": sorted(Player.objects.values_list("name", flat=True)),
        "transfers": sorted(Transfer.objects.values_list("amount_minor", flat=True)),
        "payments": sorted(Payment.objects.values_list("state", "amount_minor")),
        "balances": sorted(Account.objects.values_list("player__name", "balance_minor")),
        "statements": sorted(Statement.objects.exclude(file="").values_list("number", "player__name", "closing_minor")),
        "unmade": Statement.objects.filter(file="").count(),
        "jobs": sorted(Job.objects.values_list("kind", "status")),
    }


def test_a_demo_cut_off_after_any_step_is_completed_by_the_next_start(steps):
    with transaction.atomic():
        load()
        whole = facts()
        transaction.set_rollback(True)
    assert whole["hands"] == 52
    count = steps["done"]
    # Club, import and its job, two closings, settlement and its job, payments, six statements and their jobs.
    assert count == 1 + 2 + 2 + 2 + 1 + 12
    for cut in range(1, count + 1):
        with transaction.atomic():
            steps.update(done=0, cut=cut)
            with pytest.raises(Cut):
                load()
            steps.update(done=0, cut=0)
            load()
            assert facts() == whole, f"cut off after step {cut}"
            transaction.set_rollback(True)


def test_a_loaded_demo_is_left_as_people_made_it(steps):
    said = load()
    kitchen = Session.objects.get(external_id="demo-kitchen")
    Session.objects.filter(pk=kitchen.pk).update(state="open")
    before = facts()
    assert load() == said
    assert facts() == before


def test_somebody_elses_club_keeps_the_demo_out(steps, owner):
    create_club(owner=owner, name="A real club")
    assert load() == ""
    assert (Club.objects.count(), User.objects.count()) == (1, 1)


def test_the_demo_shows_a_payment_that_is_paid_one_by_half_and_one_that_waits(client, steps):
    load()
    session = Session.objects.get(external_id="demo-thursday")
    owing = session_owing(session, Settlement.objects.get())
    payments = [(one.payer.player.name, one.payee.player.name, one.amount_minor, one.state) for one in owing.payments]
    # Of -60.50 Emil pays Ben's 50.50 and has 10.00 left for Chi; of Ana's 11.00 to Chi half is paid.
    assert sorted(payments) == [
        ("Ana", "Chi", 550, "paid"),
        ("Emil", "Ben", 5050, "paid"),
        ("Emil", "Chi", 1000, "pending"),
    ]
    assert ("Ana", "Chi", 550) in [
        (due.payer.player.name, due.payee.player.name, due.amount_minor) for due in owing.dues
    ]
    client.force_login(User.objects.get())
    assert "Chi has not confirmed yet" in client.get(reverse("settle", args=[session.pk])).text
