"""What a clause says only by what its turn said before: "I work at Arup. Scratch that, I left"."""

import re
from collections.abc import Sequence
from dataclasses import replace

from memory.candidates import SPEAKER, Mention, Polarity
from memory.extraction.claims import Aspect, Claim
from memory.extraction.moods import Mood
from memory.extraction.phrases import is_name, mention
from memory.extraction.stated_time import Tense
from memory.extraction.turns import Reading

# A change that the same sentence says to be undone: "turned vegan in 2021, fell off the wagon".
_UNDONE = re.compile(
    r"\b(?:(?:went|switched|moved|changed|came|gone|going) (?:right |straight )?back|back (?:to|on|with|in|at)|"
    r"hated (?:it|that)|before (?:switching|moving|going|changing|returning)|(?:on|with|at|in) \w+ again|"
    r"gave (?:it |that )?up|gave in|"
    r"fell off the wagon|(?:didn't|did not) (?:last|stick|work out|take)|lapsed|lasted|reverted|changed my mind|"
    r"regretted it|"
    r"undid (?:it|that)|until i|for (?:a|one|two|three|a couple of|a few) (?:days?|weeks?|months?) (?:but|then|"
    r"before))\b",
    re.IGNORECASE,
)
_LEAVING = frozenset(("leave", "quit", "resign"))


def left_it(told: Sequence[Claim], reading: Reading) -> int | None:
    """Index of the employer that "I left" is about, if the turn has told of one."""
    standing = reading.standing
    if reading.actor != SPEAKER or reading.lemma not in _LEAVING or standing.mood is not Mood.STATEMENT:
        return None
    if standing.reason or standing.polarity is not Polarity.AFFIRMED or standing.tense is not Tense.PAST:
        return None
    if any(phrase.preposition in ("", "at", "from") for phrase in reading.phrases):
        return None
    for position in range(len(told) - 1, -1, -1):
        if told[position].key == "works_at" and told[position].subject == SPEAKER:
            return position
    return None


def ended(claim: Claim, reading: Reading) -> Claim:
    """The claim as the end that `reading` tells of it."""
    return replace(claim, aspect=Aspect.END, start=reading.start, end=reading.end)


def undone(claim: Claim, reading: Reading) -> bool:
    """Whether the sentence takes a change back that `claim` tells of."""
    text = reading.turn.text
    found = _UNDONE.search(text, min(claim.end, len(text)), reading.clause.sentence.end_char)
    return claim.aspect is Aspect.EVENT and found is not None


def is_at_now(told: Sequence[tuple[Claim, Reading]], reading: Reading) -> Claim | None:
    """ "I used to work at Deloitte, I'm at Bosch now": a place to be, and the employer once another was left."""
    phrases = reading.phrases
    if reading.actor != SPEAKER or reading.lemma != "be" or not phrases or phrases[0].preposition not in ("at", "with"):
        return None
    if not is_name(phrases[0].words) or phrases[0].words[0].ent_type_ in ("GPE", "DATE", "TIME", "LOC"):
        return None
    if not any(claim.key == "works_at" and claim.subject == SPEAKER and _is_over(claim, of) for claim, of in told):
        return None
    return Claim(
        subject=Mention(type="person", speaker=True),
        key="works_at",
        value=mention(phrases[0].words, "organisation"),
        start=reading.start,
        end=max(reading.end, phrases[0].end),
        category="identity",
        confidence=0.8,
    )


def _is_over(claim: Claim, reading: Reading) -> bool:
    standing = reading.standing
    return claim.aspect is Aspect.END or standing.polarity is not Polarity.AFFIRMED or standing.tense is Tense.PAST
