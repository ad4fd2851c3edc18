"""The parts of the pages: what tags draw and say, what no template may hold, what vendored files and colours are."""

import hashlib
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Template
from django.template.loader import render_to_string
from django.utils.html import strip_tags

from hands.templatetags.cards import ICONS

TEMPLATES = Path(settings.BASE_DIR) / "templates"
ASSETS = Path(settings.BASE_DIR) / "settlement" / "static" / "homerun"
SHEETS = {path.name: path.read_text() for path in sorted(ASSETS.glob("*.css"))}
CSS = "".join(SHEETS.values())


def render(source: str, **context: object) -> str:
    return Template("{% load cards money %}" + source).render(Context(context))


# Cards


def test_a_card_says_its_name_and_shows_its_suit_as_a_shape():
    html = render('{% card "Ks" size="46" %}')
    assert 'role="img" aria-label="King of spades"' in html
    assert 'class="pcard pcard-46 suit-s"' in html
    assert '<use href="#suit-s"/>' in html
    assert "♠" not in html


def test_a_ten_is_shown_as_10():
    html = render('{% card "Th" %}')
    assert 'aria-label="Ten of hearts"' in html
    assert ">10</span>" in html


def test_a_card_of_the_best_five_is_marked_raised_and_said_so():
    html = render('{% card "8s" size=54 marked=True raised=True %}')
    assert "is-marked is-raised" in html
    assert "Eight of spades, in the best five" in html


def test_marks_are_kept_for_each_board():
    html = render('{% card "8s" size=24 marks=marks %}', marks={1: False, 2: True})
    assert "mark-2" in html
    assert "mark-1" not in html


def test_the_two_jokers_differ_and_say_what_they_are_played_as():
    full, hollow = render('{% card "X1" %}'), render('{% card "X2" played_as="Ah" %}')
    assert 'aria-label="Joker 1"' in full
    assert '<use href="#star"/>' in full
    assert 'aria-label="Joker 2, played as ace of hearts"' in hollow
    assert '<use href="#star-hollow"/>' in hollow


def test_a_row_of_cards_is_read_from_text_or_a_list():
    assert (
        render('{% cards "KsQd" %}') == render('{% cards "Ks Qd" %}') == render("{% cards hand %}", hand=["Ks", "Qd"])
    )


def test_no_card_is_an_empty_slot():
    assert 'aria-label="No card yet"' in render('{% card "" %}')
    assert "is-next" in render("{% card_slot 46 due=True %}")
    assert 'aria-label="Card face down"' in render("{% card_back %}")


@pytest.mark.parametrize("text", ["1s", "KS", "Kss", "X3", "<b>"])
def test_what_is_no_card_is_refused(text: str):
    with pytest.raises(ValueError, match="is not a card"):
        render("{% card text %}", text=text)


# The six-mark


def test_a_six_mark_shows_and_says_won_lost_and_tied():
    html = render("{% six_mark rows False 12 %}", rows=(1, 2, -3, 1, 0, 3))
    assert html.count('class="won"') == 4
    assert html.count('class="lost"') == 1
    assert html.count('class="tied"') == 1
    assert 'class="six-mark gain" width="75" height="46"' in html
    words = "Board 1: won top, won middle, lost bottom. Board 2: won top, tied middle, won bottom."
    assert f'aria-label="{words}"' in html


def test_a_six_mark_is_coloured_by_the_points_of_the_pair():
    assert 'class="six-mark even"' in render("{% six_mark rows %}", rows=(1, 2, -3, 1, 2, -3))
    assert 'class="six-mark loss"' in render("{% six_mark rows %}", rows=(-1, 2, -3, 1, 2, -3))
    assert 'class="six-mark gain"' in render("{% six_mark rows points=3 %}", rows=(1, 2, 3, -1, -2, -3))


def test_a_homerun_is_brass_and_hollow_for_the_loser():
    won = render("{% six_mark rows True %}", rows=(1, 2, 3, 1, 2, 3))
    lost = render("{% six_mark rows True %}", rows=(-1, -2, -3, -1, -2, -3))
    assert 'class="six-mark brass"' in won
    assert "Homerun: won all six rows" in won
    assert won.count('class="won"') == lost.count('class="lost"') == 6
    assert "Homerun against: lost all six rows" in lost


def test_one_board_has_the_left_half_alone():
    html = render("{% six_mark rows size=4 %}", rows=(5, -10, 0))
    assert 'width="12" height="16"' in html
    assert 'aria-label="Won top, lost middle, tied bottom"' in html


# Numbers


@pytest.mark.parametrize(
    ("points", "text", "kind"),
    [(12, "+12", "gain"), (-29, "−29", "loss"), (0, "0", "even"), (1204, "+1,204", "gain"), (-11.3, "−11.3", "loss")],
)
def test_points_have_their_sign_and_their_kind(points: float, text: str, kind: str):
    assert render("{{ n|points }} {{ n|outcome }}", n=points) == f"{text} {kind}"


