"""The embedded service's routes, under /api/."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
