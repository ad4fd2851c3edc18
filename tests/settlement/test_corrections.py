"""Correcting and voiding: the settlement follows, the old version stays, nothing happens twice.

The deal is the published one of `tests/deals.py`: Ana +22, Ben -40, Chi +18; at 50 cents the balances are
+$11.00, -$20.00, +$9.00. Without Chi it is Ana +20, Ben -20.
"""

from dataclasses import replace

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from accounts.models import Account, AuditRow, Transfer
from hands.corrections import changes
from hands.history import read_deal
from hands.models import Hand, HandVersion, Session
from hands.queries import load_hands
from hands.scoring.taiwanese import PRESETS
from settlement import corrections
from settlement.models import Settlement
from tests.deals import ANA, BEN, CHI, EVENING, ask_to_settle, document, done, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def session(club) -> Session:
    session = play(club)
    settle(session)
    session.refresh_from_db()
    return session


def the_hand(session: Session) -> Hand:
    return Hand.objects.select_related("current", "session__rule_set").get(session=session)


def swapped(session: Session, one: str = "Ana", other: str = "Ben"):
    """The hand with two players' cards exchanged: what a host does who typed them into the wrong seats."""
    setups = {"Ana": ANA, "Ben": BEN, "Chi": CHI}
    setups[one], setups[other] = setups[other], setups[one]
    deal = read_deal(document(setups, EVENING), PRESETS["phenom"])
    players = {seat.name: seat.player_id for seat in next(load_hands(Hand.objects.filter(session=session))).seats}
    return replace(deal, seats=tuple(replace(seat, player_id=players[seat.name]) for seat in deal.seats))


def balances() -> dict[str, int]:
    rows = Account.objects.filter(kind="player").values_list("player__name", "balance_minor")
    return dict(rows)


def correct(session: Session, deal, *, based_on: int = 1, reason: str = "Seats exchanged"):
    return corrections.correct_hand(hand=the_hand(session), based_on=based_on, deal=deal, reason=reason, author=None)


def test_a_correction_of_a_settled_session_reverses_and_settles_the_next_revision(session):
    assert balances() == {"Ana": 1100, "Ben": -2000, "Chi": 900}
    correct(session, swapped(session))
    # With the cards of Ana and Ben exchanged: Ben +22, Ana -40, Chi +18.
    assert balances() == {"Ana": -2000, "Ben": 1100, "Chi": 900}
    settlements = list(Settlement.objects.filter(session=session).order_by("revision"))
    assert [row.reversed_at is None for row in settlements] == [False, True]
    # Three transfers, each reversed once, and three new ones.
    assert list(Transfer.objects.order_by("sequence").values_list("kind", flat=True)) == (
        ["settlement"] * 3 + ["reversal"] * 3 + ["settlement"] * 3
    )
    session.refresh_from_db()
    assert session.state == "settled"


def test_the_old_version_stays_as_it_was(session):
    before = next(load_hands(Hand.objects.filter(session=session)))
    correct(session, swapped(session))
    versions = HandVersion.objects.filter(hand__session=session).order_by("version")
    assert [(row.version, row.reason) for row in versions] == [(1, ""), (2, "Seats exchanged")]
    assert versions[0].setups.count() == 3
    now = next(load_hands(Hand.objects.filter(session=session)))
    assert [change.where for change in changes(before, now)] == [
        f"{name}, {row}" for name in ("Ana", "Ben") for row in ("top", "middle", "bottom")
    ]


def test_a_void_takes_the_hand_out_of_the_balances_and_a_second_void_changes_nothing(session):
    correct(session, None, reason="Misdeal")
    assert balances() == {"Ana": 0, "Ben": 0, "Chi": 0}
    count = Transfer.objects.count()
    correct(session, None, based_on=2, reason="Misdeal again")
    assert Transfer.objects.count() == count
    assert HandVersion.objects.count() == 2


def test_of_two_hosts_one_wins_and_the_other_is_told(session):
    mine, theirs = swapped(session), swapped(session, "Ana", "Chi")
    correct(session, theirs)
    balances_after = balances()
    with pytest.raises(ValidationError) as refused:
        correct(session, mine)
    assert refused.value.error_list[0].code == "changed_meanwhile"
    assert balances() == balances_after
    assert HandVersion.objects.count() == 2


@pytest.mark.parametrize("reason", ["", "   "])
def test_without_a_reason_nothing_is_changed(session, reason):
    with pytest.raises(ValidationError, match="Say why"):
        correct(session, swapped(session), reason=reason)
    assert balances() == {"Ana": 1100, "Ben": -2000, "Chi": 900}


def test_an_open_session_is_corrected_without_money(club):
    session = play(club)
    correct(session, swapped(session))
    assert Transfer.objects.count() == 0
    nets = {seat.name: seat.net_points for seat in next(load_hands(Hand.objects.filter(session=session))).seats}
    assert nets == {"Ana": -40, "Ben": 22, "Chi": 18}


def test_reopening_a_settled_session_takes_its_transfers_back(session):
    corrections.reopen_session(session=session, reason="A hand is missing")
    session.refresh_from_db()
    assert (session.state, balances()) == ("open", {"Ana": 0, "Ben": 0, "Chi": 0})
    settle(session)
    assert balances() == {"Ana": 1100, "Ben": -2000, "Chi": 900}


