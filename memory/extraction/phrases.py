"""From the words after a verb to values and entity names.

Complements are cut by the words themselves: a preposition, comma or conjunction opens the next one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from spacy.tokens import Token

from memory.candidates import NAME_LENGTH_MAX, VALUE_LENGTH_MAX, Mention
from memory.extraction.lexicon import ENTITY_TYPE_BY_LABEL, NEGATIONS, POINTING, listed

PREPOSITIONS = listed(
    "at for as in to from with into on by about near over via through since until during after before under within "
    "without between around towards toward outside against than across because like"
)
_STOPS = frozenset(
    [
        "because",
        "twice",
        "every",
        "but",
        "so",
        "that",
        "which",
        "who",
        "whom",
        "whose",
        "when",
        "while",
        "although",
        "though",
        "if",
        "since",
        "unless",
        "whereas",
        "where",
        "and/or",
        "yet",
        "i",
        "he",
        "she",
        "they",
        "we",
        ";",
        ":",
        "(",
        ")",
        "[",
        "]",
        "—",
        "–",
        "-",
        "--",
        "…",
        "...",
        ".",
        "!",
        "?",
        '"',
        "“",
        "”",
        "|",
    ]
)
_LIGHT_ADVERBS = listed(
    "now currently anymore too also again already just actually really very right still only always usually often "
    "sometimes finally recently lately though tho please well either back instead then soon honestly mostly mainly "
    "definitely totally absolutely originally fluently officially basically essentially "
    "most more any longer anyway today once first especially much so here there "
    "full-time part-time remotely atm rn lol btw haha etc like"
)
_DETERMINERS = listed("a an the")
_POSSESSIVES = listed("my our his her its their")
# Negations are no part of a value: the clause's standing tells of them.
_LEADING = _DETERMINERS | _LIGHT_ADVERBS | NEGATIONS
_PHRASE_WORDS_MAX = 12
NO_CAPITALS = "no_capitals"  # of a document whose writer used none


@dataclass(frozen=True, slots=True)
class Phrase:
    """Neighbouring words of one complement; `preposition` is "" for a direct object.

    tail: the same with what modifies it further ("long walks" + "on the beach").
    """

    words: tuple[Token, ...]
    preposition: str = ""
    tail: tuple[Token, ...] = ()
    listed: bool = False  # follows another one by a comma, "and" or "or"

    @property
    def start(self) -> int:
        return int(self.words[0].idx)

    @property
    def end(self) -> int:
        return end_of(self.words)

    @property
    def head(self) -> Token:
        """The word that the others modify: the last one before an "of", as English nouns go."""
        for position, word in enumerate(self.words):
            if word.lower_ == "of" and position:
                return self.words[position - 1]
        return self.words[-1]


def end_of(words: Sequence[Token]) -> int:
    return int(words[-1].idx + len(words[-1]))


def complements(words: Iterable[Token], *, skip: Sequence[tuple[int, int]] = ()) -> list[Phrase]:
    """Cut `words` into phrases. skip: spans (offsets) that say something else, such as times."""
    phrases: list[Phrase] = []
    current: list[Token] = []
    preposition, listed = "", False

    def close() -> None:
        nonlocal current
        core = _without_edges(current)
        if core:
            phrases.append(Phrase(tuple(core), preposition, listed=listed))
        current = []

    sequence = list(words)
    for position, word in enumerate(sequence):
        if any(start <= word.idx < end for start, end in skip):
            close()
            continue
        lower = word.lower_
        following = sequence[position + 1] if position + 1 < len(sequence) else None
        if lower in _STOPS and not _inside_name(word, current, following):
            close()
            break
        if lower in (",", "and", "or", "&", "plus", "/", "nor"):
            if lower in ("and", "&", "/") and _inside_name(word, current, following):
                current.append(word)
                continue
            if following is not None and following.lower_ in ("not", "never", "no", "sorry", "wait"):
                close()
                break
            if (
                lower == ","
                and current
                and current[-1].tag_ == "JJ"
                and following is not None
                and following.tag_ == "JJ"
            ):
                current.append(word)
                continue
            close()
            listed = True
            continue
        if (
            lower in ("up", "down", "over", "out", "back")
            and following is not None
            and following.lower_ in PREPOSITIONS
        ):
            close()  # "up in Kendal"
            continue
        if (
            lower in PREPOSITIONS
            and word.tag_ in ("IN", "TO", "RP", "RB")
            and not _inside_name(word, current, following)
        ):
            close()
            preposition, listed = lower, False
            continue
        if (
            word.tag_ in ("MD", "VBD", "VBZ", "VBP")
            and current
            and not word.ent_type_
            and word.dep_ in ("aux", "ROOT", "ccomp")
        ):
            close()
            break
        current.append(word)
        if len(current) > _PHRASE_WORDS_MAX:
            current = []
            break
    close()
    return _with_tails(phrases, sequence)


def _inside_name(word: Token, current: list[Token], following: Token | None) -> bool:
    """ "Johnson & Johnson", "Bed-and-Breakfast", "T-Mobile": glued, or within one named entity."""
    if not current or following is None:
        return False
    if word.ent_iob_ == "I" and following.ent_iob_ == "I" and word.text in ("&", "-", "and", "for", "in", "/"):
        return True
    if word.text == "&":
        return following.is_title
    return word.text in ("-", "/") and not current[-1].whitespace_ and not word.whitespace_


def _with_tails(phrases: list[Phrase], sequence: list[Token]) -> list[Phrase]:
    finished = []
    for position, phrase in enumerate(phrases):
        tail = list(phrase.words)
        for later in phrases[position + 1 :]:
            between = [word for word in sequence if tail[-1].i < word.i < later.words[0].i]
            if later.listed or any(word.tag_ not in ("IN", "TO", "RP", "DT", "RB") for word in between):
                break
            if later.preposition not in ("on", "in", "with", "about", "at", "from", "to", "for", "over", "by"):
                break
            tail += [*between, *later.words]
        finished.append(Phrase(phrase.words, phrase.preposition, tuple(tail), phrase.listed))
    return finished


def _without_edges(words: list[Token]) -> list[Token]:
    words = list(words)
    while words and (words[0].lower_ in _LEADING or words[0].is_punct or words[0].tag_ == "UH"):
        if words[0].text in ("Here", "Like", "Most"):
            break
        words.pop(0)
    while words and (
        words[-1].lower_ in _LIGHT_ADVERBS or words[-1].tag_ in ("UH", "CC", "RP", "POS", "IN") or _trailing(words[-1])
    ):
        if words[-1].is_title and words[-1].tag_ == "NNP":
            break
        words.pop()
    return words


def _trailing(word: Token) -> bool:
    return not any(character.isalnum() or character in "+#)%" for character in word.text)


# Values and names


def value_of(words: Sequence[Token]) -> str:
    """The words as said, on one line, without an article before or punctuation behind them."""
    if not words:
        return ""
    first, last = words[0], words[-1]
    text = first.doc[first.i : last.i + 1].text
    return " ".join(text.split()).strip(' \t,;:.!?"“”')[:VALUE_LENGTH_MAX]


def own_words(words: tuple[Token, ...]) -> tuple[Token, ...]:
    """Without whose it is: "thesis" of "his thesis"."""
    return words[1:] if len(words) > 1 and words[0].lower_ in _POSSESSIVES else words


def without_dative(words: tuple[Token, ...]) -> tuple[Token, ...]:
    """ "His stamps" of "left me his stamps"."""
    dative = len(words) > 1 and words[0].lower_ in ("me", "us", "him", "them") and words[0].head == words[-1].head
    return words[1:] if dative else words


def is_pointing(words: Sequence[Token]) -> bool:
    """Whether the phrase can only be understood from something said elsewhere."""
    return (
        not words or words[0].lower_ in POINTING or all(word.lower_ in POINTING or word.tag_ == "PRP" for word in words)
    )


def is_name(words: Sequence[Token]) -> bool:
    """Whether the phrase is a proper name: each word capitalised, small links aside."""
    if not words or is_pointing(words) or len(words) > 6:
        return False
    strong = [word for word in words if word.text[0].isupper() or word.text[0].isdigit()]
    if not strong or not words[-1].text[0].isalnum():
        return False
    if not any(word.text[0].isupper() for word in words):
        return False
    links = ("of", "the", "and", "&", "-", "for", "de", "van", "von", "'s", "/", ".", "la", "del")
    return all(word.text[0].isupper() or word.text[0].isdigit() or word.lower_ in links for word in words)


def is_lowercase_name(words: Sequence[Token]) -> bool:
    """ "i live in berlin": in a text without capitals a short phrase without an article may be one."""
    if not words or is_pointing(words) or len(words) > 3:
        return False
    before = words[0].nbor(-1) if words[0].i else None
    if before is not None and before.tag_ in ("DT", "PRP$"):
        return False
    if not words[0].doc.user_data.get(NO_CAPITALS):
        return False
    return all(word.tag_ in ("NNP", "NN", "NNPS") and word.is_alpha for word in words)


def mention(words: Sequence[Token], expected: str) -> Mention:
    return Mention(type=expected, name=value_of(words)[:NAME_LENGTH_MAX])


def entity_type(words: Sequence[Token], default: str = "other") -> str:
    """The model's type for the phrase, else `default`."""
    for word in words:
        if word.ent_type_ in ENTITY_TYPE_BY_LABEL:
            return ENTITY_TYPE_BY_LABEL[word.ent_type_]
    return default


