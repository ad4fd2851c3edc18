"""A club's export, and the way back: into an empty club with the same balances, or not at all."""

import contextlib
import gzip
import io
import json
import uuid
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from accounts import ledger
from accounts.merging import merge_players, undo_merge
from accounts.models import Account, Club, Player, Transfer
from accounts.services import add_host, create_club, describe_payment, set_active
from hands.history import read_deal, read_hand
from hands.models import Discrepancy, Hand, HandVersion, Seat, Session
from hands.rulesets import create_rule_set
from hands.scoring.taiwanese import PRESETS
from hands.seating import seat_player, unseat_player
from hands.services import close_session, record_hands, session_for
from jobs import queue
from jobs.models import Job
from settlement.bank import account_of, bank_of, record_at_bank
from settlement.club_import import import_club
from settlement.corrections import correct_hand
from settlement.disputes import decline_dispute, raise_dispute
from settlement.exports import request_export
from settlement.models import ClubExport, Dispute, Payment, Settlement, Statement
from settlement.payments import Wanted, cancel_payment, record_payments
from settlement.services import request_settlement, request_statement
from settlement.verify import verify_club
from tests.deals import ANA, BEN, CHI, EVENING, THREE, add_hand, document, done, play, settle
from tests.histories import good, numbered

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def player(club: Club, name: str) -> Player:
    # The history that was sent knows its players by ids of its own.
    return Player.objects.get(club=club, name=name, external_id=None)


def pay(club, payer: str, payee: str, amount_minor: int, session=None, **more) -> Payment:
    currency = session.currency if session else "USD"
    one = Wanted(
        uuid.uuid4(),
        ledger.player_account(player(club, payer), currency),
        ledger.player_account(player(club, payee), currency),
        amount_minor,
        session=session,
        paid_at=EVENING + timedelta(days=1),
        **more,
    )
    return record_payments(club=club, wanted=[one], author=None, accept_more=True)[0]


@pytest.fixture
def full_club(club, owner):
    """A club with one of everything."""
    first = play(club, [THREE, THREE])
    unseat_player(session=first, number=2)
    seat_player(session=first, number=2, name="Dora")
    add_hand(first, {"Ana": ANA, "Dora": BEN, "Chi": CHI}, EVENING + timedelta(minutes=20))
    _without_cards(first, {"Ana": -10, "Dora": 4, "Chi": 6})
    settle(first)
    hands = list(first.hands.order_by("number"))
    turned = read_deal(document({"Ana": BEN, "Ben": ANA, "Chi": CHI}, EVENING), PRESETS["phenom"])
    correct_hand(hand=hands[0], based_on=1, deal=turned, reason="Ana and Ben\nchanged chairs.", author=owner)
    correct_hand(hand=hands[1], based_on=1, deal=None, reason="Misdeal.", author=owner)
    add_table(club)
    yen = play(club, [THREE], currency="JPY", point_value_minor=10, table="Yen table")
    banked = play(club, [{"Ana": ANA, "Ben": BEN}], table="Bank")
    for who, amount_minor in (("Ana", 2000), ("Ben", 3000)):
        buyer = account_of(banked, str(player(club, who).pk))
        record_at_bank(
            session=banked,
            one=Wanted(uuid.uuid4(), buyer, bank_of(banked), amount_minor, "buy_in", banked),
            author=owner,
        )
    settle(yen)
    sent = [read_hand(one, PRESETS) for one in (good(), numbered(13, claimed_points={"1": 5, "3": -5}))]
    record_hands(
        session=session_for(club=club, head=sent[0][0], author=None), deals=[deal for _h, deal in sent], author=None
    )
    pay(club, "Ben", "Ana", 500, first, note="cash")
    pending = pay(club, "Chi", "Dora", 300, is_pending=True)
    cancel_payment(payment=pay(club, "Ben", "Chi", 700), reason="Twice.", author=None)
    cancel_payment(payment=pay(club, "Ben", "Chi", 900, is_pending=True), reason="No cash.", author=None)
    declined = raise_dispute(club=club, sentence="A king!", author=owner, player=player(club, "Ben"), hand=hands[2])
    decline_dispute(dispute=declined, reason="It was a jack.", author=owner)
    raise_dispute(club=club, sentence="Look again.", author=owner, player=None, hand=hands[2])
    raise_dispute(club=club, sentence="I paid less.", author=owner, player=None, payment=pending)
    merge_players(kept=player(club, "Ana"), merged=player(club, "Dora"))
    undo_merge(merge=merge_players(kept=player(club, "Chi"), merged=player(club, "Emil")))
    describe_payment(
        player=player(club, "Ben"), payment_note="Cash on Thursday", payment_link="https://pay.example/ben"
    )
    set_active(player=player(club, "Emil"), is_active=False)
    statement = request_statement(
        player=player(club, "Ben"), currency="USD", first_day=EVENING.date(), last_day=EVENING.date(), author=owner
    )
    done(Job.objects.get(subject_id=statement.pk))
    return club


