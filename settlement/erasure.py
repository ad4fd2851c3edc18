"""A person taken out of a club's records: a pseudonym everywhere, and the books as they were.

Nothing that adds up or is chained holds a name: sessions, hands and transfers know a player by id. So the name, the
notes, the log-in and the network addresses go, and every balance, digest and hash stays. The words are looked for in
every text that belongs to the club, whichever table it lies in, so that a new table is not forgotten. What is kept,
and why, stands in `docs/erasure.md`.
"""

import json
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from django.apps import apps
from django.contrib.sessions.models import Session as LogInSession
from django.core.files.storage import default_storage
from django.db import models, transaction
from django.db.models import ProtectedError, Q
from django.db.models.functions import Coalesce, Now
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import audit, ledger
from accounts.faults import fault
from accounts.merging import names_of
from accounts.models import AuditRow, Club, Erasure, Membership, Merge, Player, User
from accounts.names import fold_name
from accounts.services import lock_club
from hands.imports import IMPORT
from hands.models import Import, Session
from jobs import queue
from jobs.models import Job
from settlement.book_files import BOOK_FILE
from settlement.bundles import BUNDLE
from settlement.exports import EXPORT
from settlement.models import BookFile, ClubExport, StatementBundle
from settlement.services import STATEMENT

# Rooms whose rows belong to clubs. A job names its club without a foreign key.
_ROOMS: Final = ("accounts", "hands", "settlement")
# Fields that hold no person's words: what programs compare and what the game is made of. Ids that a club's own
# programs gave to sessions and hands are theirs to change.
# fmt: off
_NO_WORDS: Final = frozenset([
    "action", "after", "bottom", "cards", "chain_hash", "code", "currency", "digest", "event", "events",
    "external_id", "facts", "fingerprint", "game", "hands_digest", "hash", "head_hash", "key", "kind", "middle",
    "moment", "money", "nonce", "parameters", "parts", "prefix", "previous_nonce", "secret_sha256", "section",
    "sha256", "source", "source_key", "time_zone", "top", "url",
])
# fmt: on
# In a document, values under these names are words of the program.
_NO_WORDS_IN_DOCUMENTS: Final = frozenset(["currency", "scope", "state", "status", "kind", "type", "code", "id"])

# Files that hold names. A statement is none of them: it was handed out, with a number and a digest.
_FILES: Final[Sequence[tuple[type[models.Model], str]]] = (
    (Import, "file"),
    (ClubExport, "file"),
    (BookFile, "workbook"),
    (BookFile, "csv"),
    (StatementBundle, "file"),
)

Change = Callable[[str], str]


def may_erase(user: User) -> Q:
    """The players that this person may erase: themselves, and everybody of a club that they own."""
    owned = Membership.objects.filter(user=user, role=Membership.Role.OWNER).values("club")
    return Q(club__put_away_at=None) & (Q(user=user) | Q(club__in=owned))


@transaction.atomic
def erase_player(*, player: Player, typed_name: str, author: User) -> str:
    """Take the player, under all names, out of the club's records; returns the pseudonym. It cannot be undone.

    ``typed_name`` is the name as somebody typed it who means it. Raises ``ValidationError`` when it is another, when
    the player was erased before or is part of another name, and while a job writes a file that the name may be in.
    """
    # In the order of whoever records a hand: the session, then the club where somebody is new, then the book.
    list(Session.objects.select_for_update().filter(club=player.club_id).order_by("pk").values_list("pk"))
    lock_club(player.club_id)
    ledger.lock_book(player.club_id)
    player.refresh_from_db()
    _check(player, typed_name)
    erasure = Erasure.objects.create(club_id=player.club_id, player=player, requested_by=author)
    players = list(Player.objects.filter(pk__in=names_of(player.pk)))
    pseudonyms = {one.pk: _pseudonym(player.club_id) for one in players}
    words = {one.name: pseudonyms[one.pk] for one in players}
    audit.note(player.club_id, "player.erased", player.pk, name=pseudonyms[player.pk])
    user = player.user
    for one in players:
        Player.objects.filter(pk=one.pk).update(
            name=pseudonyms[one.pk],
            name_key=fold_name(pseudonyms[one.pk]),
            external_id=None,
            payment_note="",
            payment_link="",
            user=None,
            deactivated_at=Coalesce("deactivated_at", Now()),
        )
    # Who keeps the club's books too stays known as that.
    if user is not None and not Membership.objects.filter(club=player.club_id, user=user).exists():
        stand_in = _stand_in()
        words[user.email] = stand_in.email
        _put_in_place(player.club, user, stand_in)
        _forget_log_in(user)
    others = Player.objects.filter(club=player.club_id).exclude(pk__in=pseudonyms)
    _change_texts(player.club, _replacing(words, others.values_list("name", flat=True)))
    _forget_files(player.club)
    Erasure.objects.filter(pk=erasure.pk).update(finished_at=timezone.now())
    return pseudonyms[player.pk]


