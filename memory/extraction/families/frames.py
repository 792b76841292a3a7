"""Rules as a table: a verb, which complement holds the value, and the slot it fills."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spacy.tokens import Token

from memory.candidates import SPEAKER, MemoryCategory, Mention
from memory.extraction.claims import Aspect, Claim
from memory.extraction.lexicon import FIRST_PERSON_POSSESSIVE, THING_KINDS, listed
from memory.extraction.phrases import Phrase, is_lowercase_name, is_name, is_pointing, mention, name_around, value_of
from memory.extraction.turns import Reading

# "The Kestrel team" is Kestrel, but Leiden University is not Leiden.
_KINDS_NAMED = THING_KINDS.keys() - listed("university bank agency database engine game")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A verb pattern.

    verbs: lemmas of the content verb. prepositions: where the value stands, "" for a direct object.
    object_type: of the entity that the value is; with `key` naming a relation, else "" for text.
    as_text: an entity by name that is stored as an attribute's text ("location").
    subject_type: of a subject that is named, where the model does not know.
    """

    verbs: frozenset[str]
    prepositions: tuple[str, ...]
    key: str
    category: MemoryCategory
    aspect: Aspect
    object_type: str = ""
    as_text: bool = False
    subject_type: str = "person"
    particle: str = ""
    passive: bool = False
    confidence: float = 0.95


def read_frames(reading: Reading, frames: Sequence[Frame]) -> Iterator[Claim]:
    """The claims of all frames whose verb heads the clause."""
    if reading.actor is None:
        return
    for frame in frames:
        if reading.lemma not in frame.verbs or (frame.particle and not _has_particle(reading, frame.particle)):
            continue
        if frame.passive != is_passive(reading):
            continue
        for phrase in reading.phrases:
            if phrase.preposition in frame.prepositions and (claim := claim_of(reading, frame, phrase)) is not None:
                yield claim
                break


def claim_of(reading: Reading, frame: Frame, phrase: Phrase) -> Claim | None:
    """`frame` filled with `phrase`, if that can be its value."""
    assert reading.actor is not None
    words = phrase.words
    if frame.object_type and len(words) > 1 and words[0].lower_ in FIRST_PERSON_POSSESSIVE:
        words = words[1:]  # "my Tesla"
    if frame.object_type in ("project", "organisation") and words[-1].lower_ in _KINDS_NAMED and is_name(words[:-1]):
        words = words[:-1]  # "the Kestrel team"
    if frame.object_type and (name := name_called(words[-1])):
        words = name  # "a small startup called Quantic"
    if is_pointing(words) or (frame.object_type and words[0].ent_type_ in ("DATE", "TIME")):
        return None
    confidence = frame.confidence
    if frame.object_type and not is_name(words):
        if not is_lowercase_name(words):
            return None
        confidence = min(confidence, 0.8)
    value: str | Mention = value_of(words)
    if not value:
        return None
    if frame.object_type and not frame.as_text:
        value = mention(words, frame.object_type)
    return Claim(
        subject=subject_of(reading, frame.subject_type),
        key=frame.key,
        value=value,
        start=reading.start,
        end=max(reading.end, phrase.end),
        category=frame.category,
        aspect=frame.aspect,
        confidence=confidence,
        value_type=frame.object_type if frame.as_text else "",
    )


def name_called(noun: Token) -> tuple[Token, ...]:
    """The name behind "called" or "named" that follows a noun, if any."""
    doc = noun.doc
    if noun.i + 2 < noun.sent.end and doc[noun.i + 1].lower_ in ("called", "named"):
        return name_around(doc[noun.i + 2])
    return ()


def subject_of(reading: Reading, expected: str) -> Mention:
    """The actor, typed by what the predicate tells of it: only persons live, work and like."""
    actor = reading.actor
    assert actor is not None
    if actor.mine:
        return actor
    if actor.speaker or not expected:
        return actor if actor.speaker or actor.type != "other" else Mention(type="other", name=actor.name)
    return Mention(type=expected, name=actor.name)


def told_by(
    reading: Reading,
    key: str,
    value: str,
    phrase: Phrase,
    *,
    aspect: Aspect = Aspect.STATE,
    confidence: float,
    speaker: bool = False,
) -> Claim:
    """What `phrase` tells of the subject of the clause, or of the speaker."""
    return Claim(
        subject=SPEAKER if speaker else subject_of(reading, "person"),
        key=key,
        value=value,
        start=reading.start,
        end=max(reading.end, phrase.end),
        category="knowledge",
        aspect=aspect,
        confidence=confidence,
    )


def is_passive(reading: Reading) -> bool:
    return any(child.dep_ in ("nsubjpass", "auxpass") for child in reading.clause.head.children)


def _has_particle(reading: Reading, particle: str) -> bool:
    return bool(reading.clause.after) and reading.clause.after[0].lower_ == particle
