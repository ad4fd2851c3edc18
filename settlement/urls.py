from django.urls import include, path

from hands import api
from settlement import views

urlpatterns = [
    path("", include("hands.urls")),
    path("", include("accounts.urls")),
    path("accounts/", include("allauth.urls")),
    path("sessions/<uuid:session_id>/settle", views.settle, name="settle"),
    path("players/<uuid:player_id>/", views.player, name="player"),
    path("statements/<uuid:statement_id>/", views.statement, name="statement"),
    path("statements/<uuid:statement_id>/download", views.download_statement, name="statement-download"),
    path("api/v1/hands", api.HandListView.as_view(), name="api-hands"),
    path("api/v1/hands/<uuid:hand_id>", api.HandView.as_view(), name="api-hand"),
]
