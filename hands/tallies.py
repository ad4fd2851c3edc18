"""Statistics that are worked out from the cards: who won which row from whom, counted by session.

A session's tallies are a cache. They carry the session's revision, which every change of a hand or a seat raises, so
one that is old is known as such; `test_tallies` holds them against hand-by-hand scoring. They are worked out past
the models (`hands/compact.py`) and the batch scorer, at first use: a little at once, more by a job.
"""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
from django.db import transaction
from django.db.models import Count, F, QuerySet
from django.db.models.functions import Concat
from numpy.typing import NDArray

from accounts.merging import names_of
from accounts.models import Player
from hands import compact
from hands.models import Board, HandVersion, RuleSet, Seat, Session, Setup, Tally
from hands.queries import SETUP_COLUMNS, read_setup
from hands.rows import insert_rows
from hands.rulesets import rules_of
from hands.scoring import taiwanese
from hands.scoring.games import GAMES, ROWS, Rules
from hands.scoring.taiwanese.batch import pair_results
from jobs import queue
from jobs.models import Job
from jobs.queue import Claim

TALLY: Final = "tally"
# So many hands are worked out while somebody waits for a page: some 30 ms.
AT_ONCE: Final = 1000
BLOCK: Final = 2000

_ON_BOARDS: Final = [f"{row}_{board}" for board in (1, 2) for row in ROWS]
WON: Final = tuple(f"won_{name}" for name in _ON_BOARDS)
LOST: Final = tuple(f"lost_{name}" for name in _ON_BOARDS)
COUNTS: Final = ("hands", "points", "homeruns_won", "homeruns_lost", "compared_1", "compared_2", *WON, *LOST)
_WHERE: Final = {name: place for place, name in enumerate(COUNTS)}
_WINS: Final = slice(_WHERE[WON[0]], _WHERE[WON[-1]] + 1)
_LOSSES: Final = slice(_WHERE[LOST[0]], _WHERE[LOST[-1]] + 1)
# What the other of two has of the same comparisons.
_MIRRORED: Final = [
    _WHERE[name.replace("won", "lost") if "won" in name else name.replace("lost", "won")] for name in COUNTS
]

Counts = NDArray[np.int64]


def sessions_of(player_ids: Iterable[uuid.UUID]) -> QuerySet[Session]:
    """The sessions in which one of these players sat."""
    return Session.objects.filter(pk__in=Seat.objects.filter(player__in=list(player_ids)).values("session"))


@dataclass(frozen=True)
class Stale:
    """A session whose tallies are not those of its revision."""

    id: uuid.UUID
    revision: int
    hands: int


def stale_sessions(player_ids: Iterable[uuid.UUID]) -> list[Stale]:
    """Those of the players' sessions that have to be worked out, the newest first."""
    rows = sessions_of(player_ids).exclude(tallied_revision=F("revision")).order_by("-started_at", "pk")
    return [Stale(*row) for row in rows.annotate(count=Count("hands")).values_list("pk", "revision", "count")]


def bring_up_to_date(*, player: Player) -> Job | None:
    """Work out what is stale of the player, under all names, where that is little; else return the job that does it."""
    stale = stale_sessions(names_of(player.pk))
    if sum(one.hands for one in stale) <= AT_ONCE:
        keep_tallies(stale)
        return None
    job = Job.objects.filter(kind=TALLY, subject_id=player.pk).order_by("-created_at").first()
    if job is not None and job.status != Job.Status.DONE:
        return job
    return queue.enqueue(kind=TALLY, key=f"{TALLY}/{uuid.uuid4()}", subject_id=player.pk, club_id=player.club_id)


def run_tally(*, claim: Claim) -> None:
    """Work out all that is stale of a player, some sessions at a time."""
    stale = stale_sessions(names_of(claim.subject_id))
    total, done = sum(one.hands for one in stale), 0
    for some in _in_portions(stale):
        counted = _count(some)
        done += sum(one.hands for one in some)
        with claim.block():
            _write(some, counted)
            claim.report(done=done, total=total)
    with claim.finish():
        pass


def keep_tallies(stale: Sequence[Stale]) -> None:
    """Work out and keep the tallies of these sessions; one that changes meanwhile stays stale."""
    for some in _in_portions(stale):
        _write(some, _count(some))


def _in_portions(stale: Sequence[Stale]) -> Iterator[list[Stale]]:
    """Sessions that are read together: about a block of hands, or one session of any length."""
    some: list[Stale] = []
    for one in stale:
        if some and sum(other.hands for other in some) + one.hands > BLOCK:
            yield some
            some = []
        some.append(one)
    if some:
        yield some


# By session, player and opponent (None: all).
Counted = dict[tuple[Any, Any, Any], Counts]


@transaction.atomic
def _write(stale: Sequence[Stale], counted: Counted) -> None:
    lines: dict[uuid.UUID, list[list[Any]]] = defaultdict(list)
    for (session, player, opponent), counts in counted.items():
        ids = [compact.id_of(session).hex, compact.id_of(player).hex, compact.id_of(opponent).hex if opponent else None]
        lines[compact.id_of(session)].append(ids + counts.tolist())
    fresh: list[list[Any]] = []
    for one in sorted(stale, key=lambda one: one.id):
        # The session's row is the lock; where its revision is another by now, what was counted is old.
        if Session.objects.filter(pk=one.id, revision=one.revision).update(tallied_revision=one.revision):
            Tally.objects.filter(session=one.id).delete()
            fresh += lines[one.id]
    insert_rows(Tally, ["session", "player", "opponent", *COUNTS], fresh)


