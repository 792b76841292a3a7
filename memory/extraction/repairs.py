"""Words that take an earlier statement back: "no, I meant X", "scratch that", "it's X, not Y".

"Actually" is no such cue: "Actually I moved" tells of a change, not of a mistake.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from spacy.tokens import Span, Token

from memory.candidates import Mention
from memory.extraction.calendar_words import MONTHS, NUMBERS
from memory.extraction.claims import Claim
from memory.extraction.phrases import is_name, mention, value_of

_CUES = (
    r"scratch that|strike that|correction|i (?:actually )?meant|no,? wait|wait,? no|oops|whoops|hang on|hold on|"
    r"my (?:mistake|bad)|i misspoke|let me correct|i was wrong|that(?:'s| was| is) (?:wrong|not right|incorrect)"
    r"(?: actually)?|i mistyped|typo|i should (?:say|have said)|make that|scrap that|ignore that|disregard that|"
    r"edit(?=:)|"
    r"i got that wrong|let me rephrase|i take (?:that|it) back|i stand corrected|ah no|oh no|no no|should(?: "
    r"have)? be(?:en)?"
)
_TAKEN_BACK = re.compile(
    rf"\b(?:{_CUES})\b|^\W*(?:no|nope|sorry),?\s+(?:it's|it is|that's|i'm|i am|i said|my|i live|i work)\b",
    re.IGNORECASE,
)
# The replacement stands alone: what it replaces was said before.
_STRONG = re.compile(
    r"(?:\bi (?:actually )?meant(?: to say)?|\bscratch that|\bstrike that|\bcorrection|\bmake (?:that|it)|\bi mean|"
    r"\bno,? wait|\bwait,? no|\boops|\bwhoops|\bmy (?:bad|mistake)|\bi misspoke|\bi should (?:say|have said)|"
    r"\b(?:that|it|which)?\s*should (?:be|have been|read|say)|^\s*\*(?=\w)|\bscrap that|\b(?:ignore|disregard) "
    r"that|\bedit:|"
    r"\bi got that wrong|\bi mis-?spell?(?:ed|t) (?:that|it)|"
    r"\blet me rephrase|\bi take (?:that|it) back|^\W*(?:ah|oh|no)[, ]+no\b|^\W*meant\b|\btypo|"
    r"^\W*(?:oh\W+)?wait\b(?=[\s,]+(?!(?:please|up|what|no|sorry|stop|ok|okay|really|yes|yeah|never|hmm|lol)\b)"
    r"[\w'-]+\W*$)|,\s+wait(?=,?\s+(?-i:[A-Z])[\w'-]+\W*$)|"
    r"\b(?:it's|it is|that's) actually|^\W*actually,?\s+(?:it's|it is|that's)\b)[\s,:;.—–-]*"
    r"(?:no,? |sorry,? )?(?:it's |it is |it was |that's |i meant |make that |meant |the )?(?:actually )?",
    re.IGNORECASE,
)
_NOT_BUT = re.compile(
    r"^\W*(?:(?:no|sorry|wait|oops|actually|hang on)\W+)*"
    r"(?:(?:it's|it is|that's|it was|they're|he's|she's|i'm|i am)\s+)?not\s+"
    r"(?:(?:at|in|on|for|to|with|an?|the)\s+)*([^,;.]{1,60}?)\s*[,;–—-]\s*"
    r"(?:(?:but|it's|it is|that's|it was|they're|he's|she's|i'm|i am)\s+)*(?=\w)",
    re.IGNORECASE,
)
_WEAK = re.compile(
    r"(?:^|[,;.—–-]\s*)\W*(?:no|nope|sorry|(?:or )?rather|er|uh|um|well)[\s,:]+"
    r"(?:sorry,? |i mean |it's |it is |that's |actually )?",
    re.IGNORECASE,
)
# "No, sorry, to amoxicillin": said so clearly that a common noun will do. "Tea, no coffee" is not.
_CLEAR = re.compile(r"\b(?:no,? sorry,?|no,|sorry,|rather,?|well,?|i mean)\s*$", re.IGNORECASE)
_CONTRAST = re.compile(
    rf"^\W*(?:(?:no|nope|sorry|oh|actually|wait|{_CUES})\W+)*(?:it's|it is|that's|that is|it was)\s+", re.IGNORECASE
)
# "A Polo, not a Golf": nothing but the two.
_BARE_CONTRAST = re.compile(r"^\W*(?:no\W+)?(?:an?\s|the\s|in\s|at\s)?(?=[\w' .-]{1,40},\s+not\s)", re.IGNORECASE)
# "1991, sorry": nothing but the new words and the excuse.
_EXCUSED = re.compile(
    r"^\W*(?:it's |it is |the |an? )?(?=(?!ok|yes|no|yeah|right|true|thanks|oops|fine|wait|never|nothing)"
    r"[^,;.!?]{1,40},?\s+(?:sorry|i mean|i meant|my (?:bad|mistake))\W*$)",
    re.IGNORECASE,
)
_NOT = re.compile(r",?\s+not\s+(?:at\s+|in\s+|the\s+|an?\s+|to\s+)*", re.IGNORECASE)
_STATED_CONTRAST = re.compile(r"\w,\s+not\s+(?:at\s+|in\s+|for\s+|to\s+|as\s+|with\s+)?(?:an?\s+|the\s+)?[A-Z0-9]")
_PLAIN = ("NN", "NNS", "NNP", "JJ", "VBG", "UH")  # "make that green", "I mean peanuts"
# Where the new words end: with what else is said about them.
_UNTIL = re.compile(
    r"[,;.!?()]|\s(?:with|since|for|as of|now|instead|i|specifically|actually|sorry|not|stupid|silly|i mean|and|but)\b",
    re.IGNORECASE,
)
_LEADS = ("in", "at", "to", "as", "a", "an", "the", "for", "with", "on")


@dataclass(frozen=True, slots=True)
class Replacement:
    """New words, and the ones they replace if said. in_turn: only of what this turn said itself.

    strict: the cue is weak ("sorry, X"), so the new words must be known to be of the same kind. certain: only of
    what said the replaced words.
    """

    words: tuple[Token, ...]
    replaced: str
    in_turn: bool
    start: int
    end: int
    strict: bool = False
    certain: bool = False


def takes_back(sentence: Span) -> bool:
    """Whether facts that `sentence` states correct what was said before."""
    return _TAKEN_BACK.search(sentence.text) is not None or _STATED_CONTRAST.search(sentence.text) is not None


def replacement_in(sentence: Span) -> Replacement | None:
    """The bare replacement that `sentence` brings ("sorry, Munich"), if any."""
    text = sentence.text
    alone = not sentence.doc.text[: sentence.start_char].strip()
    for pattern, in_turn in (
        (_CONTRAST, False),
        (_BARE_CONTRAST, False),
        (_EXCUSED, False),
        (_STRONG, False),
        (_NOT_BUT, False),
        (_WEAK, not alone),
    ):
        found = pattern.search(text)
        if found is None:
            continue
        if pattern is _WEAK and not in_turn and found.start():
            in_turn = True  # "sorry, Globex" alone is about the turn before, "..., sorry, Globex" about this one
        contrast = _NOT.search(text, found.end())
        if pattern is _CONTRAST and contrast is None:
            continue
        until = _UNTIL.search(text, found.end() + 1)
        end = min(until.start() if until else len(text.rstrip()), contrast.start() if contrast else len(text))
        words = tuple(
            word for word in sentence if found.end() <= word.idx - sentence.start_char < end and not word.is_space
        )
        while words and (words[0].lower_ in _LEADS or words[0].is_punct):
            words = words[1:]
        if not words or len(words) > 4 or any(word.is_punct and word.text != "-" for word in words):
            continue
        if len(words) > 2 and words[1].lower_ == "of" and words[0].like_num and words[-1].lower_ not in MONTHS:
            continue  # "3 of them failed"
        clear = pattern in (_STRONG, _EXCUSED) or (
            pattern is _WEAK and in_turn and _CLEAR.search(found.group().rstrip() + " ")
        )
        plain = clear and all(word.tag_ in _PLAIN for word in words) and len(words) <= 3
        if not (is_name(words) or words[0].like_num or words[0].text[0].isdigit() or plain):
            continue
        if found.group().strip(" ,.;-").lower() == "well" and not words[0].like_num:
            continue  # "Well, Anna": hardly ever a correction
        replaced = found[1].strip() if pattern is _NOT_BUT else ""
        if contrast is not None and pattern is not _NOT_BUT:
            replaced = re.split(r"[.,;!?]", text[contrast.end() :].strip(), maxsplit=1)[0].strip()
        return Replacement(
            words,
            replaced,
            in_turn,
            sentence.start_char + found.start(),
            int(words[-1].idx + len(words[-1])),
            strict=pattern in (_WEAK, _EXCUSED) and not in_turn,
            certain=pattern is _BARE_CONTRAST,
        )
    return None


def repaired(claims: Sequence[Claim], by: Replacement) -> int | None:
    """Index of the claim that `by` replaces: the last that said the replaced words, or could have."""
    new = value_of(by.words)
    for position in range(len(claims) - 1, -1, -1):
        said = _said(claims[position])
        if by.replaced:
            if _names_same(said, by.replaced):
                return position
        elif said != new and _fits(claims[position], by):
            return position
    if by.replaced and not by.certain:
        return repaired(claims, replace(by, replaced=""))
    return None


def _names_same(said: str, replaced: str) -> bool:
    """ "not the 4th" of "4 May": all that is named was said."""
    words, others = (set(re.findall(r"[^\W_]+", text.casefold())) for text in (said, replaced))
    others = {re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", word) for word in others}
    return bool(others) and others <= words


def with_replacement(claim: Claim, by: Replacement, *, restated: bool) -> Claim:
    """The claim with the new words. restated: it was told by an earlier turn."""
    value = mention(by.words, claim.value.type) if isinstance(claim.value, Mention) else value_of(by.words)
    return replace(claim, value=value, start=by.start, end=by.end, repair=True, restated=restated)


def _said(claim: Claim) -> str:
    return claim.value.name if isinstance(claim.value, Mention) else claim.value


def _names_month(text: str) -> bool:
    return any(word.casefold() in MONTHS for word in text.split())


def _fits(claim: Claim, by: Replacement) -> bool:
    """A place is no replacement for an employer, as far as the model can tell them apart."""
    said, new = _said(claim)[:1], value_of(by.words)[:1]
    if said.isupper() != new.isupper() or said.isdigit() != new.isdigit():
        return False
    if _names_month(_said(claim)) and not _names_month(value_of(by.words)):
        return False  # "the 4th" is no birthday
    if claim.key.startswith("number_of_") and not by.words[0].like_num:
        return False
    if by.words[0].like_num and not said.isdigit() and _said(claim).lower() not in NUMBERS:
        return False
    kind = by.words[0].ent_type_
    expected = claim.value.type if isinstance(claim.value, Mention) else claim.value_type
    if expected == "location":
        return kind in ("GPE", "LOC", "FAC") if by.strict else kind != "PERSON"
    if expected in ("organisation", "person"):
        return kind not in ("GPE", "LOC", "FAC", "DATE")
    return True
