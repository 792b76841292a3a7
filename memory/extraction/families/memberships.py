"""Clubs, choirs, gyms and bands that somebody is in."""

from collections.abc import Iterator

from memory.extraction.claims import Aspect, Claim
from memory.extraction.families.frames import subject_of
from memory.extraction.lexicon import FIRST_PERSON_POSSESSIVE, listed
from memory.extraction.phrases import Phrase, is_name, is_pointing, name_around, value_of
from memory.extraction.turns import Reading

_GROUPS = listed("gym club choir band orchestra society union church troupe squad league chorus quartet ensemble team")
_VERBS = {
    "join": (Aspect.EVENT, ("",)),
    "quit": (Aspect.END, ("",)),
    "leave": (Aspect.END, ("",)),
    "sing": (Aspect.STATE, ("in", "with")),
    "play": (Aspect.STATE, ("in", "for", "with")),
    "belong": (Aspect.STATE, ("to",)),
    "be": (Aspect.STATE, ("in",)),
}


class Memberships:
    """member_of: "I joined a climbing club", "I quit the choir", "I sing in a band called Fen"."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        found = _VERBS.get(reading.lemma)
        if found is None or reading.actor is None or (not reading.actor.speaker and reading.actor.type == "location"):
            return
        aspect, prepositions = found
        if reading.standing.progressive:
            return
        if reading.lemma == "be":
            yield from self._member(reading)
        for phrase in reading.phrases:
            if phrase.preposition not in prepositions or is_pointing(phrase.words):
                continue
            if phrase.head.lower_ not in _GROUPS or phrase.head.tag_ not in ("NN", "NNP") or is_name(phrase.words[:-1]):
                continue
            yield Claim(
                subject=subject_of(reading, "person"),
                key="member_of",
                value=_called(phrase),
                start=reading.start,
                end=max(reading.end, phrase.end),
                category="knowledge",
                aspect=aspect,
                confidence=0.85,
            )
            return

    def _member(self, reading: Reading) -> Iterator[Claim]:
        """ "I'm a member of the Greens"."""
        for phrase in reading.direct()[:1]:
            if phrase.head.lower_ != "member" or len(phrase.words) < 3 or phrase.words[0].lower_ != "member":
                continue
            group = tuple(word for word in phrase.words[2:] if word.tag_ not in ("DT", "PRP$"))
            if group and not is_pointing(group):
                yield Claim(
                    subject=subject_of(reading, "person"),
                    key="member_of",
                    value=value_of(group),
                    start=reading.start,
                    end=max(reading.end, phrase.end),
                    category="knowledge",
                    confidence=0.85,
                )


def _called(phrase: Phrase) -> str:
    """The group by its name, if that is told: "a band called The Late Fees"."""
    last, doc = phrase.words[-1], phrase.words[-1].doc
    if last.i + 2 < last.sent.end and doc[last.i + 1].lower_ in ("called", "named"):
        first = doc[last.i + 2]
        words = [first] if first.lower_ == "the" else []
        start = first.i + 1 if words else first.i
        if start < last.sent.end and (name := name_around(doc[start])):
            return value_of([*words, *name]) if not words or first.is_title else value_of(name)
    words = [word for word in phrase.words if word.lower_ not in FIRST_PERSON_POSSESSIVE]
    return value_of(words)
