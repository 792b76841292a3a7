"""What people eat or must not eat."""

import re
from collections.abc import Iterator

from spacy.tokens import Token

from memory.extraction.claims import Aspect, Claim
from memory.extraction.families.frames import subject_of
from memory.extraction.lexicon import listed
from memory.extraction.phrases import complements, is_pointing, value_of
from memory.extraction.turns import Reading

DIETS = listed(
    "vegan vegetarian veggie pescatarian pescetarian omnivore flexitarian keto paleo kosher halal celiac coeliac "
    "diabetic "
    "lactose-intolerant gluten-free dairy-free teetotal"
)
_ON_DIET = re.compile(r"\bon (?:a|an|the) ([\w-]+(?: [\w-]+)?) diet\b", re.IGNORECASE)
_CONDITIONS = listed("celiac coeliac diabetic")
_INTOLERANT = listed("allergic intolerant")


class Diet:
    """diet, allergies and health of the speaker or a named person."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        actor = reading.actor
        if actor is None:
            return
        head = reading.clause.head
        if head.lower_ in DIETS and any(child.dep_ == "auxpass" for child in head.children):
            yield self._claim(reading, "diet", head.text, reading.end)  # a participle for the model: "I'm veggie"
            return
        if reading.lemma not in ("be", "become", "have", "go", "turn"):
            return
        if (found := _ON_DIET.search(reading.about)) is not None and found[1].lower() not in (
            "new",
            "strict",
            "special",
        ):
            yield self._claim(reading, "diet", found[1], reading.end)
            return
        words = reading.clause.after
        lowered = [word.lower_ for word in words]
        if reading.lemma in ("be", "become") and lowered and _INTOLERANT & set(lowered[:4]):
            yield from self._allergies(reading)
        if reading.lemma == "have":
            yield from self._has_allergy(reading)
            return
        if lowered and {"ex", "former", "lapsed", "recovering", "ex-"} & set(lowered[:3]):
            return
        for position, word in enumerate(words[:4]):
            text = word.lower_
            if position + 2 < len(words) and words[position + 1].text == "-":
                text = "".join(lowered[position : position + 3])
            elif "-".join(lowered[position : position + 2]) in DIETS:
                text = " ".join(lowered[position : position + 2])
            if text.replace(" ", "-") not in DIETS:
                continue
            following = lowered[position + 1] if position + 1 < len(lowered) else ""
            if (
                text == word.lower_
                and words[position].tag_ != "CC"
                and following in ("food", "recipes", "restaurant", "dish", "friendly")
            ):
                return
            key = "health" if text in _CONDITIONS else "diet"
            aspect = Aspect.STATE if reading.lemma in ("be", "have") else Aspect.EVENT
            yield self._claim(reading, key, text, int(word.idx + len(word)), aspect)
            return

    def _has_allergy(self, reading: Reading) -> Iterator[Claim]:
        """ "I have a peanut allergy", "I have an allergy to nuts"."""
        for phrase in reading.direct():
            lowered = [word.lower_ for word in phrase.words]
            if lowered[-1] in ("allergy", "allergies", "intolerance"):
                if (
                    len(phrase.words) > 1
                    and phrase.words[-2].tag_ in ("NN", "NNS", "NNP")
                    and phrase.words[0].lower_ != "no"
                ):
                    yield self._claim(reading, "allergies", value_of(_nouns(phrase.words[:-1])), phrase.end)
                elif len(phrase.words) == 1:
                    yield from self._allergies(reading)

    def _allergies(self, reading: Reading) -> Iterator[Claim]:
        """The model takes a food at the end of a list for a verb, so the list is read to the sentence's end."""
        sentence = reading.clause.sentence
        words = [word for word in sentence if word.i > reading.clause.head.i and not word.is_space]
        for phrase in complements(words):
            if phrase.preposition == "to" and not is_pointing(phrase.words) and len(phrase.words) <= 3:
                if phrase.listed and phrase.words[0].tag_ in ("PRP", "VBP", "VBZ", "VBD", "MD"):
                    return
                yield self._claim(reading, "allergies", value_of(phrase.words), phrase.end)

    def _claim(self, reading: Reading, key: str, value: str, end: int, aspect: Aspect = Aspect.STATE) -> Claim:
        return Claim(
            subject=subject_of(reading, "person"),
            key=key,
            value=value,
            start=reading.start,
            end=max(reading.end, end),
            category="identity" if key == "health" else "knowledge",
            aspect=aspect,
        )


def _nouns(words: tuple[Token, ...]) -> tuple[Token, ...]:
    """Without how bad it is: "severe shellfish"."""
    return tuple(word for word in words if word.tag_.startswith("NN")) or words
