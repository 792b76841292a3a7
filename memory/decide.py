"""Reconciliation: from what a turn says and what is known to the events that make them agree.

Pure and total: no clock, no I/O, no randomness, and no input raises. Deciding the same candidates
again over the outcome adds nothing, and their order within a turn does not matter.

- Whom the names mean is settled first (`memory.identities`), for all that the turn says.
- Words about a property or relation take their place in the line of their unit (`memory.facts`), whose rules are in
  `memory.timeline`.
- A contrary word of lower rank and an ending that matches nothing each leave an uncertainty. A later clear
  statement of the same fact settles what is in doubt about it (`memory.doubts`).
- A negation asserts nothing. Below the confidence floor nothing is asserted. Both are uncertainties.
"""

from collections.abc import Sequence

from memory.candidates import (
    ActionCandidate,
    AliasCandidate,
    AnyCandidate,
    AttributeCandidate,
    EntityCandidate,
    InstructionCandidate,
    NameCandidate,
    RelationCandidate,
    SeparationCandidate,
    UncertaintyCandidate,
)
from memory.directives import directive as directive_of
from memory.draft import Draft
from memory.events import (
    ActionReaffirmed,
    ActionRecorded,
    Event,
    InstructionClosed,
    InstructionDetected,
    InstructionReaffirmed,
)
from memory.facts import Facts
from memory.identities import Identities
from memory.known import EntityName, Known, Statement
from memory.values import attribute_key, comparable, folded
from memory.wanted import actor_of, in_order, proposals, speaker_of


def decide(candidates: Sequence[AnyCandidate], known: Known, statement: Statement) -> list[Event]:
    """Events that make memory agree with the candidates; empty if it already does.

    `known` is brought up to date as a side effect of deciding, so pass a fresh one each time.
    """
    ordered = in_order(candidates)
    user = known.entity(statement.speaker_id) if statement.speaker_id else None
    speaker = speaker_of(ordered, statement, (user.type, user.name_key) if user else None)
    known.proposed = proposals(ordered)
    return _Decision(known, statement, speaker).decided(ordered)


class _Decision:
    """One run of `decide`: the events so far and the knowledge they amount to."""

    def __init__(self, known: Known, statement: Statement, speaker: EntityName) -> None:
        self.known = known
        self.draft = Draft(known, statement)
        self.identities = Identities(self.draft, speaker)
        self.facts = Facts(self.draft, self.identities)

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
                    self.facts.attribute(candidate, place)
                case RelationCandidate():
                    self.facts.relation(candidate, place)
                case ActionCandidate():
                    self._action(candidate)
                case InstructionCandidate():
                    self._instruction(candidate)
                case UncertaintyCandidate(about=about, reason=reason, entity=entity, key=key):
                    entity_id = self.identities.entity(entity, "knowledge") if entity else None
                    self.draft.flag(about, reason, entity_id, key)
        self.facts.reconcile()
        return self.draft.events

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
