"""A club's export comes back into an empty club with the same facts and balances."""

import json

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Club, Transfer
from accounts.services import create_club
from hands.deal_models import DealProof
from hands.history import read_hand
from hands.models import Discrepancy, HandVersion, Session
from hands.scoring.taiwanese import PRESETS
from hands.services import close_session, record_hands, session_for
from settlement.club_import import import_club
from settlement.models import Dispute, Payment, Settlement, Statement
from settlement.services import request_settlement
from settlement.verify import verify_club
from tests.deals import play
from tests.histories import good
from tests.settlement.club_files import balances, export, lines_of, player

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


# What the exporting book alone knows: ids, when something was written down, and what is made anew.
OWN = {"id", "recorded_at", "merged_at", "undone_at", "made_at", "head", "hash"}
# Facts that follow from a past which an import does not live through again, or that it does not take over.
PAST = {"settlement", "transfer", "statement", "end"}


def comparable(lines: list[dict]) -> list[str]:
    """The lines but for ids, times of writing and hashes: players and sessions by their names."""
    names = {line["id"]: line["name"] for line in lines if line["kind"] in {"player", "rule_set"}}
    names |= {line["id"]: line["table"] for line in lines if line["kind"] == "session"}

    def plain(value):
        if isinstance(value, dict):
            return {key: plain(inner) for key, inner in value.items() if key not in OWN}
        if isinstance(value, list):
            return [plain(inner) for inner in value]
        return names.get(value, value) if isinstance(value, str) else value

    return sorted(json.dumps(plain(line), sort_keys=True) for line in lines if line["kind"] not in PAST)


def test_a_club_comes_back_with_the_same_facts_and_balances(full_club, owner):
    made = export(full_club)
    expected = balances(full_club)
    # Two currencies, the house's rake and the bank's chips are among them.
    assert {currency for _holder, currency in expected} == {"USD", "JPY"}
    assert {"house", "bank"} < {holder for holder, _currency in expected}
    with made.file.open("rb") as file:
        imported = import_club(file=file, owner=owner)
    assert imported.club != full_club
    assert balances(imported.club) == expected
    assert verify_club(imported.club).finding == ""
    assert comparable(lines_of(export(imported.club))) == comparable(lines_of(made))


def test_what_came_back_is_what_people_wrote(full_club, owner):
    with export(full_club).file.open("rb") as file:
        club = import_club(file=file, owner=owner).club
    first = Session.objects.get(club=club, table="Thursday table")
    versions = HandVersion.objects.filter(hand__session=first).order_by("hand__number", "version")
    kept = HandVersion.objects.filter(hand__session__club=full_club, hand__session__table="Thursday table")
    columns = ("hand__number", "version", "reason", "is_void", "has_cards", "played_at", "created_at", "author")
    assert list(versions.values_list(*columns)) == list(kept.order_by("hand__number", "version").values_list(*columns))
    assert versions[1].reason == "Ana and Ben\nchanged chairs."
    assert first.state == Session.State.SETTLED
    assert Settlement.objects.filter(session=first, reversed_at=None).count() == 1
    assert set(Session.objects.filter(club=club).values_list("table", "state")) == {
        ("Thursday table", "settled"),
        ("Capped", "settled"),
        ("Yen table", "settled"),
        ("Bank", "open"),
        ("T7", "open"),
    }
    states = Payment.objects.filter(club=club, kind="payment").values_list("amount_minor", "state", "reason")
    assert set(states) == {
        (500, "paid", ""),
        (300, "pending", ""),
        (700, "cancelled", "Twice."),
        (900, "cancelled", "No cash."),
    }
    assert Transfer.objects.filter(payment__club=club, payment__amount_minor=700).count() == 1
    disputes = Dispute.objects.filter(club=club).values_list("sentence", "state", "answer")
    assert set(disputes) == {
        ("A king!", "declined", "It was a jack."),
        ("Look again.", "open", ""),
        ("I paid less.", "open", ""),
    }
    differing = Discrepancy.objects.filter(version__hand__session__club=club)
    # 6 + 6 and 8 for the homerun: 20 to Ana, of which 5 are claimed.
    assert set(differing.values_list("claimed_points", "our_points")) == {(5, 20), (-5, -20)}
    ben = player(club, "Ben")
    assert (ben.payment_note, ben.payment_link) == ("Cash on Thursday", "https://pay.example/ben")
    assert player(club, "Emil").deactivated_at is not None
    assert not Statement.objects.filter(club=club).exists()


def test_a_hand_that_is_sent_again_is_known_after_the_import(full_club, owner):
    with export(full_club).file.open("rb") as file:
        club = import_club(file=file, owner=owner).club
    head, deal = read_hand(good(), PRESETS)
    (answer,) = record_hands(session=session_for(club=club, head=head, author=None), deals=[deal], author=None)
    assert answer.result == "duplicate"


def test_the_command_founds_the_club_and_says_what_is_in_it(full_club, owner, tmp_path, capsys):
    path = tmp_path / "club.ndjson.gz"
    with export(full_club).file.open("rb") as file:
        path.write_bytes(file.read())
    call_command("import_club", str(path), "--owner", owner.email)
    assert "5 session" in capsys.readouterr().out
    club = Club.objects.exclude(pk=full_club.pk).get()
    assert (club.name, club.time_zone) == (full_club.name, full_club.time_zone)
    with pytest.raises(CommandError, match="is not empty"):
        call_command("import_club", str(path), "--owner", owner.email, "--club", str(club.pk))
    with pytest.raises(CommandError, match="Nobody has signed up"):
        call_command("import_club", str(path), "--owner", "nobody@example.com")
    empty = create_club(owner=owner, name="Empty")
    call_command("import_club", str(path), "--owner", owner.email, "--club", str(empty.pk))
    assert balances(empty) == balances(full_club)


def test_a_hand_that_the_house_dealt_can_be_verified_in_the_imported_club(full_club, owner):
    with export(full_club).file.open("rb") as file:
        club = import_club(file=file, owner=owner).club
    kept = DealProof.objects.get(hand__session__club=full_club)
    proof = DealProof.objects.get(hand__session__club=club)
    assert (proof.hand.number, proof.facts) == (kept.hand.number, kept.facts)
    call_command("verify_deal", str(proof.hand_id))


def test_a_closed_session_comes_back_closed_with_its_time(club, owner):
    session = play(club)
    close_session(session=session)
    request_settlement(session=session)
    session.refresh_from_db()
    with export(club).file.open("rb") as file:
        back = Session.objects.get(club=import_club(file=file, owner=owner).club)
    assert (back.state, back.closed_at) == ("closed", session.closed_at)
