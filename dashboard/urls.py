"""Every address: the two APIs of the embedded service, then the pages."""

from django.urls import URLPattern, URLResolver, include, path

from dashboard.api.urls import runloop_urlpatterns

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/", include("dashboard.api.urls")),
    path("v1/", include(runloop_urlpatterns)),
    path("", include("dashboard.web.urls")),
]

handler400 = "dashboard.web.site.errors.bad_request"
handler403 = "dashboard.web.site.errors.forbidden"
handler404 = "dashboard.web.site.errors.not_found"
handler500 = "dashboard.web.site.errors.fault"
