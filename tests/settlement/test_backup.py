"""Backup and restore: the same books elsewhere, to the chain's head and the last byte of every file."""

import hashlib
import io
import json
import os
import sqlite3
import subprocess
import sys
import tarfile
import threading
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import psycopg
import pytest
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.db import connection, connections

from accounts import guards
from accounts.models import Account, Book, Club, Player, Transfer, User
from accounts.services import create_club
from hands.imports import request_import
from jobs.data_folder import lock_data_folder
from jobs.models import Job
from settlement import archive, dumps
from settlement.archive import BackupError, read_archive, write_archive
from settlement.backup import make_backup, restore_backup
from settlement.services import request_statement
from tests.conftest import OwnDatabase
from tests.deals import done, play, settle
from tests.processes import HOUSE

both_databases = pytest.mark.both_databases


@pytest.fixture
def club(own_database: OwnDatabase, settings, tmp_path: Path) -> Club:
    """A club with a settled session, a statement's file and an import's file, in a database of its own."""
    settings.DATA_DIR = tmp_path / "data"
    made = create_club(owner=User.objects.create_user("owner@example.com"), name="Harbour Card Room")
    settle(play(made))
    day = date(2026, 11, 26)
    statement = request_statement(
        player=Player.objects.get(name="Ana"), currency="USD", first_day=day, last_day=day, author=None
    )
    assert done(Job.objects.get(subject_id=statement.pk)).status == "done"
    request_import(club=made, file=ContentFile(b"{}\n"), file_name="größe.ndjson", author=None)
    return made


