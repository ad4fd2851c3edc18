"""A backup's file: a tar of the database's dump, the stored files and, last, a manifest with every digest.

Nothing in an archive is believed: names, kinds, sizes and digests are checked before anything is written.
"""

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final

FORMAT: Final = "homerun backup 1"
MANIFEST: Final = "manifest.json"
DUMPS: Final = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
FILES: Final = "files"
CHUNK: Final = 1024 * 1024


class BackupError(Exception):
    """Why a backup cannot be made or put back, in a sentence."""


@dataclass(frozen=True)
class Archive:
    """An archive that was read whole and is what its manifest says."""

    path: Path
    manifest: dict[str, Any]

    def extract(self, name: str, target: Path) -> None:
        """Write one member to ``target``, which must not be there."""
        with tarfile.open(self.path, "r:") as tar, target.open("xb") as file:
            for chunk in _chunks(_open(tar, name)):
                file.write(chunk)

    def files(self) -> list[PurePosixPath]:
        """The stored files, as paths below the storage's root."""
        paths = (PurePosixPath(name) for name in self.manifest["members"])
        return [path.relative_to(FILES) for path in paths if path.parts[0] == FILES]

    def extract_files(self, root: Path) -> None:
        """Write the stored files below ``root``."""
        for path in self.files():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            self.extract(f"{FILES}/{path}", target)


def write_archive(path: Path, *, dump: Path, files: Path, manifest: dict[str, Any]) -> None:
    """Write dump, the files below ``files`` and the manifest, and see that they are on the disk."""
    members: dict[str, dict[str, Any]] = {}
    path.touch(mode=0o600, exist_ok=False)
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
        members[dump.name] = _add(tar, dump.name, dump.open("rb"))
        for found in sorted(files.rglob("*")):
            if found.is_symlink() or not found.is_file():
                continue
            try:
                file = found.open("rb")
            except FileNotFoundError:
                # What a job left behind unfinished is cleared away by the next: no row names it.
                continue
            name = f"{FILES}/{found.relative_to(files).as_posix()}"
            members[name] = _add(tar, name, file)
        text = json.dumps({"format": FORMAT} | manifest | {"members": members}, indent=1).encode()
        info = tarfile.TarInfo(MANIFEST)
        info.size, info.mode = len(text), 0o600
        tar.addfile(info, io.BytesIO(text))
    with path.open("rb") as written:
        os.fsync(written.fileno())


def read_archive(path: Path) -> Archive:
    """Read all of an archive and hold it against its manifest. Raises ``BackupError``."""
    broken = BackupError(f"{path} is broken, or no backup of Homerun.")
    try:
        with tarfile.open(path, "r:") as tar:
            members = tar.getmembers()
            for member in members:
                if not member.isreg() or not is_safe(member.name):
                    raise BackupError(f"{path} holds “{member.name}”, which no backup of Homerun does.")
            if MANIFEST not in tar.getnames():
                raise broken
            manifest = json.loads(_open(tar, MANIFEST).read())
            if manifest["format"] != FORMAT:
                raise BackupError(f"{path} has the format “{manifest['format']}”; this version reads “{FORMAT}”.")
            listed = manifest["members"]
            if sorted([member.name for member in members]) != sorted([*listed, MANIFEST]):
                raise BackupError(f"{path} does not hold what its manifest lists.")
            for name, said in listed.items():
                digest = hashlib.sha256()
                for chunk in _chunks(_open(tar, name)):
                    digest.update(chunk)
                if digest.hexdigest() != said["sha256"]:
                    raise BackupError(f"{path} is broken: {name} is not what was written.")
            if DUMPS.get(manifest["engine"]) not in listed:
                raise broken
            if not isinstance(manifest["heads"], dict) or not isinstance(manifest["migrations"], list):
                raise broken
            return Archive(path, manifest)
    except FileNotFoundError:
        raise BackupError(f"There is no file {path}.") from None
    except (tarfile.TarError, OSError, ValueError, KeyError, TypeError, AttributeError):
        raise broken from None


def is_safe(name: str) -> bool:
    """Whether a member may be called so: the manifest, a dump, or a plain path below ``files/``."""
    path = PurePosixPath(name)
    if name in {MANIFEST, *DUMPS.values()}:
        return True
    is_plain = str(path) == name and not path.is_absolute() and ".." not in path.parts and "\\" not in name
    return is_plain and len(path.parts) > 1 and path.parts[0] == FILES


class _Hashed:
    """A file that is read once, with the digest of what was read."""

    def __init__(self, file: Any) -> None:
        self.file, self.digest = file, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        chunk: bytes = self.file.read(size)
        self.digest.update(chunk)
        return chunk


def _add(tar: tarfile.TarFile, name: str, file: IO[bytes]) -> dict[str, Any]:
    with file:
        hashed = _Hashed(file)
        info = tarfile.TarInfo(name)
        stat = os.fstat(file.fileno())
        info.size, info.mtime, info.mode = stat.st_size, int(stat.st_mtime), 0o600
        tar.addfile(info, hashed)  # type: ignore[arg-type]  # it reads like a file, which is all that tarfile asks
        return {"bytes": info.size, "sha256": hashed.digest.hexdigest()}


def _open(tar: tarfile.TarFile, name: str) -> IO[bytes]:
    file = tar.extractfile(name)
    if file is None:
        raise tarfile.ReadError(name)
    return file


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    return iter(lambda: file.read(CHUNK), b"")
