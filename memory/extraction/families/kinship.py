"""Family, pets and acquaintances, with their names."""

import re
from collections.abc import Iterator
from dataclasses import replace

from spacy.tokens import Token

from memory.candidates import SPEAKER, MemoryCategory, Polarity
from memory.extraction.claims import Aspect, Claim
from memory.extraction.lexicon import (
    ACQUAINTANCES,
    FAMILY,
    FIRST_PERSON_POSSESSIVE,
    NEGATIONS,
    PETS,
    RELATIVE_NO_MORE,
    listed,
)
from memory.extraction.phrases import is_name, name_around, value_of
from memory.extraction.relatives import SPELLINGS, is_mine, noun_end, relative
from memory.extraction.turns import Reading

_AT_HOME = re.compile(r"\b(?:(?:my|our|this|the) (?:household|house|home|family|flat)|at home)\b", re.IGNORECASE)
_FOR_EVER = listed("mother father mum mom dad brother sister grandmother grandfather aunt uncle son daughter cousin")
_CALLED = listed("named called name call")
# Several of a kind: each name is a value beside the others.
_MANY = {
    **dict.fromkeys(("kids", "children", "sons", "daughters", "twins"), "children"),
    **dict.fromkeys(("siblings", "brothers", "sisters"), "siblings"),
    **dict.fromkeys(("dogs", "cats", "pets", "hamsters", "rabbits", "parrots", "kittens", "puppies"), "pets"),
    **dict.fromkeys(("friends",), "friends"),
}


