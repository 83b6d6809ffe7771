"""Rules 3 and 4 hold in the database: a score stands over its benchmark's own set, and over every row of it."""

import django.db.models.functions.text
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("service", "0006_withhold_what_is_not_published")]

    operations = [
        migrations.AddConstraint(
            model_name="benchmarkrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("candidate_score__isnull", False),
                        ("incumbent_score__isnull", False),
                        ("score_delta__isnull", False),
                        ("status", "done"),
                    ),
                    models.Q(
                        ("candidate_score__isnull", False),
                        ("incumbent_score", None),
                        ("score_delta", None),
                        ("status", "done"),
                    ),
                    models.Q(
                        ("candidate_score", None),
                        ("incumbent_score", None),
                        ("score_delta", None),
                        models.Q(
                            ("status", "open"),
                            models.Q(("status_reason__isnull", False), models.Q(("status_reason", ""), _negated=True)),
                            _connector="OR",
                        ),
                    ),
                    _connector="OR",
                ),
                name="scores_all_or_none_with_a_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="benchmarkrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("candidate_score", None),
                    models.Q(
                        (
                            "published_over",
                            django.db.models.functions.text.Concat("benchmark_id", models.Value(":"), "items_digest"),
                        ),
                        ("published_over__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="no_score_over_another_set",
            ),
        ),
        migrations.AddConstraint(
            model_name="benchmarkrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("candidate_score", None), ("rows_scored__gte", models.F("rows_total")), _connector="OR"
                ),
                name="no_score_with_rows_missing",
            ),
        ),
    ]
