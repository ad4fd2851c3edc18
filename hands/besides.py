"""What a seat may say besides its rows, by its rules: discards, and marks (in Fantasyland, surrendered).

A mark is a whole number above 0; forms and drafts name it after its seat, ``fantasyland_3``.
"""

from collections.abc import Mapping

from hands.scoring.games import GAMES, Rules


def most_discards(rules: Rules) -> int:
    """How many cards a seat may discard at most; 0 where all are set."""
    game = GAMES[rules.game]
    return max(game.cards_dealt, *game.fantasyland_cards, 0) - sum(game.row_sizes)


def mark_choices(rules: Rules) -> Mapping[str, tuple[int, ...]]:
    """The marks of these rules with the values of each: the cards dealt in Fantasyland, 1 for a surrender."""
    choices: dict[str, tuple[int, ...]] = {}
    if fantasyland := GAMES[rules.game].fantasyland_cards:
        choices["fantasyland"] = fantasyland
    if rules.surrender:
        choices["surrendered"] = (1,)
    return choices
