"""The rules of Chinese poker, Open-Face Chinese, Pineapple and Progressive, with a house's choices as parameters.

Sources: "Chinese Poker Scoring Rules" for rows, fouls, 1-6 scoring and Fantasyland; the royalties are the chart in
general use for Open-Face; naturals and 2-4 scoring are those of closed Chinese poker.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Self

from hands.scoring.cards import RANKS
from hands.scoring.parameters import PointsByRow, RulesReader
from hands.scoring.strength import CATEGORIES

GameName = Literal["chinese", "open-face", "pineapple", "progressive"]
Method = Literal["1-6", "2-4"]
RoyaltiesPaid = Literal["both", "winner", "higher"]

# What sentences call each game.
TITLES: Final[Mapping[GameName, str]] = {
    "chinese": "Chinese poker",
    "open-face": "Open-Face",
    "pineapple": "Pineapple",
    "progressive": "Progressive",
}
ROWS: Final = ("top", "middle", "bottom")
ROW_SIZES: Final = (3, 5, 5)
SETUP_SIZE: Final = sum(ROW_SIZES)
FEWEST_SEATS: Final = 2
# Four seats of 13 are the deck; of 17 there are three (51 cards).
MOST_SEATS: Final[Mapping[GameName, int]] = {"chinese": 4, "open-face": 4, "pineapple": 3, "progressive": 3}
# Cards dealt to a seat outside Fantasyland, and the numbers that one in Fantasyland may get.
CARDS_DEALT: Final[Mapping[GameName, int]] = {"chinese": 13, "open-face": 13, "pineapple": 17, "progressive": 17}
FANTASYLAND_CARDS: Final[Mapping[GameName, tuple[int, ...]]] = {
    "chinese": (),
    "open-face": (13,),
    "pineapple": (14,),
    "progressive": (14, 15, 16, 17),
}
JOKER_COUNTS: Final = (0, 2)
METHODS: Final[tuple[Method, ...]] = ("1-6", "2-4")
ROYALTIES_PAID: Final[tuple[RoyaltiesPaid, ...]] = ("both", "winner", "higher")
# A row is worth a point. Under 1-6 a scoop earns 3 more (6 in all); under 2-4 two rows or more earn 1 (4 in all).
ROW_POINTS: Final = 1
SCOOP_BONUS: Final[Mapping[Method, int]] = {"1-6": 3, "2-4": 1}
SURRENDER_POINTS: Final[Mapping[Method, int]] = {"1-6": 3, "2-4": 2}
MOST_POINTS: Final = 1000

# What a royalty may be paid for: on top pairs and threes by rank, below by category.
TOP_HANDS: Final = tuple(rank * size for size in (2, 3) for rank in RANKS)
FIVE_HANDS: Final = (*CATEGORIES, "royal flush")
ROYALTY_HANDS: Final = (TOP_HANDS, FIVE_HANDS, FIVE_HANDS)
STANDARD_ROYALTIES: Final[PointsByRow] = (
    # 66 is 1 and so on to AA, 9; 222 is 10 and so on to AAA, 22.
    (0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, *range(10, 23)),
    (0, 0, 0, 2, 4, 8, 12, 20, 30, 50),
    (0, 0, 0, 0, 2, 4, 6, 10, 15, 25),
)
ROYALTIES: Final[Mapping[str, PointsByRow | None]] = {"none": None, "standard": STANDARD_ROYALTIES}
NATURALS: Final = ("dragon", "three straights", "three flushes", "six pairs")
STANDARD_NATURALS: Final = (13, 4, 3, 3)
NATURAL_POINTS: Final[Mapping[str, tuple[int, ...] | None]] = {"none": None, "standard": STANDARD_NATURALS}

_SHARED: Final = ("method", "scoop_bonus", "jokers", "seats", "royalties", "royalties_paid")


@dataclass(frozen=True)
class Rules:
    """One house's rule set: hashable, and valid when it comes from PRESETS or from_parameters.

    ``scoop_bonus`` is for all three rows (``1-6``) or for two or more (``2-4``); a foul costs three rows and it.
    ``royalties`` holds points by row, in the order of ROYALTY_HANDS; ``royalties_paid`` says whether each seat's are
    netted (``both``), only a row's winner collects (``winner``), or in each row only the seat whose royalty is the
    higher (``higher``). ``naturals`` holds points in the order of NATURALS. ``middle_stays``: a full house or better
    in the middle stays in Fantasyland. ``seats`` is the most that may play.
    """

    # Not a field, and so no parameter: cards are never shared.
    boards = 0

    game: GameName = "chinese"
    method: Method = "1-6"
    scoop_bonus: int = 3
    jokers: int = 0
    seats: int = 4
    royalties: PointsByRow | None = None
    royalties_paid: RoyaltiesPaid = "both"
    surrender: bool = False
    naturals: tuple[int, ...] | None = None
    middle_stays: bool = False

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, object], pointer: str = "", *, game: GameName) -> Self:
        """Read a rule set of a game from plain data, such as JSON; a parameter left out has its default.

        ``pointer`` is where the parameters lie in the caller's document. Raises Refused with every problem found:
        unknown keys (those of another game too), wrong types, numbers out of range.
        """
        reader = RulesReader(parameters, pointer, TITLES[game])
        reader.refuse_unknown(_known(game))
        method = reader.one_of("method", "1-6", METHODS)
        is_closed = game == "chinese"
        rules = cls(
            game=game,
            method=method,
            scoop_bonus=reader.number("scoop_bonus", SCOOP_BONUS[method], 0, MOST_POINTS),
            jokers=reader.one_of("jokers", 0, JOKER_COUNTS),
            seats=reader.number("seats", MOST_SEATS[game], FEWEST_SEATS, MOST_SEATS[game]),
            royalties=reader.royalties(
                ROWS, ROYALTY_HANDS, MOST_POINTS, named=ROYALTIES, default=None if is_closed else STANDARD_ROYALTIES
            ),
            royalties_paid=reader.one_of("royalties_paid", "both", ROYALTIES_PAID),
            surrender=is_closed and reader.flag("surrender", False),
            naturals=reader.naturals(NATURALS, MOST_POINTS, named=NATURAL_POINTS) if is_closed else None,
            middle_stays=not is_closed and reader.flag("middle_stays", game != "progressive"),
        )
        reader.raise_refused()
        return rules

    def parameters(self) -> dict[str, object]:
        """The rule set as plain data, with every key of its game; from_parameters gives the same rules back."""
        found: dict[str, object] = {
            "method": self.method,
            "scoop_bonus": self.scoop_bonus,
            "jokers": self.jokers,
            "seats": self.seats,
            "royalties": _name_of(self.royalties, ROYALTIES) or _royalty_table(self.royalties),
            "royalties_paid": self.royalties_paid,
            "surrender": self.surrender,
            "naturals": _name_of(self.naturals, NATURAL_POINTS) or _table(NATURALS, self.naturals or ()),
            "middle_stays": self.middle_stays,
        }
        return {name: found[name] for name in _known(self.game)}

    @property
    def foul_points(self) -> int:
        """What a foul pays to everyone who did not foul, before royalties: 6 under 1-6, 4 under 2-4."""
        return len(ROWS) * ROW_POINTS + self.scoop_bonus

    @property
    def surrender_points(self) -> int:
        """What a surrender pays to everyone else: 3 under 1-6, 2 under 2-4."""
        return SURRENDER_POINTS[self.method]


def _known(game: GameName) -> tuple[str, ...]:
    return (*_SHARED, *(("surrender", "naturals") if game == "chinese" else ("middle_stays",)))


def _name_of(value: object, named: Mapping[str, object]) -> str:
    return next((name for name, known in named.items() if known == value), "")


def _royalty_table(royalties: PointsByRow | None) -> dict[str, dict[str, int]]:
    tables = zip(ROWS, ROYALTY_HANDS, royalties or ((), (), ()), strict=True)
    return {row: _table(hands, points) for row, hands, points in tables if any(points)}


def _table(names: Sequence[str], points: Sequence[int]) -> dict[str, int]:
    """Points by name without zeros, but with a royal flush wherever it is not worth what a straight flush is."""
    table = dict(zip(names, points, strict=True)) if points else {}
    flush = table.get("straight flush", 0)
    return {name: worth for name, worth in table.items() if worth != (flush if name == "royal flush" else 0)}


def _preset(game: GameName, **parameters: object) -> Rules:
    return Rules.from_parameters(parameters, game=game)


PRESETS: Final[Mapping[str, Rules]] = {
    "chinese": _preset("chinese"),
    "chinese-2-4": _preset("chinese", method="2-4"),
    "chinese-naturals": _preset("chinese", naturals="standard", surrender=True),
    "open-face": _preset("open-face"),
    "open-face-jokers": _preset("open-face", jokers=2),
    "pineapple": _preset("pineapple"),
    "pineapple-strict": _preset("pineapple", middle_stays=False),
    "pineapple-jokers": _preset("pineapple", jokers=2),
    "progressive": _preset("progressive"),
}
