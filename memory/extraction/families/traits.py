"""What somebody is for a long time: married, retired, tall, left-handed, ill, educated, skilled."""

import re
from collections.abc import Iterator

from memory.candidates import MemoryCategory
from memory.extraction.claims import Aspect, Claim
from memory.extraction.families.frames import is_passive, subject_of
from memory.extraction.lexicon import listed
from memory.extraction.phrases import Phrase, is_pointing, value_of
from memory.extraction.turns import Reading

_EARLY = (
    r"^(?:n't|not|no longer)?\s*"
    r"(?:now|currently|officially|finally|happily|recently|still|already|newly|also|just)?\s*"
)
_MARITAL = re.compile(_EARLY + r"(married|single|divorced|engaged|widowed|separated)\b", re.IGNORECASE)
_EMPLOYMENT = re.compile(
    _EARLY + r"(unemployed|retired|self[- ]employed|freelancing|between jobs|"
    r"on (?:(?:parental|maternity|paternity) leave|sabbatical))\b",
    re.IGNORECASE,
)
_HANDED = re.compile(_EARLY + r"(left-handed|right-handed|ambidextrous)\b", re.IGNORECASE)
_CONDITION = re.compile(
    _EARLY + r"(?:an?\s+|profoundly |partially |severely )?(colou?r[- ]?blind|deaf|blind|hard of hearing|dyslexic|"
    r"autistic|epileptic|asthmatic|diabetic|neurodivergent|pregnant)\b(?!\s+(?:to|date|spot|person|people))",
    re.IGNORECASE,
)
_TALL = re.compile(
    r"^(?:about |around |only )?(\d+(?:[.,]\d+)?\s*(?:cm|m|centimet(?:er|re)s?|met(?:er|re)s?)(?=\s+tall\b)|"
    r"\d\s*(?:feet|foot|ft|')\s*(?:\d+\s*(?:inches|inch|in|\")?)?(?=\s+tall\b)|\d'\d{1,2}\b)",
    re.IGNORECASE,
)
_KIND_OF_PERSON = re.compile(
    _EARLY
    + r"(?:very much |more of )?an?\s+(?:total |real |big |bit of an? )?((?:morning|night|evening|cat|dog|tea|coffee|"
    r"city|country|beach|mountain|outdoors?|indoors?|summer|winter|people|early) person|night owl|early bird|"
    r"lark|introvert|"
    r"extrovert|homebody|foodie|bookworm|minimalist|perfectionist|early riser)\b",
    re.IGNORECASE,
)
_PREDICATES = (
    (_MARITAL, "marital_status"),
    (_EMPLOYMENT, "employment_status"),
    (_HANDED, "handedness"),
    (_TALL, "height"),
    (_CONDITION, "health"),
    (_KIND_OF_PERSON, "trait"),
)
_LISTED = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+")
_SENTENCE = re.compile(r"[.;!?\n]|,?\s+(?:so|but|because)\s")
_WEIGHT = re.compile(
    r"^(?:about |around )?(\d+(?:[.,]\d+)?\s*(?:kg|kgs|kilos?|kilograms?|pounds|lbs?|stone))\b", re.IGNORECASE
)
_ILLNESS = re.compile(
    r"(?:diabetes|asthma|epilepsy|migraines?|adhd|autism|anxiety|depression|dyslexia|hypertension|insomnia|eczema|"
    r"psoriasis|anemia|anaemia|lupus|cancer|glaucoma|tinnitus|vertigo|osteoporosis|sciatica|\w+itis|\w+emia|\w+algia|"
    r"high blood pressure|(?:\w+'s|\w+) (?:disease|syndrome|disorder))$",
    re.IGNORECASE,
)
# The model takes "have type 1 diabetes" for a verb "type".
_HAS_ILLNESS = re.compile(
    r"^(?:i|we)(?:'ve| have)(?: got| also)? ((?:type \d|chronic|severe|mild) [a-z ]{3,40}?)(?=$|[.,;!]| and | "
    r"but | so )",
    re.IGNORECASE,
)
_DEGREE = re.compile(
    r"^(?:phd|ph\.d|doctorate|doctoral degree|mba|bsc|msc|ba|ma|llb|degree|diploma|"
    r"(?:bachelor|master)(?:'s|s)?(?: degree)?|\w+ degree)$",
    re.IGNORECASE,
)
_FAITHS = listed(
    "buddhist christian catholic protestant muslim jewish hindu sikh mormon orthodox lutheran baptist quaker"
)
_PARTIES = listed("republican democrat democratic conservative liberal labour socialist communist green")
_SKILLED = listed("good great skilled fluent proficient experienced trained certified excellent expert")


