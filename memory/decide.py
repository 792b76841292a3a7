"""Reconciliation: from what a turn says and what is known to the events that make them agree.

Pure and total: no clock, no I/O, no randomness, and no input raises. Deciding the same candidates
again over the outcome adds nothing, and their order within a turn does not matter.

- Whom the names mean is settled first (`memory.identities`), for all that the turn says.
- Words about a property or relation take their place in the line of their unit, whose rules are in
  `memory.timeline`; the events are the difference between the line before and after.
- What ends takes its kinds along: who no longer likes running no longer likes trail running.
- A contrary word of lower rank and an ending that matches nothing each leave an uncertainty. A later clear
  statement of the same fact settles what is in doubt about it (`memory.doubts`).
- A negation asserts nothing. Below the confidence floor nothing is asserted. Both are uncertainties.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from memory.candidates import (
    ActionCandidate,
    AliasCandidate,
    AnyCandidate,
    AttributeCandidate,
    EntityCandidate,
    InstructionCandidate,
    NameCandidate,
    Polarity,
    RelationCandidate,
    SeparationCandidate,
    UncertaintyCandidate,
)
from memory.cardinality import is_functional, keys_of_line, line_key, line_value
from memory.directives import directive as directive_of
from memory.doubts import CONTRADICTION, ENDED_UNKNOWN, Settling
from memory.draft import CONFIDENCE_FLOOR, Draft
from memory.events import (
    ActionReaffirmed,
    ActionRecorded,
    AttributeKeyDefined,
    Event,
    InstructionClosed,
    InstructionDetected,
    InstructionReaffirmed,
)
from memory.identities import Identities
from memory.known import EntityName, Known, Statement, Unit
from memory.line_changes import changes
from memory.line_events import ATTRIBUTE_EVENTS, RELATION_EVENTS, EventOf
from memory.segments import Place, Said, Segment, Standing
from memory.timeline import line
from memory.values import attribute_key, comparable, folded, is_kind_of, unit_value
from memory.wanted import actor_of, in_order, proposals, relation_unit, speaker_of

# New words about a unit by id, each with what its event tells beside its segment.
Words = dict[UUID, tuple[Said, dict[str, Any]]]


def decide(candidates: Sequence[AnyCandidate], known: Known, statement: Statement) -> list[Event]:
    """Events that make memory agree with the candidates; empty if it already does.

    `known` is brought up to date as a side effect of deciding, so pass a fresh one each time.
    """
    ordered = in_order(candidates)
    user = known.entity(statement.speaker_id) if statement.speaker_id else None
    speaker = speaker_of(ordered, statement, (user.type, user.name_key) if user else None)
    known.proposed = proposals(ordered)
    return _Decision(known, statement, speaker).decided(ordered)


def _in_force(placed: Mapping[UUID, Segment]) -> list[UUID]:
    """The version of a line in force, if one is."""
    return [one.id for one in placed.values() if one.standing is Standing.CURRENT and one.valid_until is None]


class _Decision:
    """One run of `decide`: the events so far and the knowledge they amount to."""

    def __init__(self, known: Known, statement: Statement, speaker: EntityName) -> None:
        self.known = known
        self.draft = Draft(known, statement)
        self.identities = Identities(self.draft, speaker)
        self.attributes: dict[Unit, Words] = {}
        self.relations: dict[Unit, Words] = {}

    def decided(self, candidates: Sequence[AnyCandidate]) -> list[Event]:
        # Whom the names mean comes first: it holds for all that the turn says.
        for candidate in candidates:
            match candidate:
                case NameCandidate():
                    self.identities.tell_name(candidate)
                case AliasCandidate():
                    self.identities.alias(candidate)
                case SeparationCandidate():
                    self.identities.separate(candidate)
                case _:
                    pass
        for ordinal, candidate in enumerate(candidates):
            place = self.draft.statement.place(candidate.start, ordinal)
            match candidate:
                case EntityCandidate():
                    self.identities.bare(candidate)
                case AttributeCandidate():
                    self._attribute(candidate, place)
                case RelationCandidate():
                    self._relation(candidate, place)
                case ActionCandidate():
                    self._action(candidate)
                case InstructionCandidate():
                    self._instruction(candidate)
                case UncertaintyCandidate(about=about, reason=reason, entity=entity, key=key):
                    entity_id = self.identities.entity(entity, "knowledge") if entity else None
                    self.draft.flag(about, reason, entity_id, key)
        for unit, words in self.attributes.items():
            self._reconcile(self.known.attributes.get(unit, []), words, ATTRIBUTE_EVENTS)
        for unit, words in self.relations.items():
            self._reconcile(self.known.relations.get(unit, []), words, RELATION_EVENTS)
        return self.draft.events

    # --- attributes and relations ---

    def _attribute(self, candidate: AttributeCandidate, place: Place) -> None:
        entity_id = self.identities.entity(candidate.entity, candidate.category)
        key = attribute_key(candidate.key)
        if self._is_doubtful(candidate, f"{key}: {candidate.value}", entity_id, key):
            return
        single_valued = self.known.single_valued(key)
        if key not in self.known.keys:
            self.known.keys[key] = single_valued
            self.draft.events.append(AttributeKeyDefined(key=key, single_valued=single_valued))
        fields = {"entity_id": entity_id, "key": key, "value": candidate.value, "single_valued": single_valued}
        unit = entity_id, line_key(key), unit_value(candidate.value, single_valued=single_valued)
        value = line_value(key, comparable(candidate.value))
        statement_id = self.draft.id("statement", place[2])
        said = self.draft.statement.said(statement_id, candidate, place, value, entity_id, candidate.value)
        kinds = self._kinds(unit, key, place) if said.ends and not single_valued else []
        for number, kind in enumerate(kinds, start=1):
            kind_id = self.draft.id(f"statement {number}", place[2])
            of_kind = replace(said, id=kind_id, value=line_value(key, kind[2]), spelt=kind[2])
            self._put(self.attributes, self.known.attributes, kind, of_kind, candidate, {**fields, "value": kind[2]})
        if not kinds or self._holds(unit, place, value):
            self._put(self.attributes, self.known.attributes, unit, said, candidate, fields)

    def _kinds(self, ended: Unit, key: str, place: Place) -> list[Unit]:
        """The units of what is in force and of the kind that has ended: trail running, when running has."""
        return sorted(
            unit
            for unit in self.known.attributes.keys() | self.attributes.keys()
            if unit[:2] == ended[:2]
            and is_kind_of(unit[2], ended[2])
            and self._holds(unit, place, line_value(key, unit[2]))
        )

    def _holds(self, unit: Unit, place: Place, value: str) -> bool:
        """Whether the value is in force after what was said before `place`."""
        new = [said for said, _ in self.attributes.get(unit, {}).values()]
        words = [one for one in (*self.known.attributes.get(unit, ()), *new) if one.place < place]
        placed = line(words)
        return any(one.value == value and one.id in _in_force(placed) for one in words)

    def _relation(self, candidate: RelationCandidate, place: Place) -> None:
        subject_id = self.identities.entity(candidate.subject, candidate.category)
        object_id = self.identities.entity(candidate.object, "knowledge")
        label = attribute_key(candidate.label)
        if self._is_doubtful(candidate, f"{label} {candidate.object.name}", subject_id, label):
            return
        fields = {
            "subject_id": subject_id,
            "label": label,
            "object_id": object_id,
            "functional": is_functional(label),
        }
        unit = relation_unit(subject_id, label, object_id)
        statement_id, target = self.draft.id("statement", place[2]), self.known.entity(object_id)
        name = target.name if target else ""
        said = self.draft.statement.said(statement_id, candidate, place, str(object_id), subject_id, name)
        self._put(self.relations, self.known.relations, unit, said, candidate, fields)

    def _is_doubtful(
        self, candidate: AttributeCandidate | RelationCandidate, words: str, entity_id: UUID, key: str
    ) -> bool:
        """Flag what can't be asserted; True if so."""
        if candidate.confidence < CONFIDENCE_FLOOR:
            self.draft.flag(words, "low confidence", entity_id, key)
        elif candidate.polarity is Polarity.NEGATED:
            self.draft.flag(f"not {words}", "negated", entity_id, key)
        else:
            return False
        return True

    def _put(
        self,
        new: dict[Unit, Words],
        known: Mapping[Unit, Sequence[Said]],
        unit: Unit,
        said: Said,
        candidate: AttributeCandidate | RelationCandidate,
        fields: dict[str, Any],
    ) -> None:
        """Note new words about a unit, unless this turn already said them there."""
        if any((one.place, one.value, one.ends) == (said.place, said.value, said.ends) for one in known.get(unit, ())):
            return
        words = new.setdefault(unit, {})
        words[said.id] = (
            said,
            {
                **fields,
                "category": candidate.category,
                "confidence": candidate.confidence,
                "source_kind": self.draft.statement.source_kind,
                "turn_position": said.place[1],
                "offset": said.place[2],
                "start": said.start,
                "until": said.until,
                "precision": candidate.precision,
                "change": said.change,
                "repair": said.repair,
                "labels": self.draft.statement.labels,
                "document_id": self.draft.statement.document_id,
            },
        )

    def _reconcile(
        self,
        known: Sequence[Said],
        words: Words,
        event_of: EventOf,
    ) -> None:
        """Append the difference that new words make to the line of their unit."""
        new = [said for said, _ in words.values()]
        for change in changes(known, new):
            segment = change.segment
            if change.before is None:
                said, fields = words[segment.id]
                self.draft.events.append(event_of.statement(said, segment)(segment=segment, **fields))
            else:
                by_these_words = segment.superseded_by in words and segment.reason != "relinked"
                correction_id = self.draft.id("correction") if by_these_words else None
                self.draft.events.append(event_of.change(change, correction_id))
            if segment.standing in _UNCERTAIN and (change.before is None or change.before.standing != segment.standing):
                self._flag_unsettled(segment, words, [*known, *new])
            if change.before and change.before.standing is Standing.UNMATCHED:
                self._settle_ended(segment, next(iter(words.values()))[1], [*known, *new])
        for said, fields in words.values():
            self._settle(said, fields, [*known, *new])

    def _flag_unsettled(self, segment: Segment, words: Words, line_words: Sequence[Said]) -> None:
        """The uncertainty that a claim or an ending without a match leaves; it names the fact and, of a property
        that sources disagree about, what is claimed and what is in force."""
        _, fields = words.get(segment.id) or next(iter(words.values()))
        owner, key = _fact(fields)
        meant = [segment.id] if segment.standing is not Standing.CLAIMED else [segment.id, *_in_force(line(line_words))]
        spelt = {one.id: one.spelt for one in line_words}
        self.draft.flag(
            f"{key}: {', against '.join(spelt[one] for one in meant)}", _UNCERTAIN[segment.standing], owner, key
        )

    def _settle(self, said: Said, fields: dict[str, Any], line_words: Sequence[Said]) -> None:
        """Resolve the open doubts about their fact that new words settle."""
        owner, key = _fact(fields)
        facts = [(owner, one) for one in keys_of_line(key) if self.known.doubts.get((owner, one))]
        if facts:
            only_value = fields["single_valued"] if "key" in fields else fields["functional"]
            settling = Settling(said, only_value, line_words, line(line_words))
            for fact in facts:
                self.draft.settle(*fact, settling.settles)

    def _settle_ended(self, ended: Segment, fields: dict[str, Any], line_words: Sequence[Said]) -> None:
        """Resolve that something ended which was not known, now that it is."""
        owner, key = _fact(fields)
        value = next(one.spelt for one in line_words if one.id == ended.id)
        for one in keys_of_line(key):
            self.draft.settle(owner, one, lambda doubt: doubt.reason == ENDED_UNKNOWN and doubt.names(value))

    # --- actions, instructions, uncertainties ---

    def _action(self, candidate: ActionCandidate) -> None:
        actor_id = self.identities.entity(actor_of(candidate, self.draft.statement), candidate.category)
        verb = attribute_key(candidate.verb)
        deed = (actor_id, verb, comparable(candidate.object or ""), candidate.occurred_at)
        action_id = self.known.deeds.get(deed)
        if action_id:
            if self.draft.supports_newly(action_id):
                self.draft.events.append(ActionReaffirmed(action_id=action_id))
            return
        action_id = self.known.deeds[deed] = self.draft.id("action")
        self.known.supported.add(action_id)
        self.draft.events.append(
            ActionRecorded(
                action_id=action_id,
                actor_id=actor_id,
                verb=verb,
                object=candidate.object,
                summary=candidate.summary,
                category=candidate.category,
                confidence=candidate.confidence,
                source_kind=self.draft.statement.source_kind,
                occurred_at=candidate.occurred_at,
                precision=candidate.precision,
                labels=self.draft.statement.labels,
            )
        )

    def _instruction(self, candidate: InstructionCandidate) -> None:
        directive = folded(candidate.description)
        if directive in self.known.directives_given:
            return
        self.known.directives_given.add(directive)
        instruction_id = self.known.directives.get(directive)
        if instruction_id:
            if self.draft.supports_newly(instruction_id):
                self.draft.events.append(InstructionReaffirmed(instruction_id=instruction_id))
            return
        asked = directive_of(candidate.description)
        for description, older_id in list(self.known.directives.items()):
            if asked.is_contrary_to(directive_of(description)):
                del self.known.directives[description]
                self.draft.events.append(InstructionClosed(instruction_id=older_id, reason="withdrawn"))
        instruction_id = self.known.directives[directive] = self.draft.id("instruction")
        self.known.supported.add(instruction_id)
        self.draft.events.append(
            InstructionDetected(
                instruction_id=instruction_id,
                label=candidate.label,
                description=candidate.description,
                source_kind=self.draft.statement.source_kind,
                labels=self.draft.statement.labels,
            )
        )


def _fact(fields: dict[str, Any]) -> tuple[UUID, str]:
    """(entity, key) of an attribute, (subject, label) of a relation."""
    return fields.get("entity_id") or fields["subject_id"], fields.get("key") or fields["label"]


_UNCERTAIN = {Standing.CLAIMED: CONTRADICTION, Standing.UNMATCHED: ENDED_UNKNOWN}
