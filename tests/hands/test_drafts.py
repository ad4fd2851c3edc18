"""Drafts: kept from tap to tap, never written over unseen, turned into one hand, and back within thirty seconds."""

import json
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import connections
from django.urls import reverse

from accounts.faults import faults_in
from accounts.models import AuditRow, User
from accounts.services import add_host, create_club
from hands import drafts
from hands.drafts import AlreadyRecorded, DraftChanged, keep_draft, open_drafts, record_draft, undo_hand
from hands.history import read_deal
from hands.models import Draft, Hand, HandVersion, Session
from hands.scoring.taiwanese import PRESETS
from hands.services import close_session, record_hand
from tests.deals import ANA, BEN, BOARDS, EVENING, THREE, add_hand, document, play
from tests.test_pages import hand_form

both_databases = pytest.mark.both_databases
BEGUN = {"rows": {"board_1": ["2d", "Ac", "", "", ""]}, "out": []}
MORE = {"rows": {"board_1": ["2d", "Ac", "4d", "", ""], "top_1": ["7h"]}, "out": [3]}


@pytest.fixture
def session(club) -> Session:
    return play(club, [])


def keep(session: Session, key: uuid.UUID, facts: object, based_on: int, author: User | None = None) -> Draft:
    return keep_draft(session=session, client_key=key, facts=facts, based_on=based_on, author=author)


def deal_of(key: uuid.UUID):
    """Ana and Ben of the published deal, under the key of a draft."""
    return replace(read_deal(document({"Ana": ANA, "Ben": BEN}, EVENING), PRESETS["phenom"]), client_key=key)


@both_databases
@pytest.mark.django_db
def test_a_draft_is_kept_change_by_change(session, owner):
    key = uuid.uuid4()
    first = keep(session, key, BEGUN, 0, owner)
    assert (first.revision, first.cards, first.author) == (1, 2, owner)
    second = keep(session, key, MORE, 1)
    assert (second.revision, second.cards) == (2, 4)
    assert json.loads(Draft.objects.get().facts) == MORE


@both_databases
@pytest.mark.django_db
def test_who_has_not_seen_the_newest_is_shown_it_and_changes_nothing(session, owner):
    key = uuid.uuid4()
    keep(session, key, BEGUN, 0, owner)
    keep(session, key, MORE, 1, owner)
    mine = {"rows": {"top_2": ["5d"]}, "out": []}
    for based_on in (0, 1, 3):
        with pytest.raises(DraftChanged) as changed:
            keep(session, key, mine, based_on)
        assert json.loads(changed.value.theirs.facts) == MORE
        assert changed.value.theirs.author == owner
    assert json.loads(Draft.objects.get().facts) == MORE
    # On top of what was shown, mine is taken.
    assert keep(session, key, mine, changed.value.theirs.revision).revision == 3


@pytest.mark.django_db
def test_the_same_facts_again_are_no_change(session):
    key = uuid.uuid4()
    keep(session, key, BEGUN, 0)
    # As a phone whose answer was lost sends them: short rows and other spellings are the same cards.
    again = {"out": [], "rows": {"top_1": [""], "board_1": ["2D", "♣A"]}}
    assert keep(session, key, again, 0).revision == 1


@pytest.mark.django_db
def test_a_draft_that_was_thrown_away_is_not_made_again_unseen(session):
    key = uuid.uuid4()
    keep(session, key, BEGUN, 0)
    with pytest.raises(DraftChanged):
        drafts.throw_away_draft(session=session, client_key=key, based_on=0)
    drafts.throw_away_draft(session=session, client_key=key, based_on=1)
    with pytest.raises(DraftChanged) as changed:
        keep(session, key, MORE, 1)
    assert changed.value.theirs is None
    assert keep(session, key, MORE, 0).revision == 1


