"""Reconciliation: from what a turn says and what is known to the events that make them agree.

Pure and total: no clock, no I/O, no randomness, and no input raises. Deciding the same candidates
again over the outcome adds nothing, and their order within a turn does not matter.

- An entity is created at its first mention in a scope set and matched by type and name afterwards.
- Words about a property or relation take their place in the line of their unit, whose rules are in
  `memory.timeline`; the events are the difference between the line before and after.
- A contrary word of lower rank and an ending that matches nothing each leave an uncertainty. A later
  clear statement of the same fact settles what was doubtful about it, but not a contradiction of ranks.
- A negation asserts nothing. Below the confidence floor nothing is asserted. Both are uncertainties.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any
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
from memory.cardinality import is_functional, line_key, line_value
from memory.directives import directive as directive_of
from memory.events import (
    ActionReaffirmed,
    ActionRecorded,
    AttributeKeyDefined,
    EntityMentioned,
    EntityRecognised,
    Event,
    InstructionClosed,
    InstructionDetected,
    InstructionReaffirmed,
    SpeakerNamed,
    UncertaintyFlagged,
    UncertaintyResolved,
)
from memory.known import (
    EntityName,
    Known,
    KnownEntity,
    Statement,
    Unit,
    Wanted,
    WantedAttribute,
    WantedRelation,
)
from memory.line_events import ATTRIBUTE_EVENTS, RELATION_EVENTS, EventOf
from memory.timeline import Place, Said, Segment, Standing, changes
from memory.values import attribute_key, comparable, derived_id, entity_type, folded, name_key, unit_value

CONFIDENCE_FLOOR = 0.7
SURE_OF_TYPE = 0.8  # below, the type of a bare mention is a guess
UNNAMED_USER = "user"


def decide(candidates: Sequence[AnyCandidate], known: Known, statement: Statement) -> list[Event]:
    """Events that make memory agree with the candidates; empty if it already does.

    `known` is brought up to date as a side effect of deciding, so pass a fresh one each time.
    """
    ordered = _ordered(candidates)
    session_user = known.entity(statement.speaker_id) if statement.speaker_id else None
    speaker = _who(ordered, statement, session_user.name if session_user else None)
    return _Decision(known, statement, speaker).decided(ordered)


def wanted(candidates: Sequence[AnyCandidate], statement: Statement, named_speaker: str | None) -> Wanted:
    """What `decide` will ask about. named_speaker: the name of statement.speaker_id's entity."""
    ordered = _ordered(candidates)
    resolve = _resolver(_who(ordered, statement, named_speaker))
    names: set[EntityName] = set()
    loose_names: set[str] = set()
    attributes: list[WantedAttribute] = []
    relations: list[WantedRelation] = []
    deeds: set[tuple[EntityName, str, str]] = set()
    directives = False
    for ordinal, candidate in enumerate(ordered):
        place = statement.place(candidate.start, ordinal)
        match candidate:
            case NameCandidate():
                names.add(resolve(Mention(speaker=True)))
            case EntityCandidate(entity=entity, confidence=confidence):
                names.add(resolve(entity))
                if confidence < SURE_OF_TYPE:
                    loose_names.add(name_key(entity.name))
            case AttributeCandidate(entity=entity):
                names.add(resolve(entity))
                key = attribute_key(candidate.key)
                value = line_value(key, comparable(candidate.value))
                said = statement.said(statement.turn_id, candidate, place, value)
                attributes.append(WantedAttribute(resolve(entity), key, candidate.value, said, _is_past(candidate)))
            case RelationCandidate(subject=subject, object=target):
                names.update((resolve(subject), resolve(target)))
                said = statement.said(statement.turn_id, candidate, place, "")
                label = attribute_key(candidate.label)
                relations.append(WantedRelation(resolve(subject), label, resolve(target), said))
            case ActionCandidate(actor=actor, verb=verb, object=target_text):
                names.add(resolve(actor))
                deeds.add((resolve(actor), attribute_key(verb), comparable(target_text or "")))
            case InstructionCandidate():
                directives = True
            case UncertaintyCandidate(entity=Mention() as entity):
                names.add(resolve(entity))
            case _:
                pass
    return Wanted(
        frozenset(names),
        frozenset(loose_names),
        tuple(attributes),
        tuple(relations),
        frozenset(deeds),
        directives,
    )


