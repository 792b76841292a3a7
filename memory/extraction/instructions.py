"""Standing directives to the assistant: "always reply in French", "please stop using emojis"."""

import re
from collections.abc import Iterator

from spacy.tokens import Span

from memory.candidates import VALUE_LENGTH_MAX, InstructionCandidate

LABEL_WORDS_MAX = 6

# What an assistant can be told to do or leave, as against "don't worry" and "never mind".
_MANNERS = (
    "use mention say call reply answer respond speak write include add show ask suggest recommend apologize apologise "
    "assume explain send share repeat start end format translate summarize summarise swear make put refer address keep "
    "remind check cite talk sign book schedule order offer quote disclose reveal discuss confirm provide prefer avoid "
    "stick follow treat round convert list begin tell spell leave skip omit include assume schedule warn highlight"
).split()
# What an assistant does to somebody: told always, never or on conditions, but not as an errand.
_ACTS = (
    "(?:send|notify|ping|message|email|text|contact|phone|disturb|interrupt|wake|bother|nag|pester|delete|change|touch)"
)
# How it does what it does: no errand either ("I'd like you to write a poem").
_MANNER = (
    "(?:use|avoid|stick|keep|reply|respond|answer|speak|talk|address|refer|call me|treat|assume|prefer|follow|round|"
    "cite)\\b"
)
# What is of its manner whenever it is spoken of.
_OUTPUT = (
    r"(?:emojis?|jargon|slang|bullet points?|markdown|exclamation marks?|your (?:\w+ )?(?:answers?|repl(?:y|ies)|"
    r"responses?|"
    r"messages?|explanations?|summaries|emails?)|(?:british|american|uk|us) (?:spelling|english)|metric|celsius|"
    r"fahrenheit)"
)


def _gerund(verb: str) -> str:
    return {"begin": "beginning", "put": "putting", "format": "formatting"}.get(verb, f"{verb.removesuffix('e')}ing")


