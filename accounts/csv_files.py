"""CSV that a spreadsheet opens as what it is: with a byte-order mark, and no text that becomes a formula."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from django.http import StreamingHttpResponse
from django.utils.http import content_disposition_header

BOM: Final = "\ufeff"
_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r")


def csv_lines(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """The rows line by line, the byte-order mark before the first. Numbers stay numbers."""
    yield BOM
    writer = csv.writer(_Passing(), lineterminator="\r\n")
    for row in rows:
        yield writer.writerow([safe_cell(cell) if isinstance(cell, str) else cell for cell in row])


def csv_answer(rows: Iterable[Sequence[object]], file_name: str) -> StreamingHttpResponse:
    """The rows as a download, sent as they are read."""
    answer = StreamingHttpResponse(csv_lines(rows), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=file_name)
    return answer


def safe_cell(text: str) -> str:
    """A text that a spreadsheet would take for a formula begins with a quote, so that it is read as a text."""
    return f"'{text}" if text.startswith(_FORMULAS) else text


class _Passing:
    """A file for the writer that gives back what is written to it."""

    def write(self, line: str) -> str:
        return line
