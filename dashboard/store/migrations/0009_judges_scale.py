"""A judge carries the scale that it scores on. Benchmarks keep the one that they froze."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("service", "0008_find_runs")]

    operations = [
        migrations.AddField(
            model_name="judge",
            name="scale",
            field=models.CharField(default="0-1", max_length=100),
        ),
    ]
