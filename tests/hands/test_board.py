"""The board of a session: what it shows, what it costs, and when it answers that nothing has changed."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import AuditRow
from hands.corrections import correct_hand
from hands.live import qr_code, switch_live_off, switch_live_on
from hands.models import Hand, Session
from hands.seating import put_button, seat_player
from hands.services import close_session
from tests.deals import ANA, BEN, CHI, EVENING, THREE, add_hand, play, settle

pytestmark = pytest.mark.django_db


@pytest.fixture
def session(club, client, owner) -> Session:
    """Two hands of three players, the published deal twice: Ana +44, Chi +36, Ben -80. The owner is signed in."""
    client.force_login(owner)
    return play(club, [THREE, THREE])


def live(session: Session) -> str:
    switch_live_on(session=session)
    session.refresh_from_db()
    return reverse("live", args=[session.live_id])


def numbers(text: str) -> list[str]:
    """The visible figures of a part of a page, in their order."""
    return re.findall(r'class="figure[^>]*>(?:<span aria-hidden="true">)?([^<]+)<', text)


def standings_of(page: str) -> list[list[str]]:
    body = page[page.index("board-standings") : page.index("</tbody>")]
    return [[re.search(r'title="([^"]+)"', row)[1], *numbers(row)] for row in body.split("<tbody>")[1].split("<tr")[1:]]


def test_standings_have_points_and_money_of_every_seat(session, client):
    page = client.get(reverse("session", args=[session.pk])).text
    # 22, -40 and 18 a hand, twice, at $0.50 a point.
    assert standings_of(page) == [
        ["Ana", "+22", "+44", "+$22.00"],
        ["Chi", "+18", "+36", "+$18.00"],
        ["Ben", "−40", "−80", "−$40.00"],
    ]


def test_the_lines_of_the_chart_are_the_numbers_of_the_table(session, client):
    add_hand(session, {"Ben": ANA, "Ana": BEN}, EVENING)
    page = client.get(reverse("session", args=[session.pk])).text
    chart = page[page.index('id="chart"') :]
    grid = re.findall(r'y1="([\d.]+)".*?<text class="tick"[^>]*>([^<]+)<', chart)
    (y0, low), (y1, high) = [(float(y), int(label.replace("−", "-"))) for y, label in (grid[0], grid[-1])]
    drawn = {}
    for seat, points in re.findall(r'<polyline class="line seat-(\d)" points="([^"]+)"', chart):
        heights = [float(point.split(",")[1]) for point in points.split()]
        drawn[int(seat)] = [round(low + (y - y0) / (y1 - y0) * (high - low)) for y in heights]
    # Hand 3 is played heads-up with the cards exchanged, on the chairs of Ana and Ben: 20 points from one to the other.
    expected = {"Chi": [0, 18, 36, 36], "Ana": [0, 22, 44, 24], "Ben": [0, -40, -80, -60]}
    names = re.findall(r'<text class="end-name seat-(\d)"[^>]*>([^<]+)<', chart)
    assert {name: drawn[int(seat)] for seat, name in names} == expected
    head = re.findall(r'<th class="num" scope="col">([^<]+)</th>', chart)
    rows = [numbers(row) for row in chart.split("<tbody>")[1].split("</tr>")[:3]]
    table = {name: [int(row[place].replace("−", "-")) for row in rows] for place, name in enumerate(head)}
    assert table == {name: totals[1:] for name, totals in expected.items()}


def test_the_chosen_seat_is_the_one_that_is_thicker(session, client):
    page = client.get(reverse("session", args=[session.pk]), {"seat": "2"}).text
    assert page.count("is-chosen") == 3, "the line, its name, and the row of the standings"
    assert "line seat-2 is-chosen" in page
    assert client.get(reverse("session", args=[session.pk]), {"seat": "9"}).text.count("is-chosen") == 0


def test_the_button_moves_on_clockwise_and_who_came_left_or_sat_out_is_said(session, client):
    seat_player(session=session, number=4, name="Dora")
    put_button(session=session, number=3)
    page = client.get(reverse("session", args=[session.pk])).text
    assert re.search(r'title="Chi">Chi</a><span class="button-mark">', page)
    assert "from hand 3" in page
    add_hand(session, {"Ana": ANA, "Ben": BEN}, EVENING)
    page = client.get(reverse("session", args=[session.pk])).text
    assert page.count("sat out") == 2, "Chi and Dora"


def test_the_board_costs_the_same_queries_however_many_hands_and_304_costs_three(session, client):
    url = reverse("board", args=[session.pk])

    def cost(**headers) -> int:
        with CaptureQueriesContext(connection) as queries:
            client.get(url, headers=headers)
        return len(queries)

    before = cost()
    for _hand in range(10):
        add_hand(session, THREE, EVENING)
    assert cost() == before <= 21
    tag = client.get(url)["ETag"]
    # Who is signed in (two), and the session.
    assert cost(if_none_match=tag) == 3


def test_a_board_that_has_not_changed_is_not_sent_again(session, client):
    url = reverse("board", args=[session.pk])
    page = client.get(reverse("session", args=[session.pk])).text
    tag = f'"{re.search(r"data-tag=.([^ ]+?).(?: |>)", page)[1]}"'
    unchanged = client.get(url, headers={"If-None-Match": tag})
    assert (unchanged.status_code, unchanged.content, unchanged["ETag"]) == (304, b"", tag)
    seen = {tag}
    for change in (
        lambda: add_hand(session, THREE, EVENING),
        lambda: correct_hand(
            hand=Hand.objects.get(number=1), based_on=1, deal=None, reason="Misdeal", author=session.created_by
        ),
        lambda: seat_player(session=session, number=5, name="Emil"),
        lambda: put_button(session=session, number=2),
        lambda: switch_live_on(session=session),
        lambda: close_session(session=session),
    ):
        change()
        answer = client.get(url, headers={"If-None-Match": tag})
        assert answer.status_code == 200
        tag = answer["ETag"]
        seen.add(tag)
    assert len(seen) == 7


def test_a_settled_board_asks_no_more(session, client):
    assert "hx-trigger" in client.get(reverse("board", args=[session.pk])).text
    settle(session)
    assert "hx-trigger" not in client.get(reverse("board", args=[session.pk])).text


def test_the_live_page_opens_without_a_log_in_and_leads_nowhere(session, client):
    url = live(session)
    client.logout()
    answer = client.get(url)
    assert answer.status_code == 200
    assert standings_of(answer.text)[0] == ["Ana", "+22", "+44", "+$22.00"]
    assert answer["X-Robots-Tag"] == "noindex, nofollow"
    assert answer["Referrer-Policy"] == "no-referrer"
    links = set(re.findall(r'<a [^>]*href="([^"]+)"', answer.text))
    assert links == {"#content", "?seat=1#chart", "?seat=2#chart", "?seat=3#chart"}
    assert "<form" not in answer.text
    assert session.club.name not in answer.text


def test_the_live_page_costs_one_query_while_nothing_changes(session, client, django_assert_num_queries):
    live(session)
    client.logout()
    url = reverse("live-board", args=[session.live_id])
    tag = client.get(url)["ETag"]
    with django_assert_num_queries(1):
        assert client.get(url, headers={"If-None-Match": tag}).status_code == 304
    add_hand(session, {"Ana": CHI, "Ben": BEN, "Chi": ANA}, EVENING)
    assert client.get(url, headers={"If-None-Match": tag}).status_code == 200


def test_a_live_page_that_is_switched_off_is_gone_and_never_comes_back_by_that_address(session, client):
    url = live(session)
    switch_live_on(session=session)
    session.refresh_from_db()
    assert reverse("live", args=[session.live_id]) == url, "switching on what is on changes nothing"
    switch_live_off(session=session)
    switch_live_off(session=session)
    client.logout()
    assert client.get(url).status_code == 404
    assert client.get(f"{url}/board").status_code == 404
    again = live(session)
    assert again != url
    assert (client.get(url).status_code, client.get(again).status_code) == (404, 200)
    assert sorted(AuditRow.objects.filter(action__startswith="live").values_list("action", flat=True)) == [
        "live.off",
        "live.on",
        "live.on",
    ]


def test_the_host_switches_the_live_page_and_is_shown_its_address_again(session, client):
    url = reverse("live-link", args=[session.pk])
    client.post(url, {"switch": "on"})
    session.refresh_from_db()
    address = f"http://testserver/live/{session.live_id}"
    assert address in client.get(url).text
    client.post(url, {"switch": "off"})
    assert address not in client.get(url).text


def test_before_the_first_hand_the_code_is_on_the_board_and_then_no_more(club, client, owner):
    client.force_login(owner)
    session = play(club, [])
    board = reverse("session", args=[session.pk])
    assert 'class="qr"' not in client.get(board).text
    live(session)
    assert 'class="qr"' in client.get(board).text
    add_hand(session, THREE, EVENING)
    assert 'class="qr"' not in client.get(board).text


def test_a_code_says_what_it_should():
    # A QR code of version 1 has 21 squares a side, and a quiet zone of 4 around it (ISO/IEC 18004).
    code = qr_code("HOMERUN")
    assert code["size"] == 21 + 8
    dark = {(int(x), int(y)) for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", code["path"])}
    finder = {(4 + x, 4 + y) for x in range(7) for y in range(7) if max(abs(x - 3), abs(y - 3)) != 2}
    assert {(x, y) for x, y in dark if x < 11 and y < 11} == finder
