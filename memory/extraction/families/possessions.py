"""What somebody owns, and what is theirs: "I own a kayak", "my bus is the 81", "our standup is at 9:45"."""

import re
from collections.abc import Iterator
from dataclasses import replace

from spacy.tokens import Token

from memory.candidates import SPEAKER
from memory.extraction.claims import Aspect, Claim
from memory.extraction.families.frames import is_passive, told_by
from memory.extraction.lexicon import ACQUAINTANCES, APPOINTMENTS, FAMILY, FIRST_PERSON_POSSESSIVE, PETS, listed
from memory.extraction.phrases import Phrase, end_of, is_common, is_definite, is_name, is_pointing, value_of
from memory.extraction.subjects import described
from memory.extraction.turns import Reading

_COLOURS = listed("red green blue yellow white black brown grey gray orange purple pink silver gold turquoise")
# "My point is", "my day is": about the conversation or the moment, no property that lasts.
_NO_PROPERTY = listed(
    "point question problem issue guess idea bad day life week morning evening night answer request "
    "thing understanding "
    "feeling opinion apology fault mistake turn concern worry plan goal thought thoughts advice suggestion favourite "
    "favorite fave hobby employer workplace "
    "name birthday bday age job title position role occupation profession work way hope "
    "pleasure assumption "
    "brain code internet grammar spelling english patience sleep schedule luck laugh joke excuse story "
    "impression response reaction first last heart mind head body mood focus priority task"
)
# Said of a thing in anger or joy.
_VERDICTS = listed(
    "mess mush toast joke disaster nightmare jelly spaghetti soup garbage trash crap rubbish hell heaven dream "
    "fire shambles "
    "wreck bomb beast gem pain lifesaver"
)
_CLOCK = re.compile(r"\d{1,2}(?:[:.]\d{2})?\s?(?:[ap]\.?m\.?)?|noon|midnight", re.IGNORECASE)
_OTHER_NAMES = listed("middle maiden user screen stage pen birth legal")
# Told by a letter or an adjective: "my blood group is O negative".
_OF_A_KIND = listed("group type size grade rank strength prescription")
_SHORT = re.compile(r"\s*([\w+-]+(?: [\w+-]+){0,2}?)(?=\s*(?:[.,;!?)\n]|$|\b(?:and|but|so|because|with|in)\b))")
_SNAKE = re.compile(r"[^a-z0-9]+")
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
    "ride": Aspect.STATE,
    "sell": Aspect.END,
    "buy": Aspect.EVENT,
    "purchase": Aspect.EVENT,
    "get": Aspect.EVENT,
}
# What is had for years, unlike questions and colds.
_ARTEFACTS = listed(
    "car bike bicycle motorbike motorcycle scooter van truck campervan caravan boat kayak canoe e-bike tricycle jeep "
    "piano guitar violin cello drumkit keyboard saxophone ukulele printer laptop computer desktop tablet camera drone "
    "telescope console router smartwatch greenhouse allotment cabin cottage house flat apartment tent sauna pool "
    "treadmill sewing-machine tv television turntable projector bakery shop cafe café restaurant farm"
)
_USED = listed("old new used second-hand vintage beat-up battered secondhand brand-new little tiny big small")


