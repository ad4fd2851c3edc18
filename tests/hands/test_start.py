"""Where an evening begins: the same as last time, a demo, what a point means, and keeping Homerun as an app."""

import json
import uuid
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.exceptions import ValidationError
from django.urls import reverse

from accounts.models import Club, Membership, Player
from accounts.services import create_club
from hands.demo import show_demo
from hands.models import Hand, Seat, Session, Setup
from hands.seating import unseat_player
from hands.services import open_session_again
from tests.deals import ANA, BEN, EVENING, play

pytestmark = pytest.mark.django_db


def seated(session: Session) -> dict[int, str]:
    return dict(Seat.objects.filter(session=session, last_hand=None).values_list("number", "player__name"))


def test_the_same_as_last_time_takes_over_table_rules_value_and_who_sits_there(client, club, owner):
    client.force_login(owner)
    play(club, table="An older one", started_at=EVENING - timedelta(days=7))
    last = play(club, point_value_minor=125, currency="EUR", table="Kitchen")
    unseat_player(session=last, number=2)
    answer = client.post(reverse("session-again", args=[club.pk]), {"session_id": str(uuid.uuid4())})
    session = Session.objects.latest("started_at")
    assert answer["Location"] == reverse("session", args=[session.pk])
    assert (session.table, session.point_value_minor, session.currency) == ("Kitchen", 125, "EUR")
    assert session.rule_set == last.rule_set
    assert seated(session) == {1: "Ana", 3: "Chi"}
    assert (session.created_by, session.state, session.hands.count()) == (owner, "open", 0)


def test_a_double_tap_on_same_as_last_time_is_one_session(client, club, owner):
    client.force_login(owner)
    play(club)
    page = client.get(reverse("sessions"))
    data = {"session_id": str(page.context["next_id"])}
    assert data["session_id"] in page.text
    url = reverse("session-again", args=[club.pk])
    assert client.post(url, data)["Location"] == client.post(url, data)["Location"]
    assert Session.objects.count() == 2


def test_an_id_that_is_none_or_anothers_starts_nothing(client, club, owner, stranger):
    theirs = stranger.memberships.get().club
    play(theirs)
    client.force_login(owner)
    play(club)
    taken = Session.objects.get(club=theirs).pk
    for session_id in ("", "nonsense", str(taken)):
        answer = client.post(reverse("session-again", args=[club.pk]), {"session_id": session_id}, follow=True)
        assert "Open this page again, then start the session." in answer.text
    assert Session.objects.count() == 2


def test_without_a_session_there_is_nothing_to_be_like(club, owner, client):
    with pytest.raises(ValidationError, match="There is no session yet that this one could be like"):
        open_session_again(club=club, author=owner, session_id=uuid.uuid4())
    client.force_login(owner)
    assert "Same as last time" not in client.get(reverse("sessions")).text


@pytest.mark.parametrize(
    ("point_value", "currency", "words"),
    [
        ("0.50", "USD", "20 points = $10.00"),
        ("5", "JPY", "20 points = ¥100"),
        ("0.025", "KWD", "20 points = KWD\N{NO-BREAK SPACE}0.500"),
        ("half", "USD", "“half” is not an amount. Write it like 0.50."),
        ("<b>", "USD", "“&lt;b&gt;” is not an amount. Write it like 0.50."),
        ("0", "USD", "A point must be worth more than nothing."),
        ("1", "", "“” is not a currency in use. Write its three letters, such as USD, TWD or JPY."),
    ],
)
def test_a_new_session_says_what_a_point_means(client, owner, point_value, currency, words):
    client.force_login(owner)
    answer = client.get(reverse("point-worth"), {"point_value": point_value, "currency": currency})
    assert answer.text.replace("KWD0", "KWD\N{NO-BREAK SPACE}0") == words


def test_the_form_says_it_before_anything_is_typed(client, club, owner):
    client.force_login(owner)
    assert "20 points = $10.00" in client.get(reverse("session-new", args=[club.pk])).text


