"""Written as people type, read as people speak: left-out words and letters are put back before the parse.

"im", "dont", "my laptop's a ThinkPad", "sold the van", "Mum's 71": the parser was trained on edited text and takes
these apart wrongly. Only what can mean nothing else is rewritten, and every place leads back to the words as typed.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from memory.extraction.restatements import restated

_APOSTROPHES = {
    "im": "I'm", "ive": "I've", "dont": "don't", "cant": "can't", "isnt": "isn't", "doesnt": "doesn't",
    "didnt": "didn't", "wasnt": "wasn't", "werent": "weren't", "havent": "haven't", "hasnt": "hasn't",
    "arent": "aren't", "wouldnt": "wouldn't", "couldnt": "couldn't", "shouldnt": "shouldn't", "wont": "won't",
    "youre": "you're", "shes": "she's", "hes": "he's", "theyre": "they're", "thats": "that's", "whats": "what's",
}  # fmt: skip
_SHORT = {
    "appt": "appointment",
    "bday": "birthday",
    "bf": "boyfriend",
    "gf": "girlfriend",
    "yrs": "years",
    "dob": "birthday",
    "lil": "little",
    "bro": "brother",
    "sis": "sister",
    "w": "with",
}
_WORDS = {**_APOSTROPHES, **_SHORT, "bc": "because", "cos": "because", "cuz": "because", "i": "I"}
# Said for company rather than for its meaning.
_NOISE = "btw|lol|lmao|tbh|ngl|imo|imho|haha+|hehe|omg|ugh|pls|plz|innit|rn|fyi|smh|lolz?|ha|xx?|tho"
_IDLE = (
    r"(?:that|it) helps|you're (?:wondering|curious|interested)|you(?: are| were) (?:wondering|curious|interested)|"
    r"you (?:ask me|must know|ever need|want to know)|(?:that|it) matters"
)
# Where a clause begins: with the text, or behind what ends or joins another one.
_ONSET = (
    r"(?:^|(?<=[.!?;:,\n(]\s)|(?<=[.!?;:,\n(])|(?<=\b(?:and|but)\s)|(?<=\bso\s)|(?<=\s[-–—]\s))"
    r"(?P<lead>(?:(?:and|but|so|btw|fyi|oh|ok|also|well|yeah|yep|hey|hi|lol|anyway|honestly|actually|"
    r"because),?\s+){0,2})"
)
_ONSET_OF_TEXT = r"(?:^|(?<=[.!\n]\s))(?P<lead>(?:(?:btw|fyi|oh|ok|also|well|yeah|yep|hey|hi|lol|and|still),?\s+){0,2})"
_PEOPLE = "mum|mom|mummy|mommy|dad|daddy|nan|gran|grandma|grandpa|granny|granddad"
_IS = (
    r"(?=\s+(?:a|an|the|my|our|not|now|no|on|in|at|from|called|named|only|also|just|still|always|actually|really|"
    r"probably|definitely|basically|currently|usually|mostly|allergic|vegan|vegetarian|coeliac|celiac|diabetic|deaf|"
    r"blind|dyslexic|autistic|married|pregnant|retired|\d[\w:.]*)\b)"
)
_NOUNS = (
    r"(?!(?:it|he|she|that|there|here|what|who|how|where|when|let|this|today|everyone|"
    r"everything)\b)(?:[\w-]+\s+){0,3}?[\w-]+"
)
_DONE = (
    r"(?:just\s+|recently\s+|finally\s+)?(?:sold\s+(?=my|the|our|a\b)|bought|adopted|quit\s+(?=my|the|smoking|"
    r"drinking)|retired\s+(?=in\b|last|from|\d)|graduated|moved\s+(?:everything|to|from|into|back|out|"
    r"house)|relocated|switched|joined|gave\s+up|started\s+(?:at|a|my|as|working|learning)|left\s+(?=my\b|(?-i:[A-Z]))|"
    r"lost\s+my|turned\s+(?=\d|vegan|veg)|got\s+(?:myself\s+)?(?=a\b|an\b|my\b|married|engaged|divorced|promoted|fired|"
    r"laid|hired|rid\b|into)|became|stopped\s+\w+ing|grew\s+up|used\s+to\b(?!\s+(?:it|this|that))|born\s+(?:in|on)|"
    r"ran\s+(?:a|the|my)|passed\s+my|visited|booked)"
)
_FEELING = r"(?:like|love|enjoy|eat|drink|own|smoke|have\s+(?=any\b|a\b|kids|children|pets))\b"
# "Based in Lyon", "vegan since 2018", "dad of two", "big fan of olives": what stands behind "I'm".
_BEING = (
    r"(?:based in|originally from|currently (?:living|working|learning|studying|training)|living in|"
    r"working (?:at|as|for)|"
    r"studying|allergic to|vegan|vegetarian|pescatarian|coeliac|lactose[- ]intolerant|married (?:to|with|since)|"
    r"(?:a )?(?:single |proud )?(?:mum|mom|dad|mother|father) (?:of|to)|(?:not )?(?:a )?(?:big |huge |massive )?fan of|"
    r"(?:really |so |very )?(?:into|obsessed with|keen on)|born and raised in|retired (?:now|since)|"
    r"self-employed|unemployed|"
    r"divorced|engaged to|not (?:married|vegan|vegetarian|religious))\b"
)
_NOT_I = (
    "former|ex|ex-\\w+|lapsed|recovering|aspiring|i'm|i|it|it's|you|we|not|no|is|are|im|the|stuck|right|"
    "over|from|up|out|down|nothing|everything|all|hi|hey|hello|back|in"
)
_NAMES = {
    "the wife": "my wife", "the missus": "my wife", "the hubby": "my husband", "hubby": "my husband",
    "my hubby": "my husband", "my other half": "my partner", "the boyfriend": "my boyfriend",
    "the girlfriend": "my girlfriend", "the kids": "my kids", "the dog": "my dog", "the cat": "my cat",
}  # fmt: skip
_BEEN = (
    r"been\s+(?=(?:working|living|learning|playing|vegan|vegetarian|married|together|with\s+[A-Z]|at\s+[A-Z]|a[n]?\s))"
)
_WAS = r"was\s+(?=an?\s)"


def _rule(pattern: str, replace: Callable[[re.Match[str]], tuple[int, int, str]]) -> "_Rule":
    return _Rule(re.compile(pattern, re.IGNORECASE), replace)


@dataclass(frozen=True, slots=True)
class _Rule:
    """replace: (start, end, what stands there instead) of a match."""

    pattern: re.Pattern[str]
    replace: Callable[[re.Match[str]], tuple[int, int, str]]

    def changes(self, text: str) -> list[tuple[int, int, str]]:
        return [self.replace(match) for match in self.pattern.finditer(text)]


def _as_before(words: str) -> Callable[[re.Match[str]], tuple[int, int, str]]:
    """Only where the sentence began with the speaker or begins here: "My son, Jo, just started at Ford" did not."""

    def replace(match: re.Match[str]) -> tuple[int, int, str]:
        at = match.end("lead")
        before = _SENTENCES.split(match.string[: match.start("lead")])[-1]
        own = not before.strip(" ,;:-–—(") or (_SPEAKER.search(before) and not _OTHERS.search(before))
        return at, at, words if own else ""

    return replace


_SENTENCES = re.compile(r"[.!?\n]\s*")
_SPEAKER = re.compile(r"\b(?:I|we|We)\b")
_OTHERS = re.compile(r"\b(?:he|she|they|who)\b", re.IGNORECASE)


def _inserted(words: str) -> Callable[[re.Match[str]], tuple[int, int, str]]:
    return lambda match: (match.end("lead"), match.end("lead"), words)


def _continued(words: str) -> Callable[[re.Match[str]], tuple[int, int, str]]:
    """Behind `words` the sentence does not begin any more: "Big fan of jazz" is "I'm big fan of jazz"."""

    def replace(match: re.Match[str]) -> tuple[int, int, str]:
        at = match.end("lead")
        return at, at + 1, words + match.string[at].lower()

    return replace


_RULES = (
    # Corrections as the rules for them know them: "did I say Java? Kotlin", "it's not nuts I'm allergic to, it's eggs".
    _rule(
        r"\bdid I (?:just )?(?:say|write|type|put) (?P<old>[^?.!\n]{1,40})\?+!*\s+(?:(?:sorry|no|oops|nope)[,.!]?\s+)?"
        r"(?:(?:I )?(?:meant?|it's|make that)\s+)?(?:an?\s|the\s)?(?P<new>[\w][^.,!?;\n]{0,40})",
        lambda match: (match.start(), match.end(), f"I meant {match['new']}, not {match['old']}"),
    ),
    _rule(
        r"\b(?:let me|(?:i|I) (?:should|must|have to|need to)) (?:correct|clarify|rephrase|fix|amend)(?: (?:myself|"
        r"that|this|it))?"
        r"(?: (?:there|first|quickly))?(?=[:,–—-])",
        lambda match: (match.start(), match.end(), "correction"),
    ),
    _rule(
        r"(?<=name)(?:'s| is) spel(?:led|t)(?=\s+(?-i:[A-ZÀ-ÖØ-Þ])\w)",
        lambda match: (match.start(), match.end(), " is"),
    ),
    _rule(
        r"\b(?:please )?(?:put|note|save|write|record|set|list)(?: down)? my (?:date of birth|birth ?date|birthday|"
        r"dob)(?: down| in)? "
        r"(?:as|to|is|to be)(?=\s)",
        lambda match: (match.start(), match.end(), "my birthday is"),
    ),
    # "You're talking to Ola Dahl, head of sales": the speaker, presented.
    _rule(
        r"\byou(?:'re| are) (?:now )?(?:talking|speaking|chatting) (?:to|with)(?= (?-i:[A-ZÀ-ÖØ-Þ])[\w'’-]+(?: "
        r"(?-i:[A-ZÀ-ÖØ-Þ])"
        r"[\w'’-]+)*(?:,|\.|$))",
        lambda match: (match.start(), match.end(), "I'm"),
    ),
    _rule(
        r"(?:^|(?<=[.!:]\s))(?P<name>(?-i:[A-ZÀ-ÖØ-Þ])[\w'’-]+(?: (?-i:[A-ZÀ-ÖØ-Þ])[\w'’-]+){0,2}) here(?=,\s)",
        lambda match: (match.start(), match.end(), f"I'm {match['name']}"),
    ),
    _rule(
        r"\b(?:it's not|it is not|it isn't) (?P<old>[\w' -]{1,30}?) (?:that |which )?"
        r"(?P<said>(?:I|we)(?:'m|'ve| am| are)? "
        r"[\w' ]{2,30}?), (?:but )?(?:it's|it is) (?P<new>[\w' -]{1,30})",
        lambda match: (match.start(), match.end(), f"{match['said']} {match['new']}, not {match['old']}"),
    ),
    _rule(
        rf"(?<![\w'.@/-])(?:{'|'.join(_WORDS)})(?![\w@/-]|\.\w|'\w)",
        lambda match: (match.start(), match.end(), _WORDS[match.group().lower()]),
    ),
    _rule(r"(?<![\w'.@/-])i(?='(?:m|ve|d|ll)\b)", lambda match: (match.start(), match.end(), "I")),
    _rule(
        r"\bbetween (?P<first>(?:19|20)\d{2}) and (?P<last>(?:19|20)\d{2})\b",
        lambda match: (match.start(), match.end(), f"from {match['first']} to {match['last']}"),
    ),
    _rule(rf"[ ,]+(?:{_NOISE})(?![\w'-])(?=[ .,;!?]|$)", lambda match: (match.start(), match.end(), "")),
    _rule(rf",? (?:if|in case) (?:{_IDLE})[^.,;:!?\n]*", lambda match: (match.start(), match.end(), "")),
    _rule(
        r",?(?: and| with)?(?: honestly,?)?(?: i have| absolutely)? (?:no|zero) regrets\b",
        lambda match: (match.start(), match.end(), ""),
    ),
    _rule(r"(?<=\bgot )myself ", lambda match: (match.start(), match.end(), "")),
    _rule(
        r"\b(?:mother|father|sister|brother|son|daughter) in law\b",
        lambda match: (match.start(), match.end(), match.group().replace(" ", "-")),
    ),
    _rule(
        r"\b(?:left|right) handed\b",
        lambda match: (match.start(), match.end(), match.group().replace(" ", "-")),
    ),
    _rule(rf"{_ONSET}{_NOUNS}(?P<is>'s){_IS}", lambda match: (match.start("is"), match.end("is"), " is")),
    _rule(
        r"\bit(?:'s| is)\s+(?P<who>(?-i:[A-Z])[\w'-]*)\s+(?:that|who)\s+(?=\w+s\b)",
        lambda match: (match.start(), match.end(), f"{match['who']} "),
    ),
    _rule(
        rf"{_ONSET}(?P<kin>{_PEOPLE})\b(?='s|\s+(?:\w+s|\w+ed|has|was)\b)",
        lambda match: (match.start("kin"), match.end("kin"), f"my {match['kin'].lower()}"),
    ),
    _rule(
        r"\bmy (?:dad|mum|mom|sister|brother|wife|husband|son|daughter|girlfriend|boyfriend)(?P<s>s) (?=birthday\b)",
        lambda match: (match.start("s"), match.end("s"), "'s"),
    ),
    _rule(
        rf"{_ONSET}(?P<the>the) (?=rent (?:is|was) [£$€]?\d)",
        lambda match: (match.start("the"), match.end("the"), "my"),
    ),
    _rule(rf"{_ONSET}(?=birthday(?:'s|\s+is)\b)", _inserted("my ")),
    _rule(
        rf"{_ONSET_OF_TEXT}(?=not (?:with|at|on|using|working|living)\b[^.,;!?\n]{{1,40}}\bany ?more\b)",
        _continued("I'm "),
    ),
    _rule(rf"{_ONSET}(?={_DONE})", _as_before("I ")),
    _rule(rf"{_ONSET}(?=(?:(?:don't|can't|never|no longer)\s+{_FEELING}))", _as_before("I ")),
    _rule(rf"{_ONSET}(?=(?:haven't|have not|have never)\s+(?:been|had|\w+ed|eaten|drunk)\s)", _as_before("I ")),
    _rule(
        rf"(?<![\w'-])(?:{'|'.join(sorted(_NAMES, key=len, reverse=True))})(?![\w-])",
        lambda match: (match.start(), match.end(), _NAMES[match.group().lower()]),
    ),
    _rule(rf"{_ONSET}(?=name(?:'s|\s+is)\s+(?-i:[A-Z]))", _inserted("my ")),
    _rule(rf"{_ONSET_OF_TEXT}(?={_BEING})(?![^.!\n]*\?)", _continued("I'm ")),
    _rule(
        r"(?:^|(?<=[.!\n]\s))(?P<lead>)(?=(?:[\w-]+\s){0,3}[\w-]+ (?:here|by trade|by day|by profession)(?=[.,!\n]|$))"
        rf"(?!(?:[\w-]+\s){{0,3}}(?:{_NOT_I}|(?-i:[A-Z]\w+) here\b))",
        _continued("I'm a "),
    ),
    _rule(rf"{_ONSET}(?={_BEEN})", _as_before("I have ")),
    _rule(rf"(?<=[,;]\s)(?P<lead>)(?={_WAS})", _as_before("I ")),
)


@dataclass(frozen=True, slots=True)
class Spelled:
    """text: the words in full. places: for each of its characters, and its end, the offset in what was typed."""

    text: str
    places: list[int] | None

    def place(self, offset: int) -> int:
        return offset if self.places is None else self.places[offset]


def spelled_out(typed: str) -> Spelled:
    """`typed` with what is left out put back."""
    text, places = typed, list(range(len(typed) + 1))
    for changes_in in (restated, *(rule.changes for rule in _RULES)):
        changes = changes_in(text)
        for start, end, words in reversed(changes):
            if text[start:end] == words:
                continue
            at = places[start]
            places[start:end] = [at] * len(words) if words else []
            text = text[:start] + words + text[end:]
    return Spelled(text, None if text == typed else places)
