"""What happened or is planned: a verb with a concrete object and a date or a named entity."""

from collections.abc import Iterator

from spacy.tokens import Token

from memory.candidates import ActionCandidate, Mention, Polarity
from memory.extraction.lexicon import APPOINTMENTS, FIRST_PERSON_POSSESSIVE, listed
from memory.extraction.moods import Mood
from memory.extraction.occasions import appointment, deed, quitting, spent, trip
from memory.extraction.phrases import Phrase, is_name, is_pointing, own_words, value_of, without_dative
from memory.extraction.stated_time import Bound, StatedTime, Tense
from memory.extraction.subjects import described
from memory.extraction.turns import Reading, as_person
from memory.extraction.verbs import IDLE_NOUNS

# Too empty to be an event, or about minds and words rather than deeds.
_LIGHT = listed(
    "be have do think know want feel guess say mean like love hate need seem look let wonder hope try use can will may "
    "believe prefer enjoy remember forget understand agree suppose wish care worry live work get put keep stay take "
    "sound happen talk tell ask hear see become grow turn show find notice realise realize spend expect decide plan "
    "wear own contain cost support press click type read wake call name help explain mention wait dream laugh cry"
)
_RIDES = listed("train bus plane ferry flight boat coach sleeper tram")
# Deeds without an object that are an event once they have a date, or somebody who is known did them.
_BY_THEMSELVES = listed(
    "leave die arrive retire resign graduate marry divorce start depart return propose emigrate visit come open close "
    "land collapse win qualify honeymoon drown recover relapse elope"
)
_WITH_PEOPLE = listed("talk speak meet")
_MOTION = listed("go fly travel drive return come walk ride hike sail move relocate cycle run")
# What is kept in mind without a date too.
_MILESTONES = listed(
    "buy sell purchase adopt acquire inherit sign cancel pass fail win lose enrol enroll join quit retire marry "
    "divorce publish defend launch ship complete book renovate repair replace install plant hire fire tear donate "
    "order rent emigrate graduate resign submit"
)
# Moves within a computer or a conversation, of no later interest.
_TRIFLES = listed(
    "lot bit thing stuff place file tab app window page folder button bug code function line row column cursor script"
)
# Beside the state that follows, the deed is told as well.
TURNS = listed("buy purchase sell inherit adopt die retire resign")
# Told as an end or an origin elsewhere.
_NO_DEEDS = ("grow up", "break up", "split up", "end up", "wake up", "turn out", "show up", "fall off")
_BEHIND = ("to", "from", "in", "at", "for", "with", "on")


def read_actions(reading: Reading, *, commitments_only: bool = False) -> Iterator[ActionCandidate]:
    """The deed that a clause tells.

    commitments_only: of what the speaker will do; so read when the assistant speaks.
    """
    standing, clause = reading.standing, reading.clause
    if standing.mood is not Mood.STATEMENT or standing.polarity is not Polarity.AFFIRMED:
        return
    time = _time(reading)
    if not commitments_only and (dated := appointment(reading) or trip(reading, _actor(reading), time)) is not None:
        yield dated
        return
    actor = _actor(reading)
    if actor is None or clause.top.dep_ in ("relcl", "acl"):
        return
    planned = reading.is_plan() or _is_planning(reading) or _is_timetabled(reading, time)
    if standing.reason not in ("", "planned") or (standing.reason == "planned" and not planned):
        return
    if not (planned or standing.tense is Tense.PAST or standing.perfect):
        return
    if commitments_only and not (actor.speaker and standing.tense is Tense.FUTURE):
        return
    if any(child.dep_ == "nsubjpass" for child in clause.head.children) and clause.lemma not in _BY_THEMSELVES:
        return  # "I was offered a job": it is others who did it
    if not commitments_only and (during := spent(reading)) is not None:
        yield deed(reading, actor, during[0], during[1], time)
        return
    if not clause.head.is_alpha or clause.head.pos_ != "VERB" or _is_light(reading):
        return
    phrase = _object(reading)
    # What stands behind a preposition alone is too little: "I slept on the sofa with Olle".
    led = phrase is not None and (not phrase.preposition or reading.lemma in _MOTION | _BY_THEMSELVES | _MILESTONES)
    told_of = phrase is not None and not actor.speaker and is_name(phrase.words)  # "my grandfather fought in Korea"
    led = led or told_of
    named = led and any(is_name(other.words) for other in reading.phrases)
    if not commitments_only and not named and (ending := quitting(reading)) is not None:
        yield ending
        return
    others = (led or phrase is None) and not actor.speaker and (reading.actor is not None or actor.mine)
    thing = value_of(_own(reading, phrase)) if phrase is not None else _it(reading)
    if not thing and not (time is not None and planned and _has_object(reading)):
        alone = clause.lemma in _BY_THEMSELVES or " " in _verb(reading)
        if not alone or (time is None and not others):
            return
    arranged = phrase is not None and phrase.head.lemma_.lower() in APPOINTMENTS - listed("exam test marathon race")
    kept_in_mind = others or (thing and clause.lemma in _MILESTONES and not arranged)
    if time is None and not named and (planned or not kept_in_mind):
        return
    yield deed(reading, actor, _verb(reading), thing or None, time, confidence=0.8 if phrase is not None else 0.7)


def _time(reading: Reading) -> StatedTime | None:
    """When it was or will be: of "on Monday they came and repaired it" for both."""
    governor = reading.clause.governor
    first = None
    joined = reading.clause.top.dep_ in ("conj", "advcl") and not reading.clause.owns_subject
    if governor is not None and joined and not any(word.lower_ == "but" for word in governor.own):
        first = reading.turn.reading_at(governor.head)
    times = [*reading.times, *(first.times if first is not None else ())]
    return next((time for time in times if time.bound is Bound.AT), None)


