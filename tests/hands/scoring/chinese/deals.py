"""Hands of the Chinese family to test with: dealt at random from a seed, or read from a vector."""

from random import Random

from hands.scoring.cards import parse_card, parse_cards
from hands.scoring.chinese import PRESETS, ROWS, Rules, Setup
from hands.scoring.chinese.rules import SETUP_SIZE
from hands.scoring.chinese.tables import strongest_reading

HOUSE_ROYALTIES = {
    "top": {"AA": 9, "222": 20},
    "middle": {"full house": 12, "straight flush": 30},
    "bottom": {"two pair": 1, "four of a kind": 10, "straight flush": 15, "royal flush": 40},
}

# One of everything that a house may choose.
ALL_KINDS_OF_RULES = [
    *PRESETS.values(),
    Rules.from_parameters({"method": "2-4", "jokers": 2, "royalties": "standard"}, game="chinese"),
    Rules.from_parameters({"royalties_paid": "winner", "scoop_bonus": 0}, game="open-face"),
    Rules.from_parameters({"royalties_paid": "higher", "jokers": 2}, game="open-face"),
    Rules.from_parameters({"royalties": HOUSE_ROYALTIES, "seats": 2, "middle_stays": True}, game="progressive"),
    Rules.from_parameters({"naturals": {"dragon": 36, "six pairs": 6}, "jokers": 2}, game="chinese"),
]


def setup_of(text, **more):
    """A setup from ``top / middle / bottom``."""
    return Setup(*(parse_cards(row) for row in text.split(" / ")), **more)


def setup_of_cards(cards):
    """Thirteen cards set in the order in which they come."""
    return Setup(tuple(cards[:3]), tuple(cards[3:8]), tuple(cards[8:13]))


def deal(random: Random, *, rules: Rules, seats: int) -> list[Setup]:
    """A hand dealt at random. Every other seat puts its rows in order, so that not everything is a foul."""
    deck = [*range(52), *range(52, 52 + rules.jokers)]
    if random.random() < 0.5:
        # A short deck makes strong rows come up often; fewer seats then find their cards in it.
        deck = [card for card in deck if card >= 52 or card >> 2 >= 13 - max(4, (13 * seats + 3) // 4)]
    random.shuffle(deck)
    return [ordered(deck[13 * seat : 13 * seat + 13], random) for seat in range(seats)]


def ordered(cards, random: Random) -> Setup:
    if random.random() < 0.3:
        return setup_of_cards(cards)
    # The better of a few settings: those that do not foul, and among them the strongest bottom.
    cards = sorted(cards) if random.random() < 0.5 else cards
    settings = [setup_of_cards(random.sample(cards, SETUP_SIZE)) for _ in range(4)]
    settings += [setup_of_cards(sorted(cards)), setup_of_cards(sorted(cards, key=lambda card: (card & 3, card)))]
    return max(settings, key=lambda setup: sorted_rows(setup) and strongest_reading(setup.bottom))


def sorted_rows(setup: Setup) -> bool:
    return bool(
        (middle := strongest_reading(setup.middle, strongest_reading(setup.bottom)))
        and strongest_reading(setup.top, middle)
    )


def read_vector(vector):
    setups = [Setup(**{row: tuple(map(parse_card, setup[row])) for row in ROWS}) for setup in vector["setups"].values()]
    return setups, Rules.from_parameters(vector["rules"], game=vector["game"])
