"""Reading the JSON body of a call: strictly, field by field, with every fault in its place."""

import uuid
from datetime import datetime
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.translation import gettext as _

from accounts.faults import fault, faults_in
from accounts.money import MOST_MINOR, check_currency

LONGEST: Final = 500


class Body:
    """Takes fields out of a body and gathers what is wrong with them; ``finish`` refuses the whole.

    What nobody took is unknown: it is passed over, and told as ``warnings``.
    """

    def __init__(self, data: Any) -> None:
        if data is None or data == "":
            data = {}
        if not isinstance(data, dict):
            raise fault("", "object", _("The body is a JSON object."))
        self.data: dict[str, Any] = data
        self.faults: list[ValidationError] = []
        self.known: set[str] = set()

    def __contains__(self, name: str) -> bool:
        self.known.add(name)
        return self.data.get(name) is not None

    def refuse(self, pointer: str, code: str, sentence: str) -> None:
        self.faults.append(fault(pointer, code, sentence))

    def finish(self) -> None:
        if self.faults:
            raise ValidationError(self.faults)

    def warnings(self) -> dict[str, Any]:
        """For the answer: the fields that mean nothing here; empty without any."""
        unknown = [name for name in self.data if name not in self.known]
        words = _("This field means nothing here; it was passed over.")
        found = [{"pointer": f"/{name[:60]}", "code": "unknown_field", "detail": words} for name in unknown[:20]]
        return {"warnings": found} if found else {}

    def text(self, name: str, *, needed: bool = True, most: int = LONGEST) -> str:
        value = self._value(name, needed)
        if value is None:
            return ""
        if not isinstance(value, str) or (needed and not value.strip()):
            self.refuse(f"/{name}", "text", _("%(name)s is missing, or is no text.") % {"name": name})
            return ""
        if len(value) > most:
            words = _("%(name)s is longer than %(most)d characters.") % {"name": name, "most": most}
            self.refuse(f"/{name}", "text_length", words)
            return ""
        if "\x00" in value:
            self.refuse(f"/{name}", "text", _("%(name)s holds a sign that cannot be kept.") % {"name": name})
            return ""
        return value

    def identifier(self, name: str, *, needed: bool = True) -> uuid.UUID | None:
        value = self._value(name, needed)
        if value is None:
            return None
        try:
            return uuid.UUID(value)
        except (ValueError, TypeError, AttributeError):
            self.refuse(f"/{name}", "uuid", _("%(name)s is no UUID.") % {"name": name})
            return None

    def row(self, name: str, rows: QuerySet[Any], code: str, sentence: str, *, needed: bool = True) -> Any:
        """The one of these rows that the field names by its id; ``sentence`` says that there is none."""
        key = self.identifier(name, needed=needed)
        found = rows.filter(pk=key).first() if key else None
        if key and found is None:
            self.refuse(f"/{name}", code, sentence)
        return found

    def boolean(self, name: str, *, default: bool = False) -> bool:
        value = self._value(name, needed=False)
        if value is None:
            return default
        if not isinstance(value, bool):
            self.refuse(f"/{name}", "boolean", _("%(name)s is true or false.") % {"name": name})
            return default
        return value

    def money(self, name: str) -> tuple[int, str]:
        """Minor units and currency of ``{"amount_minor": 1000, "currency": "USD"}``."""
        value = self._value(name, needed=True)
        if value is None:
            return 0, ""
        if not isinstance(value, dict):
            words = _('%(name)s is money: {"amount_minor": 1000, "currency": "USD"}.') % {"name": name}
            self.refuse(f"/{name}", "money", words)
            return 0, ""
        amount, currency = value.get("amount_minor"), value.get("currency")
        if isinstance(amount, bool) or not isinstance(amount, int) or abs(amount) > MOST_MINOR:
            words = _("amount_minor is a whole number of minor units.")
            self.refuse(f"/{name}/amount_minor", "amount", words)
            amount = 0
        try:
            check_currency(currency if isinstance(currency, str) else "")
        except ValidationError as error:
            self.refuse(f"/{name}/currency", "currency", error.messages[0])
            currency = ""
        return amount, str(currency)

    def moment(self, name: str) -> datetime | None:
        value = self._value(name, needed=True)
        if value is None:
            return None
        try:
            found = parse_datetime(value) if isinstance(value, str) and len(value) < 40 else None
        except ValueError:
            found = None
        if found is None or found.tzinfo is None or not 1900 <= found.year < 2200:
            words = _("%(name)s is a time with its offset, such as 2026-11-28T20:41:07+08:00.") % {"name": name}
            self.refuse(f"/{name}", "time", words)
            return None
        return found

    def day(self, name: str) -> Any:
        value = self._value(name, needed=True)
        if value is None:
            return None
        try:
            found = parse_date(value) if isinstance(value, str) and len(value) < 20 else None
        except ValueError:
            found = None
        if found is None:
            self.refuse(f"/{name}", "date", _("%(name)s is a date, such as 2026-11-28.") % {"name": name})
        return found

    def take(self, name: str) -> Any:
        """The field as it is, for whoever reads it."""
        self.known.add(name)
        return self.data.get(name)

    def adopt(self, error: ValidationError, prefix: str = "") -> None:
        """Take over what a service found wrong with a part of the body."""
        for pointer, code, sentence in faults_in(error):
            self.refuse(f"{prefix}{pointer}", code, sentence)

    def _value(self, name: str, needed: bool) -> Any:
        self.known.add(name)
        value = self.data.get(name)
        if value is None and needed:
            self.refuse(f"/{name}", "missing", _("%(name)s is missing.") % {"name": name})
        return value
