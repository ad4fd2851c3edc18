"""What needs a database: scoring a full book again, and the pages."""

import os
import resource
import time
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

HANDS = 100_000
SEATS = 6
HANDS_A_SESSION = 100


def measure(peer_per_second: float) -> list[dict[str, Any]]:
    """Fill a SQLite database of its own with hands that are right, then check and look at them."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settlement.settings")
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    _fill()
    return [_rescore(peer_per_second), _hand_page(), *_player_page(peer_per_second), *_chances_pages()]


def _fill() -> None:
    from django.db import connection, transaction

    from accounts.models import Player, User
    from accounts.services import add_player, create_club
    from hands.models import Seat, Session
    from hands.rulesets import rule_set_for
    from hands.scoring.batch import net_points
    from hands.scoring.cards import card_text
    from hands.scoring.taiwanese import PRESETS

    rules = PRESETS["phenom"]
    club = create_club(owner=User.objects.create_user("bench@example.com", "bench bench"), name="Bench")
    rule_set = rule_set_for(club=club, name="phenom", rules=rules)
    players: list[Player] = [add_player(club=club, name=f"Player {number}") for number in range(1, SEATS + 1)]
    dealer = np.random.default_rng(time.time_ns())
    texts = np.array([card_text(card) for card in range(52)])
    now = datetime(2026, 11, 28, 20, tzinfo=UTC)
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA journal_mode=WAL")
    # Rows are written by the driver itself: through the models this would take most of the benchmark's minute.
    inserts = {
        "hands_hand": "id, session_id, number, current_id",
        "hands_handversion": "id, hand_id, version, reason, is_void, is_undone, played_at, digest, created_at",
        "hands_board": "version_id, number, cards",
        "hands_setup": "version_id, seat_id, top, middle, bottom, net_points",
    }
    for number in range(HANDS // HANDS_A_SESSION):
        at = now - timedelta(days=number)
        session = Session.objects.create(
            club=club, table="T", rule_set=rule_set, point_value_minor=50, currency="USD", started_at=at
        )
        seats = Seat.objects.bulk_create(
            Seat(session=session, number=place, player=player, first_hand=1)
            for place, player in enumerate(players, start=1)
        )
        decks = np.argsort(dealer.random((HANDS_A_SESSION, 52)), axis=1).astype(np.uint8)
        boards, setups = decks[:, :10].reshape(-1, 2, 5), decks[:, 10:].reshape(-1, SEATS, 7)
        nets = net_points(boards, setups, rules)
        board_texts, setup_texts = texts[boards].tolist(), texts[setups].tolist()
        rows: dict[str, list[Any]] = {table: [] for table in inserts}
        for place in range(HANDS_A_SESSION):
            hand, version = uuid.uuid4().hex, uuid.uuid4().hex
            rows["hands_hand"].append((hand, session.pk.hex, place + 1, version))
            rows["hands_handversion"].append((version, hand, 1, "", False, False, str(now), "", str(now)))
            rows["hands_board"] += [
                (version, number, "".join(cards)) for number, cards in enumerate(board_texts[place], start=1)
            ]
            rows["hands_setup"] += [
                (version, seat.pk, cards[0], cards[1] + cards[2], "".join(cards[3:]), int(net))
                for seat, cards, net in zip(seats, setup_texts[place], nets[place], strict=True)
            ]
        with transaction.atomic(), connection.cursor() as cursor:
            for table, columns in inserts.items():
                marks = ", ".join(["%s"] * len(columns.split(", ")))
                cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows[table])


def _rescore(peer_per_second: float) -> dict[str, Any]:
    from hands.rescoring import request_rescore
    from jobs import queue
    from jobs.models import Job

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rescore = request_rescore(is_check=True, author=None)
    job_id = Job.objects.get(subject_id=rescore.pk).pk
    begin = time.perf_counter()
    queue.run_to_end(job_id)
    seconds = time.perf_counter() - begin
    rescore.refresh_from_db()
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "name": "rescore-check",
        "per_second": rescore.hands / seconds,
        "ratio": rescore.hands / seconds / peer_per_second,
        "note": f"{rescore.hands:,} six-seat hands on SQLite, {rescore.differences.count()} differences; "
        f"peak memory {after // 1024} MB, {(after - before) // 1024} MB of it in the re-score",
    }


def _hand_page() -> dict[str, Any]:
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from accounts.models import User
    from hands.models import Hand

    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(User.objects.get())
    urls = [f"/hands/{hand.pk}/" for hand in Hand.objects.all()[:60]]
    for url in urls[:10]:
        client.get(url)
    begin = time.perf_counter()
    for url in urls[10:]:
        assert client.get(url).status_code == 200
    seconds = (time.perf_counter() - begin) / 50
    with CaptureQueriesContext(
        connection,
    ) as queries:
        client.get(urls[0])
    return {
        "name": "hand-page",
        "per_second": 1 / seconds,
        "ratio": None,
        "note": f"{1000 * seconds:.1f} ms of server time a page, {len(queries)} queries",
    }


def _chances_pages() -> list[dict[str, Any]]:
    """A hand's pages of chances, six seats and (the dearest) two before the flop; and the job of a player's luck."""
    from django.db import transaction

    from accounts.models import Player
    from hands.luck import request_luck
    from hands.models import Hand, Setup
    from jobs import queue

    six, two = Hand.objects.all()[:2]
    rows = _pages_of_chances(six, 6)
    with transaction.atomic():
        Setup.objects.filter(version__hand=two, seat__number__gt=2).delete()
        rows += _pages_of_chances(two, 2)
        transaction.set_rollback(True)
    job = request_luck(player=Player.objects.order_by("name_key")[0])
    begin = time.perf_counter()
    job = queue.run_to_end(job.pk)
    per_second = job.progress_total / (time.perf_counter() - begin)
    note = f"{job.progress_total:,} six-seat hands of {HANDS:,}, twenty a turn"
    return [*rows, {"name": "luck", "per_second": per_second, "ratio": None, "note": note}]


def _pages_of_chances(hand: Any, seats: int) -> list[dict[str, Any]]:
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from accounts.models import User

    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(User.objects.get())
    rows = []
    for name, url in (("chances", f"/hands/{hand.pk}/chances"), ("worth", f"/hands/{hand.pk}/seats/1/worth")):
        client.get(url)
        taken = []
        for _time in range(5):
            begin = time.perf_counter()
            assert client.get(url).status_code == 200
            taken.append(time.perf_counter() - begin)
        with CaptureQueriesContext(connection) as queries:
            client.get(url)
        seconds = min(taken)
        note = f"{1000 * seconds:.0f} ms of server time a page, {len(queries)} queries"
        rows.append({"name": f"{name}-page-{seats}", "per_second": 1 / seconds, "ratio": None, "note": note})
    return rows


def _post_results() -> None:
    """Every session settled, with transfers between any two, so that a player's account is as long as it would be."""
    from itertools import permutations

    from django.db import transaction

    from accounts.ledger import Entry, player_accounts, post
    from accounts.models import Player
    from hands.models import Session
    from settlement.models import Settlement

    with transaction.atomic():
        accounts = list(player_accounts(Player.objects.all(), "USD").values())
        for session in Session.objects.all():
            at = session.started_at
            settlement = Settlement.objects.create(
                session=session, revision=0, hands=HANDS_A_SESSION, hands_digest="", settled_at=at, occurred_at=at
            )
            entries = [
                Entry(*pair, 50, "settlement", settlement.pk, f"{settlement.pk}/{place}", at)
                # Both ways, so that everybody's account has ten entries a session: 10,000 in all.
                for place, pair in enumerate(permutations(accounts, 2))
            ]
            post(session.club_id, entries)
        Session.objects.update(state=Session.State.SETTLED)


