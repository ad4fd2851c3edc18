"""The Celery app: it carries job ids, the rows in `jobs` are the truth."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settlement.settings")

app = Celery("homerun")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.steps["worker"].add("jobs.worker:Relay")
