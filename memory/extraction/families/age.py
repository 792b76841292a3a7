"""Ages and birthdays."""

import re
from collections.abc import Iterator

from memory.candidates import SPEAKER, Mention
from memory.extraction.calendar_words import MONTH_WORDS
from memory.extraction.claims import Aspect, Claim
from memory.extraction.families.frames import subject_of
from memory.extraction.lexicon import FAMILY, FIRST_PERSON_POSSESSIVE, PETS
from memory.extraction.moods import Mood
from memory.extraction.quantities import IN_WORDS, ORDINAL, number_of
from memory.extraction.relatives import SPELLINGS, relative
from memory.extraction.stated_time import Tense
from memory.extraction.turns import Reading

AGE_MAX = 125
_MONTH = rf"(?:{MONTH_WORDS})\.?"
_DAY = rf"(?:\d{{1,2}}(?:st|nd|rd|th)?|{ORDINAL})"
_NUMBER = rf"\d{{1,3}}|{IN_WORDS}"
_DATE = re.compile(
    rf"(?:the\s+)?((?:{_MONTH}\s+(?:the\s+)?{_DAY}|{_DAY}\s+(?:of\s+)?{_MONTH})(?:,?\s+(?:19|20)\d{{2}})?|"
    r"(?:19|20)\d{2}-\d{2}-\d{2}|\d{1,2}[/.]\d{1,2}[/.](?:19|20)\d{2})(?!\w)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\bin\s+((?:19|20)\d{2})\b", re.IGNORECASE)
_AGE_NEXT = re.compile(
    rf"\s*(?:just |now |only |about |almost )*({_NUMBER})(?:[\s-]*(?:years?[\s-]*old|yo\b|y/o|years? of age))?"
    r"(?=\s*(?:$|[.,!;)\n]|and\b|but\b|now\b|today\b|on\b|in\b|last\b|this\b|since\b|yesterday\b|next\b|so\b|"
    r"(?<=old)))",
    re.IGNORECASE,
)
_AGED_NOUN = re.compile(rf"\s*(?:an?\s+)({_NUMBER})[\s-]*years?[\s-]*old\b", re.IGNORECASE)


_NAME = r"(?P<name>(?-i:[A-ZÀ-ÖØ-Þ])[\w'’-]+)"
_KIN = rf"(?P<kin>{'|'.join(sorted(FAMILY | PETS, key=len, reverse=True))})"
# "At 78, my father still cycles", "my 5-year-old son Tim", "our daughter Noor (11)".
_AGED = (
    re.compile(
        rf"^\W*(?:at (?:the age of )?|aged )(?P<age>{_NUMBER}),\s+(?:(?:my|our) {_KIN}\b|{_NAME}\b|(?P<me>I)\b)",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?:my|our) (?P<age>{_NUMBER})[- ]years?[- ]old {_KIN}(?:,? {_NAME})?\b", re.IGNORECASE),
    re.compile(
        rf"\b(?:my|our) (?:\w+ )?{_KIN},? {_NAME},? (?:\((?P<age>{_NUMBER})\)|(?:who(?:'s| is) )?(?:only |just |now |"
        rf"aged )*(?P<age2>{_NUMBER})"
        r"(?= years| yrs| now|[,.;!]|$| and\b))",
        re.IGNORECASE,
    ),
)
# "moved back in with my parents, 29 years old": of the speaker, where nobody else is spoken of.
_OWN_AGE = re.compile(
    rf"(?:^|[,;(–—-])\s*(?:aged |and |i'm )?(?P<age>{_NUMBER})[\s-]*(?:years?|yrs)[\s-]*old\b(?! \w)", re.IGNORECASE
)
_OTHERS = re.compile(
    r"\b(?:he|she|they|it|his|her|their|who|whose|dog|cat|son|daughter|kid|child|house|car|building)\b", re.IGNORECASE
)
_WILL_TURN = re.compile(rf"\b(?:will|'ll|going to|gonna) (?:be |be turning |turn )(?:{_NUMBER})\b", re.IGNORECASE)
_BIRTHDAY = r"(?:date of birth|birth ?dates?|birthdays?|b-?days?|d\.?o\.?b\.?)"
_BORN_ON = re.compile(
    rf"(?:^|[.,;!(]\s*|\bmy )(?:my )?{_BIRTHDAY}(?:'s)?\b(?:\s+(?:down|in|up))?\s*(?:(?:is|as|on|falls on|to|being|:|"
    rf"-|=)\s*)*(?={_DATE.pattern})",
    re.IGNORECASE,
)
_FEASTS = (
    r"(?:halloween|christmas(?: day| eve)?|new year(?:'s|s)? (?:day|eve)|valentine'?s day|boxing day|april fools'?(?: "
    r"day)?|"
    r"bonfire night|st\.? patrick'?s day|leap day|canada day|bastille day|the fourth of july|midsummer(?:'s day)?)"
)
_FEAST = re.compile(
    rf"\b(?P<feast>{_FEASTS})(?:'s| is| happens to be| just happens to be) (?:also )?my birthday\b|"
    rf"\bmy birthday(?:'s| is| falls)(?: on)? (?P<feast2>{_FEASTS})\b|\bi was born on (?P<feast3>{_FEASTS})\b",
    re.IGNORECASE,
)


