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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from memory.candidates import (
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
)
from memory.line_events import ATTRIBUTE_EVENTS, RELATION_EVENTS, EventOf
from memory.timeline import Place, Said, Segment, Standing, changes, line
from memory.values import attribute_key, comparable, derived_id, folded, name_key, unit_value
from memory.wanted import SURE_OF_TYPE, in_order, readings, relation_unit, resolver, speaker_of

CONFIDENCE_FLOOR = 0.7


def decide(candidates: Sequence[AnyCandidate], known: Known, statement: Statement) -> list[Event]:
    """Events that make memory agree with the candidates; empty if it already does.

    `known` is brought up to date as a side effect of deciding, so pass a fresh one each time.
    """
    ordered = in_order(candidates)
    session_user = known.entity(statement.speaker_id) if statement.speaker_id else None
    speaker = speaker_of(ordered, statement, session_user.name if session_user else None)
    return _Decision(known, statement, speaker).decided(ordered)


def _ends_something(words: Sequence[Said], place: Place, value: str) -> bool:
    """Whether the value is in force after `words`, or this very place already ended it."""
    if any((one.place, one.value, one.ends) == (place, value, True) for one in words):
        return True
    placed = line(words)
    return any(
        one.value == value and placed[one.id].standing is Standing.CURRENT and placed[one.id].valid_until is None
        for one in words
    )


class _Decision:
    """One run of `decide`: the events so far and the knowledge they amount to."""

    def __init__(self, known: Known, statement: Statement, speaker: EntityName) -> None:
        self.known = known
        self.statement = statement
        self.resolve = resolver(speaker)
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
        value = line_value(key, comparable(candidate.value))
        fields = {"entity_id": entity_id, "key": key, "value": candidate.value, "single_valued": single_valued}

        def unit(past: bool) -> Unit:
            return entity_id, line_key(key), unit_value(candidate.value, single_valued=single_valued, past=past)

        self._put(self.attributes, self.known.attributes, unit, candidate, place, value, fields)

    def _relation(self, candidate: RelationCandidate, place: Place) -> None:
        subject_id = self._entity(candidate.subject, candidate.category)
        object_id = self._entity(candidate.object, "knowledge")
        label = attribute_key(candidate.label)
        if self._is_doubtful(candidate, f"{label} {candidate.object.name}", subject_id, label):
            return
        fields = {
            "subject_id": subject_id,
            "label": label,
            "object_id": object_id,
            "functional": is_functional(label),
        }

        def unit(past: bool) -> Unit:
            return relation_unit(subject_id, label, object_id, past=past)

        self._put(self.relations, self.known.relations, unit, candidate, place, str(object_id), fields)

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
        new: dict[Unit, dict[UUID, tuple[Said, dict[str, Any]]]],
        known: Mapping[Unit, Sequence[Said]],
        unit_of: Callable[[bool], Unit],
        candidate: AttributeCandidate | RelationCandidate,
        place: Place,
        value: str,
        fields: dict[str, Any],
    ) -> None:
        """Note new words about a unit, unless this turn already said them there."""
        *present, past = readings(candidate)
        if present and _ends_something(known.get(unit_of(False), ()), place, value):
            past = False
        unit = unit_of(past)
        said = self.statement.said(self._id("statement", place[2]), candidate, place, value, past=past)
        if any((one.place, one.value, one.ends) == (said.place, said.value, said.ends) for one in known.get(unit, ())):
            return
        words = new.setdefault(unit, {})
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
                precision=candidate.precision,
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