def _check(player: Player, typed_name: str) -> None:
    if Erasure.objects.filter(player=player).exists():
        raise fault("", "erased_before", _("This player was erased already."))
    if merge := Merge.objects.filter(merged=player, undone_at=None).select_related("kept").first():
        sentence = _("%(name)s is a name of %(kept)s now; erase %(kept)s, and this name goes too.")
        raise fault("", "merged", sentence % {"name": player.name, "kept": merge.kept.name})
    if fold_name(typed_name) != fold_name(player.name):
        raise fault("/name", "other_name", _("Type the name as it stands above: %(name)s.") % {"name": player.name})
    if queue.under_way(IMPORT, EXPORT, STATEMENT, BUNDLE, BOOK_FILE, club_id=player.club_id).exists():
        sentence = _("A file of this club is being read or written. Wait until that is over, then erase.")
        raise fault("", "under_way", sentence)


def _pseudonym(club_id: Any) -> str:
    """A name that nobody in the club has, from chance alone: nothing leads back from it."""
    while True:
        name = _("Erased %(code)s") % {"code": secrets.token_hex(3)}
        if not Player.objects.filter(club=club_id, name_key=fold_name(name)).exists():
            return name


def _stand_in() -> User:
    """A log-in that nobody can use, for what the person did: two who confirmed a payment stay two."""
    stand_in = User(email=f"erased-{secrets.token_hex(8)}@erased.invalid", is_active=False)
    stand_in.set_unusable_password()
    stand_in.save()
    return stand_in


def _put_in_place(club: Club, user: User, stand_in: User) -> None:
    """Let the stand-in have done what the person did in this club, from nowhere."""
    AuditRow.objects.filter(club=club, user=user).update(user=stand_in, address=None)
    for model in _models():
        for field in model._meta.concrete_fields:
            if field.related_model is User and model not in {AuditRow, Membership, Club, Player}:
                rows = model._default_manager.filter(_of_club(model, club), **{field.name: user})
                model._default_manager.filter(pk__in=list(rows.values_list("pk", flat=True))).update(
                    **{field.name: stand_in}
                )


def _forget_log_in(user: User) -> None:
    """Delete the log-in with its address, password and passkeys, where it is not used elsewhere."""
    if user.players.exists() or user.memberships.exists() or Club.objects.filter(demo_of=user).exists():
        return
    try:
        with transaction.atomic():
            User.objects.get(pk=user.pk).delete()
    except ProtectedError:
        return  # something of another club still names it
    for session in LogInSession.objects.iterator():
        if session.get_decoded().get("_auth_user_id") == str(user.pk):
            session.delete()


@cache
def _models() -> tuple[type[models.Model], ...]:
    """Every model whose rows belong to a club."""
    found = [model for room in _ROOMS for model in apps.get_app_config(room).get_models()]
    return tuple(model for model in found if model is Club or any(_paths(model)))


