"""What two questions must have in common, beside their meaning, to have the same answer. Pure.

"Zephyr 41" is near "Zephyr 42" in meaning, and "who is" is near "who is not": so names, numbers, negations
and words of time are compared exactly.
"""

import re
import unicodedata

NEGATIONS = frozenset(
    "no not never none nobody nothing neither nor without cannot cant wont dont doesnt didnt isnt arent wasnt werent"
    " hasnt havent hadnt wouldnt shouldnt couldnt aint unless except".split()
)
TIMES = frozenset(
    "now currently today tonight yesterday tomorrow still yet already anymore longer again ago before after since"
    " until till during while when whenever once first last latest newest recent recently next previous previously"
    " former formerly earlier later used past future always ever current this week weekend month year day morning"
    " afternoon evening night spring summer autumn fall winter january february march april may june july august"
    " september october november december monday tuesday wednesday thursday friday saturday sunday was were did had"
    " been will".split()
)
# Words that begin a question and are no names.
OPENERS = frozenset(
    "a about am an and any are at by can could describe did do does find for from give had has have how i if in is"
    " list may me my name of on or our please recall remind should show so tell that the there they this to was we"
    " were what what's whats when where where's which who who's whom whose why will with would you your".split()
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def signature(question: str) -> str:
    """The names, numbers, negations and time words of `question`, each once, in order."""
    names, numbers, negations, times = set(), set(), set(), set()
    for found in _WORD.finditer(unicodedata.normalize("NFKC", question)):
        word = found[0]
        plain = word.casefold().replace("'", "").replace("’", "")
        if any(character.isdigit() for character in word):
            numbers.add(plain)
        elif plain in NEGATIONS or (plain.endswith("nt") and "'" in word.replace("’", "'")):
            negations.add(plain)
        elif plain in TIMES:
            times.add(plain)
        elif word[0].isupper() and word.casefold() not in OPENERS:
            names.add(re.sub(r"['’]s$", "", word).casefold())
    return "|".join(" ".join(sorted(words)) for words in (names, numbers, negations, times))
