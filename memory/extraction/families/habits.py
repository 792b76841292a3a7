"""What people do again and again, own, and what is theirs."""

import re
from collections.abc import Iterator

from spacy.tokens import Token

from memory.candidates import SPEAKER, Polarity
from memory.extraction.claims import Aspect, Claim
from memory.extraction.families.frames import is_passive, subject_of
from memory.extraction.lexicon import ACQUAINTANCES, FAMILY, FIRST_PERSON_POSSESSIVE, PETS, listed
from memory.extraction.phrases import Phrase, is_name, is_pointing, value_of
from memory.extraction.stated_time import Bound, Tense
from memory.extraction.turns import Reading

# In the present these verbs tell of a habit, in the past of one occasion.
_HABITS = {"drink": "drinks", "eat": "eats", "play": "plays", "collect": "collects", "smoke": "smokes"}
_COLOURS = listed("red green blue yellow white black brown grey gray orange purple pink silver gold turquoise")
# "My point is", "my day is": about the conversation or the moment, no property that lasts.
_NO_PROPERTY = listed(
    "point question problem issue guess idea bad day life week morning evening night answer request "
    "thing understanding "
    "feeling opinion apology fault mistake turn concern worry plan goal thought thoughts advice suggestion favourite "
    "favorite fave hobby employer workplace "
    "name birthday bday age job title position role occupation profession work way hope "
    "pleasure assumption "
    "impression response reaction first last heart mind head body mood focus priority task"
)
_SNAKE = re.compile(r"[^a-z0-9]+")
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
_MINE_ARE = {
    "hobbies": "hobbies",
    "hobby": "hobbies",
    "interests": "interests",
    "skills": "skills",
    "languages": "languages",
    "allergies": "allergies",
}
_POSSESSION = {
    "own": Aspect.STATE,
    "have": Aspect.STATE,
    "drive": Aspect.STATE,
    "sell": Aspect.END,
    "buy": Aspect.EVENT,
    "purchase": Aspect.EVENT,
}