@both_databases
@pytest.mark.django_db
def test_recording_puts_the_draft_away_and_it_never_comes_back(session, owner):
    key = uuid.uuid4()
    keep(session, key, MORE, 0)
    hand = record_draft(session=session, deal=deal_of(key), based_on=1, author=owner).hand
    assert not Draft.objects.exists()
    with pytest.raises(AlreadyRecorded) as recorded:
        keep(session, key, MORE, 1)
    assert recorded.value.hand == hand
    # Sent twice it is one hand.
    assert record_draft(session=session, deal=deal_of(key), based_on=1, author=owner).result == "duplicate"
    assert Hand.objects.count() == 1


@pytest.mark.django_db
def test_the_plain_form_puts_its_draft_away_too(session):
    key = uuid.uuid4()
    keep(session, key, MORE, 0)
    record_hand(session=session, deal=deal_of(key), author=None)
    assert not Draft.objects.exists()


@pytest.mark.django_db
def test_cards_that_another_host_changed_meanwhile_are_not_recorded_unseen(session):
    key = uuid.uuid4()
    keep(session, key, BEGUN, 0)
    keep(session, key, MORE, 1)
    with pytest.raises(DraftChanged):
        record_draft(session=session, deal=deal_of(key), based_on=1, author=None)
    assert not Hand.objects.exists()
    assert Draft.objects.get().revision == 2


@both_databases
def test_of_two_who_send_at_the_same_moment_one_is_shown_the_other(own_database):
    session = play(create_club(owner=User.objects.create_user("owner@example.com"), name="Club"), [])
    key = uuid.uuid4()
    keep(session, key, BEGUN, 0)
    cards = ["Ks", "Kh", "Kd", "Kc", "Qs", "Qh"]

    def send(card: str) -> str:
        try:
            keep(session, key, {"rows": {"top_1": [card]}, "out": []}, 1)
            return card
        except DraftChanged as error:
            return json.loads(error.theirs.facts)["rows"]["top_1"][0]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(cards)) as hosts:
        seen = set(hosts.map(send, cards))
    # One was kept; every other host was shown that one.
    assert seen == set(json.loads(Draft.objects.get().facts)["rows"]["top_1"])
    assert Draft.objects.get().revision == 2


@pytest.mark.parametrize(
    "facts",
    [
        None,
        [],
        {"rows": {}},
        {"rows": {"board_3": ["As"]}, "out": []},
        {"rows": {"top_1": ["As", "Ks"]}, "out": []},
        {"rows": {"top_1": ["1s"]}, "out": []},
        {"rows": {"top_1": "As"}, "out": []},
        {"rows": {"top_1": [3]}, "out": []},
        {"rows": {}, "out": [7]},
        {"rows": {}, "out": [True]},
    ],
)
@pytest.mark.django_db
def test_what_is_no_draft_is_refused(session, facts):
    with pytest.raises(ValidationError, match="cannot be kept as a draft"):
        keep(session, uuid.uuid4(), facts, 0)


@pytest.mark.django_db
def test_a_closed_session_keeps_no_draft_and_still_names_its_open_ones(session):
    keep(session, uuid.uuid4(), BEGUN, 0)
    keep(session, uuid.uuid4(), {"rows": {}, "out": [3]}, 0)
    assert [draft.cards for draft in open_drafts(session)] == [2], "one without a card is none"
    close_session(session=session)
    with pytest.raises(ValidationError, match="This session is closed"):
        keep(session, uuid.uuid4(), BEGUN, 0)
    assert len(open_drafts(session)) == 1


# Undo


