"""Ages and birthdays."""

import re
from collections.abc import Iterator

from memory.candidates import SPEAKER, Mention
from memory.extraction.calendar_words import MONTHS, NUMBERS
from memory.extraction.claims import Aspect, Claim
from memory.extraction.families.frames import subject_of
from memory.extraction.lexicon import FIRST_PERSON_POSSESSIVE
from memory.extraction.relatives import relative
from memory.extraction.stated_time import Tense
from memory.extraction.turns import Reading

AGE_MAX = 125
_MONTH = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\.?"
_DATE = re.compile(
    rf"(?:the\s+)?((?:{_MONTH}\s+(?:the\s+)?\d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH})"
    r"(?:,?\s+(?:19|20)\d{2})?|(?:19|20)\d{2}-\d{2}-\d{2})(?!\w)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\bin\s+((?:19|20)\d{2})\b", re.IGNORECASE)
_AGE_NEXT = re.compile(
    r"\s*(?:just |now |only |about |almost )*(\d{1,3}|[a-z]+)(?:[\s-]*(?:years?[\s-]*old|yo\b|y/o|years? of age))?"
    r"(?=\s*(?:$|[.,!;)\n]|and\b|but\b|now\b|today\b|on\b|in\b|last\b|this\b|since\b|yesterday\b|next\b|so\b|"
    r"(?<=old)))",
    re.IGNORECASE,
)
_AGED_NOUN = re.compile(r"\s*(?:an?\s+)(\d{1,3})[\s-]*years?[\s-]*old\b", re.IGNORECASE)


class Age:
    """age, birthday and birth_year of the speaker or a named person."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        yield from self._birthday(reading)
        actor = reading.actor
        if actor is None:
            return
        tail = reading.turn.text[reading.clause.head.idx + len(reading.clause.head) : reading.clause.sentence.end_char]
        was = reading.lemma == "be" and reading.standing.tense is Tense.PAST  # "she was 17" when it happened
        if reading.lemma in ("be", "turn") and not was and (age := _age(tail)):
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
    number = NUMBERS.get(said) if said not in ("a", "an") else None
    if number is None and said.isascii() and said.isdigit():
        number = int(said)
    return found[1] if number is not None and 0 < number <= AGE_MAX else ""
