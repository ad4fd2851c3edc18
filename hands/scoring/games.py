"""Every game by its name, so that a caller scores a hand without knowing which game it is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from hands.scoring import chinese, taiwanese
from hands.scoring.chinese.rules import CARDS_DEALT, FANTASYLAND_CARDS, FEWEST_SEATS, TITLES
from hands.scoring.chinese.rules import MOST_SEATS as CHINESE_MOST
from hands.scoring.problems import Problem
from hands.scoring.taiwanese.rules import FEWEST_SEATS as TAIWANESE_FEWEST
from hands.scoring.taiwanese.rules import MOST_BOARDS as TAIWANESE_BOARDS
from hands.scoring.taiwanese.rules import MOST_SEATS as TAIWANESE_MOST
from hands.scoring.taiwanese.rules import TITLE as TAIWANESE_TITLE

# Of any game; which one a rule set is for stands in its ``game``.
Rules = taiwanese.Rules | chinese.Rules
Setup = taiwanese.Setup | chinese.Setup


@dataclass(frozen=True)
class Game:
    """A game's doors. ``name`` is the word of documents and databases, ``title`` that of sentences.

    ``read_rules(parameters, pointer="")`` gives the game's Rules or raises Refused; ``setup`` makes a Setup of
    ``top``, ``middle``, ``bottom`` and what else the game has; the others are the game's own check, score, explain and
    net_points, called alike in every game (``boards`` are empty where ``most_boards`` is 0). Rules, setups and scores
    of one game never go to another's functions.
    """

    name: str
    title: str
    rows: tuple[str, ...]
    row_sizes: tuple[int, int, int]
    most_boards: int
    fewest_seats: int
    most_seats: int
    # Cards dealt to a seat, and the numbers that one in Fantasyland may get.
    cards_dealt: int
    fantasyland_cards: tuple[int, ...]
    presets: Mapping[str, Any]
    read_rules: Callable[..., Any]
    setup: Callable[..., Any]
    check: Callable[..., list[Problem]]
    score: Callable[[Sequence[Sequence[int]], Sequence[Any], Any], Any]
    explain: Callable[[Sequence[Sequence[int]], Sequence[Any], Any], Any]
    net_points: Callable[[Sequence[Sequence[int]], Sequence[Any], Any], tuple[int, ...]]


_TAIWANESE: Final = Game(
    name="taiwanese",
    title=TAIWANESE_TITLE,
    rows=taiwanese.ROWS,
    row_sizes=taiwanese.ROW_SIZES,
    most_boards=TAIWANESE_BOARDS,
    fewest_seats=TAIWANESE_FEWEST,
    most_seats=TAIWANESE_MOST,
    cards_dealt=sum(taiwanese.ROW_SIZES),
    fantasyland_cards=(),
    presets=taiwanese.PRESETS,
    read_rules=taiwanese.Rules.from_parameters,
    setup=taiwanese.Setup,
    check=taiwanese.check,
    score=taiwanese.score,
    explain=taiwanese.explain,
    net_points=taiwanese.net_points,
)
_CHINESE: Final = tuple(
    Game(
        name=name,
        title=title,
        rows=chinese.ROWS,
        row_sizes=chinese.ROW_SIZES,
        most_boards=0,
        fewest_seats=FEWEST_SEATS,
        most_seats=CHINESE_MOST[name],
        cards_dealt=CARDS_DEALT[name],
        fantasyland_cards=FANTASYLAND_CARDS[name],
        presets={preset: rules for preset, rules in chinese.PRESETS.items() if rules.game == name},
        read_rules=partial(chinese.Rules.from_parameters, game=name),
        setup=chinese.Setup,
        check=chinese.check,
        score=chinese.score,
        explain=chinese.explain,
        net_points=chinese.net_points,
    )
    for name, title in TITLES.items()
)
GAMES: Final[Mapping[str, Game]] = {game.name: game for game in (_TAIWANESE, *_CHINESE)}
# More than this is dealt to nobody, whatever is played; nor do more play.
MOST_BOARDS: Final = max(game.most_boards for game in GAMES.values())
MOST_SEATS: Final = max(game.most_seats for game in GAMES.values())
ROWS: Final = taiwanese.ROWS
# Presets of all games by name: no two games share one.
PRESETS: Final[Mapping[str, Any]] = {name: rules for game in GAMES.values() for name, rules in game.presets.items()}
