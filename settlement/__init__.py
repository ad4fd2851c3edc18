"""What is owed: the project package and the topmost app."""

# Loaded with Django, so that tasks find their app and `manage.py worker` its broker.
from settlement.celery import app as celery_app

__all__ = ["celery_app"]
