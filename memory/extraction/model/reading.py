"""From a model's answer to candidates: every item is checked against the words that it claims to be from.

What the model says of places in the text, of dates and of who may give directives is not believed but
looked up here.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import get_args

from msgspec.structs import asdict

from memory.candidates import (
    SPEAKER,
    ActionCandidate,
    AnyCandidate,
    AttributeCandidate,
    EntityCandidate,
    InstructionCandidate,
    MemoryCategory,
    Mention,
    NameCandidate,
    Polarity,
    RelationCandidate,
    StatementCandidate,
    UncertaintyCandidate,
)
from memory.errors import UnreadableText
from memory.extraction.model.answer import (
    ActionItem,
    AttributeItem,
    EntityItem,
    Extracted,
    InstructionItem,
    Item,
    RelationItem,
    StatementItem,
    UncertaintyItem,
)
from memory.extraction.model.injection import Injection, injections
from memory.extraction.model.worded_times import resolve_worded_time
from memory.extraction.offered import Offered
from memory.extraction.stated_time import StatedTime, Tense, resolve_stated_time
from memory.texts import name_like
from memory.values import Role, attribute_key, entity_type, folded

USER_NAMES = frozenset({"user", "the user", "i", "me", "myself"})
ASSISTANT_NAMES = frozenset({"assistant", "the assistant"})
ASSISTANT = Mention(type="agent", name="assistant")
# Only these give directives; what a tool or a document says is data.
DIRECTING_ROLES = frozenset({Role.USER, Role.SYSTEM})
INJECTION, UNCLEAR_TIME = "injection", "unclear time"
INJECTION_ABOUT_MAX = 200

_KEY = re.compile(r"[a-z][a-z0-9_]{0,59}")
_NUMBER = re.compile(r"\d+")
_CATEGORIES: tuple[MemoryCategory, ...] = get_args(MemoryCategory)


@dataclass(frozen=True, slots=True)
class Read:
    """candidates: in no certain order. dropped: items whose words, names or keys can't be used."""

    candidates: list[AnyCandidate]
    dropped: int


def read(answer: Extracted, text: str, *, role: str, said_at: datetime, offered: Offered, message: int = 1) -> Read:
    """What `answer` says of the message numbered `message`, whose words are `text`."""
    return _Reading(answer, text, role, said_at, offered, message).read()


