"""A body that is a file: it goes to disk as it comes, never whole into memory."""

from tempfile import TemporaryFile
from typing import Any, Final

from django.core.files import File
from django.utils.translation import gettext as _
from rest_framework.exceptions import APIException
from rest_framework.parsers import BaseParser, MultiPartParser

CHUNK: Final = 1 << 16
LARGEST: Final = 2 * 1024**3


class FileTooLarge(APIException):
    status_code = 413
    default_code = "too_large"

    def __init__(self) -> None:
        super().__init__(_("The file is larger than %(most)d GB; send it in parts.") % {"most": LARGEST // 1024**3})


class FileParser(BaseParser):
    """Whatever the body is, it is the file; ``TakesFile`` closes it."""

    media_type = "*/*"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> dict[str, Any]:
        file = File(TemporaryFile(), name="upload")  # noqa: SIM115  (closed with the answer)
        parser_context.setdefault("files", []).append(file)
        size = 0
        while chunk := stream.read(CHUNK):
            file.write(chunk)
            size += len(chunk)
            if size > LARGEST:
                raise FileTooLarge
        file.seek(0)
        return {"file": file}


class TakesFile:
    """For views that take a file as their body: it goes when the answer does."""

    def finalize_response(self, request: Any, response: Any, *args: Any, **options: Any) -> Any:
        for file in (request.parser_context or {}).get("files", ()):
            file.close()
        return super().finalize_response(request, response, *args, **options)  # type: ignore[misc]  # of a view


class FormParser(MultiPartParser):
    """A form with the field ``file``, as browsers and curl's ``-F`` send it."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> dict[str, Any]:
        sent = super().parse(stream, media_type=media_type, parser_context=parser_context)
        return {name: values[0] for name, values in sent.files.lists()}
