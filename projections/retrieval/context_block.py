"""The Markdown block that goes into a prompt: what memory holds for a question, within a budget. Pure.

Whole lines only: a fact or passage that does not fit is left out, never cut. What matters most is taken
first: directives, then the hits, who the user is, what else holds of whom is named, what was only claimed, and
last what stands beside the best passages in the same section of their documents.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from projections.retrieval.facts import Fact
from projections.retrieval.wanted import Recalled, Retrieved

CHARACTERS_PER_TOKEN = 4  # of English; other scripts are counted a token a character

TITLE = "# Memory"
NOTHING = "Nothing in memory answers this."
NOTHING_ELSE = "Nothing else in memory answers this."
PROFILE, INSTRUCTIONS, FACTS, CLAIMED, PASSAGES, TURNS = (
    "## Profile",
    "## Instructions",
    "## Facts",
    "## Also said, but not confirmed",
    "## Passages",
    "## Conversation so far",
)
ORDER = (PROFILE, INSTRUCTIONS, FACTS, CLAIMED, TURNS, PASSAGES)


@dataclass(frozen=True, slots=True)
class Budget:
    """How long a block may be; None: as long as it is. tokens are estimated, on the safe side."""

    characters: int | None = None
    tokens: int | None = None

    def allows(self, text_length: int, tokens: int) -> bool:
        return (self.characters is None or text_length <= self.characters) and (
            self.tokens is None or tokens <= self.tokens
        )


def tokens_of(text: str) -> int:
    """An estimate of how many tokens a model makes of `text`."""
    plain = sum(character.isascii() for character in text)
    return math.ceil(plain / CHARACTERS_PER_TOKEN) + len(text) - plain


def context_block(retrieved: Retrieved, budget: Budget, *, said: Sequence[str] = ()) -> str:
    """said: the last lines of the conversation, oldest first, of which the newest count most."""
    chosen: dict[str, list[str]] = {}
    length, tokens = len(TITLE), tokens_of(TITLE)
    for section, line in _by_worth(retrieved, said):
        heading = "" if section in chosen else f"\n\n{section}\n"
        more = f"{heading}\n{line}"
        if budget.allows(length + len(more), tokens + tokens_of(more)):
            length, tokens = length + len(more), tokens + tokens_of(more)
            chosen.setdefault(section, []).append(line)
    if TURNS in chosen:
        chosen[TURNS].reverse()
    parts = [TITLE]
    parts += [f"{section}\n\n" + "\n".join(chosen[section]) for section in ORDER if section in chosen]
    # What stands in the conversation so far is no hit.
    nothing = NOTHING_ELSE if TURNS in chosen else NOTHING
    if not retrieved.hits and budget.allows(length + len(nothing) + 2, tokens + tokens_of(nothing)):
        parts.append(nothing)
    block = "\n\n".join(parts)
    return block if len(parts) > 1 else ""


def fact_line(fact: Fact, doubt: str | None = None) -> str:
    """A fact with its dates, the document that states it and what is doubtful of it, on one line."""
    source = f", as the document “{_one_line(fact.document)}” says" if fact.document else ""
    certainty = f", {doubt_note(doubt)}" if doubt else ""
    return f"- {_one_line(fact.text)} ({date_notes(fact)}{source}{certainty})"


def passage_line(hit: Recalled) -> str:
    """Words with who said them and when, or where they stand, on one line."""
    if hit.document_id is not None:
        where = " > ".join(part for part in (hit.title, hit.section) if part) or "document"
    else:
        where = f"{_day(hit.said_at)}, {hit.role}"
    return f"- [{_one_line(where)}] {_one_line(hit.text)}"


def _by_worth(retrieved: Retrieved, said: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Section and line of all that could be told, the most needed first, each once."""
    told = retrieved.background
    seen: set[object] = set()
    for instruction in told.instructions:
        yield INSTRUCTIONS, f"- {_one_line(instruction.description)}"
    for hit in retrieved.hits:
        if hit.fact is not None:
            if hit.fact.id not in seen:
                seen.add(hit.fact.id)
                yield (
                    (CLAIMED if hit.fact.row.standing == "claimed" else FACTS),
                    fact_line(hit.fact, told.doubts.get(hit.fact.id)),
                )
        elif hit.is_fact:
            yield FACTS, f"- {_one_line(hit.text)} ({_day(hit.said_at)})"
        else:
            yield PASSAGES, passage_line(hit)
    for line in reversed(said):
        yield TURNS, f"- {line}"
    for section, found in ((PROFILE, told.profile), (FACTS, told.facts), (CLAIMED, told.claimed)):
        for fact in found:
            if fact.id not in seen:
                seen.add(fact.id)
                yield section, fact_line(fact, told.doubts.get(fact.id))
    for hit in retrieved.beside:
        if hit.document_id is not None:
            yield PASSAGES, passage_line(hit)


def date_notes(fact: Fact) -> str:
    """The dates of a fact in words."""
    row = fact.row
    notes = []
    if row.stated_from is not None:
        notes.append(f"since {_date(row.stated_from, row.precision)}")
    else:
        notes.append(f"said {_day(row.said_at)}")
    if row.valid_to is not None:
        notes.append(f"until {_day(row.valid_to)}")
    return ", ".join(notes)


def doubt_note(doubt: str) -> str:
    """That a fact is not certain, and why. doubt: what was said against it."""
    return f"not certain: {_one_line(doubt)}"


def _date(moment: datetime, precision: str) -> str:
    shapes = {"year": "%Y", "month": "%Y-%m", "season": "%Y-%m"}
    return moment.astimezone(UTC).strftime(shapes.get(precision, "%Y-%m-%d"))


def _day(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d")


def _one_line(text: str) -> str:
    """On one line, so that no words of a turn can pass for a heading of ours."""
    return " ".join(text.split())
