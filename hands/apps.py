from django.apps import AppConfig


class HandsConfig(AppConfig):
    name = "hands"