@both_databases
@pytest.mark.django_db
def test_undo_voids_the_hand_and_gives_its_cards_back_under_a_new_key(session, owner):
    key = uuid.uuid4()
    hand = record_draft(session=session, deal=deal_of(key), based_on=0, author=owner).hand
    draft = undo_hand(hand=hand, author=owner)
    assert draft.client_key != key
    # Chi sat at the table and did not play.
    facts = json.loads(draft.facts)
    assert facts["out"] == [3]
    assert facts["rows"] == {
        "board_1": BOARDS[0],
        "board_2": BOARDS[1],
        "top_1": ANA["top"],
        "middle_1": ANA["middle"],
        "bottom_1": ANA["bottom"],
        "top_2": BEN["top"],
        "middle_2": BEN["middle"],
        "bottom_2": BEN["bottom"],
    }
    version = HandVersion.objects.get(hand=hand, version=2)
    assert (version.is_void, version.is_undone, version.author) == (True, True, owner)
    assert list(AuditRow.objects.filter(subject_id=hand.pk).order_by("id").values_list("action", flat=True)) == [
        "hand.recorded",
        "hand.undone",
    ]
    # The draft is a hand again, with a number of its own.
    again = record_draft(session=session, deal=deal_of(draft.client_key), based_on=1, author=owner)
    assert (again.result, again.hand.number) == ("accepted", 2)


@pytest.mark.django_db
def test_undo_ends_after_thirty_seconds_and_points_to_correction(session, time_machine):
    time_machine.move_to(datetime(2026, 11, 28, 20, tzinfo=UTC), tick=False)
    hand = record_draft(session=session, deal=deal_of(uuid.uuid4()), based_on=0, author=None).hand
    time_machine.shift(timedelta(seconds=31))
    with pytest.raises(ValidationError, match=r"Undo works for 30 seconds.*Correct the hand instead") as late:
        undo_hand(hand=hand, author=None)
    assert next(faults_in(late.value))[1] == "too_late"
    assert not Draft.objects.exists()
    time_machine.shift(timedelta(seconds=-1))
    assert undo_hand(hand=hand, author=None).cards == 24
    with pytest.raises(ValidationError, match="changed since it was saved"):
        undo_hand(hand=hand, author=None)


# The page


def post_draft(client, session: Session, key: uuid.UUID, body: object):
    url = reverse("draft", args=[session.pk, key])
    return client.post(url, body if isinstance(body, str) else json.dumps(body), content_type="application/json")


@pytest.mark.django_db
def test_a_phone_keeps_a_draft_meets_another_and_learns_that_it_became_a_hand(client, session, owner):
    client.force_login(owner)
    key = uuid.uuid4()
    assert post_draft(client, session, key, {"based_on": 0, "facts": BEGUN}).json() == {"revision": 1}
    late = post_draft(client, session, key, {"based_on": 0, "facts": MORE})
    assert late.status_code == 409
    theirs = late.json()["theirs"]
    assert (late.json()["code"], theirs["revision"], theirs["facts"]) == ("changed", 1, BEGUN)
    assert theirs["author"] == "owner@example.com"

    saved = client.post(reverse("hand-save", args=[session.pk]), hand_form(client_key=str(key), based_on="0"))
    assert (saved.status_code, saved.json()["theirs"]["revision"]) == (409, 1)
    saved = client.post(reverse("hand-save", args=[session.pk]), hand_form(client_key=str(key), based_on="1"))
    assert saved.json() == {"url": reverse("session", args=[session.pk])}
    gone = post_draft(client, session, key, {"based_on": 1, "facts": MORE})
    hand = Hand.objects.get()
    assert gone.status_code == 409
    assert gone.json() == {
        "code": "recorded",
        "sentence": "Hand 1 is in the book already.",
        "url": reverse("hand", args=[hand.pk]),
    }


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "{",
        '{"facts": null}',
        '{"based_on": true, "facts": null}',
        '{"based_on": -1, "facts": null}',
        "[" * 9000,
        '{"based_on": 0, "facts": "' + "x" * 20_000 + '"}',
    ],
    ids=range(8),
)
@pytest.mark.django_db
def test_a_body_that_is_no_draft_gets_a_sentence(client, session, owner, body):
    client.force_login(owner)
    answer = post_draft(client, session, uuid.uuid4(), body)
    assert (answer.status_code, answer.json()["code"]) == (422, "draft")


