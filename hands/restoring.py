"""Lines of a club's export back into a club: rule sets, sessions with their seats, hands with every version.

What a version says is read and scored like any hand; who sat where is taken as it was written, because an older
version may name somebody who had left the seat by the time the hand was corrected.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, TypeVar

from django.db import connection
from django.utils.translation import gettext as _

from accounts.faults import fault
from accounts.models import Club, Player, User
from accounts.money import MOST_MINOR
from hands.deal_models import DealProof
from hands.deal_proofs import read_proof
from hands.heads import check_point_value, read_game, unknown_game
from hands.history import MOST_NUMBER, Deal, read_deal
from hands.house_money import read_house_money
from hands.ids import growing_id
from hands.models import Discrepancy, RuleSet, Seat, Session
from hands.points_only import check_points_only
from hands.reading import Reader, say
from hands.recording import FactRows, differences, score_deals, streets_column, write_rows
from hands.rulesets import rule_set_for, rules_of
from hands.scoring.games import MOST_SEATS, Rules
from hands.scoring.problems import Refused
from hands.scoring.taiwanese import Rules as TaiwaneseRules
from hands.services import open_session

Row = TypeVar("Row")
LONGEST_TEXT: Final = 2_000


def free_text(reader: Reader, holder: Mapping[str, Any], key: str) -> str:
    """What somebody wrote in their own words; none is an empty text."""
    value = holder.get(key)
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > LONGEST_TEXT or "\0" in value:
        reader.refuse(f"/{key}", "text", _("%(key)s is no text, or too long.") % {"key": key})
        return ""
    return value


def known(rows: Mapping[str, Row], key: Any, what: str) -> Row:
    """What an earlier line of the file has under that id. Raises ``ValidationError``."""
    if not isinstance(key, str) or key not in rows:
        raise fault(f"/{what}", "unknown", _("%(what)s names nothing that stands before this line.") % {"what": what})
    return rows[key]


def restore_rule_set(*, club: Club, document: Mapping[str, Any]) -> RuleSet:
    """The rule set of a line, with what its house takes and caps. Raises ``ValidationError``."""
    reader = Reader(document)
    name = reader.name(document, "name", "")
    game = read_game(document)
    if game is None:
        reader.refuse("/game", "game", unknown_game())
    parameters, money = document.get("parameters"), document.get("money")
    if not isinstance(parameters, dict) or not isinstance(money, dict):
        reader.refuse("", "object", _("parameters or money is missing, or is no object."))
    reader.finish()
    try:
        rules = game.read_rules(parameters, pointer="/parameters")
    except Refused as error:
        raise say(error.problems[0]) from None
    return rule_set_for(club=club, name=name, rules=rules, money=read_house_money(money))


def restore_session(
    *, club: Club, document: Mapping[str, Any], rule_set: RuleSet, players: Mapping[str, Player], author: User | None
) -> Session:
    """The session of a line, open, with its seats. Raises ``ValidationError``."""
    reader = Reader(document)
    table = reader.name(document, "table", "")
    external_id = reader.text(document, "external_id", "", needed=False)
    started_at = reader.time(document, "started_at", "")
    button = reader.whole(document, "button", "", least=1, most=MOST_SEATS, needed=False)
    seats = [_seat(reader, one, players) for one in _objects(document, "seats")]
    value = document.get("point_value")
    if not isinstance(value, dict) or not isinstance(value.get("currency"), str):
        reader.refuse("/point_value", "object", _("point_value is missing, or is no object."))
    reader.finish()
    check_point_value(value.get("amount_minor"))
    session = open_session(
        club=club,
        table=table,
        rules=rules_of(rule_set),
        rule_set_name=rule_set.name,
        point_value_minor=value["amount_minor"],
        currency=value["currency"],
        started_at=started_at,
        players={},
        author=author,
        external_id=external_id,
    )
    Session.objects.filter(pk=session.pk).update(button=button)
    for seat in seats:
        seat.session = session
    Seat.objects.bulk_create(seats)
    return session


def _seat(reader: Reader, document: Mapping[str, Any], players: Mapping[str, Player]) -> Seat:
    return Seat(
        number=reader.whole(document, "seat", "/seats", least=1, most=MOST_SEATS),
        player=known(players, document.get("player"), "player"),
        first_hand=reader.whole(document, "first_hand", "/seats", least=1, most=MOST_NUMBER + 1),
        last_hand=reader.whole(document, "last_hand", "/seats", least=1, most=MOST_NUMBER + 1, needed=False),
        stake_minor=reader.whole(document, "stake_minor", "/seats", least=1, most=MOST_MINOR, needed=False),
    )


def _objects(document: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    value = document.get(key)
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise fault(f"/{key}", "list", _("%(key)s is missing, or is no list of objects.") % {"key": key})
    return value


@dataclass(frozen=True)
class KeptVersion:
    """A version of a line; ``deal`` is None where it is void."""

    deal: Deal | None
    is_undone: bool
    reason: str
    author: str
    played_at: datetime
    button: int | None
    created_at: datetime
    # Of the deal's seats, in its order.
    players: tuple[Player, ...] = ()


@dataclass(frozen=True)
class KeptHand:
    """A hand of a line, as it can be written."""

    number: int
    external_id: str | None
    versions: tuple[KeptVersion, ...]
    # As `hands.deal_proofs.proof_facts` has them; None where people dealt.
    dealt: dict[str, Any] | None = None


def read_hand_line(document: Mapping[str, Any], rule_set: RuleSet, players: Mapping[str, Player]) -> KeptHand:
    """The hand with its versions, every one checked against the rules. Raises ``ValidationError``."""
    reader = Reader(document)
    number = reader.whole(document, "number", "", least=1, most=MOST_NUMBER)
    external_id = reader.text(document, "external_id", "", needed=False)
    versions = _objects(document, "versions")
    if [one.get("version") for one in versions] != list(range(1, len(versions) + 1)) or not versions:
        reader.refuse("/versions", "versions", _("The versions of a hand are numbered from 1, without a gap."))
    elif versions[0].get("is_void"):
        reader.refuse("/versions", "versions", _("The first version of a hand is not void."))
    reader.finish()
    rules = rules_of(rule_set)
    kept = tuple(_read_version(one, rules, rule_set, players) for one in versions)
    if document.get("dealt") is None:
        return KeptHand(number, external_id, kept)
    if not isinstance(rules, TaiwaneseRules) or not any(one.deal and one.deal.has_cards for one in kept):
        raise fault("/dealt", "dealt", _("The house deals hands of Taiwanese Poker, and this one has no cards of it."))
    return KeptHand(number, external_id, kept, read_proof(document["dealt"], rules))


def _read_version(
    document: dict[str, Any], rules: Rules, rule_set: RuleSet, players: Mapping[str, Player]
) -> KeptVersion:
    reader = Reader(document)
    created_at = reader.time(document, "created_at", "")
    played_at = reader.time(document, "played_at", "")
    button = reader.whole(document, "button", "", least=1, most=MOST_SEATS, needed=False)
    reason, author = free_text(reader, document, "reason"), free_text(reader, document, "author")
    reader.finish()
    version = KeptVersion(
        None,
        document.get("is_undone") is True,
        reason,
        author,
        played_at,
        button,
        created_at,
    )
    if document.get("is_void") is True:
        return version
    sitting = [known(players, seat.get("player"), "player") for seat in _objects(document, "seats")]
    named = [
        seat | {"player": {"external_id": str(player.pk), "name": player.name}}
        for seat, player in zip(document["seats"], sitting, strict=True)
    ]
    deal = read_deal(document | {"seats": named}, rules)
    # What makes the hand known again, when the club sends it once more, is the club's own id of a player.
    deal = replace(
        deal,
        seats=tuple(
            replace(seat, external_id=player.external_id) for seat, player in zip(deal.seats, sitting, strict=True)
        ),
    )
    check_points_only(deal, rule_set)
    return replace(version, deal=deal, players=tuple(sitting))


def restore_hands(*, session: Session, hands: Sequence[KeptHand], authors: Mapping[str, User]) -> None:
    """Write the hands with all their versions; the last one of each is the current one.

    ``authors`` are the people of this installation by e-mail. Raises ``ValidationError`` for somebody who never sat
    on the seat, and ``IntegrityError`` for a number or an external id that is there.
    """
    seats: dict[tuple[int, uuid.UUID], list[Seat]] = {}
    for seat in Seat.objects.filter(session=session):
        seats.setdefault((seat.number, seat.player_id), []).append(seat)
    when = connection.ops.adapt_datetimefield_value
    rows, versions, facts = [], [], FactRows()
    deals = [one.deal for hand in hands for one in hand.versions if one.deal is not None]
    nets = iter(score_deals(deals, rules_of(session.rule_set)))
    claims: list[Discrepancy] = []
    proofs: list[DealProof] = []
    for hand in hands:
        hand_id = growing_id().hex
        if hand.dealt is not None:
            proofs.append(DealProof(hand_id=uuid.UUID(hand_id), facts=hand.dealt))
        for number, one in enumerate(hand.versions, start=1):
            version = growing_id()
            author = authors.get(one.author)
            versions.append(
                (
                    version.hex,
                    hand_id,
                    number,
                    author.pk if author else None,
                    one.reason,
                    one.deal is None,
                    one.is_undone,
                    one.deal is None or one.deal.has_cards,
                    when(one.played_at),
                    one.button,
                    streets_column(one.deal.streets) if one.deal else None,
                    one.deal.digest(hand.number) if one.deal else "",
                    when(one.created_at),
                )
            )
            if one.deal is not None:
                net = next(nets)
                facts.add(version.hex, one.deal, _occupied(seats, hand.number, one), net)
                claims += [
                    Discrepancy(version_id=version, seat_number=seat, claimed_points=claimed, our_points=ours)
                    for seat, claimed, ours in differences(one.deal, net)
                ]
        rows.append((hand_id, session.pk.hex, hand.number, hand.external_id, None, version.hex))
    write_rows(rows, versions, facts)
    Discrepancy.objects.bulk_create(claims)
    DealProof.objects.bulk_create(proofs)


def _occupied(seats: Mapping[tuple[int, uuid.UUID], list[Seat]], number: int, version: KeptVersion) -> list[Seat]:
    """The occupancies of a version's seats: those that hold the hand, else the one that the player had there."""
    found = []
    for record, player in zip(version.deal.seats, version.players, strict=True):
        held = seats.get((record.number, player.pk), [])
        if not held:
            words = _("%(name)s never sat on seat %(number)d of this session.")
            raise fault("/seats", "does_not_sit", words % {"name": player.name, "number": record.number})
        covering = (seat for seat in held if seat.first_hand <= number <= (seat.last_hand or MOST_NUMBER + 1))
        found.append(next(covering, held[0]))
    return found
