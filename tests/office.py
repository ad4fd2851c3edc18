"""LibreOffice, as the other program that has to read our workbooks."""

import csv
import subprocess
import tempfile
from pathlib import Path


def sheets_in_libreoffice(workbook: Path) -> dict[str, list[list[str]]]:
    """Every sheet's rows as LibreOffice shows them: numbers in their format, no formula worked out."""
    # Comma, double quote, UTF-8, from line 1; values as shown, no formulas, and every sheet a file of its own.
    form = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,false,false,-1"
    sheets = {}
    for path in sorted(_converted(workbook, form), key=lambda path: path.stat().st_mtime_ns):
        with path.open(encoding="utf-8", newline="") as file:
            sheets[path.stem.removeprefix(f"{workbook.stem}-")] = list(csv.reader(file))
    return sheets


def pdf_of(workbook: Path) -> bytes:
    """The workbook as LibreOffice prints it."""
    (path,) = _converted(workbook, "pdf")
    return path.read_bytes()


def _converted(workbook: Path, form: str) -> list[Path]:
    folder = Path(tempfile.mkdtemp(dir=workbook.parent))
    profile = f"-env:UserInstallation=file://{folder}/profile"
    command = ["soffice", profile, "--headless", "--convert-to", form, "--outdir", folder / "out", workbook]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return list((folder / "out").iterdir())
