"""Erasure: nowhere in the database does the name remain, and the books are as they were."""

import json
import uuid

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.db import connection, models, transaction
from django.db.utils import DatabaseError
from django.urls import reverse

from accounts.merging import merge_players
from accounts.models import Account, AuditRow, Book, Erasure, Membership, Player, User
from accounts.services import add_player, claim_player, create_club, describe_payment, players_named
from hands.imports import request_import
from hands.models import Hand, HandVersion, Import
from hands.queries import hands_digest
from jobs import queue
from jobs.models import Job
from settlement.book_files import request_ledger_file, request_session_file
from settlement.bundles import request_bundle
from settlement.corrections import correct_hand
from settlement.disputes import raise_dispute
from settlement.erasure import erase_player
from settlement.exports import request_export
from settlement.models import ClubExport, Dispute, Payment, Settlement, Statement
from settlement.payments import Wanted, confirm_payment, record_payments
from settlement.services import request_statement
from settlement.verify import verify_club
from tests.deals import ANA, BEN, CHI, EVENING, document, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

# A name of more than ASCII, which JSON columns write with escapes.
NAME, EMAIL = "Zoë Quasimodo", "zoe.quasimodo@example.com"


def work_off() -> None:
    for job_id in Job.objects.filter(status="queued").values_list("pk", flat=True):
        queue.run_to_end(job_id)


def every_text() -> dict[str, str]:
    """Everything that stands in a column of text of any table, with what is packed inside unpacked."""
    found = {}
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if isinstance(field, models.CharField | models.TextField | models.JSONField | models.FileField):
                for pk, value in model._default_manager.values_list("pk", field.name):
                    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)
                    found[f"{model._meta.label}.{field.name} {pk}"] = text
    for session in apps.get_model("sessions.Session").objects.all():
        found[f"log-in {session.pk}"] = json.dumps(session.get_decoded(), ensure_ascii=False)
    return found


def where_it_stands(*words: str) -> list[str]:
    folded = [form.casefold() for word in words for form in (word, json.dumps(word)[1:-1])]
    return [place for place, text in every_text().items() if any(word in text.casefold() for word in folded)]


@pytest.fixture
def zoe(club, owner, client) -> Player:
    """Somebody who left traces everywhere that a person can."""
    names = {NAME: ANA, "Ben": BEN, "Chi": CHI}
    session = play(club, [names, names], table=f"{NAME}'s kitchen")
    settle(session)
    player = Player.objects.get(name=NAME)
    user = User.objects.create_user(EMAIL, "a long password", first_name="Zoë", last_name="Quasimodo")
    client.force_login(user)
    claim_player(player=player, user=user)
    describe_payment(player=player, payment_note="Quasimodo, account 1234", payment_link="https://pay.example/zoe.q")
    Player.objects.filter(pk=player.pk).update(external_id="quasimodo-7")
    hand = Hand.objects.get(session=session, number=1)
    raise_dispute(club=club, sentence=f"{NAME.upper()} had two jacks.", author=user, player=player, hand=hand)
    correct_hand(hand=hand, based_on=1, deal=None, reason=f"“{NAME}” misread a card.", author=user)
    accounts = {one.player.name: one for one in Account.objects.select_related("player")}
    wanted = Wanted(uuid.uuid4(), accounts["Ben"], accounts[NAME], 100, note=f"for {NAME}")
    record_payments(club=club, wanted=[wanted], author=user)
    line = document({NAME: ANA, "Ben": BEN}, EVENING) | {"spec_version": "1.0", "boards": []}
    request_import(club=club, file=ContentFile(json.dumps(line).encode()), file_name=f"{NAME}.ndjson", author=user)
    request_export(club=club, author=owner)
    period = {"first_day": EVENING.date(), "last_day": EVENING.date()}
    request_statement(player=player, currency="USD", author=user, **period)
    work_off()
    client.get(reverse("player", args=[player.pk]))
    player.refresh_from_db()
    return player


