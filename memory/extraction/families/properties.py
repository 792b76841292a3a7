"""Properties of what has a name: "Alice's favourite colour is green", "the deadline for Atlas is March 15"."""

import re
from collections.abc import Iterator

from spacy.tokens import Token

from memory.candidates import MemoryCategory, Mention
from memory.extraction.claims import Aspect, Claim
from memory.extraction.lexicon import ACQUAINTANCES, FAMILY, JOB_HEADS, PETS, listed
from memory.extraction.phrases import entity_type, is_name, is_pointing, name_around, value_of
from memory.extraction.turns import Reading

# Nouns that say something lasting of their owner. "Ana's point is" and "Bob's day was" tell of the moment.
_OF_PEOPLE = listed(
    "email phone number address job title role employer manager boss team hobby nickname surname nationality hometown "
    "specialty diet allergy size timezone language colour color food drink band song book movie film animal sport "
    "team brand airline dish dessert fruit season subject author artist singer game"
)
_OF_THINGS = listed(
    "deadline owner lead maintainer budget version status codename url repository repo language database port region "
    "goal stack licence license release launch host sponsor price cost capacity limit timezone headquarters ceo cto "
    "founder customer vendor branch priority"
)
_SNAKE = re.compile(r"[^a-z0-9]+")
_KEYS = {"color": "colour", "favorite": "favourite", "repo": "repository", "license": "licence"}


class Properties:
    """<noun> of a named owner, as an attribute of the owner."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        subject = reading.clause.subject
        if subject is None or reading.lemma != "be" or not reading.clause.owns_subject:
            return
        owner = _owner(subject)
        noun = subject.lemma_.lower()
        if not owner or noun not in (_OF_PEOPLE | _OF_THINGS | FAMILY | PETS | ACQUAINTANCES | JOB_HEADS):
            return
        kind = entity_type(owner, "other")
        if noun in _OF_PEOPLE - _OF_THINGS or noun in FAMILY | PETS | ACQUAINTANCES:
            kind = "person"
        elif noun not in ("headquarters", "ceo", "cto", "founder", "customer", "vendor"):
            kind = "product" if kind == "product" else "project"
        elif kind == "other":
            kind = "organisation"
        value = self._value(reading)
        if not value:
            return
        modifiers = [child for child in subject.lefts if child.dep_ in ("compound", "amod") and child not in owner]
        words = [_KEYS.get(word.lower_, word.lower_) for word in modifiers if word.lower_ not in ("new", "current")]
        key = _SNAKE.sub("_", " ".join([*words, _KEYS.get(noun, noun)])).strip("_")
        relative = noun in FAMILY | PETS | ACQUAINTANCES
        category: MemoryCategory = "identity" if relative else "knowledge"
        yield Claim(
            subject=Mention(type=kind, name=value_of(owner)),
            key=key,
            value=value,
            start=reading.start,
            end=reading.end,
            category=category,
            aspect=Aspect.STATE,
            confidence=0.85,
            value_type=("other" if noun in PETS else "person") if relative else "",
        )

    def _value(self, reading: Reading) -> str:
        """What stands after "is": a name, a number, a date or a plain noun phrase; with a relative only a name."""
        dates = [time for time in reading.times if time.span_start >= 0]
        direct = [phrase for phrase in reading.phrases if phrase.preposition in ("", "on")]
        if direct and not is_pointing(direct[0].words):
            words = direct[0].words
            subject = reading.clause.subject
            assert subject is not None
            if subject.lemma_.lower() in FAMILY | PETS | ACQUAINTANCES | JOB_HEADS:
                return value_of(words) if is_name(words) else ""
            if any(word.lower_ in ("favourite", "favorite") for word in subject.lefts):
                return value_of(words)
            plain = words[-1].tag_ in ("NN", "NNP", "NNS", "NNPS", "CD") or is_name(words) or words[-1].like_num
            return value_of(words) if plain and words[0].tag_ not in ("VBG", "VBN", "VB") else ""
        if dates:
            offset = reading.clause.sentence.start_char
            text = reading.turn.text[offset + dates[0].span_start : offset + dates[0].span_end]
            return " ".join(text.split()).removeprefix("on ").strip(" .,")
        return ""


def _owner(noun: Token) -> tuple[Token, ...]:
    """The name that owns `noun`: "Alice's email", "the deadline for Atlas", "the owner of Harbor"."""
    for child in noun.children:
        if child.dep_ == "poss" and child.tag_ in ("NNP", "NNPS", "NN") and (name := name_around(child)):
            return name if is_name(name) else ()
        if child.dep_ == "prep" and child.lower_ in ("of", "for") and noun.left_edge.lower_ in ("the", "our"):
            for inner in child.children:
                if inner.dep_ == "pobj" and (name := name_around(inner)) and is_name(name):
                    return name if name[0].ent_type_ not in ("DATE", "TIME") else ()
    return ()
