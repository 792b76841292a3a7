"""Fixed ways of saying things, as tables by subject: what the parse of such a clause would not tell better.

A pattern is matched at the beginning of a clause, subject included; whether it holds, was or is wished is decided, as
for all claims, by the clause's standing.
"""

import re
from collections.abc import Iterator

from memory.candidates import SPEAKER, MemoryCategory, Mention
from memory.extraction.claims import Aspect, Claim
from memory.extraction.families.diet import DIETS
from memory.extraction.families.phrasebook.body import BODY
from memory.extraction.families.phrasebook.days import DAYS
from memory.extraction.families.phrasebook.entries import END, I_AM, NAME, Entry
from memory.extraction.families.phrasebook.homes import HOMES
from memory.extraction.families.phrasebook.likes import LIKES
from memory.extraction.families.phrasebook.people import PEOPLE
from memory.extraction.families.phrasebook.systems import SYSTEMS
from memory.extraction.families.phrasebook.tools import TOOLS
from memory.extraction.families.phrasebook.work import WORK
from memory.extraction.lexicon import JOB_HEADS, PETS
from memory.extraction.moods import Mood
from memory.extraction.relatives import SPELLINGS
from memory.extraction.turns import Reading

_PARENT = {"dad": "children", "father": "children", "mum": "children", "mom": "children", "mother": "children"}
_PARENT |= {"sister": "siblings", "brother": "siblings", "twin": "siblings"}
_BOOK = (*HOMES, *WORK, *PEOPLE, *BODY, *LIKES, *DAYS, *TOOLS, *SYSTEMS)
_OF_NAME = re.compile(rf"{I_AM} (?P<value>{NAME})'s (?P<kin>{'|'.join(_PARENT)}){END}", re.IGNORECASE)


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
    (re.compile(rf"(?:since|after) (?:i |we )?mov(?:ed|ing) to (?P<value>{NAME})\b", re.IGNORECASE), "location"),
    (re.compile(rf"having grown up in (?P<value>{NAME})\b", re.IGNORECASE), "hometown"),
)


def _start(reading: Reading) -> int:
    """Where the clause begins, the words before its subject aside ("Actually, my flat is in ...")."""
    subject = reading.clause.subject
    if subject is not None and reading.clause.owns_subject:
        return int(min(subject.left_edge.idx, reading.clause.head.idx))
    return reading.start


def _claim(reading: Reading, entry: Entry, found: re.Match[str]) -> Claim | None:
    said = entry.says or found["value"].strip()
    value = Mention(type=entry.object_type, name=said) if entry.object_type else said
    return _made(
        reading,
        entry.key,
        value,
        entry.category,
        entry.aspect,
        found,
        value_type=entry.value_type,
        subject=_subject(found.groupdict(), entry.subject_type),
    )


def _subject(groups: dict[str, str | None], kind: str) -> Mention:
    """Whom or what a match is about."""
    if kin := groups.get("kin"):
        noun = kin.lower().removeprefix("my ")
        return Mention(type="person", name=SPELLINGS.get(noun, noun), mine=True)
    if thing := groups.get("subject"):
        if thing.lower() in PETS:
            return Mention(type="person", name=SPELLINGS.get(thing.lower(), thing.lower()), mine=True)
        return Mention(type=kind, name=thing)
    return SPEAKER


def _made(
    reading: Reading,
    key: str,
    value: str | Mention,
    category: MemoryCategory,
    aspect: Aspect,
    found: re.Match[str],
    *,
    value_type: str = "",
    subject: Mention = SPEAKER,
) -> Claim:
    start = _start(reading)
    return Claim(
        subject=subject,
        key=key,
        value=value,
        start=start,
        end=start + found.end(),
        category=category,
        aspect=aspect,
        confidence=0.85,
        value_type=value_type,
    )
