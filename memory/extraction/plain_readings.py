"""What a sentence says of some of its words by its grammar alone: subject, verb and preposition become a fact.

Too loose for what is said in passing; for what somebody has taken the trouble to correct it will do.
"""

import re

from spacy.tokens import Span, Token

from memory.candidates import SPEAKER, AttributeCandidate, Mention, Polarity
from memory.extraction.lexicon import FAMILY, FIRST_PERSON, FIRST_PERSON_POSSESSIVE, NEGATIONS, PETS
from memory.extraction.moods import Mood
from memory.extraction.phrases import PREPOSITIONS, name_around, value_of
from memory.extraction.quantities import dimension
from memory.extraction.stated_time import Tense
from memory.extraction.turns import Reading, Turn
from memory.extraction.verbs import third_person

_CONFIDENCE = 0.75
_SNAKE = re.compile(r"[^\w]+")
_EMPTY_VERBS = frozenset(("have", "get", "be", "do"))
_CALLING = frozenset(("be", "call", "name"))
_KEY_WORDS_MAX = 5


def read_plainly(turn: Turn, words: str) -> AttributeCandidate | None:
    """What `turn` says of the last place where it has `words`, None if it does not state it of anything."""
    found = list(re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", turn.text, re.IGNORECASE))
    span = turn.doc.char_span(*found[-1].span(), alignment_mode="expand") if found else None
    reading = turn.reading_at(span.root) or turn.reading_at(span[0]) if span is not None else None
    if span is None or reading is None or span.start <= reading.clause.head.i < span.end:
        return None
    standing = reading.standing
    stated = standing.mood is Mood.STATEMENT and standing.reason in ("", "planned")
    if not stated or standing.polarity is not Polarity.AFFIRMED or span.start < reading.clause.head.i:
        return None
    owner, noun = _owner(reading)
    value = _value(span)
    if owner is None or not value:
        return None
    before = _before(value[0])
    preposition = before.lower_ if before is not None and before.lower_ in PREPOSITIONS | {"w", "worth"} else ""
    key = _key(reading, value[0], noun, "with" if preposition == "w" else preposition)
    if not key:
        return None
    return AttributeCandidate(
        start=reading.start,
        end=reading.end,
        confidence=_CONFIDENCE,
        category="knowledge",
        entity=owner,
        key=key,
        value=value_of(value),
    )


def _owner(reading: Reading) -> tuple[Mention | None, str]:
    """Of whom or what it is said; and the noun that "my dentist is ..." makes a property of the speaker, or ""."""
    subject = reading.clause.subject
    if subject is None:
        # "Got a meeting at 3": a subject left out is the speaker, as long as a verb begins the sentence.
        first = reading.clause.sentence[0]
        return (SPEAKER if first.tag_ in ("VBD", "VBN", "VBG") else None), ""
    if subject.lower_ in FIRST_PERSON:
        return SPEAKER, ""
    if reading.actor is not None:
        return reading.actor, ""
    if subject.tag_ in ("PRP", "DT", "WP", "EX", "WDT"):
        return None, ""
    words = [word for word in subject.doc[subject.left_edge.i : subject.i + 1] if not word.is_punct]
    # "Cat's called Miso": whose else, where nobody is named?
    kin = subject.left_edge.i == subject.i and (subject.lower_ in FAMILY or subject.lower_ in PETS)
    if kin and reading.lemma in _CALLING:
        return SPEAKER, subject.lower_
    mine = bool(words) and words[0].lower_ in FIRST_PERSON_POSSESSIVE
    words = words[1:] if mine or (words and words[0].lower_ in ("the", "a", "an")) else words
    if not words or len(words) > _KEY_WORDS_MAX:
        return None, ""
    if mine and reading.lemma in _CALLING and all(word.dep_ != "poss" for word in words):
        return SPEAKER, value_of(words)
    if mine and words[0].dep_ == "poss":
        return Mention(type="other", name=value_of(words), mine=True), ""
    return Mention(type="other", name=value_of(name_around(subject) or words)), ""


def _value(span: Span) -> list[Token]:
    """The new words, with the unit behind a number and what belongs to a name.

    None if they only modify another word: "the blue one".
    """
    doc, words = span.doc, list(span)
    following = doc[span.end] if span.end < len(doc) else None
    if dimension(span.text) is not None or span[-1].like_num or span[-1].text[-1].isdigit():
        while words[0].i and (_is_number(doc[words[0].i - 1]) or doc[words[0].i - 1].tag_ in ("NNP", "$")):
            words.insert(0, doc[words[0].i - 1])  # "Postgres 16", "140 thousand kilometres"
        while following is not None and (_is_number(following) or following.text[0].isupper() or _counts(following)):
            words.append(following)
            following = doc[following.i + 1] if following.i + 1 < len(doc) else None
    elif following is not None and following.tag_.startswith("NN") and following.dep_ != "npadvmod":
        return []  # "the blue one"
    return words


def _is_number(word: Token) -> bool:
    return bool(word.like_num) and word.text[-1].isalnum()


def _counts(word: Token) -> bool:
    return word.tag_ in ("NNS", "NN") and (dimension(word.lower_) is not None or word.lower_ in ("percent", "people"))


def _before(word: Token) -> Token | None:
    """The word before, articles and the like aside."""
    at = word.i - 1
    while at >= 0 and (word.doc[at].tag_ in ("DT", "PRP$", "$") or word.doc[at].lower_ in ("about", "around")):
        at -= 1
    return word.doc[at] if at >= 0 else None


def _key(reading: Reading, first: Token, noun: str, preposition: str) -> str:
    """ "keeps_flat_in" for "keeps a flat in", "is_on" for "is on", "dentist" for "my dentist is"."""
    if any(word.lower_ in NEGATIONS for word in reading.clause.own):
        return ""
    head = reading.clause.head
    if noun and not preposition:
        return _snake(noun)
    between = [
        word.lower_
        for word in first.doc[head.i + 1 : first.i]
        if word.is_alpha and word.tag_ not in ("DT", "IN", "TO", "PRP", "PRP$", "RB", "CD", "NNP", "CC")
    ][: _KEY_WORDS_MAX - 2]
    as_said = head.tag_ == "NNS" or reading.standing.tense is Tense.PAST  # "lives", taken for a noun; "read law at"
    verb = head.lower_ if as_said else third_person(reading.lemma)
    own = [] if between and reading.lemma in _EMPTY_VERBS else ["is" if reading.lemma == "be" else verb]
    words = ["worth"] if preposition == "worth" else [*own, *between, preposition]
    return "_".join(([_snake(noun)] if noun else []) + [_snake(word) for word in words if word])


def _snake(text: str) -> str:
    return _SNAKE.sub("_", text.casefold()).strip("_")
