"""Files cut into lines: NDJSON and arrays, plain and packed, whole and broken; never more than a line in memory."""

import gzip
import io
import json
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hands import import_files
from hands.import_files import FREE_BYTES, LONGEST_LINE, HistoryFile, Piece
from tests.histories import numbered

TOO_LONG = "line_length"


def cut(raw: bytes, **options) -> list[Piece]:
    opened = HistoryFile(io.BytesIO(raw))
    assert opened.foreign is None
    return list(opened.pieces(**options))


def said(pieces: list[Piece]) -> list[tuple[int, object]]:
    """Number and document of each piece; for one without bytes its code."""
    return [(piece.number, json.loads(piece.raw) if piece.raw is not None else piece.code) for piece in pieces]


def test_lines_are_numbered_as_an_editor_numbers_them():
    raw = b'\xef\xbb\xbf{"a": 1}\r\n\r\n  \n{"a": 2}\r\n{"a": 3}'
    assert said(cut(raw)) == [(1, {"a": 1}), (4, {"a": 2}), (5, {"a": 3})]


def test_elements_of_an_array_are_its_lines():
    raw = b'\xef\xbb\xbf\n [ {"a": "],[{\\"}\\\\"},\n{"b": [1, [2, {}]]} , {"c":3}\r\n]\n'
    assert said(cut(raw)) == [(1, {"a": '],[{"}\\'}), (2, {"b": [1, [2, {}]]}), (3, {"c": 3})]


@pytest.mark.parametrize("raw", [b"[]", b" [ \n ] \n"])
def test_an_empty_array_has_no_lines(raw):
    assert cut(raw) == []


@pytest.mark.parametrize(
    ("raw", "last"),
    [
        (b'[{"a": 1}', "array_end"),
        (b'[{"a": 1},', "array_end"),
        (b'[{"a": 1}] x', "array_end"),
        (b'[{"a": 1}]\n[{"a": 2}]', "array_end"),
    ],
)
def test_an_array_that_does_not_end_or_goes_on_says_so_behind_its_good_elements(raw, last):
    assert said(cut(raw)) == [(1, {"a": 1}), (2, last)]


def test_an_array_that_was_cut_in_an_element_gives_what_is_left_of_it():
    pieces = cut(b'[{"a": 1}, {"b": "x')
    assert [(piece.number, piece.raw, piece.code) for piece in pieces[1:]] == [
        (2, b' {"b": "x', ""),
        (3, None, "array_end"),
    ]


def test_a_comma_without_an_element_is_a_line_that_is_none():
    assert [piece.raw for piece in cut(b'[{"a": 1},,{"b": 2},]')] == [b'{"a": 1}', b"", b'{"b": 2}', b""]


@pytest.mark.parametrize("filler", [b"x", b'\\"', b"[", b"\\\\"], ids=["letters", "quotes", "brackets", "backslashes"])
def test_what_is_too_long_is_passed_over_and_the_next_one_is_read(filler):
    long = b'{"a": "' + filler * LONGEST_LINE + b'"}'
    assert said(cut(b"[" + long + b', {"b": 2}]')) == [(1, TOO_LONG), (2, {"b": 2})]
    assert said(cut(long + b'\n{"b": 2}\n')) == [(1, TOO_LONG), (2, {"b": 2})]


def test_ten_thousand_levels_in_an_array_are_one_element():
    deep = b'{"a":' * 10_000 + b"1" + b"}" * 10_000
    pieces = cut(b"[" + deep + b', {"b": 2}]')
    assert [piece.raw for piece in pieces] == [deep, b' {"b": 2}']


documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(
    st.lists(st.dictionaries(st.text(), documents, max_size=4), max_size=8),
    st.integers(1, 40),
    st.sampled_from([None, 2]),
    st.booleans(),
)
def test_however_it_is_read_an_array_gives_its_elements_and_goes_on_behind_each(elements, chunk, indent, is_ascii):
    raw = json.dumps(elements, indent=indent, ensure_ascii=is_ascii).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_files, "_CHUNK", chunk)
        pieces = cut(raw)
        assert said(pieces) == list(enumerate(elements, start=1))
        for place, piece in enumerate(pieces, start=1):
            assert cut(raw, start=piece.end, number=piece.number) == pieces[place:]


@settings(deadline=None)
@given(st.lists(st.dictionaries(st.text(), documents, max_size=4), max_size=8), st.integers(1, 40), st.booleans())
def test_lines_go_on_behind_each_also_where_they_are_packed(elements, chunk, is_packed):
    raw = b"\n".join(json.dumps(element).encode() for element in [{}, *elements])
    raw = gzip.compress(raw) if is_packed else raw
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_files, "_CHUNK", chunk)
        pieces = cut(raw)
        assert said(pieces) == list(enumerate([{}, *elements], start=1))
        for place, piece in enumerate(pieces, start=1):
            assert cut(raw, start=piece.end, number=piece.number) == pieces[place:]


def test_gzip_is_known_by_its_content_also_in_several_parts():
    raw = gzip.compress(b'{"a": 1}\n') + gzip.compress(b'{"a": 2}\n')
    assert said(cut(raw)) == [(1, {"a": 1}), (2, {"a": 2})]


