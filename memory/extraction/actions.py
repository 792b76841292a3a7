"""What happened or is planned: a verb with a concrete object and a date or a named entity."""

from collections.abc import Iterator

from memory.candidates import VALUE_LENGTH_MAX, ActionCandidate, Mention, Polarity
from memory.extraction.lexicon import listed
from memory.extraction.moods import Mood
from memory.extraction.phrases import Phrase, is_name, is_pointing, value_of
from memory.extraction.stated_time import Bound, Tense
from memory.extraction.turns import Reading

# Too empty to be an event, or about minds and words rather than deeds.
_LIGHT = listed(
    "be have do think know want feel guess say mean like love hate need seem look let wonder hope try use can will may "
    "believe prefer enjoy remember forget understand agree suppose wish care worry live work get put keep stay take "
    "sound happen talk tell ask hear see become grow turn"
)
_WITH_PEOPLE = listed("talk speak meet")
_MOTION = listed("go fly travel drive return come walk ride hike sail move relocate")


def read_actions(reading: Reading, *, commitments_only: bool = False) -> Iterator[ActionCandidate]:
    """The deed that a clause tells.

    commitments_only: of what the speaker will do; so read when the assistant speaks.
    """
    standing, actor, clause = reading.standing, reading.actor, reading.clause
    if actor is None or standing.mood is not Mood.STATEMENT or standing.polarity is not Polarity.AFFIRMED:
        return
    planned = reading.is_plan()
    if standing.reason not in ("", "planned") or (standing.reason == "planned" and not planned):
        return
    if not (planned or standing.tense is Tense.PAST or standing.perfect) or clause.top.dep_ in ("relcl", "acl"):
        return
    if clause.lemma in _LIGHT - _WITH_PEOPLE or not clause.head.is_alpha or clause.head.pos_ != "VERB":
        return
    if commitments_only and not (actor.speaker and standing.tense is Tense.FUTURE):
        return
    time = next((time for time in reading.times if time.bound is Bound.AT), None)
    phrase = _object(reading)
    named = phrase is not None and any(is_name(other.words) for other in reading.phrases)
    if phrase is None and not (time is not None and planned and _has_object(reading)):
        return
    if time is None and not named:
        return
    yield ActionCandidate(
        start=reading.start,
        end=reading.end,
        confidence=0.8 if phrase is not None else 0.7,
        category="context",
        actor=actor if actor.speaker or actor.type != "other" else Mention(type="person", name=actor.name),
        verb=clause.lemma,
        object=value_of(phrase.words) if phrase is not None else None,
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
        concrete = any(word.tag_.startswith(("NN", "CD")) for word in phrase.words)
        if phrase.preposition in wanted and concrete and not is_pointing(phrase.words):
            return phrase
    return None


def _has_object(reading: Reading) -> bool:
    """A pronoun will do for a promise with a date ("I'll send it by Friday")."""
    return any(child.dep_ == "dobj" for child in reading.clause.head.children)