def _count(stale: Sequence[Stale]) -> Counted:
    """Every pair's and every player's counts in these sessions, read in blocks of hands."""
    rules = {
        compact.id_of(row.pk): rules_of(row) for row in RuleSet.objects.filter(sessions__in=[one.id for one in stale])
    }
    versions = compact.fetch_rows(
        HandVersion.objects.filter(
            hand__session__in=[one.id for one in stale], is_void=False, hand__current=F("pk")
        ).values_list("pk", "hand__session", "hand__session__rule_set", "has_cards")
    )
    counted: Counted = defaultdict(lambda: np.zeros(len(COUNTS), dtype=np.int64))
    for start in range(0, len(versions), BLOCK):
        _count_block(versions[start : start + BLOCK], rules, counted)
    return counted


def _count_block(versions: Sequence[tuple[Any, ...]], rules: dict[uuid.UUID, Rules], counted: Counted) -> None:
    ids = [version[0] for version in versions]
    setups = compact.fetch_rows(
        Setup.objects.filter(version__in=ids)
        .order_by("version_id")
        .values_list("version_id", "seat__player_id", "net_points", Concat("top", "middle", "bottom"), *SETUP_COLUMNS)
    )
    boards = compact.fetch_rows(
        Board.objects.filter(version__in=ids).order_by("version_id", "number").values_list("version_id", "cards")
    )
    of_version: dict[Any, list[tuple[Any, ...]]] = defaultdict(list)
    for setup in setups:
        of_version[setup[0]].append(setup)
    boards_of: dict[Any, list[str]] = defaultdict(list)
    for version, cards in boards:
        boards_of[version].append(cards)
    alike: dict[tuple[Any, int], list[tuple[Any, ...]]] = defaultdict(list)
    for version, session, rule_set, has_cards in versions:
        seats = of_version[version]
        for _version, player, net_points, *_cards in seats:
            counts = counted[session, player, None]
            counts[_WHERE["hands"]] += 1
            # With cards the points are the sum of the pairs'.
            counts[_WHERE["points"]] += 0 if has_cards else net_points
        if has_cards:
            alike[rule_set, len(seats)].append((session, seats, boards_of[version]))
    for (rule_set, _seats), hands in alike.items():
        _count_alike(hands, rules[compact.id_of(rule_set)], counted)


def _count_alike(hands: Sequence[tuple[Any, ...]], rules: Rules, counted: Counted) -> None:
    """Count the pairs of hands that have the same rules and number of seats, all at once."""
    if isinstance(rules, taiwanese.Rules):
        seats = len(hands[0][1])
        setup_cards = compact.cards_of([seat[3] for _session, of_hand, _boards in hands for seat in of_hand], 7)
        board_cards = compact.cards_of([cards for _session, _seats, boards in hands for cards in boards], 5)
        rows, points = pair_results(
            board_cards.reshape(len(hands), -1, 5), setup_cards.reshape(len(hands), seats, 7), rules
        )
    else:
        # Rows without boards are another thing than a row on a board: of these only points are counted.
        setups = [[read_setup(rules.game, *seat[4:]) for seat in of_hand] for _session, of_hand, _boards in hands]
        scores = [GAMES[rules.game].score((), one, rules) for one in setups]
        points = np.array([[pair.points for pair in score.pairs] for score in scores], dtype=np.int32)
        rows = np.zeros((*points.shape, 0), dtype=np.int8)
    places: dict[tuple[Any, Any, Any], int] = {}
    of_pair = np.array(
        [
            places.setdefault((session, one[1], other[1]), len(places))
            for session, of_hand, _boards in hands
            for one, other in combinations(of_hand, 2)
        ],
        dtype=np.intp,
    )
    sums = np.zeros((len(places), len(COUNTS)), dtype=np.int64)
    np.add.at(sums, of_pair, _as_counts(rows.reshape(len(of_pair), -1), points.reshape(-1), rules))
    for (session, one, other), counts in zip(places, sums, strict=True):
        theirs = counts[_MIRRORED]
        theirs[_WHERE["points"]] *= -1
        for player, opponent, of_player in ((one, other, counts), (other, one, theirs)):
            counted[session, player, opponent] += of_player
            to_all = of_player.copy()
            to_all[_WHERE["hands"]] = 0  # a hand against five opponents is one hand
            counted[session, player, None] += to_all


def _as_counts(rows: NDArray[np.int8], points: NDArray[np.int32], rules: Rules) -> Counts:
    """Each comparison of two setups as a line of counts for the first of them."""
    counts = np.zeros((len(rows), len(COUNTS)), dtype=np.int64)
    counts[:, _WHERE["hands"]] = 1
    counts[:, _WHERE["points"]] = points
    if not isinstance(rules, taiwanese.Rules):
        return counts
    counts[:, _WHERE["compared_1"]] = 1
    counts[:, _WHERE["compared_2"]] = rules.boards > 1
    if rules.homerun_bonus:
        counts[:, _WHERE["homeruns_won"]] = (rows == 1).all(axis=1)
        counts[:, _WHERE["homeruns_lost"]] = (rows == -1).all(axis=1)
    counts[:, _WINS][:, : rows.shape[1]] = rows == 1
    counts[:, _LOSSES][:, : rows.shape[1]] = rows == -1
    return counts
