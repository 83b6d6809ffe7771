"""The sample workspace, and the command that makes and removes it."""

from django.apps import AppConfig


class SampleConfig(AppConfig):
    name = "dashboard.sample"
    label = "sample"
