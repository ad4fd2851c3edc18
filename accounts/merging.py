"""Two names that are one person.

Nothing that was written changes: sessions, seats and transfers keep their names. Only what ``merged`` owes and
is owed moves to ``kept``, by transfers, now and after every later settlement; undoing reverses those transfers.
"""

import uuid
from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import audit, ledger
from accounts.faults import fault
from accounts.ledger import Entry
from accounts.models import Account, Merge, Player, Transfer


def names_of(player_id: uuid.UUID) -> list[uuid.UUID]:
    """The ids of everything that this player is written as: their own, and those of the names merged into it."""
    merged = Merge.objects.filter(kept=player_id, undone_at=None).values_list("merged", flat=True)
    return [player_id, *merged]


@transaction.atomic
def merge_players(*, kept: Player, merged: Player) -> Merge:
    """Make ``merged`` another name of ``kept``: two players of one club.

    Raises ``ValidationError`` when they are the same, when either stands in a merge that this one would chain to,
    or when both have a log-in of their own.
    """
    ledger.lock_book(kept.club_id)
    if kept.pk == merged.pk or kept.club_id != merged.club_id:
        raise fault("/merged", "same_player", _("Choose another player of this club."))
    standing = Merge.objects.filter(undone_at=None)
    if standing.filter(Q(merged=merged) | Q(merged=kept) | Q(kept=merged)).exists():
        raise fault(
            "/merged",
            "merged_before",
            _("%(one)s or %(other)s is part of another merge; merge into the name that stays, or undo that one first.")
            % {"one": merged.name, "other": kept.name},
        )
    if merged.user_id is not None:
        raise fault(
            "/merged",
            "has_login",
            _("%(name)s has a log-in; merge the other name into this one.") % {"name": merged.name},
        )
    merge = Merge.objects.create(club_id=kept.club_id, kept=kept, merged=merged)
    move_balances(club_id=kept.club_id, player_ids=[merged.pk], occurred_at=merge.merged_at)
    audit.note(kept.club_id, "players.merged", kept.pk, name=merged.name, into=kept.name)
    return merge


@transaction.atomic
def undo_merge(*, merge: Merge) -> None:
    """Make them two people again: every transfer of the merge is reversed. Undoing it again changes nothing."""
    ledger.lock_book(merge.club_id)
    now = timezone.now()
    if not Merge.objects.filter(pk=merge.pk, undone_at=None).update(undone_at=now):
        return
    moved = Transfer.objects.filter(club=merge.club_id, source_id=merge.pk, reverses=None).order_by("sequence")
    ledger.reverse(merge.club_id, moved, source_id=merge.pk, occurred_at=now)
    audit.note(merge.club_id, "merge.undone", merge.kept_id, name=merge.merged.name, into=merge.kept.name)


def move_balances(*, club_id: uuid.UUID, player_ids: Iterable[uuid.UUID], occurred_at: datetime) -> None:
    """Move what stands on the accounts of merged players to the names that were kept.

    Must be called inside a transaction that holds the club's book, so that no balance moves meanwhile.
    """
    merges = {merge.merged_id: merge for merge in Merge.objects.filter(merged__in=list(player_ids), undone_at=None)}
    if not merges:
        return
    held = Account.objects.filter(player__in=merges, kind=Account.Kind.PLAYER).exclude(balance_minor=0)
    for account in held.order_by("currency", "pk"):
        merge = merges[account.player_id]
        kept = ledger.player_account(merge.kept, account.currency)
        is_owed = account.balance_minor > 0
        ledger.post(
            club_id,
            [
                Entry(
                    debit=account if is_owed else kept,
                    credit=kept if is_owed else account,
                    amount_minor=abs(account.balance_minor),
                    kind=Transfer.Kind.MERGE,
                    source_id=merge.pk,
                    source_key=f"merge/{merge.pk}/{uuid.uuid4()}",
                    occurred_at=occurred_at,
                )
            ],
        )
