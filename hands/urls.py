from django.urls import path

from hands import import_views, views

urlpatterns = [
    path("", views.sessions, name="sessions"),
    path("clubs/<uuid:club_id>/sessions/new", views.new_session, name="session-new"),
    path("clubs/<uuid:club_id>/rules", views.rule_sets, name="rule-sets"),
    path("sessions/<uuid:session_id>/", views.session, name="session"),
    path("sessions/<uuid:session_id>/hands/new", views.new_hand, name="hand-new"),
    path("sessions/<uuid:session_id>/close", views.close_session, name="session-close"),
    path("clubs/<uuid:club_id>/imports", import_views.imports, name="imports"),
    path("clubs/<uuid:club_id>/imports/new", import_views.new_import, name="import-new"),
    path("clubs/<uuid:club_id>/imports/sample", import_views.sample, name="import-sample"),
    path("imports/<uuid:import_id>/", import_views.one_import, name="import"),
    path("imports/<uuid:import_id>/cancel", import_views.cancel, name="import-cancel"),
    path("imports/<uuid:import_id>/failed-lines", import_views.download_failed_lines, name="import-failed-lines"),
    path("clubs/<uuid:club_id>/discrepancies", import_views.discrepancies, name="discrepancies"),
    path("clubs/<uuid:club_id>/discrepancies.csv", import_views.download_discrepancies, name="discrepancies-csv"),
    path("hands/<uuid:hand_id>/", views.hand, name="hand"),
]
