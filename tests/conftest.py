"""The cast and the databases that tests share."""

import gc
import os
import re
import shutil
import sqlite3
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import connection, connections
from django.test import override_settings
from django.test.utils import setup_databases, teardown_databases
from xdist.scheduler import LoadScopeScheduling

from accounts import services
from accounts.models import Club, User

# Pages are rendered without collecting what they link to.
settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
# A password that is hard to guess is dear to hash, and every other test has a person with one.
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


class ProcessesTogether(LoadScopeScheduling):
    """Sends the files of one `xdist_group` to one worker, so that their processes do not starve each other.

    A lease of a second is lost on a machine that is busy with everything at once. Pytest 9.2 changed what an id
    is, and xdist 3.8 cannot write its groups into it any more; so the files are asked.
    """

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        return _group_of(self.config.rootpath / path) or nodeid


@cache
def _group_of(path: Path) -> str:
    found = re.search(r'xdist_group\("(\w+)"\)', path.read_text(encoding="utf-8"))
    return found[1] if found else ""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    return ProcessesTogether(config, log)


def pytest_collection_finish() -> None:
    """What is loaded by now stays: the collector would go through it again and again, a tenth of a run."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A test database in a file, because tests that commit work on a copy of it."""
    database = settings.DATABASES["default"]
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    if connection.vendor == "sqlite":
        database["TEST"] = database.get("TEST", {}) | {"NAME": str(tmp_path_factory.mktemp("db") / "test.sqlite3")}
    else:
        database["TEST"] = database.get("TEST", {}) | {"NAME": f"test_{worker}"}
    connection.settings_dict["TEST"]["NAME"] = database["TEST"]["NAME"]


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_modify_db_settings: None, django_db_blocker
) -> Iterator[None]:
    """The test database, made also where no chosen test works in it: `own_database` copies it."""
    with django_db_blocker.unblock():
        made = setup_databases(verbosity=0, interactive=False)
    yield
    with django_db_blocker.unblock():
        teardown_databases(made, verbosity=0)


@dataclass(frozen=True)
class OwnDatabase:
    """A database in which a test may commit: ``environment`` makes a subprocess use it too."""

    url: str
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {"DATABASE_URL": self.url, "HOMERUN_DATA": str(self.folder)}


@pytest.fixture
def own_database(django_db_setup: None, django_db_blocker, tmp_path: Path) -> Iterator[OwnDatabase]:
    """A copy of the migrated database, thrown away afterwards. The ledger's guards forbid a flush."""
    database = settings.DATABASES["default"]
    with django_db_blocker.unblock():
        connections.close_all()
        template = database["NAME"]
        if connection.vendor == "sqlite":
            name = str(tmp_path / "own.sqlite3")
            shutil.copy(template, name)
            with sqlite3.connect(name) as opened:
                opened.execute("PRAGMA journal_mode=WAL")
            opened.close()
            url = f"sqlite:///{name}"
        else:
            name = f"own_{uuid.uuid4().hex}"
            server = f"postgres://postgres@{database['HOST']}:{database['PORT']}"
            with psycopg.connect(f"{server}/postgres", autocommit=True) as opened:
                opened.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
            url = f"{server}/{name}"
        database["NAME"] = connection.settings_dict["NAME"] = name
        try:
            # The files of a subprocess lie where the test looks for them.
            with override_settings(MEDIA_ROOT=tmp_path / "files"):
                yield OwnDatabase(url, tmp_path)
        finally:
            connections.close_all()
            database["NAME"] = connection.settings_dict["NAME"] = template
            if connection.vendor == "postgresql":
                with psycopg.connect(f"{server}/postgres", autocommit=True) as opened:
                    opened.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def owner(db: None) -> User:
    return User.objects.create_user("owner@example.com", "a long password")


@pytest.fixture
def club(owner: User) -> Club:
    return services.create_club(owner=owner, name="Harbour Card Room", time_zone="Asia/Taipei")


@pytest.fixture
def stranger(db: None) -> User:
    """Somebody with a club of their own, who has no business in ours."""
    user = User.objects.create_user("stranger@example.com", "a long password")
    services.create_club(owner=user, name="Another club")
    return user