@pytest.mark.parametrize("left", [-9, -4, -1])
def test_a_packed_file_that_was_cut_gives_its_lines_and_says_so(left):
    lines = b"".join(json.dumps(numbered(number)).encode() + b"\n" for number in range(1, 4))
    *good, last = cut(gzip.compress(lines)[:left])
    assert [json.loads(piece.raw)["number"] for piece in good] == [1, 2, 3]
    assert (last.number, last.code) == (4, "gzip")


def test_what_follows_a_packed_file_is_damage():
    *good, last = cut(gzip.compress(b'{"a": 1}\n') + b"something else")
    assert said(good) == [(1, {"a": 1})]
    assert last.code == "gzip"


def test_a_file_that_unpacks_to_a_thousand_times_its_size_is_stopped():
    bomb = gzip.compress(b'{"a": 1}\n' + b"0" * (FREE_BYTES * 3))
    assert said(cut(bomb)) == [(1, {"a": 1}), (2, "gzip_size")]


class Endless(io.RawIOBase):
    """A file of which more can always be read, up to ``size``; it holds nothing."""

    def __init__(self, begin: bytes, filler: bytes, size: int) -> None:
        self.begin, self.filler, self.size, self.place = begin, filler, size, 0

    def seek(self, place: int, whence: int = 0) -> int:
        self.place = place
        return place

    def tell(self) -> int:
        return self.place

    def read(self, count: int = -1) -> bytes:
        count = min(count, self.size - self.place)
        chunk = (self.begin[self.place : self.place + count] + self.filler * count)[:count]
        self.place += count
        return chunk


@pytest.mark.parametrize(
    "begin", [b'{"a": 1}\n{"b": "', b'[{"a": 1}, {"b": "', b'[{"a": 1}, {"b": '], ids=["line", "text", "element"]
)
def test_a_line_of_200_megabytes_takes_no_more_memory_than_a_long_one(begin):
    opened = HistoryFile(Endless(begin, b"0", 200 * 1024 * 1024))
    tracemalloc.start()
    try:
        pieces = list(opened.pieces())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [piece.code for piece in pieces][:2] == ["", TOO_LONG]
    assert peak < 8 * LONGEST_LINE


OHH = """{
  "ohh": {
    "spec_version": "1.4.6", "site_name": "Some Site", "game_number": "7",
    "players": [], "rounds": [{"street": "Preflop", "actions": []}], "pots": []
  }
}
"""
PHH = """# A hand of no-limit hold'em
variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
actions = ['d dh p1 AsKs']
players = ['Ana', 'Ben']
"""
CSV = "player_nickname,player_id,session_start_at,session_end_at,buy_in,buy_out,stack,net\nAna,x,,,1,2,3,4\n"


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"", "The file is empty."),
        (b"\xef\xbb\xbf \r\n\n", "The file is empty."),
        (b"PK\x03\x04\x14\x00\x06\x00", "This is an Excel workbook or a ZIP archive."),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "This is an old Excel or Word file."),
        (b"%PDF-1.7\n%\xe2\xe3", "This is a PDF."),
        (b"\x89PNG\r\n\x1a\n", "This is a picture."),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "This is a picture."),
        (b"GIF89a", "This is a picture."),
        ('{"a": 1}'.encode("utf-16"), "This is UTF-16 text; save it as UTF-8."),
        (b"<!doctype html>\n<title>Sign in</title>", "This is a web page or XML."),
        (CSV.encode(), "This is a table of values (CSV)."),
        (OHH.encode(), "This is an Open Hand History file: games that are not scored here."),
        (json.dumps(json.loads(OHH)).encode(), "This is an Open Hand History file: games that are not scored here."),
        (PHH.encode(), "This is a Poker Hand History file (PHH): games that are not scored here."),
        (
            f"[1]\n{PHH}\n[2]\n{PHH}".encode(),
            "This is a Poker Hand History file (PHH): games that are not scored here.",
        ),
        (json.dumps(numbered(1), indent=1).encode(), "This is JSON spread over several lines."),
        (gzip.compress(b"%PDF-1.7\n", mtime=0), "This is a PDF."),
        (b"\x1f\x8b\x08", "The gzip file is cut or damaged here"),
    ],
)
def test_what_is_no_history_of_ours_is_said_in_one_sentence(raw, sentence):
    assert HistoryFile(io.BytesIO(raw)).foreign.startswith(sentence)


@pytest.mark.parametrize(
    "raw",
    [
        json.dumps(numbered(1)).encode(),
        json.dumps([numbered(1)], indent=1).encode(),
        b'{"a": 1,\n' + json.dumps(numbered(1)).encode(),
        b"just words, and more, words\n"[:10],
        json.dumps(numbered(1) | {"pots": 1, "rounds": 2, "game_number": 3}).encode(),
        b"[" * 10_000,
    ],
)
def test_what_may_hold_hands_of_ours_is_read(raw):
    assert HistoryFile(io.BytesIO(raw)).foreign is None