def test_an_account_without_a_club_is_led_to_its_first_game_or_a_demo(client, django_user_model):
    user = django_user_model.objects.create_user("new@example.com", "a long password")
    client.force_login(user)
    page = client.get(reverse("sessions")).text
    assert "Start your first game" in page
    board = client.post(reverse("demo"), follow=True)
    assert "These people and cards are made up." in board.text
    session = Session.objects.get()
    assert (session.club.demo_of, session.state, session.hands.count()) == (user, "open", 24)
    assert sum(Setup.objects.values_list("net_points", flat=True)) == 0
    # The demo is no game of one's own: the start is still there.
    assert "Start your first game" in client.get(reverse("sessions")).text
    assert "These people and cards are made up." in client.get(f"/?club={session.club_id}").text


def test_a_double_tap_makes_one_demo(owner):
    assert show_demo(user=owner) == show_demo(user=owner)
    assert Club.objects.filter(demo_of=owner).count() == 1


def test_a_demo_that_is_put_away_is_not_there_any_more_and_comes_back_as_it_was(client, owner):
    client.force_login(owner)
    session = show_demo(user=owner)
    hand, player = Hand.objects.first(), Player.objects.first()
    urls = [
        reverse("session", args=[session.pk]),
        reverse("hand", args=[hand.pk]),
        reverse("player", args=[player.pk]),
        reverse("club", args=[session.club_id]),
    ]
    assert [client.get(url).status_code for url in urls] == [200] * 4
    client.post(reverse("live-link", args=[session.pk]), {"switch": "on"})
    session.refresh_from_db()
    urls.append(reverse("live", args=[session.live_id]))
    client.post(reverse("demo-put-away", args=[session.club_id]))
    assert [client.get(url).status_code for url in urls] == [404] * 5
    assert Hand.objects.count() == 24, "facts are never deleted"
    assert show_demo(user=owner) == session
    assert [client.get(url).status_code for url in urls] == [200] * 5


def test_only_a_demo_and_only_ones_own_can_be_put_away(client, club, owner, stranger):
    client.force_login(owner)
    assert client.post(reverse("demo-put-away", args=[club.pk])).status_code == 404
    theirs = show_demo(user=stranger).club
    assert client.post(reverse("demo-put-away", args=[theirs.pk])).status_code == 404
    assert not Club.objects.exclude(put_away_at=None).exists()


def test_a_demo_does_not_take_the_place_of_a_club(client, club, owner):
    show_demo(user=owner)
    client.force_login(owner)
    assert client.get(reverse("sessions")).context["club"] == club


def test_who_plays_sees_the_own_net_in_the_list(client, club, owner):
    play(club, [{"Ana": ANA, "Ben": BEN}])
    client.force_login(owner)
    assert "$10.00" not in client.get(reverse("sessions")).text
    Player.objects.filter(name="Ben").update(user=owner)
    # 20 points at $0.50, lost.
    assert "minus $10.00" in client.get(reverse("sessions")).text


def test_open_sessions_come_first_and_then_the_newest(client, club, owner):
    client.force_login(owner)
    for table, days, state in (("A", 1, "settled"), ("B", 2, "closed"), ("C", 3, "settled"), ("D", 9, "open")):
        play(club, [], table=table, started_at=EVENING - timedelta(days=days))
        Session.objects.filter(table=table).update(state=state)
    listed = client.get(reverse("sessions")).context["sessions"]
    assert [session.table for session in listed] == ["D", "A", "B", "C"]


def test_homerun_can_be_kept_as_an_app(client):
    answer = client.get(reverse("manifest"))
    assert answer["Content-Type"] == "application/manifest+json"
    manifest = json.loads(answer.content)
    assert {(icon["sizes"], icon["purpose"]) for icon in manifest["icons"]} == {
        ("192x192", "any"),
        ("512x512", "any"),
        ("512x512", "maskable"),
    }
    for icon in manifest["icons"]:
        head = Path(finders.find(icon["src"].removeprefix("/static/"))).read_bytes()
        # A PNG says its width and height in the bytes 16 to 24.
        assert head[:8] == b"\x89PNG\r\n\x1a\n"
        assert f"{int.from_bytes(head[16:20])}x{int.from_bytes(head[20:24])}" == icon["sizes"]
    assert (manifest["start_url"], manifest["display"]) == ("/", "standalone")


def test_a_club_of_ones_own_is_no_demo(owner):
    assert create_club(owner=owner, name="Mine").demo_of is None
    assert Membership.objects.filter(user=owner).count() == 1