@dataclass(frozen=True)
class Elsewhere:
    """Another folder with an empty database of the same kind, used through the command line."""

    folder: Path
    url: str

    def run(self, *arguments: object) -> tuple[int, str]:
        environment = os.environ | {"HOMERUN_DATA": str(self.folder), "DATABASE_URL": self.url}
        process = subprocess.run(
            [sys.executable, "manage.py", *map(str, arguments)],
            cwd=HOUSE,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return process.returncode, process.stdout


@pytest.fixture
def elsewhere(own_database: OwnDatabase, tmp_path: Path) -> Iterator[Elsewhere]:
    folder = tmp_path / "elsewhere"
    if connection.vendor == "sqlite":
        yield Elsewhere(folder, f"sqlite:///{folder}/homerun.sqlite3")
        return
    name = f"elsewhere_{uuid.uuid4().hex}"
    server = own_database.url.rsplit("/", 1)[0]
    with psycopg.connect(f"{server}/postgres", autocommit=True) as opened:
        opened.execute(f"CREATE DATABASE {name}")
        yield Elsewhere(folder, f"{server}/{name}")
        opened.execute(f"DROP DATABASE {name} WITH (FORCE)")


def digests(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in root.rglob("*")
        if path.is_file()
    }


@both_databases
def test_what_is_restored_elsewhere_equals_the_original(club, elsewhere, tmp_path):
    path = tmp_path / "backup.tar"
    manifest = make_backup(path)
    book = Book.objects.get(club=club)
    assert manifest["heads"] == {str(club.pk): [3, book.head_hash]}
    assert path.stat().st_mode & 0o777 == 0o600
    assert [found.name for found in tmp_path.glob(".backup-*")] == [], "nothing is left lying about"
    code, said = elsewhere.run("restore", path)
    assert (code, "Restored and verified (clubs: 1, entries: 3)." in said) == (0, True), said
    kept = digests(tmp_path / "files")
    assert len(kept) == 2
    assert digests(elsewhere.folder / "files") == kept
    # The other side's own backup says the same, and its books are clean.
    code, said = elsewhere.run("backup", tmp_path / "again.tar")
    assert code == 0, said
    again = read_archive(tmp_path / "again.tar").manifest
    assert again["heads"] == manifest["heads"]
    assert {name: said["sha256"] for name, said in again["members"].items() if name.startswith("files/")} == {
        f"files/{name}": digest for name, digest in kept.items()
    }
    code, said = elsewhere.run("verify_ledger")
    assert (code, said.endswith("clean (transfers: 3, settlements: 1)\n")) == (0, True), said


@both_databases
def test_a_second_restore_is_refused_and_changes_nothing(club, tmp_path):
    path = tmp_path / "backup.tar"
    make_backup(path)
    settle(play(club))
    with pytest.raises(BackupError, match="There is data here already"):
        restore_backup(path, is_replacing=False, say=pytest.fail)
    assert Transfer.objects.count() == 6


@both_databases
def test_replacing_puts_aside_what_was_there(club, tmp_path, settings, own_database):
    path = tmp_path / "backup.tar"
    make_backup(path)
    settle(play(club))
    (tmp_path / "files" / "later.txt").write_text("later")
    told: list[str] = []
    restore_backup(path, is_replacing=True, say=told.append)
    assert Transfer.objects.count() == 3
    assert Account.objects.get(player__name="Ana").balance_minor == 1100
    assert guards.missing(connection) == []
    assert not (tmp_path / "files" / "later.txt").exists()
    assert told[1] == "Restored and verified (clubs: 1, entries: 3)."
    # Nothing is deleted: what was there is where the first word says.
    aside = next(settings.DATA_DIR.glob("replaced-*"))
    assert str(aside) in told[0]
    assert (aside / "files" / "later.txt").read_text() == "later"
    if connection.vendor == "sqlite":
        with sqlite3.connect(aside / "own.sqlite3") as old:
            assert old.execute("SELECT COUNT(*) FROM accounts_transfer").fetchone() == (6,)
        old.close()
        return
    schema = told[0].split("the schema ")[1].split()[0]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT COUNT(*) FROM {schema}.accounts_transfer")
        assert cursor.fetchone() == (6,)
        # The schema that was put aside has guards of the same names; they guard nothing here.
        cursor.execute("DROP TRIGGER transfer_kept ON accounts_transfer")
    assert guards.missing(connection) == ["transfer_kept"]
    # And the next backup leaves it out.
    assert make_backup(tmp_path / "next.tar")["heads"] == read_archive(path).manifest["heads"]


@both_databases
def test_a_backup_taken_while_others_write_is_of_one_moment(club, elsewhere, tmp_path):
    over = threading.Event()
    settled = []

    def keep_writing() -> None:
        while not over.is_set():
            settled.append(settle(play(club)).status)
        connections.close_all()

    writer = threading.Thread(target=keep_writing)
    writer.start()
    try:
        heads: list[int] = []
        # On a busy machine the writer may need more than five backups to come to its turn.
        while len(heads) < 5 or heads[-1] == heads[0]:
            manifest = make_backup(tmp_path / f"backup-{len(heads)}.tar")
            heads.append(manifest["heads"][str(club.pk)][0])
    finally:
        over.set()
        writer.join()
    assert set(settled) == {"done"}, "nobody had to wait in vain"
    assert heads == sorted(heads)
    code, said = elsewhere.run("restore", tmp_path / f"backup-{len(heads) - 1}.tar")
    assert (code, f"clubs: 1, entries: {heads[-1]:,}" in said) == (0, True), said


@both_databases
def test_a_backup_of_books_that_are_wrong_says_so_when_it_is_back(club, elsewhere, tmp_path):
    Book.objects.update(head_hash="f" * 64)
    make_backup(tmp_path / "backup.tar")
    code, said = elsewhere.run("restore", tmp_path / "backup.tar")
    assert code == 1
    assert "It is restored, but not right. The book's head: its hash is not that of the last entry." in said


@both_databases
def test_nothing_is_replaced_under_a_service_that_runs(club, tmp_path, settings, own_database):
    path = tmp_path / "backup.tar"
    make_backup(path)
    with (
        lock_data_folder(settings.DATA_DIR),
        pytest.raises(BackupError, match=r"Homerun runs on .*/data\. Stop it first\."),
    ):
        restore_backup(path, is_replacing=True, say=pytest.fail)
    if connection.vendor == "sqlite":
        other = sqlite3.connect(connection.settings_dict["NAME"])
        other.execute("SELECT COUNT(*) FROM accounts_transfer").fetchone()
    else:
        other = psycopg.connect(own_database.url)
    with pytest.raises(BackupError, match="Stop web and workers first"):
        restore_backup(path, is_replacing=True, say=pytest.fail)
    other.close()
    assert Transfer.objects.count() == 3


@both_databases
def test_a_backup_writes_over_nothing(club, tmp_path):
    path = tmp_path / "backup.tar"
    path.write_text("precious")
    with pytest.raises(CommandError, match="is there already"):
        call_command("backup", str(path))
    assert path.read_text() == "precious"
    with pytest.raises(CommandError, match="There is no folder"):
        call_command("backup", str(tmp_path / "no" / "backup.tar"))


@both_databases
@pytest.mark.postgresql_only
@pytest.mark.parametrize(
    ("version", "sentence"), [(None, "pg_dump is not installed"), (12, "pg_dump 12 is older than")]
)
def test_a_program_that_is_missing_or_old_is_named(club, tmp_path, monkeypatch, version, sentence):
    program = tmp_path / "pg_dump"
    program.write_text(f"#!/bin/sh\necho 'pg_dump (PostgreSQL) {version}.1'\n")
    program.chmod(0o755)
    monkeypatch.setattr(dumps, "programs", lambda _name: [program] if version else [])
    with pytest.raises(BackupError, match=sentence):
        make_backup(tmp_path / "backup.tar")
    assert not (tmp_path / "backup.tar").exists()


# What an archive may not be


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """An archive with a dump that is none and two files, for tests that never come as far as the database."""
    dump, files = tmp_path / "database.sqlite3", tmp_path / "stored"
    (files / "statements").mkdir(parents=True)
    dump.write_bytes(b"dump" * 1000)
    (files / "statements" / "one.xlsx").write_bytes(b"one")
    (files / "zwei ☂.xlsx").write_bytes(b"")
    path = tmp_path / "good.tar"
    manifest = {"engine": "sqlite", "heads": {}, "migrations": [["accounts", "0001_initial"]]}
    write_archive(path, dump=dump, files=files, manifest=manifest)
    return path


def rewritten(path: Path, change) -> Path:
    """The archive anew, its members (a dict of name to content) and its manifest changed."""
    with tarfile.open(path) as tar:
        members = {member.name: tar.extractfile(member).read() for member in tar.getmembers()}
    manifest = json.loads(members.pop("manifest.json"))
    change(members, manifest)
    with tarfile.open(path.with_name("changed.tar"), "w") as tar:
        for name, content in [*members.items(), ("manifest.json", json.dumps(manifest).encode())]:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return path.with_name("changed.tar")


def test_a_good_archive_is_read_and_its_files_come_out(good, tmp_path):
    read = read_archive(good)
    read.extract_files(tmp_path / "out")
    assert digests(tmp_path / "out") == digests(tmp_path / "stored")


def test_the_harness_rewrites_an_archive_that_is_still_good(good):
    assert read_archive(rewritten(good, lambda members, manifest: None)).manifest == read_archive(good).manifest


@pytest.mark.parametrize(
    "name",
    ["../out.txt", "files/../../out.txt", "/etc/passwd", "files//x", "files/./x", "files", "out.txt", "files\\..\\x"],
)
def test_a_member_that_points_elsewhere_is_refused(good, name):
    def add(members, manifest):
        members[name] = b"x"
        manifest["members"][name] = {"sha256": hashlib.sha256(b"x").hexdigest(), "bytes": 1}

    with pytest.raises(BackupError, match="which no backup of Homerun does"):
        read_archive(rewritten(good, add))


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_a_member_that_is_no_file_is_refused(good, kind):
    with tarfile.open(good, "a") as tar:
        info = tarfile.TarInfo("files/link")
        info.type, info.linkname = kind, "/etc/passwd"
        tar.addfile(info)
    with pytest.raises(BackupError, match="which no backup of Homerun does"):
        read_archive(good)


CHANGES = {
    "one file more": (lambda members, manifest: members.update({"files/x": b""}), "what its manifest lists"),
    "one file less": (lambda members, manifest: members.pop("files/zwei ☂.xlsx"), "what its manifest lists"),
    "another content": (
        lambda members, manifest: members.update({"files/statements/one.xlsx": b"two"}),
        "files/statements/one.xlsx is not what was written",
    ),
    "another format": (lambda members, manifest: manifest.update(format="homerun backup 9"), "has the format"),
    "no heads": (lambda members, manifest: manifest.pop("heads"), "is broken, or no backup of Homerun"),
    "no engine": (lambda members, manifest: manifest.pop("engine"), "is broken, or no backup of Homerun"),
    "another engine's dump": (lambda members, manifest: manifest.update(engine="postgresql"), "is broken, or"),
    "members that are none": (lambda members, manifest: manifest.update(members=7), "is broken, or"),
}


@pytest.mark.parametrize(("change", "sentence"), CHANGES.values(), ids=CHANGES.keys())
def test_an_archive_that_was_changed_is_refused(good, change, sentence):
    with pytest.raises(BackupError, match=sentence):
        read_archive(rewritten(good, change))


def test_an_archive_that_is_no_archive_is_refused(good, tmp_path):
    for path, content in {
        "empty": b"",
        "text": b"not a tar at all" * 1000,
        "cut": good.read_bytes()[:3000],
        "half": good.read_bytes()[: len(good.read_bytes()) // 2],
    }.items():
        (tmp_path / path).write_bytes(content)
        with pytest.raises(BackupError, match="is broken"):
            read_archive(tmp_path / path)
    with pytest.raises(BackupError, match="There is no file"):
        read_archive(tmp_path / "none.tar")
    with pytest.raises(BackupError, match="is broken"):
        read_archive(tmp_path)


def test_no_flipped_bit_of_a_content_goes_unseen(good):
    content = bytearray(good.read_bytes())
    place = content.index(b"dumpdump") + 100
    content[place] ^= 1
    good.write_bytes(content)
    with pytest.raises(BackupError, match=r"database\.sqlite3 is not what was written"):
        read_archive(good)


def test_a_backup_of_another_engine_or_a_newer_version_is_refused(good):
    def other(members, manifest):
        members["database.dump"] = members.pop("database.sqlite3")
        manifest["members"]["database.dump"] = manifest["members"].pop("database.sqlite3")
        manifest["engine"] = "postgresql"

    with pytest.raises(BackupError, match="a backup of PostgreSQL; the database here is SQLite"):
        restore_backup(rewritten(good, other), is_replacing=True, say=pytest.fail)
    newer = rewritten(good, lambda members, manifest: manifest["migrations"].append(["accounts", "9999_later"]))
    with pytest.raises(BackupError, match=r"newer version of Homerun made this backup \(accounts\.9999_later\)"):
        restore_backup(newer, is_replacing=True, say=pytest.fail)


def test_every_name_that_a_backup_writes_is_safe():
    assert all(archive.is_safe(name) for name in [archive.MANIFEST, *archive.DUMPS.values(), "files/a/b c.xlsx"])