def test_the_name_is_nowhere_in_the_database(owner, zoe):
    assert len(where_it_stands(NAME, EMAIL)) > 8, "the traces that the test is about"
    pseudonym = erase_player(player=zoe, typed_name=NAME, author=owner)
    assert where_it_stands("Quasimodo", EMAIL, "zoe.q") == []
    zoe.refresh_from_db()
    assert zoe.name == pseudonym
    assert HandVersion.objects.get(version=2).reason == f"“{pseudonym}” misread a card."
    assert Dispute.objects.get().sentence == f"{pseudonym} had two jacks."
    assert not User.objects.filter(email=EMAIL).exists()


def test_the_books_are_as_they_were(club, owner, zoe):
    def books():
        return (
            list(Account.objects.order_by("pk").values_list("pk", "balance_minor")),
            Book.objects.get(club=club).head_hash,
            [hands_digest(one.session) for one in Settlement.objects.select_related("session")],
        )

    before = books()
    assert verify_club(club).finding == ""
    erase_player(player=zoe, typed_name=NAME, author=owner)
    assert books() == before
    assert verify_club(club).finding == ""


def test_a_statement_stays_as_it_was_handed_out_and_files_of_work_are_gone(
    owner, zoe, django_capture_on_commit_callbacks
):
    with Statement.objects.get().file.open() as file:
        made = file.read()
    files = [Import.objects.get().file, ClubExport.objects.get().file]
    assert all(file.storage.exists(file.name) for file in files)
    with django_capture_on_commit_callbacks(execute=True):
        erase_player(player=zoe, typed_name=NAME, author=owner)
    assert not any(file.storage.exists(file.name) for file in files)
    with Statement.objects.get().file.open() as file:
        assert file.read() == made


def test_files_of_the_book_are_let_go_and_their_pages_say_so(client, club, owner, django_capture_on_commit_callbacks):
    settle(play(club))
    asked = {"club": club, "currency": "USD", "first_day": EVENING.date(), "last_day": EVENING.date(), "author": owner}
    made = [request_ledger_file(**asked), request_bundle(**asked), request_export(club=club, author=owner)]
    work_off()
    for one in made:
        one.refresh_from_db()
    ledger, bundle, export = made
    files = [ledger.workbook, ledger.csv, bundle.file, export.file]
    assert all(file.storage.exists(file.name) for file in files)
    with django_capture_on_commit_callbacks(execute=True):
        erase_player(player=Player.objects.get(name="Ana"), typed_name="Ana", author=owner)
    assert not any(file.storage.exists(file.name) for file in files)
    client.force_login(owner)
    downloads = {
        "ledger-files": ("book-file-workbook", ledger),
        "statements": ("bundle-download", bundle),
        "exports": ("export-download", export),
    }
    for page, (download, one) in downloads.items():
        url = reverse(download, args=[one.pk])
        answer = client.get(reverse(page, args=[club.pk])).content.decode()
        assert "deleted when a name was erased" in answer
        assert url not in answer
        assert client.get(url).status_code == 404


def test_what_the_person_did_is_done_by_nobody_who_can_be_found(club, owner, zoe):
    user = zoe.user
    erase_player(player=zoe, typed_name=NAME, author=owner)
    assert not AuditRow.objects.filter(user_id=user.pk).exists()
    stand_in = Payment.objects.get().recorded_by
    assert (stand_in.email.endswith("@erased.invalid"), stand_in.is_active) == (True, False)
    assert not stand_in.has_usable_password()
    assert Dispute.objects.get().raised_by == stand_in
    assert AuditRow.objects.get(action="player.erased").user is None


def test_two_who_confirmed_a_payment_stay_two(club, owner):
    settle(play(club))
    users = {}
    for name in ("Ana", "Ben"):
        users[name] = User.objects.create_user(f"{name}@example.com", "a long password")
        claim_player(player=Player.objects.get(name=name), user=users[name])
    accounts = {one.player.name: one for one in Account.objects.select_related("player")}
    wanted = Wanted(uuid.uuid4(), accounts["Ben"], accounts["Ana"], 100)
    (payment,) = record_payments(club=club, wanted=[wanted], author=users["Ben"])
    confirm_payment(payment=payment, author=users["Ana"])
    for name in ("Ana", "Ben"):
        erase_player(player=Player.objects.get(name=name), typed_name=name, author=owner)
    payment.refresh_from_db()
    assert payment.confirmed_by != payment.recorded_by


