"""References to what memory holds, as callers spell them.

    entity:person/alice                            also person/alice, person:alice and ['person', 'alice']
    attribute:person/alice/job_title
    relation:person/alice-[works_at]->organisation/acme
    relation:alice/works_at/acme                   of any types; person/alice and so on too
    attr_…, rel_…, act_…, corr_…, chunk:…          an id that an answer held
    document:…                                     also doc:…
    passage:<document>/<position>                  a chunk by its place

Names may hold slashes, types and keys may not. All parts are normalised.
"""

import re
from dataclasses import dataclass
from uuid import UUID

from api import ids
from memory.errors import InvalidRequest, Unsupported
from memory.known import EntityName
from memory.values import ENTITY_TYPE_ALIASES, ENTITY_TYPES, attribute_key, entity_type, name_key

RELATION_PREFIX = "rel_"
ATTRIBUTE_PREFIX = "attr_"
CORRECTION_PREFIX = "corr_"
ACTION_PREFIX = "act_"
PASSAGE_PREFIXES = ("chunk:", "passage:")
UNSUPPORTED = re.compile(r"(turn|session|sess):|(instr|unc|turn|sess)_")
WRITTEN = re.compile(r"\['(?P<type>\w+)', '(?P<name>.+)'\]", re.DOTALL)
ARROW = re.compile(r"(.+?)-\[(.+?)\]->(.+)", re.DOTALL)

AnyName = tuple[str | None, str]  # (type or None for any, normalised name)


@dataclass(frozen=True, slots=True)
class EntityRef:
    name: EntityName


@dataclass(frozen=True, slots=True)
class AttributeRef:
    name: EntityName
    key: str


@dataclass(frozen=True, slots=True)
class RelationRef:
    subject: AnyName
    label: str
    target: AnyName


@dataclass(frozen=True, slots=True)
class AttributeId:
    value: UUID


@dataclass(frozen=True, slots=True)
class RelationId:
    value: UUID


@dataclass(frozen=True, slots=True)
class CorrectionId:
    value: UUID


@dataclass(frozen=True, slots=True)
class ActionId:
    value: UUID


@dataclass(frozen=True, slots=True)
class PassageId:
    value: UUID


@dataclass(frozen=True, slots=True)
class DocumentId:
    value: UUID


@dataclass(frozen=True, slots=True)
class ChunkAt:
    """The chunk at a position of a document, from 0."""

    document_id: UUID
    position: int


@dataclass(frozen=True, slots=True)
class TraceId:
    value: UUID


OfFacts = EntityRef | AttributeRef | RelationRef | AttributeId | RelationId | CorrectionId | ActionId
OfMemory = OfFacts | PassageId | DocumentId | ChunkAt
Ref = OfMemory | TraceId


def entity_name(text: str, *, field: str) -> EntityName:
    """<type>/<name>, with or without "entity:" before it, or an entity's id as writes answer it. Raises
    InvalidRequest for anything else."""
    if written := WRITTEN.fullmatch(text.strip()):
        return entity_type(written["type"]), name_key(written["name"])
    kind, _, name = text.strip().removeprefix("entity:").partition("/")
    if not kind.strip() or not name.strip():
        raise InvalidRequest(f"{field}: must be <type>/<name>")
    return entity_type(kind), name_key(name)


def parse(text: str) -> Ref:
    """The reference that `text` spells.

    Raises InvalidRequest for none at all, Unsupported for kinds that can't be shown yet, NotFound
    for an id that is not well formed.
    """
    text = text.strip()
    if WRITTEN.fullmatch(text):
        return EntityRef(entity_name(text, field="ref"))
    if UNSUPPORTED.match(text):
        raise Unsupported(f"ref: {text[:20]!r} is of a kind that can't be inspected yet")
    if text.startswith(ids.TRACE_PREFIXES):
        return TraceId(ids.parse_trace(text))
    if text.startswith(ATTRIBUTE_PREFIX):
        return AttributeId(ids.parse(text, prefixes=(ATTRIBUTE_PREFIX,)))
    if text.startswith(RELATION_PREFIX):
        return RelationId(ids.parse(text, prefixes=(RELATION_PREFIX,)))
    if text.startswith(CORRECTION_PREFIX):
        return CorrectionId(ids.parse(text, prefixes=(CORRECTION_PREFIX,)))
    if text.startswith(ACTION_PREFIX):
        return ActionId(ids.parse(text, prefixes=(ACTION_PREFIX,)))
    if text.startswith(ids.DOCUMENT_PREFIXES):
        return DocumentId(ids.parse_document(text))
    if text.startswith("passage:") and "/" in text:
        document, _, position = text.removeprefix("passage:").rpartition("/")
        if not position.isascii() or not position.isdigit() or len(position) > 9:
            raise _malformed()
        return ChunkAt(ids.parse_document(document), int(position))
    if text.startswith(PASSAGE_PREFIXES):
        return PassageId(ids.parse(text, prefixes=PASSAGE_PREFIXES))
    prefix, separator, rest = text.partition(":")
    if "/" in prefix:
        return EntityRef(entity_name(text, field="ref"))
    if not separator or not rest.strip():
        raise _malformed()
    kind = name_key(prefix)
    if kind == "entity":
        return EntityRef(entity_name(rest, field="ref"))
    if kind == "attribute":
        name, _, key = rest.rpartition("/")
        return AttributeRef(entity_name(name, field="ref"), _key(key))
    if kind == "relation":
        return _relation(rest)
    if kind in ENTITY_TYPES or kind in ENTITY_TYPE_ALIASES:
        return EntityRef((entity_type(kind), name_key(rest)))
    raise _malformed()


def _relation(text: str) -> RelationRef:
    if arrow := ARROW.fullmatch(text):
        subject, label, target = arrow.groups()
        return RelationRef(entity_name(subject, field="ref"), _key(label), entity_name(target, field="ref"))
    match text.split("/"):
        case [subject, label, target]:
            return RelationRef(_any_type(subject), _key(label), _any_type(target))
        case [subject_type, subject, label, target_type, target]:
            return RelationRef(
                entity_name(f"{subject_type}/{subject}", field="ref"),
                _key(label),
                entity_name(f"{target_type}/{target}", field="ref"),
            )
    raise _malformed()


def _any_type(name: str) -> AnyName:
    if not name.strip():
        raise _malformed()
    return None, name_key(name)


def _key(text: str) -> str:
    if not text.strip():
        raise _malformed()
    return attribute_key(text)


def _malformed() -> InvalidRequest:
    return InvalidRequest(
        "ref: must be entity:<type>/<name>, attribute:<type>/<name>/<key>, "
        "relation:<type>/<name>-[<label>]-><type>/<name> or an id"
    )