def _paths(model: type[models.Model], seen: frozenset[type[models.Model]] = frozenset()) -> Iterator[str]:
    """The ways over foreign keys from a model to its club; one that may be empty is followed by the others."""
    keys = [field for field in model._meta.concrete_fields if field.is_relation and field.related_model not in seen]
    for field in sorted(keys, key=lambda field: (field.related_model is not Club, field.null)):
        if field.related_model is Club:
            ways = [field.name]
        elif field.related_model is User or field.related_model is model:
            continue
        else:
            ways = [f"{field.name}__{way}" for way in _paths(field.related_model, seen | {model})][:1]
        yield from ways
        if ways and not field.null:
            return


def _of_club(model: type[models.Model], club: Club) -> Q:
    if model is Club:
        return Q(pk=club.pk)
    ours = Q(pk__in=[])
    for path in _paths(model):
        ours |= Q(**{path: club})
    return ours


def _replacing(words: Mapping[str, str], others: Iterable[str]) -> Change:
    """A function that puts the pseudonyms into a text. A longer name of somebody else ("Ana Maria") stays whole."""
    new = {old.casefold(): pseudonym for old, pseudonym in words.items()}
    kept = [name for name in others if any(old in name.casefold() and old != name.casefold() for old in new)]
    # As a JSON text writes them too.
    new |= {json.dumps(old)[1:-1].casefold(): pseudonym for old, pseudonym in words.items()}
    longest_first = sorted({*kept, *words, *(json.dumps(old)[1:-1] for old in words)}, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)", re.IGNORECASE)
    return lambda text: pattern.sub(lambda found: new.get(found[0].casefold(), found[0]), text)


def _change_texts(club: Club, change: Change) -> None:
    _change_rows(Job.objects.filter(club_id=club.pk), [Job._meta.get_field("error")], change)
    for model in _models():
        fields = [field for field in model._meta.concrete_fields if _has_words(field)]
        if fields and model is not Player:
            _change_rows(model._default_manager.filter(_of_club(model, club)), fields, change)


def _has_words(field: "models.Field[Any, Any]") -> bool:
    kinds = (models.CharField, models.TextField, models.JSONField)
    return isinstance(field, kinds) and not field.choices and field.name not in _NO_WORDS


def _change_rows(rows: models.QuerySet[Any], fields: "list[models.Field[Any, Any]]", change: Change) -> None:
    names = [field.name for field in fields]
    if not any(isinstance(field, models.JSONField) for field in fields):
        rows = rows.exclude(**dict.fromkeys(names, ""))
    wanted: dict[Any, dict[str, Any]] = {}
    for pk, *values in rows.order_by().values_list("pk", *names).iterator(chunk_size=2000):
        for name, old in zip(names, values, strict=True):
            if (new := _changed(old, change)) != old:
                wanted.setdefault(pk, {})[name] = new
    for pk, changed in wanted.items():
        _update(rows.model, pk, changed)


def _update(model: type[models.Model], pk: Any, values: dict[str, Any]) -> None:
    """Write the texts of one row, none longer than its column."""
    for name, value in values.items():
        longest = getattr(model._meta.get_field(name), "max_length", None)
        if longest is not None and isinstance(value, str):
            values[name] = value[:longest]
    model._default_manager.filter(pk=pk).update(**values)


def _changed(value: Any, change: Change) -> Any:
    """The text, or the document with its texts, changed; what is no text stays as it is."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_changed(one, change) for one in value]
    if isinstance(value, dict):
        return {key: one if key in _NO_WORDS_IN_DOCUMENTS else _changed(one, change) for key, one in value.items()}
    return value


def _forget_files(club: Club) -> None:
    """Let go of what can be made again, and of the histories: what they say is in the book, with the pseudonym."""
    names: list[str] = []
    for model, field in _FILES:
        rows = model._default_manager.filter(club=club)
        names += rows.exclude(**{field: ""}).values_list(field, flat=True)
        rows.update(**{field: ""})

    def delete() -> None:
        for name in names:
            default_storage.delete(name)

    transaction.on_commit(delete)
