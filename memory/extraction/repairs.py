"""Words that take an earlier statement back: "no, I meant X", "scratch that", "it's X, not Y".

"Actually" is no such cue: "Actually I moved" tells of a change, not of a mistake.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from spacy.tokens import Span, Token

from memory.candidates import Mention
from memory.extraction.claims import Claim
from memory.extraction.phrases import is_name, mention, value_of

_TAKEN_BACK = re.compile(
    r"\b(?:scratch that|strike that|correction|i (?:actually )?meant|no,? wait|wait,? no|oops|whoops|"
    r"my (?:mistake|bad)|i misspoke|"
    r"let me correct|i was wrong|that(?:'s| was| is) (?:wrong|not right|incorrect)|i mistyped|typo|make that)\b"
    r"|^\W*(?:no|nope|sorry),?\s+(?:it's|it is|that's|i'm|i am|i said|my|i live|i work)\b",
    re.IGNORECASE,
)
# The replacement stands alone: what it replaces was said before.
_STRONG = re.compile(
    r"(?:\bi (?:actually )?meant(?: to say)?|\bscratch that|\bstrike that|\bcorrection|\bmake (?:that|it)|\bi mean|"
    r"\bno,? wait|\bwait,? no|\boops|\bwhoops|\bi misspoke|\bthat should (?:be|have been))[\s,:;.—–-]+"
    r"(?:it's |it is |it was |that's |i meant |make that |the )?",
    re.IGNORECASE,
)
_NOT_BUT = re.compile(r"^\W*(?:no\W+)?not\s+([^,;.]{1,60}?)\s*[,;–—-]\s*(?:but\s+)?(?=\w)", re.IGNORECASE)
_WEAK = re.compile(
    r"(?:^|[,;.—–-]\s*)\W*(?:no|nope|sorry|rather|er|uh|um)[\s,:]+(?:sorry,? |i mean |it's |it is |that's )?",
    re.IGNORECASE,
)
_CONTRAST = re.compile(r"^\W*(?:no|nope|sorry|oh)?\W*(?:it's|it is|that's|that is|it was)\s+", re.IGNORECASE)
_NOT = re.compile(r",?\s+not\s+(?:at\s+|in\s+|the\s+|a\s+|to\s+)?", re.IGNORECASE)
_STATED_CONTRAST = re.compile(r"\w,\s+not\s+(?:at\s+|in\s+|for\s+|to\s+|as\s+|with\s+)?(?:an?\s+|the\s+)?[A-Z0-9]")
_PLAIN = ("NN", "NNS", "JJ", "VBG", "UH")  # "make that green", "I mean peanuts"


@dataclass(frozen=True, slots=True)
class Replacement:
    """New words, and the ones they replace if said. in_turn: only of what this turn said itself.

    strict: the cue is weak ("sorry, X"), so the new words must be known to be of the same kind.
    """

    words: tuple[Token, ...]
    replaced: str
    in_turn: bool
    start: int
    end: int
    strict: bool = False


def takes_back(sentence: Span) -> bool:
    """Whether facts that `sentence` states correct what was said before."""
    return _TAKEN_BACK.search(sentence.text) is not None or _STATED_CONTRAST.search(sentence.text) is not None


def replacement_in(sentence: Span) -> Replacement | None:
    """The bare replacement that `sentence` brings ("sorry, Munich"), if any."""
    text = sentence.text
    alone = not sentence.doc.text[: sentence.start_char].strip() and not sentence.doc.text[sentence.end_char :].strip()
    for pattern, in_turn in ((_CONTRAST, False), (_STRONG, False), (_NOT_BUT, False), (_WEAK, not alone)):
        found = pattern.search(text)
        if found is None:
            continue
        if pattern is _WEAK and not in_turn and found.start():
            in_turn = True  # "sorry, Globex" alone is about the turn before, "..., sorry, Globex" about this one
        contrast = _NOT.search(text, found.end())
        if pattern is _CONTRAST and contrast is None:
            continue
        until = contrast.start() if contrast is not None else len(text.rstrip(" .!\n"))
        words = tuple(
            word for word in sentence if found.end() <= word.idx - sentence.start_char < until and not word.is_space
        )
        while words and (words[0].lower_ in ("in", "at", "to", "as", "a", "an", "the", "for") or words[0].is_punct):
            words = words[1:]
        if not words or len(words) > 4 or any(word.is_punct and word.text != "-" for word in words):
            continue
        plain = pattern is _STRONG and all(word.tag_ in _PLAIN for word in words) and len(words) <= 3
        if not (is_name(words) or words[0].like_num or plain):
            continue
        replaced = found[1].strip() if pattern is _NOT_BUT else ""
        if contrast is not None:
            replaced = re.split(r"[.,;!]", text[contrast.end() :].strip(), maxsplit=1)[0].strip()
        return Replacement(
            words,
            replaced,
            in_turn,
            sentence.start_char + found.start(),
            int(words[-1].idx + len(words[-1])),
            strict=pattern is _WEAK and not in_turn,
        )
    return None


def repaired(claims: Sequence[Claim], by: Replacement) -> int | None:
    """Index of the claim that `by` replaces: the last that said the replaced words, or could have."""
    new = value_of(by.words)
    for position in range(len(claims) - 1, -1, -1):
        said = _said(claims[position])
        if by.replaced:
            if said.casefold() == by.replaced.casefold():
                return position
        elif said != new and _fits(claims[position], by):
            return position
    return None


def with_replacement(claim: Claim, by: Replacement) -> Claim:
    value = mention(by.words, claim.value.type) if isinstance(claim.value, Mention) else value_of(by.words)
    return replace(claim, value=value, start=by.start, end=by.end, repair=True)


def _said(claim: Claim) -> str:
    return claim.value.name if isinstance(claim.value, Mention) else claim.value


def _fits(claim: Claim, by: Replacement) -> bool:
    """A place is no replacement for an employer, as far as the model can tell them apart."""
    said, new = _said(claim)[:1], value_of(by.words)[:1]
    if said.isupper() != new.isupper() or said.isdigit() != new.isdigit():
        return False
    kind = by.words[0].ent_type_
    expected = claim.value.type if isinstance(claim.value, Mention) else claim.value_type
    if expected == "location":
        return kind in ("GPE", "LOC", "FAC") if by.strict else kind != "PERSON"
    if expected in ("organisation", "person"):
        return kind not in ("GPE", "LOC", "FAC", "DATE")
    return True
