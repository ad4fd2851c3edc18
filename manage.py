#!/usr/bin/env python
"""The one door for commands: `manage.py serve`, `manage.py score_hands FILE`, ..."""

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settlement.settings")
    execute_from_command_line(sys.argv)
