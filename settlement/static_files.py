"""Static files with the digest of their content in their names, so that browsers may keep them for ever."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

import django
from django.core.files.base import ContentFile
from django.core.files.storage import Storage
from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFiles(CompressedManifestStaticFilesStorage):
    """Names of imported JavaScript modules have their digests too, so that all of a page is of one version.

    Files that are all as they were at the last start are not named and compressed again, which takes two seconds.
    """

    support_js_module_import_aggregation = True
    _stamp = "collected.txt"

    def post_process(
        self, paths: Mapping[str, tuple[Storage, str]], dry_run: bool = False, **options: Any
    ) -> Iterator[Any]:
        digest = _digest(paths)
        if dry_run or self._last_digest() == digest:
            return
        yield from super().post_process(paths, dry_run=dry_run, **options)
        self.delete(self._stamp)
        self.save(self._stamp, ContentFile(digest.encode()))

    def _last_digest(self) -> str:
        try:
            with self.open(self._stamp) as kept:
                return str(kept.read().decode())
        except FileNotFoundError:
            return ""


def _digest(paths: Mapping[str, tuple[Storage, str]]) -> str:
    """One digest over all names and contents, and the version of what reads them."""
    found = sha256(django.__version__.encode())
    for name, (storage, path) in sorted(paths.items()):
        with storage.open(path) as file:
            found.update(f"\n{name}\n{sha256(file.read()).hexdigest()}".encode())
    return found.hexdigest()
