"""Nobody learns what a seat has set before all have locked: whoever asks, wherever, whatever they send.

Two worlds differ in the cards that Ben has locked, and in nothing else. A spy in any role gets the same answers in
both, byte for byte. In the second world Ben claims a card that Ana holds too: neither is that told.
"""

import gzip
import io
import json
import logging
import re
import zipfile
from collections.abc import Callable

import pytest
import time_machine
from django.core.files.storage import default_storage
from django.test import Client
from django.urls import get_resolver, reverse

from accounts.models import AuditRow, Club, Player, User
from accounts.services import add_host, claim_player, create_api_key
from hands import phones
from hands.deal_models import HouseDeal
from hands.live import switch_live_on
from hands.models import Hand, Session
from hands.phone_models import HiddenSetup, Phone, PhoneTable
from jobs import queue
from jobs.models import Job
from settlement.exports import request_export
from tests.deals import ANA, BEN, BOARDS, EVENING, THREE
from tests.everything import address_of, one_of_everything, own_patterns
from tests.hands.at_the_table import facts, give_up, lock, refused, seated

pytestmark = pytest.mark.django_db

# What Ben has locked in the other world; 7h is Ana's top.
OTHER = {"top": ["7h"], "middle": ["6d", "6h"], "bottom": ["2h", "3h", "4h", "6c"]}
# What differs from call to call, whoever asks: tokens against forged requests, and keys of forms not sent yet.
NOISE = re.compile(
    r'(?<=name="csrfmiddlewaretoken" value=")\w+|(?<="X-CSRFToken": ")\w+'
    r"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)


def now() -> time_machine.travel:
    return time_machine.travel(EVENING, tick=False)


@pytest.fixture
def ours(club: Club, owner: User) -> dict[str, object]:
    """A club with one of everything, and at one of its tables three seats of which Ana and Ben have locked."""
    with now():
        found = one_of_everything(club, owner)
        table = PhoneTable.objects.get(join_id=found["join_id"])
        switch_live_on(session=table.session)
        table.session.refresh_from_db()
        lock(table, 1, ANA)
        lock(table, 2, BEN)
        return found | {"session_id": table.session_id, "live_id": table.session.live_id, "old": found["session_id"]}


@pytest.fixture
def table(ours: dict[str, object]) -> PhoneTable:
    return PhoneTable.objects.get(join_id=ours["join_id"])


def in_both_worlds(ask: Callable[[], object]) -> tuple[object, object]:
    """What is answered while Ben's locked cards are these, and while they are others."""
    ben = HiddenSetup.objects.filter(seat__number=2)
    with now():
        here = ask()
        text = ben.get().facts
        ben.update(facts=json.dumps(facts(2, OTHER), separators=(",", ":")))
        there = ask()
        ben.update(facts=text)
    return here, there


def sign_in(email: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(email=email))
    return client


def roles(club: Club, table: PhoneTable) -> dict[str, Client]:
    """Everybody who may look at anything of the club or its tables."""
    host = User.objects.create_user("host@example.com", "a long password")
    add_host(club=club, email=host.email)
    player = User.objects.create_user("player@example.com", "a long password")
    claim_player(player=Player.objects.get(club=club, name="Chi"), user=player)
    return {
        "owner": sign_in("owner@example.com"),
        "host": sign_in("host@example.com"),
        "player": sign_in("player@example.com"),
        "stranger": sign_in("stranger@example.com"),
        "nobody": Client(),
        "another seat": seated(table, 3),
    }


def seen(answer: object) -> tuple[int, str, object]:
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    told = f"{answer.headers.get('ETag')} {answer.headers.get('Location')} {answer.headers.get('Content-Length')}"
    if zipfile.is_zipfile(io.BytesIO(body)):
        # A workbook's parts; their dates in the archive are those of files on the disk, by a clock that is not stopped.
        with zipfile.ZipFile(io.BytesIO(body)) as parts:
            return answer.status_code, told, {name: parts.read(name) for name in parts.namelist()}
    return answer.status_code, told, NOISE.sub("", body.decode("utf-8", "surrogateescape"))


def test_no_page_differs_for_a_spy_in_any_role(club, stranger, ours, table):
    spies = roles(club, table)
    addresses = [address_of(name, arguments, ours) for name, arguments in own_patterns()]
    addresses += [f"/table/{table.join_id}/?plain=1", f"/sessions/{table.session_id}/hands/new?draft={table.round_key}"]
    # Counts of tries, and sizes of files and the queue's age, are not about cards.
    addresses = [url for url in addresses if url not in {"/readyz", "/livez"}]
    assert len(addresses) > 100
    for name, client in spies.items():

        def everything(client: Client = client) -> dict[str, object]:
            return {url: seen(client.get(url)) for url in addresses}

        everything()  # Pages that remember being seen are seen once.
        here, there = in_both_worlds(everything)
        assert [url for url in addresses if here[url] != there[url]] == [], name


def test_the_comparison_notices_what_is_ones_own(table):
    ben = Phone.objects.get(seat__number=2)
    HiddenSetup.objects.filter(seat__number=2).update(phone=ben)
    ben.delete()
    client = seated(table, 2)
    HiddenSetup.objects.filter(seat__number=2).update(phone=Phone.objects.get(seat__number=2))
    here, there = in_both_worlds(lambda: seen(client.get(reverse("table", args=[table.join_id]))))
    assert here != there


def test_a_phone_that_takes_over_a_seat_does_not_see_what_was_locked_there(table):
    phones.free_seat(session=table.session, number=2)
    client = seated(table, 2)
    url = reverse("table", args=[table.join_id])
    here, there = in_both_worlds(lambda: seen(client.get(url)))
    assert here == there
    phones.unlock_seat(session=table.session, number=2)
    told = re.search(r'id="entry-data" type="application/json">(.*?)</script>', client.get(url).text)
    assert json.loads(told[1])["facts"] == {"rows": {}, "out": []}


def test_no_address_of_the_api_differs(club, owner, ours, table):
    _key, secret = create_api_key(club=club, name="Spy", scope="settle", author=owner)
    client = Client(headers={"Authorization": f"Api-Key {secret}"})
    ids = {key: str(value) for key, value in ours.items()}
    found = []
    for name, (entries, _pattern, _defaults, _converters) in _api_names().items():
        arguments = entries[0][1]
        if set(arguments) <= ids.keys():
            found.append(reverse(name, kwargs={argument: ids[argument] for argument in arguments}))

    def everything() -> dict[str, object]:
        return {url: seen(client.get(url)) for url in found}

    here, there = in_both_worlds(everything)
    assert len(found) > 25
    assert sum(status == 200 for status, _told, _body in here.values()) > 20
    assert [url for url in found if here[url] != there[url]] == []


def _api_names() -> dict[str, object]:
    """Every named address of the API, under its namespace where it has one."""
    resolver = get_resolver()
    found = {name: resolver.reverse_dict.getlist(name)[0] for name in resolver.reverse_dict if _is_api(name)}
    for space, (_prefix, inner) in resolver.namespace_dict.items():
        found |= {
            f"{space}:{name}": inner.reverse_dict.getlist(name)[0] for name in inner.reverse_dict if _is_text(name)
        }
    return found


def _is_text(name: object) -> bool:
    return isinstance(name, str)


def _is_api(name: object) -> bool:
    return isinstance(name, str) and name.startswith("api")


def test_what_is_sent_is_answered_alike(club, owner, ours, table):
    """Neither the host's entry of a hand nor another seat's taps tell what lies elsewhere."""
    host, other = sign_in("owner@example.com"), seated(table, 3)
    hand = {"client_key": str(table.round_key), "board_1": " ".join(BOARDS[0]), "board_2": " ".join(BOARDS[1])}
    hand |= {
        f"{row}_{number}": "".join(cards) for number, setup in ((1, ANA), (2, BEN)) for row, cards in setup.items()
    }
    of_session, of_round = [table.session_id], [table.join_id, table.round_key]
    # What Ben holds in either world is laid without a word.
    laid = {"rows": {"top_3": ["5d"], "middle_3": ["6d", "6h"]}, "out": []}

    def everything() -> list[object]:
        HiddenSetup.objects.filter(seat__number=3).update(facts='{"rows":{},"out":[]}', revision=0)
        return [
            seen(host.post(reverse("hand-check", args=of_session), hand)),
            seen(host.post(reverse("hand-new", args=of_session), hand)),
            seen(host.post(reverse("hand-save", args=of_session), hand)),
            seen(host.post(reverse("phones", args=of_session), {"do": "boards"}, follow=True)),
            seen(
                other.post(
                    reverse("table-setup", args=of_round),
                    {"based_on": 0, "facts": laid},
                    content_type="application/json",
                )
            ),
            seen(other.post(reverse("table-confirm", args=of_round), {"top": "5d", "middle": "6d 6h", "bottom": ""})),
        ]

    here, there = in_both_worlds(everything)
    assert here == there
    assert here[4][0] == 200
    assert Hand.objects.filter(session=table.session).count() == 0


def test_a_locked_card_is_in_no_log_no_audit_and_no_export(club, owner, table, caplog):
    with caplog.at_level(logging.DEBUG):
        phones.unlock_seat(session=table.session, number=2)
        lock(table, 2, BEN)
        refused("not_all_locked", phones.begin_boards, session=table.session, author=owner)
    said = [record.getMessage() for record in caplog.records if not record.name.startswith("django.db")]
    said += [json.dumps(detail) for detail in AuditRow.objects.values_list("detail", flat=True)]
    assert [text for text in said if re.search(r"\b(5d|Td|8s|7s)\b", text)] == []
    asked = request_export(club=club, author=owner)
    queue.run_to_end(Job.objects.get(subject_id=asked.pk).pk)
    asked.refresh_from_db()
    with default_storage.open(asked.file.name) as file:
        lines = gzip.decompress(file.read()).decode()
    sessions = [line for line in lines.splitlines() if str(table.session_id) in line]
    assert sessions
    assert not any(str(key) in lines for key in (table.round_key, table.join_id))
    assert table.code not in lines


@pytest.mark.parametrize("is_dealt", [False, True])
def test_a_hand_that_the_house_deals_is_told_nobody_before_all_are_locked(club, stranger, ours, table, is_dealt):
    """Two worlds of another secret and another part of Ben's, before the deal and after it.

    A seat that was dealt cards sees its own change with them; that it sees no others is for another test.
    """
    with now():
        give_up(table.session)
        table = phones.open_round(session=table.session, is_dealt=True)
        spies = roles(club, table)
        part = reverse("table-part", args=[table.join_id, table.round_key])
        if is_dealt:
            spies.pop("another seat").post(part, {"part": "33" * 32})
        for number in (1, 2):
            phone = Phone.objects.select_related("table__session__rule_set").get(seat__number=number)
            phones.give_part(phone=phone, round_key=table.round_key, text=f"{number}{number}" * 32)
    deal = HouseDeal.objects.filter(table=table)
    assert (deal.get().parts is not None) is is_dealt
    ours |= {"round_key": table.round_key}
    addresses = [address_of(name, arguments, ours) for name, arguments in own_patterns()]
    addresses = [url for url in addresses if url not in {"/readyz", "/livez"}]
    kept = deal.get()
    for name, client in spies.items():

        def everything(client: Client = client) -> dict[str, object]:
            with now():
                return {url: seen(client.get(url)) for url in addresses}

        everything()
        here = everything()
        other = kept.parts and kept.parts | {"2": "99" * 32}
        deal.update(secret="77" * 32, parts=other)
        HiddenSetup.objects.filter(table=table, seat__number=2).update(part="99" * 32)
        there = everything()
        deal.update(secret=kept.secret, parts=kept.parts)
        HiddenSetup.objects.filter(table=table, seat__number=2).update(part="22" * 32)
        assert [url for url in addresses if here[url] != there[url]] == [], name
        assert not any(kept.secret in str(page) for page in here.values()), name


def test_a_hand_that_is_open_is_seen_by_whoever_holds_a_seat_and_on_no_other_page(club, ours, table):
    """After the last lock the phones see it; for the club it is a hand like any other once it is recorded."""
    client = seated(table, 3)
    phone = Phone.objects.select_related("seat__player", "table__session__rule_set").get(seat__number=3)
    phones.confirm_setup(phone=phone, round_key=table.round_key, facts=facts(3, THREE["Chi"]))
    page = client.get(reverse("table", args=[table.join_id])).text
    assert all(f'aria-label="{words}"' in page for words in ("Five of diamonds", "Seven of hearts", "King of hearts"))
    assert "Five of diamonds" not in Client().get(reverse("table", args=[table.join_id])).text
    session = Session.objects.get(pk=table.session_id)
    assert "Five of diamonds" not in Client().get(reverse("live", args=[session.live_id])).text
