from django.urls import path

from hands import entry_views, views

urlpatterns = [
    path("", views.sessions, name="sessions"),
    path("clubs/<uuid:club_id>/sessions/new", views.new_session, name="session-new"),
    path("clubs/<uuid:club_id>/rules", views.rule_sets, name="rule-sets"),
    path("sessions/<uuid:session_id>/", views.session, name="session"),
    path("sessions/<uuid:session_id>/hands/new", entry_views.new_hand, name="hand-new"),
    path("sessions/<uuid:session_id>/hands/check", entry_views.check_hand, name="hand-check"),
    path("sessions/<uuid:session_id>/hands/save", entry_views.save_hand, name="hand-save"),
    path("sessions/<uuid:session_id>/drafts/<uuid:client_key>", entry_views.draft, name="draft"),
    path("sessions/<uuid:session_id>/close", views.close_session, name="session-close"),
    path("hands/<uuid:hand_id>/", views.hand, name="hand"),
    path("hands/<uuid:hand_id>/undo", entry_views.undo_hand, name="hand-undo"),
]
