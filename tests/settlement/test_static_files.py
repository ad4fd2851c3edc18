"""What is collected at a start: named by content, and not made again where nothing has changed."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command


@pytest.fixture
def source(settings, tmp_path: Path) -> Path:
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STATICFILES_DIRS = [tmp_path / "source"]
    settings.STATIC_ROOT = tmp_path / "collected"
    settings.STORAGES = settings.STORAGES | {"staticfiles": {"BACKEND": "settlement.static_files.StaticFiles"}}
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "page.css").write_text("p { color: red }")
    return tmp_path / "source"


def collected(settings) -> tuple[str, int]:
    """The name of the page's style with its digest, and when the names were written."""
    call_command("collectstatic", interactive=False, verbosity=0)
    manifest = settings.STATIC_ROOT / "staticfiles.json"
    return json.loads(manifest.read_text())["paths"]["page.css"], manifest.stat().st_mtime_ns


def test_files_that_are_as_they_were_are_not_named_again(settings, source):
    first = collected(settings)
    assert collected(settings) == first
    assert (settings.STATIC_ROOT / first[0]).read_text() == "p { color: red }"


def test_a_file_that_is_changed_added_or_gone_is_named_again(settings, source):
    name, written = collected(settings)
    page = source / "page.css"
    page.write_text("p { color: blue }")
    changed, written_again = collected(settings)
    assert changed != name
    assert written_again > written
    assert (settings.STATIC_ROOT / changed).read_text() == "p { color: blue }"
    (source / "other.css").write_text("b { color: red }")
    _name, with_other = collected(settings)
    (source / "other.css").unlink()
    assert written_again < with_other < collected(settings)[1]


def test_what_was_cut_off_is_made_good(settings, source, monkeypatch):
    monkeypatch.setattr("whitenoise.storage.CompressedManifestStaticFilesStorage.save_manifest", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        collected(settings)
    monkeypatch.undo()
    assert collected(settings)[0].startswith("page.")
