"""Reconciliation: from what a turn says and what is known to the events that make them agree.

Pure and total: no clock, no I/O, no randomness, and no input raises. Deciding the same candidates
again over the outcome adds nothing, and their order within a turn does not matter.

Rules
- An entity is created at its first mention in a scope set and matched by type and name afterwards.
- The same value again reaffirms. A different value of a single-valued key supersedes the one said
  before it, with a correction record; the former one ends where the new one begins. A statement
  that arrives late takes its place between its neighbours and corrects only the one before it.
- An ending closes what it matches and invents no successor; a negation asserts nothing.
- Below the confidence floor a statement becomes an uncertainty and what is known stays.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

import msgspec

from memory.candidates import (
    CANDIDATES_PER_TURN_MAX,
    ActionCandidate,
    AnyCandidate,
    AttributeCandidate,
    EntityCandidate,
    InstructionCandidate,
    MemoryCategory,
    Mention,
    NameCandidate,
    Polarity,
    RelationCandidate,
    UncertaintyCandidate,
)
from memory.events import (
    ActionReaffirmed,
    ActionRecorded,
    AttributeAsserted,
    AttributeClosed,
    AttributeKeyDefined,
    AttributeReaffirmed,
    AttributeSuperseded,
    EntityMentioned,
    EntityRecognised,
    Event,
    InstructionDetected,
    InstructionReaffirmed,
    RelationAsserted,
    RelationClosed,
    RelationReaffirmed,
    SpeakerNamed,
    UncertaintyFlagged,
)
from memory.known import (
    Edge,
    EntityName,
    Known,
    KnownEntity,
    KnownVersion,
    Place,
    Statement,
    Wanted,
    neighbours_of,
)
from memory.values import attribute_key, comparable, derived_id, entity_type, folded, name_key, unit_value

CONFIDENCE_FLOOR = 0.7
UNNAMED_USER = "user"


def decide(candidates: Sequence[AnyCandidate], known: Known, statement: Statement) -> list[Event]:
    """Events that make memory agree with the candidates; empty if it already does.

    `known` is brought up to date as a side effect of deciding, so pass a fresh one each time.
    """
    session_user = known.entity(statement.speaker_id) if statement.speaker_id else None
    speaker = _who(candidates, statement, session_user.name if session_user else None)
    return _Decision(known, statement, speaker).decided(_ordered(candidates))


def wanted(candidates: Sequence[AnyCandidate], statement: Statement, named_speaker: str | None) -> Wanted:
    """What `decide` will ask about. named_speaker: the name of statement.speaker_id's entity."""
    resolve = _resolver(_who(candidates, statement, named_speaker))
    names: set[EntityName] = set()
    attributes: set[tuple[EntityName, str, str, bool]] = set()
    edges: set[tuple[EntityName, str, EntityName]] = set()
    directives: set[str] = set()
    deeds: set[tuple[EntityName, str, str]] = set()
    for candidate in _ordered(candidates):
        match candidate:
            case NameCandidate():
                names.add(resolve(Mention(speaker=True)))
            case EntityCandidate(entity=entity):
                names.add(resolve(entity))
            case AttributeCandidate(entity=entity, key=key, value=value):
                names.add(resolve(entity))
                attributes.add((resolve(entity), attribute_key(key), value, _is_past(candidate)))
            case RelationCandidate(subject=subject, label=label, object=target):
                names.update((resolve(subject), resolve(target)))
                edges.add((resolve(subject), attribute_key(label), resolve(target)))
            case ActionCandidate(actor=actor, verb=verb, object=target_text):
                names.add(resolve(actor))
                deeds.add((resolve(actor), attribute_key(verb), comparable(target_text or "")))
            case InstructionCandidate(description=description):
                directives.add(folded(description))
            case UncertaintyCandidate(entity=Mention() as entity):
                names.add(resolve(entity))
            case _:
                pass
    return Wanted(frozenset(names), frozenset(attributes), frozenset(edges), frozenset(deeds), frozenset(directives))


def _is_past(candidate: AttributeCandidate) -> bool:
    return candidate.polarity is Polarity.AFFIRMED and candidate.valid_until is not None


def _ordered(candidates: Iterable[AnyCandidate]) -> list[AnyCandidate]:
    """In the order of the words, ties broken by content: a total order, so that none is arbitrary."""
    kept = sorted(candidates, key=lambda one: (one.start, one.end, msgspec.json.encode(one)))
    return kept[:CANDIDATES_PER_TURN_MAX]


