from django.urls import include, path

from hands import api
from settlement import books_views, install, views

urlpatterns = [
    path("", include("hands.urls")),
    path("", include("accounts.urls")),
    path("manifest.webmanifest", install.manifest, name="manifest"),
    path("accounts/", include("allauth.urls")),
    path("clubs/<uuid:club_id>/books", books_views.books_of_club, name="books"),
    path("clubs/<uuid:club_id>/books/verify", books_views.verify_books, name="books-verify"),
    path("clubs/<uuid:club_id>/jobs", books_views.jobs_of_club, name="jobs"),
    path("clubs/<uuid:club_id>/jobs/<uuid:job_id>/retry", books_views.retry_job, name="job-retry"),
    path("sessions/<uuid:session_id>/settle", views.settle, name="settle"),
    path("sessions/<uuid:session_id>/reopen", views.reopen_session, name="session-reopen"),
    path("sessions/<uuid:session_id>/history", views.session_history, name="session-history"),
    path("hands/<uuid:hand_id>/correct", views.correct_hand, name="hand-correct"),
    path("hands/<uuid:hand_id>/void", views.void_hand, name="hand-void"),
    path("hands/<uuid:hand_id>/history", views.hand_history, name="hand-history"),
    path("ledger/<uuid:account_id>/", views.account, name="account"),
    path("players/<uuid:player_id>/", views.player, name="player"),
    path("statements/<uuid:statement_id>/", views.statement, name="statement"),
    path("statements/<uuid:statement_id>/download", views.download_statement, name="statement-download"),
    path("api/v1/hands", api.HandListView.as_view(), name="api-hands"),
    path("api/v1/hands/<uuid:hand_id>", api.HandView.as_view(), name="api-hand"),
    path("api/<path:rest>", api.NothingView.as_view()),
]
