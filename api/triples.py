"""Given triples as candidates: what `infer: triples` stores without asking any extractor."""

from collections.abc import Sequence

from api.shapes.schemas import TripleBody, TripleEntityBody
from memory.candidates import (
    ActionCandidate,
    AnyCandidate,
    AttributeCandidate,
    EntityCandidate,
    MemoryCategory,
    Mention,
    RelationCandidate,
)
from memory.errors import InvalidRequest, Unprocessable
from memory.texts import KEY_LENGTH_MAX, VALUE_LENGTH_MAX, name_like


def candidates_of(triples: Sequence[TripleBody]) -> tuple[AnyCandidate, ...]:
    """One candidate per triple, in their order: of two values of one key in one call the later one wins.

    Raises Unprocessable for a triple that is none of the four families, naming it; nothing is reinterpreted.
    """
    return tuple(_candidate(triple, ordinal) for ordinal, triple in enumerate(triples))


def _candidate(triple: TripleBody, ordinal: int) -> AnyCandidate:
    # There is no span of words: the ordinal stands for the place of a given fact.
    where = f"triples.{ordinal}"
    given = [name for name in ("value", "target", "verb") if getattr(triple, name) is not None]
    if len(given) > 1:
        raise Unprocessable(f"{where}: takes one of value, target and verb, not {' and '.join(given)}")
    entity = _mention(triple.entity, f"{where}.entity")
    category: MemoryCategory = triple.memory_category or "knowledge"
    confidence = 1.0 if triple.confidence is None else triple.confidence
    if triple.verb is not None:
        if triple.key is not None:
            raise Unprocessable(f"{where}: an action has a verb and no key")
        verb = _name(triple.verb, f"{where}.verb", KEY_LENGTH_MAX)
        target = None if triple.object is None else _name(triple.object, f"{where}.object", VALUE_LENGTH_MAX)
        summary = triple.summary or " ".join(part for part in (entity.name, verb, target) if part)
        return ActionCandidate(
            start=ordinal,
            end=ordinal,
            confidence=confidence,
            category=category,
            actor=entity,
            verb=verb,
            object=target,
            summary=_name(summary, f"{where}.summary", VALUE_LENGTH_MAX),
            occurred_at=triple.occurred_at,
        )
    if not given:
        if triple.key is not None:
            raise Unprocessable(f"{where}: a key needs a value or a target")
        return EntityCandidate(start=ordinal, end=ordinal, category=category, entity=entity)
    if triple.key is None:
        raise Unprocessable(f"{where}: needs a key")
    key = _name(triple.key, f"{where}.key", KEY_LENGTH_MAX)
    if triple.target is not None:
        if triple.valid_from and triple.valid_until and triple.valid_until < triple.valid_from:
            raise Unprocessable(f"{where}: valid_until is before valid_from")
        return RelationCandidate(
            start=ordinal,
            end=ordinal,
            confidence=confidence,
            category=category,
            subject=entity,
            label=key,
            object=_mention(triple.target, f"{where}.target"),
            valid_from=triple.valid_from,
            valid_until=triple.valid_until,
        )
    if triple.valid_from or triple.valid_until:
        raise Unprocessable(f"{where}: valid_from and valid_until are for relations")
    return AttributeCandidate(
        start=ordinal,
        end=ordinal,
        confidence=confidence,
        category=category,
        entity=entity,
        key=key,
        value=_name(triple.value or "", f"{where}.value", VALUE_LENGTH_MAX),
    )


def _mention(entity: TripleEntityBody, field: str) -> Mention:
    return Mention(type=_name(entity.type, f"{field}.type", KEY_LENGTH_MAX), name=_name(entity.name, f"{field}.name"))


def _name(text: str, field: str, length_max: int = 200) -> str:
    try:
        return name_like(text, field=field, length_max=length_max)
    except InvalidRequest as error:
        raise Unprocessable(error.detail) from error
