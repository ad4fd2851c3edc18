"""How a hand came to its points: what each row is, and each pair's sum in words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from hands.scoring.chinese.rows import Setup
from hands.scoring.chinese.rules import ROWS, Rules
from hands.scoring.chinese.score import Pair, Score, score
from hands.scoring.chinese.strength import category, short_words, strength_class, strength_words
from hands.scoring.jokers import play_jokers
from hands.scoring.strength import FLUSH, STRAIGHT_FLUSH
from hands.scoring.sums import signed, sum_words


@dataclass(frozen=True)
class RowReading:
    """What one row is; ``played`` are its cards in their order, each joker as the card that it is played as.

    ``royalty`` is what the row earns of each opponent before the rules net it; 0 in a foul.
    """

    strength: int
    played: tuple[int, ...]
    royalty: int

    @cached_property
    def category(self) -> str:
        """Such as ``straight``."""
        return category(self.strength)

    @cached_property
    def words(self) -> str:
        """Such as ``straight to jack``."""
        return strength_words(self.strength)

    @cached_property
    def short(self) -> str:
        """Such as ``Straight to J``."""
        return short_words(self.strength)


@dataclass(frozen=True)
class Explanation:
    """``rows`` by seat and row, none for a seat that surrendered; ``pairs`` in the order of ``score.pairs``, a
    sentence each."""

    score: Score
    rows: tuple[tuple[RowReading, ...], ...]
    pairs: tuple[str, ...]


def explain(boards: Sequence[Sequence[int]], setups: Sequence[Setup], rules: Rules) -> Explanation:
    """Score a hand, and say how. The hand must have passed check; see score for what comes in."""
    scored = score(boards, setups, rules)
    rows = tuple(tuple(_read_rows(setup, seat, scored)) for seat, setup in enumerate(setups))
    return Explanation(scored, rows, tuple(pair_words(pair, scored, rules) for pair in scored.pairs))


def _read_rows(setup: Setup, seat: int, scored: Score) -> Iterator[RowReading]:
    strengths = scored.strengths[seat]
    if strengths is None:
        return
    rows = (setup.top, setup.middle, setup.bottom)
    for cards, strength, royalty in zip(rows, strengths, scored.royalties[seat], strict=True):
        yield RowReading(strength, play_row(cards, strength), royalty)


def play_row(cards: Sequence[int], strength: int) -> tuple[int, ...]:
    """A row's cards with each joker as what it is played as. Raises ValueError for a strength that it cannot have."""
    number, ranks = strength_class(strength)
    played = play_jokers(cards, ranks, number in (FLUSH, STRAIGHT_FLUSH)) if len(ranks) == len(cards) else None
    if played is None:
        raise ValueError(f"The row cannot have strength {strength}.")
    return tuple(played)


def pair_words(pair: Pair, scored: Score, rules: Rules) -> str:
    """Why a pair's points are what they are, for its first seat.

    ``Won top +1, lost middle −1, won bottom +1; royalties −3; 1 − 1 + 1 − 3 = −2``, ``All three rows: 3, and 3 for
    the scoop``, ``A foul against this setup: 6; royalties +4; +10 in all``, ``Dragon against six pairs: +13``.
    """
    if scored.naturals[pair.first] or scored.naturals[pair.second]:
        return _natural_words(pair, scored)
    if None in (scored.strengths[pair.first], scored.strengths[pair.second]):
        return _surrender_words(pair, scored)
    if scored.fouls[pair.first] or scored.fouls[pair.second]:
        return _foul_words(pair, scored, rules)
    extras = [
        (amount, name) for amount, name in ((pair.scoop, _scoop_name(pair)), (pair.royalties, "royalties")) if amount
    ]
    if abs(sum(pair.rows)) == len(ROWS) and extras:
        lead = f"All three rows{'' if pair.rows[0] > 0 else ' lost'}: {len(ROWS)}"
        if not pair.scoop:
            return f"{lead}; royalties {signed(pair.royalties)}; {signed(pair.points)} in all"
        words = f"{lead}, and {abs(pair.scoop)} for the scoop"
        return (
            words
            if not pair.royalties
            else f"{words}; royalties {signed(pair.royalties)}; {signed(pair.points)} in all"
        )
    told = [", ".join(_row_words(row, points) for row, points in zip(ROWS, pair.rows, strict=True))]
    told += [f"{name} {signed(amount)}" for amount, name in extras]
    told.append(f"{sum_words([*pair.rows, *(amount for amount, _ in extras)])} = {signed(pair.points)}")
    words = "; ".join(told)
    return words[0].upper() + words[1:]


def _scoop_name(pair: Pair) -> str:
    return "scoop" if abs(sum(pair.rows)) == len(ROWS) else "two rows"


def _row_words(row: str, points: int) -> str:
    return f"{'won' if points > 0 else 'lost' if points < 0 else 'tied'} {row} {signed(points)}"


def _foul_words(pair: Pair, scored: Score, rules: Rules) -> str:
    if scored.fouls[pair.first] and scored.fouls[pair.second]:
        return "Two fouls: nothing between them"
    words = f"The other setup fouls: {rules.foul_points}"
    if scored.fouls[pair.first]:
        words = f"This setup fouls: {signed(-rules.foul_points)}"
    return words if not pair.royalties else f"{words}; royalties {signed(pair.royalties)}; {signed(pair.points)} in all"


def _surrender_words(pair: Pair, scored: Score) -> str:
    gone = [scored.strengths[seat] is None for seat in (pair.first, pair.second)]
    if all(gone):
        return "Two surrenders: nothing between them"
    if not pair.surrender:
        return "A surrender against a foul: nothing between them"
    return f"{'Surrendered' if gone[0] else 'The other seat surrendered'}: {signed(pair.points)}"


def _natural_words(pair: Pair, scored: Score) -> str:
    ours, theirs = (scored.naturals[seat] for seat in (pair.first, pair.second))
    words = f"{ours} against {theirs or 'no natural'}" if ours else f"no natural against {theirs}"
    return f"{words[0].upper()}{words[1:]}: {signed(pair.points)}"
