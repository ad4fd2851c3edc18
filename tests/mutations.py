"""Would the tests notice? Breaks the scoring core in one place at a time and runs its tests on the broken copy.

    python -m tests.mutations

A mutation that no test notices survives; then the exit status is 1. The copy lies in a temporary folder; the
working tree is never touched.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCORING = "hands/scoring"
COPIED = (
    "hands/__init__.py",
    SCORING,
    "docs/fair-dealing.md",
    "tests/__init__.py",
    "tests/mutations.py",
    "tests/hands/__init__.py",
    "tests/hands/scoring",
    "tests/transcripts",
    "tests/vectors",
)
# The settings of the copy, which has no Django.
CONFIGURATION = "[pytest]\nfilterwarnings = error\npythonpath = .\nmarkers = slow: not run here\n"
SECONDS = 300


@dataclass(frozen=True)
class Mutation:
    """One change of a file below hands/scoring; ``original`` occurs in it exactly once."""

    file: str
    original: str
    mutated: str


MUTATIONS = [
    # What rows, homeruns and scoops are worth
    Mutation("taiwanese/rules.py", "ROW_POINTS: Final = (1, 2, 3)", "ROW_POINTS: Final = (1, 2, 4)"),
    Mutation("taiwanese/rules.py", "HOMERUN_BONUS: Final = 8", "HOMERUN_BONUS: Final = 9"),
    Mutation("taiwanese/rules.py", "Rules(homerun_bonus=12)", "Rules(homerun_bonus=16)"),
    Mutation("taiwanese/rules.py", "board_scoop_bonus=3)", "board_scoop_bonus=2)"),
    Mutation("taiwanese/rules.py", "0 if parameters.get(\"boards\") == 1 else HOMERUN_BONUS", "HOMERUN_BONUS"),
    Mutation("taiwanese/rules.py", "rules.boards == 1 and rules.homerun_bonus", "False"),
    Mutation("taiwanese/rules.py", "MOST_SEATS: Final = 6", "MOST_SEATS: Final = 7"),
    Mutation("taiwanese/rules.py", "FEWEST_SEATS: Final = 2", "FEWEST_SEATS: Final = 1"),
    Mutation("taiwanese/rules.py", "JOKER_COUNTS: Final = (0, 2)", "JOKER_COUNTS: Final = (0, 1, 2)"),
    Mutation("taiwanese/rules.py", "MOST_POINTS: Final = 1000", "MOST_POINTS: Final = 999"),
    Mutation("parameters.py", "isinstance(value, bool) or ", ""),
    Mutation("parameters.py", "least <= value <= most", "least <= value"),
    Mutation("parameters.py", "type(value) is type(choice) and ", ""),
    # A tie voids homerun and scoop; a homerun needs both boards
    Mutation("taiwanese/score.py", "if len(set(rows)) == 1 else 0", "if 0 not in rows else 0"),
    Mutation("taiwanese/score.py", "if len(set(rows)) == 1 else 0", "if -rows[0] not in rows else 0"),
    Mutation("taiwanese/score.py", "_sweep([won for board in boards for won in board])", "_sweep(boards[0])"),
    Mutation("taiwanese/score.py", "rules.board_scoop_bonus * sum(map(_sweep, boards))", "0"),
    Mutation("taiwanese/score.py", "(our > their) - (our < their)", "(our >= their) - (our < their)"),
    Mutation("taiwanese/score.py", "rules.homerun_bonus * (not any(rows))", "0"),
    Mutation("taiwanese/score.py", "(not any(rows))", "(not all(rows))"),
    Mutation("taiwanese/score.py", "sum(not any(board)", "sum(not all(board)"),
    Mutation("taiwanese/score.py", "net[place] -= points", "net[place] += points"),
    Mutation("taiwanese/score.py", "net[pair.second] -= pair.points", "net[pair.second] += pair.points"),
    # Royalties
    Mutation("taiwanese/score.py", "total += table[our] - table[their]", "total += table[our]"),
    Mutation("taiwanese/score.py", "elif our != their:", "else:"),
    Mutation("taiwanese/score.py", "table[our] if our > their else -table[their]", "table[our] - table[their]"),
    # Which cards a row may use
    Mutation("build_tables.py", "six = np.maximum(one, board[:, None])", "six = one"),
    Mutation("build_tables.py", "np.maximum(six, flushes[masks][:, None], out=six)", "pass"),
    Mutation("build_tables.py", "return numbers, six, seven, omaha", "return numbers, six, seven, seven"),
    Mutation("build_tables.py", "_best_with_two(omaha, six), omaha", "*[_best_with_two(omaha, six)] * 2"),
    Mutation("build_tables.py", "_best_with_two(omaha, six), omaha", "omaha, omaha"),
    Mutation("build_tables.py", "seven = _best_with_two(omaha, six)", "seven = omaha"),
    Mutation("taiwanese/rows.py", "if on_board > 3:", "if on_board > 4:"),
    Mutation("taiwanese/rows.py", "if on_board > 3 or", "if"),
    Mutation("taiwanese/rows.py", "& 7 == 2:", "& 7 == 3:"),
    Mutation("taiwanese/rows.py", "& 7 >= 2:", "& 7 >= 3:"),
    Mutation("taiwanese/rows.py", "omaha[bd], omaha[cd])", "omaha[bd])"),
    Mutation("tables.py", "counts >> 3 * suit & 7 >= 3", "counts >> 3 * suit & 7 >= 4"),
    # Jokers
    Mutation("build_tables.py", "(fours == rank).sum(axis=1) + 1 <= 4", "(fours == rank).sum(axis=1) + 1 <= 3"),
    Mutation("build_tables.py", "(low == high) <= 4) &", "(low == high) <= 3) &"),
    Mutation("build_tables.py", "for rank in (*range(13), JOKER_RANK):", "for rank in range(13):"),
    Mutation("build_tables.py", "table[:, JOKER_RANK] = table[:, :13].max(axis=1)", "pass"),
    Mutation("build_tables.py", "table[:, JOKER_RANK] = table.max(axis=1)", "pass"),
    Mutation("tables.py", "if card >= DECK or card & 3 == suit", "if card & 3 == suit"),
    Mutation("tables.py", "    if card in JOKERS:\n        return JOKER_RANK\n", ""),
    # The order of strengths
    Mutation("strength.py", "_WHEEL: Final = (3, 2, 1, 0, 12)", "_WHEEL: Final = (3, 2, 1, 0, 11)"),
    Mutation("strength.py", "(_WHEEL, *higher)", "(*higher, _WHEEL)"),
    Mutation("strength.py", "858, 10, 1277, 156,", "858, 11, 1276, 156,"),
    Mutation("strength.py", "(no_straights, full_houses,", "(full_houses, no_straights,"),
    # What is refused, and what is read
    Mutation("taiwanese/check.py", "len(cards) != needed", "len(cards) > needed"),
    Mutation("taiwanese/check.py", "!= BOARD_SIZE:\n            words", "> BOARD_SIZE:\n            words"),
    Mutation("taiwanese/check.py", "elif not rules.jokers:", "elif False:"),
    Mutation("dealt.py", "if first is not spot:", "if False:"),
    Mutation("taiwanese/check.py", "if len(boards) != rules.boards:", "if len(boards) > rules.boards:"),
    Mutation("taiwanese/check.py", " <= rules.seats:\n        yield", ":\n        yield"),
    Mutation("taiwanese/check.py", "    if not FEWEST_SEATS <= len(seats) <=", "    if not len(seats) <="),
    Mutation("cards.py", "(?ai:", "(?i:"),
    Mutation("cards.py", "JOKER(?:1(?!0)|2)?", "JOKER[12]?"),
    Mutation("cards.py", "taken = {*held, *cards}", "taken = {*cards}"),
    # The best five
    Mutation("taiwanese/explain.py", "range(row_size + 1)", "range(row_size, -1, -1)"),
    Mutation("taiwanese/explain.py", "(2,) if row_size == ROW_SIZES[-1] else", ""),
    Mutation("jokers.py", "if choice not in (*naturals, *played)", "if True"),
    # The batch
    Mutation("taiwanese/batch.py", "not_weaker, not_stronger):", "not_stronger, not_weaker):"),
    Mutation("taiwanese/batch.py", "if hands < self._size:", "if False:"),
    Mutation("taiwanese/batch.py", "(cards & 3 != suits) & (cards < DECK)", "cards & 3 != suits"),
    Mutation("taiwanese/batch.py", "_FLUSH_SUITS[keys >>", "4 + 0 * _FLUSH_SUITS[keys >>"),
    Mutation("taiwanese/batch.py", "our * (ours > theirs)", "our * (ours >= theirs)"),
    Mutation("taiwanese/batch.py", "points[:, place] += royalties", "points[:, place] -= royalties"),
    Mutation("taiwanese/batch.py", "ours > theirs).view", "ours >= theirs).view"),
    # The Chinese family: its numbers
    Mutation("chinese/rules.py", '"1-6": 3, "2-4": 1}', '"1-6": 3, "2-4": 2}'),
    Mutation("chinese/rules.py", '"1-6": 3, "2-4": 2}', '"1-6": 3, "2-4": 3}'),
    Mutation("chinese/rules.py", "ROW_POINTS: Final = 1", "ROW_POINTS: Final = 2"),
    Mutation("chinese/rules.py", "*range(10, 23)", "*range(9, 22)"),
    Mutation("chinese/rules.py", "(0, 0, 0, 2, 4, 8, 12, 20, 30, 50)", "(0, 0, 0, 2, 4, 8, 12, 20, 30, 49)"),
    Mutation("chinese/rules.py", "(0, 0, 0, 0, 2, 4, 6, 10, 15, 25)", "(0, 0, 0, 1, 2, 4, 6, 10, 15, 25)"),
    Mutation("chinese/rules.py", "NATURALS: Final = (13, 4, 3, 3)", "NATURALS: Final = (13, 4, 4, 3)"),
    Mutation("chinese/rules.py", 'game != "progressive"', "True"),
    Mutation("chinese/rules.py", "len(ROWS) * ROW_POINTS + self.scoop_bonus", "2 * len(ROWS) * ROW_POINTS"),
    Mutation("chinese/rules.py", "None if is_closed else STANDARD_ROYALTIES", "STANDARD_ROYALTIES"),
    Mutation("parameters.py", "points.get(_IS_A.get(category, \"\"), 0)", "0"),
    # The order of three and five cards, and the foul
    Mutation("chinese/strength.py", "(PAIR, (pair, pair, kicker))", "(PAIR, (pair, kicker, pair))"),
    Mutation("chinese/tables.py", " == d & 3 == e & 3:", " == d & 3:"),
    Mutation("chinese/tables.py", "strength if strength <= most", "strength if strength < most"),
    Mutation("chinese/rows.py", "reading(setup.middle, bottom)", "reading(setup.middle)"),
    Mutation("chinese/rows.py", "reading(setup.top, middle)", "reading(setup.top)"),
    Mutation("chinese/rows.py", "reading(setup.top, middle)", "reading(setup.top, bottom)"),
    Mutation("chinese/rows.py", "if middle and top:", "if middle:"),
    # Jokers
    Mutation("chinese/tables.py", "bisect_right(strengths, most)", "len(strengths)"),
    Mutation("chinese/tables.py", "bisect_right(strengths, most)", "bisect_right(strengths, most - 1)"),
    Mutation("chinese/tables.py", "<= _ALIKE", "< _ALIKE"),
    Mutation("chinese/tables.py", "found = max(found, _last(suited, most))", "found = _last(suited, most)"),
    Mutation("chinese/tables.py", "found = max(found, _last(suited, most))", "pass"),
    Mutation("jokers.py", "if not _is_flush(played):", "if True:"),
    # Pairs
    Mutation("chinese/score.py", "natural=our if our > their else -their if our < their else 0", "natural=our - their"),
    Mutation("chinese/score.py", "(theirs.strengths is None and not ours.fouls)", "(theirs.strengths is None)"),
    Mutation("chinese/score.py", "(ours.strengths is None and not theirs.fouls)", "(ours.strengths is None)"),
    Mutation("chinese/score.py", "sign = theirs.fouls - ours.fouls", "sign = theirs.fouls or -ours.fouls"),
    Mutation("chinese/score.py", "sum(ours.royalties) - sum(theirs.royalties)", "sum(ours.royalties)"),
    Mutation("chinese/score.py", 'if rules.method == "1-6" else 2', "if True else 2"),
    Mutation("chinese/score.py", "our if row > 0 else -their if row < 0 else 0 for", "our if row > 0 else -their for"),
    Mutation("chinese/score.py", "fouls=not natural, natural=natural", "fouls=fouls, natural=natural"),
    Mutation("chinese/score.py", "is_in=setup.fantasyland > 0", "is_in=False"),
    Mutation("chinese/score.py", "number == STRAIGHT_FLUSH and ranks[0] == ACE", "number == STRAIGHT_FLUSH"),
    # Naturals
    Mutation("chinese/naturals.py", "points = max(", "points = min("),
    Mutation("chinese/naturals.py", "for places in (ranks, low))", "for places in (ranks,))"),
    Mutation("chinese/naturals.py", "sum(count // 2 for", "sum(count > 1 for"),
    Mutation("chinese/naturals.py", "+ len(cards) - len(naturals)", ""),
    Mutation("chinese/naturals.py", "if len(ranks) < len(_naturals(row)):", "if False:"),
    # Fantasyland
    Mutation("chinese/fantasyland.py", "ranks[0] >= _QUEEN", "ranks[0] > _QUEEN"),
    Mutation("chinese/fantasyland.py", "rules.middle_stays and middle >= FULL_HOUSE", "middle >= FULL_HOUSE"),
    Mutation("chinese/fantasyland.py", "middle >= FULL_HOUSE", "middle > FULL_HOUSE"),
    Mutation("chinese/fantasyland.py", "bottom >= FOUR_OF_A_KIND", "bottom == FOUR_OF_A_KIND"),
    Mutation("chinese/fantasyland.py", "if len(choices) == 1 or is_in:", "if len(choices) == 1:"),
    Mutation("chinese/fantasyland.py", "stays(strengths, rules) if is_in else ", ""),
    # Its check and its streets
    Mutation("chinese/check.py", "len(cards) != needed and not hides", "len(cards) > needed and not hides"),
    Mutation("chinese/check.py", "!= needed and not hides", "!= needed and not setup.surrendered"),
    Mutation("chinese/check.py", "if spot.card in JOKERS and not rules.jokers", "if False"),
    Mutation("chinese/check.py", '(*ROWS, "discards")', "ROWS"),
    Mutation("chinese/check.py", "setup.fantasyland or CARDS_DEALT[rules.game]", "CARDS_DEALT[rules.game]"),
    Mutation("chinese/check.py", "setup.surrendered or setup.fantasyland or setup.discards", "False"),
    Mutation("chinese/streets.py", "queue[0] != street.seat", "False"),
    Mutation("chinese/streets.py", "Counter(street.dealt) != Counter(street.used)", "False"),
    Mutation("chinese/streets.py", "(len(street.used), len(street.discards)) != ", "(len(street.used), discarded) != "),
    Mutation("chinese/streets.py", "(row in ROWS or held)", "row in ROWS"),
    Mutation("chinese/streets.py", "*repetitions(_spots(streets, names)),", ""),
    # Its batch
    Mutation("chinese/batch.py", "(middle > bottom) | (top > middle)", "middle > bottom"),
    Mutation("chinese/batch.py", "(middle > bottom) | (top > middle)", "top > middle"),
    Mutation("chinese/batch.py", "fouls |= (middle == 0) | (top == 0)", "fouls |= middle == 0"),
    Mutation("chinese/batch.py", "strengths[:, fouls] = 0", "pass"),
    Mutation("chinese/batch.py", "np.maximum(found[suited], flushes)", "flushes"),
    Mutation("chinese/batch.py", "np.where(count, found, 0)", "found"),
    Mutation("chinese/batch.py", "for count in (1, 2):", "for count in (1,):"),
    Mutation("chinese/batch.py", "ours * won - theirs * lost", "ours * won"),
    Mutation("chinese/batch.py", "if rules.naturals is not None:", "if False:"),
    # What can still come
    Mutation("subsets.py", "(-1) ** size", "1"),
    Mutation("subsets.py", "for size in range(min(sizes) + 1):", "for size in range(min(sizes)):"),
    Mutation("subsets.py", "whole = same and size == sizes[0] > 0", "whole = size == sizes[0] > 0"),
    Mutation("subsets.py", "one & other | unlike & third", "one & other"),
    Mutation("subsets.py", " // (size - smaller)", ""),
    Mutation("coming.py", "(suits == suit)", "(suits == 0 * suit)"),
    Mutation("coming.py", "np.maximum(found[:, :size], flushes[:, :size], out", "np.maximum(found[:, :size], 0, out"),
    # Chances
    Mutation("equity.py", "not board and not boards[0]", "len(board) == len(boards[0])"),
    Mutation("equity.py", "set(range(DECK)) - seen.union(dead)", "set(range(DECK)) - seen"),
    Mutation("equity.py", "comb(unseen - one.draws, other.draws)", "comb(unseen, other.draws)"),
    Mutation("equity.py", "best & (best.sum(axis=0, dtype=np.uint8) == 1)", "best"),
    Mutation("equity.py", "won, lost = ours > theirs, ours < theirs", "won, lost = ours >= theirs, ours < theirs"),
    Mutation("equity.py", "points[pair.second] -= pair.points", "points[pair.second] += pair.points"),
    Mutation("equity.py", "count < BOARD_SIZE", "count != BOARD_SIZE"),
    # What settings are worth
    Mutation("worth.py", "flags[tops] & flags[middles] & flags[bottoms]", "flags[tops] & flags[middles]"),
    Mutation("worth.py", "rules.boards * on_a_board", "2 * on_a_board"),
    Mutation("worth.py", "self._scoops[:settings] - self._scoops[settings:]", "self._scoops[:settings]"),
    Mutation("worth.py", "(-expected[place], place != own)", "-expected[place]"),
    Mutation("worth.py", "self.played.actual - self.played.expected", "self.played.actual - self.settings[0].expected"),
    # Practice
    Mutation("practice.py", "JOKERS[: rules.jokers] if card not in cards", "JOKERS[: rules.jokers]"),
    Mutation("practice.py", "if card not in cards], dtype=np.uint8)\n    drawn", "], dtype=np.uint8)\n    drawn"),
    Mutation("practice.py", "between <= 1 and rank < QUEEN", "between <= 1"),
    Mutation("practice.py", "counted.argmax(axis=1)", "counted.argmin(axis=1)"),
    # Fair dealing
    Mutation("fair_deal.py", "if byte < limit", "if True"),
    Mutation("fair_deal.py", "range(len(cards) - 1, 0, -1)", "range(len(cards) - 1, 1, -1)"),
    Mutation("fair_deal.py", "in sorted(parts.items())]", "in parts.items()]"),
    Mutation("fair_deal.py", "if commitment(secret) != committed.lower():", "if False:"),
    Mutation("fair_deal.py", "seat not in parts or ", ""),
]  # fmt: skip


def survivors() -> Iterator[Mutation]:
    """The mutations that no test notices. Raises ValueError for one that no longer fits its file."""
    for mutation in MUTATIONS:
        count = (ROOT / SCORING / mutation.file).read_text(encoding="utf-8").count(mutation.original)
        if count != 1:
            raise ValueError(f"{mutation.original!r} occurs {count} times in {mutation.file}.")
    if not tests_pass(None):
        raise ValueError("The tests fail on the code as it is.")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for mutation, survived in zip(MUTATIONS, pool.map(tests_pass, MUTATIONS), strict=True):
            if survived:
                yield mutation


def tests_pass(mutation: Mutation | None) -> bool:
    """Whether the quick tests of scoring all pass on a copy of the code with the mutation."""
    with tempfile.TemporaryDirectory(prefix="homerun-mutation-") as folder:
        copy = Path(folder)
        for name in COPIED:
            source, target = ROOT / name, copy / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, target)
        (copy / "pytest.ini").write_text(CONFIGURATION, encoding="utf-8")
        if mutation is not None:
            mutated = copy / SCORING / mutation.file
            text = mutated.read_text(encoding="utf-8")
            mutated.write_text(text.replace(mutation.original, mutation.mutated), encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "-m",
            "not slow",
            "-p",
            "no:django",
            "-p",
            "no:cacheprovider",
        ]
        try:
            done = subprocess.run(
                [*command, "tests/hands/scoring"], cwd=copy, capture_output=True, timeout=SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0


def main() -> int:
    found = list(survivors())
    for mutation in found:
        sys.stdout.write(f"SURVIVED {mutation.file}: {mutation.original!r} -> {mutation.mutated!r}\n")
    sys.stdout.write(f"{len(MUTATIONS) - len(found)} of {len(MUTATIONS)} mutations were noticed.\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