class Possessions:
    """owns; "my <noun> is <value>" as <noun>; hobbies, skills and the like as one value each."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        yield from self._owns(reading)
        yield from self._mine_is(reading)
        yield from self._mine_are(reading)

    def _owns(self, reading: Reading) -> Iterator[Claim]:
        """ "I own a kayak", "I sold my car", "I bought a Tesla"; of bought things only those with a name last."""
        aspect = _POSSESSION.get(reading.lemma)
        if reading.lemma == "get" and reading.clause.after and reading.clause.after[0].lower_ == "rid":
            yield from self._got_rid(reading)
            return
        if aspect is None or reading.actor is None or is_passive(reading):
            return
        for phrase in reading.direct():
            words = phrase.words
            mine = words[0].lower_ in FIRST_PERSON_POSSESSIVE
            words = words[1:] if mine and len(words) > 1 else words
            while len(words) > 1 and words[0].lower_ in _USED:
                words = words[1:]  # "an old Volvo"
            thing = phrase.head.lower_ in _ARTEFACTS and phrase.head.i == words[-1].i
            if (
                is_pointing(words)
                or (
                    (aspect is Aspect.EVENT or reading.lemma in ("have", "drive", "ride"))
                    and not (is_name(words) or thing)
                )
                or (aspect is Aspect.END and not (mine or (thing and is_definite(words[0]))))
                or any(child.dep_ == "relcl" and thing for child in phrase.head.children)
            ):
                return
            if phrase.listed and phrase.head.dep_ != "conj":
                return
            if reading.lemma in ("have", "get", "purchase", "buy") and not mine and not _is_artefact(phrase, aspect):
                return
            if reading.lemma == "get" and len(words[0]) < 2:
                return  # "I got a B"
            yield told_by(reading, "owns", value_of(words), phrase, aspect=aspect, confidence=0.85)

    def _got_rid(self, reading: Reading) -> Iterator[Claim]:
        for phrase in reading.phrases:
            mine = phrase.words[0].lower_ in FIRST_PERSON_POSSESSIVE and len(phrase.words) > 1
            if reading.actor is not None and phrase.preposition == "of" and mine and phrase.head.tag_.startswith("NN"):
                value = value_of(phrase.words[1:])
                yield told_by(reading, "owns", value, phrase, aspect=Aspect.END, confidence=0.85)
                return

    def _mine_are(self, reading: Reading) -> Iterator[Claim]:
        """ "My hobbies are pottery and chess": one value each."""
        subject = reading.clause.subject
        key = _MINE_ARE.get(subject.lower_, "") if subject is not None else ""
        if not key or subject is None or reading.lemma not in ("be", "include") or not _is_mine(subject):
            return
        for phrase in reading.direct():
            if not is_pointing(phrase.words) and phrase.words[-1].tag_ in ("NN", "NNS", "NNP", "VBG"):
                yield told_by(reading, key, value_of(phrase.tail or phrase.words), phrase, confidence=0.9, speaker=True)

    def _mine_is(self, reading: Reading) -> Iterator[Claim]:
        """ "My bus is the 81", "our staging database is MariaDB"."""
        subject = reading.clause.subject
        if subject is None or reading.lemma != "be" or not reading.clause.owns_subject or not _is_mine(subject):
            return
        noun = subject.lemma_.lower()
        called = noun == "name" and any(word.lower_ in _OTHER_NAMES for word in subject.lefts)
        if (
            (noun in _NO_PROPERTY and not called)
            or subject.tag_ == "NNS"
            or {subject.lower_, noun} & (FAMILY | PETS | ACQUAINTANCES)
        ):
            return
        modifiers = [child for child in subject.lefts if child.dep_ in ("compound", "amod")]
        if any(child.lower_ in _NO_PROPERTY | listed("only main biggest next old current new") for child in modifiers):
            if not all(child.lower_ in ("current", "new", "stage") for child in modifiers):
                return
            modifiers = [child for child in modifiers if child.lower_ == "stage"]
        if subject.right_edge.i != subject.i and subject.left_edge.lower_ in FIRST_PERSON_POSSESSIVE:
            return
        key = _SNAKE.sub("_", " ".join([*(child.lower_ for child in modifiers), noun])).strip("_")
        if (
            noun in _OF_A_KIND
            and (found := _SHORT.match(reading.turn.text[end_of([reading.clause.head]) :])) is not None
        ):
            yield self._mine(reading, key, found[1])
            return
        if not reading.phrases:
            if reading.times and noun not in APPOINTMENTS and (day := reading.day()):
                yield self._mine(reading, key, day)
            return
        phrase = reading.phrases[0]
        if phrase.preposition == "on" and phrase.head.lower_ == "floor" and (place := described(subject)) is not None:
            floor = told_by(reading, "floor", value_of(phrase.words), phrase, confidence=0.85, speaker=True)
            yield replace(floor, subject=place)
        if phrase.preposition == "at" and _CLOCK.fullmatch(value_of(phrase.words)):
            yield told_by(reading, f"{noun}_time", value_of(phrase.words), phrase, confidence=0.8, speaker=True)
        if phrase.preposition:
            return
        if not (
            is_common(phrase)
            or is_name(phrase.words)
            or phrase.words[-1].lower_ in _COLOURS
            or phrase.words[-1].like_num
            or phrase.words[-1].text[0].isdigit()
            or phrase.words[-1].like_email
            or phrase.words[-1].like_url
        ):
            return
        if is_pointing(phrase.words) or phrase.words[-1].lower_ in _VERDICTS:
            return
        if key:
            yield told_by(reading, key, value_of(phrase.words), phrase, confidence=0.8, speaker=True)

    def _mine(self, reading: Reading, key: str, value: str) -> Claim:
        return Claim(
            subject=SPEAKER,
            key=key,
            value=value,
            start=reading.start,
            end=reading.end,
            category="knowledge",
            confidence=0.8,
        )


def _is_artefact(phrase: Phrase, aspect: Aspect) -> bool:
    """ "I have a Canon EOS R6" against "I have a Monday deadline" and "I have a German friend". What is bought is a
    thing, whatever the model takes its name for."""
    first = phrase.words[0]
    article = first.i > 0 and first.nbor(-1).lower_ in ("a", "an")
    kinds = ("DATE", "TIME", "NORP") if aspect is Aspect.EVENT else ("DATE", "TIME", "NORP", "PERSON", "GPE")
    return article and not any(word.ent_type_ in kinds for word in phrase.words)


def _is_mine(subject: Token) -> bool:
    """ "My boiler", "the boiler in our flat"."""
    if any(child.lower_ in FIRST_PERSON_POSSESSIVE for child in subject.lefts):
        return True
    behind = subject.nbor(1) if subject.i + 2 < len(subject.doc) else None
    at_ours = behind is not None and behind.lower_ in ("in", "on", "at") and behind.nbor(1).lower_ in ("my", "our")
    return at_ours and subject.left_edge.lower_ == "the"
