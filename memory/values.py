"""Small values that everything else is made of: names, keys, ids, kinds of source."""

import re
import unicodedata
from enum import StrEnum
from functools import lru_cache
from hashlib import sha1, sha256
from uuid import UUID

# The vendor's closed set of entity types; anything else is stored as "other".
ENTITY_TYPES = frozenset(
    "person organisation project location topic product policy concept event agent service other".split()
)
ENTITY_TYPE_ALIASES = {
    "company": "organisation",
    "org": "organisation",
    "organization": "organisation",
    "place": "location",
    "user": "person",
}
MEMORY_CATEGORIES = ("identity", "knowledge", "context")


class Role(StrEnum):
    """Who speaks in a turn."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class Infer(StrEnum):
    """What a write asks for: extraction, given triples, a dry run, or just the words."""

    FULL = "full"
    TRIPLES = "triples"
    PREVIEW = "preview"
    NONE = "none"


class SourceKind(StrEnum):
    """Where a statement comes from. `rank` orders them: a higher one outranks a lower one."""

    UPSERT = "upsert"
    DOCUMENT = "document"
    USER = "user"
    SYSTEM = "system"
    TOOL = "tool"
    ASSISTANT = "assistant"
    REFLECT = "reflect"
    CONSOLIDATE = "consolidate"
    ELABORATE = "elaborate"

    @property
    def rank(self) -> int:
        return _RANKS[self]

    @property
    def wire(self) -> str:
        """The kind as the wire names it: every role of a conversation is a "turn"."""
        return "turn" if self in _TURN_KINDS else self.value


_TURN_KINDS = frozenset({SourceKind.USER, SourceKind.SYSTEM, SourceKind.TOOL, SourceKind.ASSISTANT})
_RANKS = {
    SourceKind.UPSERT: 6,
    SourceKind.DOCUMENT: 5,
    SourceKind.USER: 4,
    SourceKind.SYSTEM: 3,
    SourceKind.TOOL: 2,
    SourceKind.ASSISTANT: 2,
    SourceKind.REFLECT: 1,
    SourceKind.CONSOLIDATE: 1,
    SourceKind.ELABORATE: 1,
}


def folded(text: str) -> str:
    """`text` for comparison: Unicode NFKC, case and surrounding or repeated white space ignored."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


COMPARABLE_LENGTH_MAX = 200
WORDS_KEPT = 4_096  # keys and types, of which a context has few and says them again and again


def comparable(text: str) -> str:
    """`text` in a form that is equal for equal values and short enough for an index."""
    key = folded(text)
    return key if len(key) <= COMPARABLE_LENGTH_MAX else f"sha256 {sha256(key.encode()).hexdigest()}"


def unit_value(value: str, *, single_valued: bool) -> str:
    """Which line within (entity, key) a value belongs to: the only one of a single-valued key, or its own."""
    return "" if single_valued else comparable(value)


# Between letters of Chinese, Japanese and Korean a space is a matter of taste, not of the name.
_EAST_ASIAN = "[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_SPACE_OF_TASTE = re.compile(f"(?<={_EAST_ASIAN}) (?={_EAST_ASIAN})")


def name_key(name: str) -> str:
    """The normalised name of an entity, as it stands in paths: "AirPods Pro" -> "airpods_pro"."""
    return _SPACE_OF_TASTE.sub("", folded(name)).replace(" ", "_")


@lru_cache(maxsize=WORDS_KEPT)
def attribute_key(key: str) -> str:
    """The normalised key of an attribute or label of a relation: "Job Title" -> "job_title"."""
    return folded(key).replace(" ", "_").replace("-", "_")


@lru_cache(maxsize=WORDS_KEPT)
def entity_type(name: str) -> str:
    """The closed-set type that `name` means; unknown ones are "other"."""
    key = name_key(name)
    key = ENTITY_TYPE_ALIASES.get(key, key)
    return key if key in ENTITY_TYPES else "other"


def derived_id(parent: UUID, kind: str, ordinal: int | str) -> UUID:
    """An opaque id that is a function of its parent's: replay and import give the same one.

    Never derive from a name or a value: the id would outlive an erasure as its fingerprint.
    """
    # The library's uuid5, at two thirds of its time.
    digest = sha1(parent.bytes + f"{kind}:{ordinal}".encode(), usedforsecurity=False).digest()
    return UUID(bytes=digest[:16], version=5)
