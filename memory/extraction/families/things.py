"""Projects, products, tools and how named people and things relate."""

import re
from collections.abc import Iterator

from memory.candidates import SPEAKER, Mention
from memory.extraction.claims import Aspect, Claim
from memory.extraction.families.frames import is_passive, read_frames
from memory.extraction.families.relation_frames import RELATION_FRAMES
from memory.extraction.lexicon import LANGUAGES_OF_CODE, THING_KINDS, listed
from memory.extraction.phrases import Phrase, is_name, is_pointing, mention, name_around, value_of
from memory.extraction.stated_time import Tense
from memory.extraction.subjects import described, described_thing
from memory.extraction.turns import Reading, as_person

_TECHNICAL = {
    ("write", "in"): "written_in",
    ("rewrite", "in"): "written_in",
    ("build", "in"): "built_with",
    ("build", "with"): "built_with",
    ("build", "on"): "built_with",
    ("implement", "in"): "written_in",
    ("host", "on"): "hosted_on",
    ("deploy", "on"): "deployed_on",
    ("deploy", "to"): "deployed_on",
    ("run", "on"): "runs_on",
    ("base", "on"): "based_on",
}
_STATES = listed("live deprecated down archived launched released cancelled canceled blocked finished discontinued")
_SNAKE = re.compile(r"[^a-z0-9]+")

_USES = listed("use")