def test_a_log_in_that_is_used_elsewhere_stays_there_and_leaves_no_trace_here(club, owner, zoe):
    other = create_club(owner=owner, name="Kitchen club")
    elsewhere = add_player(club=other, name="Zoë")
    claim_player(player=elsewhere, user=zoe.user)
    erase_player(player=zoe, typed_name=NAME, author=owner)
    elsewhere.refresh_from_db()
    assert elsewhere.user.email == EMAIL
    assert not AuditRow.objects.filter(club=club, user=elsewhere.user).exists()
    assert AuditRow.objects.filter(club=other, action="player.claimed").exists()


def test_who_keeps_the_books_stays_a_member(club, owner):
    settle(play(club))
    claim_player(player=Player.objects.get(name="Ana"), user=owner)
    erase_player(player=Player.objects.get(name="Ana"), typed_name="Ana", author=owner)
    assert Membership.objects.filter(club=club, user=owner).exists()
    assert not owner.players.exists()
    assert where_it_stands("Ana") == []


def test_names_that_were_merged_go_too_and_longer_names_of_others_stay(club, owner):
    play(club, [{"Ana": ANA, "Ana Maria": BEN, "Chi": CHI}], table="Ana and Ana Maria")
    play(club, [{"Anna": ANA, "Chi": BEN}])
    merge_players(kept=Player.objects.get(name="Ana"), merged=Player.objects.get(name="Anna"))
    merged = Player.objects.get(name="Anna")
    with pytest.raises(ValidationError, match="Anna is a name of Ana now"):
        erase_player(player=merged, typed_name="Anna", author=owner)
    pseudonym = erase_player(player=Player.objects.get(name="Ana"), typed_name="ana ", author=owner)
    assert where_it_stands("Anna") == []
    assert club.sessions.get(table=f"{pseudonym} and Ana Maria")
    assert Player.objects.filter(name="Ana Maria").exists()


def test_documents_of_programs_keep_their_own_words(club, owner):
    player = add_player(club=club, name="USD")
    settle(play(club))
    request_statement(player=player, currency="USD", first_day=EVENING.date(), last_day=EVENING.date(), author=owner)
    work_off()
    erase_player(player=player, typed_name="USD", author=owner)
    assert AuditRow.objects.get(action="statement.asked").detail["currency"] == "USD"
    assert set(Account.objects.values_list("currency", flat=True)) == {"USD"}


def test_another_club_is_left_alone(club, owner, stranger):
    other = stranger.memberships.get().club
    play(club)
    play(other)
    erase_player(player=Player.objects.get(club=club, name="Ana"), typed_name="Ana", author=owner)
    assert Player.objects.filter(club=other, name="Ana").exists()
    assert AuditRow.objects.filter(club=other, action="player.added", detail__name="Ana").exists()


@pytest.mark.parametrize(
    ("typed", "sentence"), [("", "Type the name as it stands above: Ana."), ("Anna", "Type the name as it stands")]
)
def test_it_takes_the_name_to_mean_it(club, owner, typed, sentence):
    play(club)
    with pytest.raises(ValidationError, match=sentence):
        erase_player(player=Player.objects.get(name="Ana"), typed_name=typed, author=owner)
    assert Erasure.objects.count() == 0


def test_it_is_done_once(club, owner):
    play(club)
    player = Player.objects.get(name="Ana")
    pseudonym = erase_player(player=player, typed_name="Ana", author=owner)
    with pytest.raises(ValidationError, match="was erased already"):
        erase_player(player=player, typed_name=pseudonym, author=owner)


