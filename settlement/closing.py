"""Ending a session: what the bank holds, what is doubted and what is being entered is looked at first."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.faults import fault
from hands import services
from hands.drafts import open_drafts
from hands.models import Session
from hands.phone_rounds import is_being_set
from settlement.bank import check_bank
from settlement.disputes import open_disputes


@transaction.atomic
def close_session(*, session: Session, anyway: bool = False) -> None:
    """End recording; a session that is not open stays as it is.

    Raises ``ValidationError`` with code ``bank_differs`` while the bank of the session is not even, and unless
    ``anyway`` with ``open_disputes`` and ``open_drafts`` while something is doubted or a hand is being entered.
    """
    # The session's row is the lock, so that no hand and no buy-in comes in between.
    if not Session.objects.filter(pk=session.pk, state=Session.State.OPEN).update(revision=F("revision")):
        return
    check_bank(session)
    if not anyway and (open_things := _open_things(session)):
        raise ValidationError(open_things)
    services.close_session(session=session)


def _open_things(session: Session) -> list[ValidationError]:
    found = []
    if count := len(open_disputes(session)):
        words = ngettext("%(count)d dispute is open.", "%(count)d disputes are open.", count) % {"count": count}
        found.append(fault("", "open_disputes", f"{words} {_('Answer it first, or close the session anyway.')}"))
    if count := len(open_drafts(session)) + is_being_set(session):
        words = ngettext("%(count)d hand is being entered.", "%(count)d hands are being entered.", count)
        found.append(
            fault("", "open_drafts", f"{words % {'count': count}} {_('Save it first, or close the session anyway.')}")
        )
    return found
