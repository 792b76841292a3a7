"""A cheap check that words are English: the rules would read other languages wrongly, not worse."""

import re

from memory.extraction.lexicon import ENGLISH_WORDS, FOREIGN_WORDS

ASCII_LETTER_SHARE_MIN = 0.8
WORD_LENGTH_MAX = 60

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
# Overlong words, and halves of surrogate pairs, which the tokenizer cannot take.
_NO_WORD = re.compile(rf"\S{{{WORD_LENGTH_MAX + 1},}}|[\ud800-\udfff]")
# Same length each, so that offsets stay exact.
_PLAIN = {ord("’"): "'", ord("‘"): "'", ord("ʼ"): "'", ord("`"): "`"} | {
    code: " " for code in [*range(32), 127, *range(0x80, 0xA0), 0xA0, 0x200B, 0x2028, 0x2029, 0xFEFF] if code != 10
}


def legible(text: str) -> str:
    """`text` with plain apostrophes, and spaces for what is no word; every offset stays the same.

    Words of more than 60 characters (addresses, keys, encoded data) say nothing to the rules.
    """
    return _NO_WORD.sub(lambda match: " " * len(match.group()), text.translate(_PLAIN))


def is_english(sentence: str) -> bool:
    """Whether the rules may read `sentence`; short texts without function words pass."""
    letters = [character for character in sentence if character.isalpha()]
    if not letters:
        return False
    if sum(character.isascii() for character in letters) < ASCII_LETTER_SHARE_MIN * len(letters):
        return False
    words = _WORD.findall(sentence)
    english = sum(word.lower() in ENGLISH_WORDS for word in words)
    # Capitalised words may be names ("Los Angeles"), except the first of a sentence.
    foreign = sum(word in FOREIGN_WORDS for word in words)
    foreign += bool(words) and words[0].istitle() and words[0].lower() in FOREIGN_WORDS
    if len(words) >= 8 and english == 0:
        return False
    return foreign == 0 or english > 2 * foreign
