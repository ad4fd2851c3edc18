"""A friendly word to somebody who owes: an e-mail, sent by a job, at most one a day for the same two."""

import zoneinfo
from typing import Final

from django.core.mail import send_mail
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import audit
from accounts.faults import fault
from accounts.models import Account, Club, User
from accounts.money import format_money
from hands.models import Session
from jobs import queue
from jobs.queue import Claim
from settlement.models import Reminder
from settlement.payments import holder_name, owed_between

REMIND: Final = "remind"


@transaction.atomic
def ask_reminder(*, payer: Account, payee: Account, session: Session | None, author: User | None) -> Reminder:
    """Write the reminder and the job that sends it.

    Raises ``ValidationError`` when nothing is owed between the two, when the payer has no e-mail here, and when
    one was sent today.
    """
    club = Club.objects.get(pk=payer.club_id)
    # The club's row is the lock: a double tap sends one.
    Club.objects.filter(pk=club.pk).update(created_at=club.created_at)
    amount_minor = owed_between(payer, payee)
    if not amount_minor:
        raise fault("", "nothing_owed", _("Nothing is open between these two any more."))
    if payer.player is None or payer.player.user is None:
        raise fault(
            "",
            "no_email",
            _("%(name)s has no log-in here, so there is no email. Copy the list as text and send it yourself.")
            % {"name": holder_name(payer)},
        )
    day = timezone.now().astimezone(zoneinfo.ZoneInfo(club.time_zone)).date()
    if Reminder.objects.filter(payer=payer, payee=payee, day=day).exists():
        raise fault("", "reminded_today", _("%(name)s was reminded today already.") % {"name": holder_name(payer)})
    reminder = Reminder.objects.create(
        club=club, payer=payer, payee=payee, amount_minor=amount_minor, session=session, asked_by=author, day=day
    )
    audit.note(club.pk, "reminder.asked", reminder.pk, name=holder_name(payer))
    queue.enqueue(kind=REMIND, key=f"{REMIND}/{reminder.pk}", subject_id=reminder.pk, club_id=club.pk)
    return reminder


def send_reminder(*, claim: Claim) -> None:
    """Send it, if it is still owed. The mail goes out before the job is done: twice is better than never."""
    rows = Reminder.objects.select_related("club", "session", "payer__player__user", "payee__player")
    reminder = rows.get(pk=claim.subject_id)
    owed_minor = owed_between(reminder.payer, reminder.payee)
    player = reminder.payer.player
    if owed_minor and player is not None and player.user is not None:
        amount = format_money(min(owed_minor, reminder.amount_minor), reminder.payer.currency)
        words = {
            "payer": player.name,
            "payee": holder_name(reminder.payee),
            "amount": amount,
            "club": reminder.club.name,
        }
        lines = [_("Hello %(payer)s, %(payee)s is still owed %(amount)s at %(club)s.") % words]
        if reminder.session is not None:
            lines.append(_("It is for %(table)s.") % {"table": reminder.session.table})
        to = reminder.payee.player
        if to is not None and (how := ", ".join(filter(None, [to.payment_note, to.payment_link]))):
            lines.append(_("How to pay: %(how)s") % {"how": how})
        subject = _("%(amount)s to %(payee)s") % words
        send_mail(subject, "\n\n".join(lines), None, [player.user.email])
        reminder.sent_at = timezone.now()
    with claim.finish():
        reminder.save(update_fields=["sent_at"])
