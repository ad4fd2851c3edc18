"""Ending a session: what the bank holds and what is doubted is looked at first."""

from django.db import transaction
from django.db.models import F
from django.utils.translation import ngettext

from accounts.faults import fault
from hands import services
from hands.models import Session
from settlement.bank import check_bank
from settlement.disputes import open_disputes


@transaction.atomic
def close_session(*, session: Session, despite_disputes: bool = False) -> None:
    """End recording; a session that is not open stays as it is.

    Raises ``ValidationError`` with code ``bank_differs`` while the bank of the session is not even, and with
    ``open_disputes`` while something is doubted and not ``despite_disputes``.
    """
    # The session's row is the lock, so that no hand and no buy-in comes in between.
    if not Session.objects.filter(pk=session.pk, state=Session.State.OPEN).update(revision=F("revision")):
        return
    check_bank(session)
    if not despite_disputes and (count := len(open_disputes(session))):
        raise fault(
            "",
            "open_disputes",
            ngettext(
                "%(count)d dispute is open. Answer it first, or close the session all the same.",
                "%(count)d disputes are open. Answer them first, or close the session all the same.",
                count,
            )
            % {"count": count},
        )
    services.close_session(session=session)