_DO = "(?:give(?! up)|" + "|".join(_MANNERS) + r")\b"
_DOING = "(?:giving(?! up)|" + "|".join(map(_gerund, _MANNERS)) + r")\b"
_DO_OR_DOING = f"(?:{_DO}|{_DOING}|being\\b)"
_DONT = "(?:don't|do not|dont)"
_LATER = r"(?:from now on|going forward|moving forward|from here on|in (?:the )?future|by default|as a rule)"
_TONES = (
    "(?:so |too |more |less |very )*(?:concise|brief|formal|informal|polite|direct|casual|verbose|terse|rude|chatty)"
)
_OPENING = (
    r"(?:(?:hey|hi|ok|okay|so|and|also|but|oh|btw|by the way|remember(?: to)?|note|please|pls|kindly|just|then)"
    r"[\s,:!]+)*"
)
_I_WANT = r"i(?:'d| would)? (?:want|need|like|prefer|rather|expect)"
_LANGUAGES = "english|french|german|spanish|italian|portuguese|dutch"
_LANGUAGE = rf"(?:(?-i:[A-Z])[a-z]+|{_LANGUAGES}|bullet points|plain text|lower ?case)"
_WHEN = r"(?:when(?:ever)?|every time|each time|if) (?:i|we|you|someone|a user|the user)\b"
_WHILE = r"(?:when|while|if) [a-z]+ing\b"
_THEN = (
    r"(?:please |kindly |just |then |could you |can you |i(?:'d| would) like you to |you should |always |never |"
    r"only )*"
)
_ANSWERS = "(?:answers|replies|responses|explanations|summaries)"
_DIRECTIVES = (
    rf"{_LATER}[\s,]+(?:please\s+|i (?:want|need|would like|'d like) you to\s+|you (?:should|must|can)\s+)?[a-z]+",
    rf"(?:always|never|only)\s+(?:{_DO}|be\b)",
    rf"{_DONT}\s+(?:ever\s+|always\s+)?{_DO}",
    rf"(?:{_DONT}\s+)?be {_TONES}\b",
    rf"(?:stop|avoid|quit|refrain from|no more)\s+{_DO_OR_DOING}",
    rf"you (?:should|must|need to|have to)\s+(?:always |never |not |only )*(?:{_DO}|be\b)",
    rf"{_I_WANT} (?:that )?you (?:to )?(?:always |never |not (?:to )?)+(?:{_DO}|be\b)",
    rf"{_I_WANT} (?:that )?you (?:to )?(?:{_MANNER}|be\b)",
    r"(?:refer to|address) me (?:as|by)\b",
    r"be (?:blunt|honest|frank|kind|gentle|nice|patient|critical|straight|strict) (?:with|to|about)\b",
    rf"(?:short|brief|concise|long|detailed|plain|honest|straight) {_ANSWERS}\b",
    r"(?:metric|imperial|bullet points?|code|english|plain text|markdown|json) only\b",
    (
        r"(?:answer|reply|respond|summari[sz]e|explain) (?:\w+ )?in (?:one|two|three|a|at most|under|no more "
        r"than) (?:single |short )?"
        r"(?:sentence|line|paragraph|word)s?\b"
    ),
    r"i'd rather you (?:didn't|don't|did not)\s+\w+",
    (
        r"you (?:can|may|don't need to|needn't|don't have to)\s+(?:skip|drop|leave out|omit|explain|apologi[sz]e|"
        r"repeat|remind)\b"
    ),
    rf"{_DONT} (?:sugar-?coat|hold back|bother|over-?explain|apologi[sz]e|lecture|patroni[sz]e|hedge|guess|ramble)\b",
    (
        r"(?:drop|skip|omit|lose|cut|leave out) (?:the |all |any )?(?:emojis?|pleasantries|intro(?:duction)?s?|"
        r"preamble|disclaimers?|"
        r"fluff|small talk|apologies|formalities|jargon|greetings?|sign-?off)\b"
    ),
    r"no (?:need|point) (?:to|in) (?:explain|apologi[sz]e|repeat|thank|greet|remind)\w*\b",
    (
        rf"(?:i'd|i would) (?:like|prefer|rather have|appreciate) (?:all |your |my )*{_ANSWERS} (?:in|to be|as|short|"
        rf"brief)\b"
    ),
    r"(?:i'd|i would) appreciate it if you\b",
    r"(?:use|keep|adopt) an? \w+ tone\b",
    r"use (?:metric|imperial|british|american|markdown|plain|simple|formal|informal|short|bullet|celsius|fahrenheit)\b",
    r"(?:reply|respond|answer|write) (?:only |briefly|concisely|with (?:bullet|short|one|a single|at most))",
    r"no (?:more )?(?:emojis?|jokes|small talk|bullet points|apologies|disclaimers|markdown|swearing)\b",
    r"sign off (?:as|with)\b",
    rf"give me (?:only )?(?:short|brief|concise|detailed|simple|direct|honest)(?:er)?\s+(?:\w+\s+)?{_ANSWERS}\b",
    rf"i (?:want|need|prefer) (?:all |your |my )*(?:dates|code|numbers|units|times|{_ANSWERS}) (?:in|to be|as)\b",
    r"explain (?:things|everything|concepts|it all) \w+",
    r"(?:speak|talk|write)(?: to me)? like\b",
    rf"make sure (?:to|that you|you)\s+(?:always |never |not )*(?:{_DO}|be\b)",
    r"address me (?:formally|informally|politely|casually|directly|properly)\b",
    (
        rf"(?:{_WHEN}|{_WHILE})[^.?!,]{{3,60}}?(?<! i)(?<! we)(?<! they)(?<! you)(?<! he) "
        rf"(?:please |just |always |never |only )+(?:{_DO}|tell\b|give\b)"
    ),
    rf"(?:reply|respond|answer|speak|talk|write)(?: to me)? (?:only )?in {_LANGUAGE}\b(?!\s+\d)",
    r"keep (?:your |the |all )?(?:answers|replies|responses|messages|explanations)\s+[a-z]+",
    r"let's (?:stick to|keep to|always)\s+\w+",
    rf"(?:{_WHEN}|{_WHILE})[^.?!,]*,\s*{_THEN}(?:{_DONT} )?(?!make sure they)(?:{_DO}|{_ACTS}\b)",
    (
        rf"(?:whenever|every time|each time|any ?time|unless|until|except (?:when|"
        rf"if))\b[^.?!,]{{3,60}},\s*{_THEN}(?:{_DONT} )?"
        rf"(?:{_DO}|{_ACTS}\b|give\b|tell\b|limit\b|cap\b|be\b|(?:your |all |the )*{_ANSWERS} (?:should|must|are|need|"
        rf"have))"
    ),
    (
        rf"(?:your|all|any|all (?:of )?your|every|each) (?:\w+ )?(?:{_ANSWERS}|answer|reply|response) "
        r"(?:should|must|need "
        rf"to|needs to|has to|have to|are to)\b"
    ),
    (
        rf"(?:{_I_WANT}|i(?:'d| would) (?:love|like|prefer)|it(?:'d| would) be (?:great|good|nice|better|best|lovely) "
        rf"if|"
        rf"i(?:'d| would) (?:be (?:grateful|happy|glad)|prefer it|appreciate it) if)(?: it if)? you (?:to |would |"
        rf"could |can )?"
        rf"(?:always |never |not (?:to )?|please |didn't |don't )*\w+ [^.?!]{{0,40}}?\b{_OUTPUT}\b"
    ),
    (
        rf"i (?:don't|do not|never) want (?:you to \w+|(?:to (?:see|hear|get|receive) )?(?:any |more )?(?:reminders|"
        rf"notifications|{_OUTPUT}))\b"
    ),
    r"(?:leave|keep|put) [^.?!]{1,40}? (?:out of|off) (?:your|all|any|my)\b",
    rf"(?:{_DONT}(?: ever| you ever)?|never|always|stop) {_ACTS}(?:ing)?\b",
    r"(?:send|forward|route|deliver|file|charge|bill|address) (?:all|any|every|each)(?: of)?(?: my| the| our)? \w+",
    (
        r"call me (?!(?:an?|when|if|later|tomorrow|back|at|on|in|crazy|maybe|after|before|once)\b)[\w' -]{2,30}?,? "
        r"(?:always|from now on|no exceptions|at all times|every time)\b"
    ),
    r"always call me\b",
    r"stop calling me\b",
    rf"(?:communicate|chat|converse|correspond)(?: with me)? (?:only )?in {_LANGUAGE}\b",
    rf"let's (?:only )?(?:speak|talk|chat|write)(?: to each other)? (?:only )?(?:in )?{_LANGUAGE}\b",
    r"use (?!(?:the|this|that|my|these)\b)(?:[\w-]+ ){1,3}(?:time|format|notation|spelling|tone|style|english)\b",
    r"no (?:\w+ )?(?:chit[- ]?chat|fluff|filler|preamble|pleasantries|flattery|lectures|moralising|buzzwords)\b",
    r"assume (?:that )?i(?:'m| am| know| have| use| want| prefer)\b",
)
_STANDING = re.compile(rf"^{_OPENING}(?:{'|'.join(_DIRECTIVES)})", re.IGNORECASE)
_ASKED = r"^(?:hey,? |ok,? |and |so )?(?:can|could|would|will) you (?:please )?"
_REQUEST = re.compile(rf"{_ASKED}(always|never|stop|avoid|not|only)\s+", re.IGNORECASE)
_REQUEST_LATER = re.compile(rf"{_ASKED}(.*\b{_LATER})\W*$", re.IGNORECASE)
# One occasion only: no standing rule.
_MOMENTARY = re.compile(
    r"\b(?:today|tonight|tomorrow|right now|this time|for now|just this once|this (?:email|letter|message|one|code|"
    r"function|text|article|file))\b"
    r"|\b(?:need|want|like) you to (?!always|never|not|be)\w+ (?:this|it|these|my|the following)\b",
    re.IGNORECASE,
)
_IDIOMS = re.compile(
    r"\b(?:never say never|don't (?:quote me|mention it|get me started|start me|ask(?: me)? (?:why|how|what|where)|"
    r"tell anyone|make me|give me that)|never mind|leave me out)\b",
    re.IGNORECASE,
)
_LOOSE_START = re.compile(f"^{_OPENING}", re.IGNORECASE)
_ADDRESS = re.compile(
    r"^(?:you (?:should|must|need to|have to)(?! not)|i(?:'d| would)? (?:want|need|like|prefer|expect) you(?: to)?"
    r"|make sure (?:to|that you|you))\s+",
    re.IGNORECASE,
)
_RULE_MARKS = re.compile(rf"^(?:(?:{_LATER}|always)[\s,]+)+", re.IGNORECASE)
_FILLERS = re.compile(r"\b(?:please|pls|kindly)\b[\s,]*", re.IGNORECASE)


