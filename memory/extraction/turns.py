"""One turn, parsed: the shared input of all rule families."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from spacy.tokens import Doc, Span, Token

from memory.candidates import SPEAKER, Mention
from memory.extraction.clauses import Clause, clauses_of
from memory.extraction.language import is_english
from memory.extraction.lexicon import APPOINTMENTS, FAMILY, FIRST_PERSON, JOB_HEADS, THING_KINDS, listed
from memory.extraction.moods import is_ironic, mood_of_sentence
from memory.extraction.phrases import Phrase, complements, entity_type, is_name, name_around, value_of
from memory.extraction.relatives import relative
from memory.extraction.standing import Standing, standing_of
from memory.extraction.stated_time import Bound, StatedTime, Tense, find_stated_times
from memory.extraction.subjects import described

# What is longer is a list or a log rather than something said.
SENTENCE_WORDS_MAX = 120

# What others said, or what is no speech: first person in there is not the speaker.
_QUOTED = re.compile(
    r"```.*?(?:```|$)|\"[^\"\n]{1,2000}\"|“[^”\n]{1,2000}”|`[^`\n]{1,200}`|^>[^\n]*$", re.DOTALL | re.MULTILINE
)
_OF_OLD = re.compile(
    r"\b(?:since i was|all (?:my|his|her|their) life|(?:my|his|her) whole life|"
    r"for (?:years|ages|decades|as long as))\b",
    re.IGNORECASE,
)
# What is handed over to be worked on, and what is only played: "Proofread this: I'm a nurse", "Let's say I'm Bob".
_ORDERS = (
    r"(?:translate|proof-?read|re-?write|re-?phrase|paraphrase|correct|fix|check|edit|improve|summari[sz]e|polish|"
    r"grade|"
    r"review|reply|respond|answer|shorten|continue|complete|analy[sz]e|classify|parse|explain|format|convert|turn|make|"
    r"transcribe)\b"
)
_MATERIAL = re.compile(
    rf"(?:(?:^|[.!?;\n]\s*|\b(?:please|you|(?<!let )me|pls|just)\s+){_ORDERS}|"
    r"\b(?:sentence|text|email|paragraph|message|example|e\.g\.|prompt|caption|bio|"
    r"headline)\b)[^.!?:\n]{0,60}:\s(?P<given>.*)$"
    r"|\bhow (?:do|would|can|to|does) (?:one |i |you |we )?(?:say|write|spell|translate|pronounce)\b(?P<said>.*)$"
    r"|\b(?:let's say|let us say|in this (?:scenario|story|exercise|example|game|sketch|case)|for this exercise|"
    r"for the sake "
    r"of (?:argument|this)|role-?play|my character|i'm playing|i am playing|act as|pretend(?:ing)?|picture this|"
    r"scenario|"
    r"for (?:example|instance))\b(?P<played>.*)$",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(slots=True)
class Turn:
    """One text, parsed. said_at: aware. people, things: who and what facts were told of so far, for "she" and "it"."""

    doc: Doc
    said_at: datetime
    text: str = ""
    quoted: list[tuple[int, int]] = field(default_factory=list)
    people: list[Mention] = field(default_factory=list)
    things: list[Mention] = field(default_factory=list)
    _by_word: dict[int, "Reading"] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.text = self.doc.text  # put together anew by the library at each call
        self.quoted = [match.span() for match in _QUOTED.finditer(self.text)]
        self.quoted += [match.span(match.lastgroup or 0) for match in _MATERIAL.finditer(self.text)]

    def sentences(self) -> Iterator[Span]:
        """English sentences outside of quotations, those meant otherwise aside."""
        for sentence in self.doc.sents:
            if len(sentence) > SENTENCE_WORDS_MAX:
                continue
            first = next((word for word in sentence if not word.is_space and not word.is_punct), None)
            if (
                first is not None
                and not self.is_quoted(first)
                and is_english(sentence.text)
                and not is_ironic(sentence)
            ):
                yield sentence

    def is_quoted(self, word: Token) -> bool:
        return self.is_quoted_at(word.idx)

    def is_quoted_at(self, offset: int) -> bool:
        return any(start <= offset < end for start, end in self.quoted)

    def readings(self, sentence: Span) -> list["Reading"]:
        """The clauses of `sentence`, each to be asked by the rules; "he" and "she" as known so far."""
        sentence_mood = mood_of_sentence(sentence)
        readings: list[Reading] = []
        for clause in clauses_of(sentence):
            if self.is_quoted(clause.head):
                continue
            for actor in self._actors_of(clause):
                readings.append(Reading(self, clause, standing_of(clause, sentence_mood), actor))
                thing = readings[-1].thing()
                if thing is None and actor is None and clause.subject is not None:
                    thing = described(clause.subject)
                if thing is not None and thing.type != "person":
                    self.things.append(thing)
        self._by_word.update((word.i, reading) for reading in readings for word in reading.clause.own)
        return readings

    def _actors_of(self, clause: Clause) -> list[Mention | None]:
        """Whoever the clause is about: several for "Alice and I live in Porto"."""
        subject = clause.subject
        if subject is None:
            return [None]
        actor = actor_of(subject)
        if actor is None and subject.lower_ in ("he", "she"):
            actor = self.only_person(subject)
        if actor is None and subject.lower_ == "it" and len(set(self.things)) == 1:
            actor = self.things[0]
        if (
            actor is None
            and (known_by := described(subject)) is not None
            and known_by.type == "person"
            and known_by.mine
        ):
            actor = known_by  # "our nanny"
        actors = [actor, *(actor_of(joined) for joined in subject.conjuncts if joined.i < clause.head.i)]
        known = list(dict.fromkeys(other for other in actors if other is not None))
        return [*known] or [None]

    def reading_at(self, word: Token) -> "Reading | None":
        """The clause that `word` belongs to, among those read so far."""
        return self._by_word.get(word.i)

    def only_person(self, pronoun: Token) -> Mention | None:
        """Who "he" or "she" must be, if just one has been named before it."""
        named = {
            span.text: Mention(type="person", name=span.text)
            for span in self.doc.ents
            if span.label_ == "PERSON" and span.end <= pronoun.i and not is_vocative(span) and not _is_place(span)
        }
        named |= {person.name: person for person in self._introduced(pronoun)}
        named |= {person.name: person for person in self.people}
        return next(iter(named.values())) if len(named) == 1 else None

    def _introduced(self, pronoun: Token) -> Iterator[Mention]:
        """Whom a sentence before the pronoun calls a nurse or a baker, whatever the model takes the name for."""
        for word in self.doc[: pronoun.i]:
            if word.dep_ != "nsubj" or word.head.lemma_ != "be" or not is_name(name := name_around(word)):
                continue
            roles = (child for child in word.head.children if child.dep_ == "attr")
            if any(role.lemma_.lower() in JOB_HEADS for role in roles):
                yield Mention(type="person", name=value_of(name))


def _is_place(span: Span) -> bool:
    """Whether the word before a name says that it is one of a place: "from Split"."""
    return bool(span.start) and span.doc[span.start - 1].lower_ in ("from", "in", "near", "at")


@dataclass(slots=True)
class Reading:
    """A clause with all that the rules ask about it, worked out once."""

    turn: Turn
    clause: Clause
    standing: Standing
    actor: Mention | None
    times: list[StatedTime] = field(default_factory=list)
    phrases: list[Phrase] = field(default_factory=list)

    def __post_init__(self) -> None:
        text = self.clause.sentence.text
        offset = self.clause.sentence.start_char
        tense = self.standing.tense
        subject = self.clause.subject
        ahead = subject is not None and subject.lemma_.lower() in APPOINTMENTS and tense is Tense.PRESENT
        if ahead or self.standing.reason == "planned" or (tense is Tense.PRESENT and self.standing.progressive):
            tense = Tense.FUTURE
        own = {word.idx for word in self.clause.own}
        found = find_stated_times(text, said_at=self.turn.said_at, tense=tense)
        if tense is Tense.PRESENT:
            # What goes on until March ends in the March to come.
            coming = find_stated_times(text, said_at=self.turn.said_at, tense=Tense.FUTURE)
            later = {time.span_start: time for time in coming if time.bound is Bound.UNTIL}
            found = [later.get(time.span_start, time) for time in found]
        self.times = [
            time for time in found if any(offset + time.span_start <= index < offset + time.span_end for index in own)
        ]
        spans = [(offset + time.span_start, offset + time.span_end) for time in self.times]
        self.phrases = [_set_right(phrase) for phrase in complements(self.clause.after, skip=spans)]

    @property
    def lemma(self) -> str:
        return self.clause.lemma

    @property
    def about(self) -> str:
        return self.turn.text[self.start : self.end].strip(" ,;.\n")

    @property
    def start(self) -> int:
        return self.clause.start

    @property
    def end(self) -> int:
        return self.clause.end

    def thing(self) -> Mention | None:
        """The named thing that the clause says to be a service, a product and so on."""
        if (
            self.actor is None
            or self.actor.speaker
            or self.lemma != "be"
            or not self.phrases
            or self.phrases[0].preposition
        ):
            return None
        kind = THING_KINDS.get(self.phrases[0].head.lemma_.lower(), "")
        return Mention(type=kind, name=self.actor.name) if kind else None

    @property
    def topic(self) -> Mention | None:
        """Whom or what the clause is about, though no name says it ("the nightly backup")."""
        subject = self.clause.subject
        return self.actor if self.actor is not None or subject is None else described(subject)

    def is_plan(self) -> bool:
        """Whether the clause tells what is going to happen ("I'm moving to Berlin next month")."""
        standing = self.standing
        return standing.tense is Tense.FUTURE or (
            standing.progressive and standing.tense is Tense.PRESENT and bool(self.times)
        )

    def day(self) -> str:
        """The first time in the clause, as said."""
        for time in self.times[:1]:
            offset = self.clause.sentence.start_char
            text = self.turn.text[offset + time.span_start : offset + time.span_end]
            return " ".join(text.split()).removeprefix("on ").strip(" .,")
        return ""

    def is_of_old(self) -> bool:
        """Whether it is so since a time that no date tells: "for ages", "all my life"."""
        return _OF_OLD.search(self.clause.sentence.text) is not None

    def described(self) -> Mention | None:
        """Whom a participle behind a description is about: "Harbor is our service, written in Go"."""
        governor = self.clause.governor
        if governor is None or governor.subject is None or self.clause.owns_subject or governor.lemma != "be":
            return None
        outer = actor_of(governor.subject)
        return None if outer is None or outer.speaker else outer

    def direct(self) -> list[Phrase]:
        """The direct object and what is listed with it."""
        return [phrase for phrase in self.phrases if not phrase.preposition]


def _set_right(phrase: Phrase) -> Phrase:
    """ "Panels on the roof and a heat pump": the pump is listed with the panels, not with the roof."""
    head = phrase.head
    if not phrase.preposition or not phrase.listed or head.dep_ != "conj":
        return phrase
    first = head
    while first.dep_ == "conj":
        first = first.head
    return replace(phrase, preposition="") if first.dep_ in ("dobj", "attr") else phrase


def is_vocative(span: Span) -> bool:
    """Whether a name only calls someone: "Thanks, John!" or "John, that's great"."""
    doc, sentence = span.doc, span.sent
    before = doc[span.start - 1] if span.start > sentence.start else None
    after = doc[span.end] if span.end < sentence.end else None
    opens = (
        before is None or before.is_punct or before.lower_ in listed("hi hey hello thanks thx dear wow yeah congrats")
    )
    closes = after is None or after.is_punct or after.is_space
    return opens and closes and span.root.dep_ not in ("conj", "nsubj", "nsubjpass", "dobj", "attr", "appos")


def actor_of(subject: Token) -> Mention | None:
    """Who a subject names: the speaker, someone or something by name, or None if neither."""
    if subject.lower_ in FIRST_PERSON or (subject.lower_ == "me" and subject.dep_.startswith("nsubj")):
        return SPEAKER
    if (kin := _unnamed_relative(subject)) is not None:
        return kin
    if subject.tag_ in ("PRP", "PRP$", "WP", "DT", "EX"):
        return None
    # "My sister Ana": the name stands beside the noun.
    for child in subject.children:
        if child.dep_ == "appos" and (name := name_around(child)) and is_name(name):
            return Mention(type="person", name=value_of(name))
    name = name_around(subject)
    if not name or not is_name(name) or any(word.dep_ == "poss" for word in name[:-1]):
        return None
    if name[0].i and name[0].nbor(-1).tag_ in ("PRP$", "POS"):
        return None
    kind = THING_KINDS.get(name[0].nbor(-1).lower_, "") if name[0].i else ""  # "the project Hazel"
    return Mention(type=kind or entity_type(name, "other"), name=value_of(name))


def as_person(actor: Mention) -> Mention:
    """The actor, of whom the words tell what only persons do."""
    return actor if actor.speaker or actor.mine else Mention(type="person", name=actor.name)


def _unnamed_relative(noun: Token) -> Mention | None:
    """ "My mother", with no name beside it and nothing that tells her from another."""
    kin = relative(noun)
    if noun.tag_ != "NN" or noun.lower_ not in FAMILY or noun.i == 0 or not kin:
        return None
    beside = any(child.dep_ in ("appos", "compound", "relcl", "amod") for child in noun.children)
    following = noun.nbor(1) if noun.i + 1 < len(noun.doc) else None
    named = following is not None and following.text[:1].isupper() and following.tag_ == "NNP"
    if beside or named or noun.nbor(-1).lower_ != "my" or noun.head.dep_ == "poss" or noun.dep_ == "poss":
        return None
    return Mention(type="person", name=kin, mine=True)
