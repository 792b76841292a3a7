"""From text to the words that keyword search counts. Pure, and fixed per version of the read models.

Tokens are Unicode's: case and accents fold. Words of Latin, Cyrillic and Arabic script are stemmed by
Snowball; scripts that write no spaces, and Hangul with its particles, are cut into pairs of characters,
ideographs also into single ones, so that a name is found inside a longer run.
"""

import re
import threading
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

WORD_LENGTH_MAX = 60

STOP_WORDS = frozenset(
    # What stands in almost every sentence and tells nothing, with the halves of contractions ("don't", "I'll").
    """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
    it its itself they them their theirs themselves what which who whom this that these those am is are was were be
    been being have has had having do does did doing a an the and but if or because as until while of at by for with
    about against between into through during before after above below to from up down in out on off over under
    again further then once here there when where why how all any both each few more most other some such no nor not
    only own same so than too very s t can will just don should now d ll m o re ve y ain aren couldn didn doesn hadn
    hasn haven isn ma mightn mustn needn shan shouldn wasn weren won wouldn
    would could also get got really like much many kind type sort thing things something someone
    """.split()
)

_ASCII_TOKEN = re.compile(r"[a-z0-9]+")
_APOSTROPHE = re.compile(r"(?<=\w)[’ʼ＇](?=\w)")
# Marks that fold away: those of Latin, Greek and Cyrillic letters, Arabic vowels and the Arabic stretch.
_MARKS = re.compile("[\u0300-\u036f\u064b-\u065f\u0670\u0640]+")
# Han, kana, Hangul, Thai, Lao, Burmese, Khmer.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_IDEOGRAPH = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_STEMMERS = (
    (re.compile("[a-z]"), "english"),
    (re.compile("[\u0400-\u04ff]"), "russian"),
    (re.compile("[\u0600-\u06ff]"), "arabic"),
)

_local = threading.local()


def words(text: str) -> list[str]:
    """The stems of `text` in order, repetitions kept, stop words left out."""
    return [word for token in tokens(text) if token not in STOP_WORDS and (word := _stem(token))]


def counted(text: str) -> tuple[list[str], list[int]]:
    """The distinct words of `text` in order of first use, and how often each is there (at most 255)."""
    counts: dict[str, int] = {}
    for word in words(text):
        counts[word] = counts.get(word, 0) + 1
    return list(counts), [min(count, 255) for count in counts.values()]


def tokens(text: str) -> list[str]:
    """Words as written, folded, stop words included."""
    lowered = text.lower()
    if lowered.isascii():
        return _ASCII_TOKEN.findall(lowered)
    return [token for run in _runs(_normal(text)) for token in _cut(run)]


def _normal(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", _MARKS.sub("", _APOSTROPHE.sub(" ", decomposed)))


def _runs(text: str) -> Iterator[str]:
    """Runs of letters, digits and the marks that belong to them."""
    run: list[str] = []
    for character in text:
        if character.isalnum() or unicodedata.category(character)[0] == "M":
            run.append(character)
        elif run:
            yield "".join(run)
            run = []
    if run:
        yield "".join(run)


def _cut(run: str) -> Iterator[str]:
    begin = 0
    for unspaced in _UNSPACED.finditer(run):
        if begin < unspaced.start():
            yield run[begin : unspaced.start()]
        characters = unspaced[0]
        if len(characters) == 1:
            yield characters
        else:
            yield from (characters[index : index + 2] for index in range(len(characters) - 1))
            yield from _IDEOGRAPH.findall(characters)
        begin = unspaced.end()
    if begin < len(run):
        yield run[begin:]


@lru_cache(maxsize=65_536)
def _stem(token: str) -> str:
    language = next((language for letters, language in _STEMMERS if letters.search(token)), None)
    if language is None:
        return token[:WORD_LENGTH_MAX]
    return str(_stemmer(language).stemWord(token))[:WORD_LENGTH_MAX]


def _stemmer(language: str) -> Any:
    # A stemmer holds the word that it is working on, so each thread has its own.
    stemmers: dict[str, Any] = _local.__dict__.setdefault("stemmers", {})
    if language not in stemmers:
        import snowballstemmer  # here, as few commands need it

        stemmers[language] = snowballstemmer.stemmer(language)
    return stemmers[language]
