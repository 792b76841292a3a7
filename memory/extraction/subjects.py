"""Whom or what a clause is about where no name says it: "the billing service", "my flat", "our line manager"."""

from spacy.tokens import Token

from memory.candidates import Mention
from memory.extraction.lexicon import (
    ACQUAINTANCES,
    FAMILY,
    FIRST_PERSON,
    FIRST_PERSON_POSSESSIVE,
    JOB_HEADS,
    PETS,
    THING_KINDS,
    listed,
)
from memory.extraction.phrases import value_of

_PLAIN = listed("new old whole same other entire first second last next current main big small good bad best only")
# Of the conversation, the moment or the mind, rather than something that is there tomorrow.
PASSING = listed(
    "thing problem issue point question idea answer reason rest way part fact truth thought weather day night week "
    "weekend month year hour morning evening afternoon time movie film song joke food meal soup build error bug "
    "code function test line loop list paragraph text sentence response reply version page document email message "
    "chat conversation internet brain head heart life mind body stomach mood world other first second third last "
    "one option result word example article story book poem output input plan goal guess opinion feeling dream "
    "train news hope bad fault"
)


def described_thing(noun: Token, *, plainly: bool = False) -> Mention | None:
    """ "the billing service", "our staging server": a kind of thing, told from others by the words before it.

    plainly: "the gateway" too, where the clause tells what only a system has.
    """
    kind = THING_KINDS.get(noun.lemma_.lower())
    if kind is None or noun.tag_ in ("NNS", "NNPS") or noun.lower_ in FIRST_PERSON:
        return None
    lefts = list(noun.lefts)
    pointed = any(word.lower_ == "the" or word.lower_ in FIRST_PERSON_POSSESSIVE for word in lefts)
    telling = [word for word in lefts if word.dep_ in ("compound", "amod", "nmod") and word.lower_ not in _PLAIN]
    if plainly and pointed and len(lefts) == 1 and not any(child.dep_ in ("relcl", "prep") for child in noun.children):
        return Mention(type=kind, name=value_of([noun]))
    if not pointed or not telling or any(child.dep_ == "relcl" for child in noun.children):
        return None
    return Mention(type=kind, name=value_of([*sorted(telling, key=lambda word: word.i)[:1], noun]))


def described(noun: Token, *, anyone: bool = False) -> Mention | None:
    """What "the nightly backup", "my flat" or "our dentist" names, told by its noun and the words before it.

    anyone: "a plumber" too, of whom a deed is told.
    """
    if not noun.tag_.startswith("NN") or noun.lemma_.lower() in PASSING or _is_day(noun):
        return None
    words = list(noun.doc[noun.left_edge.i : noun.i + 1])
    mine = words[0].lower_ == "my"
    pointed = mine or words[0].lower_ in ("the", "our")
    if not pointed and not (anyone and words[0].lower_ in ("a", "an")):
        return None
    if any(child.dep_ == "relcl" or (child.dep_ == "prep" and child.lower_ == "of") for child in noun.children):
        return None
    telling = words[1:]
    while len(telling) > 1 and (telling[0].lower_ in _PLAIN or telling[0].is_punct):
        telling = telling[1:]
    if not telling or any(word.tag_ in ("POS", "CC", "CD", "PRP$") or word.text == "," for word in telling):
        return None
    lemma = noun.lemma_.lower()
    known = lemma in FAMILY | ACQUAINTANCES | PETS or lemma.endswith("parent")
    following = noun.nbor(1) if noun.i + 1 < len(noun.doc) else None
    if known and mine and following is not None and following.text[:1].isupper() and following.is_alpha:
        return Mention(type="other" if lemma in PETS else "person", name=following.text)  # "my cat Mochi"
    kind = "person" if known or lemma in JOB_HEADS else THING_KINDS.get(lemma, "other")
    ours = kind == "person" and words[0].lower_ == "our"
    return Mention(type=kind, name=value_of(telling), mine=mine or ours)


def _is_day(noun: Token) -> bool:
    return noun.tag_ == "NNP" and noun.ent_type_ in ("DATE", "TIME")
