"""Make the roles' groups, and let everybody who could read until now go on reading."""

from django.db import migrations

ROLES = ("viewer", "member", "reviewer", "admin")


def make_roles(apps, schema_editor):
    groups = apps.get_model("auth", "Group").objects
    viewer, *_others = [groups.get_or_create(name=role)[0] for role in ROLES]
    viewer.user_set.add(*apps.get_model("auth", "User").objects.filter(is_superuser=False, groups=None))


class Migration(migrations.Migration):
    dependencies = [("web", "0001_initial"), ("auth", "0012_alter_user_first_name_max_length")]
    operations = [migrations.RunPython(make_roles, migrations.RunPython.noop)]
