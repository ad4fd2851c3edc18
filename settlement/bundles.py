"""The statements of all players of a club in one ZIP: a job that makes one after the other and goes on where it ended.

Each is made by its own job, done here and now, so that a statement is the same however it was asked for. One that
fails is named, and the rest go on.
"""

import hashlib
import uuid
from collections.abc import Sequence
from datetime import date, timedelta
from tempfile import TemporaryFile
from typing import IO, Final
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from django.core.exceptions import ValidationError
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Sum
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import audit
from accounts.faults import fault
from accounts.models import Account, Club, Player, Transfer, User
from accounts.money import check_currency
from accounts.services import lock_club
from jobs import queue
from jobs.models import Job
from jobs.queue import Claim, LeaseLost
from settlement.models import Statement, StatementBundle
from settlement.queries import period
from settlement.services import STATEMENT, check_period, clear_folder, request_statement
from settlement.statement_words import file_name

BUNDLE: Final = "statements"
# So many are made in one turn: a broker does not wait for ever, and other jobs want theirs.
A_TURN: Final = 50


@transaction.atomic
def request_bundle(
    *, club: Club, currency: str, first_day: date, last_day: date, author: User | None
) -> StatementBundle:
    """Write the job that makes everybody's statement; while one for the same period waits or runs, that is the one.

    Raises ``ValidationError`` when the period or the currency is none, or nobody has an account in that currency.
    """
    check_currency(currency)
    check_period(first_day, last_day)
    # The club's row is the lock, so that a double tap makes one.
    lock_club(club.pk)
    under_way = queue.under_way(BUNDLE, club_id=club.pk)
    same = StatementBundle.objects.filter(club=club, currency=currency, first_day=first_day, last_day=last_day)
    if there := same.filter(pk__in=under_way.values("subject_id")).first():
        return there
    if not Account.objects.filter(club=club, currency=currency, kind=Account.Kind.PLAYER).exists():
        raise fault("/currency", "no_accounts", _("Nobody has an account in %(currency)s.") % {"currency": currency})
    bundle = StatementBundle.objects.create(
        club=club, currency=currency, first_day=first_day, last_day=last_day, requested_by=author
    )
    audit.note(club.pk, "statements.asked", bundle.pk, name=currency)
    queue.enqueue(kind=BUNDLE, key=f"{BUNDLE}/{bundle.pk}", subject_id=bundle.pk, club_id=club.pk)
    return bundle


def run_bundle(*, claim: Claim) -> None:
    """Make the next statements; the last turn puts them together and finishes the job.

    Raises ``ValidationError`` when there is nothing to state for anybody.
    """
    bundle = StatementBundle.objects.select_related("club").get(pk=claim.subject_id)
    if bundle.made_at is not None:
        with claim.finish():
            return
    if not bundle.players:
        bundle.players = [str(key) for key in players_concerned(bundle)]
        if not bundle.players:
            raise fault("", "nothing_to_state", _("Nobody had a balance or an entry in that period."))
        with claim.block():
            bundle.save(update_fields=["players"])
    for key in bundle.players[bundle.done : bundle.done + A_TURN]:
        _make_one(bundle, Player.objects.select_related("club").get(pk=key))
        bundle.done += 1
        with claim.block():
            bundle.save(update_fields=["done", "statements", "failures"])
            claim.report(done=bundle.done, total=len(bundle.players))
    if bundle.done < len(bundle.players):
        with claim.again_after(timedelta(0)):
            return
    _put_together(claim, bundle)


def players_concerned(bundle: StatementBundle) -> Sequence[uuid.UUID]:
    """The players who had a balance when the period began or an entry in it, in the order of their names."""
    begin, end = period(bundle.first_day, bundle.last_day, bundle.club.time_zone)
    accounts = Account.objects.filter(club=bundle.club, currency=bundle.currency, kind=Account.Kind.PLAYER)
    moved = Transfer.objects.filter(club=bundle.club, currency=bundle.currency)
    balances: dict[uuid.UUID, int] = {}
    concerned: set[uuid.UUID] = set()
    for sign, side in ((-1, "debit_account"), (1, "credit_account")):
        before = moved.filter(occurred_at__lt=begin).order_by().values_list(side)
        for key, sum_minor in before.annotate(sum=Sum("amount_minor")):
            balances[key] = balances.get(key, 0) + sign * sum_minor
        concerned.update(
            moved.filter(occurred_at__gte=begin, occurred_at__lt=end).order_by().values_list(side, flat=True).distinct()
        )
    concerned.update(key for key, sum_minor in balances.items() if sum_minor)
    rows = accounts.order_by("player__name_key", "pk").values_list("pk", "player")
    return [player for key, player in rows if key in concerned and player is not None]


def _make_one(bundle: StatementBundle, player: Player) -> None:
    """Make the player's statement; what keeps it from being made is written down, and is no failure of the rest."""
    try:
        statement = request_statement(
            player=player,
            currency=bundle.currency,
            first_day=bundle.first_day,
            last_day=bundle.last_day,
            author=bundle.requested_by,
        )
        job = queue.run_to_end(Job.objects.values_list("pk", flat=True).get(kind=STATEMENT, subject_id=statement.pk))
        error = job.error if job.status == Job.Status.FAILED else ""
    except ValidationError as refusal:
        error = " ".join(refusal.messages)
    if error:
        bundle.failures.append({"player": str(player.pk), "name": player.name, "reason": error})
    else:
        bundle.statements.append(str(statement.pk))


def _put_together(claim: Claim, bundle: StatementBundle) -> None:
    """Write the ZIP under a name of this claim's own, and make it the bundle's with the end of the job."""
    folder = f"statement-bundles/{bundle.pk}"
    clear_folder(folder)
    made = Statement.objects.select_related("player").in_bulk(list(map(uuid.UUID, bundle.statements)))
    with TemporaryFile() as whole:
        _write_zip(whole, bundle, [made[uuid.UUID(key)] for key in bundle.statements])
        bundle.size_bytes = whole.tell()
        whole.seek(0)
        bundle.sha256 = hashlib.file_digest(whole, "sha256").hexdigest()
        whole.seek(0)
        bundle.made_at = timezone.now()
        bundle.file.name = default_storage.save(f"{folder}/{claim.token.hex}.zip", File(whole))
    try:
        with claim.finish():
            bundle.save(update_fields=["made_at", "file", "size_bytes", "sha256"])
            audit.note(bundle.club_id, "statements.made", bundle.pk, count=len(bundle.statements))
    except LeaseLost:
        default_storage.delete(bundle.file.name)
        raise


def _write_zip(whole: IO[bytes], bundle: StatementBundle, statements: Sequence[Statement]) -> None:
    # Workbooks are packed already.
    with ZipFile(whole, "w", ZIP_STORED) as packed:
        for statement in statements:
            with statement.file.open("rb") as file, packed.open(_entry(file_name(statement)), "w") as entry:
                for chunk in iter(lambda: file.read(1 << 20), b""):
                    entry.write(chunk)
        if bundle.failures:
            words = [f"{one['name']}: {one['reason']}\r\n" for one in bundle.failures]
            text = _("These statements could not be made.") + "\r\n\r\n" + "".join(words)
            packed.writestr(_entry(_("not-made.txt")), "\ufeff" + text)
    whole.seek(0, 2)


def _entry(name: str) -> ZipInfo:
    # With no clock's time, so that the same statements are the same file.
    return ZipInfo(name)
