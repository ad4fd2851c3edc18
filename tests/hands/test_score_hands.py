"""`score_hands` against the vectors: the same answers, in the same order, without a database."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.histories import from_vector, good
from tests.vectors import vectors

TAIWANESE = ["taiwanese", "taiwanese-jokers", "taiwanese-house-rules", "taiwanese-royalties", "published"]


def lines_of(name: str) -> list[dict]:
    return [vector for vector in vectors(name) if vector["game"] == "taiwanese"]


def write(path: Path, documents: list[dict | str]) -> Path:
    texts = (document if isinstance(document, str) else json.dumps(document) for document in documents)
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", TAIWANESE)
def test_every_vector_has_its_points(name, tmp_path, capsys):
    expected = lines_of(name)
    call_command("score_hands", str(write(tmp_path / "hands.ndjson", [from_vector(vector) for vector in expected])))
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer["external_id"] for answer in answers] == [vector["id"] for vector in expected]
    for vector, answer in zip(expected, answers, strict=True):
        right = vector["expected"]
        assert answer["net"] == right["net"], vector["id"]
        for ours, theirs in zip(answer["pairs"], right["pairs"], strict=True):
            assert {key: ours[key] for key in theirs} == theirs, vector["id"]
        if "categories" in right:
            assert answer["categories"] == right["categories"], vector["id"]


def test_no_database_is_needed(tmp_path):
    path = write(tmp_path / "hands.ndjson", [from_vector(vector) for vector in lines_of("published")])
    nowhere = {"DATABASE_URL": "sqlite:////nonexistent/folder/none.sqlite3", "HOMERUN_DATA": str(tmp_path)}
    with path.open() as file:
        done = subprocess.run(
            [sys.executable, "manage.py", "score_hands", "-"],
            stdin=file,
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | nowhere,
        )
    nets = [json.loads(line)["net"] for line in done.stdout.splitlines()]
    assert nets == [vector["expected"]["net"] for vector in lines_of("published")]


def test_a_broken_line_is_named_and_the_rest_goes_on(tmp_path, capsys):
    short = good(lambda hand: hand["seats"][1].update(bottom=["8s", "2c", "Th"]))
    path = write(tmp_path / "hands.ndjson", [good(), "{ not json", "", short, good()])
    with pytest.raises(SystemExit) as ended:
        call_command("score_hands", str(path))
    said = capsys.readouterr()
    assert ended.value.code == 1
    assert len(said.out.splitlines()) == 2
    assert said.err.splitlines() == [
        "Line 2: This is not JSON: Expecting property name enclosed in double quotes at column 3.",
        "Line 4 (/seats/1/bottom): Seat 3 (Ben): bottom has 3 cards (8s 2c Th); Taiwanese needs 4.",
    ]


def test_a_line_that_is_too_long_is_one_line(tmp_path, capsys):
    path = write(tmp_path / "hands.ndjson", ["x" * 600_000, good(), "{"])
    with pytest.raises(SystemExit):
        call_command("score_hands", str(path))
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 1
    assert [line.partition(": ")[0] for line in said.err.splitlines()] == ["Line 1", "Line 3"]
    assert said.err.startswith("Line 1: The line is longer than 256 kB; a hand needs one.")


def test_an_explanation_says_which_five_cards_and_why(tmp_path, capsys):
    call_command("score_hands", str(write(tmp_path / "hands.ndjson", [good()])), "--explain")
    answer = json.loads(capsys.readouterr().out)
    assert answer["pairs"][0]["because"] == "All six rows: 6 + 6, and 8 for the homerun"
    # Ana's bottom on board 1 (2d Ac 4d Qc 8h) is a wheel: 3 and 5 of hers, ace, 2 and 4 of the board.
    reading = answer["best_five"]["p-17/1/bottom"]
    assert reading["words"] == "straight to five"
    assert sorted(card["card"] for card in reading["cards"] if card["from"] == "board") == ["2d", "4d", "Ac"]


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(Exception, match="cannot be read: No such file or directory"):
        call_command("score_hands", str(tmp_path / "none.ndjson"))
