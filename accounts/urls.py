from django.urls import path

from accounts import views

urlpatterns = [
    path("clubs/new", views.new_club, name="club-new"),
    path("clubs/<uuid:club_id>/", views.club, name="club"),
    path("clubs/<uuid:club_id>/hosts", views.add_host, name="host-add"),
    path("clubs/<uuid:club_id>/keys", views.create_key, name="key-new"),
    path("clubs/<uuid:club_id>/keys/<uuid:key_id>/revoke", views.revoke_key, name="key-revoke"),
    path("clubs/<uuid:club_id>/audit", views.audit, name="audit"),
    path("clubs/<uuid:club_id>/players", views.players, name="players"),
]
