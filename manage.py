#!/usr/bin/env python
"""Django's command line for Benchtrend."""

import os
import sys


def main() -> None:
    os.umask(0o077)  # what it writes is for the owner of the state folder alone
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from environs.exceptions import EnvError

    try:
        settings._setup()  # type: ignore[misc]  # now, so that a setting that is wrong is a sentence and no trace
    except (EnvError, ImproperlyConfigured) as error:
        sys.exit(f"{error}")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
