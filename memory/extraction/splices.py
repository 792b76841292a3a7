"""Where the new words of a correction belong in what was said before, told by kind: a weekday for a weekday."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.candidates import (
    ActionCandidate,
    AnyCandidate,
    AttributeCandidate,
    InstructionCandidate,
    NameCandidate,
    RelationCandidate,
)
from memory.extraction.calendar_words import MONTH_WORDS, WEEKDAYS
from memory.extraction.lexicon import FAMILY, PETS
from memory.extraction.quantities import NUMBER, ORDINAL, dimension
from memory.extraction.rewordings import Rewording

_MONTH = rf"(?:{MONTH_WORDS})\b"
_WEEKDAY = rf"\b(?:{'|'.join(WEEKDAYS)})s?\b"
_PART = r"(?:\s+(?:mornings?|afternoons?|evenings?|nights?|week))?"
_DAY = rf"(?:{ORDINAL}|\b\d{{1,2}}\b)"
_DATE = rf"(?:{_DAY}(?: of)? {_MONTH}|{_MONTH} (?:the )?{_DAY})"
_EMAIL = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_ADDRESS = r"(?:https?://\S+|www\.\S+|[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev)\b\S*)"
_CLOCK = r"\d{1,2}(?:[:.]\d\d)?\s?[ap]m|\d{1,2}:\d\d|noon|midday|midnight"
# What may stand for each other, the most telling form first: (new, old, whether it is a time).
_KINDS = tuple(
    (re.compile(new, re.IGNORECASE), re.compile(old, re.IGNORECASE), dated)
    for new, old, dated in (
        (_EMAIL, _EMAIL, False),
        (_ADDRESS, _ADDRESS, False),
        (
            rf"(?:today|tonight|tomorrow|{_WEEKDAY}{_PART})",
            rf"(?:\b(?:today|tonight|tomorrow)\b|{_WEEKDAY}{_PART})",
            True,
        ),
        (_DATE, _DATE, True),
        (_CLOCK, rf"\b(?:{_CLOCK})\b|(?<=\bat )\d{{1,2}}\b", True),
        (ORDINAL, rf"(?:{_DAY}(?=(?: of)? {_MONTH})|(?<=\bmay ){_DAY}|(?<=[a-y] ){ORDINAL})", True),
        (_MONTH, rf"\b{_MONTH}", True),
    )
)
_COUNT = re.compile(rf"(?:[£$€]\s?)?{NUMBER}(?: \S+){{0,3}}", re.IGNORECASE)
_NUMBER = re.compile(NUMBER, re.IGNORECASE)
_QUANTITY = re.compile(rf"(?P<number>(?:[£$€]\s?)?{NUMBER})(?:\s+(?P<unit>\S+))?(?P<rest>.*)", re.IGNORECASE)
_CAPITALISED = re.compile(
    r"(?<![\w'’.-])[A-ZÀ-ÖØ-Þ][\w'’+#-]*(?: (?:of |the |de |van |von )?[A-ZÀ-ÖØ-Þ0-9][\w'’+#-]*)*"
)
_NUMERIC = re.compile(rf"(?:[£$€]\s?)?{NUMBER}", re.IGNORECASE)
_PARTS = re.compile(r"\s+(?:mornings?|afternoons?|evenings?|nights?)$", re.IGNORECASE)
_PERSON = "PERSON"
_PLACES = ("GPE", "LOC", "FAC")


@dataclass(frozen=True, slots=True)
class Value:
    """A value that the words before told. kind: the type of the entity that it names, "" if it names none."""

    text: str
    kind: str = ""


def values_in(candidate: AnyCandidate) -> Iterator[Value]:
    """The values that a candidate tells, each of which new words may replace."""
    match candidate:
        case AttributeCandidate(entity=entity, key=key, value=value):
            if not entity.speaker and not entity.mine:
                yield Value(entity.name, entity.type)
            kind = (
                "location"
                if key in ("location", "hometown")
                else "person"
                if key in FAMILY
                else "pet"
                if key in PETS
                else ""
            )
            yield Value(value, kind)
        case RelationCandidate(subject=subject):
            if not subject.speaker and not subject.mine:
                yield Value(subject.name, subject.type)
            yield Value(candidate.object.name, candidate.object.type)
        case NameCandidate(name=name):
            yield Value(name, "person")
        case ActionCandidate(object=str(thing)):
            yield Value(thing)
        case InstructionCandidate(description=description):
            yield Value(description)
        case _:
            return


@dataclass(frozen=True, slots=True)
class Splice:
    """The words before with the new ones in. new: as they stand there. dated: they are a time."""

    text: str
    new: str
    old: str
    dated: bool = False


def splices(
    text: str,
    by: Rewording,
    *,
    values: Sequence[Value],
    subject: str = "",
    nouns: Sequence[str] = (),
    named: bool = False,
    label: str = "",
    lower: bool = False,
) -> Iterator[Splice]:
    """The ways in which `text` may take the new words, the likeliest first.

    values: what `text` tells, in its order. nouns: those of its objects, in its order. subject: whom or what its
    first clause is about. named: the new words are a name by their capitals. label: what the model takes them for.
    lower: nothing is written in capitals.
    """
    if by.old:
        place = _named(text, by.old)
        if place is not None:
            yield _put(text, *place, by.new)
        return
    if by.who:
        place = _named(text, subject) if subject and _speaks_of(by.who, text) else None
        if place is not None:
            yield _put(text, *place, by.new)
            return
    for new, old, dated in _KINDS:
        if new.fullmatch(by.new):
            yield from _of_kind(text, by, old, values, dated=dated)
            return
    head = by.new.split()[-1]
    alike = (
        re.compile(rf"(?:[\w'’-]+ ){{{by.new.count(' ')}}}{re.escape(head)}\b", re.IGNORECASE)
        if " " in by.new
        else None
    )
    if alike is not None and by.sure and not head[0].isdigit() and (match := alike.search(text)) is not None:
        yield _put(text, *match.span(), by.new)  # "the Oldenburg address" for "the Bremen address"
        return
    if _COUNT.fullmatch(by.new):
        yield from _of_kind(text, by, _NUMBER, values)
        if _NUMERIC.fullmatch(by.new):
            return
    if not any(character.isalpha() for character in by.new):
        return
    if not (by.sure or by.led) and not (label or lower):
        return
    fitting = [(_fit(value, by, named=named or lower, label=label), value) for value in reversed(values)]
    seen: set[tuple[int, int]] = set()
    for _, value in sorted(((fit, value) for fit, value in fitting if fit), key=lambda one: -one[0]):
        inner = re.split(r"\s(?:in|of)\s", value.text)[-1] if not named else value.text
        place = _named(text, inner)
        if place is not None and place not in seen:
            seen.add(place)
            yield _put(text, *place, by.new)
    if not named and by.sure and not values and nouns and (place := _named(text, nouns[-1])) is not None:
        yield _put(text, *place, by.new)
    elif by.sure and (named or by.led) and not values:
        spans = [match.span() for match in _CAPITALISED.finditer(text) if match.start() and match.group() != "I"]
        for place in reversed(spans):
            if place not in seen and text[slice(*place)] != subject:
                yield _put(text, *place, by.new)


def _named(text: str, words: str) -> tuple[int, int] | None:
    """Where `text` says `words`, the last time; a plural may be said of one."""
    core = re.sub(r"^(?:the|an?|my|our|at|in|on)\s+", "", words.strip(" '\""), flags=re.IGNORECASE)
    for form in dict.fromkeys((words.strip(" '\""), core, core.removesuffix("s"))):
        if form and (found := list(re.finditer(rf"(?<!\w){re.escape(form)}(?!\w)", text, re.IGNORECASE))):
            return found[-1].span()
    return None


def _put(text: str, start: int, end: int, new: str, *, dated: bool = False) -> Splice:
    """With the article that the new words ask for."""
    before, old = text[:start], text[start:end]
    first, _, others = new.partition(" ")
    if others and before.rstrip().endswith(f" {first}"):
        new = others  # "Dr Lindholm" behind "Dr"
    part = _PARTS.search(old)
    if part is not None and not _PARTS.search(new) and dated:
        new += part.group()
    new = (
        re.sub(r"^(?:the|an?)\s+(?=\S)", "", new, flags=re.IGNORECASE)
        if re.search(r"\b(?:the|an?|my|our)\s$", before, re.IGNORECASE)
        else new
    )
    vowel = new[:1].lower() in "aeiou"
    before = re.sub(r"\b(an?)(\s)$", lambda match: ("an" if vowel else "a") + match[2], before)
    return Splice(before + new + text[end:], new, old, dated)


def _of_kind(
    text: str, by: Rewording, old: re.Pattern[str], values: Sequence[Value], *, dated: bool = False
) -> Iterator[Splice]:
    """Places in values first, from the last to the first."""
    places = [match.span() for match in old.finditer(text) if match.group().strip()]
    told = [place for value in values if (place := _named(text, value.text)) is not None]
    inside = [one for one in places if any(start <= one[0] and one[1] <= end for start, end in told)]
    if not (by.sure or by.led or inside or dated):
        return
    for start, end in [*reversed(inside), *(one for one in reversed(places) if one not in inside)]:
        if text[start:end].casefold() == by.new.casefold() or (old is _NUMBER and _measures_else(by.new, text[end:])):
            continue
        yield _counted(text, start, end, by.new) if old is _NUMBER else _put(text, start, end, by.new, dated=dated)


def _measures_else(new: str, rest: str) -> bool:
    """Whether the new number counts seconds, say, and the old one what is no time: "one second" for "two kids"."""
    said = _QUANTITY.fullmatch(new)
    following = re.match(r"\s*(\w+)", rest)
    sort = dimension(said["unit"]) if said is not None and said["unit"] else None
    return sort is not None and (following is None or dimension(following[1]) != sort)


def _counted(text: str, start: int, end: int, new: str) -> Splice:
    """A number for a number; its unit too where one of the same sort stood there."""
    said = _QUANTITY.fullmatch(new)
    assert said is not None
    number, unit = said["number"].lstrip("£$€ "), said["unit"]
    number = number.lower() if start else number
    following = re.match(r"\s*(\w+)", text[end:])
    if text[end - 1 : end].lower() == "k" and number.isdigit() and len(number) <= 3:
        number += "k"
    if unit and following and dimension(unit) is not None and dimension(unit) == dimension(following[1]):
        return _put(text, start, end + following.end(), f"{number} {unit}")
    singular = text
    if number.lower() in ("one", "1") and following and re.fullmatch(r"\w{3,}[^s]s", following[1]):
        singular = text[: end + following.end() - 1] + text[end + following.end() :]  # "one sugar" for "two sugars"
    return _put(singular, start, end, number)


def _speaks_of(who: str, text: str) -> bool:
    """ "who wrote it" of "Kaveh wrote the scheduler": what is said of the one was said of the other."""
    stems = ({word[:4] for word in re.findall(r"[^\W_]{3,}", one.casefold())} for one in (who, text))
    return (
        bool(set.intersection(*stems))
        or re.fullmatch(r"\W*(?:has|owns|runs|does|is)?\W*it\b.*", who, re.IGNORECASE) is not None
    )


def _fit(value: Value, by: Rewording, *, named: bool, label: str) -> int:
    """How well new words may stand for a value, 0 if they can't: a place is none for an employer, as far as the
    model can tell them apart."""
    said = value.text
    if not said or said.casefold() == by.new.casefold() or said[:1].isdigit() or _NUMERIC.fullmatch(said):
        return 0
    led = by.led and by.sure
    if value.kind == "location":
        return 3 if named and label in _PLACES else 2 * (led and label != _PERSON)
    if value.kind == "person":
        if by.placed:
            return 0
        return 3 if named and label == _PERSON else (1 if label in _PLACES else 2) * named
    if value.kind == "organisation":
        return 2 * (named and label not in (*_PLACES, "DATE", "TIME"))
    if value.kind:
        return 1 * (named and label != _PERSON)
    return 2 * (said[:1].isupper() == by.new[:1].isupper()) or 1 * (named or led)
