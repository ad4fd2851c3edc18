from django.urls import path

from hands import points_views, views

urlpatterns = [
    path("", views.sessions, name="sessions"),
    path("clubs/<uuid:club_id>/sessions/new", views.new_session, name="session-new"),
    path("clubs/<uuid:club_id>/rules", views.rule_sets, name="rule-sets"),
    path("sessions/<uuid:session_id>/", views.session, name="session"),
    path("sessions/<uuid:session_id>/hands/new", views.new_hand, name="hand-new"),
    path("sessions/<uuid:session_id>/hands/points", points_views.new_points, name="hand-points"),
    path("hands/<uuid:hand_id>/", views.hand, name="hand"),
]
