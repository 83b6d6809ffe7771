"""Every address: the API of the embedded service, then the pages."""

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/", include("dashboard.service.urls")),
    path("", include("dashboard.web.urls")),
]

handler400 = "dashboard.web.views.errors.bad_request"
handler403 = "dashboard.web.views.errors.forbidden"
handler404 = "dashboard.web.views.errors.not_found"
handler500 = "dashboard.web.views.errors.fault"
