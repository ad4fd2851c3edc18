"""The addresses of the API, version 1."""

from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.urls import path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from accounts.api import clubs
from hands.api import chances, hands, imports, rule_sets, sessions
from settlement.api import book_files, disputes, exports, ledger, payments, statements, webhooks
from settlement.api import sessions as operations


def at(address: str, view: Any, name: str) -> Any:
    return path(address, view.as_view(), name=f"api-{name}")


DOCS = SpectacularSwaggerSplitView.as_view(url_name="api-schema", template_name="settlement/api_docs.html")

urlpatterns = [
    at("club", clubs.OwnClubView, "club"),
    at("players", clubs.PlayerListView, "players"),
    at("players/<uuid:player_id>", clubs.PlayerView, "player"),
    at("rule-sets", rule_sets.RuleSetListView, "rule-sets"),
    at("rule-sets/<uuid:rule_set_id>", rule_sets.RuleSetView, "rule-set"),
    at("sessions", sessions.SessionListView, "sessions"),
    at("sessions/<uuid:session_id>", sessions.SessionView, "session"),
    at("sessions/<uuid:session_id>/close", operations.SessionCloseView, "session-close"),
    at("sessions/<uuid:session_id>/reopen", operations.SessionReopenView, "session-reopen"),
    at("sessions/<uuid:session_id>/settle", operations.SessionSettleView, "session-settle"),
    at("hands", hands.HandListView, "hands"),
    at("hands/<uuid:hand_id>", hands.HandView, "hand"),
    at("hands/<uuid:hand_id>/chances", chances.HandChancesView, "hand-chances"),
    at("hands/<uuid:hand_id>/correct", operations.HandCorrectView, "hand-correct"),
    at("hands/<uuid:hand_id>/void", operations.HandVoidView, "hand-void"),
    at("imports", imports.ImportListView, "imports"),
    at("imports/<uuid:import_id>", imports.ImportView, "import"),
    at("imports/<uuid:import_id>/cancel", imports.ImportCancelView, "import-cancel"),
    at("imports/<uuid:import_id>/errors", imports.ImportErrorListView, "import-errors"),
    at("imports/<uuid:import_id>/failed-lines", imports.FailedLinesView, "import-failed-lines"),
    at("discrepancies", imports.DiscrepancyListView, "discrepancies"),
    at("balances", ledger.BalanceListView, "balances"),
    at("transfers", ledger.TransferListView, "transfers"),
    at("transfers/<uuid:transfer_id>", ledger.TransferView, "transfer"),
    at("payments", payments.PaymentListView, "payments"),
    at("payments/<uuid:payment_id>", payments.PaymentView, "payment"),
    at("payments/<uuid:payment_id>/confirm", payments.PaymentConfirmView, "payment-confirm"),
    at("payments/<uuid:payment_id>/cancel", payments.PaymentCancelView, "payment-cancel"),
    at("settlements", operations.SettlementListView, "settlements"),
    at("settlements/<uuid:settlement_id>", operations.SettlementView, "settlement"),
    at("settlements/<uuid:settlement_id>/reverse", operations.SettlementReverseView, "settlement-reverse"),
    at("statements", statements.StatementListView, "statements"),
    at("statements/<uuid:statement_id>", statements.StatementView, "statement"),
    at("statements/<uuid:statement_id>/download", statements.StatementFileView, "statement-download"),
    at("book-files", book_files.BookFileListView, "book-files"),
    at("book-files/<uuid:book_file_id>", book_files.BookFileView, "book-file"),
    at("book-files/<uuid:book_file_id>/workbook", book_files.BookFileWorkbookView, "book-file-workbook"),
    at("book-files/<uuid:book_file_id>/csv", book_files.BookFileCsvView, "book-file-csv"),
    at("exports", exports.ExportListView, "exports"),
    at("exports/<uuid:export_id>", exports.ExportView, "export"),
    at("exports/<uuid:export_id>/download", exports.ExportFileView, "export-download"),
    at("disputes", disputes.DisputeListView, "disputes"),
    at("disputes/<uuid:dispute_id>", disputes.DisputeView, "dispute"),
    at("disputes/<uuid:dispute_id>/decline", disputes.DisputeDeclineView, "dispute-decline"),
    at("reminders", disputes.ReminderListView, "reminders"),
    at("reminders/<uuid:reminder_id>", disputes.ReminderView, "reminder"),
    at("statements/<uuid:statement_id>/csv", statements.StatementCsvView, "statement-csv"),
    at("webhooks", webhooks.WebhookListView, "webhooks"),
    at("webhooks/<uuid:webhook_id>", webhooks.WebhookView, "webhook"),
    at("webhooks/<uuid:webhook_id>/rotate", webhooks.WebhookRotateView, "webhook-rotate"),
    at("webhooks/<uuid:webhook_id>/ping", webhooks.WebhookPingView, "webhook-ping"),
    at("deliveries", webhooks.DeliveryListView, "deliveries"),
    at("deliveries/<uuid:delivery_id>", webhooks.DeliveryView, "delivery"),
    at("deliveries/<uuid:delivery_id>/resend", webhooks.DeliveryResendView, "delivery-resend"),
    path("schema/", login_not_required(SpectacularAPIView.as_view()), name="api-schema"),
    path("docs/", login_not_required(DOCS), name="api-docs"),
]