class Kinship:
    """One attribute of the speaker for each named relative ("sister": "Ana"), and the relative as an entity."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        seen: set[int] = set()
        for word in reading.clause.own:
            noun = relative(word)
            if noun and is_mine(word):
                for name in self._beside(word):
                    seen.add(name[0].i)
                    yield _claim(noun, word, name, Aspect.GIVEN)
            elif noun:
                yield from self._introduced(word)
        subject = reading.clause.subject
        yield from self._is_named(reading, subject)
        yield from self._has_one_named(reading)
        yield from self._is_my(reading, seen)
        yield from self._names_told(reading)
        yield from self._several(reading)
        yield from self._has_pets(reading)

    def _beside(self, word: Token) -> Iterator[tuple[Token, ...]]:
        """ "my sister Ana", "my sister, Ana,", "Ana, my sister,"."""
        doc, position = word.doc, noun_end(word) + 1
        following = doc[position] if position < len(doc) else None
        comma = following is not None and following.text == ","
        if comma and position + 1 < len(doc):
            following = doc[position + 1]
        if following is not None and following.sent == word.sent and (name := _person_name(following)):
            after = doc[name[-1].i + 1] if name[-1].i + 1 < len(doc) else None
            apposed = not comma or after is None or after.text in (",", ".", "!", ")") or after.is_space
            if comma and after is not None and after.text == "," and after.i + 1 < len(doc):
                apposed = after.nbor(1).lower_ not in ("and", "&")  # "my girlfriend, Toby, and I": three of them
            if apposed and (after is None or after.text not in ("'s", "-")):
                yield name
                return
        left = word.left_edge.i
        if left >= 2 and doc[left - 1].text == "," and doc[left - 2].sent == word.sent:
            name = _person_name(doc[left - 2])
            closes = position >= len(doc) or doc[position].text in (",", ".", "!") or doc[position].is_space
            if name and closes and word.dep_ in ("appos", "conj"):
                yield name

    def _introduced(self, word: Token) -> Iterator[Claim]:
        """ "Waffles, the rabbit we adopted, ...", "my late father, Bohumil, ..."."""
        noun = relative(word)
        if not noun or not _is_ours(word):
            return
        if word.dep_ == "appos" and (name := _person_name(word.head)) and name[-1].i < word.i:
            yield _claim(noun, word, name, Aspect.GIVEN)
        for child in word.children:
            if child.dep_ == "appos" and child.i > word.i and (name := _person_name(child)):
                yield _claim(noun, word, name, Aspect.GIVEN)

    def _is_named(self, reading: Reading, subject: Token | None) -> Iterator[Claim]:
        """ "My dog is called Rex", "my sister's name is Ana", "my manager is Bob"."""
        if subject is None or reading.lemma not in ("be", "call", "name"):
            return
        owner = subject
        if subject.lemma_.lower() == "name":
            owner = next((child for child in subject.children if child.dep_ == "poss"), subject)
        noun = relative(owner)
        if not noun or not is_mine(owner):
            return
        direct = reading.direct()
        if not direct:
            return
        words = direct[0].words
        if words[0].lower_ in _CALLED:
            words = words[1:]
        name = _person_name(words[0]) if words else ()
        if name and name[0].i == words[0].i and name[0].dep_ != "acomp":
            yield _claim(noun, owner, name, Aspect.STATE)

    def _has_one_named(self, reading: Reading) -> Iterator[Claim]:
        """ "I have a cat named Mia", "we got a puppy called Rex"."""
        if reading.actor != SPEAKER or reading.lemma not in ("have", "get", "own", "adopt", "rescue"):
            return
        sentence = reading.clause.sentence
        for word in sentence:
            if word.i <= reading.clause.head.i or word.lower_ not in _CALLED or word.i + 1 >= sentence.end:
                continue
            noun_token = word.nbor(-1)
            noun = relative(noun_token)
            if not noun and reading.lemma in ("adopt", "rescue") and noun_token.tag_ == "NN":
                noun = "pet"
            name = _person_name(word.nbor(1))
            if (
                noun
                and name
                and not is_mine(noun_token)
                and not any(other.lower_ in NEGATIONS for other in reading.clause.own if other.i < noun_token.i)
                and _near(reading, noun_token)
            ):
                yield _claim(noun, noun_token, name, _possession(reading.lemma))

    def _names_told(self, reading: Reading) -> Iterator[Claim]:
        """ "... and my father's name is Karl", wherever the parse has put it; "I have a brother, Mark"."""
        for word in reading.clause.own:
            doc = word.doc
            if word.lower_ == "name" and word.i >= 3 and doc[word.i - 1].tag_ == "POS" and word.i + 2 < word.sent.end:
                noun = doc[word.i - 2]
                verb, name = doc[word.i + 1], _person_name(doc[word.i + 2])
                mine = relative(noun) and is_mine(noun)
                if mine and verb.lower_ in ("is", "'s") and name:
                    yield _claim(relative(noun), noun, name, Aspect.GIVEN)
        if reading.actor == SPEAKER and reading.lemma == "have" and reading.standing.polarity is Polarity.AFFIRMED:
            for phrase in reading.direct()[:1]:
                noun, doc = phrase.head, phrase.head.doc
                if not relative(noun) or noun.i + 2 >= noun.sent.end or doc[noun.i + 1].text != ",":
                    continue
                name = _person_name(doc[noun.i + 2])
                if name and name[0].i == noun.i + 2:
                    yield _claim(relative(noun), noun, name, Aspect.GIVEN)

    def _several(self, reading: Reading) -> Iterator[Claim]:
        """ "I have two kids, Leo and Maya", "my sons are Max and Tim", "my daughters Ida and Eva"."""
        for word in reading.clause.own:
            key = _MANY.get(word.lower_)
            if key is None:
                continue
            owned = is_mine(word) or (
                reading.actor == SPEAKER and reading.lemma == "have" and word.i > reading.clause.head.i
            )
            here = reading.lemma == "be" and any(other.dep_ == "expl" for other in reading.clause.own)
            if not (owned or (here and _AT_HOME.search(reading.about))):
                continue
            if reading.standing.polarity is not Polarity.AFFIRMED:
                continue
            for name in names_after(word) or _names_apposed(word):
                yield replace(_claim(key, word, name, Aspect.GIVEN), category="identity")

    def _has_pets(self, reading: Reading) -> Iterator[Claim]:
        """ "I have a dog", "we adopted two cats", "our hamster died": pets of which no name is told."""
        head = reading.clause.head
        died = reading.lemma in ("die", "pass") and reading.clause.subject is not None
        forgotten = reading.lemma == "forget" and reading.standing.polarity is Polarity.ENDED
        if died:
            noun = reading.clause.subject
        elif forgotten:
            noun = next((phrase.head for phrase in reading.phrases if phrase.preposition in ("about", "")), None)
        elif reading.actor == SPEAKER and reading.lemma in ("have", "own", "adopt", "get"):
            noun = next((phrase.head for phrase in reading.direct()[:1]), None)
        else:
            return
        if noun is None or noun.lemma_.lower() not in PETS - {"pet"} or any(_name_beside(noun)):
            return
        if (died or forgotten) != is_mine(noun) or (not died and noun.i < head.i):
            return
        kind = noun.lemma_.lower()
        yield Claim(
            subject=SPEAKER,
            key="pets",
            value=SPELLINGS.get(kind, kind),
            start=reading.start,
            end=reading.end,
            category="identity",
            aspect=Aspect.END if died else _possession(reading.lemma),
            confidence=0.85,
        )

    def _is_my(self, reading: Reading, seen: set[int]) -> Iterator[Claim]:
        """ "Bob is my manager"."""
        subject = reading.clause.subject
        if reading.lemma != "be" or subject is None or not reading.phrases or reading.phrases[0].preposition:
            return
        words = reading.phrases[0].words
        head = reading.phrases[0].head
        name = _person_name(subject)
        mine = words[0].lower_ in FIRST_PERSON_POSSESSIVE and not any(word.lower_ in RELATIVE_NO_MORE for word in words)
        if name and name[0].i not in seen and mine and relative(head):
            yield _claim(relative(head), head, name, Aspect.STATE)


def _is_ours(noun: Token) -> bool:
    """ "The rabbit we adopted", and "my late father", who stays one's father."""
    ours = any(
        child.dep_ == "relcl" and any(word.lower_ in ("i", "we") for word in child.children) for child in noun.children
    )
    first = noun.left_edge
    late = first.lower_ in FIRST_PERSON_POSSESSIVE and first.i + 2 == noun.i and first.nbor(1).lower_ == "late"
    return (ours and noun.lemma_.lower() in PETS) or (late and noun.lower_ in _FOR_EVER)


