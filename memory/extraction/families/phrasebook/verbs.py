"""The forms that a verb of the phrasebook takes, and the small words that may stand around it."""

import re

from memory.extraction.lexicon import listed

_IRREGULAR = {
    "be": "am is are was were be been being isn't aren't wasn't weren't ain't",
    "have": "have has had having haven't hasn't got",
    "do": "do does did done doing",
    "go": "go goes went gone going",
    "come": "come comes came coming",
    "become": "become becomes became becoming",
    "get": "get gets got gotten getting",
    "give": "give gives gave given giving",
    "take": "take takes took taken taking",
    "make": "make makes made making",
    "keep": "keep keeps kept keeping",
    "cancel": "cancel cancels cancelled canceled cancelling canceling",
    "travel": "travel travels travelled traveled travelling traveling",
    "find": "find finds found finding",
    "leave": "leave leaves left leaving",
    "grow": "grow grows grew grown growing",
    "speak": "speak speaks spoke spoken speaking",
    "write": "write writes wrote written writing",
    "drive": "drive drives drove driven driving",
    "ride": "ride rides rode ridden riding",
    "sell": "sell sells sold selling",
    "buy": "buy buys bought buying",
    "eat": "eat eats ate eaten eating",
    "drink": "drink drinks drank drunk drinking",
    "sing": "sing sings sang sung singing",
    "run": "run runs ran running",
    "swim": "swim swims swam swum swimming",
    "teach": "teach teaches taught teaching",
    "break": "break breaks broke broken breaking",
    "split": "split splits splitting",
    "quit": "quit quits quitting",
    "set": "set sets setting",
    "put": "put puts putting",
    "cut": "cut cuts cutting",
    "lose": "lose loses lost losing",
    "wear": "wear wears wore worn wearing",
    "bear": "bear bears bore borne bearing",
    "stand": "stand stands stood standing",
    "sit": "sit sits sat sitting",
    "swear": "swear swears swore sworn swearing",
    "bring": "bring brings brought bringing",
    "send": "send sends sent sending",
    "spend": "spend spends spent spending",
    "build": "build builds built building",
    "read": "read reads reading",
    "lead": "lead leads led leading",
    "feel": "feel feels felt feeling",
    "know": "know knows knew known knowing",
    "wake": "wake wakes woke woken waking",
    "sleep": "sleep sleeps slept sleeping",
    "learn": "learn learns learned learnt learning",
    "study": "study studies studied studying",
    "mean": "mean means meant meaning",
    "win": "win wins won winning",
    "pay": "pay pays paid paying",
    "say": "say says said saying",
    "lie": "lie lies lay lain lying",
    "beat": "beat beats beaten beating",
    "breed": "breed breeds bred breeding",
    "dig": "dig digs dug digging",
    "begin": "begin begins began begun beginning",
    "draw": "draw draws drew drawn drawing",
    "throw": "throw throws threw thrown throwing",
    "fall": "fall falls fell fallen falling",
    "hold": "hold holds held holding",
    "hang": "hang hangs hung hanging",
}
_DOUBLED = listed("chat quit swap knit jog hop plan stop drop ban skip dip wed ship trip strum nap dab bat sub hog")

# What may stand around a verb; what it makes of it is for the clause's standing to say.
_ADVERBS = (
    r"[a-z]+ly|really|just|also|still|always|now|so|very|quite|too|pretty|ever|both|all|often|sometimes|kind of|kinda|"
    r"sort of|sorta|a bit|a little bit|a little|rather|much|somewhat|these days|nowadays|at the moment|at present|"
    r"lately|yet|again|well|dead|proper|pure|right|forever|then|in fact|more or less|mad|long|since|once|seldom|half|"
    r"only|maybe|perhaps|ever so|fair|super|massively|at all|by now|of late|big time|already|finally|almost"
)
_AUXILIARIES = (
    r"do|does|did|not|never|no longer|have|has|had|am|is|are|was|were|be|been|being|used to|would|will|can|cannot|"
    r"could|should|might|may|tends? to|happens? to|ha(?:ve|s|d) to|need to|got to|got|started|stopped|quit|began|to|"
    r"going to|want to|plan to|hope to|[a-z]+n't|'(?:ve|d|ll|s|re|m)"
)
SKIPPED = re.compile(rf"\s*(?:(?:{_AUXILIARIES}|{_ADVERBS})(?:\s+|$))*", re.IGNORECASE)
NEGATED = re.compile(r"\b(?:not|never|cannot|no longer)\b|n't\b", re.IGNORECASE)
# Any words, looked at afterwards, so that patterns stay small; elsewhere the commonest only.
_WORDS_AROUND = r"(?:[\w']+\s+){0,5}?"
_WORDS_AFTER = r"(?:\s+[\w']+){0,3}?"
# Behind "have" and "be" another form of the verb may come, which is no adverb.
_ADVERBS_AFTER = (
    r"(?:\s+(?:[a-z]+ly|just|also|still|always|now|not|never|no longer|so|very|quite|too|pretty|both|all|ever|a bit|"
    r"kind of|these days|at the moment|only|already|right)){0,3}?"
)
_COMMON_AROUND = (
    r"(?:(?:[a-z]+n't|[a-z]+ly|just|also|still|always|do|does|did|ha(?:ve|s|d)|not|never|no longer|used to|will|would|"
    r"can|could|both|all|so|is|are|was|were|been)\s+){0,4}?"
)


def forms_of(lemma: str) -> tuple[str, ...]:
    """The written forms of a verb, the first word of "take to" inflected."""
    verb, _, rest = lemma.partition(" ")
    return tuple(f"{form} {rest}".strip() for form in _inflected(verb))


def _inflected(verb: str) -> list[str]:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb].split()
    if verb.endswith("e"):
        return [verb, verb + "s", verb + "d", verb[:-1] + "ing"]
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return [verb, verb[:-1] + "ies", verb[:-1] + "ied", verb + "ing"]
    stem = verb + verb[-1] if verb in _DOUBLED else verb
    plural = verb + ("es" if verb.endswith(("s", "x", "z", "ch", "sh")) else "s")
    return [verb, plural, stem + "ed", stem + "ing"]


def verb_pattern(lemmas: list[str], number: int, *, bounded: bool) -> str:
    """A regular expression for any of `lemmas` in any form with its auxiliaries and adverbs, in groups by `number`.

    bounded: what stands before it is fixed, so that any words may be taken for auxiliaries at first.
    """
    forms = "|".join(form.replace(" ", r"\s+") for lemma in lemmas for form in forms_of(lemma))
    before = _WORDS_AROUND if bounded else _COMMON_AROUND
    if "be" in lemmas:
        forms += "|'(?:m|s|re)"
    if "have" in lemmas:
        forms = r"(?:have|has|had)\s+got|'(?:ve|s|d)\s+got|'(?:ve|s|d)|" + forms
    before = rf"(?:'(?:ve|d|ll|s|re|m)\s+)?{before}"
    after = _ADVERBS_AFTER if {"be", "have"} & set(lemmas) else _WORDS_AFTER
    return rf"(?P<before{number}>{before})(?:{forms})(?P<after{number}>{after})"
