"""The house keeps its shape: which room may know which, and what no file may say."""

import ast
import fnmatch
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

HOUSE = Path(__file__).resolve().parent.parent
# What a room may import of ours. The pure core stands apart from the room in which it lies.
ALLOWED = {
    "jobs": {"jobs"},
    "accounts": {"accounts"},
    "hands.scoring": {"hands.scoring"},
    "hands": {"jobs", "accounts", "hands", "hands.scoring"},
    "settlement": {"jobs", "accounts", "hands", "hands.scoring", "settlement"},
}


@cache
def modules() -> list[tuple[str, ast.Module]]:
    """Every module of the product by its dotted name, parsed."""
    found = []
    for room in ("jobs", "accounts", "hands", "settlement"):
        for path in sorted((HOUSE / room).rglob("*.py")):
            name = ".".join(path.relative_to(HOUSE).with_suffix("").parts).removesuffix(".__init__")
            found.append((name, ast.parse(path.read_text(encoding="utf-8"))))
    return found


def room_of(name: str) -> str | None:
    """The room in which a dotted name lies; None for what is not ours."""
    if name == "hands.scoring" or name.startswith("hands.scoring."):
        return "hands.scoring"
    room = name.split(".")[0]
    return room if room in ALLOWED or room == "tests" else None


def imports(tree: ast.Module) -> Iterator[str]:
    """Every name that a module imports, at its top or inside a function; ``from a import b`` is ``a.b``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "an import names its room"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_imports_point_one_way():
    wrong = [
        f"{name} imports {imported}"
        for name, tree in modules()
        for imported in imports(tree)
        if (room := room_of(imported)) is not None and room not in ALLOWED[room_of(name) or ""]
    ]
    assert wrong == []


def test_the_walk_sees_the_modules_and_their_imports():
    # Without this a moved folder or a changed layout would let the other tests pass on nothing.
    seen = {name: set(imports(tree)) for name, tree in modules()}
    assert "accounts.ledger.Entry" in seen["settlement.services"]
    assert len(seen) > 40
    assert {room_of(name) for name in seen} == set(ALLOWED)


def test_the_scoring_core_knows_no_framework_clock_or_chance():
    forbidden = {"django", "celery", "rest_framework", "openpyxl", "random", "secrets", "time", "datetime", "logging"}
    wrong = [
        f"{name} imports {imported}"
        for name, tree in modules()
        if room_of(name) == "hands.scoring"
        for imported in imports(tree)
        if imported.split(".")[0] in forbidden
    ]
    assert wrong == []


def test_services_never_import_tasks():
    wrong = [
        name
        for name, tree in modules()
        # An app names its tasks when it is loaded, so that every process knows who handles which job.
        if not name.endswith((".tasks", ".apps"))
        for imported in imports(tree)
        if re.fullmatch(r"\w+\.tasks(\.\w+)?", imported)
    ]
    assert wrong == []


def test_only_one_module_knows_openpyxl():
    knowing = {name for name, tree in modules() for imported in imports(tree) if imported.split(".")[0] == "openpyxl"}
    assert knowing == {"settlement.excel"}


def writes_transfers(tree: ast.Module) -> bool:
    """Whether a module makes a Transfer or calls a writing method of its manager."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        if re.fullmatch(r"(\w+\.)*Transfer", called):
            return True
        if re.match(r"(\w+\.)*Transfer\.(objects|_base_manager|_default_manager)\b", called) and re.search(
            r"\.(create|bulk_create|get_or_create|update_or_create|update|bulk_update|delete|raw)$", called
        ):
            return True
    return False


def test_only_the_ledger_makes_transfers():
    assert [name for name, tree in modules() if writes_transfers(tree)] == ["accounts.ledger"]


@pytest.mark.parametrize(
    "source",
    [
        "Transfer(amount_minor=1)",
        "models.Transfer(amount_minor=1)",
        "Transfer.objects.create(amount_minor=1)",
        "Transfer.objects.filter(pk=1).update(amount_minor=2)",
    ],
)
def test_the_search_for_written_transfers_finds_each_way(source):
    assert writes_transfers(ast.parse(source))


@cache
def texts() -> list[tuple[str, str]]:
    """Every file of the house that git does not ignore, as text; what is no text is read as far as it goes."""
    ignored = [line.strip("/") for line in (HOUSE / ".gitignore").read_text().split()] + [".git"]

    def kept(names: list[str]) -> list[str]:
        return sorted(name for name in names if not any(fnmatch.fnmatch(name, rule) for rule in ignored))

    found = []
    for folder, folders, names in os.walk(HOUSE):
        folders[:] = kept(folders)
        for name in kept(names):
            path = Path(folder) / name
            found.append((str(path.relative_to(HOUSE)), path.read_text(encoding="utf-8", errors="ignore")))
    return found


# Written so that these lines do not name what they forbid.
PLACES = re.compile(r"(?<![\w.:/{}<>-])/(home|Users|root|work|workspace|mnt|srv|builds?)/[\w.-]")
REGISTRIES = re.compile(
    r"(pypi\.|python" + r"hosted|registry\.npm|npm" + r"js|jsde" + r"livr|unp" + r"kg\.|artif" + r"actory)"
)


@pytest.mark.parametrize("pattern", [PLACES, REGISTRIES], ids=["a machine's path", "a package registry"])
def test_no_file_names(pattern):
    assert len(texts()) > 100
    assert [f"{path}: {match[0]}" for path, text in texts() if (match := pattern.search(text))] == []


def test_the_search_for_places_and_registries_finds_them():
    assert PLACES.search('open("/' + 'home/ana/x")')
    assert PLACES.search("cd /" + "work/main")
    assert not PLACES.search("make run DATA=/path/to/data")
    assert REGISTRIES.search("https://" + "py" + "pi.org/simple")


PIN = re.compile(
    r"""[A-Za-z0-9._-]+ (\[[a-z0-9,_-]+\])? == [\w.+!-]+   # name, extras, version
        (\s;\s[\w\s.'"<>=!()]+)?                            # where it is wanted: Python, platform
        (\s--hash=sha256:[0-9a-f]{64})+                     # and nothing but what the files must be
    """,
    re.VERBOSE,
)


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_requirements_are_names_versions_and_hashes(name):
    text = re.sub(r"^\s*#.*\n?", "", (HOUSE / name).read_text(), flags=re.MULTILINE)
    lines = [" ".join(line.split()) for line in text.replace("\\\n", " ").splitlines() if line.strip()]
    assert len(lines) > 20
    assert [line for line in lines if not PIN.fullmatch(line)] == []
