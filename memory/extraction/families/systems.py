"""Who owns, leads and keeps projects and systems, and what these stand on."""

from collections.abc import Iterator

from spacy.tokens import Token

from memory.candidates import Mention
from memory.extraction.claims import Aspect, Claim
from memory.extraction.families.frames import is_passive
from memory.extraction.lexicon import THING_KINDS, listed
from memory.extraction.phrases import Phrase, is_name, mention, value_of
from memory.extraction.stated_time import Tense
from memory.extraction.subjects import described_thing
from memory.extraction.turns import Reading

# "X is owned by Y": (key, whether Y is the subject of the relation)
_BY = {
    "own": ("owned_by", False),
    "maintain": ("maintains", True),
    "lead": ("leads", True),
    "manage": ("leads", True),
    "head": ("leads", True),
    "run": ("leads", True),
    "sponsor": ("sponsors", True),
    "create": ("created", True),
    "build": ("created", True),
    "develop": ("created", True),
    "design": ("created", True),
    "write": ("created", True),
    "found": ("founded", True),
    "use": ("uses", True),
}
_DONE_ONCE = listed("create build develop design write found")
_DEPENDS = {"depend": ("on", "upon"), "rely": ("on", "upon"), "build": ("on",), "integrate": ("with",), "talk": ("to",)}
_SWITCH = listed("switch migrate change")  # who moves does so between places
_KIND_FIRST = listed("project service system app platform library tool team module")


class Systems:
    """owned_by, maintains, leads, created, founded and depends_on between names; tools that are changed."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        yield from self._by(reading)
        yield from self._depends(reading)
        yield from self._switched(reading)

    def _by(self, reading: Reading) -> Iterator[Claim]:
        """ "Falcon is owned by Dana", "Harbor was built by the platform team"."""
        found = _BY.get(reading.lemma)
        subject = reading.clause.subject
        if found is None or subject is None or not is_passive(reading):
            return
        thing = thing_named(reading, subject)
        if thing is None:
            return
        key, turned = found
        for phrase in (phrase for phrase in reading.phrases if phrase.preposition == "by"):
            agent = agent_of(phrase)
            if agent is None:
                return
            aspect = Aspect.PAST if reading.lemma in _DONE_ONCE else Aspect.STATE
            yield Claim(
                subject=agent if turned else thing,
                key=key,
                value=thing if turned else agent,
                start=reading.start,
                end=max(reading.end, phrase.end),
                category="knowledge",
                aspect=aspect,
                confidence=0.85,
            )

    def _depends(self, reading: Reading) -> Iterator[Claim]:
        subject = reading.clause.subject
        prepositions = _DEPENDS.get(reading.lemma, ())
        if not prepositions or subject is None or (reading.lemma == "build" and not is_passive(reading)):
            return
        if reading.lemma == "talk" and reading.actor is not None and reading.actor.type == "person":
            return
        thing = thing_named(reading, subject)
        if thing is None or thing.type == "person":
            return
        if reading.lemma in ("build", "talk", "integrate") and reading.standing.tense is not Tense.PRESENT:
            return
        for phrase in reading.phrases:
            if phrase.preposition in prepositions and is_name(phrase.words):
                yield Claim(
                    subject=thing,
                    key="depends_on",
                    value=mention(phrase.words, "project"),
                    start=reading.start,
                    end=max(reading.end, phrase.end),
                    category="knowledge",
                    confidence=0.85,
                )

    def _switched(self, reading: Reading) -> Iterator[Claim]:
        """ "We switched from Jenkins to GitHub Actions": of tools, as teams change them."""
        subject = reading.clause.subject
        if reading.lemma not in _SWITCH or subject is None or subject.lower_ != "we" or is_passive(reading):
            return
        if any(child.dep_ in ("dobj", "obj") for child in reading.clause.head.children):
            return
        ways = {phrase.preposition: phrase for phrase in reading.phrases if phrase.preposition in ("from", "to")}
        if len(ways) != 2 or any(
            not is_name(way.words) or way.words[0].ent_type_ in ("LOC", "FAC") for way in ways.values()
        ):
            return
        for preposition, aspect in (("from", Aspect.END), ("to", Aspect.EVENT)):
            yield Claim(
                subject=Mention(type="person", speaker=True),
                key="uses",
                value=value_of(ways[preposition].words),
                start=reading.start,
                end=reading.end,
                category="knowledge",
                aspect=aspect,
                confidence=0.8,
            )


def thing_named(reading: Reading, subject: Token) -> Mention | None:
    """The project or system that a clause is about: by name, or as "the billing service"."""
    actor = reading.actor
    if actor is not None:
        if actor.speaker:
            return None
        if any(child.dep_ == "compound" and child.lower_ in _KIND_FIRST for child in subject.lefts):
            return Mention(type="project", name=actor.name)  # "Project Falcon", a company for the model
        kind = actor.type if actor.type in ("product", "organisation", "project") else "project"
        return None if actor.type in ("person", "location", "event") else Mention(type=kind, name=actor.name)
    return described_thing(subject)


def agent_of(phrase: Phrase) -> Mention | None:
    """Who is meant by the words behind "by" or "with": a person or organisation by name, or "the platform team"."""
    words = phrase.words
    if is_name(words):
        team = THING_KINDS.get(words[-1].lower_, "")
        person = any(word.ent_type_ == "PERSON" for word in words) or (len(words) <= 2 and not team)
        company = any(word.ent_type_ == "ORG" for word in words)
        return mention(words, "organisation" if company or team else "person" if person else "organisation")
    head = phrase.head
    if head.lower_ == "team" and len(words) > 1 and words[0].tag_ != "PRP$":
        return mention(words, "organisation")  # "the platform team"
    return None
