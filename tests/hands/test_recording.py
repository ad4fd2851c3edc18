"""Hands into the book in bulk: the same points, digests and conflicts as one by one."""

import uuid
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.models import User
from accounts.services import create_club
from hands import recording, services
from hands.heads import Heads
from hands.history import read_deal, read_hand
from hands.ids import growing_id
from hands.models import Hand, HandVersion, Setup
from hands.recording import FEWEST_FOR_BATCH, score_deals
from hands.scoring.taiwanese import PRESETS, Rules
from hands.services import record_hands, session_for
from tests.deals import EVENING, THREE, document
from tests.hands.test_imports import as_bytes, counts, problems, run
from tests.histories import from_vector, good, numbered
from tests.vectors import vectors


def everyone(name: str) -> list[tuple[Rules, object, list[int]]]:
    """The vectors' hands with their rules and right nets, in the order of their seats."""
    read = []
    for vector in vectors(name):
        head, deal = read_hand(from_vector(vector), PRESETS)
        nets = vector["expected"]["net"]
        read.append((head.rules, deal, [nets[seat.external_id] for seat in deal.seats]))
    return read


@pytest.mark.parametrize("name", ["taiwanese", "taiwanese-jokers", "taiwanese-royalties", "taiwanese-house-rules"])
def test_deals_of_one_rule_set_get_the_vectors_points_together(name):
    by_rules: dict[Rules, list] = {}
    for rules, deal, nets in everyone(name):
        by_rules.setdefault(rules, []).append((deal, nets))
    for rules, pairs in by_rules.items():
        # Often enough that every number of seats goes through the batch.
        many = pairs * FEWEST_FOR_BATCH
        assert [list(net) for net in score_deals([deal for deal, _nets in many], rules)] == [
            nets for _deal, nets in many
        ]


def test_the_digest_of_a_content_never_changes():
    # As they lie in books since the first hands were kept.
    _head, deal = read_hand(good(), PRESETS)
    assert deal.digest(12) == "6a65670bf9fa9b8a691ed8dac2511afd3b5d79accfb7eab4cc8cd72583ccff2e"
    assert deal.digest(13) == "2755d8116f41359539bd4e8a7e9f41a12426017a28319c3459786c8b131c5a3a"

    def rename(hand):
        hand["seats"][0]["player"] = {"name": "Zoë “A” 🂡"}
        hand["button"] = None

    _head, named = read_hand(good(rename), PRESETS)
    assert named.digest(12) == "21c6383172c0035313da2521ff68edc1b99c54cc3278358f92cc92f4c41ad4bb"
    typed = read_deal(document(THREE, EVENING), PRESETS["phenom"])
    seated = replace(typed, seats=tuple(replace(seat, player_id=uuid.UUID(int=seat.number)) for seat in typed.seats))
    assert seated.digest(1) == "710a0fb66504d7a76a10b776d4857fccbda4db79a2869fe1bcc23f1ce0a64f31"


def test_claims_and_unknown_fields_are_no_part_of_the_content():
    _head, plain = read_hand(good(), PRESETS)
    _head, more = read_hand(good(lambda hand: hand.update(claimed_points={"1": 5}, dealer="Kim")), PRESETS)
    assert more.claimed_points == ((1, 5),)
    assert more.unknown_fields == ("/dealer",)
    assert more.digest(12) == plain.digest(12)


def test_a_remembered_session_is_not_taken_for_one_that_only_looks_equal():
    heads = Heads()
    read_hand(good(), PRESETS, heads)
    for value in (50.0, True, "50"):
        wrong = good(lambda hand, value=value: hand["session"]["point_value"].update(amount_minor=value))
        with pytest.raises(Exception, match="whole number of minor units"):
            read_hand(wrong, PRESETS, heads)
    wrong = good(lambda hand: hand.update(game="omaha"))
    with pytest.raises(Exception, match="The game must be"):
        read_hand(wrong, PRESETS, heads)


def test_ids_grow_and_no_two_are_the_same():
    ids = [growing_id() for _ in range(2_000)]
    assert len(set(ids)) == 2_000
    assert {(one.version, one.variant) for one in ids} == {(7, uuid.RFC_4122)}
    # Those of one moment stand in any order; the moments follow each other.
    moments = [one.int >> 64 for one in ids]
    assert moments == sorted(moments)


