"""Mappings from outside in templates, whose own `.items` is the value under the key "items" where there is one."""

from __future__ import annotations

from collections.abc import ItemsView, Mapping

from django import template

register = template.Library()


@register.filter
def pairs(mapping: Mapping[str, str]) -> ItemsView[str, str]:
    """Each key with its value."""
    return mapping.items()