def add_table(club):
    """A house that caps at 9.00 and takes 5 % of what is won after that."""
    money = {"currency": "USD", "cap_minor": 900, "rake_hundredths": 500}
    create_rule_set(club=club, name="House", parameters=PRESETS["phenom-jokers"].parameters(), money=money)
    head = good()["session"] | {"external_id": "capped", "table": "Capped", "rule_set": "House"}
    seats = [
        {"seat": seat, "player": {"name": name}, **rows}
        for seat, (name, rows) in enumerate({"Emil": ANA, "Ben": BEN}.items(), start=1)
    ]
    sent, deal = read_hand(
        good(lambda hand: hand.update(session=head, seats=seats, button=1)),
        {"House": PRESETS["phenom-jokers"]},
    )
    session = session_for(club=club, head=sent, author=None)
    record_hands(session=session, deals=[deal], author=None)
    settle(session)


def _without_cards(session, points):
    seats = {seat.player.name: seat.number for seat in Seat.objects.filter(session=session, last_hand=None)}
    deal = read_deal(
        {
            "played_at": (EVENING + timedelta(minutes=30)).isoformat(),
            "seats": [
                {"seat": seats[name], "player": {"name": name}, "points": given} for name, given in points.items()
            ],
        },
        PRESETS["phenom"],
    )
    record_hands(session=session, deals=[deal], author=None)


def export(club) -> ClubExport:
    made = request_export(club=club, author=None)
    job = done(Job.objects.get(subject_id=made.pk))
    assert job.status == Job.Status.DONE, job.error
    made.refresh_from_db()
    return made


def lines_of(made: ClubExport) -> list[dict]:
    with made.file.open("rb") as file, gzip.open(file) as unpacked:
        return [json.loads(line) for line in unpacked]


def balances(club) -> dict[tuple[str, str], int]:
    rows = Account.objects.filter(club=club).exclude(balance_minor=0).select_related("player")
    return {(one.player.name if one.player else one.kind, one.currency): one.balance_minor for one in rows}


def packed(lines: list[dict | bytes]) -> io.BytesIO:
    raw = b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)
    return io.BytesIO(gzip.compress(raw))


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


def test_blocks_and_a_killed_worker_make_the_same_file(full_club, monkeypatch):
    whole = lines_of(export(full_club))
    monkeypatch.setattr("settlement.club_lines.BLOCK", 2)
    asked = request_export(club=full_club, author=None)
    job = Job.objects.get(subject_id=asked.pk)
    save, times = default_storage.save, iter(range(7))

    def dying(name, content):
        if next(times, None) is None:
            raise KeyboardInterrupt
        return save(name, content)

    with monkeypatch.context() as patched:
        patched.setattr(default_storage, "save", dying)
        with pytest.raises(KeyboardInterrupt):
            queue.run(job.pk)
    asked.refresh_from_db()
    assert len(asked.parts) == 7
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(hours=1))
    queue.sweep()
    assert done(job).status == Job.Status.DONE
    asked.refresh_from_db()
    blocks = lines_of(asked)
    whole[0].pop("made_at")
    blocks[0].pop("made_at")
    assert blocks == whole
    assert asked.begun == 1
    assert default_storage.listdir(f"exports/{asked.pk}") == ([], [asked.file.name.rpartition("/")[2]])


def test_a_club_that_is_played_in_meanwhile_is_begun_anew(full_club, monkeypatch):
    asked = request_export(club=full_club, author=None)
    session = Session.objects.get(club=full_club, table="Bank")
    save, left = default_storage.save, [1]

    def playing(name, content):
        if left:
            left.pop()
            add_hand(session, {"Ana": ANA, "Ben": BEN}, EVENING + timedelta(hours=1))
        return save(name, content)

    monkeypatch.setattr(default_storage, "save", playing)
    job = done(Job.objects.get(subject_id=asked.pk))
    asked.refresh_from_db()
    assert (job.status, asked.begun) == (Job.Status.DONE, 2)
    assert (
        sum(line["kind"] == "hand" for line in lines_of(asked)) == Hand.objects.filter(session__club=full_club).count()
    )
    left[:] = range(99)
    again = request_export(club=full_club, author=None)
    job = done(Job.objects.get(subject_id=again.pk))
    assert (job.status, job.error) == (
        Job.Status.FAILED,
        "The club was played in all the while; ask again when its tables are quiet.",
    )


def test_a_club_that_is_not_empty_is_refused(full_club, owner):
    with export(full_club).file.open("rb") as file, pytest.raises(ValidationError, match="is not empty"):
        import_club(file=file, owner=owner, club=full_club)


def broken(lines, change):
    lines = json.loads(json.dumps(lines))
    change(lines)
    return packed(lines)


def first(lines, kind):
    return next(line for line in lines if line["kind"] == kind)


