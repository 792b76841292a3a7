"""Nouns for relatives, pets and acquaintances, and whose they are."""

from spacy.tokens import Token

from memory.extraction.lexicon import (
    ACQUAINTANCES,
    BREEDS,
    FAMILY,
    FIRST_PERSON_POSSESSIVE,
    IN_LAWS,
    PETS,
    RELATIVE_NO_MORE,
)

SPELLINGS = {
    **BREEDS,
    "mummy": "mother",
    "mommy": "mother",
    "daddy": "father",
    "nan": "grandmother",
    "gran": "grandmother",
    "granny": "grandmother",
    "mate": "friend",
    "buddy": "friend",
    "pal": "friend",
    "mom": "mother",
    "mum": "mother",
    "mama": "mother",
    "dad": "father",
    "papa": "father",
    "folks": "parents",
    "kid": "child",
    "grandma": "grandmother",
    "grandpa": "grandfather",
    "granddad": "grandfather",
    "puppy": "dog",
    "kitten": "cat",
    "bunny": "rabbit",
    "neighbor": "neighbour",
    "co-worker": "coworker",
    "fiancee": "fiancée",
    "fiance": "fiancé",
}


def relative(word: Token) -> str:
    """The kind of relative that `word` names, or ""."""
    lower, lemma = word.lower_, word.lemma_.lower()
    if lower in IN_LAWS and noun_end(word) > word.i:
        return f"{lower}_in_law"
    if word.tag_ in ("NNS", "NNPS") and lower not in PETS | FAMILY:
        return ""  # "my sisters Ana and Eva": several, not one slot
    for candidate in (lower, lemma):
        if candidate in FAMILY or candidate in PETS or candidate in ACQUAINTANCES:
            return SPELLINGS.get(candidate, candidate)
    return ""


def noun_end(word: Token) -> int:
    """Index of the last word of "mother-in-law"."""
    doc = word.doc
    if word.i + 4 < len(doc) and [doc[word.i + step].text for step in (1, 2, 3, 4)] == ["-", "in", "-", "law"]:
        return word.i + 4
    return word.i


def is_mine(word: Token) -> bool:
    """Whether "my" or "our" stands before `word`, with nothing that takes it back ("my late", "my ex-")."""
    doc = word.doc
    for position in range(word.i - 1, max(word.i - 5, -1), -1):
        before = doc[position]
        if before.lower_ in FIRST_PERSON_POSSESSIVE:
            return True
        if before.lower_ in RELATIVE_NO_MORE or not (
            before.tag_ in ("JJ", "JJR", "JJS", "NN", "CD") or before.text == "-"
        ):
            return False
    return False
