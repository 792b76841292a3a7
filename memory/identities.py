"""Who is who: which entity a name means, when two names mean one, and who "I" is.

- An entity is created at its first mention in a scope set and matched by type and name afterwards, or by
  another of its names.
- "Kat is short for Katherine": a new name becomes another name of the entity. If both were known, they are
  merged: all that was said of the one counts as said of the other, and the lines of their facts are
  worked out anew. A separation gives back exactly what was said under the names that leave.
- "I'm Alice": the scope's user, who is known by the scope, gets another name. Otherwise the session's "I" is
  Alice from now on, and so is whoever it meant before, as far as this session said it.
- Names that only look alike are never made one. Where a nickname is likely, a question is left open.
"""

from collections.abc import Collection
from dataclasses import replace
from uuid import UUID

from msgspec import structs

from memory.candidates import (
    SPEAKER,
    AliasCandidate,
    EntityCandidate,
    MemoryCategory,
    Mention,
    NameCandidate,
    SeparationCandidate,
)
from memory.cardinality import line_key
from memory.doubts import CONTRADICTION, Doubt
from memory.draft import CONFIDENCE_FLOOR, Draft
from memory.events import (
    EntitiesMerged,
    EntitiesSeparated,
    EntityAliased,
    EntityMentioned,
    EntityRecognised,
    SpeakerNamed,
)
from memory.known import EntityName, KnownEntity, Unit
from memory.line_changes import Change
from memory.line_events import ATTRIBUTE_EVENTS, RELATION_EVENTS, EventOf
from memory.nicknames import may_be_one
from memory.regrouping import IsConcerned, Regrouping, regroup
from memory.segments import Said, Standing
from memory.timeline import line
from memory.values import SourceKind, name_key
from memory.wanted import SURE_OF_TYPE, UNNAMED_USER, called_by, resolver, told_name, unnamed_speaker

SAME_AS = "same_as"  # the key of a doubt whether two names mean one
ALIKE = "may be the same as another"
UNSURE_NAME = "not sure enough to be one"