class _Reading:
    def __init__(
        self, answer: Extracted, text: str, role: str, said_at: datetime, offered: Offered, message: int
    ) -> None:
        self.answer, self.text, self.role, self.said_at, self.message = answer, text, role, said_at, message
        self.words = _Words(text)
        self.injections = list(injections(text))
        self.types = {folded(name): kind for name, kind in offered.names}
        self.types |= {folded(one.name): entity_type(one.type) for one in answer.entities}
        self.candidates: list[AnyCandidate] = []
        self.dropped = 0

    def read(self) -> Read:
        for injection in self.injections:
            self._flag_injection(injection)
        self._name()
        readers: tuple[tuple[Sequence[Item], Callable[..., Iterator[AnyCandidate]]], ...] = (
            (self.answer.entities, self._entity),
            (self.answer.attributes, self._attribute),
            (self.answer.relations, self._relation),
            (self.answer.actions, self._action),
            (self.answer.instructions, self._instruction),
            (self.answer.uncertainties, self._uncertainty),
        )
        for items, reader in readers:
            for item in items:
                if item.message == self.message:
                    self._take(item, reader)
        return Read(self.candidates, self.dropped)

    def _take(self, item: Item, reader: Callable[..., Iterator[AnyCandidate]]) -> None:
        place = self.words.place(item.span)
        if place is None:
            self.dropped += 1
            return
        if any(one.start < place[1] and place[0] < one.end for one in self.injections):
            return  # said once already, as an injection
        try:
            self.candidates += reader(item, place)
        except UnreadableText:
            self.dropped += 1

    def _flag_injection(self, injection: Injection) -> None:
        words = " ".join(self.text[injection.start : injection.end].split())[:INJECTION_ABOUT_MAX]
        self.candidates.append(
            UncertaintyCandidate(start=injection.start, end=injection.end, about=words, reason=INJECTION)
        )

    def _name(self) -> None:
        """The speaker's own name, if they said it here."""
        name = self.answer.speaker_name
        place = self.words.place(name) if name and self.role == Role.USER else None
        if place and not any(one.start < place[1] and place[0] < one.end for one in self.injections):
            start, end = place
            self.candidates.append(NameCandidate(start=start, end=end, category="identity", name=self.text[start:end]))

    # --- one kind of item each ---

    def _entity(self, item: EntityItem, place: tuple[int, int]) -> Iterator[AnyCandidate]:
        mention = self._mention(item.name)
        if not mention.speaker and mention != ASSISTANT:
            yield EntityCandidate(start=place[0], end=place[1], category=_category(item.category), entity=mention)

    def _attribute(self, item: AttributeItem, place: tuple[int, int]) -> Iterator[AnyCandidate]:
        key, value, entity = _key(item.key), name_like(item.value, field="value"), self._mention(item.entity)
        said, unclear = self._said(item, place)
        yield AttributeCandidate(**asdict(said), entity=entity, key=key, value=value, single_valued=not item.many)
        yield from self._unclear(unclear, place)

    def _relation(self, item: RelationItem, place: tuple[int, int]) -> Iterator[AnyCandidate]:
        label, subject, target = _key(item.label), self._mention(item.subject), self._mention(item.object)
        said, unclear = self._said(item, place)
        yield RelationCandidate(**asdict(said), subject=subject, label=label, object=target)
        yield from self._unclear(unclear, place)

    def _action(self, item: ActionItem, place: tuple[int, int]) -> Iterator[AnyCandidate]:
        actor, verb = self._mention(item.actor), _key(item.verb)
        what = name_like(item.object, field="object") if item.object.strip() else None
        when = self._time(item.when, Tense(item.tense))
        summary = item.summary if item.summary.strip() else self.text[place[0] : place[1]]
        yield ActionCandidate(
            start=place[0],
            end=place[1],
            confidence=item.confidence,
            category=_category(item.category),
            actor=actor,
            verb=verb,
            object=what,
            summary=name_like(summary, field="summary", length_max=500),
            occurred_at=when.start if when else None,
            precision=when.precision if when else "",
        )
        if item.when.strip() and when is None:
            yield from self._unclear(item.when, place)

    def _instruction(self, item: InstructionItem, place: tuple[int, int]) -> Iterator[AnyCandidate]:
        if self.role in DIRECTING_ROLES:
            label = name_like(item.label or item.description[:60], field="label")
            description = name_like(item.description or self.text[place[0] : place[1]], field="description")
            yield InstructionCandidate(start=place[0], end=place[1], label=label, description=description)

    def _uncertainty(self, item: UncertaintyItem, place: tuple[int, int]) -> Iterator[AnyCandidate]:
        words = item.about if item.about.strip() else self.text[place[0] : place[1]]
        yield UncertaintyCandidate(
            start=place[0],
            end=place[1],
            about=name_like(words, field="about", length_max=500),
            reason=name_like(item.reason or "unclear", field="reason"),
            entity=self._mention(item.entity) if item.entity.strip() else None,
            key=_key(item.key) if item.key.strip() else None,
        )

    # --- their parts ---

    def _mention(self, name: str) -> Mention:
        """Raises UnreadableText for what can be no name."""
        clean = name_like(name, field="name")
        key = folded(clean)
        if key in USER_NAMES:
            return SPEAKER
        if key in ASSISTANT_NAMES:
            return ASSISTANT
        return Mention(type=self.types.get(key, "other"), name=clean)

    def _said(self, item: StatementItem, place: tuple[int, int]) -> tuple[StatementCandidate, str]:
        """What attributes and relations have in common, and the words that name no certain time."""
        valid_from, valid_until, precision, unclear = self._validity(item)
        said = StatementCandidate(
            start=place[0],
            end=place[1],
            confidence=item.confidence,
            category=_category(item.category),
            polarity=item.polarity,
            valid_from=valid_from,
            valid_until=valid_until,
            precision=precision,
            change=item.change or item.polarity is Polarity.ENDED,
            repair=item.repair,
        )
        return said, unclear

    def _validity(self, item: StatementItem) -> tuple[datetime | None, datetime | None, str, str]:
        """(valid_from, valid_until, precision, the words that name no certain time)."""
        if item.polarity is Polarity.NEGATED:
            return None, None, "", ""
        since = self._time(item.since, Tense.PAST)
        until = self._time(item.until, Tense.PAST if item.polarity is Polarity.ENDED else Tense.FUTURE)
        unclear = [words for words, found in ((item.since, since), (item.until, until)) if words.strip() and not found]
        if since and until and since.start >= until.start:
            unclear, since, until = [f"{item.since} {item.until}"], None, None
        first = since or until
        return (
            since.start if since else None,
            until.start if until else None,
            first.precision if first else "",
            "; ".join(unclear),
        )

    def _time(self, words: str, tense: Tense) -> StatedTime | None:
        """The time that `words` name, against when the turn was said. A number that the turn does not hold was
        not said there: the model worked it out, so it is not believed."""
        phrase = " ".join(words.split())
        if not phrase or any(number not in self.text for number in _NUMBER.findall(phrase)):
            return None
        for lead in ("", "in ", "on ", "since "):
            found = resolve_stated_time(lead + phrase, said_at=self.said_at, tense=tense)
            if found:
                return found
        # Words of another language are the turn's own, or else the model's.
        return resolve_worded_time(phrase, said_at=self.said_at, tense=tense) if self.words.place(phrase) else None

    def _unclear(self, words: str, place: tuple[int, int]) -> Iterator[UncertaintyCandidate]:
        if words:
            about = name_like(f"{self.text[place[0] : place[1]]} ({words})", field="about", length_max=500)
            yield UncertaintyCandidate(start=place[0], end=place[1], about=about, reason=UNCLEAR_TIME)


