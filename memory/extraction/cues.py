"""Words that only say that something said before does not hold: "sorry", "let me correct that", "I take that back"."""

import re
from dataclasses import dataclass

SAID = r"(?:say|said|write|wrote|type|typed|put|told you)"
WRONG = r"(?:wrong|not right|incorrect|not true|a (?:typo|mistake|lie)|my (?:mistake|bad|fault)|out of date|old news)"
# "Scratch that idea" is about something else.
_ENDS = (
    r"(?=\W*$|\s+(?:it|its|it's|that's|i|i'm|we|he|she|they|make|not|actually|no|sorry|please|the|in|at)\b|"
    r"\s+(?:\d|(?-i:[A-Z])))"
)
# Each says that something said before does not hold, and nothing of what does.
_CUES = (
    r"no+(?=\W*$|\s+(?:it|its|it's|that|that's|the|wait|sorry|no|i|i'm|my|he|she|they|we|make|not|actually|hang|"
    r"hold)\b|"
    r"\s+(?:\d|(?-i:[A-Z])))|nope|nah|sorry|sry|apologies|pardon(?: me)?|i beg your pardon|excuse me|"
    r"wait(?: up)?|"
    r"oops(?:ie)?|whoops|hang on|hold on|hm+|oh dear|dear me|silly me|stupid me|my (?:bad|mistake|apologies)|"
    r"correction(?: (?:on|to|from|there|about)\b.*)?|typo|edit|autocorrect|damn autocorrect|"
    r"(?:let me |i(?:'d better| should| have to| must)? )?(?:correct|fix|rephrase|amend|clarify)(?: (?:myself|that|"
    r"this|it|"
    r"one thing|two things|something|what i said))*(?: (?:there|first))?|"
    rf"(?:scratch|strike|scrap|ignore|disregard|forget) (?:that|it|this)(?: last (?:one|bit))?{_ENDS}|"
    r"(?:i )?take that back|i take (?:it|that) back|i stand corrected|i (?:just )?(?:lied|fibbed|mis-?\w+(?: (?:it|"
    r"that|this|there|myself|the \w+))*)|"
    r"(?:i )?tell a lie|what am i saying|what was i (?:saying|thinking)|i (?:was|am|'m) (?:wrong|mistaken)(?: "
    r"(?:about|there)\b.*)?|"
    rf"i got (?:that|it|this|the \w+) wrong|(?:that|it|this|which)(?:'s| is| was)(?: all)? {WRONG}(?: actually)?|"
    rf"{WRONG}(?=\W*$)|"
    rf"that (?:figure|date|number|name|one|bit)(?:'s| is| was) {WRONG}|"
    r"on (?:reflection|second thoughts?)|come to think of it|now (?:that )?i think (?:of|about) it|change of plans?|"
    r"(?:it )?turns out(?: that)?|strictly speaking|to be (?:precise|exact|fair|accurate)|more precisely|technically|"
    r"you know what|having checked\b.*|i(?:'ve| have)? just (?:checked|looked|asked|seen|noticed|remembered)\b.*|"
    r"i (?:always|keep(?: on)?) (?:do|doing|mix|mixing|confuse|confusing|forget|forgetting|get|getting|say|saying)\b.*|"
    r"i should (?:say|have said|add|mention)|i ought to (?:say|have said)|(?:i (?:actually )?)?mean(?:t)?(?: to "
    r"say)?(?=\W*$)|by the way|"
    r"or rather|rather|actually|in fact|in actual fact|er+m?|u[hm]+|ah+|oh+|ugh|well|right|ok(?:ay)?|hey|"
    rf"(?:lol|haha+|hehe|ffs|omg|jesus|gosh|yikes)|did i {SAID} that"
)
_CUE = re.compile(rf"\W*(?:{_CUES})(?![\w'])", re.IGNORECASE)
# Interjections alone correct nothing: "well, ten", "right, Leeds", "oh, Friday".
_IDLE_CUE = re.compile(
    r"\W*(?:er+m?|u[hm]+|ah+|oh+|ugh|well|right|ok(?:ay)?|hey|lol|haha+|hehe|ffs|omg|jesus|gosh|yikes|hm+|you know "
    r"what|"
    r"technically|to be fair|actually|in fact|by the way|strictly speaking)\W*",
    re.IGNORECASE,
)
# Said for much else, so that the new words must be plainly of the kind of the old ones.
_WEAK_CUE = re.compile(
    r"\W*(?:no+|nope|nah|sorry|sry|wait(?: up)?|hang on|hold on|apologies|pardon(?: me)?)\W*", re.IGNORECASE
)
_CUED_BEHIND = re.compile(r"\w\s+(?:sorry|i mean|i meant|i should (?:say|have said)|rather|my bad)\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cues:
    """Those at the beginning of some words, up to `end`. any: one of them corrects. clearly: by more than a "no" or
    "sorry". stressed: one says "actually"."""

    end: int
    any: bool
    clearly: bool
    stressed: bool


def cues_before(words: str) -> Cues:
    """The cues that `words` begin with."""
    end, any_, clearly, stressed = 0, False, False, False
    while (cue := _CUE.match(words, end)) is not None and cue.end() > end:
        idle = _IDLE_CUE.fullmatch(cue.group()) is not None
        any_ = any_ or not idle
        clearly = clearly or not (idle or _WEAK_CUE.fullmatch(cue.group()))
        stressed = stressed or cue.group().strip(" ,").lower() in ("actually", "in fact", "technically")
        end = cue.end()
    return Cues(end, any_, clearly, stressed)


def is_cued_behind(words: str) -> bool:
    """Whether `words` end with a cue ("ten, sorry", "4 I mean") or begin with an asterisk, as typed corrections do."""
    return _CUED_BEHIND.search(words) is not None or words.lstrip().startswith("*")
