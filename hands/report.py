"""A scored hand as plain data, for the API and for `score_hands`: who won what from whom, and by which rows."""

from collections.abc import Sequence
from typing import Any

from hands.scoring import taiwanese
from hands.scoring.strength import category
from hands.scoring.taiwanese import ROWS, Rules, Setup


def score_report(
    *, boards: Sequence[tuple[int, ...]], setups: Sequence[Setup], names: Sequence[str], rules: Rules
) -> dict[str, Any]:
    """Net points, pairs and categories, the seats called by ``names``.

    ``rows`` of a pair are the first player's points: top, middle, bottom of board 1, then of board 2.
    ``categories`` are keyed ``name/board/row``.
    """
    score = taiwanese.score(boards, setups, rules)
    pairs = []
    for pair in score.pairs:
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
        pairs.append(entry)
    return {
        "net": dict(zip(names, score.net, strict=True)),
        "pairs": pairs,
        "categories": {
            f"{names[seat]}/{board + 1}/{row}": category(score.strengths[seat][board][place])
            for seat in range(len(setups))
            for board in range(len(boards))
            for place, row in enumerate(ROWS)
        },
    }
