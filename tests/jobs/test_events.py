import uuid

import pytest
from django.db import transaction

from jobs import events

CLUB, SUBJECT = uuid.uuid4(), uuid.uuid4()


@pytest.fixture
def heard(monkeypatch) -> list[tuple[str, uuid.UUID, uuid.UUID]]:
    """What a listener for `tea.ready` and `tea.cold` was told."""
    monkeypatch.setattr(events, "LISTENERS", {})
    told = []

    @events.listens("tea.ready", "tea.cold")
    def listen(event, *, club_id, subject_id):
        told.append((event, club_id, subject_id))

    return told


@pytest.mark.django_db
def test_who_listens_is_told_at_once_and_others_are_not(heard):
    for event in ("tea.ready", "rain.over", "tea.cold"):
        events.announce(event, club_id=CLUB, subject_id=SUBJECT)
    assert heard == [("tea.ready", CLUB, SUBJECT), ("tea.cold", CLUB, SUBJECT)]


def test_an_event_is_announced_inside_its_transaction_or_not_at_all(heard, own_database, django_db_blocker):
    with django_db_blocker.unblock():
        with pytest.raises(RuntimeError, match="outside the transaction"):
            events.announce("tea.ready", club_id=CLUB, subject_id=SUBJECT)
        with transaction.atomic():
            events.announce("tea.cold", club_id=CLUB, subject_id=SUBJECT)
    assert [event for event, _club, _subject in heard] == ["tea.cold"]
