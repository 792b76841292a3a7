"""Uploads: a file and what is said of it, as multipart/form-data, with a limit of their own."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

import msgspec
import pydantic
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from api.http.bodies import pieces
from api.http.calls import first_error, parse_json
from api.shapes.document_schemas import SOURCE_LENGTH_MAX, TITLE_LENGTH_MAX, UploadMetadataBody
from memory.documents.bytes_store import BYTES_MAX
from memory.errors import InvalidRequest, PayloadTooLarge
from memory.texts import readable

FORM_BYTES_MAX = BYTES_MAX + 1024 * 1024  # the file, and what is said of it
FIELD_BYTES_MAX = 512 * 1024
FILES_MAX, FIELDS_MAX = 2, 20
NAMES = ("title", "source", "mimeType", "mime_type", "observedAt", "observed_at", "observedAtHeader")


@dataclass(frozen=True, slots=True)
class Upload:
    """filename: its last part, "" if none was given."""

    data: bytes
    filename: str
    claimed: str | None
    metadata: UploadMetadataBody

    @property
    def digest(self) -> bytes:
        """Of all that was sent, in whichever form: the boundaries of two forms are never the same."""
        told = [self.filename, self.claimed, self.metadata.model_dump(mode="json"), sha256(self.data).hexdigest()]
        return sha256(msgspec.json.encode(told)).digest()

    @property
    def title(self) -> str:
        return (self.metadata.title or "").strip() or self.filename[:TITLE_LENGTH_MAX] or "Untitled"

    @property
    def source(self) -> str:
        return (self.metadata.source or "").strip() or self.filename[:SOURCE_LENGTH_MAX] or "upload"


async def received(request: Request) -> Upload | None:
    """The upload in a request's body, None if there is no file in it; its parts may come in any order.

    Raises InvalidRequest for what is no form, an empty file or unusable metadata, and PayloadTooLarge as soon
    as a limit is passed.
    """
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > FORM_BYTES_MAX:
        raise _too_large()
    content_type = request.headers.get("content-type", "")
    if not content_type.lower().startswith("multipart/form-data"):
        await _drained(request, content_type)
        return None
    parser = MultiPartParser(
        request.headers,
        pieces(request, most=FORM_BYTES_MAX, too_large=_too_large),
        max_files=FILES_MAX,
        max_fields=FIELDS_MAX,
        max_part_size=FIELD_BYTES_MAX,
    )
    try:
        form = await parser.parse()
    except (MultiPartException, KeyError, UnicodeDecodeError) as error:
        message = getattr(error, "message", "") or "can't be read"
        raise InvalidRequest(f"the form is not valid: {message}") from error
    try:
        file = form.get("file")
        metadata = await _metadata(form)
        if file is None:
            return None
        if isinstance(file, UploadFile):
            data, name, claimed = await file.read(), file.filename or "", file.content_type
        else:
            data, name, claimed = file.encode(), "", None
    finally:
        await form.close()
    if len(data) > BYTES_MAX:
        raise _too_large()
    if not data:
        raise InvalidRequest("file: must not be empty")
    filename = PurePosixPath(readable(name, field="filename").replace("\\", "/")).name
    return Upload(data, filename, metadata.mime_type or claimed, metadata)


async def _metadata(form: Any) -> UploadMetadataBody:
    given = form.get("metadata")
    text = await given.read() if isinstance(given, UploadFile) else (given or "").encode()
    content = parse_json(text) if text.strip() else {}
    if not isinstance(content, dict):
        raise InvalidRequest("metadata: must be a JSON object")
    # Some clients send the names as fields of the form.
    fields = {name: form[name] for name in NAMES if isinstance(form.get(name), str) and form[name]}
    try:
        return UploadMetadataBody.model_validate({**fields, **content})
    except pydantic.ValidationError as error:
        raise InvalidRequest(f"metadata.{first_error(error)}") from error


async def _drained(request: Request, content_type: str) -> None:
    """Take in a body that should not be there. Raises InvalidRequest for one that holds more than `{}`."""
    body = b""
    async for chunk in pieces(request, most=FORM_BYTES_MAX, too_large=_too_large):
        body = (body + chunk)[:3]
    if body.strip() not in (b"", b"{}"):
        raise InvalidRequest(f"send the file as multipart/form-data, not as {content_type[:100] or 'nothing'}")


def _too_large() -> PayloadTooLarge:
    return PayloadTooLarge(f"a document has at most {BYTES_MAX} bytes")