def _player_page(peer_per_second: float) -> list[dict[str, Any]]:
    """A player who was in every hand: the job that counts them, then the page with all of it."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from accounts.models import Player, User
    from jobs import queue
    from jobs.models import Job

    _post_results()
    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(User.objects.get())
    url = f"/players/{Player.objects.order_by('name_key')[0].pk}/"
    client.get(url)
    begin = time.perf_counter()
    job = queue.run_to_end(Job.objects.get(kind="tally").pk)
    counted = job.progress_total / (time.perf_counter() - begin)
    client.get(url)
    begin = time.perf_counter()
    for _time in range(10):
        assert "Head to head" in client.get(url).text
    seconds = (time.perf_counter() - begin) / 10
    with CaptureQueriesContext(connection) as queries:
        client.get(url)
    return [
        {
            "name": "tally",
            "per_second": counted,
            "ratio": counted / peer_per_second,
            "note": f"{job.progress_total:,} six-seat hands on SQLite counted row by row for every pair",
        },
        {
            "name": "player-page",
            "per_second": 1 / seconds,
            "ratio": None,
            "note": f"{1000 * seconds:.0f} ms of server time a page, {len(queries)} queries, "
            f"{HANDS:,} hands in {HANDS // HANDS_A_SESSION:,} sessions",
        },
    ]
