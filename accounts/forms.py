"""Forms of clubs, members, players and keys. Rules are the services'; a form reads fields."""

import zoneinfo

from django import forms
from django.core.validators import URLValidator
from django.utils.translation import gettext_lazy as _

from accounts.models import ApiKey, check_time_zone
from accounts.names import NAME_LENGTH, check_name

# What a person is likely to look for comes first; every zone is there.
COMMON_ZONES = ["UTC", "Asia/Taipei", "Asia/Hong_Kong", "America/New_York", "America/Los_Angeles", "Europe/London"]


def _zones() -> list[tuple[str, object]]:
    others = sorted(name for name in zoneinfo.available_timezones() if "/" in name and name not in COMMON_ZONES)
    return [
        ("", [(name, name.replace("_", " ")) for name in COMMON_ZONES]),
        (_("All"), [(name, name.replace("_", " ")) for name in others]),
    ]


class NameField(forms.CharField):
    """A name that a person gives: kept as written, without what cannot be shown."""

    def __init__(self, **options: object) -> None:
        super().__init__(**options)
        # Django's own validators would say the same again, in other words than the API and the import.
        self.validators = [check_name]

    def widget_attrs(self, widget: forms.Widget) -> dict[str, object]:
        return super().widget_attrs(widget) | {"maxlength": NAME_LENGTH}


class ClubForm(forms.Form):
    name = NameField(label=_("Name of your home game or club"))
    time_zone = forms.ChoiceField(
        label=_("Time zone"),
        choices=_zones,
        initial="UTC",
        validators=[check_time_zone],
        help_text=_("Days on statements begin and end there."),
        widget=forms.Select(attrs={"data-time-zone": True}),
    )


class HostForm(forms.Form):
    email = forms.EmailField(label=_("Email of a host"))


class PlayerForm(forms.Form):
    name = NameField(label=_("Name"))


class PaymentNoteForm(forms.Form):
    """How a player likes to be paid."""

    payment_note = forms.CharField(
        label=_("How to pay"),
        max_length=100,
        required=False,
        help_text=_("In your own words: a bank account, a phone number, “cash on Thursday”."),
    )
    payment_link = forms.URLField(
        label=_("Link to pay"),
        max_length=300,
        required=False,
        assume_scheme="https",
        validators=[URLValidator(schemes=["https"], message=_("Write a link that begins with https://."))],
    )


class ApiKeyForm(forms.Form):
    name = NameField(label=_("What the key is for"))
    scope = forms.ChoiceField(label=_("It may"), choices=ApiKey.Scope.choices, initial=ApiKey.Scope.WRITE)
    is_test = forms.BooleanField(
        label=_("For tests"),
        required=False,
        help_text=_("It begins with test_ and sees a test club of its own, never these books."),
    )