class Age:
    """age, birthday and birth_year of the speaker or a named person."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        yield from self._birthday(reading)
        if reading.clause.top.i == reading.clause.sentence.root.i and reading.standing.mood is not Mood.QUESTION:
            yield from self._told_aside(reading)
        actor = reading.actor
        if actor is None:
            return
        tail = reading.turn.text[reading.clause.head.idx + len(reading.clause.head) : reading.clause.sentence.end_char]
        was = reading.lemma == "be" and reading.standing.tense is Tense.PAST  # "she was 17" when it happened
        coming = _WILL_TURN.search(reading.clause.sentence.text)
        if coming is not None and (found := _DATE.search(reading.clause.sentence.text)):
            yield self._claim(reading, subject_of(reading, "person"), "birthday", found[1], Aspect.GIVEN)
        elif reading.lemma in ("be", "turn") and not was and (age := _age(tail)):
            yield self._claim(
                reading,
                subject_of(reading, "person"),
                "age",
                age,
                Aspect.EVENT if reading.lemma == "turn" else Aspect.STATE,
            )
        if reading.clause.head.lower_ == "born":
            if found := _DATE.search(tail):
                yield self._claim(reading, subject_of(reading, "person"), "birthday", found[1], Aspect.PAST)
            elif found := _YEAR.search(tail):
                yield self._claim(reading, subject_of(reading, "person"), "birth_year", found[1], Aspect.PAST)

    def _told_aside(self, reading: Reading) -> Iterator[Claim]:
        """Ages and birthdays beside what the sentence is about, or without a verb."""
        text = reading.clause.sentence.text
        if (found := _BORN_ON.search(text)) and not _UNREAL.search(text[: found.end()]):
            date = _DATE.match(text, found.end())
            if date is not None:
                yield self._claim(reading, SPEAKER, "birthday", date[1], Aspect.GIVEN)
        elif (found := _FEAST.search(text)) and not _UNREAL.search(text):
            feast = found["feast"] or found["feast2"] or found["feast3"]
            yield self._claim(reading, SPEAKER, "birthday", feast, Aspect.GIVEN)
        for pattern in _AGED:
            if found := pattern.search(text):
                groups = found.groupdict()
                age = number_of(groups.get("age") or groups.get("age2") or "")
                who = _who(groups)
                clock = (
                    text.lower().lstrip().startswith("at ") and " age" not in text[: found.end()] and (age or 0) <= 24
                )
                if age is not None and 0 < age <= AGE_MAX and who is not None and not clock:
                    yield self._claim(reading, who, "age", str(age), Aspect.GIVEN)
                return
        if (found := _OWN_AGE.search(text)) and not _OTHERS.search(text):
            subject = reading.clause.subject
            age = number_of(found["age"])
            if age is not None and 0 < age <= AGE_MAX and (subject is None or reading.actor == SPEAKER):
                yield self._claim(reading, SPEAKER, "age", str(age), Aspect.GIVEN)

    def _birthday(self, reading: Reading) -> Iterator[Claim]:
        """ "My birthday is (on) March 3rd", "Ana's birthday is ..."."""
        subject = reading.clause.subject
        if subject is None or reading.lemma not in ("be", "fall") or subject.lower_ not in ("birthday", "bday"):
            return
        owner = next((child for child in subject.children if child.dep_ == "poss"), None)
        if owner is None:
            return
        found = _DATE.search(reading.clause.sentence.text, subject.idx - reading.clause.sentence.start_char)
        if found is None:
            return
        if owner.lower_ in FIRST_PERSON_POSSESSIVE:
            yield self._claim(reading, SPEAKER, "birthday", found[1], Aspect.STATE)
        elif kin := relative(owner):
            yield self._claim(reading, Mention(type="person", name=kin, mine=True), "birthday", found[1], Aspect.STATE)
        elif owner.tag_ == "NNP":
            yield self._claim(reading, Mention(type="person", name=owner.text), "birthday", found[1], Aspect.STATE)

    def _claim(self, reading: Reading, subject: Mention, key: str, value: str, aspect: Aspect) -> Claim:
        return Claim(
            subject=subject,
            key=key,
            value=" ".join(value.split()).rstrip("."),
            start=reading.start,
            end=reading.end,
            category="identity",
            aspect=aspect,
        )


def _age(tail: str) -> str:
    """The age that the words after "be" or "turn" give, as said, or ""."""
    found = _AGED_NOUN.match(tail) or _AGE_NEXT.match(tail)
    if found is None:
        return ""
    said = found[1].lower()
    number = number_of(said)
    return str(number) if number is not None and 0 < number <= AGE_MAX else ""


_UNREAL = re.compile(r"\b(?:if|wish|unless|pretend|imagine|would|could|n't|not|never)\b", re.IGNORECASE)


def _who(groups: dict[str, str | None]) -> Mention | None:
    """Whose age it is: by name, else as the speaker's relative; no pet without a name."""
    kin = (groups.get("kin") or "").lower()
    if name := groups.get("name"):
        return Mention(type="other" if kin in PETS else "person", name=name)
    if groups.get("me"):
        return SPEAKER
    return Mention(type="person", name=SPELLINGS.get(kin, kin), mine=True) if kin in FAMILY else None
