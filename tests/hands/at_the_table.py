"""What tests do with own phones at a table of three."""

from dataclasses import replace

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from hands import phones
from hands.history import read_deal
from hands.models import Session
from hands.phone_models import Phone, PhoneTable
from hands.scoring.taiwanese import PRESETS
from hands.services import record_hand
from tests.deals import EVENING, THREE, document

NUMBERS = {"Ana": 1, "Ben": 2, "Chi": 3}


def facts(number: int, setup: dict[str, list[str]]) -> dict[str, object]:
    return {"rows": {f"{row}_{number}": cards for row, cards in setup.items()}, "out": []}


def phone_at(table: PhoneTable, number: int) -> Phone:
    token = phones.take_seat(table=table, number=number)
    found = phones.find_phone(join_id=table.join_id, token=token)
    assert found is not None
    return found


def lock(table: PhoneTable, number: int, setup: dict[str, list[str]]) -> Phone:
    held = Phone.objects.filter(seat__number=number).select_related("seat__player", "table__session__rule_set").first()
    phone = held or phone_at(table, number)
    phones.confirm_setup(phone=phone, round_key=table.round_key, facts=facts(number, setup))
    return phone


def lock_all(table: PhoneTable, setups=THREE) -> None:
    for name, setup in setups.items():
        lock(table, NUMBERS[name], setup)


def give_up(session: Session) -> None:
    phones.stop_round(session=session, round_key=PhoneTable.objects.get(session=session).round_key)


def refused(said: str, call, **arguments) -> str:
    """The sentence with which a call is refused."""
    with pytest.raises(ValidationError) as error:
        call(**arguments)
    (fault,) = error.value.error_list
    assert fault.code == said
    return fault.messages[0]


def recorded(table: PhoneTable, setups=THREE):
    """The hand as the entry page sends it."""
    seats = {seat.number: seat for seat in table.session.seats.select_related("player")}
    deal = read_deal(document(setups, EVENING), PRESETS["phenom"])
    records = tuple(replace(one, player_id=seats[one.number].player_id) for one in deal.seats)
    return record_hand(
        session=table.session, deal=replace(deal, seats=records, client_key=table.round_key), author=None
    )


def seated(table: PhoneTable, number: int) -> Client:
    client = Client()
    answer = client.post(reverse("table-seat", args=[table.join_id]), {"seat": number})
    assert answer.status_code == 302
    return client
