from django.urls import path

from accounts import player_views, views

urlpatterns = [
    path("clubs/new", views.new_club, name="club-new"),
    path("clubs/<uuid:club_id>/", views.club, name="club"),
    path("clubs/<uuid:club_id>/hosts", views.add_host, name="host-add"),
    path("clubs/<uuid:club_id>/keys", views.create_key, name="key-new"),
    path("clubs/<uuid:club_id>/keys/<uuid:key_id>/revoke", views.revoke_key, name="key-revoke"),
    path("clubs/<uuid:club_id>/test/wipe", views.wipe_test_club, name="test-wipe"),
    path("clubs/<uuid:club_id>/audit", views.audit, name="audit"),
    path("clubs/<uuid:club_id>/players", views.players, name="players"),
    path("players/<uuid:player_id>/edit", player_views.edit_player, name="player-edit"),
    path("players/<uuid:player_id>/active", player_views.set_active, name="player-active"),
    path("players/<uuid:player_id>/merge", player_views.merge, name="player-merge"),
    path("merges/<uuid:merge_id>/undo", player_views.undo_merge, name="merge-undo"),
    path("join/<str:text>", player_views.join, name="join"),
]