def _who(candidates: Iterable[AnyCandidate], statement: Statement, session_name: str | None) -> EntityName:
    """Who "I" is. In this order: the scope's user; the name told in this turn; `session_name`, told before
    in this session; the principal, if a human; else an unnamed user."""
    told = [one.name for one in _ordered(candidates) if isinstance(one, NameCandidate)]
    name = statement.user_name or (told[0] if told else session_name) or statement.principal_name
    return "person", name_key(name or UNNAMED_USER)


def _resolver(speaker: EntityName) -> Callable[[Mention], EntityName]:
    def resolve(mention: Mention) -> EntityName:
        return speaker if mention.speaker else (entity_type(mention.type), name_key(mention.name))

    return resolve


class _Decision:
    """One run of `decide`: the events so far and the knowledge they amount to."""

    def __init__(self, known: Known, statement: Statement, speaker: EntityName) -> None:
        self.known = known
        self.statement = statement
        self.resolve = _resolver(speaker)
        self.events: list[Event] = []

    def decided(self, candidates: Sequence[AnyCandidate]) -> list[Event]:
        for ordinal, candidate in enumerate(candidates):
            place = self.statement.place(candidate.start, ordinal)
            match candidate:
                case NameCandidate():
                    self._name(candidate)
                case EntityCandidate(entity=entity, category=category):
                    self._entity(entity, category)
                case AttributeCandidate():
                    self._attribute(candidate, place)
                case RelationCandidate():
                    self._relation(candidate, place)
                case ActionCandidate():
                    self._action(candidate)
                case InstructionCandidate():
                    self._instruction(candidate)
                case UncertaintyCandidate(about=about, reason=reason, entity=entity, key=key):
                    self._flag(about, reason, entity, key)
        return self.events

    # --- entities ---

    def _entity(self, mention: Mention, category: MemoryCategory, *, name: str | None = None) -> UUID:
        """The id of the mentioned entity, recognised now if it was not known."""
        kind, key = self.resolve(mention)
        entity = self.known.entities.get((kind, key))
        if entity is None:
            shown = name or mention.name or self.statement.user_name or self.statement.principal_name or key
            entity = KnownEntity(self._id("entity"), kind, shown, key)
            self.known.entities[kind, key] = entity
            self.events.append(
                EntityRecognised(
                    entity_id=entity.entity_id,
                    type=kind,
                    name=shown,
                    name_key=key,
                    category="identity" if mention.speaker else category,
                    is_new=(kind, key) not in self.known.visible_names,
                )
            )
            self._support(entity.entity_id)
        elif self._supports_newly(entity.entity_id):
            self.events.append(EntityMentioned(entity_id=entity.entity_id))
        return entity.entity_id

    def _name(self, candidate: NameCandidate) -> None:
        entity_id = self._entity(Mention(speaker=True), "identity", name=candidate.name)
        if self.statement.user_name is None and self.statement.speaker_id != entity_id:
            self.statement = replace(self.statement, speaker_id=entity_id)
            self.events.append(SpeakerNamed(session_id=self.statement.session_id, entity_id=entity_id))

    # --- attributes ---

    def _attribute(self, candidate: AttributeCandidate, place: Place) -> None:
        entity_id = self._entity(candidate.entity, candidate.category)
        key = attribute_key(candidate.key)
        words = f"{key}: {candidate.value}"
        if candidate.confidence < CONFIDENCE_FLOOR:
            self._flag(words, "low confidence", candidate.entity, key)
        elif candidate.polarity is Polarity.NEGATED:
            self._flag(f"not {words}", "negated", candidate.entity, key)
        elif candidate.polarity is Polarity.ENDED:
            self._end_attribute(candidate, place, entity_id, key)
        else:
            self._assert_attribute(candidate, place, entity_id, key)

    def _assert_attribute(self, candidate: AttributeCandidate, place: Place, entity_id: UUID, key: str) -> None:
        single_valued = self._cardinality(key)
        past = _is_past(candidate)
        unit = (entity_id, key, unit_value(candidate.value, single_valued=single_valued, past=past))
        line = self.known.neighbours.setdefault(unit, [])
        before, after = neighbours_of(line, place)
        if before and before.says(candidate.value) and (past or self._still_holds(before)):
            if self._supports_newly(before.version_id):
                self.events.append(AttributeReaffirmed(version_id=before.version_id))
            return
        version = self._version(candidate, candidate.value, place)
        stated = candidate.valid_from is not None
        self.events.append(
            AttributeAsserted(
                version_id=version.version_id,
                entity_id=entity_id,
                key=key,
                value=candidate.value,
                category=candidate.category,
                confidence=candidate.confidence,
                source_kind=self.statement.source_kind,
                single_valued=single_valued,
                turn_position=version.turn_position,
                offset=version.offset,
                valid_from=version.valid_from,
                stated=stated,
                valid_until=version.valid_until,
                precision=candidate.precision,
                labels=self.statement.labels,
            )
        )
        self._support(version.version_id)
        line.append(version)
        if past:
            return
        if before and before.continues:
            reason = "moved_on" if candidate.change or stated else "restated"
            self._supersede(line, before, version, after, reason)
        if after:
            self._supersede(line, version, after, None, "relinked")

    def _version(self, candidate: AttributeCandidate | RelationCandidate, value: str, place: Place) -> KnownVersion:
        """A new version said at `place`, its interval never negative."""
        said_at, turn_position, offset = place
        valid_from, valid_until = candidate.valid_from or said_at, candidate.valid_until
        return KnownVersion(
            version_id=self._id("attribute" if isinstance(candidate, AttributeCandidate) else "relation"),
            value=value,
            said_at=said_at,
            turn_position=turn_position,
            offset=offset,
            valid_from=valid_from if valid_until is None else min(valid_from, valid_until),
            valid_until=valid_until,
            superseded_by=None,
        )

    def _still_holds(self, version: KnownVersion) -> bool:
        """Whether saying it again adds nothing new: it has not ended, or this turn itself said so before it did."""
        return version.continues or version.version_id in self.known.supported

    def _supersede(
        self, line: list[KnownVersion], old: KnownVersion, new: KnownVersion, after: KnownVersion | None, reason: str
    ) -> None:
        """Link old -> new. `after`, the one that followed old until now, bounds where old may end."""
        ends = min(new.valid_from, after.valid_from) if after else new.valid_from
        valid_until = max(old.valid_from, ends)
        self.events.append(
            AttributeSuperseded(
                old_version_id=old.version_id,
                new_version_id=new.version_id,
                valid_until=valid_until,
                known_at=max(old.said_at, new.said_at),
                reason=reason,
                correction_id=None if reason == "relinked" else self._id("correction"),
            )
        )
        line[line.index(old)] = replace(old, valid_until=valid_until, superseded_by=new.version_id)

    def _end_attribute(self, candidate: AttributeCandidate, place: Place, entity_id: UUID, key: str) -> None:
        single_valued = self.known.single_valued(key)
        unit = (entity_id, key, unit_value(candidate.value, single_valued=single_valued, past=False))
        line = self.known.neighbours.get(unit, [])
        before, _ = neighbours_of(line, place)
        if before is None or not before.says(candidate.value):
            self._flag(f"no longer {key}: {candidate.value}", "ended, but not known", candidate.entity, key)
        elif before.valid_until is None:
            ended_at = self._ended_at(candidate, before)
            self.events.append(AttributeClosed(version_id=before.version_id, valid_until=ended_at, reason="ended"))
            line[line.index(before)] = replace(before, valid_until=ended_at)

    def _ended_at(self, candidate: AttributeCandidate | RelationCandidate, version: KnownVersion) -> datetime:
        return max(candidate.valid_until or candidate.valid_from or self.statement.said_at, version.valid_from)

    def _cardinality(self, key: str) -> bool:
        single_valued = self.known.single_valued(key)
        if key not in self.known.keys:
            self.known.keys[key] = single_valued
            self.events.append(AttributeKeyDefined(key=key, single_valued=single_valued))
        return single_valued

    # --- relations, actions, instructions, uncertainties ---

    def _relation(self, candidate: RelationCandidate, place: Place) -> None:
        subject_id = self._entity(candidate.subject, candidate.category)
        object_id = self._entity(candidate.object, "knowledge")
        label = attribute_key(candidate.label)
        words = f"{label} {candidate.object.name}"
        if candidate.confidence < CONFIDENCE_FLOOR:
            self._flag(words, "low confidence", candidate.subject, label)
        elif candidate.polarity is Polarity.NEGATED:
            self._flag(f"not {words}", "negated", candidate.subject, label)
        elif candidate.polarity is Polarity.ENDED:
            self._end_relation(candidate, place, (subject_id, label, object_id))
        else:
            self._assert_relation(candidate, place, (subject_id, label, object_id))

    def _assert_relation(self, candidate: RelationCandidate, place: Place, edge: Edge) -> None:
        line = self.known.edges.setdefault(edge, [])
        before, after = neighbours_of(line, place)
        same = before if before and self._says_again(candidate, before) else after
        if same and self._says_again(candidate, same):
            if self._supports_newly(same.version_id):
                self.events.append(RelationReaffirmed(relation_id=same.version_id))
            return
        version = self._version(candidate, "", place)
        subject_id, label, object_id = edge
        self.events.append(
            RelationAsserted(
                relation_id=version.version_id,
                subject_id=subject_id,
                label=label,
                object_id=object_id,
                category=candidate.category,
                confidence=candidate.confidence,
                source_kind=self.statement.source_kind,
                turn_position=version.turn_position,
                offset=version.offset,
                valid_from=version.valid_from,
                stated=candidate.valid_from is not None,
                valid_until=version.valid_until,
                labels=self.statement.labels,
            )
        )
        self._support(version.version_id)
        line.append(version)

    def _says_again(self, candidate: RelationCandidate, version: KnownVersion) -> bool:
        """Whether `version` already tells what the candidate says."""
        if candidate.valid_until is not None:
            return version.valid_until == candidate.valid_until
        return self._still_holds(version)

    def _end_relation(self, candidate: RelationCandidate, place: Place, edge: Edge) -> None:
        line = self.known.edges.get(edge, [])
        before, _ = neighbours_of(line, place)
        if before is None:
            words = f"no longer {edge[1]} {candidate.object.name}"
            self._flag(words, "ended, but not known", candidate.subject, edge[1])
        elif before.valid_until is None:
            ended_at = self._ended_at(candidate, before)
            self.events.append(RelationClosed(relation_id=before.version_id, valid_until=ended_at, reason="ended"))
            line[line.index(before)] = replace(before, valid_until=ended_at)

    def _action(self, candidate: ActionCandidate) -> None:
        actor_id = self._entity(candidate.actor, candidate.category)
        verb = attribute_key(candidate.verb)
        deed = (actor_id, verb, comparable(candidate.object or ""), candidate.occurred_at)
        action_id = self.known.deeds.get(deed)
        if action_id:
            if self._supports_newly(action_id):
                self.events.append(ActionReaffirmed(action_id=action_id))
            return
        action_id = self.known.deeds[deed] = self._id("action")
        self.events.append(
            ActionRecorded(
                action_id=action_id,
                actor_id=actor_id,
                verb=verb,
                object=candidate.object,
                summary=candidate.summary,
                category=candidate.category,
                confidence=candidate.confidence,
                source_kind=self.statement.source_kind,
                occurred_at=candidate.occurred_at,
                labels=self.statement.labels,
            )
        )
        self._support(action_id)

    def _instruction(self, candidate: InstructionCandidate) -> None:
        directive = folded(candidate.description)
        instruction_id = self.known.directives.get(directive)
        if instruction_id:
            if self._supports_newly(instruction_id):
                self.events.append(InstructionReaffirmed(instruction_id=instruction_id))
            return
        instruction_id = self.known.directives[directive] = self._id("instruction")
        self.events.append(
            InstructionDetected(
                instruction_id=instruction_id,
                label=candidate.label,
                description=candidate.description,
                source_kind=self.statement.source_kind,
                labels=self.statement.labels,
            )
        )
        self._support(instruction_id)

    def _flag(self, about: str, reason: str, mention: Mention | None, key: str | None) -> None:
        if (folded(about), reason) in self.known.flags:
            return
        self.known.note_flags([(about, reason)])
        self.events.append(
            UncertaintyFlagged(
                uncertainty_id=self._id("uncertainty"),
                about=about,
                reason=reason,
                entity_id=self._entity(mention, "knowledge") if mention else None,
                key=key,
                labels=self.statement.labels,
            )
        )

    # --- support and ids ---

    def _support(self, subject_id: UUID) -> None:
        self.known.supported.add(subject_id)

    def _supports_newly(self, subject_id: UUID) -> bool:
        """Whether this turn did not support it before; it does from now on."""
        newly = subject_id not in self.known.supported
        self.known.supported.add(subject_id)
        return newly

    def _id(self, kind: str) -> UUID:
        """Unique: no two events have one position, and replay reads it from the event."""
        return derived_id(self.statement.turn_id, kind, self.statement.next_position + len(self.events))
