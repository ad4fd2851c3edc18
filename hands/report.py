"""A scored hand as plain data, for the API and for `score_hands`: who won what from whom, and by which rows."""

from collections.abc import Sequence
from typing import Any

from hands.scoring import taiwanese
from hands.scoring.cards import card_text
from hands.scoring.strength import category
from hands.scoring.taiwanese import ROWS, Rules, Setup
from hands.scoring.taiwanese.explain import RowReading


def score_report(
    *,
    boards: Sequence[tuple[int, ...]],
    setups: Sequence[Setup],
    names: Sequence[str],
    rules: Rules,
    explain: bool = False,
) -> dict[str, Any]:
    """Net points, pairs and categories, the seats called by ``names``.

    ``rows`` of a pair are the first player's points: top, middle, bottom of board 1, then of board 2.
    ``categories`` are keyed ``name/board/row``. With ``explain`` each pair says why its points are what they
    are, and ``best_five`` has, by the same keys, the words of every row and its five cards, the row's own
    first: where each lies, and what a joker is played as.
    """
    explained = taiwanese.explain(boards, setups, rules) if explain else None
    score = explained.score if explained else taiwanese.score(boards, setups, rules)
    pairs = []
    for place, pair in enumerate(score.pairs):
        entry: dict[str, Any] = {
            "players": [names[pair.first], names[pair.second]],
            "rows": list(pair.rows),
            "homerun": pair.homerun,
        }
        if rules.board_scoop_bonus:
            entry["scoop"] = pair.scoop
        if rules.royalties:
            entry["royalties"] = pair.royalties
        entry["points"] = pair.points
        if explained:
            entry["because"] = explained.pairs[place]
        pairs.append(entry)
    report = {
        "net": dict(zip(names, score.net, strict=True)),
        "pairs": pairs,
        "categories": {
            f"{names[seat]}/{board + 1}/{row}": category(score.strengths[seat][board][place])
            for seat in range(len(setups))
            for board in range(len(boards))
            for place, row in enumerate(ROWS)
        },
    }
    if explained:
        report["best_five"] = {
            f"{names[seat]}/{board}/{row}": _reading(reading)
            for seat, of_boards in enumerate(explained.rows)
            for board, readings in enumerate(of_boards, start=1)
            for row, reading in zip(ROWS, readings, strict=True)
        }
    return report


def _reading(reading: RowReading) -> dict[str, Any]:
    return {
        "words": reading.words,
        "cards": [
            {"card": card_text(best.card), "from": best.where}
            | ({"played_as": card_text(best.played_as)} if best.played_as != best.card else {})
            for best in reading.best
        ],
    }
