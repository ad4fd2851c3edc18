"""The forms of statements, erasure, webhooks and notices. Rules are the services'; a form reads fields."""

import hashlib
import re
import zoneinfo
from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Account, Club, Player
from settlement.notice_models import Notice
from settlement.statement_checks import DIGEST
from settlement.webhook_client import check_url
from settlement.webhooks import EVENTS


class PeriodForm(forms.Form):
    """A currency and a period, from the first of this month to today on the club's clock."""

    currency = forms.ChoiceField(label=_("Currency"))
    first_day = forms.DateField(label=_("From"), widget=forms.DateInput(attrs={"type": "date"}))
    last_day = forms.DateField(label=_("To"), widget=forms.DateInput(attrs={"type": "date"}))

    def __init__(self, data: Any = None, *, club: Club, currencies: Sequence[str], chosen: str = "") -> None:
        today = timezone.now().astimezone(zoneinfo.ZoneInfo(club.time_zone)).date()
        initial = {"first_day": today.replace(day=1), "last_day": today, "currency": chosen or None}
        super().__init__(data, initial=initial)
        self.fields["currency"].choices = [(currency, currency) for currency in currencies]


class StatementForm(PeriodForm):
    def __init__(
        self, data: Any = None, *, player: Player, accounts: Sequence[Account], chosen: Account | None
    ) -> None:
        currencies = [account.currency for account in accounts]
        super().__init__(data, club=player.club, currencies=currencies, chosen=chosen.currency if chosen else "")


class ErasureForm(forms.Form):
    name = forms.CharField(label=_("Type the name once more"), max_length=200)

    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        self.fields["name"].widget.attrs |= {"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"}


class VerifyForm(forms.Form):
    """The number and digest of a statement, or its file, of which the digest is worked out."""

    number = forms.IntegerField(label=_("Number"), min_value=1, max_value=2**31 - 1, required=False)
    digest = forms.CharField(
        label=_("SHA-256 digest"),
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text=_("64 letters and digits."),
    )
    file = forms.FileField(label=_("Or the file itself"), required=False, allow_empty_file=True)

    def clean_digest(self) -> str:
        digest = re.sub(r"\s+", "", self.cleaned_data["digest"]).lower()
        if digest and not DIGEST.fullmatch(digest):
            raise forms.ValidationError(_("A SHA-256 digest has 64 letters and digits, 0 to 9 and a to f."))
        return digest

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if file := data.get("file"):
            digest = hashlib.sha256()
            for chunk in file.chunks():
                digest.update(chunk)
            data["digest"] = digest.hexdigest()
        elif not data.get("digest") and "digest" not in self.errors:
            self.add_error("digest", _("Write the digest, or choose the file."))
        return data


class WebhookForm(forms.Form):
    url = forms.CharField(
        label=_("Address"),
        widget=forms.URLInput(attrs={"placeholder": "https://example.com/homerun"}),
        help_text=_("Of a program of yours that takes a POST. It begins with https://."),
        error_messages={"required": _("Write the address that is to be told.")},
        # The service's own rule, asked here too so that both fields say at once what is wrong with them.
        validators=[check_url],
    )
    events = forms.MultipleChoiceField(
        label=_("It is told when"),
        choices=list(EVENTS.items()),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one event.")},
    )


class NoticesForm(forms.Form):
    """What a person wants to be told, on the page and by mail: nothing at all is a choice too."""

    page = forms.MultipleChoiceField(
        label=_("In the list"), choices=Notice.Kind.choices, widget=forms.CheckboxSelectMultiple, required=False
    )
    mail = forms.MultipleChoiceField(
        label=_("By email"), choices=Notice.Kind.choices, widget=forms.CheckboxSelectMultiple, required=False
    )
