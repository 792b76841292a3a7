"""Ids on the wire: ULIDs in lower case, with a prefix that tells the kind where the vendor has one."""

from datetime import UTC, datetime
from uuid import UUID

from ulid import ULID

from memory.administration import ADMIN, SYSTEM
from memory.errors import NotFound

SESSION_PREFIXES = ("sess_", "sess:", "session:")
PRINCIPAL_PREFIX = "principal:"
RESERVED_PRINCIPALS = {ADMIN: "admin", SYSTEM: "system"}
TURN_PREFIXES = ("turn_", "turn:")
DOCUMENT_PREFIXES = ("document:", "doc:", "doc_")
TRACE_PREFIXES = ("trace_", "trace:")


def new_id() -> UUID:
    """A fresh id that sorts by time."""
    return ULID().to_uuid()


def ulid(value: UUID) -> str:
    return str(ULID.from_uuid(value)).lower()


def attribute(value: UUID) -> str:
    return f"attr_{ulid(value)}"


def correction(value: UUID) -> str:
    return f"corr_{ulid(value)}"


def relation(value: UUID) -> str:
    return f"rel_{ulid(value)}"


def instruction(value: UUID) -> str:
    return f"instr_{ulid(value)}"


def uncertainty(value: UUID) -> str:
    return f"unc_{ulid(value)}"


def action(value: UUID) -> str:
    return f"act_{ulid(value)}"


def chunk(value: UUID) -> str:
    return f"chunk:{ulid(value)}"


def row(kind: str, value: UUID) -> str:
    """The id of a row of memory. kind: attribute, relation, action or chunk."""
    return {"attribute": attribute, "relation": relation, "action": action, "chunk": chunk}[kind](value)


def document(value: UUID) -> str:
    return f"document:{ulid(value)}"


def keyword(normalised: str) -> str:
    """A keyword is the same thing in all documents, so its words are its id."""
    return f"keyword:{normalised}"


def parse(text: str, *, prefixes: tuple[str, ...] = ()) -> UUID:
    """The id that `text` spells, with or without one of the prefixes. Raises NotFound: no other id exists."""
    text = text.strip()
    for prefix in prefixes:
        text = text.removeprefix(prefix)
    try:
        return UUID(text) if len(text) == 36 else ULID.from_str(text.upper()).to_uuid()
    except ValueError as error:
        raise NotFound("there is no such id") from error


def principal(value: UUID) -> str:
    """`principal:…`; the two that every context has go by name."""
    return PRINCIPAL_PREFIX + (RESERVED_PRINCIPALS.get(value) or ulid(value))


def parse_principal(text: str) -> UUID:
    text = text.strip().removeprefix(PRINCIPAL_PREFIX)
    named = (value for value, name in RESERVED_PRINCIPALS.items() if name == text)
    return next(named, None) or parse(text)


def key(value: UUID) -> str:
    return f"key:{ulid(value)}"


def parse_session(text: str) -> UUID:
    return parse(text, prefixes=SESSION_PREFIXES)


def parse_turn(text: str) -> UUID:
    return parse(text, prefixes=TURN_PREFIXES)


def parse_trace(text: str) -> UUID:
    return parse(text, prefixes=TRACE_PREFIXES)


def parse_document(text: str) -> UUID:
    return parse(text, prefixes=DOCUMENT_PREFIXES)


def moment(value: datetime | None) -> str | None:
    """RFC 3339 in UTC with microseconds, or None."""
    if value is None:
        return None
    return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
