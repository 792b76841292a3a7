"""What named things are, and what things are called."""

from collections.abc import Iterator, Sequence

from spacy.tokens import Token

from memory.candidates import Mention
from memory.extraction.claims import Aspect, Claim
from memory.extraction.lexicon import FIRST_PERSON_POSSESSIVE, PETS, THING_KINDS
from memory.extraction.phrases import end_of, is_name, mention, name_around, value_of
from memory.extraction.subjects import described
from memory.extraction.turns import Reading


class Descriptions:
    """description of what has a name; name of what is described; "the rent is 900" as what it is."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        yield from self._described(reading)
        yield from self._apposed(reading)
        yield from self._is_named_or_counted(reading)
        yield from self._named_thing(reading)

    def _described(self, reading: Reading) -> Iterator[Claim]:
        """ "Harbor is our billing service", "Acme is a startup in Porto"."""
        actor = reading.actor
        if reading.lemma != "be" or actor is None or actor.speaker or not reading.phrases:
            return
        phrase = reading.phrases[0]
        if phrase.preposition:
            return
        kind = THING_KINDS.get(phrase.head.lemma_.lower(), "")
        words = phrase.words
        if words[0].tag_ == "PRP$" and len(words) > 1:
            words = words[1:]  # whose it is depends on who speaks
        if kind:
            yield _claim(reading, Mention(type=kind, name=actor.name), "description", words)

    def _apposed(self, reading: Reading) -> Iterator[Claim]:
        """ "Harbor, our billing service, runs on k3s"."""
        subject = reading.clause.subject
        for noun in subject.children if subject is not None and reading.clause.owns_subject else ():
            kind = THING_KINDS.get(noun.lemma_.lower(), "")
            name = name_around(subject) if subject is not None else ()
            if noun.dep_ != "appos" or not kind or not is_name(name) or noun.i < name[-1].i:
                continue
            words = list(noun.doc[noun.left_edge.i : noun.i + 1])
            if words[0].lower_ in ("our", "my", "the", "a", "an") and len(words) > 1:
                subject_named = Mention(type=kind, name=value_of(name))
                yield _claim(reading, subject_named, "description", words[1:], aspect=Aspect.GIVEN)

    def _is_named_or_counted(self, reading: Reading) -> Iterator[Claim]:
        """ "The main branch is trunk-2", "the rent is 900": a thing by what it is called or how much it is."""
        subject = reading.clause.subject
        if reading.lemma != "be" or reading.actor is not None or subject is None or not reading.clause.owns_subject:
            return
        thing = described(subject)
        if thing is None or thing.mine or thing.type == "person" or subject.left_edge.lower_ != "the":
            return
        for phrase in reading.direct()[:1]:
            named = is_name(phrase.words) and phrase.words[0].ent_type_ not in ("PERSON", "NORP")
            counted = phrase.words[0].like_num and len(phrase.words) > 1
            if reading.phrases[0] is phrase and (named or counted):
                yield _claim(reading, thing, "is", phrase.words, confidence=0.8)

    def _named_thing(self, reading: Reading) -> Iterator[Claim]:
        """ "Our billing service is called Harbor"."""
        subject = reading.clause.subject
        if subject is None or reading.lemma not in ("call", "name") or reading.clause.head.tag_ not in ("VBN", "VBD"):
            return
        kind = THING_KINDS.get(subject.lemma_.lower(), "")
        mine = any(child.lower_ in FIRST_PERSON_POSSESSIVE for child in subject.children)
        direct = reading.direct()
        if not direct or not is_name(direct[0].words):
            return
        if kind and mine:
            words = [word for word in subject.lefts if word.lower_ not in FIRST_PERSON_POSSESSIVE | {"new", "the"}]
            yield Claim(
                subject=mention(direct[0].words, kind),
                key="description",
                value=value_of([*words, subject]),
                start=reading.start,
                end=reading.end,
                category="knowledge",
            )
        elif (thing := described(subject)) is not None and subject.lemma_.lower() in PETS and not thing.mine:
            yield _claim(reading, Mention(type="other", name=thing.name), "name", direct[0].words, confidence=0.85)
        elif thing is not None and thing.type != "person":
            yield _claim(reading, thing, "name", direct[0].words, confidence=0.85)


def _claim(
    reading: Reading,
    subject: Mention,
    key: str,
    words: Sequence[Token],
    *,
    confidence: float = 0.95,
    aspect: Aspect = Aspect.STATE,
) -> Claim:
    return Claim(
        subject=subject,
        key=key,
        value=value_of(words),
        start=reading.start,
        end=max(reading.end, end_of(words)),
        category="knowledge",
        aspect=aspect,
        confidence=confidence,
    )
