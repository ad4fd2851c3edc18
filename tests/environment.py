"""Loaded before Django's settings (`-p tests.environment`): a data folder and a database of the tests' own."""

import atexit
import os
import shutil
import tempfile

from tests import postgres

folder = tempfile.mkdtemp(prefix="homerun-tests-")
atexit.register(shutil.rmtree, folder, ignore_errors=True)
os.environ["HOMERUN_DATA"] = folder
os.mkdir(os.path.join(folder, "static"))
os.environ["SECRET_KEY"] = "for tests only"
os.environ.pop("DATABASE_URL", None)
os.environ["EMAIL_URL"] = "memorymail://"
if os.environ.get("HOMERUN_TEST_DATABASE") == "postgresql":
    os.environ["DATABASE_URL"] = postgres.cluster_url()
