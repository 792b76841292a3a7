"""What stands behind a verb as the value of a statement: its object, how much or when it is."""

from collections.abc import Iterator

from spacy.tokens import Token

from memory.extraction.families.frames import name_called
from memory.extraction.lexicon import ACQUAINTANCES, FAMILY, NEGATIONS, listed
from memory.extraction.phrases import Phrase, is_name, is_pointing, own_words
from memory.extraction.turns import Reading
from memory.extraction.verbs import IDLE_NOUNS, says_something

_NO_VALUE = NEGATIONS | listed("you your me it them him us")
_VALUE_WORDS_MAX = 8
RECURRING = listed("every each")


def measure(reading: Reading) -> tuple[Token, ...]:
    """ "takes about forty minutes": an object that counts as a time elsewhere."""
    for child in reading.clause.head.children:
        if (
            reading.lemma != "have"
            and child.dep_ in ("dobj", "npadvmod")
            and child.i > reading.clause.head.i
            and says_something(reading.lemma)
        ):
            words = tuple(reading.clause.head.doc[child.left_edge.i : child.i + 1])
            recurring = any(word.lower_ in RECURRING for word in words)
            if any(word.lower_ in NEGATIONS for word in words):
                return ()  # "forty, no, fifty"
            if any(word.like_num for word in words) and child.tag_.startswith("NN") and not recurring:
                return words
    return ()


def stated_days(reading: Reading) -> Iterator[tuple[str, tuple[Token, ...]]]:
    """Times with their preposition, as said: ("at", 02:30), ("on", the first Thursday of each month)."""
    head = reading.clause.head
    for child in head.children:
        if child.dep_ != "prep" or child.i < head.i or child.lower_ not in ("at", "on", "in", "for", "by"):
            continue
        for inner in child.children:
            if inner.dep_ == "pobj" and (inner.ent_type_ in ("DATE", "TIME") or inner.like_num or inner.tag_ == "NNPS"):
                words = tuple(word for word in inner.subtree if word.dep_ != "punct" or word.text in "-:")
                yield child.lower_, tuple(head.doc[words[0].i : words[-1].i + 1])


def address(reading: Reading, phrase: Phrase) -> tuple[Token, ...]:
    """ "14 Dock Lane, Hull": with the town behind the comma."""
    words = phrase.words
    position = reading.phrases.index(phrase) + 1
    following = reading.phrases[position] if position < len(reading.phrases) else None
    if following is None or not following.listed or not words[0].like_num or not is_name(following.words):
        return words
    return tuple(words[0].doc[words[0].i : following.words[-1].i + 1])


def own_value(words: tuple[Token, ...]) -> tuple[Token, ...]:
    """The value without whose it is: "Ana" of "my sister Ana", "Fabbri" of "a luthier called Fabbri"."""
    if name := name_called(words[-1]):
        return name
    own = own_words(words)
    if len(own) > 1 and (own[0].lower_ in FAMILY | ACQUAINTANCES) and is_name(own[1:]):
        return own[1:]
    # "translating patents" behind "a living" is another clause.
    cut = next((place for place, word in enumerate(own) if place and word.dep_ in ("acl", "advcl", "relcl")), len(own))
    return own[:cut]


def is_value(words: tuple[Token, ...]) -> bool:
    own = own_value(words)
    if not own or len(own) > _VALUE_WORDS_MAX or is_pointing(own):
        return False
    if any(word.lower_ in _NO_VALUE for word in own):
        return False
    head = Phrase(own).head
    if is_name(own):
        return True
    if head.like_num and len(own) == 1:  # "forty, no, fifty", "the two"
        following = head.nbor(1) if head.i + 1 < len(head.doc) else None
        return head.text[0].isdigit() and (following is None or following.text != ",")
    return head.tag_.startswith("NN") and head.lemma_.lower() not in IDLE_NOUNS
