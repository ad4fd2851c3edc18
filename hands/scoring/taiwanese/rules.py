"""The rules of Taiwanese Poker, with what a house may choose as parameters of a rule set.

Source of the rules and of the defaults: Taiwanese Poker as Phenom Poker plays it. The other presets: 12 for a
homerun (the 12 points of its rows again; SeanYao314/taiwanese-poker) and one board with a scoop bonus (as in
Reno 2017, PokerNews).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, Self

from hands.scoring.parameters import PointsByRow, RulesReader
from hands.scoring.strength import CATEGORIES

# What sentences call the game.
TITLE: Final = "Taiwanese"
ROWS: Final = ("top", "middle", "bottom")
ROW_SIZES: Final = (1, 2, 4)
SETUP_SIZE: Final = sum(ROW_SIZES)
BOARD_SIZE: Final = 5
MOST_BOARDS: Final = 2
FEWEST_SEATS: Final = 2
# Six seats and two boards are all 52 cards: 6 x 7 + 2 x 5. More seats than the deck has cards for cannot be.
MOST_SEATS: Final = 6
JOKER_COUNTS: Final = (0, 2)
RoyaltiesPaid = Literal["both", "winner"]
ROYALTIES_PAID: Final[tuple[RoyaltiesPaid, ...]] = ("both", "winner")
# What a row won is worth by the defaults, and what all three rows on both boards earn on top.
ROW_POINTS: Final = (1, 2, 3)
HOMERUN_BONUS: Final = 8
# Far above any house's numbers and far below what would overflow anything.
MOST_POINTS: Final = 1000


@dataclass(frozen=True)
class Rules:
    """One house's rule set: hashable, and valid when it comes from PRESETS or from_parameters.

    ``row_points`` are for top, middle and bottom; ``homerun_bonus`` for all rows on both boards and
    ``board_scoop_bonus`` for all rows on one, against one opponent and without a tie; ``seats`` is the most
    that may play. ``royalties`` holds points by row and by category (nine numbers a row, weakest category
    first), per board and pair: each seat's are netted (``both``) or only the row's winner collects
    (``winner``).
    """

    # Not fields, and so no parameters: the name by which the game is found among all, and what only others may allow.
    game = "taiwanese"
    surrender = False

    boards: int = 2
    row_points: tuple[int, int, int] = ROW_POINTS
    homerun_bonus: int = HOMERUN_BONUS
    board_scoop_bonus: int = 0
    jokers: int = 0
    seats: int = MOST_SEATS
    royalties: PointsByRow | None = None
    royalties_paid: RoyaltiesPaid = "both"

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, object], pointer: str = "") -> Self:
        """Read a rule set from plain data, such as JSON; a parameter left out has its default.

        ``pointer`` is where the parameters lie in the caller's document. Raises Refused with every problem
        found: unknown keys, wrong types (a bool is no number), numbers out of range, contradictions.
        """
        reader = RulesReader(parameters, pointer, TITLE)
        reader.refuse_unknown(cls.__dataclass_fields__)
        rules = cls(
            boards=reader.number("boards", cls.boards, 1, MOST_BOARDS),
            row_points=reader.row_points(cls.row_points, MOST_POINTS),
            # One board has no homerun, so there the default is none.
            homerun_bonus=reader.number(
                "homerun_bonus", 0 if parameters.get("boards") == 1 else HOMERUN_BONUS, 0, MOST_POINTS
            ),
            board_scoop_bonus=reader.number("board_scoop_bonus", 0, 0, MOST_POINTS),
            jokers=reader.one_of("jokers", 0, JOKER_COUNTS),
            seats=reader.number("seats", MOST_SEATS, FEWEST_SEATS, MOST_SEATS),
            royalties=reader.royalties(ROWS, (CATEGORIES,) * len(ROWS), MOST_POINTS),
            royalties_paid=reader.one_of("royalties_paid", "both", ROYALTIES_PAID),
        )
        if rules.boards == 1 and rules.homerun_bonus:
            reader.refuse(
                "homerun_bonus",
                "homerun_needs_two_boards",
                "A homerun is won on two boards; with one board the homerun bonus must be 0.",
            )
        reader.raise_refused()
        return rules

    def parameters(self) -> dict[str, object]:
        """The rule set as plain data, always with every key; from_parameters gives the same rules back."""
        royalties = self.royalties and {
            row: {category: points for category, points in zip(CATEGORIES, table, strict=True) if points}
            for row, table in zip(ROWS, self.royalties, strict=True)
            if any(table)
        }
        return {
            "boards": self.boards,
            "row_points": list(self.row_points),
            "homerun_bonus": self.homerun_bonus,
            "board_scoop_bonus": self.board_scoop_bonus,
            "jokers": self.jokers,
            "seats": self.seats,
            "royalties": royalties,
            "royalties_paid": self.royalties_paid,
        }


PRESETS: Final[Mapping[str, Rules]] = {
    "phenom": Rules(),
    "phenom-jokers": Rules(jokers=2),
    "doubled-homerun": Rules(homerun_bonus=12),
    "one-board-scoop": Rules(boards=1, homerun_bonus=0, board_scoop_bonus=3),
}
