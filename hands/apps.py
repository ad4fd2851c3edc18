from django.apps import AppConfig


class HandsConfig(AppConfig):
    name = "hands"

    def ready(self) -> None:
        from hands import tasks  # noqa: F401  (registers the handlers of its jobs, for commands as for workers)
