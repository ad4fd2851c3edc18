"""Forms of payments, of a session's bank, and of disputes."""

import uuid
from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from accounts.models import Account
from accounts.money import parse_money
from settlement.disputes import SENTENCE_LENGTH
from settlement.models import Payment
from settlement.payments import NOTE_LENGTH, holder_name


class AccountField(forms.ModelChoiceField):
    """A holder, by name."""

    def label_from_instance(self, account: Account) -> str:
        return holder_name(account)


class AmountForm(forms.Form):
    """An amount that a person types, in the currency that ``currency`` names."""

    # Made with the form, so that a double tap makes one payment.
    payment_id = forms.UUIDField(widget=forms.HiddenInput)
    amount = forms.CharField(
        label=_("Amount"), max_length=20, widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})
    )

    def __init__(self, data: Any = None, *, currency: str, initial: Any = None, **options: Any) -> None:
        super().__init__(data, initial={"payment_id": uuid.uuid4()} | (initial or {}), **options)
        self.currency = currency

    def clean_amount(self) -> int:
        return parse_money(self.cleaned_data["amount"], self.currency)


class PaymentForm(AmountForm):
    payer = AccountField(queryset=Account.objects.none(), label=_("Who paid"))
    payee = AccountField(queryset=Account.objects.none(), label=_("Who was paid"))
    note = forms.CharField(label=_("Note"), max_length=NOTE_LENGTH, required=False)
    accept_more = forms.BooleanField(label=_("It is meant: write it down all the same"), required=False)

    field_order = ["payment_id", "payer", "payee", "amount", "note", "accept_more"]

    def __init__(self, data: Any = None, *, accounts: Any, currency: str, initial: Any = None) -> None:
        super().__init__(data, currency=currency, initial=initial)
        for name in ("payer", "payee"):
            self.fields[name].queryset = accounts


class BankForm(AmountForm):
    """Chips bought or cashed by one who sits at the table."""

    holder = forms.ChoiceField(label=_("Who"))
    kind = forms.ChoiceField(
        label=_("What"), choices=[(kind.value, kind.label) for kind in (Payment.Kind.BUY_IN, Payment.Kind.CASH_OUT)]
    )

    field_order = ["payment_id", "kind", "holder", "amount"]

    def __init__(self, data: Any = None, *, holders: dict[str, str], currency: str) -> None:
        super().__init__(data, currency=currency)
        self.fields["holder"].choices = list(holders.items())


class DisputeForm(forms.Form):
    sentence = forms.CharField(
        label=_("What is wrong?"),
        max_length=SENTENCE_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("One sentence. The host sees it on every page of the session until it is answered."),
    )


class AnswerForm(forms.Form):
    reason = forms.CharField(label=_("Why it stays as it is"), max_length=SENTENCE_LENGTH)


def read_listed(
    values: Sequence[str], accounts: dict[uuid.UUID, Account]
) -> list[tuple[uuid.UUID, Account, Account, int]]:
    """What the buttons of a list of payments carry: payment id, payer, payee, minor units.

    Raises ``ValidationError`` when a value is not one of the list's (a page that is out of date, or was edited).
    """
    found = []
    for value in values[:100]:
        parts = value.split(":")
        try:
            payment_id, payer, payee = (uuid.UUID(part) for part in parts[:3])
            found.append((payment_id, accounts[payer], accounts[payee], int(parts[3])))
        except (ValueError, KeyError, IndexError):
            raise ValidationError(_("This list is out of date. Look at the new one, then mark it paid.")) from None
    return found