def name_around(word: Token) -> tuple[Token, ...]:
    """The run of name words that `word` belongs to ("Mary Ann Smith"), or nothing."""
    if not word.text[:1].isupper() or word.tag_ not in ("NNP", "NNPS", "NN", "JJ", "FW", "VB", "NNS"):
        return ()
    if word.is_sent_start and word.tag_ not in ("NNP", "NN", "FW") and not word.ent_type_:
        return ()  # capitalised as the first word, like any
    first = last = word.i
    doc = word.doc

    def fits(position: int) -> bool:
        if not 0 <= position < len(doc):
            return False
        candidate = doc[position]
        return candidate.text[:1].isupper() and candidate.tag_ in ("NNP", "NNPS") and candidate.sent == word.sent

    while fits(first - 1):
        first -= 1
    while fits(last + 1):
        last += 1
    return tuple(doc[position] for position in range(first, last + 1))


def is_common(phrase: Phrase) -> bool:
    """A plain noun phrase, without a relative clause that would change what it means."""
    if is_pointing(phrase.words) or phrase.head.tag_ not in ("NN", "NNS", "NNP", "NNPS"):
        return False
    return not any(child.dep_ == "relcl" for word in phrase.words for child in word.children)


def is_definite(word: Token) -> bool:
    return word.tag_ == "PRP$" or (word.i > 0 and word.nbor(-1).lower_ == "the" and word.head.lemma_.lower() != "play")
