"""Filters of lists, by django-filter; what cannot be read is refused like a body's field."""

from typing import Any

import django_filters
from django import forms
from django.core.exceptions import ValidationError
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from accounts.faults import fault


class MomentField(forms.Field):
    """A time with its offset; one without is refused, because nobody knows when it was."""

    def to_python(self, value: Any) -> Any:
        if value in self.empty_values:
            return None
        try:
            found = parse_datetime(str(value))
        except ValueError:
            found = None
        if found is None or found.tzinfo is None or not 1900 <= found.year < 2200:
            raise ValidationError(_("Write a time with its offset, such as 2026-11-28T20:41:07+08:00."), code="time")
        return found


class MomentFilter(django_filters.Filter):
    field_class = MomentField


class TextFilter(django_filters.CharFilter):
    """Text as the database can hold it."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, max_length=200, **options)


class ClubFilters(django_filters.FilterSet):
    def form_faults(self) -> ValidationError:
        """What is wrong with the filters, as the API says it."""
        return ValidationError(
            [
                fault(f"/{name}", error.code or "filter", message)
                for name, errors in self.form.errors.as_data().items()
                for error in errors
                for message in error.messages
            ]
        )
