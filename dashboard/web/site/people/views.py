"""Who may come in, and with which role: for admins."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from dashboard.web.common.links import link_pages
from dashboard.web.common.redirects import SeeOther
from dashboard.web.common.refusals import Refusal, focus_first_error
from dashboard.web.common.times import show_moment
from dashboard.web.site import access, unsent
from dashboard.web.site.access import ROLES, Role
from dashboard.web.site.audit import log as audit
from dashboard.web.site.people import change as people
from dashboard.web.site.people.forms import ActiveForm, AddPersonForm, PeopleForm, RoleForm, SureForm

if TYPE_CHECKING:
    from django.contrib.auth.models import User

PEOPLE_A_PAGE = 50


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def show_people(request: HttpRequest) -> HttpResponse:
    """Everybody who has an account; POST adds somebody and shows their sign-in link, if they need one, this once."""
    access.check(request.user, "manage_people")
    if request.method != "POST":
        typed = unsent.take(request)
        return answer(request, AddPersonForm(initial=typed.dict() if typed else {"role": "viewer"}))
    form = AddPersonForm(request.POST)
    if not form.is_valid():
        return answer(request, form, status=422)
    name, password = form.cleaned_data["name"], form.cleaned_data["password"] or None
    role = cast("Role", form.cleaned_data["role"])
    try:
        with audit.record(request, action="add_person", target_kind="person", target_name=name) as entry:
            user = people.add_person(cast("User", request.user), name, role, password)
            entry.target_id = str(user.pk)
            entry.message = f"role {role}, {'with a password' if password else 'by sign-in link'}"
    except Refusal as refusal:
        form.add_error("name", refusal.message)
        return answer(request, form, status=409)
    if password:
        messages.success(request, f"{name} can sign in now, as {role}.")
        return SeeOther(reverse("people"))
    return answer(request, AddPersonForm(initial={"role": "viewer"}), link_of=user)


@require_http_methods(["GET", "HEAD", "POST"])
def change_role(request: HttpRequest, person_id: int) -> HttpResponse:
    """Give somebody another role. Whoever gives up their own admin role is asked first."""
    access.check(request.user, "manage_people")
    if request.method != "POST":
        return redirect("people")
    person, form = get_person(person_id), RoleForm(request.POST)
    if not form.is_valid():
        return answer(request, refusal="There is no such role.", status=422)
    role = cast("Role", form.cleaned_data["role"])
    if person == request.user and role != "admin" and not form.cleaned_data["sure"]:
        text = f"You are about to become {role}: you could no longer open this page, nor take it back yourself."
        return ask(request, person, text, form, f"Make me {role}")
    try:
        with record(request, "change_role", person) as entry:
            before = people.change_role(cast("User", request.user), person_id, role)
            entry.message = f"{before or 'no role'} to {role}"
    except Refusal as refused:
        return answer(request, refusal=refused.message, status=409)
    messages.success(request, f"{person.get_username()} is {role} from their next request on.")
    return SeeOther(reverse("overview" if person == request.user and role != "admin" else "people"))


@require_http_methods(["GET", "HEAD", "POST"])
def set_active(request: HttpRequest, person_id: int) -> HttpResponse:
    """Switch an account off or on again. Whoever switches themselves off is asked first."""
    access.check(request.user, "manage_people")
    if request.method != "POST":
        return redirect("people")
    person, form = get_person(person_id), ActiveForm(request.POST)
    if not form.is_valid():
        return answer(request, refusal="Say active=yes or active=no.", status=422)
    active = form.cleaned_data["active"] == "yes"
    if person == request.user and not active and not form.cleaned_data["sure"]:
        text = "You are about to switch your own account off: it signs you out, and only another admin can undo it."
        return ask(request, person, text, form, "Switch me off")
    try:
        with record(request, "reactivate" if active else "deactivate", person):
            people.set_active(cast("User", request.user), person_id, active)
    except Refusal as refused:
        return answer(request, refusal=refused.message, status=409)
    what = "can sign in again" if active else "is switched off; their sessions end at their next request"
    messages.success(request, f"{person.get_username()} {what}.")
    return SeeOther(reverse("people"))


@require_http_methods(["GET", "HEAD", "POST"])
def make_link(request: HttpRequest, person_id: int) -> HttpResponse:
    """A new sign-in link of somebody, shown in this answer and nowhere else."""
    access.check(request.user, "manage_people")
    if request.method != "POST":
        return redirect("people")
    person = get_person(person_id)
    try:
        with record(request, "make_link", person):
            if not person.is_active:
                raise Refusal("SWITCHED_OFF", f"{person.get_username()} is switched off and cannot sign in.")
    except Refusal as refused:
        return answer(request, refusal=refused.message, status=409)
    return answer(request, link_of=person)


def get_person(person_id: int) -> User:
    person = get_user_model().objects.filter(pk=person_id).first()
    if person is None:
        raise Http404
    return person


def record(request: HttpRequest, action: str, person: User) -> Any:
    """`audit.record` about a person."""
    name = person.get_username()
    return audit.record(request, action=action, target_kind="person", target_id=str(person.pk), target_name=name)


def ask(request: HttpRequest, person: User, text: str, form: SureForm, label: str) -> HttpResponse:
    """The question before somebody takes their own rights away. Nothing is done yet."""
    fields = [(name, value) for name, value in form.cleaned_data.items() if name != "sure"]
    context = {"person": person, "text": text, "fields": fields, "label": label}
    return render(request, "web/site/person_sure.html", context)


def answer(
    request: HttpRequest,
    form: AddPersonForm | None = None,
    *,
    refusal: str = "",
    link_of: User | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page. A wrong query value is named on it, with status 400."""
    query_form = PeopleForm(request.GET)
    query_form.is_valid()
    form = form or AddPersonForm(initial={"role": "viewer"})
    now = datetime.now(UTC)
    users = get_user_model().objects.prefetch_related("groups").order_by("-is_active", "username")
    if query_form.value("q"):
        users = users.filter(username__icontains=query_form.value("q"))
    page = Paginator(users, PEOPLE_A_PAGE).get_page(query_form.value("page") or 1)
    here, query = reverse("people"), query_form.valid_query
    context = {
        "form": form,
        "focus_summary": not focus_first_error(form),
        "query_form": query_form,
        "refusal": refusal,
        "link": request.build_absolute_uri(people.make_link_path(link_of)) if link_of else "",
        "link_of": link_of,
        "page": page,
        "rows": [
            {"person": user, "role": access.role_of(user), "last": show_moment(user.last_login, now)} for user in page
        ],
        "roles": ROLES,
        "needs": [(role, list_abilities(role)) for role in ROLES],
        **link_pages(page, here, query),
    }
    return render(request, "web/site/people.html", context, status=400 if query_form.errors else status)


def list_abilities(role: Role) -> str:
    """What a role adds to the one before it, in words."""
    return ", ".join(access.WORDS[action] for action, needed in access.NEEDED_ROLE.items() if needed == role)
