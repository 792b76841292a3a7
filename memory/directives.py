"""What a standing directive is about, so that a newer contrary one is recognised. Pure; English.

"Always reply in French" and "reply in German" fill one slot with two values; "use emojis" and "stop
using emojis" are the same topic, asked for and refused. Anything else stands beside each other.
"""

import re
from dataclasses import dataclass

_NEGATIVE = re.compile(r"\b(?:stop|never|avoid|quit|don't|dont|do not|no more|no longer|without|refrain from|not)\b")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_FILLERS = frozenset(
    """
    a an the to me my i we us our you your please kindly always never only ever from now on just then when in of with
    and or for by as is be being want would like need make sure should must can going forward again any all more stop
    avoid quit don't dont do not no longer without refrain at this that it
    """.split()
)
_SLOTS = {
    "language": re.compile(
        r"\b(?:repl|answer|respond|speak|talk|writ)\w*\b.*?\bin (?P<value>english|french|german|spanish|italian|"
        r"portuguese|dutch|swedish|danish|norwegian|finnish|polish|russian|chinese|japanese|korean|arabic|turkish)\b"
    ),
    "length": re.compile(r"\b(?P<value>short|brief|concise|terse|long|detailed|verbose|thorough)\b"),
    "tone": re.compile(r"\b(?P<value>formal|informal|casual)\b"),
    "units": re.compile(r"\b(?P<value>metric|imperial)\b"),
}
# Values of a slot that mean the same.
_SAME = {"brief": "short", "concise": "short", "terse": "short", "detailed": "long", "verbose": "long"} | {
    "thorough": "long",
    "casual": "informal",
}


@dataclass(frozen=True, slots=True)
class Directive:
    """slots: name -> value. topic: stems of the words that matter. refuses: it asks not to."""

    slots: tuple[tuple[str, str], ...]
    topic: frozenset[str]
    refuses: bool

    def is_contrary_to(self, other: "Directive") -> bool:
        """Whether both can't be followed."""
        if self.topic and self.topic == other.topic:
            return self.refuses != other.refuses
        mine, theirs = dict(self.slots), dict(other.slots)
        shared = mine.keys() & theirs.keys()
        return not self.refuses and not other.refuses and any(mine[slot] != theirs[slot] for slot in shared)


def directive(description: str) -> Directive:
    """What `description` asks for. Total."""
    text = " ".join(description.casefold().split())
    slots = [
        (name, _SAME.get(found["value"], found["value"]))
        for name, pattern in _SLOTS.items()
        if (found := pattern.search(text))
    ]
    words = [word for word in _WORD.findall(text) if word not in _FILLERS]
    return Directive(tuple(slots), frozenset(map(_stem, words)), bool(_NEGATIVE.search(text)))


def _stem(word: str) -> str:
    for ending in ("ing", "es", "ed", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 2:
            return word.removesuffix(ending)
    return word
