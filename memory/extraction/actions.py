"""What happened or is planned: a verb with a concrete object and a date or a named entity."""

from collections.abc import Iterator, Sequence

from spacy.tokens import Token

from memory.candidates import SPEAKER, VALUE_LENGTH_MAX, ActionCandidate, Mention, Polarity
from memory.extraction.lexicon import APPOINTMENTS, FIRST_PERSON_POSSESSIVE, listed
from memory.extraction.moods import Mood
from memory.extraction.phrases import Phrase, is_name, is_pointing, value_of
from memory.extraction.stated_time import Bound, StatedTime, Tense
from memory.extraction.turns import Reading, as_person

# Too empty to be an event, or about minds and words rather than deeds.
_LIGHT = listed(
    "be have do think know want feel guess say mean like love hate need seem look let wonder hope try use can will may "
    "believe prefer enjoy remember forget understand agree suppose wish care worry live work get put keep stay take "
    "sound happen talk tell ask hear see become grow turn"
)
# Moves within a computer or a conversation, of no later interest.
_TRIFLES = listed(
    "lot bit thing things stuff place file files tab tabs app window page folder button bug tests code function "
    "line row column cursor"
)
_RIDES = listed("train bus plane ferry flight boat coach sleeper tram")
# Deeds without an object that are an event once they have a date.
_BY_THEMSELVES = listed("leave die arrive retire resign graduate marry divorce start depart return propose emigrate")
_WITH_PEOPLE = listed("talk speak meet")
_MOTION = listed("go fly travel drive return come walk ride hike sail move relocate")


def read_actions(reading: Reading, *, commitments_only: bool = False) -> Iterator[ActionCandidate]:
    """The deed that a clause tells.

    commitments_only: of what the speaker will do; so read when the assistant speaks.
    """
    standing, actor, clause = reading.standing, reading.actor, reading.clause
    if standing.mood is not Mood.STATEMENT or standing.polarity is not Polarity.AFFIRMED:
        return
    if not commitments_only and (dated := _appointment(reading)) is not None:
        yield dated
        return
    if actor is None:
        return
    planned = reading.is_plan() or _is_planning(reading)
    if standing.reason not in ("", "planned") or (standing.reason == "planned" and not planned):
        return
    if not (planned or standing.tense is Tense.PAST or standing.perfect) or clause.top.dep_ in ("relcl", "acl"):
        return
    ride = clause.lemma == "take" and any(phrase.head.lower_ in _RIDES for phrase in reading.direct())
    if (
        (clause.lemma in _LIGHT - _WITH_PEOPLE and not ride and not _is_witnessed(reading))
        or not clause.head.is_alpha
        or clause.head.pos_ != "VERB"
    ):
        return
    if any(child.dep_ == "nsubjpass" for child in clause.head.children) and clause.lemma not in _BY_THEMSELVES:
        return  # "I was offered a job": it is others who did it
    if commitments_only and not (actor.speaker and standing.tense is Tense.FUTURE):
        return
    time = next((time for time in reading.times if time.bound is Bound.AT), None)
    phrase = _object(reading)
    named = phrase is not None and any(is_name(other.words) for other in reading.phrases)
    if not commitments_only and not named and (quitting := _gave_up(reading)) is not None:
        yield quitting
        return
    alone = time is not None and clause.lemma in _BY_THEMSELVES
    if phrase is None and not alone and not (time is not None and planned and _has_object(reading)):
        return
    if time is None and not named:
        return
    yield ActionCandidate(
        start=reading.start,
        end=reading.end,
        confidence=0.8 if phrase is not None else 0.7,
        category="context",
        actor=actor if actor.type != "other" else as_person(actor),
        verb=_verb(reading),
        object=value_of(_unparticled(phrase)) if phrase is not None else None,
        summary=" ".join(reading.about.split())[:VALUE_LENGTH_MAX],
        occurred_at=time.start if time is not None else None,
        precision=time.precision if time is not None else "",
    )


def _is_planning(reading: Reading) -> bool:
    """ "We're planning to redo the kitchen in January": a plan once it has a time."""
    controls = reading.clause.controls
    planning = bool(controls) and controls[0].lower_ in ("planning", "due", "booked", "scheduled", "set")
    return planning and reading.standing.polarity is Polarity.AFFIRMED and bool(reading.times)


