"""Rows that are written once and never changed or deleted, whichever way Django would do it."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

from django.db import models

Row = TypeVar("Row", bound="WrittenOnce")


class Unchangeable(TypeError):
    """Somebody tried to change or delete what was written once."""


class WrittenOnceQuerySet(models.QuerySet[Row]):
    """Reads only."""

    def update(self, **values: Any) -> NoReturn:
        raise Unchangeable(f"Nobody edits {self.model.what}.")

    def delete(self) -> NoReturn:
        raise Unchangeable(f"Nobody deletes from {self.model.what}.")

    def bulk_update(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise Unchangeable(f"Nobody edits {self.model.what}.")

    def bulk_create(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise Unchangeable("Entries are written one by one.")


class WrittenOnce(models.Model):
    """One row, whose table `what` names in a sentence."""

    what = "what was written once"
    objects = WrittenOnceQuerySet.as_manager()

    class Meta:
        abstract = True
        default_permissions = ()
        base_manager_name = "objects"  # what Django itself would write through refuses as well

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise Unchangeable(f"Nobody edits {self.what}.")
        super().save(*args, force_insert=True)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise Unchangeable(f"Nobody deletes from {self.what}.")
