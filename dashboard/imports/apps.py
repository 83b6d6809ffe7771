"""Brings measured results, runs and conversations in from files, by commands."""

from django.apps import AppConfig


class ImportsConfig(AppConfig):
    name = "dashboard.imports"
    label = "imports"