class Identities:
    """The entities of one decision."""

    def __init__(self, draft: Draft, speaker: EntityName) -> None:
        self.draft = draft
        self.known = draft.known
        self.speaker = speaker
        self.resolve = resolver(speaker)

    def entity(
        self, mention: Mention, category: MemoryCategory, *, name: str | None = None, besides: EntityName | None = None
    ) -> UUID:
        """The id of the mentioned entity, recognised now if it was not known.

        name: how it is spelt. besides: a name that is about to become another one of it.
        """
        kind, key = self.resolve(mention)
        entity = self.known.entities.get((kind, key))
        if entity is None:
            entity = self._recognised(kind, key, name or self._spelt(mention, key), mention, category)
            if kind == "person" and key != UNNAMED_USER:
                self._ask_about_alike(entity, besides)
        elif self.draft.supports_newly(entity.entity_id):
            self.draft.events.append(EntityMentioned(entity_id=entity.entity_id))
        return entity.entity_id

    def bare(self, candidate: EntityCandidate) -> None:
        """A bare mention. Where its type is only guessed, an entity of that name of any type is meant."""
        mention = candidate.entity
        if candidate.confidence < SURE_OF_TYPE:
            known = self.known.entity_of_name(name_key(mention.name))
            if known:
                mention = Mention(type=known.type, name=known.name)
        self.entity(mention, candidate.category)

    def _spelt(self, mention: Mention, key: str) -> str:
        if mention.mine:
            return key.replace("_", " ")
        statement = self.draft.statement
        return mention.name or statement.user_name or statement.principal_name or key

    def _recognised(self, kind: str, key: str, shown: str, mention: Mention, category: MemoryCategory) -> KnownEntity:
        entity = KnownEntity(self.draft.id("entity"), kind, shown, key)
        self.known.entities[kind, key] = entity
        self.known.supported.add(entity.entity_id)
        self.draft.events.append(
            EntityRecognised(
                entity_id=entity.entity_id,
                type=kind,
                name=shown,
                name_key=key,
                category="identity" if mention.speaker else category,
                is_new=(kind, key) not in self.known.visible_names,
            )
        )
        return entity

    def _ask_about_alike(self, entity: KnownEntity, besides: EntityName | None) -> None:
        """Leave a question for each known person whose name may mean the same as a new one's."""
        persons = {one.entity_id: one for (kind, _), one in self.known.entities.items() if kind == "person"}
        persons = self.known.alike | persons
        for other in sorted(persons.values(), key=lambda one: one.name_key):
            if other.entity_id == entity.entity_id or (other.type, other.name_key) == besides:
                continue
            if may_be_one(entity.name_key, other.name_key):
                self.draft.flag(f"{entity.name}: perhaps {other.name}", ALIKE, entity.entity_id, SAME_AS)

    # --- names ---

    def tell_name(self, candidate: NameCandidate) -> None:
        """The speaker tells their own name."""
        statement = self.draft.statement
        told = told_name([candidate], statement)
        if told is None:
            return
        speaker = Mention(type="person", name=told)
        if ("person", name_key(told)) == self.speaker:
            entity_id = self.entity(SPEAKER, "identity", name=told)
        else:
            entity_id = self._one_with(SPEAKER, speaker, "identity")
        if statement.user_name is not None or statement.speaker_id == entity_id:
            return
        former = self.known.entities.get(unnamed_speaker(statement)) if statement.speaker_id is None else None
        event = SpeakerNamed(session_id=statement.session_id, entity_id=entity_id)
        if former and former.entity_id == entity_id:
            former = None
        relatives = self._relatives(unnamed_speaker(statement)[1], former) if statement.speaker_id is None else ()
        if former or relatives:
            event = structs.replace(event, former_id=former.entity_id if former else None, relatives=relatives)
            self._regroup(event, self.known.belongings.in_session.__contains__)
        else:
            self.draft.events.append(event)
        self.draft.statement = replace(statement, speaker_id=entity_id)

    def _relatives(self, unnamed: str, former: KnownEntity | None) -> tuple[tuple[UUID, UUID], ...]:
        """Whom this session called by what they are to its unnamed user is called so of the named one from now on.

        Returns (before, now) of those without a name of their own; the others get another name.
        """
        begin, found = called_by(unnamed, ""), []
        if unnamed == self.speaker[1]:
            return ()
        for (kind, key), entity in sorted(self.known.entities.items()):
            name = kind, called_by(self.speaker[1], key.removeprefix(begin))
            if not key.startswith(begin) or name in self.known.entities:
                continue
            mention = Mention(type=kind, name=key.removeprefix(begin), mine=True)
            if (kind, key) not in self.known.name_ids:
                if self._is_told_of(entity.entity_id):
                    found.append((entity.entity_id, self.entity(mention, "identity")))
            elif former and self._is_held_to_be(former.entity_id, key.removeprefix(begin), entity):
                self._alias(mention, entity, "identity")
        return tuple(found)

    def _is_told_of(self, entity_id: UUID) -> bool:
        """Whether this session said anything of an entity."""
        lines = [*self.known.attributes.items(), *self.known.relations.items()]
        in_session = self.known.belongings.in_session
        return any(unit[0] == entity_id and said.id in in_session for unit, words in lines for said in words)

    def _is_held_to_be(self, owner_id: UUID, what: str, entity: KnownEntity) -> bool:
        """Whether this session said that an entity is somebody's sister."""
        in_session = self.known.belongings.in_session
        return any(
            unit[:2] == (owner_id, line_key(what)) and said.id in in_session and name_key(said.value) == entity.name_key
            for unit, words in self.known.attributes.items()
            for said in words
        )

    def alias(self, candidate: AliasCandidate) -> None:
        """Two names are said to mean one."""
        mention, also = candidate.entity, candidate.name
        if (mention.mine and not also.mine) or self.resolve(also) == self.speaker:
            mention, also = also, mention  # whoever speaks, and whoever has a name of their own, keeps it
        entity, name = self.resolve(mention), self.resolve(also)
        holder, other = self.known.entities.get(entity), self.known.entities.get(name)
        if entity == name or (holder and other and holder.entity_id == other.entity_id):
            return
        if also.mine and entity == self.speaker:
            return  # nobody is their own sister
        if candidate.confidence < CONFIDENCE_FLOOR or self.draft.statement.source_kind.rank < SourceKind.USER.rank:
            about = f"{self._spelt(also, name[1])}: perhaps {self._spelt(mention, entity[1])}"
            self.draft.flag(about, UNSURE_NAME, self.entity(mention, candidate.category), SAME_AS)
            return
        self._one_with(mention, also, candidate.category)

    def separate(self, candidate: SeparationCandidate) -> None:
        """A name is said to mean somebody or something else than it was taken for."""
        name = self.resolve(candidate.name)
        name_id, entity = self.known.name_ids.get(name), self.known.entities.get(name)
        if name_id is None or entity is None or self.draft.statement.source_kind.rank < SourceKind.USER.rank:
            return
        members = self._standing_for(name_id)
        self._regroup(EntitiesSeparated(entity_id=name_id, from_id=entity.entity_id, members=members), lambda _: True)
        alone = KnownEntity(name_id, name[0], self._spelt(candidate.name, name[1]), name[1])
        self.known.name_ids.pop(name)
        self.known.belongings.stands_for.pop(name_id, None)
        own = {name_id, *members}
        for other in [other for other, one_id in self.known.name_ids.items() if one_id in own]:
            self.known.entities[other] = alone
        self.known.entities[name] = alone
        self._settle_contradictions((name_id, entity.entity_id))

    def _one_with(self, mention: Mention, also: Mention, category: MemoryCategory) -> UUID:
        """Make `also` another name of the mentioned entity. Returns its id."""
        name = self.resolve(also)
        entity_id = self.entity(mention, category, besides=name)
        other = self.known.entities.get(name)
        into = self.known.entities[self.resolve(mention)]
        if other is None:
            self._alias(also, into, category)
        elif other.entity_id == entity_id:
            return entity_id
        elif name in self.known.name_ids and self.draft.statement.source_kind.rank < SourceKind.UPSERT.rank:
            # Another name of somebody else: two may go by it, so only an operator makes them one. That one has two
            # sisters is no doubt about either.
            if not also.mine:
                about = f"{self._spelt(also, name[1])}: {other.name}, or perhaps {into.name}"
                self.draft.flag(about, UNSURE_NAME, entity_id, None)
            return entity_id
        else:
            # Known from this turn's time on, should it be earlier than what was told of it.
            if self.draft.supports_newly(other.entity_id):
                self.draft.events.append(EntityMentioned(entity_id=other.entity_id))
            self.draft.settle(other.entity_id, SAME_AS)
            members = self._standing_for(other.entity_id)
            self._regroup(EntitiesMerged(entity_id=other.entity_id, into_id=entity_id, members=members), lambda _: True)
            for one in [one for one, entity in self.known.entities.items() if entity.entity_id == other.entity_id]:
                self.known.entities[one] = into
            self._stand_for((other.type, other.name_key), other.entity_id, into)
        self.draft.settle(entity_id, SAME_AS)
        return entity_id

    def _alias(self, also: Mention, into: KnownEntity, category: MemoryCategory) -> None:
        """Give an entity another, unknown name."""
        name, alias_id = self.resolve(also), self.draft.id("name")
        self.draft.events.append(
            EntityAliased(
                alias_id=alias_id,
                entity_id=into.entity_id,
                type=name[0],
                name=self._spelt(also, name[1]),
                name_key=name[1],
                category=category,
            )
        )
        self._stand_for(name, alias_id, into)

    def _stand_for(self, name: EntityName, name_id: UUID, into: KnownEntity) -> None:
        self.known.entities[name] = into
        self.known.name_ids[name] = name_id
        self.known.belongings.stands_for[name_id] = into.entity_id

    def _standing_for(self, entity_id: UUID) -> tuple[UUID, ...]:
        """The names that stand for an entity or name, directly or through others."""
        stands_for = self.known.belongings.stands_for
        found: set[UUID] = set()
        new = {entity_id}
        while new:
            new = {one for one, other in stands_for.items() if other in new} - found
            found |= new
        return tuple(sorted(found))

    # --- what a regrouping changes ---

    def _regroup(self, event: Regrouping, is_concerned: IsConcerned) -> None:
        """Append the event with what it moves, and what it changes in the lines of units."""
        known = self.known
        outcome = regroup(known, event, self.draft.statement.said_at, is_concerned)
        self.draft.events.append(structs.replace(event, moved=outcome.moved))
        holders = {one.id: one.entity_id for one in known.belongings.uncertainties}
        moved: dict[tuple[UUID, str], list[Doubt]] = {}
        for (entity_id, key), doubts in known.doubts.items():
            for doubt in doubts:
                moved.setdefault((holders.get(doubt.id, entity_id), key), []).append(doubt)
        known.doubts = moved
        self._changes(outcome.attribute_changes, ATTRIBUTE_EVENTS, known.attributes)
        self._changes(outcome.relation_changes, RELATION_EVENTS, known.relations)

    def _changes(self, changes: list[Change], event_of: EventOf, lines: dict[Unit, list[Said]]) -> None:
        units = {said.id: (unit, said) for unit, words in lines.items() for said in words} if changes else {}
        for change in changes:
            before, after = change.before, change.segment
            assert before is not None, "a regrouping brings no new words"
            superseded = after.superseded_by is not None and after.superseded_by != before.superseded_by
            correction_id = self.draft.id("correction") if superseded and after.reason != "relinked" else None
            self.draft.events.append(event_of.change(change, correction_id))
            if after.standing is Standing.CLAIMED is not before.standing:
                (entity_id, key, _), said = units[after.id]
                self.draft.flag(f"{key}: {said.value}", CONTRADICTION, entity_id, key)

    def _settle_contradictions(self, entity_ids: Collection[UUID]) -> None:
        """Resolve the doubts that only a merge had raised: of facts of which nothing is a mere claim any more."""
        known = self.known
        claimed = {
            (entity_id, key)
            for lines in (known.attributes, known.relations)
            for (entity_id, key, _), words in lines.items()
            if entity_id in entity_ids
            if any(segment.standing is Standing.CLAIMED for segment in line(words).values())
        }
        for entity_id, key in sorted(known.doubts):
            if entity_id in entity_ids and (entity_id, line_key(key)) not in claimed:
                self.draft.settle(entity_id, key, lambda doubt: doubt.reason == CONTRADICTION, how="separated")