def _names_apposed(word: Token) -> list[tuple[Token, ...]]:
    """ "Two dogs: Rex, who is old, and Ida": names with words between them."""
    first = next((child for child in word.children if child.dep_ == "appos" and child.i > word.i), None)
    found = (_person_name(name) for name in ((first, *first.conjuncts) if first is not None else ()))
    return [name for name in found if name]


def _claim(noun: str, word: Token, name: tuple[Token, ...], aspect: Aspect) -> Claim:
    category: MemoryCategory = "knowledge" if noun in ACQUAINTANCES else "identity"
    first, last = min(word.left_edge.i, word.i, name[0].i), max(word.i, name[-1].i)
    doc = word.doc
    return Claim(
        subject=SPEAKER,
        key=noun.replace("-", "_"),
        value=value_of(name),
        start=int(doc[min(first, word.i)].idx),
        end=int(doc[last].idx + len(doc[last])),
        category=category,
        aspect=aspect,
        value_type="other" if noun in PETS else "person",
    )


def _near(reading: Reading, noun: Token) -> bool:
    """Whether `noun` is what the clause has, and not what another clause of the sentence does."""
    return not any(
        word.dep_ in ("nsubj", "nsubjpass")
        for word in reading.clause.sentence
        if reading.clause.head.i < word.i < noun.i
    )


def _possession(lemma: str) -> Aspect:
    return Aspect.STATE if lemma in ("have", "own") else Aspect.EVENT


def names_after(word: Token) -> list[tuple[Token, ...]]:
    """The names listed behind "my sons", "my kids are" or "two kids," up to the first word that is none."""
    doc, names = word.doc, list[tuple[Token, ...]]()
    position = word.i + 1
    while position < word.sent.end:
        following = doc[position]
        if (name := _person_name(following)) and name[0].i == position:
            names.append(name)
            position = name[-1].i + 1
        elif following.text in (",", ":", "-", "–", "—", "(", "and", "&") or (
            not names and following.lower_ in ("are", "named", "called", "is", "'s")
        ):
            position += 1
        else:
            break
    return names


def _name_beside(noun: Token) -> Iterator[Token]:
    """A name that another rule reads: "a dog named Rex", "my dog Rex"."""
    following = noun.doc[noun.i + 1 : noun.i + 3]
    for word in following:
        if word.lower_ in _CALLED or (word.text[:1].isupper() and word.tag_ == "NNP"):
            yield word


def _person_name(word: Token) -> tuple[Token, ...]:
    name = name_around(word)
    if not name or word not in name:
        return ()
    name = name[name.index(word) :] if name[0].lower_ in FAMILY | PETS else name
    if (
        len(name) > 4
        or not is_name(name)
        or (len(name) == 1 and (name[0].ent_type_ == "DATE" or (name[0].ent_type_ == "NORP" and name[0].tag_ != "NNP")))
    ):
        return ()
    return name
