"""The facts of one decision: what a turn says about properties and relations, and what that changes.

Words about a fact take their place in the line of their unit; the events are the difference between the line before
and after. An ending takes the kinds of what ended along (`memory.kinds`). The same words may be read as the end of
one fact or of another ("not with Vodafone any more"): of these, those that match nothing leave no doubt where another
one does.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from memory.candidates import AttributeCandidate, Polarity, RelationCandidate
from memory.cardinality import is_functional, keys_of_line, line_key, line_value
from memory.doubts import CONTRADICTION, ENDED_UNKNOWN, Settling
from memory.draft import CONFIDENCE_FLOOR, Draft
from memory.events import AttributeKeyDefined
from memory.identities import Identities
from memory.kinds import endings_for
from memory.known import Unit, is_withdrawal
from memory.line_changes import changes
from memory.line_events import ATTRIBUTE_EVENTS, RELATION_EVENTS, EventOf
from memory.segments import Place, Said, Segment, Standing, borrowed_id
from memory.timeline import line
from memory.values import attribute_key, comparable, folded, unit_value
from memory.wanted import relation_unit

# New words about a unit by id, each with what its event tells beside its segment.
Words = dict[UUID, tuple[Said, dict[str, Any]]]

# What an ending means, whatever fact it was read to be the end of: of whom, where in the turn, which value.
Meant = tuple[UUID, int, str]

_UNCERTAIN = {Standing.CLAIMED: CONTRADICTION, Standing.UNMATCHED: ENDED_UNKNOWN}


class Facts:
    """Gathers the words of a turn, then reconciles them."""

    def __init__(self, draft: Draft, identities: Identities) -> None:
        self.draft = draft
        self.known = draft.known
        self.identities = identities
        self.attributes: dict[Unit, Words] = {}
        self.relations: dict[Unit, Words] = {}
        self.endings: dict[UUID, Meant] = {}
        self.matched: set[Meant] = set()
        self.unmatched: list[tuple[Meant, UUID, str, str]] = []  # with the fact and the value

    def attribute(self, candidate: AttributeCandidate, place: Place) -> None:
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
        self._put(self.attributes, self.known.attributes, unit, said, candidate, fields)

    def relation(self, candidate: RelationCandidate, place: Place) -> None:
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

    def reconcile(self) -> None:
        """Append what the gathered words change."""
        said = {unit: [one for one, _ in words.values()] for unit, words in self.attributes.items()}
        kinds: list[Unit] = []
        if self.endings:
            kinds = sorted(unit for unit in self.known.attributes if unit not in said and endings_for(unit, said))
        for unit in (*said, *kinds):
            known, words = self.known.attributes.get(unit, []), self.attributes.get(unit, {})
            self._reconcile(unit, known, words, endings_for(unit, said), ATTRIBUTE_EVENTS)
        for unit, words in self.relations.items():
            self._reconcile(unit, self.known.relations.get(unit, []), words, [], RELATION_EVENTS)
        for meant, owner_id, key, value in self.unmatched:
            if meant not in self.matched:
                self.draft.flag(f"{key}: {value}", ENDED_UNKNOWN, owner_id, key)

    def _is_doubtful(
        self, candidate: AttributeCandidate | RelationCandidate, words: str, entity_id: UUID, key: str
    ) -> bool:
        """Flag what can't be asserted; True if so."""
        if candidate.confidence < CONFIDENCE_FLOOR:
            self.draft.flag(words, "low confidence", entity_id, key)
        elif candidate.polarity is Polarity.NEGATED and not is_withdrawal(candidate):
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
        if said.ends:
            meant = unit[0], candidate.start, folded(said.spelt)
            self.endings |= {said.id: meant, borrowed_id(said.id): meant}
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
        self, unit: Unit, known: Sequence[Said], words: Words, borrowed: Sequence[Said], event_of: EventOf
    ) -> None:
        """Append the difference that new words make to the line of their unit. borrowed: endings of wider values."""
        new = [*(said for said, _ in words.values()), *borrowed]
        every = [*known, *new]
        for change in changes(known, new):
            segment, before = change.segment, change.before
            if before is None:
                said, fields = words[segment.id]
                self.draft.events.append(event_of.statement(said, segment)(segment=segment, **fields))
            else:
                by_these_words = segment.superseded_by in words and segment.reason != "relinked"
                correction_id = self.draft.id("correction") if by_these_words else None
                self.draft.events.append(event_of.change(change, correction_id))
            # Where words only take back what is said no more, nothing is in doubt.
            withdraws = segment.id in words and words[segment.id][0].withdraws
            newly = before is None or before.standing != segment.standing
            if segment.standing in _UNCERTAIN and newly and not withdraws:
                self._note_unsettled(unit, segment, words, every)
            if before is not None and before.standing is Standing.UNMATCHED:
                self._settle_ended(unit, next(one.spelt for one in every if one.id == segment.id))
        self._note_matches(unit, every)
        for said, fields in words.values():
            self._settle(unit, said, fields, every)

    def _note_unsettled(self, unit: Unit, segment: Segment, words: Words, every: Sequence[Said]) -> None:
        """The uncertainty that a claim or an ending without a match leaves; it names the fact and, where sources
        disagree, what is claimed and what is in force."""
        _, fields = words.get(segment.id, (None, {}))
        key = fields.get("key", unit[1])
        spelt = {one.id: one.spelt for one in every}
        if segment.id in self.endings and segment.standing is Standing.UNMATCHED:
            self.unmatched.append((self.endings[segment.id], unit[0], key, spelt[segment.id]))
            return
        meant = [segment.id] if segment.standing is not Standing.CLAIMED else [segment.id, *_in_force(line(every))]
        values = ", against ".join(spelt[one] for one in meant)
        self.draft.flag(f"{key}: {values}", _UNCERTAIN[segment.standing], unit[0], key)

    def _note_matches(self, unit: Unit, every: Sequence[Said]) -> None:
        """Note which endings of this turn ended something, and settle that one was not known which meets a kind now."""
        asked = [one for one in every if one.id in self.endings or one.borrowed]
        placed = line(every, tacit=True) if asked else {}
        for one in asked:
            standing = placed[one.id].standing
            if standing is Standing.ENDING or (standing is Standing.SUPPORTING and not one.borrowed):
                if one.id in self.endings:
                    self.matched.add(self.endings[one.id])
                else:
                    self._settle_ended(unit, one.spelt)

    def _settle(self, unit: Unit, said: Said, fields: dict[str, Any], every: Sequence[Said]) -> None:
        """Resolve the open doubts about their fact that new words settle."""
        facts = [(unit[0], one) for one in keys_of_line(unit[1]) if self.known.doubts.get((unit[0], one))]
        if facts:
            only_value = fields["single_valued"] if "key" in fields else fields["functional"]
            settling = Settling(said, only_value, every, line(every))
            for fact in facts:
                self.draft.settle(*fact, settling.settles)

    def _settle_ended(self, unit: Unit, value: str) -> None:
        """Resolve that something ended which was not known, now that it is."""
        for key in keys_of_line(unit[1]):
            self.draft.settle(unit[0], key, lambda doubt: doubt.reason == ENDED_UNKNOWN and doubt.names(value))


def _in_force(placed: Mapping[UUID, Segment]) -> list[UUID]:
    """The version of a line in force, if one is."""
    return [one.id for one in placed.values() if one.standing is Standing.CURRENT and one.valid_until is None]
