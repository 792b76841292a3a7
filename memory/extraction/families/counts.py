"""How many children, siblings or pets somebody has, where their names are not the point."""

import re
from collections.abc import Iterator

from memory.candidates import SPEAKER
from memory.extraction.calendar_words import NUMBERS
from memory.extraction.claims import Aspect, Claim
from memory.extraction.families.kinship import names_after
from memory.extraction.lexicon import FIRST_PERSON_POSSESSIVE
from memory.extraction.turns import Reading

COUNT_MAX = 30
_KEYS = {
    **dict.fromkeys(("kids", "children"), "number_of_children"),
    **dict.fromkeys(("stepkids", "stepchildren"), "number_of_stepchildren"),
    **dict.fromkeys(("grandkids", "grandchildren"), "number_of_grandchildren"),
    "siblings": "number_of_siblings",
    **{
        noun: f"number_of_{noun}"
        for noun in ("sons", "daughters", "brothers", "sisters", "cats", "dogs", "pets", "chickens", "horses")
    },
}
_PARENT_OF = re.compile(
    r"^(?:a|the)\s+(?:proud |single |busy |working )?(?:mum|mom|mother|dad|father|parent) (?:of|to) (?P<count>\w+)\b",
    re.IGNORECASE,
)


class Counts:
    """number_of_<relatives>: "I have three siblings", "I'm a mum of two", "my two kids"."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        if reading.actor == SPEAKER and reading.lemma == "be":
            tail = reading.turn.text[
                reading.clause.head.idx + len(reading.clause.head) : reading.clause.sentence.end_char
            ]
            if (found := _PARENT_OF.match(tail.strip())) and _number(found["count"]):
                yield self._claim(reading, "number_of_children", found["count"], Aspect.STATE)
            return
        for word in reading.clause.own:
            key = _KEYS.get(word.lower_)
            number = next((child for child in word.lefts if child.dep_ == "nummod" and _number(child.lower_)), None)
            if key is None or number is None or any(names_after(word)):
                continue
            if any(child.lower_ in FIRST_PERSON_POSSESSIVE for child in word.lefts):
                yield self._claim(reading, key, number.text, Aspect.GIVEN)
            elif (
                reading.actor == SPEAKER
                and reading.lemma == "have"
                and any(word in phrase.words for phrase in reading.direct()[:1])
            ):
                yield self._claim(reading, key, number.text, Aspect.STATE)

    def _claim(self, reading: Reading, key: str, value: str, aspect: Aspect) -> Claim:
        return Claim(
            subject=SPEAKER,
            key=key,
            value=value,
            start=reading.start,
            end=reading.end,
            category="identity",
            aspect=aspect,
            confidence=0.9,
        )


def _number(word: str) -> int:
    if word.isascii() and word.isdigit():
        return int(word) if 0 < int(word) <= COUNT_MAX else 0
    return NUMBERS.get(word.lower(), 0) if word.lower() not in ("a", "an") else 0