def test_points_are_spoken_as_words():
    html = render("{% points -29 %}")
    assert 'class="figure loss"' in html
    assert '<span class="visually-hidden">minus 29</span>' in html
    assert render("{% points 0 %}") == '<span class="figure even">0</span>'


@pytest.mark.parametrize(
    ("amount_minor", "currency", "text", "words"),
    [
        (4750, "USD", "+$47.50", "plus $47.50"),
        (-3450, "USD", "−$34.50", "minus $34.50"),
        (-3450, "JPY", "−¥3,450", "minus ¥3,450"),
        (1500, "KWD", "+KWD1.500", "plus KWD1.500"),
    ],
)
def test_money_has_the_decimals_of_its_currency_and_a_spoken_sign(
    amount_minor: int, currency: str, text: str, words: str
):
    html = render("{% money amount currency sign=True %}", amount=amount_minor, currency=currency)
    assert f'<span aria-hidden="true">{text}</span>' in html.replace("\N{NO-BREAK SPACE}", "")
    assert f'<span class="visually-hidden">{words}</span>' in html.replace("\N{NO-BREAK SPACE}", "")


def test_money_has_a_colour_only_where_it_is_a_result_of_play():
    assert render('{% money 1300 "USD" %}') == '<span class="figure money">$13.00</span>'
    assert 'class="figure money gain"' in render('{% money 1300 "USD" outcome=True %}')
    assert 'class="figure money even"' in render('{% money 0 "USD" sign=True outcome=True %}')


def test_a_seat_is_a_number_with_its_word():
    assert strip_tags(render("{% seat_disc 3 %}")) == "Seat 3"


def test_every_icon_is_in_the_sprite():
    sprite = (TEMPLATES / "parts" / "_sprite.html").read_text()
    assert {f"icon-{name}" for name in ICONS} == set(re.findall(r'id="(icon-[\w-]+)"', sprite))
    with pytest.raises(ValueError, match="no icon"):
        render('{% icon "sun" %}')


# Pages


@pytest.fixture
def plain_static_files(settings) -> None:
    """Addresses of static files without the digests that a collected installation gives them."""
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    }


@pytest.mark.usefixtures("plain_static_files")
def test_the_page_of_all_parts_and_the_error_pages_need_no_context():
    for name in ("parts/look.html", "400.html", "403.html", "403_csrf.html", "404.html", "500.html"):
        assert "<h1" in render_to_string(name)


def test_the_page_of_last_resort_needs_no_tags():
    assert "{%" not in (TEMPLATES / "500.html").read_text()


def test_a_hand_is_drawn_from_its_context():
    cell = {"rows": (1, 2, 3, 1, 2, 3), "homerun": True, "points": 20}
    against = {"rows": (-1, -2, -3, -1, -2, -3), "homerun": True, "points": -20}
    row = {
        "name": "bottom",
        "label": "Bottom",
        "cards": [{"text": "Jc", "marks": {1: True, 2: False}}],
        "readings": [{"board": 1, "short": "Straight to J", "words": "straight to jack"}],
    }
    context = {
        "boards": [
            {"number": 1, "cards": ["Ks", "8s", "9h", "Jh", "7h"], "marked": ["8s"]},
            {"number": 2, "cards": []},
        ],
        "seats": [{"number": 1, "name": "Ana", "net_points": 20, "rows": [row]}],
        "matrix": [
            {"number": 1, "name": "Ana", "net_points": 20, "cells": [None, cell]},
            {"number": 2, "name": "<Ben>", "net_points": -20, "cells": [against, None]},
        ],
    }
    board = render_to_string("parts/_baize_board.html", context)
    assert "Eight of spades, in the best five" in board
    setups = render_to_string("parts/_setups.html", context)
    assert "straight to jack" in setups
    assert "mark-1" in setups
    matrix = render_to_string("parts/_pair_matrix.html", context)
    assert matrix.count("is-homerun") == 2
    assert "&lt;Ben&gt;" in matrix
    assert "On board 2" in render_to_string("parts/_board_switch.html", context)


# What a strict content security policy and an offline laptop ask of every template


def every_template() -> list[Path]:
    return sorted(TEMPLATES.rglob("*.html"))


@pytest.mark.parametrize("path", every_template(), ids=lambda path: str(path.relative_to(TEMPLATES)))
def test_no_template_has_inline_styles_scripts_or_foreign_addresses(path: Path):
    text = path.read_text()
    assert not re.search(r"<[^>]*\sstyle\s*=", text)
    assert "<style" not in text
    assert not re.search(r"<[^>{]*\son[a-z]+\s*=", text)
    assert not re.search(r"""(?:src|href|action|hx-\w+)\s*=\s*["'](?:https?:)?//""", text)
    for attributes in re.findall(r"<script\b([^>]*)>", text):
        assert "src=" in attributes or "application/json" in attributes


