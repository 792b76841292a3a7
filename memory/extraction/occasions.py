"""Deeds that are told by more than a verb: appointments, trips, what was given up and what time was spent on."""

from spacy.tokens import Token

from memory.candidates import SPEAKER, VALUE_LENGTH_MAX, ActionCandidate, Mention
from memory.extraction.lexicon import APPOINTMENTS, FIRST_PERSON_POSSESSIVE
from memory.extraction.phrases import is_name, is_pointing, value_of
from memory.extraction.stated_time import Bound, StatedTime, Tense
from memory.extraction.turns import Reading, as_person


def appointment(reading: Reading) -> ActionCandidate | None:
    """ "I have a dentist appointment on Friday", "my exam is on May 3", "I'll be on vacation next week"."""
    time = next((time for time in reading.times if time.bound is Bound.AT), None)
    subject = reading.clause.subject
    if time is None or subject is None or reading.standing.reason not in ("", "planned"):
        return None
    noun = None
    if subject.lemma_.lower() in APPOINTMENTS and any(word.lower_ in FIRST_PERSON_POSSESSIVE for word in subject.lefts):
        if reading.lemma in ("be", "start", "begin", "leave", "depart") and reading.standing.tense is not Tense.PAST:
            return deed(reading, SPEAKER, "have", value_of([*_telling(subject), subject]), time)
        return None
    if reading.lemma in ("have", "attend") and reading.actor is not None:
        noun = next((phrase for phrase in reading.direct() if phrase.head.lemma_.lower() in APPOINTMENTS), None)
    elif reading.lemma == "be" and reading.actor is not None and reading.standing.tense is Tense.FUTURE:
        noun = next((phrase for phrase in reading.phrases if phrase.preposition in ("on", "at", "in")), None)
    if noun is None or reading.actor is None:
        return None
    actor = as_person(reading.actor)
    return deed(reading, actor, reading.lemma, value_of(noun.words), time)


def trip(reading: Reading, actor: Mention | None, time: StatedTime | None) -> ActionCandidate | None:
    """ "We're off to Tenerife on the 19th"."""
    after = reading.clause.after
    if reading.lemma != "be" or actor is None or len(after) < 3 or reading.standing.reason:
        return None
    if after[0].lower_ != "off" or after[1].lower_ != "to":
        return None
    place = next((phrase for phrase in reading.phrases if phrase.preposition == "to"), None)
    if place is None or not (is_name(place.words) or time is not None) or is_pointing(place.words):
        return None
    return deed(reading, actor, "go", value_of(place.words), time)


def quitting(reading: Reading) -> ActionCandidate | None:
    """ "I quit smoking in 2020", "I stopped going to the gym": an end of what no rule knows as a habit."""
    control = next((word for word in reading.clause.controls if word.lemma_.lower() in ("quit", "stop")), None)
    first = reading.clause.head
    if control is None and first.lower_ == "quit" and reading.clause.after:
        control, first = first, reading.clause.after[0]  # "quit drinking", a noun for the model
    if control is None or reading.actor is None or not first.lower_.endswith("ing"):
        return None
    words = [first, *(word for word in reading.clause.after if word.dep_ in ("prep", "pobj", "det"))]
    time = next((time for time in reading.times if time.bound is Bound.AT), None)
    own = [word for word in words if time is None or not _within(word, time, reading)]
    actor = as_person(reading.actor)
    thing = value_of([own[0], *own[1:]])
    return deed(reading, actor, control.lemma_.lower(), thing, time)


def _within(word: Token, time: StatedTime, reading: Reading) -> bool:
    start = reading.clause.sentence.start_char
    return start + time.span_start <= word.idx < start + time.span_end


def spent(reading: Reading) -> tuple[str, str] | None:
    """ "I spent six months volunteering in Nepal": what was done, and where or what."""
    if reading.lemma != "spend":
        return None
    for word in reading.clause.head.children:
        if word.tag_ == "VBG" and word.i > reading.clause.head.i:
            behind = [inner for inner in word.doc[word.i + 1 : word.right_edge.i + 1] if not inner.is_punct]
            names = [inner for inner in behind if inner.tag_.startswith("NN")]
            if names and behind[0].tag_ in ("IN", "DT", "NN", "NNS", "NNP", "JJ", "PRP$"):
                own = behind[1:] if behind[0].tag_ in ("IN", "DT", "PRP$") else behind
                own = own[: next((place for place, inner in enumerate(own) if place and inner.tag_ == "IN"), len(own))]
                return word.lemma_.lower(), value_of(own)
    return None


def _telling(noun: Token) -> list[Token]:
    return [word for word in noun.lefts if word.dep_ in ("compound", "amod")]


def deed(
    reading: Reading,
    actor: Mention,
    verb: str,
    thing: str | None,
    time: StatedTime | None,
    *,
    confidence: float = 0.8,
) -> ActionCandidate:
    return ActionCandidate(
        start=reading.start,
        end=reading.end,
        confidence=confidence,
        category="context",
        actor=actor,
        verb=verb,
        object=thing,
        summary=" ".join(reading.about.split())[:VALUE_LENGTH_MAX],
        occurred_at=time.start if time is not None else None,
        precision=time.precision if time is not None else "",
    )
