"""Fixed ways of saying things, as a table: what the parse of such a clause would not tell better.

A pattern is matched at the beginning of a clause, subject included; whether it holds, was or is wished is decided, as
for all claims, by the clause's standing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory.candidates import SPEAKER, MemoryCategory, Mention
from memory.extraction.claims import Aspect, Claim
from memory.extraction.families.diet import DIETS
from memory.extraction.lexicon import JOB_HEADS
from memory.extraction.moods import Mood
from memory.extraction.turns import Reading

_NAME = r"(?-i:[A-Z][\w'&.+-]*(?:(?: of| the| de| &)? (?!I\b)[A-Z][\w'&.+-]*){0,3})(?<![.'])"
_NOUN = (
    r"(?!(?:yesterday|today|tomorrow|it|this|that|them|you|something|anything|nothing|stuff|which|"
    r"what)\b)[a-z][\w-]*(?: [a-z][\w-]*){0,2}?"
)
_END = (
    r"(?=\s*(?:$|[.,;!?)\n]|\b(?:and|but|so|because|since|for|at|in|on|now|these|every|most|with|as|though|anyway|after|before|"
    r"right|when|until|till|last|this|either|anymore|any)\b))"
)
_SOMEBODY = r"(?:guy|girl|man|woman|someone|person|lad|bloke|dude|lady) (?:called|named)"
_OFTEN = (
    r"(?:every|most|on|twice|once|three times|a lot|regularly|daily|each|in the (?:morning|evening)s?|"
    r"before work|after work)"
)
_PARENT = {"dad": "children", "father": "children", "mum": "children", "mom": "children", "mother": "children"}
_PARENT |= {"sister": "siblings", "brother": "siblings", "twin": "siblings"}


@dataclass(frozen=True, slots=True)
class _Entry:
    """pattern: with a group `value`. object_type: of an entity that the value names; key is then a relation's label."""

    pattern: re.Pattern[str]
    key: str
    category: MemoryCategory = "knowledge"
    aspect: Aspect = Aspect.STATE
    object_type: str = ""
    value_type: str = ""


def _entry(pattern: str, key: str, *rest: object, **more: object) -> _Entry:
    return _Entry(re.compile(pattern, re.IGNORECASE), key, *rest, **more)  # type: ignore[arg-type]


_I_AM = r"(?:i'm|i am|we're|we are)(?: not| no longer| now| currently| still| also| actually)*"
_I = r"(?:i|we)(?:'ve| have)?(?: don't| no longer| now| usually| mostly| also| still| always| just| normally| never)*"
_MY = r"(?:my|our)"

