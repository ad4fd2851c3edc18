"""Disputes: in sight until they are corrected, or declined with a reason."""

import uuid

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from accounts.models import Account, Player, User
from accounts.services import claim_player
from hands.models import Hand
from settlement.closing import close_session
from settlement.corrections import correct_hand
from settlement.disputes import decline_dispute, open_disputes, raise_dispute
from settlement.payments import Wanted, cancel_payment, record_payments
from tests.deals import play, settle

pytestmark = pytest.mark.django_db


@pytest.fixture
def session(club):
    return play(club)


@pytest.fixture
def ben(session):
    user = User.objects.create_user("ben@example.com", "a long password")
    claim_player(player=Player.objects.get(name="Ben"), user=user)
    return user


def test_a_player_flags_a_hand_and_the_host_sees_it_on_every_page_of_the_session(client, club, owner, session, ben):
    hand = Hand.objects.get()
    client.force_login(ben)
    answer = client.post(reverse("hand-dispute", args=[hand.pk]), {"sentence": "My top was the six."})
    assert answer.status_code == 302
    client.force_login(owner)
    for name, key in (("session", session.pk), ("settle", session.pk), ("session-bank", session.pk), ("hand", hand.pk)):
        text = client.get(reverse(name, args=[key])).text
        assert "Hand 1 is disputed" in text, name
        assert "My top was the six." in text, name
    url = reverse("hand-correct", args=[hand.pk])
    assert "Hand 1 is disputed" in client.get(url).text


def test_closing_with_an_open_dispute_needs_a_second_word(session, ben):
    raise_dispute(club=session.club, sentence="No.", author=ben, player=None, hand=Hand.objects.get())
    with pytest.raises(ValidationError, match="1 dispute is open"):
        close_session(session=session)
    close_session(session=session, anyway=True)
    session.refresh_from_db()
    assert session.state == "closed"


def test_a_correction_answers_the_dispute(session, owner, ben):
    hand = Hand.objects.get()
    dispute = raise_dispute(club=session.club, sentence="No.", author=ben, player=None, hand=hand)
    correct_hand(hand=hand, based_on=1, deal=None, reason="It was dealt twice.", author=owner)
    dispute.refresh_from_db()
    assert (dispute.state, dispute.answer) == ("corrected", "It was dealt twice.")
    assert open_disputes(session) == []


def test_declining_needs_a_reason_and_happens_once(session, owner, ben):
    dispute = raise_dispute(club=session.club, sentence="No.", author=ben, player=None, hand=Hand.objects.get())
    with pytest.raises(ValidationError, match="Say why it stays as it is"):
        decline_dispute(dispute=dispute, reason=" ", author=owner)
    decline_dispute(dispute=dispute, reason="Everybody saw it.", author=owner)
    decline_dispute(dispute=dispute, reason="Again.", author=owner)
    dispute.refresh_from_db()
    assert (dispute.state, dispute.answer, dispute.answered_by) == ("declined", "Everybody saw it.", owner)


def test_cancelling_answers_what_was_doubted_of_a_payment(club, owner, session):
    settle(session)
    ben, ana = (Account.objects.get(player__name=name) for name in ("Ben", "Ana"))
    wanted = Wanted(uuid.uuid4(), ben, ana, 100, session=session)
    (payment,) = record_payments(club=club, wanted=[wanted], author=owner)
    dispute = raise_dispute(club=club, sentence="I got nothing.", author=owner, player=None, payment=payment)
    assert open_disputes(session) == [dispute]
    cancel_payment(payment=payment, reason="It was Chi's.", author=owner)
    assert open_disputes(session) == []
    with pytest.raises(ValidationError, match="cancelled already"):
        raise_dispute(club=club, sentence="Still.", author=owner, player=None, payment=payment)


def test_a_double_tap_is_one_dispute_and_a_second_thought_is_told_of_the_first(session, ben):
    hand = Hand.objects.get()
    flag = {"club": session.club, "author": ben, "player": None, "hand": hand}
    assert raise_dispute(sentence="No.", **flag) == raise_dispute(sentence="No.", **flag)
    with pytest.raises(ValidationError, match="You have an open dispute of this already"):
        raise_dispute(sentence="Really no.", **flag)
    with pytest.raises(ValidationError, match="Say in a sentence"):
        raise_dispute(sentence=" ", **flag)


def test_who_did_not_sit_there_cannot_look_nor_doubt(client, session, ben, club):
    stranger = User.objects.create_user("dan@example.com", "a long password")
    client.force_login(stranger)
    hand = Hand.objects.get()
    assert client.post(reverse("hand-dispute", args=[hand.pk]), {"sentence": "x"}).status_code == 404
    assert client.get(reverse("hand", args=[hand.pk])).status_code == 404
    assert client.get(reverse("session", args=[session.pk])).status_code == 404
