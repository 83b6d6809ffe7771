"""The sources as a Django app: what was read from them has a table."""

from django.apps import AppConfig


class SourcesConfig(AppConfig):
    name = "dashboard.sources"
    label = "sources"