def test_vendored_files_are_the_ones_that_were_checked():
    listed = set()
    for line in (ASSETS / "vendor" / "CHECKSUMS.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        digest, name, _version, _licence = line.split()
        listed.add(name)
        assert hashlib.sha256((ASSETS / "vendor" / name).read_bytes()).hexdigest() == digest, name
    there = {path.name for path in (ASSETS / "vendor").iterdir()} - {"CHECKSUMS.txt"}
    assert listed == there
    assert {f"{name}.LICENSE.txt" for name in ("bootstrap", "htmx", "figtree", "source-serif-4")} <= there


def test_every_style_sheet_is_linked_by_a_page():
    pages = "".join(path.read_text() for path in TEMPLATES.rglob("*.html"))
    assert [name for name in SHEETS if f"{{% static 'homerun/{name}' %}}" not in pages] == []


def test_the_style_sheets_name_no_foreign_address_and_no_stock_colour():
    assert "//" not in re.sub(r"/\*.*?\*/", "", CSS, flags=re.S)
    assert "0d6efd" not in CSS.lower()


def test_every_file_that_a_style_sheet_names_is_there():
    for name in re.findall(r'url\("([^"]+)"\)', CSS):
        assert (ASSETS / name).is_file(), name


# Contrast (WCAG 2.x, 1.4.3 and 1.4.11)


COLOUR = r"#[0-9A-F]{6}"
SAME = dict(re.findall(rf"--([\w-]+): ({COLOUR});", SHEETS["tokens.css"]))
LIGHT_AND_DARK = re.findall(rf"--([\w-]+): var\(--light, ({COLOUR})\) var\(--dark, ({COLOUR})\);", SHEETS["tokens.css"])
LIGHT = SAME | {name: light for name, light, _dark in LIGHT_AND_DARK}
DARK = SAME | {name: dark for name, _light, dark in LIGHT_AND_DARK}
SEATS = [(f"seat-{number}", "panel") for number in range(1, 7)]
SUITS = [(f"suit-{suit}", "card-face") for suit in ("s", "h", "d", "c", "joker")]
KEYS = [(f"key-{suit}", "key") for suit in "shdc"]
TEXT_PAIRS = [
    *[
        ("ink", surface)
        for surface in ("ground", "panel", "raise", "sunk", "felt-soft", "brass-soft", "gain-soft", "loss-soft")
    ],
    *[("ink-2", surface) for surface in ("ground", "panel", "sunk", "felt-soft")],
    *[("link", surface) for surface in ("ground", "panel", "sunk", "felt-soft")],
    *[("gain", surface) for surface in ("panel", "sunk", "gain-soft")],
    *[("loss", surface) for surface in ("ground", "panel", "sunk", "loss-soft")],
    *[("brass-ink", surface) for surface in ("panel", "brass-soft")],
    *[("on-felt", "felt"), ("on-felt", "felt-pressed"), ("baize-ink", "baize"), ("baize-ink-2", "baize")],
    *[("toast-ink", "toast"), ("toast-link", "toast")],
    *SEATS,
    *SUITS,
    *KEYS,
]
SHAPE_PAIRS = [
    *[("edge", "panel"), ("edge", "ground"), ("focus", "panel"), ("focus", "ground"), ("brass", "baize")],
    *[("baize-slot", "baize"), ("meter", "line"), ("meter", "panel")],
    ("key-used-ink", "key-used"),  # a disabled key: no contrast is asked of it, but it can still be read
]


def luminance(colour: str) -> float:
    def linear(channel: int) -> float:
        share = channel / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(colour[start : start + 2], 16)) for start in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "surface"), TEXT_PAIRS)
def test_text_reaches_four_and_a_half_to_one(theme: dict[str, str], text: str, surface: str):
    assert contrast(theme[text], theme[surface]) >= 4.5


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("shape", "surface"), SHAPE_PAIRS)
def test_shapes_reach_three_to_one(theme: dict[str, str], shape: str, surface: str):
    assert contrast(theme[shape], theme[surface]) >= 3


def test_dark_is_the_same_by_the_system_and_by_choice():
    by_system, by_choice = (
        SHEETS["tokens.css"].partition(selector)[2].partition("}")[0]
        for selector in (':root:not([data-bs-theme="light"]) {', ':root[data-bs-theme="dark"] {')
    )
    assert by_system == by_choice == " color-scheme: dark; --light: ; --dark: initial; "
    assert len(LIGHT_AND_DARK) > 40