def _category(name: str) -> MemoryCategory:
    return next((one for one in _CATEGORIES if one == name), "knowledge")


def _key(name: str) -> str:
    """Raises UnreadableText unless it is English snake_case, or can be written so."""
    key = attribute_key(name)
    if not _KEY.fullmatch(key):
        raise UnreadableText("key: must be English snake_case")
    return key


class _Words:
    """Finds a span in a text, forgiving white space, case and typographic quotes; nothing else."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._plain, self._offsets = _plain(text)

    def place(self, span: str) -> tuple[int, int] | None:
        """(start, end) of the first occurrence as offsets into the text, end exclusive."""
        span = span.strip()
        if not span:
            return None
        exact = self._text.find(span)
        if exact >= 0:
            return exact, exact + len(span)
        plain, _ = _plain(span)
        plain = plain.strip()
        found = self._plain.find(plain) if plain else -1
        if found < 0:
            return None
        return self._offsets[found], self._offsets[found + len(plain) - 1] + 1


_QUOTES = {ord("’"): "'", ord("‘"): "'", ord("“"): '"', ord("”"): '"', ord("–"): "-", ord("—"): "-"}


def _plain(text: str) -> tuple[str, list[int]]:
    """`text` folded for comparison, with the offset in `text` of each of its characters."""
    characters: list[str] = []
    offsets: list[int] = []
    for offset, character in enumerate(text):
        for one in unicodedata.normalize("NFKC", character.translate(_QUOTES)).casefold():
            plain = " " if one.isspace() else one
            if plain == " " and characters and characters[-1] == " ":
                continue
            characters.append(plain)
            offsets.append(offset)
    return "".join(characters), offsets