class Habits:
    """drinks, eats, plays, collects; owns; and "my <noun> is <value>" as <noun>."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        yield from self._habits(reading)
        yield from self._owns(reading)
        yield from self._mine_is(reading)
        yield from self._mine_are(reading)
        yield from self._avoids(reading)

    def _habits(self, reading: Reading) -> Iterator[Claim]:
        standing, key = reading.standing, _HABITS.get(reading.lemma)
        if key is None or reading.actor is None or is_passive(reading):
            return
        ended = standing.polarity is Polarity.ENDED
        lasting = (
            standing.perfect
            and standing.progressive
            and any(time.bound in (Bound.SINCE, Bound.LENGTH) for time in reading.times)
        )
        if not (ended or standing.inceptive or standing.tense is Tense.PRESENT) or (reading.times and not lasting):
            return
        if standing.progressive and not (ended or standing.inceptive or lasting):
            return  # "I'm eating lunch"
        for phrase in reading.direct():
            if (_is_common(phrase) and not _is_definite(phrase.words[0])) or is_name(phrase.words):
                yield _claim(reading, key, value_of(phrase.words), phrase, confidence=0.85)

    def _owns(self, reading: Reading) -> Iterator[Claim]:
        """ "I own a kayak", "I sold my car", "I bought a Tesla"; of bought things only those with a name last."""
        aspect = _POSSESSION.get(reading.lemma)
        if aspect is None or reading.actor is None or is_passive(reading):
            return
        for phrase in reading.direct():
            words = phrase.words
            mine = words[0].lower_ in FIRST_PERSON_POSSESSIVE
            words = words[1:] if mine and len(words) > 1 else words
            if (
                is_pointing(words)
                or ((aspect is Aspect.EVENT or reading.lemma in ("have", "drive")) and not is_name(words))
                or (aspect is Aspect.END and not mine)
            ):
                return
            if reading.lemma == "have" and not _is_artefact(phrase):
                return
            yield _claim(reading, "owns", value_of(words), phrase, aspect=aspect, confidence=0.85)
            return

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
            if is_pointing(phrase.words) or _is_definite(phrase.words[0]) or len(phrase.words) > 3:
                return
            claim = _claim(reading, "avoids", value_of(phrase.words), phrase, aspect=Aspect.GIVEN, confidence=0.85)
            yield claim

    def _mine_are(self, reading: Reading) -> Iterator[Claim]:
        """ "My hobbies are pottery and chess": one value each."""
        subject = reading.clause.subject
        key = _MINE_ARE.get(subject.lower_, "") if subject is not None else ""
        if not key or subject is None or reading.lemma not in ("be", "include") or not _is_mine(subject):
            return
        for phrase in reading.direct():
            if not is_pointing(phrase.words) and phrase.words[-1].tag_ in ("NN", "NNS", "NNP", "VBG"):
                yield _claim(reading, key, value_of(phrase.tail or phrase.words), phrase, confidence=0.9, speaker=True)

    def _mine_is(self, reading: Reading) -> Iterator[Claim]:
        """ "My bus is the 81", "our staging database is MariaDB"."""
        subject = reading.clause.subject
        if subject is None or reading.lemma != "be" or not reading.clause.owns_subject or not _is_mine(subject):
            return
        noun = subject.lemma_.lower()
        if noun in _NO_PROPERTY or subject.tag_ == "NNS" or {subject.lower_, noun} & (FAMILY | PETS | ACQUAINTANCES):
            return
        modifiers = [child for child in subject.lefts if child.dep_ in ("compound", "amod")]
        if any(child.lower_ in _NO_PROPERTY | listed("only main biggest next old current new") for child in modifiers):
            if not all(child.lower_ in ("current", "new", "stage") for child in modifiers):
                return
            modifiers = [child for child in modifiers if child.lower_ == "stage"]
        if subject.right_edge.i != subject.i or not reading.phrases or reading.phrases[0].preposition:
            return
        phrase = reading.phrases[0]
        if not (
            _is_common(phrase)
            or is_name(phrase.words)
            or phrase.words[-1].lower_ in _COLOURS
            or phrase.words[-1].like_num
            or phrase.words[-1].like_email
            or phrase.words[-1].like_url
        ):
            return
        if is_pointing(phrase.words):
            return
        key = _SNAKE.sub("_", " ".join([*(child.lower_ for child in modifiers), noun])).strip("_")
        if key:
            yield _claim(reading, key, value_of(phrase.words), phrase, confidence=0.8, speaker=True)


def _claim(
    reading: Reading,
    key: str,
    value: str,
    phrase: Phrase,
    *,
    aspect: Aspect = Aspect.STATE,
    confidence: float,
    speaker: bool = False,
) -> Claim:
    return Claim(
        subject=SPEAKER if speaker else subject_of(reading, "person"),
        key=key,
        value=value,
        start=reading.start,
        end=max(reading.end, phrase.end),
        category="knowledge",
        aspect=aspect,
        confidence=confidence,
    )


def _is_common(phrase: Phrase) -> bool:
    """A plain noun phrase, without a relative clause that would change what it means."""
    if is_pointing(phrase.words) or phrase.head.tag_ not in ("NN", "NNS", "NNP", "NNPS"):
        return False
    return not any(child.dep_ == "relcl" for word in phrase.words for child in word.children)


def _is_definite(word: Token) -> bool:
    return word.tag_ == "PRP$" or (word.i > 0 and word.nbor(-1).lower_ == "the" and word.head.lemma_.lower() != "play")


def _is_mine(subject: Token) -> bool:
    return any(child.lower_ in FIRST_PERSON_POSSESSIVE for child in subject.lefts)


def _is_artefact(phrase: Phrase) -> bool:
    """ "I have a Canon EOS R6" against "I have a Monday deadline" and "I have a German friend"."""
    first = phrase.words[0]
    article = first.i > 0 and first.nbor(-1).lower_ in ("a", "an")
    return article and not any(word.ent_type_ in ("DATE", "TIME", "NORP", "PERSON", "GPE") for word in phrase.words)


def _bare_object(reading: Reading, following: Token | None) -> list[Phrase]:
    """ "can't eat gluten", where the model takes the food for a verb."""
    if following is None or following.dep_ != "xcomp" or following.sent != reading.clause.sentence:
        return []
    return [Phrase((following,))]
