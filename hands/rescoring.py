"""Every hand scored again from its cards: compact rows in blocks, the batch, and only what differs written.

What is compared are the seats' stored net points, the one result that is kept. In a settled session nothing is
written: a wrong net there is for a person to correct, with a reason.
"""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Concat
from django.utils import timezone

from accounts import audit
from accounts.models import Club, User
from hands import compact
from hands.models import Board, Hand, HandVersion, Rescore, RescoreDifference, RuleSet, Session, Setup
from hands.rulesets import rules_of
from hands.scoring import batch
from hands.scoring.games import GAMES, Rules
from jobs import queue
from jobs.queue import Claim

RESCORE: Final = "rescore"
BLOCK: Final = batch.BLOCK

_NO_CARD: Final = "2c"


@transaction.atomic
def request_rescore(
    *, club: Club | None = None, session: Session | None = None, is_check: bool, author: User | None
) -> Rescore:
    """Write the job that scores a session, a club or everything again; with ``is_check`` it changes nothing."""
    rescore = Rescore.objects.create(club=club, session=session, is_check=is_check, requested_by=author)
    owner = club.pk if club else session.club_id if session else None
    queue.enqueue(kind=RESCORE, key=f"{RESCORE}/{rescore.pk}", subject_id=rescore.pk, club_id=owner)
    return rescore


def run_rescore(*, claim: Claim) -> None:
    """Go on where the rescore stands, block by block; the last block finishes the job."""
    rescore = Rescore.objects.get(pk=claim.subject_id)
    rules = {str(pk).replace("-", ""): rules for pk, rules in _rules().items()}
    total = _versions(rescore).count()
    done = rescore.hands
    while True:
        block = _read_block(rescore, rules)
        is_last = block.hands < BLOCK
        with claim.finish() if is_last else claim.block():
            _write_differences(rescore, block.differences)
            rescore.hands += block.hands
            rescore.after = block.last or rescore.after
            rescore.finished_at = timezone.now() if is_last else None
            rescore.save(update_fields=["hands", "after", "finished_at"])
            if not is_last:
                done += block.hands
                claim.report(done=done, total=max(total, done))
        if is_last:
            return


def _rules() -> dict[uuid.UUID, Rules]:
    return {rule_set.pk: rules_of(rule_set) for rule_set in RuleSet.objects.all()}


def _scope(rescore: Rescore, path: str) -> dict[str, Any]:
    if rescore.session_id:
        return {f"{path}hand__session": rescore.session_id}
    return {f"{path}hand__session__club": rescore.club_id} if rescore.club_id else {}


def _versions(rescore: Rescore) -> QuerySet[HandVersion]:
    """The current versions in the rescore's scope that have cards, from where it stands."""
    rows = HandVersion.objects.filter(is_void=False, has_cards=True, hand__current=F("pk"), **_scope(rescore, ""))
    return rows.filter(pk__gt=rescore.after) if rescore.after else rows


@dataclass(frozen=True)
class _Difference:
    setup_id: int
    stored: int
    right: int


@dataclass(frozen=True)
class _Read:
    hands: int
    last: uuid.UUID | None
    differences: list[_Difference]


def _read_block(rescore: Rescore, rules: dict[str, Rules]) -> _Read:
    versions = compact.fetch_rows(
        _versions(rescore).order_by("pk").values_list("pk", "hand__session__rule_set")[:BLOCK]
    )
    if not versions:
        return _Read(0, None, [])
    last = uuid.UUID(str(versions[-1][0]))
    in_block = {"version__lte": last} | ({"version__gt": rescore.after} if rescore.after else {})
    in_block |= _scope(rescore, "version__")
    setups = compact.fetch_rows(
        Setup.objects.filter(**in_block)
        .order_by("version_id")
        .values_list("version_id", "pk", "net_points", Concat("top", "middle", "bottom"), "surrendered")
    )
    boards = compact.fetch_rows(
        Board.objects.filter(**in_block).order_by("version_id", "number").values_list("version_id", "cards")
    )
    places = {version: place for place, (version, _rule_set) in enumerate(versions)}
    kinds = [str(rule_set).replace("-", "") for _version, rule_set in versions]
    return _Read(len(versions), last, list(_compare(places, kinds, setups, boards, rules)))


def _compare(
    places: dict[Any, int],
    kinds: Sequence[str],
    setups: Sequence[tuple[Any, ...]],
    boards: Sequence[tuple[Any, ...]],
    rules: dict[str, Rules],
) -> Iterator[_Difference]:
    """Score the hands by rule set and number of seats, and hold the nets against the stored ones."""
    of_setup = np.array([places.get(row[0], -1) for row in setups], dtype=np.intp)
    # Of games without boards there are none, and an empty list by itself is none of indexes.
    of_board = np.array([places.get(row[0], -1) for row in boards], dtype=np.intp)
    ids = np.array([row[1] for row in setups])
    stored = np.array([row[2] for row in setups])
    texts = np.array([row[3] for row in setups], dtype=object)
    gone = np.array([bool(row[4]) for row in setups])
    board_cards = compact.cards_of([row[1] for row in boards], 5)
    seats = np.bincount(of_setup[of_setup >= 0], minlength=len(kinds))
    for kind in set(kinds):
        of_kind = np.array([known == kind for known in kinds])
        for count in np.unique(seats[of_kind]):
            chosen = of_kind & (seats == count)
            mine = (of_setup >= 0) & chosen[of_setup]
            shown = (of_board >= 0) & chosen[of_board]
            hands = int(chosen.sum())
            size = sum(GAMES[rules[kind].game].row_sizes)
            # Of a seat that surrendered the cards are not looked at; it may have none.
            shown_cards = [text or _NO_CARD * size for text in texts[mine]]
            cards = compact.cards_of(shown_cards, size).reshape(hands, count, size)
            of_boards = board_cards[shown].reshape(hands, -1, 5)
            nets = batch.net_points(of_boards, cards, rules[kind], gone[mine].reshape(hands, count)).reshape(-1)
            for place in np.flatnonzero(nets != stored[mine]):
                yield _Difference(int(ids[mine][place]), int(stored[mine][place]), int(nets[place]))


def _write_differences(rescore: Rescore, differences: Sequence[_Difference]) -> None:
    if not differences:
        return
    ids = [difference.setup_id for difference in differences]
    settled = set(
        Setup.objects.filter(pk__in=ids, version__hand__session__state=Session.State.SETTLED).values_list(
            "pk", flat=True
        )
    )
    rows = []
    for difference in differences:
        is_written = not rescore.is_check and difference.setup_id not in settled
        if is_written:
            hand = Hand.objects.select_related("session").get(versions__setups=difference.setup_id)
            audit.note(
                hand.session.club_id, "points.corrected", hand.pk, session=str(hand.session_id), number=hand.number
            )
            Setup.objects.filter(pk=difference.setup_id).update(net_points=difference.right)
        rows.append(
            RescoreDifference(
                rescore=rescore,
                setup_id=difference.setup_id,
                stored_points=difference.stored,
                right_points=difference.right,
                is_written=is_written,
            )
        )
    RescoreDifference.objects.bulk_create(rows)
