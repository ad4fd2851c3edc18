"""The web process's entry, for granian or any WSGI server."""

import os

from django.core.wsgi import get_wsgi_application

from jobs.parent import leave_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settlement.settings")

# Not to outlive the web process that started this one.
leave_with_parent()
application = get_wsgi_application()
