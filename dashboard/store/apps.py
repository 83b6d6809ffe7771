"""The embedded service as a Django app."""

from django.apps import AppConfig


class ServiceConfig(AppConfig):
    name = "dashboard.store"
    label = "service"
