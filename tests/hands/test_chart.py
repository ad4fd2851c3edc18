"""The chart as numbers: round values, names that stay apart, long sessions."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hands.chart import MOST_HANDS, NAME_GAP, PLOT_BOTTOM, PLOT_TOP, Series, draw


def chart(**totals: list[int | None]):
    series = [Series(seat, name, tuple(values)) for seat, (name, values) in enumerate(totals.items(), start=1)]
    return draw(range(1, len(series[0].totals) + 1), series)


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (-130, 107, ["−150", "−100", "−50", "0", "+50", "+100", "+150"]),
        (-3, 3, ["−3", "−2", "−1", "0", "+1", "+2", "+3"]),
        (-40, 22, ["−40", "−20", "0", "+20", "+40"]),
        (0, 0, ["−1", "0", "+1"]),
        (-2400, 1200, ["−3,000", "−2,000", "−1,000", "0", "+1,000", "+2,000"]),
    ],
)
def test_grid_lines_stand_on_round_values_around_every_total(low, high, labels):
    grid = chart(Ana=[high], Ben=[low]).grid
    assert [tick.label for tick in grid] == labels
    assert [tick.label for tick in grid if tick.is_zero] == ["0"]


def test_ticks_stand_at_the_first_hand_and_at_every_sixth():
    assert [tick.label for tick in chart(Ana=[1] * 24).hands] == ["1", "6", "12", "18", "24"]
    assert [tick.label for tick in chart(Ana=[1] * 100).hands] == ["1", "18", "36", "54", "72", "90"]


def test_a_line_begins_at_zero_before_the_hand_with_which_its_player_came():
    drawn = chart(Ana=[10, 0, 10], Ben=[None, 10, 0])
    ana, ben = ([tuple(map(float, point.split(","))) for point in line.points.split()] for line in drawn.lines)
    zero = next(tick.at for tick in drawn.grid if tick.is_zero)
    assert ana[0] == (drawn.left, zero)
    assert ben[0] == (ana[1][0], zero)
    assert [len(ana), len(ben)] == [4, 3]
    assert ben[-1][0] == ana[-1][0] == drawn.right


@given(st.lists(st.integers(-300, 300), min_size=1, max_size=6))
def test_names_stay_apart_in_the_order_of_their_lines_and_inside_the_drawing(ends):
    lines = chart(**{f"p{place}": [end] for place, end in enumerate(ends)}).lines
    heights = sorted(line.name_y for line in lines)
    assert all(lower - upper >= NAME_GAP - 0.11 for upper, lower in pairwise(heights))
    assert heights[0] >= PLOT_TOP
    assert heights[-1] <= PLOT_BOTTOM + 0.1
    by_end = sorted(lines, key=lambda line: (line.end_y, line.name_y))
    assert [line.name_y for line in by_end] == heights


def test_names_far_from_each_other_stand_at_their_lines():
    assert all(line.end_y == line.name_y for line in chart(Ana=[10], Ben=[-10]).lines)


def test_long_names_are_cut_and_short_ones_are_not():
    lines = chart(Maximiliana_Featherstonehaugh=[1], 歐陽娜娜與司馬相如=[-1], 陳大文=[0]).lines
    assert [line.short_name[-1] for line in lines] == ["…", "…", "文"]
    assert all(len(line.short_name) <= 12 for line in lines)
    assert lines[0].name == "Maximiliana_Featherstonehaugh"


def test_a_session_of_thousands_of_hands_keeps_its_last_and_the_table_is_what_is_drawn():
    drawn = chart(Ana=list(range(1, 5001)))
    assert len(drawn.table) <= MOST_HANDS + 1
    assert drawn.table[-1] == (5000, (5000,))
    assert len(drawn.lines[0].points.split()) == len(drawn.table) + 1
