"""What people do again and again, and avoid."""

from collections.abc import Iterator

from spacy.tokens import Token

from memory.candidates import Polarity
from memory.extraction.claims import Aspect, Claim
from memory.extraction.families.frames import is_passive, subject_of, told_by
from memory.extraction.lexicon import HABIT_BY_VERB
from memory.extraction.phrases import Phrase, is_common, is_definite, is_name, is_pointing, value_of
from memory.extraction.stated_time import Bound, Tense
from memory.extraction.turns import Reading

# In the present these verbs tell of a habit, in the past of one occasion.
_HABITS = {
    "drink": "drinks",
    "eat": "eats",
    "play": "plays",
    "collect": "collects",
    "smoke": "smokes",
}
_FOODS = (
    "dairy",
    "gluten",
    "lactose",
    "nuts",
    "peanuts",
    "sugar",
    "alcohol",
    "caffeine",
    "seafood",
    "shellfish",
    "soy",
)


class Habits:
    """drinks, eats, plays, collects; owns; and "my <noun> is <value>" as <noun>."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        yield from self._habits(reading)
        yield from self._given_up(reading)
        yield from self._avoids(reading)

    def _habits(self, reading: Reading) -> Iterator[Claim]:
        standing, key = reading.standing, _HABITS.get(reading.lemma)
        if reading.actor is None or is_passive(reading):
            return
        ended = standing.polarity is Polarity.ENDED
        alone = HABIT_BY_VERB.get(reading.lemma)
        if alone is not None and not reading.direct():
            if ended or (standing.tense is Tense.PRESENT and not standing.progressive):
                yield self._habit(reading, alone, Aspect.STATE)
            return
        if key is None:
            return
        lasting = (
            standing.perfect
            and standing.progressive
            and (any(time.bound in (Bound.SINCE, Bound.LENGTH) for time in reading.times) or reading.is_of_old())
        )
        if not (ended or standing.inceptive or standing.tense is Tense.PRESENT) or (reading.times and not lasting):
            return
        if standing.progressive and not (ended or standing.inceptive or lasting):
            return  # "I'm eating lunch"
        for phrase in reading.direct():
            if (is_common(phrase) and not is_definite(phrase.words[0])) or is_name(phrase.words):
                yield told_by(reading, key, value_of(phrase.words), phrase, confidence=0.85)

    def _given_up(self, reading: Reading) -> Iterator[Claim]:
        """ "I quit smoking", "I gave up drinking": what is known as a habit by its name."""
        words = [word.lower_ for word in reading.clause.after[:2]]
        if reading.actor is None or reading.lemma not in ("quit", "give", "stop"):
            return
        if reading.lemma == "give" and words[:1] != ["up"]:
            return
        habit = next((word for word in words if word in HABIT_BY_VERB.values()), None)
        if habit is not None:
            yield self._habit(reading, habit, Aspect.END)

    def _habit(self, reading: Reading, name: str, aspect: Aspect) -> Claim:
        return Claim(
            subject=subject_of(reading, "person"),
            key="habit",
            value=name,
            start=reading.start,
            end=reading.end,
            category="knowledge",
            aspect=aspect,
            confidence=0.85,
        )

    def _avoids(self, reading: Reading) -> Iterator[Claim]:
        """ "I don't eat pork", "I can't eat gluten", "I avoid dairy": a rule of one's own, told as a negation."""
        standing, actor = reading.standing, reading.actor
        if (
            actor is None
            or reading.lemma not in ("eat", "drink", "have", "avoid")
            or is_passive(reading)
            or reading.times
        ):
            return
        unable = any(child.lower_ in ("ca", "can", "cannot") for child in reading.clause.head.children)
        if standing.tense is not Tense.PRESENT or standing.progressive or standing.perfect:
            return
        if reading.lemma == "avoid":
            if standing.polarity is not Polarity.AFFIRMED or standing.reason:
                return
        elif standing.polarity is not Polarity.NEGATED or (standing.reason and not unable):
            return
        if reading.lemma == "have" and not (unable and reading.about.lower().endswith(_FOODS)):
            return
        if any(phrase.preposition in ("before", "after", "at", "in", "with", "on") for phrase in reading.phrases):
            return  # "I don't drink coffee after noon": not the thing as such
        following = reading.clause.head.nbor(1) if reading.clause.head.i + 1 < len(reading.clause.head.doc) else None
        for phrase in reading.direct() or _bare_object(reading, following):
            if is_pointing(phrase.words) or is_definite(phrase.words[0]) or len(phrase.words) > 3:
                return
            yield told_by(reading, "avoids", value_of(phrase.words), phrase, aspect=Aspect.GIVEN, confidence=0.85)


def _bare_object(reading: Reading, following: Token | None) -> list[Phrase]:
    """ "can't eat gluten", where the model takes the food for a verb."""
    if following is None or following.dep_ != "xcomp" or following.sent != reading.clause.sentence:
        return []
    return [Phrase((following,))]
