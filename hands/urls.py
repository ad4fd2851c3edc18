from django.urls import path

from hands import board_views, entry_views, points_views, rule_views, start_views, views

urlpatterns = [
    path("", start_views.sessions, name="sessions"),
    path("demo", start_views.show_demo, name="demo"),
    path("clubs/<uuid:club_id>/put-away", start_views.put_demo_away, name="demo-put-away"),
    path("point-worth", start_views.point_worth, name="point-worth"),
    path("clubs/<uuid:club_id>/sessions/new", start_views.new_session, name="session-new"),
    path("clubs/<uuid:club_id>/sessions/again", start_views.same_as_last_time, name="session-again"),
    path("clubs/<uuid:club_id>/rules", rule_views.rule_sets, name="rule-sets"),
    path("clubs/<uuid:club_id>/rules/<slug:preset>", rule_views.preset, name="rule-preset"),
    path("rules/<uuid:rule_set_id>/", rule_views.rule_set, name="rule-set"),
    path("sessions/<uuid:session_id>/", board_views.session, name="session"),
    path("sessions/<uuid:session_id>/board", board_views.board, name="board"),
    path("sessions/<uuid:session_id>/seats", board_views.seats, name="seats"),
    path("sessions/<uuid:session_id>/seats/<int:number>", board_views.change_seat, name="seat-change"),
    path("sessions/<uuid:session_id>/live", board_views.live_link, name="live-link"),
    path("sessions/<uuid:session_id>/hands/new", entry_views.new_hand, name="hand-new"),
    path("sessions/<uuid:session_id>/hands/check", entry_views.check_hand, name="hand-check"),
    path("sessions/<uuid:session_id>/hands/save", entry_views.save_hand, name="hand-save"),
    path("sessions/<uuid:session_id>/drafts/<uuid:client_key>", entry_views.draft, name="draft"),
    path("sessions/<uuid:session_id>/hands/points", points_views.new_points, name="hand-points"),
    path("hands/<uuid:hand_id>/", views.hand, name="hand"),
    path("hands/<uuid:hand_id>/undo", entry_views.undo_hand, name="hand-undo"),
    path("live/<uuid:live_id>", board_views.live_page, name="live"),
    path("live/<uuid:live_id>/board", board_views.live_board, name="live-board"),
]
