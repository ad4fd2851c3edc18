"""Two names, one person: histories stay, the balance moves, and all of it can be undone."""

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from accounts.merging import merge_players, undo_merge
from accounts.models import Account, Merge, Player, Transfer, User
from accounts.services import claim_player, invitation, players_named
from hands.models import Hand, Seat
from settlement.corrections import correct_hand
from settlement.models import Settlement
from settlement.owing import session_owing
from settlement.verify import verify_club
from tests.deals import ANA, BEN, CHI, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def balances() -> dict[str, int]:
    held = Account.objects.filter(kind="player").select_related("player")
    return {one.player.name: one.balance_minor for one in held}


def player(name: str) -> Player:
    return Player.objects.get(name=name)


@pytest.fixture
def two_evenings(club):
    """Ana won 11.00 as Ana, and 10.00 from Ben as Anna: 6 + 6 + 8 points at 50 cents."""
    settle(play(club))
    settle(play(club, [{"Anna": ANA, "Ben": BEN}], table="Second table"))


def test_the_balance_moves_and_what_was_written_stays(club, two_evenings):
    assert balances() == {"Ana": 1100, "Ben": -3000, "Chi": 900, "Anna": 1000}
    merge_players(kept=player("Ana"), merged=player("Anna"))
    assert balances() == {"Ana": 2100, "Ben": -3000, "Chi": 900, "Anna": 0}
    assert Seat.objects.filter(player__name="Anna").count() == 1
    assert verify_club(club).finding == ""


def test_undoing_makes_them_two_again(club, two_evenings):
    before = balances()
    merge = merge_players(kept=player("Ana"), merged=player("Anna"))
    undo_merge(merge=merge)
    undo_merge(merge=merge)
    assert balances() == before
    assert Transfer.objects.filter(kind="reversal").count() == 1
    assert merge_players(kept=player("Ana"), merged=player("Anna")) != merge
    assert verify_club(club).finding == ""


def test_what_is_settled_or_corrected_later_moves_too(club, owner, two_evenings):
    merge = merge_players(kept=player("Ana"), merged=player("Anna"))
    hand = Hand.objects.get(session__table="Second table")
    correct_hand(hand=hand, based_on=1, deal=None, reason="dealt twice", author=owner)
    assert balances() == {"Ana": 1100, "Ben": -2000, "Chi": 900, "Anna": 0}
    settle(play(club, [{"Anna": ANA, "Chi": CHI}], table="Third table"))
    # Two points from Chi: 1.00.
    assert balances() == {"Ana": 1200, "Ben": -2000, "Chi": 800, "Anna": 0}
    undo_merge(merge=merge)
    assert balances() == {"Ana": 1100, "Ben": -2000, "Chi": 800, "Anna": 100}
    assert verify_club(club).finding == ""


def test_who_pays_whom_names_the_one_that_was_kept(club, two_evenings):
    merge_players(kept=player("Ana"), merged=player("Anna"))
    settlement = Settlement.objects.get(session__table="Second table")
    (line,) = session_owing(settlement.session, settlement).dues
    assert (line.payer.player.name, line.payee.player.name, line.amount_minor) == ("Ben", "Ana", 1000)


def test_a_new_session_seats_the_one_that_was_kept(club, two_evenings):
    merge_players(kept=player("Ana"), merged=player("Anna"))
    assert players_named(club=club, names={1: "anna"}) == {1: player("Ana")}


def test_a_merge_that_would_chain_is_refused(club, two_evenings):
    merge_players(kept=player("Ana"), merged=player("Anna"))
    for kept, merged in (("Ben", "Ana"), ("Anna", "Ben"), ("Ben", "Anna")):
        with pytest.raises(ValidationError, match="is part of another merge"):
            merge_players(kept=player(kept), merged=player(merged))
    with pytest.raises(ValidationError, match="Choose another player"):
        merge_players(kept=player("Ben"), merged=player("Ben"))
    assert Merge.objects.count() == 1


def test_who_has_a_log_in_is_the_one_that_is_kept(club, two_evenings):
    user = User.objects.create_user("ana@example.com", "a long password")
    claim_player(player=player("Anna"), user=user)
    with pytest.raises(ValidationError, match="Anna has a log-in; merge the other name into this one"):
        merge_players(kept=player("Ana"), merged=player("Anna"))


def test_an_invitation_makes_a_person_a_player_once(client, club, two_evenings):
    url = reverse("join", args=[invitation(player("Ben"))])
    answer = client.get(url)
    assert answer["Location"] == f"/accounts/login/?next={url}".replace(":", "%3A")
    ben = User.objects.create_user("ben@example.com", "a long password")
    client.force_login(ben)
    assert "Are you Ben?" in client.get(url).text
    assert client.post(url)["Location"] == reverse("player", args=[player("Ben").pk])
    assert player("Ben").user == ben
    assert client.get("/")["Location"] == reverse("player", args=[player("Ben").pk])
    # Taken up: it leads him to his page; and who is Ben here is not Chi too.
    assert client.get(url)["Location"] == reverse("player", args=[player("Ben").pk])
    answer = client.post(reverse("join", args=[invitation(player("Chi"))]))
    assert (answer.status_code, "You are Ben at this club already." in answer.text) == (422, True)
    assert client.get(reverse("join", args=["nonsense"])).status_code == 404


def test_a_player_sees_their_own_and_the_sessions_they_sat_in(client, club, two_evenings):
    chi = User.objects.create_user("chi@example.com", "a long password")
    claim_player(player=player("Chi"), user=chi)
    client.force_login(chi)
    first, second = Hand.objects.order_by("session__table").values_list("pk", "session")[::-1]
    assert client.get(reverse("player", args=[player("Chi").pk])).status_code == 200
    assert client.get(reverse("session", args=[first[1]])).status_code == 200
    assert client.get(reverse("settle", args=[first[1]])).status_code == 200
    assert client.get(reverse("hand", args=[first[0]])).status_code == 200
    for name, key in (
        ("player", player("Ana").pk),
        ("session", second[1]),
        ("settle", second[1]),
        ("hand", second[0]),
        ("owed", club.pk),
        ("books", club.pk),
        ("players", club.pk),
        ("hand-correct", first[0]),
        ("session-bank", first[1]),
        ("session-history", first[1]),
    ):
        assert client.get(reverse(name, args=[key])).status_code == 404, name
    for name, key in (("settle", first[1]), ("session-close", first[1]), ("hand-void", first[0])):
        assert client.post(reverse(name, args=[key])).status_code == 404, name
