"""Jobs of settling: each takes an id, calls one service, and may run twice."""

from accounts.api import idempotency
from accounts.audit import acting_for
from jobs.queue import Claim, handles, hourly
from settlement import (
    book_files,
    exports,
    notice_mail,
    notices,
    services,
    verify,
    webhook_delivery,
    webhooks,
)


@handles(services.SETTLE)
def settle(claim: Claim) -> None:
    with acting_for(None), claim.finish():
        services.settle_session(session_id=claim.subject_id, asked=claim.key)


@handles(services.STATEMENT)
def export_statement(claim: Claim) -> None:
    services.export_statement(claim=claim)


@handles(verify.VERIFY)
def verify_books(claim: Claim) -> None:
    verify.run_verification(claim=claim)


@handles(notices.NOTICE)
def send_notice(claim: Claim) -> None:
    notice_mail.send_notice(claim=claim)


@handles(webhooks.WEBHOOK)
def deliver_webhook(claim: Claim) -> None:
    with acting_for(None):
        webhook_delivery.deliver(claim=claim)


@handles(exports.EXPORT)
def export_club(claim: Claim) -> None:
    exports.run_export(claim=claim)


@handles(book_files.BOOK_FILE)
def make_book_file(claim: Claim) -> None:
    book_files.make_book_file(claim=claim)


hourly(verify.enqueue_nightly)
hourly(idempotency.forget_old_calls)
hourly(notices.forget_old_notices)
