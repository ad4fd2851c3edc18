"""`manage.py serve`: one command that brings everything up, keeps it up, and leaves nothing behind."""

import os
import re
import shutil
import signal
import socket
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from openpyxl import load_workbook

import manage
from tests.processes import Service, free_port, parent_of, processes_on, until

pytestmark = pytest.mark.xdist_group("processes")


FACTS = """SELECT
    (SELECT COUNT(*) FROM accounts_club), (SELECT COUNT(*) FROM hands_import), (SELECT COUNT(*) FROM hands_hand),
    (SELECT COUNT(*) FROM accounts_transfer), (SELECT SUM(amount_minor) FROM accounts_transfer),
    (SELECT COUNT(*) FROM settlement_statement), (SELECT COUNT(*) FROM jobs_job WHERE status <> 'done')"""


@pytest.fixture(scope="module")
def first_start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A data folder after the first start and a proper end, and what was printed."""
    folder = tmp_path_factory.mktemp("first")
    with Service(folder, folder / "data") as service:
        supervisor = service.up()
        until(lambda: ".xlsx" in service.said(supervisor), 60)
        assert service.get("/accounts/login/")[0] == 200
        until(lambda: not service.running("load_demo"))
        supervisor.send_signal(signal.SIGTERM)
        assert supervisor.wait(15) == 0
        assert processes_on(service.data) == {}
        yield service.data, service.said(supervisor).replace(str(service.port), "PORT")


@pytest.fixture
def service(first_start: tuple[Path, str], tmp_path: Path) -> Iterator[Service]:
    """The service on a copy of that folder, not started yet."""
    with Service(tmp_path, tmp_path / "data") as begun:
        shutil.copytree(first_start[0], begun.data)
        yield begun


@pytest.fixture(scope="module")
def running(first_start: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service on such a copy, started once for everything that it has to outlive."""
    folder = tmp_path_factory.mktemp("running")
    with Service(folder, folder / "data") as begun:
        shutil.copytree(first_start[0], begun.data)
        begun.up("--no-demo")
        until(begun.answers)
        yield begun


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Service]:
    """The service on a folder that is not there yet."""
    with Service(tmp_path, tmp_path / "data") as begun:
        yield begun


def test_the_first_start_says_where_everything_is(first_start):
    data, said = first_start
    assert "Homerun is at http://127.0.0.1:PORT/" in said
    assert "Demo log-in: demo@homerun.example, password “homerun demo”" in said
    assert re.search(r"First statement: http://127\.0\.0\.1:PORT/statements/[0-9a-f-]{36}/\n", said)
    path = re.search(r"^ +(/.*\.xlsx)$", said, re.MULTILINE)
    assert path is not None
    assert Path(path[1]).is_relative_to(data)
    assert load_workbook(path[1])["Statement"]["A2"].value == "Ana, at Harbour Card Room"


def test_the_demo_is_six_people_and_three_sessions(service):
    # 24 hands of six seats, 16 of four, 12 of two; one session settled, one closed, one open; six statements.
    sessions = "SELECT external_id, state FROM hands_session ORDER BY external_id"
    assert service.rows(sessions) == [
        ("demo-heads-up", "open"),
        ("demo-kitchen", "closed"),
        ("demo-thursday", "settled"),
    ]
    clubs, imports, hands, transfers, _sum, statements, undone = service.rows(FACTS)[0]
    assert (clubs, imports, hands, statements, undone) == (1, 1, 24 + 16 + 12, 6, 0)
    # Six people make fifteen pairs, of which none owes more than once; two payments are in the book, one waits.
    assert 12 <= transfers <= 17
    assert service.rows("SELECT SUM(balance_minor) FROM accounts_account") == [(0,)]


def test_the_second_start_keeps_everything(service, first_start):
    before = service.rows(FACTS)
    supervisor = service.up()
    until(lambda: "First statement" in service.said(supervisor))
    until(lambda: not service.running("load_demo"))
    assert service.rows(FACTS) == before
    # The same statement as at the first start.
    pattern = r"/statements/[0-9a-f-]{36}/"
    assert re.findall(pattern, service.said(supervisor)) == re.findall(pattern, first_start[1])
    assert not (service.data / "backups").exists(), "nothing changed, so nothing needed a copy"


def test_a_folder_is_served_once(running):
    second = running.start("manage.py", "serve", "--port", free_port(), "--data", running.data)
    assert second.wait(20) == 1
    assert f"Homerun runs on {running.data} already." in running.said(second)


