"""The one settings file. Every setting comes from the environment and fails loudly when it is wrong."""

from __future__ import annotations

from logging import LogRecord
from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF
from environs import Env

from dashboard.environment import (
    keep_secret_key,
    name_cookie,
    name_hosts,
    open_state_folder,
    read_networks,
    read_origins,
)

env = Env()
ROOT = Path(__file__).resolve().parent.parent

# State: database, secret key and caches live in one folder.
DATA_DIR = open_state_folder(Path(env.str("BENCHTREND_DATA", "") or ROOT / "var"))
SECRET_KEY = env.str("SECRET_KEY", "") or keep_secret_key(DATA_DIR / "secret_key")
DEBUG = env.bool("DEBUG", False)

# Serving.
HOST = env.str("HOST", "") or "127.0.0.1"
PORT = env.int("PORT", 8000)
WORKERS = env.int("WORKERS", 2)
THREADS = env.int("THREADS", 4)
DEMO = env.bool("DEMO", True)
HTTPS = env.bool("HTTPS", False)
CSRF_TRUSTED_ORIGINS = read_origins(env.list("TRUSTED_ORIGINS", []))
ALLOWED_HOSTS = list(filter(None, map(str.strip, env.list("ALLOWED_HOSTS", []))))
ALLOWED_HOSTS = ALLOWED_HOSTS or name_hosts(HOST, CSRF_TRUSTED_ORIGINS)
TRUSTED_PROXIES = read_networks(env.list("TRUSTED_PROXIES", ["127.0.0.0/8", "::1"] if HTTPS else []))

# The Loop API. Without a base URL the dashboard reads its own service, in this process.
RUNBIOS_BASE_URL = env.str("RUNBIOS_BASE_URL", "")
RUNBIOS_API_KEY = env.str("RUNBIOS_API_KEY", "")
RUNBIOS_WORKSPACE_ID = env.str("RUNBIOS_WORKSPACE_ID", "")
RUNBIOS_ORG_ID = env.str("RUNBIOS_ORG_ID", "")
RUNBIOS_TIMEOUT_S = env.float("RUNBIOS_TIMEOUT_S", 10.0)
# Of our own service: the model of a judge that names none, where the benchmark names none either.
DEFAULT_JUDGE_MODEL = env.str("DEFAULT_JUDGE_MODEL", "").strip()

# The Runloop API, likewise. With a key and no base URL it is Runloop's own address.
RUNLOOP_BASE_URL = env.str("RUNLOOP_BASE_URL", "")
RUNLOOP_API_KEY = env.str("RUNLOOP_API_KEY", "")
RUNLOOP_TIMEOUT_S = env.float("RUNLOOP_TIMEOUT_S", 10.0)

DATABASES: dict[str, Any] = {
    # No URL is made of the folder: "#", "?" and "%" are letters of its path.
    "default": env.dj_db_url("DATABASE_URL")
    if env.str("DATABASE_URL", "")
    else {"ENGINE": "django.db.backends.sqlite3", "NAME": DATA_DIR / "benchtrend.sqlite3"}
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # A reader never waits for a writer, and a writer waits its turn instead of failing at once.
    DATABASES["default"].setdefault("OPTIONS", {}).update(
        transaction_mode="IMMEDIATE",
        timeout=20,
        init_command="PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-32000;"
        "PRAGMA mmap_size=268435456",
    )
else:
    DATABASES["default"].update(CONN_MAX_AGE=60, CONN_HEALTH_CHECKS=True)

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "csp",
    "dashboard",
    "dashboard.sources",
    "dashboard.store",
    "dashboard.imports",
    "dashboard.sample",
    "dashboard.web",
]

MIDDLEWARE = [
    "dashboard.request_id.RequestIdMiddleware",
    "dashboard.api.http.middleware.ApiErrorsMiddleware",
    "dashboard.api.http.middleware.BodyLengthMiddleware",
    "dashboard.web.site.health.answer_probes",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "compression_middleware.middleware.CompressionMiddleware",
    "dashboard.web.site.middleware.keep_out_of_caches",
    "dashboard.sources.reader.page.one_deadline",
    "django.middleware.common.CommonMiddleware",
    "dashboard.api.http.middleware.ApiShortcutMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "dashboard.web.site.middleware.SignInMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
]

AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend", "sesame.backends.ModelBackend"]
SESAME_ONE_TIME = True
SESAME_MAX_AGE = 24 * 3600
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "overview"
LOGOUT_REDIRECT_URL = "sign-in"
CSRF_FAILURE_VIEW = "dashboard.web.site.errors.stale_form"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

ROOT_URLCONF = "dashboard.urls"
WSGI_APPLICATION = "dashboard.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["dashboard.web.templatetags.csrf"],  # its csrf_token also says whose the form is
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "dashboard.web.site.context.permissions",
                "dashboard.web.site.context.unsent_form",
            ],
        },
    }
]

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [ROOT / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
WHITENOISE_MANIFEST_STRICT = False  # an error page is shown even where no static file was collected

USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = False
LANGUAGE_CODE = "en"

# Security. plotly.js fills one empty <style> by script: that element is allowed by the hash of the empty text.
EMPTY_TEXT_HASH = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF, EMPTY_TEXT_HASH],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
SESSION_COOKIE_NAME = name_cookie("session", DATABASES["default"])
CSRF_COOKIE_NAME = name_cookie("csrf", DATABASES["default"])
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
CSRF_COOKIE_HTTPONLY = True
SECURE_REFERRER_POLICY = "same-origin"
if HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SECURE_HSTS_SECONDS = 31_536_000

# The API's views say for themselves who may call them; these are for what stands beside them.
REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "dashboard.api.http.errors.answer_exception",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Benchtrend: the Loop and Runloop APIs, embedded",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "POSTPROCESSING_HOOKS": ["dashboard.api.http.schema.add_shapes"],
}

LOG_LEVEL = env.str("LOG_LEVEL", "INFO").upper()


def keep_refusals_short(record: LogRecord) -> bool:
    """A refusal is one line: where in our code somebody was told no is nothing to look into."""
    if getattr(record, "status_code", 500) < 500:
        record.exc_info = None
    return True


LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "request_id": {"()": "dashboard.request_id.RequestIdFilter"},
        "short_refusals": {"()": "django.utils.log.CallbackFilter", "callback": keep_refusals_short},
    },
    "formatters": {"line": {"format": "{asctime} {levelname} {name} [{request_id}] {message}", "style": "{"}},
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": "line",
            "filters": ["request_id", "short_refusals"],
        }
    },
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        # Django gives these two levels and handlers of its own, which would hold whatever LOG_LEVEL says.
        "django": {"level": LOG_LEVEL},
        "django.server": {"level": LOG_LEVEL, "propagate": True},
        # What these two would say at DEBUG holds parts of answers, and what a service echoes in them.
        "httpx": {"level": "WARNING"},
        "httpcore": {"level": "WARNING"},
    },
}
