"""The settings of the tests: the real ones over a state folder of their own, whatever the caller's environment says."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

KEPT = {"DATABASE_URL"}  # lets the same tests run on Postgres
_settings_file = Path(__file__).resolve().parent.parent / "dashboard" / "settings.py"
_folder = Path(tempfile.mkdtemp(prefix="benchtrend-tests-"))
atexit.register(shutil.rmtree, _folder, ignore_errors=True)

for _name in [name for name in os.environ if f'("{name}"' in _settings_file.read_text() and name not in KEPT]:
    del os.environ[_name]
os.environ["BENCHTREND_DATA"] = str(_folder)

from dashboard.settings import *  # noqa: E402, F403
from dashboard.settings import DATABASES, STATIC_ROOT, STORAGES  # noqa: E402

# A real file: an in-memory SQLite shares one connection between threads and hides what locking does.
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["TEST"] = {"NAME": str(_folder / "test.sqlite3")}

# Pages find their static files without a collectstatic first.
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
STATIC_ROOT.mkdir()

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