def test_a_port_in_use_is_named(fresh):
    with socket.socket() as other:
        other.bind(("127.0.0.1", fresh.port))
        other.listen()
        refused = fresh.serve()
        assert refused.wait(20) == 1
    assert f"Port {fresh.port} is in use. Name another: make run PORT={fresh.port + 1}" in fresh.said(refused)
    assert not (fresh.data / "homerun.sqlite3").exists(), "nothing was begun"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--address", "203.0.113.7"], "cannot listen on 203.0.113.7"),
        (["--address", "no.such.host.invalid"], "cannot listen on no.such.host.invalid"),
        (["--port", "70000"], "invalid port_number value: '70000'"),
    ],
)
def test_an_address_that_cannot_be_is_refused_with_a_sentence(fresh, options, sentence):
    refused = fresh.serve(*options)
    assert refused.wait(20) != 0
    assert sentence in fresh.said(refused)
    assert "Traceback" not in fresh.said(refused)


def test_links_in_mails_lead_to_the_address_that_is_served(running):
    for pid in running.running("worker"):
        environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        assert f"SITE_URL=http://127.0.0.1:{running.port}".encode() in environment


def test_a_worker_that_is_killed_starts_again(running):
    old = until(lambda: running.running("worker"))
    for pid in old:
        os.kill(pid, signal.SIGKILL)
    until(lambda: running.running("worker") - old)
    assert "The worker ended (-9)" in running.said(running.supervisor)


def test_a_web_worker_that_is_killed_starts_again(running):
    first = running.running("web")
    killed = next(pid for pid in first if parent_of(pid) != running.supervisor.pid)
    os.kill(killed, signal.SIGKILL)
    until(lambda: running.running("web") - first and running.answers())


def test_a_web_process_that_is_killed_starts_again_and_answers(running):
    first = running.running("web")
    (master,) = (pid for pid in first if parent_of(pid) == running.supervisor.pid)
    os.kill(master, signal.SIGKILL)
    until(lambda: not (running.running("web") & first) and running.running("web") and running.answers())
    assert "The web ended (-9)" in running.said(running.supervisor)


@pytest.mark.parametrize("when", ["while it loads the demo", "while it serves"])
def test_a_supervisor_that_is_killed_leaves_no_process_behind(fresh, service, when):
    served = fresh if when == "while it loads the demo" else service
    supervisor = served.up(*([] if served is fresh else ["--no-demo"]))
    if served is fresh:
        until(lambda: served.running("load_demo"))
    until(served.answers)
    # Supervisor, worker, the web process and its two workers, at least.
    assert len(until(lambda: len(found := processes_on(served.data)) >= 5 and found)) >= 5
    os.kill(supervisor.pid, signal.SIGKILL)
    supervisor.wait()
    until(lambda: not processes_on(served.data), 5)


def test_a_start_that_was_killed_is_made_good_by_the_next(fresh):
    supervisor = fresh.up()
    until(lambda: fresh.running("load_demo"))
    os.kill(supervisor.pid, signal.SIGKILL)
    supervisor.wait()
    until(lambda: not processes_on(fresh.data), 5)
    supervisor = fresh.up()
    until(lambda: "First statement" in fresh.said(supervisor), 60)
    clubs, imports, hands, _transfers, _sum, statements, undone = fresh.rows(FACTS)[0]
    assert (clubs, imports, hands, statements, undone) == (1, 1, 52, 6, 0)


def test_a_signal_ends_everything_in_time(service):
    supervisor = service.up("--no-demo")
    until(service.answers)
    for number in (signal.SIGTERM, signal.SIGINT):
        supervisor.send_signal(number)
    assert supervisor.wait(12) == 0
    assert processes_on(service.data) == {}
    assert "Traceback" not in service.said(supervisor)


def test_a_database_is_copied_before_its_tables_change(service):
    service.environment |= {"HOMERUN_DATA": str(service.data)}
    assert service.start("manage.py", "migrate", "sessions", "zero").wait(30) == 0
    before = service.rows(FACTS)
    supervisor = service.up("--no-demo")
    (copy,) = (service.data / "backups").iterdir()
    assert str(copy) in service.said(supervisor)
    tables = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'django_session'"
    assert service.rows(tables) == [(1,)]
    opened = sqlite3.connect(copy)
    assert opened.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert opened.execute(tables).fetchall() == [(0,)], "as it was before"
    assert opened.execute(FACTS).fetchall() == before == service.rows(FACTS)
    opened.close()


def test_the_folder_is_named_before_the_settings_are_read(monkeypatch, tmp_path):
    # The settings make the secret key in the folder: named later, a second key would lie beside the code.
    monkeypatch.setenv("HOMERUN_DATA", "elsewhere")
    manage.name_data_folder(["serve", "--port", "8010", f"--data={tmp_path}"])
    assert os.environ["HOMERUN_DATA"] == str(tmp_path)
    manage.name_data_folder(["migrate", "--data", "other"])
    assert os.environ["HOMERUN_DATA"] == str(tmp_path)