def relation_unit(subject_id: UUID, label: str, object_id: UUID) -> Unit:
    """A functional label has one line a subject, any other one a pair of subject and object."""
    return subject_id, label, "" if is_functional(label) else str(object_id)


def _is_past(candidate: AttributeCandidate) -> bool:
    return candidate.polarity is Polarity.AFFIRMED and candidate.valid_until is not None


def _ordered(candidates: Iterable[AnyCandidate]) -> list[AnyCandidate]:
    """In the order of the words, ties broken by content: a total order, so that none is arbitrary.

    Without negations that only prepare the contrary: "I don't like X" says that X is disliked.
    """
    kept = sorted(candidates, key=_span)
    if any(_span(one) == _span(other) for one, other in pairwise(kept)):
        kept.sort(key=lambda one: (_span(one), msgspec.json.encode(one)))
    contrary = {
        (one.entity, line_key(attribute_key(one.key)), folded(one.value), attribute_key(one.key))
        for one in kept
        if isinstance(one, AttributeCandidate) and one.polarity is Polarity.AFFIRMED
    }
    kept = [one for one in kept if not _is_said_by(one, contrary)]
    return kept[:CANDIDATES_PER_TURN_MAX]


def _span(candidate: AnyCandidate) -> tuple[int, int]:
    return candidate.start, candidate.end


def _is_said_by(candidate: AnyCandidate, affirmed: set[tuple[Mention, str, str, str]]) -> bool:
    """Whether it negates what one of `affirmed` says to the contrary."""
    if not isinstance(candidate, AttributeCandidate) or candidate.polarity is not Polarity.NEGATED:
        return False
    key = attribute_key(candidate.key)
    said = candidate.entity, line_key(key), folded(candidate.value)
    return any(one[:3] == said and one[3] != key for one in affirmed)