class Traits:
    """marital_status, employment_status, handedness, height, weight, health, degree, skills, teaches."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        if reading.actor is None or (not reading.actor.speaker and reading.actor.type in ("location", "event")):
            return
        yield from self._being(reading)
        yield from self._having(reading)
        yield from self._weighing(reading)
        yield from self._knowing(reading)
        yield from self._teaching(reading)
        yield from self._nationality(reading)
        yield from self._jobless(reading)

    def _being(self, reading: Reading) -> Iterator[Claim]:
        head = reading.clause.head
        if reading.lemma in ("be", "get", "become", "go"):
            tail = reading.turn.text[head.idx + len(head) : reading.clause.sentence.end_char].lstrip()
            changed = reading.lemma != "be"
        elif any(child.dep_ in ("auxpass", "aux") and child.lemma_ in ("be", "get") for child in head.children):
            # "We're getting married", "I'm left-handed": a participle for the model.
            tail = reading.turn.text[head.idx : reading.clause.sentence.end_char]
            changed = any(child.lower_ in ("get", "got", "getting", "gets") for child in head.children)
        else:
            return
        aspect = Aspect.EVENT if changed else Aspect.STATE
        for number, part in enumerate(_LISTED.split(_SENTENCE.split(tail, maxsplit=1)[0])):
            claim = self._predicate(reading, tail if number == 0 else part, aspect)
            if claim is None and number:
                break
            if claim is not None:
                yield claim
        if reading.lemma == "retire" and not reading.phrases:
            yield _claim(reading, "employment_status", "retired", aspect=Aspect.EVENT, category="identity")

    def _predicate(self, reading: Reading, tail: str, aspect: Aspect) -> Claim | None:
        """What one of the listed predicates says: "left-handed, colour blind and 6'5"."""
        for pattern, key in _PREDICATES:
            if (found := pattern.match(tail)) is None:
                continue
            if key == "marital_status" and (_counts_others(tail[found.end() :], found[1]) or _with_speaker(reading)):
                return None
            return _claim(reading, key, found[1], aspect=aspect, category="identity")
        return None

    def _having(self, reading: Reading) -> Iterator[Claim]:
        """ "I have type 1 diabetes", "I have a PhD in linguistics", "I was diagnosed with asthma"."""
        if reading.lemma in ("diagnose", "suffer"):
            for phrase in reading.phrases:
                if phrase.preposition in ("with", "from") and _ILLNESS.search(value_of(phrase.words)):
                    aspect = Aspect.PAST if reading.lemma == "diagnose" else Aspect.STATE
                    yield _claim(reading, "health", value_of(phrase.words), phrase, aspect=aspect, category="identity")
            return
        found = _HAS_ILLNESS.search(reading.clause.sentence.text)
        if found is not None and _ILLNESS.search(found[1]):
            yield _claim(reading, "health", found[1], aspect=Aspect.GIVEN, category="identity")
            return
        if reading.lemma == "graduate":
            yield from self._graduated(reading)
        if reading.lemma not in ("have", "hold", "earn", "complete", "finish", "get", "do"):
            return
        direct = reading.direct()
        if not direct:
            return
        words = direct[0].words[1:] if direct[0].words[0].tag_ == "PRP$" else direct[0].words
        if is_pointing(words):
            return
        value = value_of(words)
        if reading.lemma == "have" and _ILLNESS.search(value):
            for phrase in direct:
                if _ILLNESS.search(value_of(phrase.words)):
                    yield _claim(reading, "health", value_of(phrase.words), phrase, category="identity")
        elif _DEGREE.match(value.split(" in ")[0]) and reading.lemma != "get":
            subject = next((phrase for phrase in reading.phrases if phrase.preposition == "in"), None)
            full = value_of((*words, *subject.words)) if subject is not None else value
            aspect = Aspect.STATE if reading.lemma in ("have", "hold") else Aspect.PAST
            yield _claim(reading, "degree", full, subject or direct[0], aspect=aspect, category="identity")

    def _graduated(self, reading: Reading) -> Iterator[Claim]:
        """ "I graduated with a degree in economics"."""
        for phrase in reading.phrases:
            if phrase.preposition == "with" and _DEGREE.match(value_of(phrase.words)):
                value = value_of(phrase.tail or phrase.words)
                yield _claim(reading, "degree", value, phrase, aspect=Aspect.PAST, category="identity")

    def _weighing(self, reading: Reading) -> Iterator[Claim]:
        head = reading.clause.head
        if reading.lemma == "weigh":
            tail = reading.turn.text[head.idx + len(head) : reading.clause.sentence.end_char].lstrip()
            if (found := _WEIGHT.match(tail)) is not None:
                yield _claim(reading, "weight", found[1], category="identity")

    def _knowing(self, reading: Reading) -> Iterator[Claim]:
        """ "I'm good at cooking", "I'm fluent in French", "I know Python"."""
        after = [word.lower_ for word in reading.clause.after[:3]]
        if reading.lemma == "be" and set(after) & _SKILLED:
            for phrase in reading.phrases:
                if phrase.preposition in ("at", "in", "with") and not is_pointing(phrase.words):
                    if not any(word.tag_.startswith(("NN", "VBG")) for word in phrase.words):
                        continue
                    fluent = "fluent" in after
                    yield _claim(reading, "speaks" if fluent else "skills", value_of(phrase.words), phrase)

    def _nationality(self, reading: Reading) -> Iterator[Claim]:
        """ "I'm Dutch", "I'm a Buddhist": what the model knows as a people or a faith."""
        if reading.lemma != "be" or not reading.phrases or reading.phrases[0].preposition:
            return
        words = [word for word in reading.phrases[0].words if word.lower_ not in ("half", "practising", "practicing")]
        if not words or any(word.ent_type_ != "NORP" for word in words) or len(words) > 2:
            return
        said = value_of(reading.phrases[0].words)
        key = "religion" if words[-1].lower_ in _FAITHS else "nationality"
        if words[-1].lower_ not in _PARTIES:
            yield _claim(reading, key, said, reading.phrases[0], category="identity", confidence=0.85)

    def _jobless(self, reading: Reading) -> Iterator[Claim]:
        """ "I lost my job": at nobody named, else the employer is what ended."""
        direct = reading.direct()
        lost = reading.lemma == "lose" and direct and [word.lower_ for word in direct[0].words] == ["my", "job"]
        if reading.lemma in ("fire", "lay") and is_passive(reading) and reading.phrases == []:
            lost = True
        if lost and not any(phrase.preposition in ("at", "with") for phrase in reading.phrases):
            yield _claim(reading, "employment_status", "unemployed", aspect=Aspect.EVENT, category="identity")

    def _teaching(self, reading: Reading) -> Iterator[Claim]:
        if reading.lemma != "teach" or reading.standing.progressive:
            return
        for phrase in reading.direct()[:1]:
            if not is_pointing(phrase.words) and phrase.head.tag_ in ("NN", "NNP", "NNS"):
                yield _claim(reading, "teaches", value_of(phrase.words), phrase, confidence=0.85)


def _with_speaker(reading: Reading) -> bool:
    """Whether the speaker shares the clause with somebody: "Me and Luca got married" tells to whom, elsewhere."""
    subject = reading.clause.subject
    together = (subject, *subject.conjuncts) if subject is not None else ()
    return len(together) > 1 and any(word.lower_ in ("i", "me", "we") for word in together)


def _counts_others(rest: str, status: str) -> bool:
    """ "a single dad", "engaged in talks", "separated from the group": no marital status."""
    follows = rest.strip().split(" ")[0].lower().strip(".,!;")
    if status.lower() in ("engaged", "separated", "married"):
        return follows in ("in", "with", "by", "from", "to") and rest.strip()[:2] != "in"
    return (
        status.lower() == "single"
        and follows.isalpha()
        and follows not in listed("and but again now for since after these at right")
    )


def _claim(
    reading: Reading,
    key: str,
    value: str,
    phrase: Phrase | None = None,
    *,
    aspect: Aspect = Aspect.STATE,
    category: MemoryCategory = "knowledge",
    confidence: float = 0.9,
) -> Claim:
    return Claim(
        subject=subject_of(reading, "person"),
        key=key,
        value=value,
        start=reading.start,
        end=max(reading.end, phrase.end if phrase is not None else 0),
        category=category,
        aspect=aspect,
        confidence=confidence,
    )
