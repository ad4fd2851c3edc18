"""The web process's entry, for granian or any WSGI server."""

import gc
import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connections
from django.urls import get_resolver

from hands.scoring.tables import omaha_lines
from jobs.parent import leave_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settlement.settings")

# Not to outlive the web process that started this one.
leave_with_parent()
application = get_wsgi_application()
connections.settings["default"]["CONN_MAX_AGE"] = settings.CONN_MAX_AGE

# What is built at first use is built before the first request comes, which would wait a second for it.
get_resolver().url_patterns  # noqa: B018  (it is kept)
omaha_lines()
# It stays: the collector need not go through it again and again.
gc.freeze()
