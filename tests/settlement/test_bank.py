"""A session's bank: what came in is what goes out before it closes."""

import uuid

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from accounts.models import Account
from hands.services import close_session as end_recording
from settlement.bank import account_of, bank_of, look_into_bank, record_at_bank
from settlement.closing import close_session
from settlement.owing import club_owing
from settlement.payments import Wanted
from settlement.services import request_settlement
from settlement.verify import verify_club
from tests.deals import done, play

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def move(session, name: str, amount_minor: int, kind: str):
    holder = account_of(session, str(session.club.players.get(name=name).pk))
    bank = bank_of(session)
    payer, payee = (holder, bank) if kind == "buy_in" else (bank, holder)
    return record_at_bank(
        session=session,
        one=Wanted(uuid.uuid4(), payer, payee, amount_minor, kind=kind, session=session),
        author=None,
    )


@pytest.fixture
def session(club):
    """Everybody bought 50.00; the published deal at 50 cents: Ana +11.00, Ben -20.00, Chi +9.00."""
    session = play(club)
    for name in ("Ana", "Ben", "Chi"):
        move(session, name, 5000, "buy_in")
    return session


def test_a_session_whose_bank_is_not_even_does_not_close(session):
    move(session, "Ana", 6100, "cash_out")
    move(session, "Ben", 3500, "cash_out")
    move(session, "Chi", 5900, "cash_out")
    # 150.00 in, 155.00 out: Ben took 35.00 where 30.00 are his.
    with pytest.raises(ValidationError) as error:
        close_session(session=session)
    assert error.value.messages == ["The bank gave out $5.00 too much. Look at: Ben −$5.00."]
    session.refresh_from_db()
    assert session.state == "open"


def test_what_the_bank_still_holds_is_told_by_whose_chips_it_is(session):
    move(session, "Ana", 6100, "cash_out")
    with pytest.raises(ValidationError) as error:
        close_session(session=session)
    assert error.value.messages == ["The bank still holds $89.00. Look at: Ben +$30.00, Chi +$59.00."]


def test_chips_in_play_are_no_debt(club, session):
    assert club_owing(club, "USD").dues == []


def test_an_even_bank_leaves_nobody_owing(club, session):
    for name, amount_minor in (("Ana", 6100), ("Ben", 3000), ("Chi", 5900)):
        move(session, name, amount_minor, "cash_out")
    assert not look_into_bank(session).differing
    close_session(session=session)
    assert done(request_settlement(session=session)).status == "done"
    assert set(Account.objects.values_list("balance_minor", flat=True)) == {0}
    assert verify_club(club).finding == ""


def test_nothing_is_bought_after_the_close(session):
    end_recording(session=session)
    with pytest.raises(ValidationError, match="This session is closed"):
        move(session, "Ana", 100, "buy_in")


def test_the_page_takes_a_buy_in_and_shows_the_bank(client, club, owner):
    session = play(club)
    client.force_login(owner)
    url = reverse("session-bank", args=[session.pk])
    assert "No chips bought" in client.get(url).text
    assert not Account.objects.exists(), "looking opens no account"
    ana = str(club.players.get(name="Ana").pk)
    form = {"payment_id": uuid.uuid4(), "kind": "buy_in", "holder": ana, "amount": "20"}
    assert client.post(url, form).status_code == 302
    assert client.post(url, form).status_code == 302
    assert look_into_bank(session).bought_minor == 2000
    answer = client.post(url, form | {"payment_id": uuid.uuid4(), "amount": "-1"})
    assert (answer.status_code, "A payment needs an amount above zero." in answer.text) == (422, True)
