"""The forms of statements, of webhooks and of notices. Rules are the services'; a form reads fields."""

import zoneinfo
from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Account, Club, Player
from settlement.notice_models import Notice
from settlement.webhook_client import check_url
from settlement.webhooks import EVENTS


class _PeriodForm(forms.Form):
    currency = forms.ChoiceField(label=_("Currency"))
    first_day = forms.DateField(label=_("From"), widget=forms.DateInput(attrs={"type": "date"}))
    last_day = forms.DateField(label=_("To"), widget=forms.DateInput(attrs={"type": "date"}))

    def __init__(self, data: Any = None, *, club: Club, currencies: Sequence[str]) -> None:
        today = timezone.now().astimezone(zoneinfo.ZoneInfo(club.time_zone)).date()
        super().__init__(data, initial={"first_day": today.replace(day=1), "last_day": today})
        self.fields["currency"].choices = [(currency, currency) for currency in currencies]


class StatementForm(_PeriodForm):
    def __init__(self, data: Any = None, *, player: Player, accounts: Sequence[Account]) -> None:
        super().__init__(data, club=player.club, currencies=[account.currency for account in accounts])


class LedgerForm(_PeriodForm):
    """The ledger of a period, in one of the currencies in which the club holds accounts."""


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