_BOOK = (
    # where
    _entry(
        rf"(?:i|we)(?:'ve| have) lived in (?P<value>{_NAME}) (?:all|most of) (?:my|our) li(?:fe|ves)",
        "location",
        "identity",
        Aspect.GIVEN,
        value_type="location",
    ),
    _entry(
        rf"(?:i was |i'm |i am )?born and (?:raised|bred|brought up) in (?P<value>{_NAME})",
        "hometown",
        "identity",
        Aspect.PAST,
        value_type="location",
    ),
    _entry(rf"{_I} call (?P<value>{_NAME}) home\b", "location", "identity", value_type="location"),
    _entry(
        rf"(?:{_MY} )?home(?: for me| base)? is (?P<value>{_NAME}){_END}", "location", "identity", value_type="location"
    ),
    _entry(
        rf"{_MY} (?:flat|house|place|apartment|home) is in (?P<value>{_NAME}){_END}",
        "location",
        "identity",
        value_type="location",
    ),
    _entry(
        rf"{_I} rent (?:a|an|the) (?:[\w-]+ )?(?:room|studio|flat|house|place|apartment) in (?P<value>{_NAME}){_END}",
        "location",
        "identity",
        value_type="location",
    ),
    # work
    _entry(rf"{_I} do (?P<value>{_NOUN}) for a living\b", "job_title", "identity"),
    _entry(rf"{_MY} day job is (?:as an? )?(?P<value>{_NOUN}){_END}", "job_title", "identity"),
    _entry(
        rf"(?:{_I_AM} in|{_I} work in|{_I} do) (?:[\w& -]{{2,25}}?) at (?P<value>{_NAME}){_END}",
        "works_at",
        "identity",
        object_type="organisation",
    ),
    _entry(rf"{_I} work in (?P<value>[a-z]+(?: [a-z]+)?){_END}", "works_in", "identity"),
    _entry(
        rf"{_I_AM} at (?P<value>{_NAME})(?= any ?more\b| any longer\b)",
        "works_at",
        "identity",
        object_type="organisation",
    ),
    _entry(
        rf"(?:i've|i have) been (?:at|with) (?P<value>{_NAME})(?= (?:for|since)\b)",
        "works_at",
        "identity",
        object_type="organisation",
    ),
    _entry(
        rf"{_MY} (?:last|final) day at (?P<value>{_NAME}) was\b",
        "works_at",
        "identity",
        Aspect.END,
        object_type="organisation",
    ),
    _entry(
        rf"(?:{_MY} )?(?:company|firm|employer|workplace) is (?:called )?(?P<value>{_NAME}){_END}",
        "works_at",
        "identity",
        object_type="organisation",
    ),
    _entry(
        rf"{_I} (?:earn|make) (?:about |around |roughly )?(?P<value>[$€£]?\d[\d.,]*k?(?: (?:euros?|dollars|"
        rf"pounds))?(?: a| per)"
        r" (?:year|month|week|day|hour))",
        "salary",
    ),
    _entry(
        rf"{_I} (?:got|have|did) my (?:degree|phd|master's|masters|bachelor's|mba|diploma) (?:from|"
        rf"at) (?P<value>{_NAME}){_END}",
        "graduated_from",
        "identity",
        Aspect.PAST,
        object_type="organisation",
    ),
    _entry(rf"{_I} volunteer (?:at|for|with) (?:the |an? )?(?P<value>{_NAME}|{_NOUN}){_END}", "volunteers_at"),
    _entry(rf"{_I_AM} (?:a )?member of (?:the )?(?P<value>{_NAME}){_END}", "member_of"),
    # who
    _entry(
        rf"{_I_AM} (?:dating|seeing|going out with|in a relationship with) (?:a {_SOMEBODY} )?(?P<value>{_NAME}){_END}",
        "partner",
        "identity",
        value_type="person",
    ),
    _entry(
        rf"(?P<value>{_NAME}) and (?:i|me) (?:are|have been|'ve been) (?:together|dating|a couple)\b",
        "partner",
        "identity",
        Aspect.GIVEN,
        value_type="person",
    ),
    _entry(
        rf"(?:me and|i and) (?P<value>{_NAME}) (?:are|have been) (?:together|dating|a couple)\b",
        "partner",
        "identity",
        Aspect.GIVEN,
        value_type="person",
    ),
    _entry(
        rf"(?:my ex )?(?P<value>{_NAME}) and (?:i|me) (?:have )?(?:split up|broke up|separated|split)\b",
        "partner",
        "identity",
        Aspect.END,
        value_type="person",
    ),
    _entry(
        rf"(?:i|we) (?:have )?(?:broke up|split up|separated) (?:with|from) (?P<value>{_NAME})",
        "partner",
        "identity",
        Aspect.END,
        value_type="person",
    ),
    _entry(rf"{_MY} pronouns are (?P<value>[a-z]+/[a-z]+)", "pronouns", "identity"),
    _entry(
        rf"{_I_AM} (?P<value>gay|bisexual|straight|lesbian|asexual|queer|non-binary|trans){_END}",
        "orientation",
        "identity",
    ),
    # body and food
    _entry(
        rf"{_I} (?:get|suffer from) (?P<value>migraines|hay fever|panic attacks|nosebleeds|cold sores|vertigo|"
        rf"cramps)\b",
        "health",
        "identity",
    ),
    _entry(
        rf"{_I_AM} off (?P<value>coffee|dairy|sugar|meat|alcohol|gluten|caffeine|carbs|bread|booze|wheat){_END}",
        "avoids",
        "knowledge",
    ),
    # likes
    _entry(
        rf"(?P<value>{_NAME}|{_NOUN}) is (?:totally |really |so |very much )?my (?:thing|jam|happy place|"
        rf"passion){_END}",
        "likes",
    ),
    _entry(
        rf"(?P<value>{_NAME}|{_NOUN}) (?:isn't|is not|aren't|are not) (?:really )?(?:my (?:thing|cup of tea|jam)|"
        rf"for me){_END}",
        "dislikes",
        "knowledge",
        Aspect.GIVEN,
    ),
    _entry(
        rf"{_I} find (?P<value>{_NOUN}) (?:so |really |very |quite |pretty )?(?:boring|dull|annoying|disgusting|"
        rf"tedious|gross){_END}",
        "dislikes",
    ),
    _entry(
        rf"{_I}(?: can)? could eat (?P<value>{_NOUN}) (?:all day|every day|forever)", "likes", "knowledge", Aspect.GIVEN
    ),
    _entry(rf"{_I_AM} (?:afraid|scared|terrified) of (?P<value>{_NOUN}){_END}", "fears"),
    _entry(
        rf"what (?:i|we) (?:really |actually |most )?(?:like|love|enjoy)(?: (?:most|best))? "
        rf"is (?P<value>{_NOUN}){_END}",
        "likes",
        "knowledge",
        Aspect.GIVEN,
    ),
    _entry(
        rf"what (?:i|we) (?:really |actually |most )?(?:hate|dislike|can't stand)(?: (?:most))? "
        rf"is (?P<value>{_NOUN}){_END}",
        "dislikes",
        "knowledge",
        Aspect.GIVEN,
    ),
    _entry(
        rf"the (?:one )?thing i (?:hate|dislike|can't stand)(?: the)?(?: most)? is (?P<value>{_NOUN}){_END}",
        "dislikes",
        "knowledge",
        Aspect.GIVEN,
    ),
    _entry(
        rf"the (?:one )?thing i (?:love|like|enjoy)(?: the)?(?: most| best)? is (?P<value>{_NOUN}){_END}",
        "likes",
        "knowledge",
        Aspect.GIVEN,
    ),
    _entry(
        rf"(?:there's |there is )?nothing (?:i (?:love|like|enjoy) more than|beats) (?:an? )?(?P<value>{_NOUN}){_END}",
        "likes",
        "knowledge",
        Aspect.GIVEN,
    ),
    _entry(rf"{_I_AM} an? (?P<value>atheist|agnostic){_END}", "religion", "identity"),
    # days
    _entry(
        rf"{_I} (?:wake|get) up (?:at|around) (?P<value>\d{{1,2}}(?:[:.]\d\d)?(?: ?[ap]m)?|[a-z]+){_END}", "wakes_up_at"
    ),
    _entry(
        rf"{_I} (?:go )?(?P<value>running|swimming|jogging|cycling|climbing|hiking|bouldering|dancing|surfing|"
        rf"sailing|skiing)"
        rf"(?= {_OFTEN}\b)",
        "habit",
    ),
    _entry(
        rf"{_I_AM} (?:training|studying|practising|practicing) for (?:an? |the |my )?(?P<value>{_NAME}|{_NOUN}){_END}",
        "training_for",
        "context",
    ),
    _entry(
        rf"{_I_AM} (?:reading|watching|rewatching|re-reading) (?P<value>{_NAME})(?= (?:at the moment|right now|"
        rf"these days|now|again)"
        r"|[.!,]|$)",
        "reading",
        "context",
    ),
    _entry(
        rf"{_I_AM} learning (?:how )?(?:to )?(?:play )?(?:the )?(?P<value>piano|guitar|violin|drums|cello|"
        rf"ukulele|saxophone|flute|"
        r"drive|sew|knit|code|sign language|cook|swim|juggle)\b",
        "learning",
    ),
    # tools
    _entry(
        rf"{_I} (?:code|program|write|develop) (?:mostly |mainly |exclusively )?in (?P<value>{_NAME}){_END}", "uses"
    ),
    _entry(
        rf"{_I} (?:host|run|deploy) (?:everything|all of it|our stuff|it all|our apps|our services) (?:on|with|to) "
        rf"(?P<value>{_NAME}){_END}",
        "uses",
    ),
    _entry(rf"we rely on (?P<value>{_NAME}){_END}", "uses"),
    _entry(rf"{_I} replaced (?P<value>{_NAME}) (?:with|by) {_NAME}", "uses", "knowledge", Aspect.END),
    _entry(rf"{_I} replaced {_NAME} (?:with|by) (?P<value>{_NAME}){_END}", "uses", "knowledge", Aspect.EVENT),
    _entry(rf"{_I} deploy with (?P<value>{_NAME}){_END}", "uses"),
    _entry(rf"{_I_AM} done with (?P<value>{_NAME}){_END}", "uses", "knowledge", Aspect.OVER),
    _entry(
        rf"{_I} (?:ditched|moved off|migrated off) (?P<value>{_NAME})(?= (?:for|to|in favou?r of) (?-i:[A-Z])|{_END})",
        "uses",
        "knowledge",
        Aspect.END,
    ),
    _entry(
        rf"{_I} (?:ditched|dropped|dumped|abandoned) {_NAME} (?:for|in favou?r of) (?P<value>{_NAME}){_END}",
        "uses",
        "knowledge",
        Aspect.EVENT,
    ),
    _entry(
        rf"{_I} (?:switched|migrated|moved everything|moved "
        rf"all \w+) (?:over )?(?:from {_NAME} )?to (?P<value>{_NAME}){_END}",
        "uses",
        "knowledge",
        Aspect.EVENT,
    ),
)
_OF_NAME = re.compile(rf"{_I_AM} (?P<value>{_NAME})'s (?P<kin>{'|'.join(_PARENT)}){_END}", re.IGNORECASE)