def _who(candidates: Sequence[AnyCandidate], statement: Statement, session_name: str | None) -> EntityName:
    """Who "I" is. In this order: the scope's user; the name told in this turn; `session_name`, told before
    in this session; the principal, if a human; else an unnamed user."""
    told = [one.name for one in candidates if isinstance(one, NameCandidate)]
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
        # New words by unit, each with what its event tells beside its segment.
        self.attributes: dict[Unit, dict[UUID, tuple[Said, dict[str, Any]]]] = {}
        self.relations: dict[Unit, dict[UUID, tuple[Said, dict[str, Any]]]] = {}

    def decided(self, candidates: Sequence[AnyCandidate]) -> list[Event]:
        for ordinal, candidate in enumerate(candidates):
            place = self.statement.place(candidate.start, ordinal)
            match candidate:
                case NameCandidate():
                    self._name(candidate)
                case EntityCandidate():
                    self._named_entity(candidate)
                case AttributeCandidate():
                    self._attribute(candidate, place)
                case RelationCandidate():
                    self._relation(candidate, place)
                case ActionCandidate():
                    self._action(candidate)
                case InstructionCandidate():
                    self._instruction(candidate)
                case UncertaintyCandidate(about=about, reason=reason, entity=entity, key=key):
                    entity_id = self._entity(entity, "knowledge") if entity else None
                    self._flag(about, reason, entity_id, key)
        for unit, words in self.attributes.items():
            self._reconcile(self.known.attributes.get(unit, []), words, ATTRIBUTE_EVENTS)
        for unit, words in self.relations.items():
            self._reconcile(self.known.relations.get(unit, []), words, RELATION_EVENTS)
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
            self.known.supported.add(entity.entity_id)
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
        elif self._supports_newly(entity.entity_id):
            self.events.append(EntityMentioned(entity_id=entity.entity_id))
        return entity.entity_id

    def _named_entity(self, candidate: EntityCandidate) -> None:
        """A bare mention. Where its type is only guessed, an entity of that name of any type is meant."""
        mention = candidate.entity
        if candidate.confidence < SURE_OF_TYPE:
            known = self.known.entity_of_name(name_key(mention.name))
            if known:
                mention = Mention(type=known.type, name=known.name)
        self._entity(mention, candidate.category)

    def _name(self, candidate: NameCandidate) -> None:
        entity_id = self._entity(Mention(speaker=True), "identity", name=candidate.name)
        if self.statement.user_name is None and self.statement.speaker_id != entity_id:
            self.statement = replace(self.statement, speaker_id=entity_id)
            self.events.append(SpeakerNamed(session_id=self.statement.session_id, entity_id=entity_id))

    # --- attributes and relations ---

    def _attribute(self, candidate: AttributeCandidate, place: Place) -> None:
        entity_id = self._entity(candidate.entity, candidate.category)
        key = attribute_key(candidate.key)
        if self._is_doubtful(candidate, f"{key}: {candidate.value}", entity_id, key):
            return
        single_valued = self.known.single_valued(key)
        if key not in self.known.keys:
            self.known.keys[key] = single_valued
            self.events.append(AttributeKeyDefined(key=key, single_valued=single_valued))
        unit = (
            entity_id,
            line_key(key),
            unit_value(candidate.value, single_valued=single_valued, past=_is_past(candidate)),
        )
        fields = {"entity_id": entity_id, "key": key, "value": candidate.value, "single_valued": single_valued}
        known = self.known.attributes.get(unit, [])
        value = line_value(key, comparable(candidate.value))
        self._put(self.attributes.setdefault(unit, {}), known, candidate, place, value, fields)

    def _relation(self, candidate: RelationCandidate, place: Place) -> None:
        subject_id = self._entity(candidate.subject, candidate.category)
        object_id = self._entity(candidate.object, "knowledge")
        label = attribute_key(candidate.label)
        if self._is_doubtful(candidate, f"{label} {candidate.object.name}", subject_id, label):
            return
        unit = relation_unit(subject_id, label, object_id)
        fields = {
            "subject_id": subject_id,
            "label": label,
            "object_id": object_id,
            "functional": is_functional(label),
        }
        known = self.known.relations.get(unit, [])
        self._put(self.relations.setdefault(unit, {}), known, candidate, place, str(object_id), fields)

    def _is_doubtful(
        self, candidate: AttributeCandidate | RelationCandidate, words: str, entity_id: UUID, key: str
    ) -> bool:
        """Flag what can't be asserted; True if so."""
        if candidate.confidence < CONFIDENCE_FLOOR:
            self._flag(words, "low confidence", entity_id, key)
        elif candidate.polarity is Polarity.NEGATED:
            self._flag(f"not {words}", "negated", entity_id, key)
        else:
            return False
        return True

    def _put(
        self,
        words: dict[UUID, tuple[Said, dict[str, Any]]],
        known: Sequence[Said],
        candidate: AttributeCandidate | RelationCandidate,
        place: Place,
        value: str,
        fields: dict[str, Any],
    ) -> None:
        """Note new words about a unit, unless this turn already said them there."""
        said = self.statement.said(self._id("statement", place[2]), candidate, place, value)
        if any((one.place, one.value, one.ends) == (said.place, said.value, said.ends) for one in known):
            return
        words[said.id] = (
            said,
            {
                **fields,
                "category": candidate.category,
                "confidence": candidate.confidence,
                "source_kind": self.statement.source_kind,
                "turn_position": place[1],
                "offset": place[2],
                "start": said.start,
                "until": said.until,
                "precision": candidate.precision,
                "change": said.change,
                "repair": said.repair,
                "labels": self.statement.labels,
            },
        )

    def _reconcile(
        self,
        known: Sequence[Said],
        words: dict[UUID, tuple[Said, dict[str, Any]]],
        event_of: EventOf,
    ) -> None:
        """Append the difference that new words make to the line of their unit."""
        new = [said for said, _ in words.values()]
        for change in changes(known, new):
            segment = change.segment
            if change.before is None:
                said, fields = words[segment.id]
                self.events.append(event_of.statement(said, segment)(segment=segment, **fields))
                if segment.standing is Standing.CURRENT:
                    self._settle(fields)
            else:
                by_these_words = segment.superseded_by in words and segment.reason != "relinked"
                correction_id = self._id("correction") if by_these_words else None
                self.events.append(event_of.change(change, correction_id))
            if segment.standing in _UNCERTAIN and (change.before is None or change.before.standing != segment.standing):
                self._flag_unsettled(segment, words)

    def _settle(self, fields: dict[str, Any]) -> None:
        """A clear statement of a fact resolves what was in doubt about it."""
        fact = fields.get("entity_id") or fields["subject_id"], fields.get("key") or fields["label"]
        for uncertainty_id in self.known.doubts.pop(fact, []):
            self.events.append(UncertaintyResolved(uncertainty_id=uncertainty_id, how="stated"))

    def _flag_unsettled(self, segment: Segment, words: dict[UUID, tuple[Said, dict[str, Any]]]) -> None:
        """The uncertainty that a claim or an ending without a match leaves; it names the fact."""
        _, fields = words.get(segment.id) or next(iter(words.values()))
        owner = fields.get("entity_id") or fields["subject_id"]
        key = fields.get("key") or fields["label"]
        about = f"{key}: {fields['value']}" if "value" in fields else str(key)
        self._flag(about, _UNCERTAIN[segment.standing], owner, str(key))

    # --- actions, instructions, uncertainties ---

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
        self.known.supported.add(action_id)
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

    def _instruction(self, candidate: InstructionCandidate) -> None:
        directive = folded(candidate.description)
        if directive in self.known.directives_given:
            return
        self.known.directives_given.add(directive)
        instruction_id = self.known.directives.get(directive)
        if instruction_id:
            if self._supports_newly(instruction_id):
                self.events.append(InstructionReaffirmed(instruction_id=instruction_id))
            return
        asked = directive_of(candidate.description)
        for description, older_id in list(self.known.directives.items()):
            if asked.is_contrary_to(directive_of(description)):
                del self.known.directives[description]
                self.events.append(InstructionClosed(instruction_id=older_id, reason="withdrawn"))
        instruction_id = self.known.directives[directive] = self._id("instruction")
        self.known.supported.add(instruction_id)
        self.events.append(
            InstructionDetected(
                instruction_id=instruction_id,
                label=candidate.label,
                description=candidate.description,
                source_kind=self.statement.source_kind,
                labels=self.statement.labels,
            )
        )

    def _flag(self, about: str, reason: str, entity_id: UUID | None, key: str | None) -> None:
        if not self.known.note_flag(entity_id, about, reason):
            return
        self.events.append(
            UncertaintyFlagged(
                uncertainty_id=self._id("uncertainty"),
                about=about,
                reason=reason,
                entity_id=entity_id,
                key=key,
                labels=self.statement.labels,
            )
        )

    # --- support and ids ---

    def _supports_newly(self, subject_id: UUID) -> bool:
        """Whether this turn did not support it before; it does from now on."""
        newly = subject_id not in self.known.supported
        self.known.supported.add(subject_id)
        return newly

    def _id(self, kind: str, offset: int | None = None) -> UUID:
        """Unique: no two events have one position, and no two words of a turn one offset."""
        position = self.statement.next_position
        ordinal = str(position + len(self.events)) if offset is None else f"{position}.{offset}"
        return derived_id(self.statement.turn_id, kind, ordinal)


CONTRADICTION = "contradicts a source of higher rank"
_UNCERTAIN = {Standing.CLAIMED: CONTRADICTION, Standing.UNMATCHED: "ended, but not known"}
