"""Plain statements by their own verb: "Mara breeds goats", "the backup starts at 02:30", "our lease forbids pets".

What the other families know by another name they say first; here the key is the verb itself, in the third person.
"""

from collections.abc import Iterator

from spacy.tokens import Token

from memory.candidates import SPEAKER, Mention, Polarity
from memory.extraction.claims import Aspect, Claim
from memory.extraction.families.frames import is_passive, name_called
from memory.extraction.families.kinship import names_after
from memory.extraction.families.objects import RECURRING, address, is_value, measure, own_value, stated_days
from memory.extraction.lexicon import APPOINTMENTS, listed
from memory.extraction.moods import Mood
from memory.extraction.phrases import Phrase, end_of, is_name, own_words, value_of, without_dative
from memory.extraction.stated_time import Bound, Tense
from memory.extraction.subjects import PASSING
from memory.extraction.turns import Reading
from memory.extraction.verbs import OF_PEOPLE, OF_SYSTEMS, key_of, says_something, third_person

# In the progressive only what goes on for weeks: "I'm building a boat", not "I'm eating a sandwich".
_LASTING = listed(
    "build study learn read train teach run manage lead head plan design develop restore renovate translate study "
    "rent share organise organize coach mentor research maintain sing play row chair tutor rehearse"
)
_PLACES = listed("to at on in with from after over into under near through via for by")
# Told of people only by what they are enrolled in, of things by all that was done to them.
_ENROLLED = listed("register enrol enroll insure employ license certify qualify train pay back")
_MADE = listed("make build found write publish paint design produce manufacture release launch open construct erect")
_PASSIVE_PREPOSITIONS = listed("in at on for with by from to under behind near")
_STORING = listed("keep store save host publish cache log track archive export")
_SHIFTS = listed("nights days weekends evenings mornings shifts afternoons")


