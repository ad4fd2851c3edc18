"""Notices: who is told of what, once for each cause, and what nobody is told of."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.merging import merge_players
from accounts.models import Account, Club, Player, User
from accounts.services import add_host, claim_player, create_api_key, create_club
from hands.models import Hand
from jobs import events, queue
from jobs.models import Job
from settlement import notices
from settlement.corrections import correct_hand
from settlement.disputes import decline_dispute, raise_dispute
from settlement.models import Payment, Settlement
from settlement.notice_models import Muted, Notice
from settlement.notice_words import subjects_of, words_of
from settlement.payments import Wanted, cancel_payment, confirm_payment, record_payments
from settlement.reminders import ask_reminder
from settlement.services import request_settlement, request_statement
from tests.deals import BEN, EVENING, ask_to_settle, done, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def person(name: str, club: Club) -> User:
    """Somebody with a log-in who is the player of that name."""
    user, _made = User.objects.get_or_create(email=f"{name.lower()}@example.com")
    claim_player(player=Player.objects.get(club=club, name=name), user=user)
    return user


@pytest.fixture
def session(club):
    """The published deal at 50 cents a point: Ana +11.00, Ben -20.00, Chi +9.00."""
    return play(club)


@pytest.fixture
def ben(club, session):
    return person("Ben", club)


@pytest.fixture
def ana(club, session):
    return person("Ana", club)


def told(user: User) -> list[tuple[str, str]]:
    """Kind and title of what a person was told, the oldest first."""
    rows = list(Notice.objects.filter(user=user).select_related("user").order_by("created_at"))
    subjects = subjects_of(rows)
    return [(row.kind, words_of(row, subjects[row.pk]).title) for row in rows]


def account(name: str) -> Account:
    return Account.objects.select_related("player").get(player__name=name, currency="USD")


def pay(club, author, payer="Ben", payee="Ana", amount_minor=1100, **more) -> Payment:
    wanted = Wanted(uuid.uuid4(), account(payer), account(payee), amount_minor, **more)
    return record_payments(club=club, wanted=[wanted], author=author)[0]


def test_everybody_who_played_is_told_their_own_net_of_a_settled_session(club, session, ana, ben):
    settle(session)
    assert told(ana) == [("session.settled", "Thursday table: the others owe you $11.00")]
    assert told(ben) == [("session.settled", "Thursday table: you owe the others $20.00")]
    # Chi has no log-in, and the owner did not play.
    assert Notice.objects.count() == Job.objects.filter(kind="notice").count() == 2


def test_who_is_even_is_told_so(club):
    # The only hand is void.
    session = play(club)
    user = person("Ana", club)
    correct_hand(hand=Hand.objects.get(), based_on=1, deal=None, reason="misdealt", author=None)
    settle(session)
    assert told(user) == [("session.settled", "Thursday table: you are even")]


def test_two_names_of_one_person_are_one_net(club, session, ana):
    settle(session)
    merge_players(kept=Player.objects.get(name="Ana"), merged=Player.objects.get(name="Chi"))
    # 11.00 and 9.00.
    assert told(ana) == [("session.settled", "Thursday table: the others owe you $20.00")]
    # Who sat under the other name alone is told too: Chi won 20 points from Ben, 10.00.
    later = play(
        club, [{"Chi": {"top": ["Kh"], "middle": ["Kd", "Kc"], "bottom": ["Qh", "Qd", "9c", "9d"]}, "Ben": BEN}]
    )
    settle(later)
    assert told(ana)[1:] == [("session.settled", "Thursday table: the others owe you $10.00")]


def test_a_session_that_is_settled_anew_is_told_anew(club, session, ana):
    settle(session)
    correct_hand(hand=Hand.objects.get(), based_on=1, deal=None, reason="not this table", author=None)
    assert told(ana) == [
        ("session.settled", "Thursday table: the others owe you $11.00"),
        ("session.settled", "Thursday table: you are even"),
    ]
    first, second = Notice.objects.order_by("created_at")
    texts = [words_of(one, subjects_of([one])[one.pk]).text for one in (first, second)]
    assert texts == [
        "26 Nov 2026. This settlement was taken back since.",
        "26 Nov 2026. Settled anew, after a change.",
    ]


def test_the_payee_is_asked_and_the_payer_is_told_when_it_is_confirmed(club, session, ana, ben):
    settle(session)
    Notice.objects.all().delete()
    payment = pay(club, ben)
    assert told(ana) == [("payment.asked", "Ben says that you were paid $11.00")]
    assert told(ben) == []
    confirm_payment(payment=payment, author=ana)
    confirm_payment(payment=payment, author=ana)
    assert told(ben) == [("payment.confirmed", "Confirmed: you paid Ana $11.00")]
    assert len(told(ana)) == 1


def test_nobody_is_asked_for_what_counts_at_once(club, owner, session, ana, ben):
    settle(session)
    Notice.objects.all().delete()
    pay(club, owner)
    assert Notice.objects.count() == 0


def test_who_wrote_a_payment_down_is_not_asked_about_it(club, session, ana):
    settle(session)
    Notice.objects.all().delete()
    assert pay(club, ana, amount_minor=500, is_pending=True).state == "pending"
    assert Notice.objects.count() == 0
    pay(club, None, amount_minor=600, is_pending=True)
    assert told(ana) == [("payment.asked", "Ben says that you were paid $6.00")]


def test_who_is_reminded_is_told_and_who_wants_none_is_told_of_as_such(club, owner, session, ben):
    settle(session)
    reminder = {"payer": account("Ben"), "session": session, "author": owner}
    ask_reminder(payee=account("Ana"), **reminder)
    assert told(ben)[1:] == [("payment.reminded", "A reminder: you owe Ana $11.00")]
    notices.choose_notices(user=ben, page=[], mail=[])
    with pytest.raises(ValidationError, match="Ben has switched reminders off"):
        ask_reminder(payee=account("Chi"), **reminder)
    assert len(told(ben)) == 2


def test_a_statement_is_told_to_the_player_whoever_asked_for_it(club, owner, session, ben, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    day = EVENING.date()
    player = Player.objects.get(name="Ben")
    request_statement(player=player, currency="USD", first_day=day, last_day=day, author=owner)
    assert told(ben) == [], "not before it is made"
    done(Job.objects.get(kind="statement"))
    assert told(ben) == [("statement.ready", "Statement 1 is ready")]
    assert Notice.objects.count() == 1


def test_who_disputed_is_told_that_it_is_declined_or_corrected(club, owner, session, ben):
    hand = Hand.objects.get()
    flag = {"club": club, "hand": hand, "player": Player.objects.get(name="Ben")}
    declined = raise_dispute(sentence="My top was the six.", author=ben, **flag)
    decline_dispute(dispute=declined, reason="Everybody saw it.", author=owner)
    decline_dispute(dispute=declined, reason="Again.", author=owner)
    raise_dispute(sentence="It was dealt twice.", author=owner, **flag)
    correct_hand(hand=hand, based_on=1, deal=None, reason="So it was.", author=owner)
    assert told(ben) == [
        ("dispute.answered", "What you disputed stays as it is: hand 1 of Thursday table"),
        ("dispute.answered", "What you disputed is corrected: hand 1 of Thursday table"),
    ]
    first = Notice.objects.filter(user=ben).earliest("created_at")
    assert words_of(first, declined.__class__.objects.get(pk=declined.pk)).text == (
        "You wrote “My top was the six.” The answer is “Everybody saw it.”"
    )


def test_who_wrote_it_down_for_a_guest_is_told_unless_they_answer_it_themselves(club, owner, session):
    settle(session)
    payment = pay(club, owner)
    other = User.objects.create_user("host@example.com", "a long password")
    add_host(club=club, email=other.email)
    guest = {"club": club, "player": Player.objects.get(name="Chi")}
    raise_dispute(sentence="It was ten.", author=owner, payment=payment, **guest)
    cancel_payment(payment=payment, reason="It was ten.", author=other)
    assert told(owner) == [("dispute.answered", "What you disputed is corrected: a payment of $11.00")]
    mine = raise_dispute(sentence="No.", author=owner, hand=Hand.objects.get(), **guest)
    decline_dispute(dispute=mine, reason="I was wrong.", author=owner)
    assert len(told(owner)) == 1


def test_told_again_is_told_once(club, session, ana):
    settle(session)
    done(request_settlement(session=session))
    with transaction.atomic():
        events.announce("session.settled", club_id=club.pk, subject_id=Settlement.objects.get().pk)
    assert Notice.objects.count() == Job.objects.filter(kind="notice").count() == 1


def test_what_is_rolled_back_was_not_told(club, session, ana):
    ask_to_settle(session)
    claim = queue.claim(Job.objects.get(kind="settle").pk)
    with transaction.atomic():
        queue.HANDLERS["settle"](claim)
        assert Notice.objects.count() == 1
        transaction.set_rollback(True)  # the machine stumbles after the effect
    assert Notice.objects.count() == Job.objects.filter(kind="notice").count() == 0


@pytest.mark.parametrize(
    ("off", "on_page", "mailed"),
    [({}, 1, 1), ({"page"}, 0, 1), ({"mail"}, 1, 0), ({"page", "mail"}, 0, 0)],
)
def test_a_kind_is_switched_off_on_the_page_and_by_mail_apart(club, session, ana, ben, off, on_page, mailed):
    others = [kind for kind in Notice.Kind.values if kind != "session.settled"]
    chosen = {way: others if way in off else Notice.Kind.values for way in ("page", "mail")}
    notices.choose_notices(user=ana, **chosen)
    notices.choose_notices(user=ana, **chosen)
    assert notices.chosen_notices(ana) == chosen
    assert Muted.objects.count() == len(off)
    settle(session)
    assert notices.notices_of(ana).count() == notices.count_unread(ana) == on_page
    mine = Notice.objects.filter(user=ana)
    assert Job.objects.filter(kind="notice", subject_id__in=mine.values("pk")).count() == mailed
    # Somebody else's wish is their own.
    assert notices.count_unread(ben) == 1


def test_what_was_switched_off_is_switched_on_again(ana):
    notices.choose_notices(user=ana, page=[], mail=["payment.asked"])
    notices.choose_notices(user=ana, page=["payment.asked"], mail=Notice.Kind.values)
    assert notices.chosen_notices(ana) == {"page": ["payment.asked"], "mail": Notice.Kind.values}


def test_no_mail_leaves_a_demo_or_a_test_club(club, owner):
    create_api_key(club=club, name="Key", scope="write", author=owner, is_test=True)
    for place in (Club.objects.get(test_of=club), create_club(owner=owner, name="Demo", is_demo=True)):
        session = play(place)
        person("Ana", place)
        settle(session)
    assert (Notice.objects.count(), Job.objects.filter(kind="notice").count()) == (2, 0)


def test_a_person_of_two_clubs_has_one_list(club, stranger, session, ana):
    other = play(stranger.memberships.get().club, table="Elsewhere", currency="EUR")
    claim_player(player=Player.objects.get(club=other.club, name="Ana"), user=ana)
    settle(session)
    settle(other)
    assert [notice.club.name for notice in notices.notices_of(ana)] == ["Another club", "Harbour Card Room"]
    assert told(ana)[1] == ("session.settled", "Elsewhere: the others owe you €11.00")
    Club.objects.filter(pk=other.club_id).update(put_away_at=EVENING)
    assert notices.count_unread(ana) == notices.notices_of(ana).count() == 1


def test_a_notice_is_forgotten_after_90_days_read_or_not(session, ana, ben):
    now = datetime(2026, 11, 30, tzinfo=UTC)
    with time_machine.travel(now, tick=False):
        settle(session)
        notices.mark_read(user=ana)
    with time_machine.travel(now + timedelta(days=90), tick=False):
        notices.forget_old_notices()
        assert Notice.objects.count() == 2
    with time_machine.travel(now + timedelta(days=90, seconds=1), tick=False):
        notices.forget_old_notices()
    assert Notice.objects.count() == 0
    assert Settlement.objects.count() == 1


def test_it_is_forgotten_by_itself():
    assert notices.forget_old_notices in queue.HOURLY
