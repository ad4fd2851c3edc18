from django.apps import AppConfig
from django.db.models.signals import post_migrate


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts import checks  # noqa: F401  (registers them)
        from accounts.guards import install_after_migrate

        post_migrate.connect(install_after_migrate, sender=self)