def _is_witnessed(reading: Reading) -> bool:
    """ "I saw Radiohead in 2017": of a name, and at a time."""
    named = any(is_name(phrase.words) for phrase in reading.direct()[:1])
    return reading.lemma == "see" and named and bool(reading.times)


def _appointment(reading: Reading) -> ActionCandidate | None:
    """ "I have a dentist appointment on Friday", "my exam is on May 3", "I'll be on vacation next week"."""
    time = next((time for time in reading.times if time.bound is Bound.AT), None)
    subject = reading.clause.subject
    if time is None or subject is None or reading.standing.reason not in ("", "planned"):
        return None
    noun = None
    if subject.lemma_.lower() in APPOINTMENTS and any(word.lower_ in FIRST_PERSON_POSSESSIVE for word in subject.lefts):
        if reading.lemma in ("be", "start", "begin", "leave", "depart") and reading.standing.tense is not Tense.PAST:
            return _on(reading, SPEAKER, "have", value_of([*_telling(subject), subject]), time)
        return None
    if reading.lemma in ("have", "attend") and reading.actor is not None and reading.standing.tense is not Tense.PAST:
        noun = next((phrase for phrase in reading.direct() if phrase.head.lemma_.lower() in APPOINTMENTS), None)
    elif reading.lemma == "be" and reading.actor is not None and reading.standing.tense is Tense.FUTURE:
        noun = next((phrase for phrase in reading.phrases if phrase.preposition in ("on", "at", "in")), None)
    if noun is None or reading.actor is None:
        return None
    actor = as_person(reading.actor)
    return _on(reading, actor, reading.lemma, value_of(noun.words), time)


def _gave_up(reading: Reading) -> ActionCandidate | None:
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
    return _on(reading, actor, control.lemma_.lower(), thing, time)


def _within(word: Token, time: StatedTime, reading: Reading) -> bool:
    start = reading.clause.sentence.start_char
    return start + time.span_start <= word.idx < start + time.span_end


def _telling(noun: Token) -> list[Token]:
    return [word for word in noun.lefts if word.dep_ in ("compound", "amod")]


def _on(reading: Reading, actor: Mention, verb: str, thing: str, time: StatedTime | None) -> ActionCandidate:
    return ActionCandidate(
        start=reading.start,
        end=reading.end,
        confidence=0.8,
        category="context",
        actor=actor,
        verb=verb,
        object=thing,
        summary=" ".join(reading.about.split())[:VALUE_LENGTH_MAX],
        occurred_at=time.start if time is not None else None,
        precision=time.precision if time is not None else "",
    )


def _object(reading: Reading) -> Phrase | None:
    wanted = ["", "with"] if reading.lemma in _WITH_PEOPLE else [""]
    if reading.lemma in _MOTION:
        wanted = ["to", "from", ""]
    if reading.lemma == "start":
        wanted = ["at", ""]
    if reading.lemma in _WITH_PEOPLE:
        wanted = ["", "with", "to"]
    for phrase in reading.phrases:
        if phrase.head.lower_ in _TRIFLES and phrase.preposition == "":
            return None
        concrete = any(word.tag_.startswith(("NN", "CD")) for word in phrase.words)
        if phrase.preposition in wanted and concrete and not is_pointing(phrase.words):
            return phrase
    return None


def _has_object(reading: Reading) -> bool:
    """A pronoun will do for a promise with a date ("I'll send it by Friday")."""
    return any(child.dep_ == "dobj" for child in reading.clause.head.children)


def _verb(reading: Reading) -> str:
    """ "give up", where a particle belongs to the verb."""
    first = reading.clause.after[0] if reading.clause.after else None
    if first is not None and first.tag_ == "RP" and first.dep_ == "prt":
        return f"{reading.clause.lemma} {first.lower_}"
    return reading.clause.lemma


def _unparticled(phrase: Phrase) -> Sequence[Token]:
    return phrase.words[1:] if phrase.words[0].dep_ == "prt" and len(phrase.words) > 1 else phrase.words
