"""A hand history as it was sent: NDJSON or one JSON array, plain or gzip, cut into lines without holding it.

What the file is, its content says, not its name. However it is made, no more than one line of bounded length and one
block of unpacked bytes are in memory.
"""

import gzip
import io
import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Final

from django.utils.translation import gettext as _

from hands.foreign import foreign_file

LONGEST_LINE: Final = 256 * 1024
# Hands of shuffled cards shrink to a tenth; what unpacks to a hundred times its size, beyond the first megabytes, is
# made to fill a disk.
MOST_RATIO: Final = 100
FREE_BYTES: Final = 64 * 1024 * 1024
_CHUNK: Final = 64 * 1024

_GZIP: Final = b"\x1f\x8b"
_ARRAY: Final = re.compile(rb"\s*+\[\s*+(?:[{\]]|\Z)")
_TEXT: Final = rb'"(?:[^"\\]++|\\.)*+"'
_REST_OF_TEXT: Final = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
# What lies before the next bracket, and outside of all brackets also before the next comma.
_INSIDE: Final = re.compile(rb'(?:[^"\[\]{}]++|' + _TEXT + rb")*+", re.DOTALL)
_BETWEEN: Final = re.compile(rb'(?:[^"\[\]{},]++|' + _TEXT + rb")*+", re.DOTALL)


@dataclass(frozen=True)
class Piece:
    """One line, or one element of the array: its number from 1, its bytes, and where the next one begins.

    Without bytes it is none that could be read: ``code`` and ``sentence`` say why.
    """

    number: int
    end: int
    raw: bytes | None
    code: str = ""
    sentence: str = ""


class Damaged(Exception):
    """The rest of the file cannot be unpacked."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code, self.sentence = code, sentence


class HistoryFile:
    """The lines of a file. ``foreign`` says what it is if it can hold no hands; then there is nothing to read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._source = _Source(file)
        raw: io.RawIOBase = _Unpacked(self._source) if self._source.begin == _GZIP else _Plain(self._source)
        self._stream = io.BufferedReader(raw, _CHUNK)
        self.foreign: str | None = None
        begin = b""
        try:
            begin = self._stream.peek(_CHUNK)
            self.foreign = foreign_file(begin)
        except Damaged as damage:
            self.foreign = damage.sentence
        self.is_array = _ARRAY.match(begin.removeprefix(BOM_UTF8)) is not None

    @property
    def bytes_read(self) -> int:
        """How far the file itself was read, packed as it may be."""
        return self._source.count

    def pieces(self, *, start: int = 0, number: int = 0) -> Iterator[Piece]:
        """The lines from the byte ``start`` of what the file holds, numbered on from ``number``.

        What cannot be unpacked, or is missing at the end of an array, is a last piece without bytes.
        """
        cut = _elements if self.is_array else _lines
        place = number
        end = start
        try:
            last = self._skip(start)
            for piece in cut(self._stream, start, number, last):
                place, end = piece.number, piece.end
                yield piece
        except Damaged as damage:
            yield Piece(place + 1, end, None, damage.code, damage.sentence)

    def _skip(self, start: int) -> bytes:
        """Go to that byte; return the one before it."""
        last = b""
        while start > 0 and (chunk := self._stream.read1(min(start, _CHUNK))):
            start -= len(chunk)
            last = chunk[-1:]
        return last


