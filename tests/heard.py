"""Saying what is well understood, or what the local extractor reads, and looking at what became of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from api.work import recovery
from memory.candidates import SPEAKER, AnyCandidate, AttributeCandidate, Extraction, Mention
from memory.events import ActionRecorded, Event, ExtractionCompleted
from memory.extraction import Extractor
from memory.remember import Learnt, Memory, Remembered
from memory.understanding import Understanding
from memory.values import Role, attribute_key, entity_type, name_key
from projections import attribute_versions, corrections, entities, instructions, relations, turns, uncertainties
from projections.attribute_versions import AttributeVersionRow
from projections.reading import Instant
from tests.worlds import World

MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
ALL = 10_000

Answer = Sequence[AnyCandidate] | Exception


@dataclass
class Prepared:
    """An extractor whose answers are given beforehand, and which notes what it is asked."""

    answers: list[Answer]
    asked: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return "prepared"

    def extract(self, text: str, *, role: str, said_at: datetime, earlier: Sequence[str] = ()) -> Extraction:
        self.asked.append((text, tuple(earlier)))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Extraction(extractor=self.name, candidates=tuple(answer))


def with_extractor(world: World, extractor: Extractor) -> World:
    memory = world.services.memory
    return replace(
        world, services=replace(world.services, memory=Memory(memory.log, memory.knowledge, Understanding(extractor)))
    )


def heard(
    world: World,
    text: str,
    *candidates: AnyCandidate,
    at: datetime | None = None,
    role: Role = Role.USER,
    session_id: UUID | None = None,
) -> Learnt:
    """Say words of which a good extractor would make these candidates."""
    prepared = with_extractor(world, Prepared([candidates]))
    return only(prepared.say(text, observed_at=at, role=role, session_id=session_id))


def only(remembered: Remembered[Learnt]) -> Learnt:
    (learnt,) = remembered.answers
    return learnt


def said(world: World, *texts: str, at: datetime | None = None, role: Role = Role.USER) -> list[Learnt]:
    """Say words, one turn each of one session, and let the local extractor read them."""
    session_id = None
    learnt = []
    for text in texts:
        remembered = world.say(text, session_id=session_id, observed_at=at, role=role)
        session_id = remembered.session_id
        learnt += remembered.answers
    assert kept(world, learnt) == list(texts)
    return learnt


def kept(world: World, learnt: Sequence[Learnt]) -> list[str]:
    with world.reading() as reader:
        rows = turns.by_ids(reader, [one.turn_id for one in learnt])
    return [rows[one.turn_id].text for one in learnt]


def mine(key: str, value: str, **more: object) -> AttributeCandidate:
    """A property of whoever speaks."""
    return AttributeCandidate(entity=SPEAKER, key=key, value=value, **more)  # type: ignore[arg-type]


def of(name: str, key: str, value: str, kind: str = "person", **more: object) -> AttributeCandidate:
    return AttributeCandidate(entity=Mention(type=kind, name=name), key=key, value=value, **more)  # type: ignore[arg-type]


def known(world: World, *, as_of: datetime | None = None) -> set[str]:
    """All that is current, or was known to be at a time: "subject key value", by normalised names."""
    with world.reading() as reader:
        reader = replace(reader, instant=Instant(known_at=as_of, moment=as_of))
        versions = attribute_versions.live(reader, limit=ALL).rows
        edges = relations.live(reader, limit=ALL).rows
        ends = [one.entity_id for one in versions] + [end for one in edges for end in (one.subject_id, one.object_id)]
        name = {key: row.name_key for key, row in entities.by_ids(reader, ends).items()}
    return {f"{name[one.entity_id]} {one.key} {one.value}" for one in versions} | {
        f"{name[one.subject_id]} {one.label} {name[one.object_id]}" for one in edges
    }


def history(world: World, key: str, name: str = "user", kind: str = "person") -> list[AttributeVersionRow]:
    """Every version of a key, oldest statement first."""
    with world.reading() as reader:
        owners = entities.named(reader, entity_type(kind), name_key(name))
        rows = attribute_versions.history(reader, [row.id for row in owners], attribute_key(key))
    return rows[::-1]


def spans(rows: Sequence[AttributeVersionRow]) -> list[tuple[str, datetime | None, datetime | None]]:
    return [(row.value, row.valid_from, row.valid_to) for row in rows]


def held(rows: Sequence[AttributeVersionRow], moment: datetime) -> list[str]:
    """The values that were true at a moment."""
    return [
        row.value
        for row in rows
        if row.standing == "current"
        and row.valid_from is not None
        and row.valid_from <= moment
        and (row.valid_to is None or moment < row.valid_to)
    ]


def corrected(world: World) -> list[tuple[str, str, str]]:
    """(old value, new value, reason) of every correction, oldest first."""
    with world.reading() as reader:
        rows = corrections.newest_first(reader, limit=ALL).rows[::-1]
        versions = attribute_versions.by_ids(
            reader, [one for row in rows for one in (row.old_version_id, row.new_version_id)]
        )
    return [(versions[row.old_version_id].value, versions[row.new_version_id].value, row.reason) for row in rows]


def doubts(world: World) -> list[tuple[str, str | None, UUID | None]]:
    """(reason, key, turn) of every open uncertainty."""
    with world.reading() as reader:
        return [(row.reason, row.key, row.turn_id) for row in uncertainties.unresolved(reader, limit=ALL).rows]


def names(world: World, kind: str | None = None) -> list[str]:
    with world.reading() as reader:
        return [row.name for row in entities.by_type_and_name(reader, entity_type=kind, limit=ALL).rows]


def directives(world: World) -> list[str]:
    with world.reading() as reader:
        return [row.description for row in instructions.active(reader, limit=ALL).rows]


def events(learnt: Learnt) -> list[Event]:
    return [one.event for one in learnt.recorded if one.event is not None]


def deeds(world: World) -> list[ActionRecorded]:
    return [one.event for one in world.events() if isinstance(one.event, ActionRecorded)]


def topics(learnt: Learnt) -> list[str]:
    """The kinds of what a turn led to."""
    return [event.TOPIC for event in events(learnt) if not isinstance(event, ExtractionCompleted)]


def learn_pending(world: World) -> None:
    """What the server does after a start."""
    position = world.events()[-1].position
    recovery.learn_pending(world.services, {world.context_id: position})


def status(world: World, learnt: Learnt) -> tuple[str, str | None]:
    with world.reading() as reader:
        row = turns.extraction(reader, learnt.turn_id)
    assert row is not None
    return row.status, row.error
