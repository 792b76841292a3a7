"""Labelled sentences: what a turn says, one line a fact, and how an extractor's answer is scored against it.

A file holds blocks: the turn, then indented lines of what it says. `# chat` before the turn marks small talk,
which says nothing. Earlier turns stand before the turn, each ended by ` ||`. A fact is written as
`[ended: |not: ]subject key value`, `name X`, `instruction X`, `action subject verb object` or `? about`; the
speaker is `I`.
"""

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memory.candidates import (
    ActionCandidate,
    AliasCandidate,
    AnyCandidate,
    AttributeCandidate,
    EntityCandidate,
    InstructionCandidate,
    Mention,
    NameCandidate,
    Polarity,
    RelationCandidate,
    UncertaintyCandidate,
)

SENTENCES = Path(__file__).parent / "data" / "labelled_sentences.txt"
SIGNS = {Polarity.AFFIRMED: "", Polarity.ENDED: "ended: ", Polarity.NEGATED: "not: "}


@dataclass(frozen=True, slots=True)
class Labelled:
    """One turn with the facts that it says. earlier: turns before it, oldest first."""

    text: str
    says: tuple[str, ...]
    small_talk: bool = False
    earlier: tuple[str, ...] = ()


@dataclass(slots=True)
class Score:
    """Counts over a file. polarity_errors: facts given with the sign turned round. corrections: turns that come
    after others, as those do which take back or change what was said; made: those that give a right fact as such."""

    given: int = 0
    given_right: int = 0
    expected: int = 0
    found: int = 0
    corrections: int = 0
    corrections_made: int = 0
    small_talk: int = 0
    small_talk_with_facts: int = 0
    by_kind: dict[str, tuple[int, int]] = field(default_factory=dict)  # (found, expected)
    polarity_errors: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.given_right / self.given if self.given else 1.0

    @property
    def recall(self) -> float:
        return self.found / self.expected if self.expected else 1.0


def labelled(path: Path = SENTENCES) -> Iterator[Labelled]:
    """The turns of a file, in its order."""
    small_talk, turn, says = False, "", list[str]()
    for line in [*path.read_text(encoding="utf-8").splitlines(), ""]:
        if line.startswith("  ") and line.strip():
            says.append(line.strip())
            continue
        if turn:
            *earlier, text = (part.strip() for part in turn.split("||"))
            yield Labelled(text, tuple(says), small_talk, tuple(earlier))
            small_talk, turn, says = False, "", []
        if line.strip() == "# chat":
            small_talk = True
        elif line.strip() and not line.startswith("#"):
            turn = line.strip()


def called(entity: Mention) -> str:
    return "I" if entity.speaker else f"my {entity.name}" if entity.mine else entity.name


def brief(candidate: AnyCandidate) -> str:
    """A candidate in one line: polarity, then "subject key value"; "?" for what is not asserted."""
    match candidate:
        case EntityCandidate():
            return f"<{candidate.entity.type}> {candidate.entity.name}"
        case AliasCandidate():
            return f"<name> {candidate.name.name}: {candidate.entity.name}"
        case NameCandidate():
            return f"name {candidate.name}"
        case AttributeCandidate():
            said = f"{called(candidate.entity)} {candidate.key} {candidate.value}"
        case RelationCandidate():
            said = f"{called(candidate.subject)} {candidate.label} {called(candidate.object)}"
        case ActionCandidate():
            return f"action {called(candidate.actor)} {candidate.verb} {candidate.object or ''}".rstrip()
        case InstructionCandidate():
            return f"instruction {candidate.description}"
        case UncertaintyCandidate():
            entity = called(candidate.entity) if candidate.entity else ""
            return f"? {candidate.reason}: {entity} {candidate.key}"
        case _:
            return type(candidate).__name__
    return f"{SIGNS[candidate.polarity]}{said}"


Agreement = Callable[[str, str], bool]


def add(
    score: Score,
    turn: Labelled,
    candidates: Sequence[AnyCandidate],
    *,
    means: Agreement = operator.eq,
    differs_in_sign: Agreement = lambda given, label: given in _turned(label),
) -> None:
    """Count one turn's answer. Bare entities and doubts assert nothing, so neither is counted.

    means, differs_in_sign: how a given fact is compared with a label; letter by letter if not told otherwise.
    """
    given = sorted({_same(said) for said in _asserted(map(brief, candidates))})
    expected = sorted({_same(said) for said in _asserted(turn.says)})
    wrong = [said for said in given if not any(means(said, label) for label in expected)]
    missed = [label for label in expected if not any(means(said, label) for said in given)]
    for label in expected:
        kind = _kind(label)
        score.by_kind[kind] = score.by_kind.get(kind, (0, 0))
        score.by_kind[kind] = (score.by_kind[kind][0] + (label not in missed), score.by_kind[kind][1] + 1)
    score.given += len(given)
    score.given_right += len(given) - len(wrong)
    score.expected += len(expected)
    score.found += len(expected) - len(missed)
    score.wrong += [f"{turn.text} -> {said}" for said in wrong]
    score.missed += [f"{turn.text} -> {label}" for label in missed]
    score.polarity_errors += [
        f"{turn.text} -> {said}" for said in wrong if any(differs_in_sign(said, label) for label in expected)
    ]
    if turn.earlier:
        score.corrections += 1
        score.corrections_made += any(_corrects(candidate) for candidate in candidates) and len(wrong) < len(given)
    if turn.small_talk:
        score.small_talk += 1
        score.small_talk_with_facts += bool(given)


def _kind(label: str) -> str:
    first = label.split(" ", 1)[0].rstrip(":")
    return (
        first
        if first in ("name", "action", "instruction", "ended", "not")
        else "of me"
        if first == "i"
        else "of others"
    )


def _asserted(facts: Iterable[str]) -> list[str]:
    return [fact for fact in facts if not fact.startswith(("?", "<"))]


def _same(fact: str) -> str:
    return " ".join(fact.casefold().split()).rstrip(".")


def _corrects(candidate: AnyCandidate) -> bool:
    match candidate:
        case AttributeCandidate() | RelationCandidate():
            return candidate.repair or candidate.change or candidate.polarity is Polarity.ENDED
        case _:
            return isinstance(candidate, NameCandidate | ActionCandidate)


def _turned(fact: str) -> list[str]:
    """The same fact with other signs."""
    bare = fact.removeprefix("ended: ").removeprefix("not: ")
    return [sign + bare for sign in SIGNS.values() if sign + bare != fact]
