"""Finds the runs of a rule, and those in one state, without looking at every run."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('service', '0007_scores_hold'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='trainingrun',
            index=models.Index(models.F('rule'), models.OrderBy(models.F('created_at'), descending=True), models.OrderBy(models.F('id'), descending=True), name='run_newest_of_rule'),
        ),
        migrations.AddIndex(
            model_name='trainingrun',
            index=models.Index(models.F('workspace'), models.F('state'), models.OrderBy(models.F('created_at'), descending=True), models.OrderBy(models.F('id'), descending=True), name='run_in_state'),
        ),
    ]