@pytest.mark.both_databases
@pytest.mark.django_db
def test_hands_written_together_are_the_hands_written_one_by_one(club):
    """What lies in the book afterwards is the same, whichever way it came."""
    names = [f"hand-{number}" for number in range(1, 21)]
    for external_id, together in (("one by one", False), ("together", True)):
        session = good()["session"] | {"external_id": external_id}
        read = [read_hand(numbered(number, session=session), PRESETS) for number in range(1, 21)]
        row = session_for(club=club, head=read[0][0], author=None)
        deals = [deal for _head, deal in read]
        for part in [deals] if together else [[deal] for deal in deals]:
            record_hands(session=row, deals=part, author=None)
    columns = ("number", "external_id", "current__digest", "current__played_at", "current__button", "current__version")
    one, other = (
        list(Hand.objects.filter(session__external_id=name).order_by("number").values_list(*columns))
        for name in ("one by one", "together")
    )
    assert one == other
    assert [external_id for _number, external_id, *_rest in one] == names
    cards = ("version__hand__number", "seat__number", "seat__player__name", "top", "middle", "bottom", "net_points")
    one, other = (
        sorted(Setup.objects.filter(version__hand__session__external_id=name).values_list(*cards))
        for name in ("one by one", "together")
    )
    assert one == other
    assert one[0] == (1, 1, "Ana", "7h", "9hAd", "3c5s3s7d", 20)
    assert HandVersion.objects.filter(author=None, reason="", is_void=False).count() == 40


@pytest.mark.both_databases
@pytest.mark.django_db
def test_a_block_that_the_database_refuses_is_written_line_by_line(club, monkeypatch):
    """Another process writes hand 3 between the look and the write: only the database sees it."""
    run(club, as_bytes(numbered(3)))
    known = recording.known_of

    def blind(*arguments, **options):
        found = known(*arguments, **options)
        return replace(found, hands={}, numbers=set())

    monkeypatch.setattr(services, "known_of", blind)
    history = run(club, as_bytes(*map(numbered, range(1, 8))))
    assert counts(history) == (6, 0, 0, 1)
    assert problems(history) == [(3, "", "Another import wrote this hand at the same moment. Send the line again.")]
    assert Hand.objects.count() == 7


junk = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.sampled_from(["As", "X1", "10d", "Jk", "2026-11-28T20:41:07+08:00", "phenom", "1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def places(node, path=()):
    """Every place in a document."""
    yield path
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


@st.composite
def mutated(draw) -> dict:
    """The good hand with one to four places replaced, removed, doubled or exchanged."""
    hand = numbered(draw(st.integers(1, 40)), claimed_points={"1": 20, "3": -20})
    for _ in range(draw(st.integers(1, 4))):
        path = draw(st.sampled_from(sorted(filter(None, places(hand)), key=str)))
        holder = hand
        for key in path[:-1]:
            holder = holder[key]
        change = draw(st.sampled_from(["replace", "remove", "double", "exchange"]))
        if change == "remove":
            del holder[path[-1]]
        elif change == "double" and isinstance(holder, list):
            holder.append(holder[path[-1]])
        elif change == "exchange" and isinstance(holder, list):
            holder[0], holder[path[-1]] = holder[path[-1]], holder[0]
        else:
            holder[path[-1]] = draw(junk)
        if not hand:
            break
    return hand


@pytest.mark.both_databases
@pytest.mark.django_db
@settings(max_examples=60, deadline=None)
@given(lines=st.lists(mutated(), min_size=1, max_size=12), is_dry_run=st.booleans())
def test_whatever_a_hand_is_turned_into_the_import_answers_it(lines, is_dry_run):
    owner, _made = User.objects.get_or_create(email="mutated@example.com")
    club = create_club(owner=owner, name="Mutated")
    history = run(club, as_bytes(*lines), is_dry_run=is_dry_run)
    assert history.lines == len(lines)
    faulty = set(history.problems.values_list("line", flat=True))
    assert len(faulty) == history.conflicts + history.rejected