class Phrasebook:
    """What the table holds, of the speaker."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        text = reading.turn.text[_start(reading) : reading.clause.sentence.end_char]
        for entry in _BOOK:
            found = entry.pattern.match(text)
            if found is not None and (claim := _claim(reading, entry, found)) is not None:
                yield claim
        if reading.clause.head == reading.clause.sentence.root:
            yield from self._told_in_passing(reading)
        found = _OF_NAME.match(text)
        if found is not None:
            key = _PARENT[found["kin"].lower()]
            yield _made(reading, key, found["value"], "identity", Aspect.STATE, found, value_type="person")

    def _told_in_passing(self, reading: Reading) -> Iterator[Claim]:
        """ "As a nurse I work nights", "since moving to Porto I cycle"."""
        sentence = reading.clause.sentence
        for pattern, key in _IN_PASSING:
            found = pattern.match(sentence.text)
            if found is None or reading.standing.mood is not Mood.STATEMENT:
                continue
            value = found["value"]
            last = value.lower().split()[-1]
            if key == "job_title" and last in DIETS:
                key = "diet"
            elif key == "job_title" and last not in JOB_HEADS:
                continue
            start = int(sentence.start_char)
            yield Claim(
                subject=SPEAKER,
                key=key,
                value=value,
                start=start,
                end=start + found.end(),
                category="identity",
                aspect=Aspect.GIVEN,
                confidence=0.85,
                value_type="" if key in ("job_title", "diet") else "location",
            )


_IN_PASSING = (
    (re.compile(r"as an? (?P<value>(?:[\w-]+ ){0,2}[\w-]+?),? (?:i|i'm|i've|we)\b", re.IGNORECASE), "job_title"),
    (re.compile(rf"(?:since|after) (?:i |we )?mov(?:ed|ing) to (?P<value>{_NAME})\b", re.IGNORECASE), "location"),
    (re.compile(rf"having grown up in (?P<value>{_NAME})\b", re.IGNORECASE), "hometown"),
)


def _start(reading: Reading) -> int:
    """Where the clause begins, the words before its subject aside ("Actually, my flat is in ...")."""
    subject = reading.clause.subject
    if subject is not None and reading.clause.owns_subject:
        return int(min(subject.left_edge.idx, reading.clause.head.idx))
    return reading.start


def _claim(reading: Reading, entry: _Entry, found: re.Match[str]) -> Claim | None:
    value = found["value"].strip()
    if entry.object_type:
        return _made(
            reading, entry.key, Mention(type=entry.object_type, name=value), entry.category, entry.aspect, found
        )
    return _made(reading, entry.key, value, entry.category, entry.aspect, found, value_type=entry.value_type)


def _made(
    reading: Reading,
    key: str,
    value: str | Mention,
    category: MemoryCategory,
    aspect: Aspect,
    found: re.Match[str],
    *,
    value_type: str = "",
) -> Claim:
    start = _start(reading)
    return Claim(
        subject=SPEAKER,
        key=key,
        value=value,
        start=start,
        end=start + found.end(),
        category=category,
        aspect=aspect,
        confidence=0.85,
        value_type=value_type,
    )