def _actor(reading: Reading) -> Mention | None:
    """Who did it: by name, or as "the garage" and "a plumber"; of "Ana and I" the speaker."""
    if reading.actor is not None:
        subject = reading.clause.subject
        together = subject is not None and subject.lower_ in ("i", "me", "we") and not reading.actor.speaker
        if together:
            return None
        return reading.actor if reading.actor.type != "other" else as_person(reading.actor)
    subject = reading.clause.subject
    return described(subject, anyone=True) if subject is not None else None


def _is_light(reading: Reading) -> bool:
    """Whether the verb is too empty, rides ("took the train"), what was seen or taken out aside."""
    lemma = reading.lemma
    if _verb(reading) in _NO_DEEDS:
        return True
    if lemma not in _LIGHT - _WITH_PEOPLE or _is_witnessed(reading):
        return False
    if _takes_out(reading) and any(phrase.words[0].lower_ in FIRST_PERSON_POSSESSIVE for phrase in reading.direct()):
        return False
    ride = lemma == "take" and any(phrase.head.lower_ in _RIDES for phrase in reading.direct())
    return not ride and " " not in _verb(reading)


def _is_timetabled(reading: Reading, time: StatedTime | None) -> bool:
    """ "I retire on 31 July": the present of what has a date to come."""
    standing = reading.standing
    plain = standing.tense is Tense.PRESENT and not standing.perfect and not standing.reason
    dated = time is not None and time.precision in ("day", "month", "year") and time.start > reading.turn.said_at
    return plain and dated and reading.lemma in _BY_THEMSELVES | _MOTION and reading.actor is not None


def _it(reading: Reading) -> str:
    """ "The van is gone; we sold it": what "it" is, where just one thing was spoken of."""
    things = set(reading.turn.things)
    pronoun = any(child.dep_ == "dobj" and child.lower_ == "it" for child in reading.clause.head.children)
    return next(iter(things)).name if pronoun and len(things) == 1 and reading.standing.tense is Tense.PAST else ""


def _is_planning(reading: Reading) -> bool:
    """ "We're planning to redo the kitchen in January": a plan once it has a time."""
    controls = reading.clause.controls
    planning = bool(controls) and (
        controls[0].lower_ in ("due", "booked", "scheduled", "set")
        or controls[0].lemma_.lower() in ("plan", "intend", "arrange", "decide")
    )
    return planning and reading.standing.polarity is Polarity.AFFIRMED and bool(reading.times)


def _is_witnessed(reading: Reading) -> bool:
    """ "I saw Radiohead in 2017": of a name, and at a time."""
    named = any(is_name(phrase.words) for phrase in reading.direct()[:1])
    return reading.lemma == "see" and named and _time(reading) is not None


def _object(reading: Reading) -> Phrase | None:
    """What the deed was done to, else where it led ("retired from the fire service")."""
    first = reading.phrases[0] if reading.phrases else None
    if first is not None and not first.preposition and _is_idle(first):
        return None
    direct: tuple[str, ...] = ("",)
    acts_on = any(child.dep_ == "dobj" for child in reading.clause.head.children)
    if reading.lemma in _MOTION and not acts_on:
        direct = ("to", "", "from")
    elif reading.lemma == "start":
        direct = ("at", "")
    elif reading.lemma in _WITH_PEOPLE:
        direct = ("", "with", "to")
    for preposition in direct:
        for phrase in reading.phrases:
            if phrase.preposition == preposition and _is_concrete(phrase):
                return phrase
    if acts_on or (len(direct) > 1 and " " not in _verb(reading)):
        return None
    return first if first is not None and first.preposition in _BEHIND and _is_concrete(first) else None


def _is_idle(phrase: Phrase) -> bool:
    """ "A look", "the file": nothing of later interest, unless it is told which one."""
    return phrase.head.lemma_.lower() in _TRIFLES | IDLE_NOUNS and len(own_words(phrase.words)) == 1


def _is_concrete(phrase: Phrase) -> bool:
    own = own_words(_unparticled(phrase))
    if own[0].dep_ == "prep":
        return False  # "off the wagon"
    noun = any(word.tag_.startswith(("NN", "CD")) for word in own)
    return noun and not is_pointing(own) and not any(word.lower_ in ("you", "your") for word in own)


def _has_object(reading: Reading) -> bool:
    """A pronoun will do for a promise with a date ("I'll send it by Friday")."""
    return any(child.dep_ == "dobj" for child in reading.clause.head.children)


def _verb(reading: Reading) -> str:
    """ "give up", where a particle belongs to the verb."""
    first = reading.clause.after[0] if reading.clause.after else None
    if first is not None and first.tag_ == "RP" and first.dep_ == "prt":
        return f"{reading.clause.lemma} {first.lower_}"
    return reading.clause.lemma


def _own(reading: Reading, phrase: Phrase) -> tuple[Token, ...]:
    """Without "his": whose it is, the actor tells."""
    words = _unparticled(phrase)
    kept = words[0].lower_ in FIRST_PERSON_POSSESSIVE and not _takes_out(reading)
    return words if kept else own_words(words)


def _takes_out(reading: Reading) -> bool:
    """ "I had my tonsils out"."""
    return reading.lemma in ("have", "get") and any(word.lower_ == "out" for word in reading.clause.after[:6])


def _unparticled(phrase: Phrase) -> tuple[Token, ...]:
    words = phrase.words[1:] if phrase.words[0].dep_ == "prt" and len(phrase.words) > 1 else phrase.words
    return without_dative(words)
