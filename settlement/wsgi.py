"""The web process's entry, for granian or any WSGI server."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settlement.settings")

application = get_wsgi_application()
