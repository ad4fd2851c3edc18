"""A scored hand as plain data, for the API and for `score_hands`: who won what from whom, and by which rows."""

from collections.abc import Sequence
from typing import Any

from hands.scoring import chinese, taiwanese
from hands.scoring.cards import card_text
from hands.scoring.chinese.strength import category as category_of_row
from hands.scoring.games import GAMES, ROWS, Rules, Setup
from hands.scoring.strength import category


def score_report(
    *,
    boards: Sequence[tuple[int, ...]],
    setups: Sequence[Setup],
    names: Sequence[str],
    rules: Rules,
    explain: bool = False,
) -> dict[str, Any]:
    """Net points, pairs and categories, the seats called by ``names``.

    ``rows`` of a pair are the first player's points: top, middle, bottom (in Taiwanese of board 1, then of board 2).
    ``categories`` are keyed ``name/board/row``, without boards ``name/row``. With ``explain`` each pair says why its
    points are what they are, and ``best_five`` has, by the same keys, the words of every row and its cards: of
    Taiwanese where each lies (the row's own first), and what a joker is played as.

    The Chinese family has no homeruns; its pairs have ``scoop``, and ``royalties``, ``natural`` and ``surrender`` where
    they are not 0. By name follow ``fouls``, ``royalties`` by row, ``naturals`` and ``fantasyland`` (the cards that a
    seat is dealt in the next hand), each with the seats alone that have one.
    """
    game = GAMES[rules.game]
    explained = game.explain(boards, setups, rules) if explain else None
    score = explained.score if explained else game.score(boards, setups, rules)
    pairs = []
    for place, pair in enumerate(score.pairs):
        entry: dict[str, Any] = {"players": [names[pair.first], names[pair.second]], "rows": list(pair.rows)}
        entry |= _pair_of_chinese(pair) if isinstance(rules, chinese.Rules) else _pair_of_taiwanese(pair, rules)
        entry["points"] = pair.points
        if explained:
            entry["because"] = explained.pairs[place]
        pairs.append(entry)
    report = {"net": dict(zip(names, score.net, strict=True)), "pairs": pairs}
    if isinstance(rules, chinese.Rules):
        return report | _of_chinese(score, explained, names)
    return report | _of_taiwanese(score, explained, names)


def _pair_of_taiwanese(pair: taiwanese.Pair, rules: taiwanese.Rules) -> dict[str, Any]:
    entry: dict[str, Any] = {"homerun": pair.homerun}
    if rules.board_scoop_bonus:
        entry["scoop"] = pair.scoop
    if rules.royalties:
        entry["royalties"] = pair.royalties
    return entry


def _pair_of_chinese(pair: chinese.Pair) -> dict[str, Any]:
    rare = {"royalties": pair.royalties, "natural": pair.natural, "surrender": pair.surrender}
    return {"scoop": pair.scoop} | {name: points for name, points in rare.items() if points}


def _of_taiwanese(
    score: taiwanese.Score, explained: taiwanese.Explanation | None, names: Sequence[str]
) -> dict[str, Any]:
    report: dict[str, Any] = {
        "categories": {
            f"{name}/{board}/{row}": category(strength)
            for name, of_boards in zip(names, score.strengths, strict=True)
            for board, strengths in enumerate(of_boards, start=1)
            for row, strength in zip(ROWS, strengths, strict=True)
        }
    }
    if explained:
        report["best_five"] = {
            f"{name}/{board}/{row}": _reading(reading)
            for name, of_boards in zip(names, explained.rows, strict=True)
            for board, readings in enumerate(of_boards, start=1)
            for row, reading in zip(ROWS, readings, strict=True)
        }
    return report


def _reading(reading: taiwanese.RowReading) -> dict[str, Any]:
    return {
        "words": reading.words,
        "cards": [
            {"card": card_text(best.card), "from": best.where}
            | ({"played_as": card_text(best.played_as)} if best.played_as != best.card else {})
            for best in reading.best
        ],
    }


def _of_chinese(score: chinese.Score, explained: chinese.Explanation | None, names: Sequence[str]) -> dict[str, Any]:
    royalties = {
        name: dict(zip(ROWS, points, strict=True))
        for name, points in zip(names, score.royalties, strict=True)
        if any(points)
    }
    report: dict[str, Any] = {
        "categories": {
            f"{name}/{row}": category_of_row(strength)
            for name, strengths in zip(names, score.strengths, strict=True)
            if strengths is not None
            for row, strength in zip(ROWS, strengths, strict=True)
        },
        "fouls": [name for name, is_foul in zip(names, score.fouls, strict=True) if is_foul],
        "royalties": royalties,
        "naturals": {name: natural for name, natural in zip(names, score.naturals, strict=True) if natural},
        "fantasyland": {name: cards for name, cards in zip(names, score.fantasyland, strict=True) if cards},
    }
    if explained:
        report["best_five"] = {
            f"{name}/{row}": {"words": reading.words, "cards": [{"card": card_text(card)} for card in reading.played]}
            for name, readings in zip(names, explained.rows, strict=True)
            for row, reading in zip(ROWS, readings, strict=False)
        }
    return report
