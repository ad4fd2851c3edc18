"""A webhook of our club, and the program that it tells."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from accounts.models import Club, User
from settlement.models import Webhook
from settlement.webhooks import create_webhook
from tests.receiver import Receiver, receiving
from tests.settlement.club_files import fill

EVERY = ["import.finished", "session.settled", "settlement.reversed", "statement.ready"]


@pytest.fixture
def own_files(settings: Any, tmp_path: Path) -> None:
    """A store of files that is empty, and gone with the test."""
    settings.MEDIA_ROOT = tmp_path / "files"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with override_settings(WEBHOOK_ALLOW_PRIVATE=True), receiving() as found:
        yield found


@pytest.fixture
def hook(club: Club, owner: User, receiver: Receiver) -> tuple[Webhook, str]:
    return create_webhook(club=club, url=receiver.url, events=EVERY, author=owner)


@pytest.fixture
def full_club(club: Club, owner: User) -> Club:
    """A club with one of everything."""
    fill(club, owner)
    return club
