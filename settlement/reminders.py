"""A friendly word to somebody who owes: a notice, at most one a day for the same two."""

import zoneinfo

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import audit
from accounts.faults import fault
from accounts.models import Account, Club, User
from accounts.services import lock_club
from hands.models import Session
from jobs import events
from settlement.models import Reminder
from settlement.notice_models import Notice
from settlement.payments import holder_name, owed_between


@transaction.atomic
def ask_reminder(*, payer: Account, payee: Account, session: Session | None, author: User | None) -> Reminder:
    """Write the reminder and the notice that tells it.

    Raises ``ValidationError`` when nothing is owed between the two, when one was sent today, and when it would
    reach nobody: the payer has no log-in here, or has switched reminders off.
    """
    club = Club.objects.get(pk=payer.club_id)
    # The club's row is the lock: a double tap sends one.
    lock_club(club.pk)
    amount_minor = owed_between(payer, payee)
    if not amount_minor:
        raise fault("", "nothing_owed", _("Nothing is open between these two any more."))
    words = {"name": holder_name(payer)}
    if payer.player is None or payer.player.user is None:
        sentence = _("%(name)s has no log-in here, so there is no email. Copy the list as text and send it yourself.")
        raise fault("", "no_email", sentence % words)
    day = timezone.now().astimezone(zoneinfo.ZoneInfo(club.time_zone)).date()
    if Reminder.objects.filter(payer=payer, payee=payee, day=day).exists():
        raise fault("", "reminded_today", _("%(name)s was reminded today already.") % words)
    reminder = Reminder.objects.create(
        club=club, payer=payer, payee=payee, amount_minor=amount_minor, session=session, asked_by=author, day=day
    )
    events.announce("payment.reminded", club_id=club.pk, subject_id=reminder.pk)
    if not Notice.objects.filter(kind=Notice.Kind.PAYMENT_REMINDED, subject_id=reminder.pk).exists():
        sentence = _("%(name)s has switched reminders off. Copy the list as text and send it yourself.")
        raise fault("", "reminders_off", sentence % words)
    audit.note(club.pk, "reminder.asked", reminder.pk, name=holder_name(payer))
    return reminder