class Things:
    """Descriptions, technology and relations of what has a name; tools and skills of the speaker."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        for claim in read_frames(reading, RELATION_FRAMES):
            if claim.key == "acquired" and claim.subject.speaker:
                continue
            yield claim
        yield from self._status(reading)
        yield from self._due(reading)
        yield from self._technical(reading)
        yield from self._uses(reading)
        yield from self._stands_on(reading)
        yield from self._replaces(reading)
        yield from self._speaks(reading)
        yield from self._married(reading)
        yield from self._pair(reading)

    def _status(self, reading: Reading) -> Iterator[Claim]:
        """ "Harbor is down", "Harbor was archived last week"."""
        actor, head = reading.actor, reading.clause.head
        if actor is None or actor.speaker or actor.type == "person":
            return
        word = head if head.tag_ in ("VBN", "VBD") and is_passive(reading) else None
        if head.lemma_ == "be" and reading.clause.after:
            word = next(
                (other for other in reading.clause.after if other.tag_ != "RB" or other.lower_ in _STATES), None
            )
        if word is not None and word.lower_ in _STATES:
            yield Claim(
                subject=Mention(type=_thing_type(actor, ""), name=actor.name),
                key="status",
                value=word.text,
                start=reading.start,
                end=max(reading.end, int(word.idx + len(word))),
                category="context",
                aspect=Aspect.EVENT if reading.standing.tense is Tense.PAST else Aspect.STATE,
                confidence=0.85,
            )

    def _due(self, reading: Reading) -> Iterator[Claim]:
        """ "Atlas is due on June 1"."""
        actor, after = reading.actor, reading.clause.after
        if actor is None or actor.speaker or reading.lemma != "be" or not after or after[0].lower_ != "due":
            return
        for time in reading.times[:1]:
            text = reading.clause.sentence.text[time.span_start : time.span_end]
            yield Claim(
                subject=Mention(type=_thing_type(actor, ""), name=actor.name),
                key="deadline",
                value=" ".join(text.split()).removeprefix("on ").removeprefix("by "),
                start=reading.start,
                end=reading.end,
                category="context",
                aspect=Aspect.GIVEN,
                confidence=0.85,
            )

    def _technical(self, reading: Reading) -> Iterator[Claim]:
        """ "written in Go", of a clause of its own or behind a description."""
        key_of = {preposition: key for (verb, preposition), key in _TECHNICAL.items() if verb == reading.lemma}
        if not key_of or reading.clause.subject is None:
            return
        actor, kind = reading.actor, ""
        if actor is None or actor.speaker:
            actor, kind = reading.described(), _kind_word(reading)
        if actor is None:
            actor = described_thing(reading.clause.subject, plainly=True)
        if actor is None or actor.speaker or actor.type == "person":
            return
        subject = Mention(type=_thing_type(actor, kind), name=actor.name)
        if reading.lemma == "run" and reading.direct():
            return  # "runs Postgres 16 on Hetzner": what, rather than where
        participle = reading.clause.head.tag_ in ("VBN", "VBD") or reading.lemma == "run"
        for phrase in reading.phrases:
            if participle and phrase.preposition in key_of and is_name(phrase.words):
                # A participle tells a state that holds, though its form is the past's.
                yield self._claim(reading, subject, key_of[phrase.preposition], phrase, aspect=Aspect.PAST)
                return

    def _uses(self, reading: Reading) -> Iterator[Claim]:
        actor, subject_word = reading.actor, reading.clause.subject
        if reading.lemma not in _USES:
            return
        if actor is None and subject_word is not None:
            actor = described_thing(subject_word) or described(subject_word)
        if actor is None:
            return
        for phrase in reading.direct():
            if not is_name(phrase.words) and not _is_tool(reading, phrase, actor):
                continue
            served = next(
                (other for other in reading.phrases if other.preposition in ("for", "in") and is_name(other.words)),
                None,
            )
            if actor.speaker and served is not None and served.words[0].ent_type_ not in ("PERSON", "GPE", "DATE"):
                subject = mention(served.words, "project")
            else:
                plain = actor.speaker or actor.mine
                subject = actor if plain else Mention(type=_thing_type(actor, ""), name=actor.name)
            yield self._claim(reading, subject, "uses", phrase, confidence=0.85)

    def _stands_on(self, reading: Reading) -> Iterator[Claim]:
        """ "Our codebase is in TypeScript", "the staging db is on MySQL", "the web app deploys to Fly.io"."""
        subject = reading.clause.subject
        if subject is None or reading.lemma not in ("be", "deploy") or is_passive(reading):
            return
        actor = reading.actor
        thing = described_thing(subject, plainly=True) or described(subject) if actor is None else actor
        if thing is None or thing.speaker or thing.type in ("person", "location"):
            return
        for phrase in reading.phrases[:1]:
            named = is_name(phrase.words) and phrase.words[0].ent_type_ not in ("GPE", "LOC", "DATE", "TIME", "FAC")
            key = {"in": "written_in", "on": "runs_on", "to": "deployed_on"}.get(phrase.preposition, "")
            if key == "written_in" and phrase.words[0].lower_ not in LANGUAGES_OF_CODE:
                return
            if named and key and (key == "deployed_on") == (reading.lemma == "deploy"):
                kind = thing if actor is None else Mention(type=_thing_type(actor, ""), name=actor.name)
                yield self._claim(reading, kind, key, phrase, confidence=0.85)

    def _replaces(self, reading: Reading) -> Iterator[Claim]:
        """ "Ledger replaces the old Tally service"."""
        actor = reading.actor
        if (
            reading.lemma != "replace"
            or actor is None
            or actor.speaker
            or actor.type == "person"
            or is_passive(reading)
        ):
            return
        for phrase in reading.direct()[:1]:
            words = [word for word in phrase.words if word.text[:1].isupper()]
            if words and is_name(words):
                yield Claim(
                    subject=Mention(type=_thing_type(actor, ""), name=actor.name),
                    key="replaces",
                    value=mention(words, "project"),
                    start=reading.start,
                    end=max(reading.end, phrase.end),
                    category="knowledge",
                    aspect=Aspect.PAST,
                    confidence=0.85,
                )

    def _speaks(self, reading: Reading) -> Iterator[Claim]:
        """Languages: "I speak French and Dutch", "I'm learning Italian"."""
        key = {"speak": "speaks", "learn": "learning", "study": "learning"}.get(reading.lemma)
        if key is None or reading.actor is None:
            return
        for phrase in reading.direct():
            if is_name(phrase.words[-1:]) and phrase.words[0].lower_ in ("little", "bit", "basic", "some", "fluent"):
                phrase = Phrase(phrase.words[-1:])
            if not is_name(phrase.words) or is_pointing(phrase.words):
                continue
            subject = as_person(reading.actor)
            yield self._claim(reading, subject, key, phrase, confidence=0.9)

    def _pair(self, reading: Reading) -> Iterator[Claim]:
        """ "Ilse and I divorced", "Ilse and I got married"."""
        subject = reading.clause.subject
        lowered = [word.lower_ for word in reading.clause.own]
        ended = reading.lemma in ("divorce", "separate") or "divorced" in lowered
        if subject is None or not reading.actor or not reading.actor.speaker:
            return
        if not (ended or reading.lemma == "marry" or "married" in lowered):
            return
        direct = [phrase.words for phrase in reading.direct()] if reading.lemma == "divorce" else []
        others = [
            *(name_around(word) for word in (subject, *subject.conjuncts) if word.i < reading.clause.head.i),
            *direct,
        ]
        for name in others:
            if name and is_name(name):
                yield Claim(
                    subject=SPEAKER,
                    key="married_to",
                    value=mention(name, "person"),
                    start=reading.start,
                    end=reading.end,
                    category="identity",
                    aspect=Aspect.END
                    if ended
                    else Aspect.EVENT
                    if reading.standing.tense is Tense.PAST
                    else Aspect.STATE,
                )

    def _married(self, reading: Reading) -> Iterator[Claim]:
        lowered = [word.lower_ for word in reading.clause.after[:3]]
        if reading.actor is None or not (reading.lemma == "marry" or (reading.lemma == "be" and "married" in lowered)):
            return
        for phrase in reading.phrases:
            if phrase.preposition == "to" and is_name(phrase.words):
                yield Claim(
                    subject=as_person(reading.actor),
                    key="married_to",
                    value=mention(phrase.words, "person"),
                    start=reading.start,
                    end=reading.end,
                    category="identity",
                )

    def _claim(
        self,
        reading: Reading,
        subject: Mention,
        key: str,
        phrase: Phrase,
        *,
        confidence: float = 0.95,
        aspect: Aspect = Aspect.STATE,
    ) -> Claim:
        return Claim(
            subject=subject,
            key=key,
            value=value_of(phrase.words),
            start=reading.start,
            end=max(reading.end, phrase.end),
            category="knowledge",
            aspect=aspect,
            confidence=confidence,
        )


def _is_tool(reading: Reading, phrase: Phrase, user: Mention) -> bool:
    """ "I use vim", "the repo uses pnpm": one bare noun, used by somebody who speaks of it as of a name."""
    word = phrase.words[0]
    bare = (len(phrase.words) == 1 and word.i == reading.clause.head.i + 1) or phrase.listed
    if not bare or len(phrase.words) > 1 or is_pointing(phrase.words) or not word.is_alpha:
        return False
    return word.tag_ in ("NN", "NNP", "JJ", "JJS", "FW", "NNS") and (
        not user.speaker or word.tag_ in ("NN", "NNP", "FW")
    )


def _thing_type(actor: Mention, kind: str) -> str:
    return kind or (actor.type if actor.type in ("product", "organisation") else "project")


def _kind_word(reading: Reading) -> str:
    described = reading.clause.subject
    return THING_KINDS.get(described.lemma_.lower(), "") if described is not None else ""