def test_a_session_is_reopened_from_its_page_with_a_reason_and_an_open_one_is_not_asked_about(client, owner, session):
    client.force_login(owner)
    page = reverse("session-reopen", args=[session.pk])
    assert client.get(page).status_code == 200
    assert client.post(page, {"reason": " "}).status_code == 422
    assert "The session is open again." in client.post(page, {"reason": "A hand is missing"}, follow=True).text
    asked_again = client.get(page, follow=True)
    assert asked_again.redirect_chain == [(reverse("session", args=[session.pk]), 302)]
    assert "This session is open." in asked_again.text


def live(session: Session) -> Settlement:
    return Settlement.objects.get(session=session, reversed_at=None)


def test_a_settlement_that_was_taken_back_can_be_made_again(session):
    corrections.reverse_settlement(settlement=live(session), reason="Too early")
    assert balances() == {"Ana": 0, "Ben": 0, "Chi": 0}
    assert settle(session).status == "done"
    assert balances() == {"Ana": 1100, "Ben": -2000, "Chi": 900}


@pytest.mark.parametrize("hands", [[], [{"Ana": ANA, "Ben": BEN, "Chi": CHI}]])
def test_a_settlement_is_taken_back_once(club, hands):
    session = play(club, hands)
    settle(session)
    first = live(session)
    corrections.reverse_settlement(settlement=first, reason="Too early")
    settle(session)
    with pytest.raises(ValidationError, match="reversed before"):
        corrections.reverse_settlement(settlement=first, reason="Again")
    session.refresh_from_db()
    assert session.state == "settled"
    assert live(session) != first


def test_a_second_void_does_not_put_off_a_settlement_that_was_asked_for(club):
    session = play(club)
    correct(session, None, reason="Misdeal")
    job = ask_to_settle(session)
    correct(session, None, based_on=2, reason="Misdeal again")
    assert done(job).status == "done"


def test_a_correction_puts_off_a_settlement_that_was_asked_for_before(club):
    session = play(club)
    job = ask_to_settle(session)
    correct(session, swapped(session))
    assert done(job).status == "failed"
    assert job.error == "The session was changed since; settle it as it is now."
    assert settle(session).status == "done"
    assert balances() == {"Ana": -2000, "Ben": 1100, "Chi": 900}


def test_every_step_is_in_the_audit(session):
    correct(session, swapped(session))
    actions = list(AuditRow.objects.filter(club=session.club).order_by("id").values_list("action", flat=True))
    assert actions[-3:] == ["hand.corrected", "settlement.reversed", "settlement.made"]
    assert "hand.recorded" in actions


def typed(setups: dict, **more) -> dict[str, str]:
    """What the correction form sends."""
    data = {"board_1": "2d Ac 4d Qc 8h", "board_2": "As Jh Jd 4c Js", "based_on": "1", "reason": "Seats exchanged"}
    for number, setup in enumerate(setups.values(), start=1):
        data |= {f"{row}_{number}": " ".join(cards) for row, cards in setup.items()}
    return data | {"client_key": "7f7e7f0a-0000-4000-8000-000000000001"} | more


def test_the_page_shows_the_effect_first_and_then_does_it(client, owner, session):
    client.force_login(owner)
    url = reverse("hand-correct", args=[the_hand(session).pk])
    exchanged = typed({"Ana": BEN, "Ben": ANA, "Chi": CHI})
    shown = client.post(url, exchanged)
    # Ana from +22 to -40: 62 points at 50 cents.
    assert shown.status_code == 200
    assert "−$31.00" in shown.text
    assert balances()["Ana"] == 1100, "looking changes nothing"
    done = client.post(url, exchanged | {"confirm": "1"})
    assert done.status_code == 302
    assert balances()["Ana"] == -2000
    history = client.get(reverse("hand-history", args=[the_hand(session).pk])).text
    assert "Seats exchanged" in history
    assert client.get(reverse("session-history", args=[session.pk])).status_code == 200


def test_the_page_shows_what_the_other_host_made_of_it(client, owner, session):
    client.force_login(owner)
    correct(session, swapped(session, "Ana", "Chi"), reason="By the other host")
    url = reverse("hand-correct", args=[the_hand(session).pk])
    shown = client.post(url, typed({"Ana": BEN, "Ben": ANA, "Chi": CHI}, confirm="1"))
    assert shown.status_code == 422
    assert "Somebody else changed hand 1 meanwhile" in shown.text
    assert "against yours" in shown.text
    assert HandVersion.objects.count() == 2


def test_a_hand_is_voided_from_its_page(client, owner, session):
    client.force_login(owner)
    url = reverse("hand-void", args=[the_hand(session).pk])
    assert client.post(url, {"reason": ""}).status_code == 422
    assert client.post(url, {"reason": "Misdeal", "based_on": "1"}).status_code == 302
    page = client.get(reverse("hand", args=[the_hand(session).pk]))
    assert "This hand is void: Misdeal" in page.text


def test_the_audit_is_for_the_owner_and_only_theirs(client, owner, stranger, session):
    url = reverse("audit", args=[session.club_id])
    client.force_login(stranger)
    assert client.get(url).status_code == 404
    client.force_login(owner)
    assert "Session settled" in client.get(url).text


def test_an_account_tells_every_entry(client, owner, session):
    client.force_login(owner)
    account = Account.objects.get(player__name="Ana")
    page = client.get(reverse("account", args=[account.pk])).text
    assert "+$10.00" in page
    assert "+$1.00" in page