class Predicates:
    """<verb>s, or <verb>s_<preposition>, of whoever or whatever the clause is about."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        if not _states(reading):
            return
        if reading.topic is None:
            yield from self._all_of_a_kind(reading)
            return
        subject = _typed(reading.topic, reading)
        if is_passive(reading):
            yield from self._passive(reading, subject)
            return
        told = False
        for phrase in _objects(reading):
            told = True
            if (kept := _kept_in(reading, phrase)) is not None:
                yield self._claim(reading, subject, f"{_verb(reading)} {phrase.head.lower_}", *kept)
                continue
            yield self._claim(reading, subject, _verb(reading), "", phrase.words)
        if not told and (amount := measure(reading)):
            told = True
            yield self._claim(reading, subject, _verb(reading), "", amount)
        for phrase in reading.phrases[: 2 if told else 1]:
            if phrase.preposition in _PLACES and _may_follow(reading, subject, phrase, told=told):
                told = True
                yield self._claim(reading, subject, _verb(reading), phrase.preposition, phrase.words)
        if not told:
            yield from self._scheduled(reading, subject)

    def _scheduled(self, reading: Reading, subject: Mention) -> Iterator[Claim]:
        """ "The backup starts at 02:30", "we rehearse on Thursdays"."""
        for preposition, words in stated_days(reading):
            recurs = any(word.lower_ in RECURRING or word.tag_ in ("NNPS", "NNS") for word in words)
            if reading.lemma in ("leave", "start", "begin", "depart") and _is_appointment(reading):
                return  # told as a deed
            if (recurs or _is_thing(subject)) and says_something(reading.lemma, preposition):
                yield self._claim(reading, subject, _verb(reading), preposition, words)
                return

    def _passive(self, reading: Reading, subject: Mention) -> Iterator[Claim]:
        """ "Backups are stored in a bucket", "the exam is scheduled for Monday", "my cello was made in Cremona"."""
        standing, lemma = reading.standing, reading.lemma
        if not _is_thing(subject) and lemma not in _ENROLLED:
            return
        past = standing.tense is Tense.PAST
        if (
            (past and lemma not in _MADE)
            or standing.progressive
            or lemma in ("call", "name")
            or not says_something(lemma)
        ):
            return
        participle = reading.clause.head.lower_
        aspect = Aspect.PAST if past else Aspect.STATE
        for phrase in reading.phrases:
            if phrase.preposition in _PASSIVE_PREPOSITIONS and not phrase.listed and is_value(phrase.words):
                words = address(reading, phrase)
                yield self._claim(reading, subject, participle, phrase.preposition, words, aspect)
        for preposition, words in stated_days(reading):
            yield self._claim(reading, subject, participle, preposition, words, aspect)
            return

    def _all_of_a_kind(self, reading: Reading) -> Iterator[Claim]:
        """ "Tickets are tracked in Linear", "backups are stored in S3": of all of them, here."""
        noun, standing = reading.clause.subject, reading.standing
        if noun is None or noun.tag_ != "NNS" or not is_passive(reading) or standing.tense is not Tense.PRESENT:
            return
        words = noun.doc[noun.left_edge.i : noun.i + 1]
        if any(word.tag_ not in ("NN", "NNS", "JJ") for word in words) or noun.lemma_.lower() in PASSING:
            return
        for phrase in reading.phrases[:1]:
            if phrase.preposition in ("in", "on", "with", "by", "to", "at") and is_name(phrase.words):
                kind = Mention(type="other", name=value_of(list(words)).lower())
                yield self._claim(reading, kind, reading.clause.head.lower_, phrase.preposition, phrase.words)

    def _claim(
        self,
        reading: Reading,
        subject: Mention,
        verb: str,
        preposition: str,
        words: tuple[Token, ...],
        aspect: Aspect = Aspect.STATE,
    ) -> Claim:
        own = own_value(words)
        if reading.lemma == "cost" or (reading.standing.perfect and reading.is_of_old()):
            aspect = Aspect.PAST  # told in the past, and so still
        return Claim(
            subject=subject,
            key=key_of(verb, preposition),
            value=value_of(own),
            start=reading.start,
            end=max(reading.end, end_of(words)),
            category="knowledge",
            aspect=aspect,
            confidence=0.75,
            single_valued=is_passive(reading) or preposition == "at" or any(word.like_num for word in own),
        )


def _typed(subject: Mention, reading: Reading) -> Mention:
    """By what the verb tells of a name: systems index, people knit."""
    lemma = reading.lemma
    if subject.speaker or subject.mine or reading.actor is None:
        return subject
    placed = lemma in ("run", "read", "write", "sit") and any(
        phrase.preposition in ("in", "on", "from", "to") for phrase in reading.phrases[:1]
    )
    if (lemma in OF_SYSTEMS or placed or is_passive(reading)) and subject.type != "product":
        return Mention(type="project", name=subject.name)
    if lemma in OF_PEOPLE and subject.type in ("other", "location"):
        return Mention(type="person", name=subject.name)
    return subject


def _is_appointment(reading: Reading) -> bool:
    subject = reading.clause.subject
    return subject is not None and subject.lemma_.lower() in APPOINTMENTS and bool(reading.times)


def _states(reading: Reading) -> bool:
    """Whether the clause tells what is so for a time: in the present, or as a habit that has ended."""
    standing, head = reading.standing, reading.clause.head
    if standing.mood is not Mood.STATEMENT or standing.reason or not head.is_alpha:
        return False
    if (head.pos_ != "VERB" or reading.lemma in ("s", "se")) and not reading.clause.is_verb_as_noun:
        return False
    if any(word.lower_ == "rather" for word in reading.clause.own):
        return False
    if any(verb.lemma_.lower() == "finish" for verb in reading.clause.controls):
        return False  # once, as "I finished reading Dune"
    if head.tag_ == "VBN" and not is_passive(reading) and not standing.perfect:
        return False
    if standing.polarity is Polarity.ENDED or (
        standing.inceptive and (standing.perfect or standing.tense is Tense.PAST)
    ):
        return True
    passive = is_passive(reading)
    if standing.tense is Tense.PAST and not passive and reading.lemma != "cost":
        return False
    if (
        standing.perfect
        and not passive
        and not any(time.bound in (Bound.SINCE, Bound.LENGTH) for time in reading.times)
        and not reading.is_of_old()
    ):
        return False
    return standing.tense is not Tense.FUTURE and (
        not standing.progressive
        or (reading.lemma in _LASTING and not any(one.bound is Bound.AT for one in reading.times))
    )


def _verb(reading: Reading) -> str:
    """ "runs", "picks up"."""
    first = reading.clause.after[0] if reading.clause.after else None
    verb = third_person(reading.lemma)
    particle = first is not None and first.dep_ == "prt" and first.tag_ == "RP"
    return f"{verb} {first.lower_}" if particle and first is not None else verb


def _objects(reading: Reading) -> list[Phrase]:
    """The direct object and what is listed with it, if each can be a value."""
    shifts = reading.lemma == "work" and bool(reading.phrases) and reading.phrases[0].head.lower_ in _SHIFTS
    if not says_something(reading.lemma) and not shifts:
        return []
    found: list[Phrase] = []
    for position, phrase in enumerate(reading.phrases):
        if phrase.preposition and found:
            continue
        if phrase.preposition or (position and not (phrase.listed and phrase.head.dep_ == "conj")):
            break
        words = without_dative(phrase.words[1:] if phrase.words[0].dep_ == "prt" else phrase.words)
        if (
            not words
            or not (shifts or is_value(words))
            or words[-1].ent_type_ == "DATE"
            or words[-1].dep_ in ("nsubj", "advmod")
        ):
            break
        if reading.lemma == "have" and _not_had(reading, phrase):
            break
        if found and phrase.head.head.i != found[-1].head.i:
            break
        found.append(Phrase(words, "", listed=phrase.listed))
    return found


def _kept_in(reading: Reading, phrase: Phrase) -> tuple[str, tuple[Token, ...]] | None:
    """ "keeps its data in Redis": where, rather than what."""
    if reading.lemma not in _STORING or (own_words(phrase.words) == phrase.words and reading.lemma == "keep"):
        return None
    behind = next((other for other in reading.phrases if other.preposition in ("in", "on", "at", "to")), None)
    return (behind.preposition, behind.words) if behind is not None and is_name(behind.words) else None


def _may_follow(reading: Reading, subject: Mention, phrase: Phrase, *, told: bool) -> bool:
    """Whether what stands behind a preposition is a fact of its own: beside an object only what has a name."""
    lemma, preposition, words = reading.lemma, phrase.preposition, phrase.words
    if lemma == "have" or not says_something(lemma, preposition) or not is_value(words):
        return False
    if any(word.ent_type_ in ("DATE", "TIME") for word in words) or words[0].lower_ in _HERE:
        return False
    if told:
        return preposition == "with" and is_name(words)
    if preposition == "from" and not _is_thing(subject):
        return False
    if preposition == "by" and lemma in ("commute", "travel"):
        return True
    named = any(word.tag_ == "NNP" for word in words) if lemma in _LASTING else is_name(words)
    return preposition not in ("for", "by", "from") or named


_HERE = listed("home work school university uni college town bed once first least all last")


def _not_had(reading: Reading, phrase: Phrase) -> bool:
    """ "I have an exam", "we have Tom over", "I have a dog called Rex": told elsewhere, or nothing that one owns."""
    articled = phrase.words[0].i > 0 and phrase.words[0].nbor(-1).lower_ in ("a", "an")
    person = any(word.ent_type_ == "PERSON" for word in phrase.words) or (
        len(phrase.words) == 1 and is_name(phrase.words)
    )
    appointment = phrase.head.lemma_.lower() in APPOINTMENTS or any(names_after(phrase.head))
    return appointment or bool(reading.times) or (person and not articled) or bool(name_called(phrase.words[-1]))


def _is_thing(subject: Mention) -> bool:
    return subject != SPEAKER and subject.type != "person"