class _Source:
    """The file as it comes: how it begins is known before it is read, also where nothing can be read twice (a pipe)."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.begin = self._ahead = file.read(len(_GZIP))
        self.count = 0

    def read(self, size: int) -> bytes:
        chunk, self._ahead = self._ahead[:size], self._ahead[size:]
        if len(chunk) < size:
            chunk += self._file.read(size - len(chunk))
        self.count += len(chunk)
        return chunk


class _Plain(io.RawIOBase):
    """A file that is not packed, as a raw stream."""

    def __init__(self, file: _Source) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # BufferedReader gives nothing else
        return _fill(buffer, self._file.read(len(buffer)))


class _Unpacked(io.RawIOBase):
    """What a gzip file holds, as far as it may be unpacked."""

    def __init__(self, file: _Source) -> None:
        self._file, self._gzip = file, gzip.GzipFile(fileobj=file, mode="rb")  # type: ignore[call-overload]  # it reads
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # BufferedReader gives nothing else
        try:
            chunk = self._gzip.read1(len(buffer))
        except (EOFError, OSError, zlib.error):
            raise Damaged(
                "gzip", _("The gzip file is cut or damaged here; what came before was read. Pack it again.")
            ) from None
        self._given += len(chunk)
        if self._given > FREE_BYTES + MOST_RATIO * self._file.count:
            raise Damaged(
                "gzip_size",
                _("The gzip file unpacks to more than %(most)d times its size; the rest was not read.")
                % {"most": MOST_RATIO},
            )
        return _fill(buffer, chunk)


def _fill(buffer: memoryview, chunk: bytes) -> int:
    buffer[: len(chunk)] = chunk
    return len(chunk)


def _too_long(number: int, end: int) -> Piece:
    return Piece(number, end, None, "line_length", _("The line is longer than 256 kB; a hand needs one."))


def _lines(stream: io.BufferedReader, end: int, number: int, _last: bytes) -> Iterator[Piece]:
    while raw := stream.readline(LONGEST_LINE + 1):
        number += 1
        is_long = len(raw) > LONGEST_LINE
        end += len(raw)
        while is_long and raw and not raw.endswith(b"\n"):
            raw = stream.readline(LONGEST_LINE)
            end += len(raw)
        if is_long:
            yield _too_long(number, end)
            continue
        if number == 1:
            raw = raw.removeprefix(BOM_UTF8)
        if raw.strip():
            yield Piece(number, end, raw)


def _elements(stream: io.BufferedReader, end: int, number: int, last: bytes) -> Iterator[Piece]:
    """The elements of one array. An element ends behind its comma or the array's bracket."""
    is_closed = last == b"]"
    if end == 0:
        end = _skip_bracket(stream)
    # The element so far, how far it was looked at, and what is open there.
    buffer, scan, depth, in_text, is_long = b"", 0, 0, False, False
    while not is_closed and (chunk := stream.read1(_CHUNK)):
        buffer += chunk
        while scan < len(buffer) and not is_closed:
            if in_text:
                scan = _REST_OF_TEXT.match(buffer, scan).end()  # type: ignore[union-attr]  # it matches nothing too
                if scan == len(buffer) or buffer[scan] == _BACKSLASH:
                    break  # the rest, or what the backslash is for, comes with the next chunk
                in_text = False
                scan += 1
                continue
            scan = (_INSIDE if depth else _BETWEEN).match(buffer, scan).end()  # type: ignore[union-attr]  # as above
            if scan == len(buffer):
                break
            mark = buffer[scan]
            scan += 1
            if mark == _QUOTE:
                in_text = True
            elif mark in _OPENING:
                depth += 1
            elif depth:
                depth -= 1
            elif mark != _BRACE:
                is_closed = mark == _BRACKET
                raw, buffer, end = buffer[: scan - 1], buffer[scan:], end + scan
                # An array without elements has none before its bracket; behind a comma there must be one.
                if not is_closed or is_long or raw.strip() or number:
                    number += 1
                    yield _too_long(number, end) if is_long or len(raw) > LONGEST_LINE else Piece(number, end, raw)
                scan, is_long = 0, False
        if len(buffer) > LONGEST_LINE and not is_closed:
            is_long = True
            buffer, end, scan = buffer[scan:], end + scan, 0
    if not is_closed:
        if is_long or buffer.strip():
            number += 1
            end += len(buffer)
            yield _too_long(number, end) if is_long else Piece(number, end, buffer)
        sentence = _("The file ends before its array does: the last “]” is missing. Was it cut?")
        yield Piece(number + 1, end, None, "array_end", sentence)
    elif _has_more(stream, buffer):
        sentence = _("Something follows the end of the array; it was not read.")
        yield Piece(number + 1, end, None, "array_end", sentence)


_QUOTE, _BACKSLASH, _BRACKET, _BRACE = b'"\\]}'
_OPENING: Final = b"[{"


def _skip_bracket(stream: io.BufferedReader) -> int:
    """Go behind the bracket that begins the array; return how many bytes that were."""
    place = 1
    while stream.read(1) != b"[":
        place += 1
    return place


def _has_more(stream: io.BufferedReader, rest: bytes) -> bool:
    while not rest.strip():
        rest = stream.read1(_CHUNK)
        if not rest:
            return False
    return True
