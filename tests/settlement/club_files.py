"""A club with one of everything that an export holds, and what its file says."""

import gzip
import io
import json
import uuid
from datetime import timedelta

from accounts import ledger
from accounts.merging import merge_players, undo_merge
from accounts.models import Account, Club, Player, User
from accounts.services import describe_payment, set_active
from hands.history import read_deal, read_hand
from hands.models import Seat
from hands.phones import open_round
from hands.rulesets import create_rule_set
from hands.scoring.taiwanese import PRESETS
from hands.seating import seat_player, unseat_player
from hands.services import record_hands, session_for
from jobs.models import Job
from settlement.bank import account_of, bank_of, record_at_bank
from settlement.corrections import correct_hand
from settlement.disputes import decline_dispute, raise_dispute
from settlement.exports import request_export
from settlement.models import ClubExport, Payment
from settlement.payments import Wanted, cancel_payment, record_payments
from settlement.services import request_statement
from tests.deals import ANA, BEN, CHI, EVENING, THREE, add_hand, document, done, play, settle
from tests.hands.test_house_deals import whole_hand
from tests.histories import good, numbered


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


def fill(club: Club, owner: User) -> None:
    """Let a club have one of everything that an export holds."""
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
    whole_hand(banked, open_round(session=banked, is_dealt=True), parts={1: "11" * 32, 2: "22" * 32})
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
