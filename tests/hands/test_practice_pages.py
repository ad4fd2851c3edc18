"""Practice: seven cards are dealt, somebody sets them, and the page says how good that is among the 105 ways."""

from urllib.parse import parse_qs, urlsplit

import pytest
from django.core import signing
from django.urls import reverse

from hands.practice_pages import SALT
from hands.scoring.cards import card_text, parse_cards

pytestmark = pytest.mark.django_db

URL = "/practice"
CARDS = "3c5s7d9hThKsAd"


@pytest.fixture
def person(client, stranger):
    client.force_login(stranger)
    return client


def signed(cards: str = CARDS, preset: str = "phenom") -> str:
    return signing.dumps([preset, cards], salt=SALT)


def chosen(rows: str, cards: str = CARDS, preset: str = "phenom") -> dict[str, str]:
    """The form with a row for each of the rising cards: t, m or b; a dash leaves one out."""
    words = {"t": "top", "m": "middle", "b": "bottom"}
    rows_of = {f"card_{place}": words[row] for place, row in enumerate(rows) if row != "-"}
    return {"deal": signed(cards, preset), "set": "1"} | rows_of


def test_practice_is_for_who_is_signed_in(client):
    assert client.get(URL)["Location"].startswith("/accounts/login/")


def test_the_opponent_is_described(person):
    assert "Chen points" in person.get(URL).text


def test_seven_cards_are_dealt_and_a_reload_keeps_them(person):
    answer = person.get(URL, {"rules": "phenom"})
    assert answer.status_code == 302
    page, again = person.get(answer["Location"]), person.get(answer["Location"])
    dealt = page.context["dealt"].cards
    assert len(set(dealt)) == 7
    assert again.context["dealt"].cards == dealt
    # Another deal is another seven: that all seven are the same again happens once in 133 million.
    assert person.get(URL, {"rules": "phenom"})["Location"] != answer["Location"]


def test_cards_that_were_not_dealt_are_refused(person):
    for made_up in ("x", signed()[:-1], signing.dumps(["phenom", CARDS], salt="another")):
        answer = person.get(URL, {"deal": made_up}, follow=True)
        assert "These cards were not dealt here; deal anew." in answer.text


def test_rules_that_are_not_there_are_refused(person):
    for rules in ("chinese", "", "x"):
        assert person.get(URL, {"rules": rules}).status_code == 422


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ("-------", "7 more to set: every card goes into a row."),
        ("bbbbmm-", "1 more to set: every card goes into a row."),
        ("bbbmmmt", "You set 1 / 3 / 3; Taiwanese needs 1 on top, 2 in the middle, 4 at the bottom."),
        ("ttttttt", "You set 7 / 0 / 0; Taiwanese needs 1 on top, 2 in the middle, 4 at the bottom."),
    ],
)
def test_a_setup_that_cannot_be_is_said(person, rows, sentence):
    answer = person.get(URL, chosen(rows))
    assert answer.status_code == 422
    assert sentence in answer.text


def test_a_row_that_is_none_is_said_beside_its_card(person):
    answer = person.get(URL, chosen("bbbbmmt") | {"card_0": "side"})
    assert answer.status_code == 422
    assert "1 more to set" in answer.text


def test_the_answer_ranks_what_was_set_among_all_and_a_reload_says_the_same(person):
    data = chosen("bbbbmmt")
    page, again = person.get(URL, data), person.get(URL, data)
    played, settings = page.context["played"], page.context["settings"]
    assert [parse_cards("".join(row["cards"])) for row in played["rows"]] == [
        parse_cards("Ad"),
        parse_cards("KsTh"),
        parse_cards("9h7d5s3c"),
    ]
    assert (page.context["all_settings"], len(settings)) == (105, 10)
    assert [one["expected"] for one in settings] == sorted((one["expected"] for one in settings), reverse=True)
    assert played["behind"] == pytest.approx(settings[0]["expected"] - played["expected"])
    assert again.context["settings"] == settings
    assert f"Number {played['rank']} of 105" in page.text


def test_the_best_way_is_the_first_and_its_line_says_that_it_is_yours(person):
    best = person.get(URL, chosen("bbbbmmt")).context["settings"][0]
    texts = [card_text(card) for card in sorted(parse_cards(CARDS))]
    row_of = {card: letter for letter, row in zip("tmb", best["rows"], strict=True) for card in row["cards"]}
    page = person.get(URL, chosen("".join(row_of[text] for text in texts)))
    assert (page.context["played"]["rank"], page.context["played"]["behind"]) == (1, 0)
    assert page.context["settings"][0]["is_played"]


def test_jokers_are_dealt_where_the_rules_have_them(person):
    page = person.get(URL, chosen("bbbbmmt", "3c5s7d9hThKsX1", "phenom-jokers"))
    assert page.status_code == 200
    assert page.context["played"]["rows"][0]["cards"] == ["X1"]


def test_the_next_cards_are_of_the_same_rules(person):
    page = person.get(URL, chosen("bbbbmmt", preset="one-board-scoop"))
    assert reverse("practice") + "?rules=one-board-scoop" in page.text
    answer = person.get(URL, {"rules": "one-board-scoop"})
    (deal,) = parse_qs(urlsplit(answer["Location"]).query)["deal"]
    assert signing.loads(deal, salt=SALT)[0] == "one-board-scoop"