@pytest.mark.django_db
def test_no_draft_of_another_club_can_be_read_or_changed(client, session, owner, stranger):
    key = uuid.uuid4()
    keep(session, key, MORE, 0, owner)
    client.force_login(stranger)
    assert post_draft(client, session, key, {"based_on": 1, "facts": BEGUN}).status_code == 404
    assert client.get(reverse("hand-new", args=[session.pk]), {"draft": str(key)}).status_code == 404
    for name in ("hand-check", "hand-save"):
        assert client.post(reverse(name, args=[session.pk]), hand_form()).status_code == 404
    # With a session of their own, the key of ours opens nothing of ours.
    own = play(stranger.memberships.get().club, [])
    page = client.get(reverse("hand-new", args=[own.pk]), {"draft": str(key)})
    assert page.context["entry"]["facts"]["rows"] == {}
    assert post_draft(client, own, key, {"based_on": 0, "facts": BEGUN}).json() == {"revision": 1}
    assert json.loads(Draft.objects.get(session=session).facts) == MORE


@pytest.mark.django_db
def test_a_new_hand_goes_on_with_the_open_draft_and_seats_carry_over(client, session, owner):
    client.force_login(owner)
    url = reverse("hand-new", args=[session.pk])
    add_hand(session, {"Ana": ANA, "Ben": BEN}, EVENING)
    # Chi sat there and did not play the last hand.
    assert client.get(url).context["entry"]["facts"] == {"rows": {}, "out": [3]}
    assert "What you type here" not in client.get(url).text
    key = uuid.uuid4()
    keep(session, key, MORE, 0, owner)
    for asked in ({}, {"draft": str(key)}):
        page = client.get(url, asked)
        entry = page.context["entry"]
        # The plain form shows no draft, so it must not put one away.
        assert page.context["form"].initial["client_key"] != key
        assert "What you type here is a hand of its own." in page.text
        assert (entry["key"], entry["facts"], entry["revision"]) == (str(key), MORE, 1)
        assert entry["begun_by"] == "", "by oneself"
    other = User.objects.create_user("other@example.com", "a long password")
    add_host(club=session.club, email=other.email)
    client.force_login(other)
    assert client.get(url).context["entry"]["begun_by"] == "owner@example.com"
    client.force_login(owner)
    assert client.get(url, {"draft": "new"}).context["entry"]["key"] != str(key)
    assert "A hand is being entered" in client.get(reverse("session", args=[session.pk])).text
    add_hand(session, THREE, EVENING + timedelta(minutes=4))
    assert client.get(url, {"draft": "new"}).context["entry"]["facts"]["out"] == []


@pytest.mark.django_db
def test_the_check_scores_and_writes_nothing(client, session, owner):
    client.force_login(owner)
    answer = client.post(reverse("hand-check", args=[session.pk]), hand_form())
    # swept-both-boards: Ana wins all six rows of Ben, 6 + 6 and 8 for the homerun.
    assert answer.status_code == 200
    assert "plus 20" in answer.text
    assert "minus 20" in answer.text
    assert "Ana, Ben" in answer.text, "the homerun"
    assert not Hand.objects.exists()
    wrong = client.post(reverse("hand-check", args=[session.pk]), hand_form(top_2="7h"))
    assert wrong.status_code == 422
    assert "Seat 1 (Ana) and seat 2 (Ben) both hold 7h." in wrong.text


@pytest.mark.django_db
def test_a_saved_hand_can_be_undone_from_the_page(client, session, owner):
    client.force_login(owner)
    url = reverse("hand-save", args=[session.pk])
    data = hand_form()
    page = client.get(client.post(url, data).json()["url"])
    hand = Hand.objects.get()
    assert f'action="{reverse("hand-undo", args=[hand.pk])}" data-seconds=' in page.text
    # A second tap on Save is the same hand, and says nothing new.
    assert client.post(url, data).status_code == 200
    assert Hand.objects.count() == 1
    back = client.post(reverse("hand-undo", args=[hand.pk]), follow=True)
    assert back.context["entry"]["facts"]["rows"]["top_1"] == ["7h"]
    again = client.post(reverse("hand-undo", args=[hand.pk]), follow=True)
    assert "This hand was changed since it was saved" in again.text
