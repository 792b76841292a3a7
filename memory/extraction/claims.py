"""What a rule reads from a clause, and the one place where it becomes a candidate.

Rules state the positive reading of the words ("works_at Acme") and what kind of statement it is;
they never see polarity. `judge` combines the two, so that no rule can say the opposite of the turn.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from msgspec.structs import asdict

from memory.candidates import (
    AnyCandidate,
    AttributeCandidate,
    EntityCandidate,
    MemoryCategory,
    Mention,
    Polarity,
    RelationCandidate,
    StatementCandidate,
    UncertaintyCandidate,
)
from memory.extraction.moods import Mood
from memory.extraction.standing import Standing
from memory.extraction.stated_time import Bound, StatedTime, Tense

CONFIDENCE_MIN = 0.7  # below it a reading is worth a question, not a fact


class Aspect(StrEnum):
    """How the verb tells its fact."""

    STATE = "state"  # "works at": true while the verb is in the present
    EVENT = "event"  # "moved to": true from then on
    END = "end"  # "quit": true until then
    OVER = "over"  # "I'm done with": ended, though told in the present
    PAST = "past"  # "grew up in", "was born in": stays true, told in the past
    DENIED = "denied"  # "can't swim": the words say themselves that it is not so
    GIVEN = "given"  # "my sister Ana ...": taken for granted, whatever the clause says of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One slot, filled: an attribute if `value` is text, a relation if it is a mention."""

    subject: Mention
    key: str
    value: str | Mention
    start: int
    end: int
    category: MemoryCategory
    aspect: Aspect = Aspect.STATE
    confidence: float = 0.95
    repair: bool = False
    # Only new words for what an earlier turn told: whatever happened, they tell of no other change.
    restated: bool = False
    # How the values of an attribute are called when they are entities too ("location").
    value_type: str = ""
    # Of a key that nobody knows before: whether it has one value at a time.
    single_valued: bool | None = None


def judge(claim: Claim, standing: Standing, times: list[StatedTime], *, about: str) -> Iterator[AnyCandidate]:
    """The candidates that `claim` amounts to in a clause of this `standing`.

    about: the clause's words, for what can't be asserted.
    """
    if standing.mood is not Mood.STATEMENT:
        return
    if standing.inceptive and claim.aspect is Aspect.STATE:
        claim = replace(claim, aspect=Aspect.EVENT)
    reason, polarity = _verdict(claim, standing, times)
    if polarity is None:
        return
    if not reason and claim.confidence < CONFIDENCE_MIN:
        reason = "unclear"
    yield from _entities(claim)
    if reason:
        yield UncertaintyCandidate(
            start=claim.start,
            end=claim.end,
            confidence=min(claim.confidence, 0.6),
            category=claim.category,
            about=about,
            reason=reason,
            entity=claim.subject,
            key=claim.key,
        )
        return
    valid_from, valid_until, precision = _validity(claim, polarity, times)
    change = (claim.aspect is Aspect.EVENT and polarity is Polarity.AFFIRMED and not claim.restated) or (
        polarity is Polarity.ENDED
        and (claim.aspect in (Aspect.END, Aspect.OVER) or standing.polarity is Polarity.ENDED)
    )
    said = StatementCandidate(
        start=claim.start,
        end=claim.end,
        confidence=claim.confidence,
        category=claim.category,
        polarity=polarity,
        valid_from=valid_from,
        valid_until=valid_until,
        precision=precision,
        change=change,
        repair=claim.repair,
    )
    if isinstance(claim.value, Mention):
        yield RelationCandidate(**asdict(said), subject=claim.subject, label=claim.key, object=claim.value)
    else:
        yield AttributeCandidate(
            **asdict(said),
            entity=claim.subject,
            key=claim.key,
            value=claim.value,
            single_valued=claim.single_valued,
        )


def _verdict(claim: Claim, standing: Standing, times: list[StatedTime]) -> tuple[str, Polarity | None]:
    """(reason why not asserted or "", polarity); None for the polarity: say nothing at all."""
    if claim.aspect is Aspect.GIVEN:
        return "", Polarity.AFFIRMED
    if claim.aspect is Aspect.DENIED:
        return "", Polarity.NEGATED
    if standing.reason:
        return standing.reason, standing.polarity
    if claim.aspect is Aspect.OVER:
        return "", Polarity.ENDED if standing.polarity is Polarity.AFFIRMED else None
    if claim.aspect is Aspect.END:
        if standing.polarity is not Polarity.AFFIRMED:
            return "", None  # "I haven't quit Acme" does not tell where I work
        if standing.tense is Tense.FUTURE or (standing.tense is Tense.PRESENT and not standing.perfect):
            return "planned", Polarity.ENDED
        return "", Polarity.ENDED
    if standing.polarity is not Polarity.AFFIRMED:
        return "", standing.polarity
    if claim.aspect is Aspect.PAST:
        return "", Polarity.AFFIRMED
    if claim.aspect is Aspect.EVENT:
        if standing.tense is Tense.PAST or standing.perfect:
            return "", Polarity.AFFIRMED
        return "planned", Polarity.AFFIRMED
    if standing.tense is Tense.FUTURE:
        return "planned", Polarity.AFFIRMED
    if standing.tense is Tense.PAST:
        return "", Polarity.ENDED
    if (
        standing.perfect
        and not any(time.bound in (Bound.SINCE, Bound.LENGTH) for time in times)
        and not standing.progressive
    ):
        return "unclear", Polarity.AFFIRMED  # "I've worked at Acme": still?
    return "", Polarity.AFFIRMED


def _validity(
    claim: Claim, polarity: Polarity, times: list[StatedTime]
) -> tuple[datetime | None, datetime | None, str]:
    """(valid_from, valid_until, precision) from the times in the clause."""
    if not times or polarity is Polarity.NEGATED or claim.aspect in (Aspect.GIVEN, Aspect.OVER, Aspect.PAST):
        return None, None, ""
    bounds = (Bound.SINCE, Bound.LENGTH) if polarity is Polarity.AFFIRMED else (Bound.SINCE,)
    since = next((time for time in times if time.bound in bounds), None)
    until = next((time for time in times if time.bound is Bound.UNTIL), None)
    at = next((time for time in times if time.bound is Bound.AT), None)
    if since is not None and until is not None and since.start >= until.start:
        since = until = None  # not understood: say no time rather than a wrong one
    stated = since or at or until
    precision = stated.precision if stated else ""
    if polarity is Polarity.AFFIRMED:
        first = since or (at if claim.aspect is Aspect.EVENT else None)
        return (first.start if first else None), (until.start if until else None), precision if first or until else ""
    if claim.aspect is Aspect.END:
        last = at or until
        return None, (last.start if last else None), last.precision if last else ""
    if since or until:
        return (since.start if since else None), (until.start if until else None), precision
    return (at.start, at.end, precision) if at else (None, None, "")


def _entities(claim: Claim) -> Iterator[EntityCandidate]:
    """The named entities of a claim, at the words of the claim."""
    named = [claim.subject]
    if isinstance(claim.value, Mention):
        named.append(claim.value)
    elif claim.value_type:
        named.append(Mention(type=claim.value_type, name=claim.value))
    for entity in named:
        if not entity.speaker and entity.name:
            yield EntityCandidate(
                start=claim.start,
                end=claim.end,
                confidence=claim.confidence,
                # A place or company that somebody's identity mentions is itself plain knowledge.
                category=claim.category if entity.type == "person" else "knowledge",
                entity=entity,
            )