@pytest.mark.parametrize("what", ["export", "ledger", "session", "statement", "bundle"])
def test_it_waits_for_a_file_that_is_being_written(club, owner, what):
    session = play(club)
    settle(session)
    period = {"currency": "USD", "first_day": EVENING.date(), "last_day": EVENING.date(), "author": owner}
    ask = {
        "export": lambda: request_export(club=club, author=owner),
        "ledger": lambda: request_ledger_file(club=club, **period),
        "session": lambda: request_session_file(session=session, author=owner),
        "statement": lambda: request_statement(player=Player.objects.get(name="Ben"), **period),
        "bundle": lambda: request_bundle(club=club, **period),
    }
    ask[what]()
    with pytest.raises(ValidationError, match="Wait until that is over"):
        erase_player(player=Player.objects.get(name="Ana"), typed_name="Ana", author=owner)


def test_whoever_comes_under_the_old_name_later_is_somebody_new(club, owner):
    play(club)
    old = Player.objects.get(name="Ana")
    erase_player(player=old, typed_name="Ana", author=owner)
    assert players_named(club=club, names={1: "Ana"})[1] != old


@pytest.mark.parametrize(
    "change",
    [
        "detail = '{}'",
        "action = 'x'",
        "user_id = NULL",
        "address = '10.0.0.1'",
        "club_id = '00000000-0000-0000-0000-000000000000'",
    ],
)
def test_without_an_erasure_under_way_the_audit_is_never_changed(club, change):
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"UPDATE accounts_auditrow SET {change}")


@pytest.mark.parametrize("change", ["action = 'x'", "user_id = NULL", "address = '10.0.0.1'", "source = 'x'"])
def test_an_erasure_changes_nothing_of_the_audit_but_words_and_who(club, owner, change):
    player = add_player(club=club, name="Ana")
    AuditRow.objects.create(club=club, action="seen", source="page", user=owner, address="10.9.9.9")
    Erasure.objects.create(club=club, player=player)
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"UPDATE accounts_auditrow SET {change}")


def test_another_clubs_audit_is_closed_to_an_erasure(club, stranger):
    Erasure.objects.create(club=club, player=add_player(club=club, name="Ana"))
    theirs = AuditRow.objects.filter(club=stranger.memberships.get().club)
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        theirs.update(detail={})


def test_the_person_erases_themself_on_a_page_and_is_signed_out(client, club):
    settle(play(club))
    user = User.objects.create_user("ana@example.com", "a long password")
    player = Player.objects.get(name="Ana")
    claim_player(player=player, user=user)
    client.force_login(user)
    url = reverse("player-erase", args=[player.pk])
    page = client.get(url)
    assert "This cannot be undone." in page.text
    assert "+$11.00" in page.text
    refused = client.post(url, {"name": "Anna"})
    assert refused.status_code == 422
    assert "Type the name as it stands above: Ana." in refused.text
    done = client.post(url, {"name": "Ana"}, follow=True)
    assert "You are erased, and your log-in is gone." in done.text
    assert client.get(reverse("player", args=[player.pk])).status_code == 302
    assert not User.objects.filter(email="ana@example.com").exists()


def test_the_owner_erases_on_a_page_and_hosts_and_others_do_not(client, club, owner):
    play(club)
    player = Player.objects.get(name="Ana")
    url = reverse("player-erase", args=[player.pk])
    host = User.objects.create_user("host@example.com", "a long password")
    Membership.objects.create(club=club, user=host, role="host")
    ben = User.objects.create_user("ben@example.com", "a long password")
    claim_player(player=Player.objects.get(name="Ben"), user=ben)
    for one in (host, ben):
        client.force_login(one)
        assert (client.get(url).status_code, client.post(url, {"name": "Ana"}).status_code) == (404, 404)
        assert "Erase the name" not in client.get(reverse("player-edit", args=[player.pk])).text
    client.force_login(owner)
    assert url in client.get(reverse("player-edit", args=[player.pk])).text
    done = client.post(url, {"name": "ana"}, follow=True)
    player.refresh_from_db()
    assert f"In the books it says {player.name} now." in done.text
    edit = client.get(reverse("player-edit", args=[player.pk])).text
    assert url not in edit
    assert "/join/" not in edit
    for name in ("imports", "exports", "books", "players", "audit"):
        assert client.get(reverse(name, args=[club.pk])).status_code == 200
