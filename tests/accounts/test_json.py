"""JSON from outside: what RFC 8259 allows and this service can keep, and nothing else."""

import json

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from accounts.api.parsers import read_json
from accounts.faults import faults_in

REFUSED = {
    "empty": (b"", "This is not JSON: Expecting value at column 1."),
    "spaces": (b"  \n", "This is not JSON: Expecting value at line 2, column 1."),
    "cut off": (b'{"a": 1', "This is not JSON: Expecting ',' delimiter at column 8."),
    "cut off in a text": (b'{"a": "b', "This is not JSON: Unterminated string starting at column 7."),
    "second line": (
        b'{"a": 1,\n b: 2}',
        "This is not JSON: Expecting property name enclosed in double quotes at line 2, column 2.",
    ),
    "two documents": (b"{} {}", "This is not JSON: Extra data at column 4."),
    "a line end in a text": (b'"a\nb"', "This is not JSON: Invalid control character at column 3."),
    "NUL": (b'{"a": "\x00"}', "This is not JSON: Invalid control character at column 8."),
    "NUL between": (b"{\x00}", "This is not JSON: Expecting property name enclosed in double quotes at column 2."),
    "single quotes": (b"{'a': 1}", "This is not JSON: Expecting property name enclosed in double quotes at column 2."),
    "not a number": (b'{"a": NaN}', "NaN is no JSON number."),
    "infinity": (b'{"a": Infinity}', "Infinity is no JSON number."),
    "minus infinity": (b'{"a": -Infinity}', "-Infinity is no JSON number."),
    "too large for a float": (b'{"a": 1e400}', "The number 1e400 is too large."),
    "too small for a float": (b'{"a": -1e400}', "The number -1e400 is too large."),
    "2 to the 63": (b"9223372036854775808", "The number 9223372036854775808 is too large."),
    "minus 2 to the 63, and one less": (b"-9223372036854775809", "The number -9223372036854775809 is too large."),
    "20 digits": (b"12345678901234567890", "The number 12345678901234567890 is too large."),
    "a million digits": (b"9" * 1_000_000, "The number 99999999999999999999… is too large."),
    "leading zero": (b"007", "This is not JSON: Extra data at column 2."),
    "plus": (b"+1", "This is not JSON: Expecting value at column 1."),
    "key twice": (b'{"a": 1, "a": 1}', "The key “a” stands twice in one object."),
    "key twice, once escaped": (b'{"a": 1, "\\u0061": 1}', "The key “a” stands twice in one object."),
    "key twice, deep": (b'[{"b": {"": 1, "": 1}}]', "The key “” stands twice in one object."),
    "half a character as key twice": (b'{"\\ud800": 1, "\\ud800": 1}', "The key “\ufffd” stands twice in one object."),
    "half a character": (b'{"a": "\\ud83d"}', "A text holds half of a character (a lone surrogate)."),
    "the other half": (b'{"a": "\\uDE00x"}', "A text holds half of a character (a lone surrogate)."),
    "the halves exchanged": (b'"\\ude00\\ud83d"', "A text holds half of a character (a lone surrogate)."),
    "half a character as key": (b'{"\\ud83d": 1}', "A text holds half of a character (a lone surrogate)."),
    "half a character in UTF-8": (b'"\xed\xa0\x80"', "This is not UTF-8 text (byte 1). Save it as UTF-8."),
    "Latin-1": (b'{"a": "Andr\xe9"}', "This is not UTF-8 text (byte 11). Save it as UTF-8."),
    "UTF-16": ('{"a": 1}'.encode("utf-16"), "This is not UTF-8 text (byte 0). Save it as UTF-8."),
    "a workbook": (b"PK\x03\x04\x14\x00\x06\x00", "This is not JSON: Expecting value at column 1."),
    "33 levels": (b"[" * 33 + b"]" * 33, "The JSON is nested more than 32 levels deep."),
    "10,000 levels": (b"[" * 10_000, "The JSON is nested more than 32 levels deep."),
    "10,000 levels of objects": (b'{"a":' * 10_000, "The JSON is nested more than 32 levels deep."),
    "deep behind a text with brackets": (
        b'["]]]]\\"]]", ' + b"[" * 32 + b"]" * 33,
        "The JSON is nested more than 32 levels deep.",
    ),
}


@pytest.mark.parametrize(("raw", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_json_of_ours_is_refused_in_a_sentence(raw, sentence):
    with pytest.raises(ValidationError) as refused:
        read_json(raw)
    assert list(faults_in(refused.value)) == [("", "json", sentence)]


@pytest.mark.parametrize(
    ("raw", "document"),
    [
        (b"\xef\xbb\xbf{}", {}),
        (b"-0", 0),
        (b"-9223372036854775808", -(2**63)),
        (b"9223372036854775807", 2**63 - 1),
        (b"1e-400", 0.0),
        (b'"\\ud83d\\ude00"', "😀"),
        (b'"\\\\ud83d"', "\\ud83d"),
        (b'"\\u0000"', "\x00"),
        (b"[" * 32 + b"]" * 32, json.loads("[" * 32 + "]" * 32)),
        (b'"' + b"[" * 100 + b'"', "[" * 100),
        (b"[" + b"{}," * 100 + b"{}]", [{}] * 101),
    ],
)
def test_what_is_json_is_read(raw, document):
    assert read_json(raw) == document


@pytest.mark.parametrize("raw", [b"[" * 33 + b'"' + b'\\"' * 200_000, b"[" * 33 + b'"\\' * 200_000])
def test_long_texts_behind_many_brackets_are_refused(raw):
    # In quadratic time these would take minutes, and the run would show it.
    with pytest.raises(ValidationError):
        read_json(raw)


DOCUMENTS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=20,
)


@given(DOCUMENTS, st.booleans())
def test_what_was_written_is_read_back(document, is_ascii):
    assert read_json(json.dumps(document, ensure_ascii=is_ascii).encode()) == document


@given(st.binary(max_size=60))
def test_bytes_are_json_or_refused(raw):
    try:
        document = read_json(raw)
    except ValidationError:
        return
    json.dumps(document, ensure_ascii=False, allow_nan=False).encode()