CHANGES = {
    "version": (lambda lines: lines[0].update(format="homerun-club/9"), "Line 1 (/format): The export has the format"),
    "name": (lambda lines: lines[1].update(name=""), "Line 2 (/name): A name needs at least one visible letter."),
    "card": (
        lambda lines: first(lines, "hand")["versions"][0]["seats"][0].update(top=["1s"]),
        "(/seats/0/top/0): “1s” is not a card.",
    ),
    "stranger": (
        lambda lines: first(lines, "session")["seats"][0].update(player="nobody"),
        "(/player): player names nothing that stands before this line.",
    ),
    "order": (lambda lines: lines.insert(1, lines.pop(-3)), "cannot stand here."),
    "no JSON": (lambda lines: lines.insert(1, "a text"), "Line 2 (/kind): This is no line of a club's export."),
    "cut": (lambda lines: lines.pop(), "a part of it is missing."),
    "left out": (lambda lines: lines.pop(-2), "says another number of lines"),
    "twice": (
        lambda lines: lines.insert(2, {**lines[1], "external_id": "p-17"}) or lines.insert(3, lines[2]),
        "Line 4: This contradicts the lines before it",
    ),
    "balance": (
        lambda lines: first(lines, "balance").update(balance_minor=1),
        "The balances are not those of the file, so nothing was kept.",
    ),
    "paid": (
        lambda lines: first(lines, "payment").update(was_paid=False),
        "A payment that is paid was paid, and one that is pending was not.",
    ),
    "rules": (lambda lines: first(lines, "rule_set").update(parameters=5), "parameters or money is missing"),
    "point value": (lambda lines: first(lines, "session").update(point_value=5), "point_value is missing"),
    "versions": (lambda lines: first(lines, "hand").update(versions=[]), "numbered from 1, without a gap."),
    "time": (lambda lines: first(lines, "session").update(started_at="2026-11-28T20:00:00"), "has no offset."),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_wrong_is_said_with_its_line_and_nothing_is_kept(full_club, owner, name):
    change, sentence = CHANGES[name]
    before = Club.objects.count(), Player.objects.count(), Transfer.objects.count()
    with pytest.raises(ValidationError) as raised:
        import_club(file=broken(lines_of(export(full_club)), change), owner=owner)
    assert sentence in raised.value.messages[0]
    assert (Club.objects.count(), Player.objects.count(), Transfer.objects.count()) == before


JUNK = [None, -1, 10**18, "x", "\0", [5], {"a": 1}]


def places(value, path=()):
    """Every place in a line, however deep."""
    yield from [path] if path else []
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, (*path, key))


@pytest.mark.slow
def test_junk_in_any_place_is_a_sentence_or_passed_over(full_club, owner):
    lines = lines_of(export(full_club))
    tried = 0
    for kind in dict.fromkeys(line["kind"] for line in lines):
        longest = max((line for line in lines if line["kind"] == kind), key=lambda line: len(json.dumps(line)))
        where = lines.index(longest)
        for path in places(longest):
            for junk in JUNK:

                def change(changed, path=path, junk=junk, where=where):
                    holder = changed[where]
                    for key in path[:-1]:
                        holder = holder[key]
                    holder[path[-1]] = junk

                with contextlib.suppress(ValidationError), transaction.atomic():
                    import_club(file=broken(lines, change), owner=owner)
                    transaction.set_rollback(True)
                tried += 1
    assert tried > 1000


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda raw: raw[: len(raw) // 2], "The file is damaged behind line"),
        (lambda raw: raw[:-8] + bytes(8), "The file is damaged behind line"),
        (lambda raw: b"", "The file ends in line 0, before its end"),
        (lambda raw: gzip.compress(b"[" * 10_000), "Line 1: The JSON is nested more than 32 levels deep."),
        (lambda raw: gzip.compress(b" " * 5_000_000), "Line 1 is longer than any line of an export."),
    ],
)
def test_a_damaged_file_is_refused(full_club, owner, damage, sentence):
    with export(full_club).file.open("rb") as file:
        raw = damage(file.read())
    with pytest.raises(ValidationError) as raised:
        import_club(file=io.BytesIO(raw), owner=owner)
    assert sentence in raised.value.messages[0]


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


def test_the_page_asks_once_and_gives_the_file_to_the_owner_alone(client, club, owner, stranger):
    play(club)
    url = reverse("exports", args=[club.pk])
    client.force_login(owner)
    client.post(url)
    client.post(url)
    made = ClubExport.objects.get()
    done(Job.objects.get(subject_id=made.pk))
    made.refresh_from_db()
    assert made.sha256 in client.get(url).text
    download = reverse("export-download", args=[made.pk])
    answer = client.get(download)
    raw = b"".join(answer.streaming_content)
    assert json.loads(gzip.decompress(raw).splitlines()[0])["name"] == club.name
    assert answer["Content-Disposition"].startswith('attachment; filename="harbour-card-room-')
    add_host(club=club, email=stranger.email)
    client.force_login(stranger)
    assert (client.get(url).status_code, client.get(download).status_code) == (404, 404)


def test_a_closed_session_comes_back_closed_with_its_time(club, owner):
    session = play(club)
    close_session(session=session)
    request_settlement(session=session)
    session.refresh_from_db()
    with export(club).file.open("rb") as file:
        back = Session.objects.get(club=import_club(file=file, owner=owner).club)
    assert (back.state, back.closed_at) == ("closed", session.closed_at)