# Where another directive may begin within a sentence.
_BORDER = re.compile(
    r"(?P<sep>[,;:.!–—-]+\s*|\s+(?=and\b|so\b|but\b))(?:(?P<so>so)\s+|(?:and|but|also|then|plus)\s+)*"
    rf"(?=(?P<please>(?:please|pls|kindly)\b)|{_DONT}\b|(?:never|always|stop|avoid|keep|use|reply|respond|answer|"
    rf"address|call|make "
    r"sure|no|refer|write|speak|leave|skip|drop|convert|give|from now on|be)\b)",
    re.IGNORECASE,
)
# Of what stands before a comma, what the directive behind it is bound to.
_BOUND = re.compile(
    rf"^{_OPENING}(?:(?:when|whenever|if|unless|until|while|every time|each time|any ?time|except|for|in|as|because|"
    rf"since)\b[^,;]*|{_LATER}|please|"
    r"(?:hey|hi|hello)(?: \w+)?)\s*$",
    re.IGNORECASE,
)


def read_instructions(sentence: Span) -> Iterator[InstructionCandidate]:
    """The standing directives that `sentence` gives."""
    text = sentence.text.strip()
    offset = sentence.start_char + len(sentence.text) - len(sentence.text.lstrip())
    for start, end in _parts(text):
        rule = _rule(text[start:end].strip())
        if len(rule.split()) < 2:
            continue
        yield InstructionCandidate(
            start=offset + start,
            end=offset + end,
            confidence=0.95 if re.search(r"\b(?:always|never|from now on)\b", rule, re.IGNORECASE) else 0.85,
            category="knowledge",
            label=_label(rule),
            description=rule[:VALUE_LENGTH_MAX],
        )


