"""Two names of one person or firm: "Kat is short for Katherine", "Robert, also known as Bob"."""

import re
from collections.abc import Iterable, Iterator

from spacy.tokens import Span

from memory.candidates import (
    NAME_LENGTH_MAX,
    SPEAKER,
    AliasCandidate,
    AnyCandidate,
    AttributeCandidate,
    Mention,
    Polarity,
)
from memory.extraction.lexicon import FAMILY
from memory.extraction.moods import question_onset
from memory.nicknames import may_be_one

_NAME = r"[A-ZÀ-ÖØ-Þ][\w’'-]*(?: [A-ZÀ-ÖØ-Þ][\w’'-]*){0,3}"
_SHORT = re.compile(
    rf"\b(?P<name>{_NAME}) (?:is|was) (?:just |simply )?(?:short|a nickname|the nickname|a short form) (?:for|of) "
    rf"(?P<entity>{_NAME})"
)
_KNOWN_AS = re.compile(
    rf"\b(?P<entity>{_NAME}),? (?:\(?(?:also|better|otherwise) known as|\(?a\.?k\.?a\.?|goes by) (?P<name>{_NAME})"
)
_CALLED = re.compile(
    rf"\b(?:[Ee]very(?:one|body)|[Ww]e(?: all)?|[Pp]eople|[Ff]riends) calls? (?P<both>{_NAME})(?=[.,;!]|$)"
)
_UNSURE = re.compile(r"\b(?:not|never|if|maybe|perhaps|wish|would)\b|n't\b", re.IGNORECASE)
_CONFIDENCE = 0.9


def read_aliases(sentence: Span) -> Iterator[AliasCandidate]:
    """What a sentence says of two names, if it states it."""
    text = sentence.text
    if question_onset(sentence) is not None or text.rstrip().endswith("?") or _UNSURE.search(text):
        return
    for pattern in (_SHORT, _KNOWN_AS):
        for match in pattern.finditer(text):
            yield _alias(sentence, match, match["entity"], match["name"])
    for match in _CALLED.finditer(text):
        entity, _, name = match["both"].rpartition(" ")
        if entity and may_be_one(entity, name):
            yield _alias(sentence, match, entity, name)


def kin_names(candidates: Iterable[AnyCandidate]) -> Iterator[AliasCandidate]:
    """ "My sister Ana": the speaker calls Ana "my sister"."""
    for one in candidates:
        if not isinstance(one, AttributeCandidate) or one.entity != SPEAKER or one.polarity is not Polarity.AFFIRMED:
            continue
        if one.key in FAMILY and one.valid_until is None:
            yield AliasCandidate(
                start=one.start,
                end=one.end,
                confidence=one.confidence,
                category=one.category,
                entity=Mention(type="person", name=one.value),
                name=Mention(type="person", name=one.key, mine=True),
            )


def _alias(sentence: Span, match: re.Match[str], entity: str, name: str) -> AliasCandidate:
    kind = "organisation" if name.isupper() and len(name) > 1 and " " in entity else "person"
    return AliasCandidate(
        start=int(sentence.start_char) + match.start(),
        end=int(sentence.start_char) + match.end(),
        confidence=_CONFIDENCE,
        category="identity",
        entity=Mention(type=kind, name=entity[:NAME_LENGTH_MAX]),
        name=Mention(type=kind, name=name[:NAME_LENGTH_MAX]),
    )
