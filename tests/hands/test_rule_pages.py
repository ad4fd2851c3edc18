"""The page of a rule set: its own numbers, in words and in worked hands."""

import re

import pytest
from django.urls import reverse

from hands.rule_pages import rules_page
from hands.rulesets import create_rule_set
from hands.scoring import taiwanese
from hands.scoring.taiwanese import PRESETS, Rules
from hands.taiwanese_rules import JOKER, ONE_BOARD, STRONG, SWEPT, TIED
from tests.deals import ANA, BEN, BOARDS, play

# rules.md: "a known table" of royalties, netted.
ROYALTIES = Rules.from_parameters(
    {
        "royalties": {
            "top": {"two pair": 1, "three of a kind": 2, "straight": 3, "flush": 3, "full house": 4},
            "middle": {"three of a kind": 1, "straight": 2, "flush": 2, "full house": 3},
            "bottom": {"full house": 2, "four of a kind": 4},
        }
    }
)


def worked(rules: Rules) -> dict[str, int]:
    """The points of every worked hand of a rule set."""
    page = rules_page(club=None, name="x", rules=rules)
    return {example["heading"]: example["points"] for example in page["examples"]}


def test_worked_hands_have_the_points_of_their_rules():
    # Six rows are 2 x (1 + 2 + 3) = 12; five of them without a bottom 9; board 1 and the top of board 2 alone
    # 6 + 1 - 2 - 3 = 2.
    assert worked(PRESETS["phenom"]) == {"A homerun": 20, "A tied row voids it": 9}
    assert worked(PRESETS["phenom-jokers"]) == {"A homerun": 20, "A tied row voids it": 9, "A joker": 20}
    assert worked(PRESETS["doubled-homerun"]) == {"A homerun": 24, "A tied row voids it": 9}
    assert worked(PRESETS["one-board-scoop"]) == {"A board scoop": 9, "A tied row voids it": 3}
    assert worked(Rules(homerun_bonus=0)) == {"All six rows": 12, "Rows one by one": 2}
    # rules.md: both boards scooped with 3 each, and the homerun: 12 + 3 + 3 + 8 = 26.
    assert worked(Rules(board_scoop_bonus=3)) == {"A homerun": 26, "A tied row voids it": 12, "A board scoop": 5}


def test_royalties_are_worked_where_there_are_any():
    # Ana: full house on top (4) and in the middle (3), four of a kind at the bottom (4); on board 2 a straight on top
    # (3), trips in the middle (1). Ben: trips on top (2) and in the middle (1), a straight at the bottom (0);
    # on board 2 nothing that pays. Rows: 6 + 1 + 2 - 3 = 6, royalties 15 - 3 = 12.
    assert worked(ROYALTIES)["Royalties"] == 18
    assert "Royalties" not in worked(PRESETS["phenom"])


@pytest.mark.parametrize("example", [SWEPT, TIED, ONE_BOARD, JOKER, *STRONG])
@pytest.mark.parametrize("boards", [1, 2])
def test_every_worked_hand_could_be_dealt(example, boards):
    rules = Rules(boards=boards, homerun_bonus=0, jokers=2)
    seats = [(number, "", setup) for number, setup in enumerate(example.setups(), start=1)]
    assert taiwanese.check(rules=rules, boards=example.cards(rules), seats=seats) == []


def test_the_swept_hand_is_the_published_one():
    texts = [["".join(BOARDS[0]), "".join(BOARDS[1])]]
    texts += [["".join(setup[row]) for row in ("top", "middle", "bottom")] for setup in (ANA, BEN)]
    assert texts == [list(SWEPT.boards), list(SWEPT.ana), list(SWEPT.ben)]


@pytest.mark.django_db
def test_every_preset_and_a_houses_own_rules_have_a_page(client, club, owner):
    client.force_login(owner)
    for preset in PRESETS:
        assert client.get(reverse("rule-preset", args=[club.pk, preset])).status_code == 200
    assert client.get(reverse("rule-preset", args=[club.pk, "nothing"])).status_code == 404
    own = create_rule_set(club=club, name="名字 / House", parameters=ROYALTIES.parameters())
    listed = client.get(reverse("rule-sets", args=[club.pk])).text
    assert reverse("rule-set", args=[own.pk]) in listed
    page = client.get(reverse("rule-set", args=[own.pk])).text
    assert "名字 / House" in page
    assert re.search(
        r'<th scope="row">Four of a kind</th>\s*<td class="num"></td><td class="num"></td>'
        r'<td class="num">4</td>',
        page,
    )


@pytest.mark.django_db
def test_the_page_says_what_a_joker_is_on_each_board(client, club, owner):
    client.force_login(owner)
    page = client.get(reverse("rule-preset", args=[club.pk, "phenom-jokers"])).text
    # Board 1 has one ace, that of clubs, and board 2 the jacks of hearts, diamonds and spades.
    assert re.search(r"On board 1 the joker is the ace of (spades|hearts|diamonds)\.", page)
    assert "On board 2 the joker is the jack of clubs." in page


@pytest.mark.django_db
def test_tips_count_by_the_rules(client, club, owner):
    client.force_login(owner)
    phenom = client.get(reverse("rule-preset", args=[club.pk, "phenom"])).text
    assert "3 of the 6 points on a board" in phenom
    assert "its 8 points are more than all tops and middles, 6" in phenom
    one_board = client.get(reverse("rule-preset", args=[club.pk, "one-board-scoop"])).text
    assert "homerun" not in one_board.split("For a first evening")[1]


@pytest.mark.django_db
def test_board_hand_and_new_session_lead_to_the_rules(client, club, owner):
    client.force_login(owner)
    session = play(club)
    rules = reverse("rule-set", args=[session.rule_set_id])
    assert rules in client.get(reverse("session", args=[session.pk])).text
    assert rules in client.get(reverse("hand", args=[session.hands.get().pk])).text
    assert reverse("rule-sets", args=[club.pk]) in client.get(reverse("session-new", args=[club.pk])).text
