"""Every address: the API of the embedded service, then the pages."""

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/", include("dashboard.service.urls")),
    path("", include("dashboard.web.urls")),
]
