"""The words of the audit."""

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import audit
from accounts.models import AuditRow

register = template.Library()

ACTIONS = {
    "club.founded": gettext_lazy("Club founded"),
    "demo.shown": gettext_lazy("Demo taken out again"),
    "demo.put_away": gettext_lazy("Demo put away"),
    "host.added": gettext_lazy("Host added"),
    "player.added": gettext_lazy("Player added"),
    "player.payment_noted": gettext_lazy("How to pay a player noted"),
    "player.activated": gettext_lazy("Player activated again"),
    "player.deactivated": gettext_lazy("Player deactivated"),
    "player.erased": gettext_lazy("A player's name erased"),
    "player.claimed": gettext_lazy("Invitation taken up"),
    "players.merged": gettext_lazy("Two names merged"),
    "merge.undone": gettext_lazy("Merge undone"),
    "payment.recorded": gettext_lazy("Payment written down"),
    "payment.confirmed": gettext_lazy("Payment confirmed"),
    "payment.cancelled": gettext_lazy("Payment cancelled"),
    "reminder.asked": gettext_lazy("Reminder asked for"),
    "dispute.raised": gettext_lazy("Dispute raised"),
    "dispute.declined": gettext_lazy("Dispute declined"),
    "key.made": gettext_lazy("API key made"),
    "test.wiped": gettext_lazy("Test club emptied"),
    "key.revoked": gettext_lazy("API key revoked"),
    "rules.kept": gettext_lazy("Rules kept"),
    "session.opened": gettext_lazy("Session opened"),
    "session.closed": gettext_lazy("Session closed"),
    "session.reopened": gettext_lazy("Session opened again"),
    "seat.taken": gettext_lazy("Sat down"),
    "seat.left": gettext_lazy("Left the table"),
    "button.put": gettext_lazy("Button put before a seat"),
    "stake.given": gettext_lazy("Stake given"),
    "live.on": gettext_lazy("Live page switched on"),
    "live.off": gettext_lazy("Live page switched off"),
    "phones.begun": gettext_lazy("Own phones set a hand"),
    "phones.stopped": gettext_lazy("Hand on own phones given up"),
    "phone.joined": gettext_lazy("Phone took a seat"),
    "phone.freed": gettext_lazy("Seat taken from a phone"),
    "setup.unlocked": gettext_lazy("Locked cards unlocked"),
    "setup.left_out": gettext_lazy("Left out of a hand on own phones"),
    "hand.recorded": gettext_lazy("Hand recorded"),
    "hands.imported": gettext_lazy("Hands imported"),
    "club.imported": gettext_lazy("Club imported"),
    "export.asked": gettext_lazy("Export asked for"),
    "export.made": gettext_lazy("Export made"),
    "book_file.asked": gettext_lazy("Workbook asked for"),
    "import.cancelled": gettext_lazy("Import cancelled"),
    "hand.corrected": gettext_lazy("Hand corrected"),
    "hand.voided": gettext_lazy("Hand voided"),
    "hand.undone": gettext_lazy("Hand undone right after saving"),
    "settlement.asked": gettext_lazy("Settlement asked for"),
    "settlement.made": gettext_lazy("Session settled"),
    "settlement.reversed": gettext_lazy("Settlement reversed"),
    "statement.asked": gettext_lazy("Statement asked for"),
    "statements.asked": gettext_lazy("Everybody's statements asked for"),
    "statements.made": gettext_lazy("Everybody's statements made"),
    "verification.asked": gettext_lazy("Verification of the books asked for"),
    "webhook.made": gettext_lazy("Webhook made"),
    "webhook.rotated": gettext_lazy("Secret of a webhook rotated"),
    "webhook.disabled": gettext_lazy("Webhook switched off"),
    "webhook.resent": gettext_lazy("Webhook message sent again"),
    "job.retried": gettext_lazy("Failed job tried again"),
    "points.corrected": gettext_lazy("Stored points corrected by a re-score"),
}
SOURCES = {
    audit.PAGE: gettext_lazy("on a page"),
    audit.API: gettext_lazy("through the API"),
    audit.COMMAND: gettext_lazy("by a command on the server"),
    audit.JOB: gettext_lazy("by a job"),
}


@register.filter
def action_words(row: AuditRow) -> str:
    """What was done, with the name or number that tells which: "Hand corrected: 24"."""
    words = str(ACTIONS.get(row.action, row.action))
    which = row.detail.get("number") or row.detail.get("name") or row.detail.get("count")
    return f"{words}: {which}" if which else words


@register.filter
def actor_words(row: AuditRow) -> str:
    """Who did it and from where: "ana@example.com, on a page, 127.0.0.1"."""
    if row.user is not None:
        who = row.user.email
    elif row.api_key is not None:
        who = _("key %(name)s") % {"name": row.api_key.name}
    else:
        who = _("nobody signed in")
    return ", ".join(filter(None, [who, str(SOURCES.get(row.source, row.source)), row.address]))
