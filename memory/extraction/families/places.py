"""Where people live, come from and move to."""

from collections.abc import Iterator
from functools import partial

from memory.candidates import Mention
from memory.extraction.claims import Aspect, Claim
from memory.extraction.families.frames import Frame, read_frames, subject_of
from memory.extraction.lexicon import THING_KINDS, listed
from memory.extraction.phrases import is_lowercase_name, is_name, value_of
from memory.extraction.turns import Reading

_MOVE = listed("move relocate emigrate immigrate")
_HOMES = listed("house home flat apartment")

_place = partial(Frame, key="location", category="identity", object_type="location", as_text=True)
_origin = partial(Frame, key="hometown", category="identity", object_type="location", as_text=True)

FRAMES = (
    _place(verbs=listed("live reside stay dwell"), prepositions=("in", "near"), aspect=Aspect.STATE),
    _place(verbs=_MOVE, prepositions=("from", "of"), aspect=Aspect.END, confidence=0.9),
    _place(verbs=_MOVE, prepositions=("to", "into"), aspect=Aspect.EVENT),
    _place(verbs=listed("settle"), prepositions=("in",), aspect=Aspect.EVENT, confidence=0.85),
    _origin(verbs=listed("grow"), particle="up", prepositions=("in",), aspect=Aspect.PAST),
    _origin(verbs=listed("raise"), prepositions=("in",), aspect=Aspect.PAST, passive=True),
    Frame(
        verbs=listed("bear"),
        prepositions=("in", "at"),
        key="birthplace",
        category="identity",
        object_type="location",
        as_text=True,
        aspect=Aspect.PAST,
        passive=True,
    ),
    Frame(
        verbs=listed("study"),
        prepositions=("in",),
        key="studied_in",
        category="identity",
        object_type="location",
        as_text=True,
        aspect=Aspect.PAST,
        confidence=0.85,
    ),
    _place(verbs=listed("leave"), prepositions=("",), aspect=Aspect.END, confidence=0.75),
)


class Places:
    """location, hometown and birthplace of the speaker or someone named."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        for claim in read_frames(reading, FRAMES):
            if claim.aspect is Aspect.END and not self._is_place(reading, str(claim.value)):
                continue
            if str(claim.value).lower() in ("person", "general", "peace", "town", "bed", "fear", "hope", "production"):
                continue
            if reading.lemma in _MOVE and self._moves_something(reading):
                continue  # "we moved the database to Postgres"
            if claim.key == "studied_in" and (reading.standing.progressive or reading.direct()):
                continue  # what is studied there, and is still
            if reading.lemma == "stay" and not reading.standing.progressive:
                continue  # "stay in" tells of a night
            yield claim
        yield from self._moved(reading)
        yield from self._based_in(reading)
        yield from self._is_from(reading)

    def _moved(self, reading: Reading) -> Iterator[Claim]:
        """ "The studio has relocated from Antwerp to Ghent", "our office moved to the fourth floor"."""
        thing = reading.topic
        if reading.lemma not in _MOVE or reading.actor is not None or thing is None or thing.type == "person":
            return
        if self._moves_something(reading):
            return
        for phrase in reading.phrases:
            floor = phrase.head.lower_ == "floor"
            if phrase.preposition in ("from", "to", "into") and (is_name(phrase.words) or floor):
                yield Claim(
                    subject=thing,
                    key="location",
                    value=value_of(phrase.words),
                    start=reading.start,
                    end=max(reading.end, phrase.end),
                    category="knowledge",
                    aspect=Aspect.END if phrase.preposition == "from" else Aspect.EVENT,
                    confidence=0.8,
                    value_type="" if floor else "location",
                )

    def _moves_something(self, reading: Reading) -> bool:
        """Whether it is something else that moves, not the one who lives somewhere."""
        objects = [word for word in reading.clause.head.children if word.dep_ in ("dobj", "obj")]
        return any(word.lemma_.lower() not in _HOMES and word.ent_type_ not in ("DATE", "TIME") for word in objects)

    def _is_place(self, reading: Reading, value: str) -> bool:
        """Leaving needs a place that the model knows; for "moved from X to Y" the second is enough."""
        if reading.lemma != "leave":
            to = [phrase for phrase in reading.phrases if phrase.preposition in ("to", "into")]
            if to and to[0].words[0].ent_type_ == "GPE":
                return True
            return not any(word.ent_type_ == "ORG" and word.text in value for word in reading.clause.after)
        return any(word.ent_type_ == "GPE" and word.text in value for word in reading.clause.after)

    def _based_in(self, reading: Reading) -> Iterator[Claim]:
        """ "I'm based in Berlin", "Acme is located in Porto", "I'm in Berlin now"."""
        actor = reading.actor or reading.described()
        based = reading.lemma in ("base", "locate") or (
            reading.lemma == "be"
            and bool(reading.clause.after)
            and reading.clause.after[0].lower_ in ("based", "located")
        )
        if actor is None or not based:
            return
        if not actor.speaker and actor.type == "other":
            noun = reading.clause.subject.lemma_.lower() if reading.clause.subject is not None else ""
            actor = Mention(type=THING_KINDS.get(noun, "organisation"), name=actor.name)
        for phrase in reading.phrases:
            if phrase.preposition in ("in", "near") and (is_name(phrase.words) or is_lowercase_name(phrase.words)):
                yield Claim(
                    subject=actor,
                    key="location",
                    value=value_of(phrase.words),
                    start=reading.start,
                    end=max(reading.end, phrase.end),
                    category="identity",
                    value_type="location",
                )
                return

    def _is_from(self, reading: Reading) -> Iterator[Claim]:
        """ "I'm from Porto", "I come from Porto"."""
        actor = reading.actor
        if actor is None or reading.lemma not in ("be", "come", "hail") or not reading.phrases:
            return
        phrase = reading.phrases[0]
        if phrase.preposition != "from" or not is_name(phrase.words) or phrase.words[0].ent_type_ in ("ORG", "DATE"):
            return
        if reading.standing.tense != "present" or reading.standing.progressive:
            return
        subject = actor if actor.speaker else subject_of(reading, "person")
        yield Claim(
            subject=subject,
            key="hometown",
            value=value_of(phrase.words),
            start=reading.start,
            end=max(reading.end, phrase.end),
            category="identity",
            confidence=0.9,
            value_type="location",
        )