def _parts(text: str) -> Iterator[tuple[int, int]]:
    """Where directives may stand: the sentence, or what a border divides it into.

    Behind a mere comma or "and" one follows only on another ("I smoke and never use filters" gives none).
    """
    start, directs = 0, False
    for border in _BORDER.finditer(text):
        before = text[start : border.start()]
        if _BOUND.match(before) or not _STANDING.match(text[border.end() :]):
            continue
        directs = bool(_rule(before.strip()))
        apart = border["please"] or border["so"] or border["sep"].strip() in (";", ":", "–", "—", "-", ".", "!")
        if directs:
            yield start, border.start()
        elif not apart:
            continue
        start = border.end()
    yield start, len(text)


def _rule(text: str) -> str:
    """The directive that `text` gives, in its words, or ""."""
    if (
        _MOMENTARY.search(text)
        or _IDIOMS.search(text)
        or (text.endswith("?") and not _REQUEST.match(text) and not _REQUEST_LATER.match(text))
    ):
        return ""
    requested = _REQUEST.match(text)
    later = _REQUEST_LATER.match(text)
    if requested is not None:
        rule = text[requested.start(1) :]
    elif later is not None:
        rule = later[1]
    elif _STANDING.match(text):
        rule = _LOOSE_START.sub("", text)
    else:
        return ""
    rule = " ".join(_ADDRESS.sub("", _FILLERS.sub("", rule)).split()).rstrip(" .!?,;:")
    return re.sub(r"^(?:didn't|did not)\b", "don't", rule)


def _label(rule: str) -> str:
    """The first words of the rule, without what only makes it a rule."""
    words = _RULE_MARKS.sub("", rule).split()
    return " ".join(words[:LABEL_WORDS_MAX]).rstrip(",;:").lower()[:200]
