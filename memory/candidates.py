"""What an extractor thinks a turn says.

A candidate is untrusted: names and values are text from the turn, nothing in it has been
compared with memory yet. `memory.decide` turns candidates into events. Raw candidates are kept
inside `ExtractionCompleted`, so these shapes are a stored format: add fields with defaults,
never rename or remove one.
"""

from datetime import datetime
from enum import StrEnum
from typing import Literal

import msgspec

from memory.usage import NO_USAGE, Usage

# Candidates beyond this many per turn are cut: no sane turn states more, a runaway model does.
CANDIDATES_PER_TURN_MAX = 256
NAME_LENGTH_MAX = 200
VALUE_LENGTH_MAX = 2_000

MemoryCategory = Literal["identity", "knowledge", "context"]


class Polarity(StrEnum):
    """How a statement relates to what it mentions."""

    AFFIRMED = "affirmed"  # "I work at Acme"
    ENDED = "ended"  # "I no longer work at Acme", "I used to work at Acme"
    NEGATED = "negated"  # "I don't work at Acme": says nothing about what is true instead


class Mention(msgspec.Struct, frozen=True, kw_only=True):
    """An entity as the turn names it. `speaker` means "whoever said the turn" ("I", "my").

    mine: `name` is what the speaker calls somebody: "sister" for "my sister".
    """

    type: str = "other"
    name: str = ""
    speaker: bool = False
    mine: bool = False


SPEAKER = Mention(type="person", speaker=True)


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """Common to all candidates.

    start, end: the words that say it, as offsets into the turn's text, end exclusive.
    confidence: 0 to 1, the extractor's own estimate.
    """

    start: int = 0
    end: int = 0
    confidence: float = 1.0
    category: MemoryCategory = "knowledge"


class EntityCandidate(Candidate, frozen=True, kw_only=True, tag="entity"):
    """The turn names an entity, whether or not it says anything about it."""

    entity: Mention


class NameCandidate(Candidate, frozen=True, kw_only=True, tag="name"):
    """The speaker tells their own name ("I'm Alice")."""

    name: str


class AliasCandidate(Candidate, frozen=True, kw_only=True, tag="alias"):
    """Two names of one: "Kat is short for Katherine". `name` is the other name of `entity`."""

    entity: Mention
    name: Mention


class SeparationCandidate(Candidate, frozen=True, kw_only=True, tag="separation"):
    """`name` was taken for another name of something else, and is not."""

    name: Mention


class StatementCandidate(Candidate, frozen=True, kw_only=True):
    """A statement that holds for a while.

    valid_from, valid_until: stated times resolved against the turn's time, aware UTC, else None.
    precision: of the stated time: instant, day, week, month, season or year; "" when none.
    change: the words tell of a change ("moved", "got promoted", "now"), so the former value was
        true until then.
    repair: the words take an earlier statement back ("no, I meant", "scratch that").
    """

    polarity: Polarity = Polarity.AFFIRMED
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    precision: str = ""
    change: bool = False
    repair: bool = False


class AttributeCandidate(StatementCandidate, frozen=True, kw_only=True, tag="attribute"):
    """A scalar property of an entity: `key` in English snake_case, `value` as said.

    single_valued: whether the key has one value at a time, as the extractor proposes; heard only where the
    key is used for the first time and neither the registry nor the configuration knows it.
    """

    entity: Mention
    key: str
    value: str
    single_valued: bool | None = None


class RelationCandidate(StatementCandidate, frozen=True, kw_only=True, tag="relation"):
    """A directed relation between two entities: `label` in English snake_case."""

    subject: Mention
    label: str
    object: Mention


class ActionCandidate(Candidate, frozen=True, kw_only=True, tag="action"):
    """Something that happened or is planned: who did what, and when if the turn says it.

    occurred_at: the beginning of the stated time; precision of it, as in StatementCandidate.
    """

    actor: Mention
    verb: str
    object: str | None = None
    summary: str
    occurred_at: datetime | None = None
    precision: str = ""


class InstructionCandidate(Candidate, frozen=True, kw_only=True, tag="instruction"):
    """A standing directive to the assistant. `label` is a short name, `description` the rule."""

    label: str
    description: str


class UncertaintyCandidate(Candidate, frozen=True, kw_only=True, tag="uncertainty"):
    """A statement that can't be asserted: hedged, hypothetical, negated or unclear.

    about: what it is about, in the turn's words. entity, key: the fact it concerns, if any.
    """

    about: str
    reason: str
    entity: Mention | None = None
    key: str | None = None


AnyCandidate = (
    EntityCandidate
    | NameCandidate
    | AliasCandidate
    | SeparationCandidate
    | AttributeCandidate
    | RelationCandidate
    | ActionCandidate
    | InstructionCandidate
    | UncertaintyCandidate
)


class Extraction(msgspec.Struct, frozen=True, kw_only=True):
    """All that one extractor found in one turn, in the order of the words.

    extractor: name and rule version, e.g. "local/en-1". model, usage: of the language model that it asked, if
    any. dropped: candidates left out because their words are not in the turn.
    """

    extractor: str
    candidates: tuple[AnyCandidate, ...] = ()
    model: str = ""
    usage: Usage = NO_USAGE
    dropped: int = 0
