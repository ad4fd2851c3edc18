"""Notices by mail: plain text, sent by a job, and no longer than what they say is so."""

from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.names import unshowable
from jobs.queue import Claim
from settlement.models import Payment
from settlement.notice_models import Muted, Notice
from settlement.notice_words import subjects_of, words_of
from settlement.notices import off_text
from settlement.payments import owed_between

# After each attempt that the mail server did not take, how long until the next; after the last the job has failed.
WAITS: Final = [timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1), timedelta(hours=6)]


def send_notice(*, claim: Claim) -> None:
    """Mail the notice, if it still holds and the person still wants it.

    It leaves before that is written, so after a crash it may leave twice (twice is better than never), with the
    same Message-ID.
    """
    notice = Notice.objects.select_related("user", "club").filter(pk=claim.subject_id, mailed_at=None).first()
    message = _message(notice) if notice is not None else None
    if notice is None or message is None:
        with claim.finish():
            pass
        return
    try:
        message.send()
    except OSError as error:  # every fault of smtplib is one, and of the network under it
        _try_later(claim, notice, error)
        return
    with claim.finish():
        Notice.objects.filter(pk=notice.pk).update(mailed_at=timezone.now())


def _try_later(claim: Claim, notice: Notice, error: OSError) -> None:
    if notice.mail_tries >= len(WAITS):
        claim.fail(_("The mail server did not take it (%(error)s).") % {"error": type(error).__name__})
        return
    with claim.again_after(WAITS[notice.mail_tries]):
        Notice.objects.filter(pk=notice.pk).update(mail_tries=notice.mail_tries + 1)


def _message(notice: Notice) -> EmailMessage | None:
    """The mail as it is true now; None when it is not any more, or not wanted."""
    is_muted = Muted.objects.filter(user=notice.user, kind=notice.kind, way=Muted.Way.MAIL).exists()
    subject = None if is_muted or not notice.user.is_active else _as_it_is_now(notice)
    if subject is None:
        return None
    words = words_of(notice, subject)
    off = settings.SITE_URL + reverse("notice-off", args=[off_text(notice.user_id, notice.kind)])
    headers = {
        "Message-ID": f"<{notice.pk}@{urlsplit(settings.SITE_URL).hostname}>",
        "Auto-Submitted": "auto-generated",
        "List-Unsubscribe": f"<{off}>",
    }
    # One click is a POST by the mail program itself (RFC 8058), which needs https.
    if off.startswith("https:"):
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    paragraphs = [
        f"{words.title}.",
        words.text,
        _("%(club)s: %(url)s")
        % {"club": notice.club.name, "url": settings.SITE_URL + reverse("notice", args=[notice.pk])},
        _("To get no more mails like this one: %(url)s") % {"url": off},
    ]
    body = "\n\n".join(_one_line(paragraph) for paragraph in paragraphs if paragraph)
    return EmailMessage(_one_line(words.title), body + "\n", None, [notice.user.email], headers=headers)


def _as_it_is_now(notice: Notice) -> Any:
    """What the notice is about; None where nobody needs to be told any more."""
    subject = subjects_of([notice])[notice.pk]
    if notice.kind == Notice.Kind.SESSION_SETTLED and subject.reversed_at is not None:
        return None
    if notice.kind == Notice.Kind.PAYMENT_ASKED and subject.state != Payment.State.PENDING:
        return None
    if notice.kind == Notice.Kind.PAYMENT_REMINDED:
        # Some of it may be paid by now.
        subject.amount_minor = min(subject.amount_minor, owed_between(subject.payer, subject.payee))
        return subject if subject.amount_minor else None
    return subject


def _one_line(text: str) -> str:
    """Names and sentences that people typed make no line of their own, neither in the head nor in the body."""
    return "".join(letter for letter in " ".join(text.split()) if unshowable(letter) is None)
