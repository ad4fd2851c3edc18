from django.apps import AppConfig


class SettlementConfig(AppConfig):
    name = "settlement"

    def ready(self) -> None:
        from settlement import tasks  # noqa: F401  (registers the handlers of its jobs, for commands as for workers)
