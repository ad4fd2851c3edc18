"""The read-only page of a session for everybody at the table: an address that opens without a log-in.

The address is kept as it is, not as a digest: the host shows it again and again, as a QR code too, and it opens nothing
but what the whole table sees anyway. Switched off it is forgotten; switched on again it is another.
"""

import uuid

import qrcode
from django.db import transaction

from accounts import audit
from hands.models import Session


@transaction.atomic
def switch_live_on(*, session: Session) -> None:
    """Give the session an address that can't be guessed; one that has it keeps it."""
    if Session.objects.filter(pk=session.pk, live_id=None).update(live_id=uuid.uuid4()):
        audit.note(session.club_id, "live.on", session.pk, name=session.table)


@transaction.atomic
def switch_live_off(*, session: Session) -> None:
    """The address opens nothing any more; a session without one stays as it is."""
    if Session.objects.filter(pk=session.pk).exclude(live_id=None).update(live_id=None):
        audit.note(session.club_id, "live.off", session.pk, name=session.table)


def qr_code(text: str) -> dict[str, object]:
    """A QR code as numbers for an SVG: its ``size`` in squares with a quiet zone, and the ``path`` of the dark."""
    code = qrcode.QRCode(border=4)
    code.add_data(text)
    rows = code.get_matrix()
    squares = (
        f"M{column} {row}h1v1h-1z" for row, cells in enumerate(rows) for column, is_dark in enumerate(cells) if is_dark
    )
    return {"size": len(rows), "path": "".join(squares)}
