"""Properties of what has a name: "Alice's favourite colour is green", "the deadline for Atlas is March 15"."""

import re
from collections.abc import Iterator

from spacy.tokens import Token

from memory.candidates import MemoryCategory, Mention
from memory.extraction.claims import Aspect, Claim
from memory.extraction.families.frames import is_passive
from memory.extraction.lexicon import ACQUAINTANCES, FAMILY, JOB_HEADS, PETS, THING_KINDS, listed
from memory.extraction.phrases import entity_type, is_name, is_pointing, name_around, value_of
from memory.extraction.subjects import PASSING, described
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
_OF_COMPANIES = listed("headquarters ceo cto founder customer vendor")
_SETTING = listed("set fix cap budget limit raise lower schedule push move")
_NOW = listed("new current")
_NOTED_WORDS_MAX = 8
_SNAKE = re.compile(r"[^a-z0-9]+")
_KEYS = {"color": "colour", "favorite": "favourite", "repo": "repository", "license": "licence"}


class Properties:
    """<noun> of an owner who is named or described, as an attribute of the owner."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        head = reading.clause.head
        subject = reading.clause.subject
        if head.dep_ == "ROOT" and head.tag_.startswith("NN") and subject is None:
            yield from self._noted(reading, head)
            return
        if subject is None or not reading.clause.owns_subject:
            return
        if reading.lemma == "be":
            yield from self._told(reading, subject, _owner(subject) or _owner_before(reading), self._value(reading))
        elif reading.lemma in _SETTING and is_passive(reading):
            found = [phrase for phrase in reading.phrases if phrase.preposition in ("at", "to", "for", "on")]
            value = value_of(found[0].words) if found else reading.day().removeprefix("to ").removeprefix("at ")
            yield from self._told(reading, subject, _owner(subject), value, aspect=Aspect.PAST)

    def _noted(self, reading: Reading, noun: Token) -> Iterator[Claim]:
        """ "Deadline for the Orchid migration: 15 January 2027"."""
        colon = next((word for word in reading.clause.sentence if word.i > noun.i and word.text == ":"), None)
        owner = _owner(noun, noted=True)
        if colon is None or owner is None:
            return
        value = noun.doc[colon.i + 1 : reading.clause.sentence.end].text.strip(" .\n")
        if 0 < len(value.split()) <= _NOTED_WORDS_MAX and "\n" not in value:
            yield from self._told(reading, noun, owner, value)

    def _told(
        self, reading: Reading, noun: Token, owner: Mention | None, value: str, *, aspect: Aspect = Aspect.STATE
    ) -> Iterator[Claim]:
        lemma = noun.lemma_.lower()
        relative = lemma in FAMILY | PETS | ACQUAINTANCES
        known = relative or lemma in (_OF_PEOPLE | _OF_THINGS | JOB_HEADS)
        if (
            owner is None
            or owner.mine
            or not value
            or lemma in PASSING
            or lemma == "name"
            or not noun.tag_.startswith("NN")
        ):
            return
        if not known and not (value[0].isupper() or any(character.isdigit() for character in value)):
            return
        modifiers = [child for child in noun.lefts if child.dep_ in ("compound", "amod") and child.lower_ not in _NOW]
        own = [word for word in modifiers if word.text not in owner.name.split()]
        words = [_KEYS.get(word.lower_, word.lower_) for word in own]
        category: MemoryCategory = "identity" if relative else "knowledge"
        yield Claim(
            subject=_typed(owner, lemma),
            key=_SNAKE.sub("_", " ".join([*words, _KEYS.get(lemma, lemma)])).strip("_"),
            value=value,
            start=reading.start,
            end=reading.end,
            category=category,
            aspect=aspect,
            confidence=0.85,
            value_type=("other" if lemma in PETS else "person") if relative else "",
        )

    def _value(self, reading: Reading) -> str:
        """What stands after "is": a name, a number, a date or a plain noun phrase; with a relative only a name."""
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
        return reading.day()


def _owner(noun: Token, *, noted: bool = False) -> Mention | None:
    """Who or what owns `noun`: "Alice's email", "the deadline for Atlas", "the owner of the search service".

    noted: in a note the noun has no article.
    """
    for child in noun.children:
        if child.dep_ == "poss" and child.tag_ in ("NNP", "NNPS", "NN"):
            return _named(child)
        if (
            child.dep_ == "prep"
            and child.lower_ in ("of", "for")
            and (noted or noun.left_edge.lower_ in ("the", "our"))
        ):
            for inner in child.children:
                if inner.dep_ == "pobj" and inner.ent_type_ not in ("DATE", "TIME"):
                    return _named(inner)
    return None


def _owner_before(reading: Reading) -> Mention | None:
    """ "In the Marlin repository, the default branch is trunk"."""
    for child in reading.clause.head.children:
        if child.dep_ == "prep" and child.lower_ in ("in", "for", "on") and child.i < reading.clause.head.i:
            for inner in child.children:
                if inner.dep_ == "pobj" and inner.lemma_.lower() in THING_KINDS:
                    return _named(inner)
    return None


def _named(owner: Token) -> Mention | None:
    name = name_around(owner)
    if name and is_name(name):
        return Mention(type=entity_type(name, "other"), name=value_of(name))
    return None if name else described(owner)


def _typed(owner: Mention, noun: str) -> Mention:
    """By what is said to be theirs: people have nicknames, projects have deadlines."""
    if owner.type in ("person", "project"):
        return owner
    kind = owner.type
    if noun in _OF_PEOPLE - _OF_THINGS or noun in FAMILY | PETS | ACQUAINTANCES:
        kind = "person"
    elif noun in _OF_THINGS | JOB_HEADS and noun not in _OF_COMPANIES:
        kind = "product" if kind == "product" else "project"
    elif noun in _OF_COMPANIES and kind == "other":
        kind = "organisation"
    return Mention(type=kind, name=owner.name)
