#!/usr/bin/env python
"""The one door for commands: `manage.py serve`, `manage.py score_hands FILE`, ..."""

import argparse
import os
import sys

from django.core.management import execute_from_command_line


def name_data_folder(arguments: list[str]) -> None:
    """Put the folder of `serve --data` where the settings look for it: they are read once, at the start."""
    if arguments[:1] == ["serve"]:
        parser = argparse.ArgumentParser(add_help=False)
        parser.add_argument("--data")
        if folder := parser.parse_known_args(arguments[1:])[0].data:
            os.environ["HOMERUN_DATA"] = os.path.abspath(folder)


if __name__ == "__main__":
    name_data_folder(sys.argv[1:])
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settlement.settings")
    execute_from_command_line(sys.argv)
