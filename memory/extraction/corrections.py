"""What a correction of an earlier turn amounts to: that turn read again with the new words in it."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace
from spacy.tokens import Doc

from memory.candidates import (
    NAME_LENGTH_MAX,
    ActionCandidate,
    AnyCandidate,
    AttributeCandidate,
    EntityCandidate,
    NameCandidate,
    Polarity,
    RelationCandidate,
    UncertaintyCandidate,
)
from memory.cardinality import is_functional, is_single_valued
from memory.extraction.plain_readings import read_plainly
from memory.extraction.quantities import number_of
from memory.extraction.rewordings import Rewording, rewordings_in
from memory.extraction.splices import Splice, splices, values_in
from memory.extraction.statements import Statement, bare_of, slot_of, texts_of, value_of
from memory.extraction.turns import Turn

# How many turns back a correction may reach, and how often what was said is read again for it.
REACH_TURNS = 3
READINGS_MAX = 6


@dataclass(frozen=True, slots=True)
class Heard:
    """A text with what it tells."""

    text: str
    turn: Turn
    candidates: Sequence[AnyCandidate]


Read = Callable[[str], Heard]


def corrections(doc: Doc, earlier: Sequence[str], told: Sequence[AnyCandidate], read: Read) -> list[AnyCandidate]:
    """What the turn `doc` tells, with what only the turns before it make sense of; oldest of these first.

    told: what it tells by itself. read: reads a text by itself.
    """
    reworded = rewordings_in(doc.text)
    rewordings = [by for by in reworded.rewordings if _is_phrase(doc, by)]
    said = list(told)
    left = READINGS_MAX
    lower = not any(map(str.isupper, doc.text))
    for back, text in enumerate(reversed(_in_context(earlier)[-REACH_TURNS:])):
        plain = back == 0 and "?" not in text
        likely = [by for by in rewordings if by.sure or (plain and _is_plain(doc, by, lower=lower))]
        if not likely and not (reworded.sure and any(isinstance(one, Statement) for one in said)):
            break
        heard = read(text)
        marked = [_marked(one, heard, change=reworded.change) for one in said] if reworded.sure else said
        again = marked != said
        said = marked
        denied = [one for by in likely if not by.new for one in _denied(by, heard)]
        denied += list(_left(said, heard, doc.text)) if reworded.sure and reworded.change else []
        given_up = list(_given_up(said, heard))
        if again or given_up:
            return _joined(said, [*denied, *given_up])
        for by in likely:
            if _is_told(by, said):
                continue
            for splice in _ways(by, heard, doc, lower=lower) if by.new else ():
                if not left:
                    return _joined(said, denied)
                left -= 1
                anew = read(splice.text)
                found = _corrected(by, heard, anew, splice) or _put_in(by, heard, splice)
                if found := found or _plainly(by, heard, anew, splice):
                    return _joined(_joined(said, found), denied)
        if denied:
            return _joined(said, denied)
    return said


def _is_told(by: Rewording, said: Sequence[AnyCandidate]) -> bool:
    """Whether the turn by itself tells what the new words begin with as a value: they stand for nothing said before."""
    return not by.old and any(
        isinstance(one, Statement)
        and one.polarity is Polarity.AFFIRMED
        and f"{by.new} ".casefold().startswith(f"{value_of(one)} ".casefold())
        for one in said
    )


def _in_context(earlier: Sequence[str]) -> list[str]:
    """Turns that speak of "her" or "him" are read behind the turn before them."""
    told = list(earlier)
    for position in range(1, len(earlier)):
        if _PRONOUN.search(earlier[position]):
            before = earlier[position - 1].rstrip()
            told[position] = f"{before}{'' if before.endswith(('.', '!', '?')) else '.'} {earlier[position]}"
    return told


_REPLACES = re.compile(r"\b(?:switch|swap|replac|chang|migrat|instead\b)", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:he|she|him|her)\b", re.IGNORECASE)


def _is_phrase(doc: Doc, by: Rewording) -> bool:
    """Whether the new words can be a value: "Ravi moved teams" can't."""
    if not by.new or (by.new[0].isdigit() and " " not in by.new):
        return True
    span = doc.char_span(by.start, by.end, alignment_mode="expand")
    if span is None or all(word.tag_ in ("RB", "UH", "IN", "CC", "DT") for word in span):
        return False
    return not any(
        word.tag_ in ("PRP", "WP", "EX", "TO")
        or (word.tag_ in ("VBD", "VBZ", "VBP", "MD") and not word.text[0].isupper())
        or (word.tag_ == "VB" and len(span) > 1)
        or (word.tag_ == "VBG" and not by.old and len(span) == 1)
        for word in span
    )


def _marked(one: AnyCandidate, heard: Heard, *, change: bool) -> AnyCandidate:
    """A statement that gives what was told another value, as the repair that it is."""
    if not isinstance(one, Statement) or one.polarity is not Polarity.AFFIRMED or one.change or one.repair:
        return one
    for other in heard.candidates:
        if isinstance(other, Statement) and slot_of(other) == slot_of(one) and value_of(other) != value_of(one):
            return replace(one, repair=not change, change=change)
    return one


def _joined(said: Sequence[AnyCandidate], found: Sequence[AnyCandidate]) -> list[AnyCandidate]:
    """Both; what is told anew of a slot that the turn speaks of by itself is left out."""
    slots = {slot_of(one) for one in said if isinstance(one, Statement) and one.polarity is Polarity.AFFIRMED}
    known = set(map(bare_of, said))
    return [
        *said,
        *(
            one
            for one in found
            if bare_of(one) not in known
            and not (isinstance(one, Statement) and one.polarity is Polarity.AFFIRMED and slot_of(one) in slots)
        ),
    ]


def _is_plain(doc: Doc, by: Rewording, *, lower: bool) -> bool:
    """Whether new words without any cue stand alone at the beginning, or are said twice."""
    text = doc.text
    again = len(re.findall(rf"(?<!\w){re.escape(by.new)}(?!\w)", text, re.IGNORECASE)) > 1
    if again:
        return True
    alone = not text[: by.start].strip() and re.fullmatch(r"[\s.!*]*", text[by.end :]) is not None
    return alone and (by.new[:1].isdigit() or _label(doc, by) != "" or lower is False)


def _label(doc: Doc, by: Rewording) -> str:
    span = doc.char_span(by.start, by.end, alignment_mode="expand")
    return next((str(word.ent_type_) for word in span if word.ent_type_), "") if span is not None else ""


def _ways(by: Rewording, heard: Heard, doc: Doc, *, lower: bool) -> Iterator[Splice]:
    values = [value for candidate in heard.candidates for value in values_in(candidate)]
    subject = next(
        (
            heard.turn.doc[word.left_edge.i : word.i + 1].text
            for word in heard.turn.doc
            if word.dep_ in ("nsubj", "nsubjpass") and word.lower_ not in ("i", "we")
        ),
        "",
    )
    nouns = [
        word.text
        for word in heard.turn.doc
        if word.tag_ in ("NN", "NNS") and word.dep_ in ("dobj", "attr", "pobj", "oprd") and word.ent_type_ == ""
    ]
    label, named = _label(doc, by), _is_named(doc, by)
    return splices(heard.text, by, values=values, subject=subject, nouns=nouns, named=named, label=label, lower=lower)


def _is_named(doc: Doc, by: Rewording) -> bool:
    """Whether capitals make the new words a name, and not only the beginning of a sentence."""
    span = doc.char_span(by.start, by.end, alignment_mode="expand")
    if span is None or not by.new[:1].isupper():
        return False
    return len(span) > 1 or not span[0].is_sent_start or span[0].tag_.startswith("NNP") or bool(span[0].ent_type_)


def _corrected(by: Rewording, heard: Heard, anew: Heard, splice: Splice) -> list[AnyCandidate]:
    """What is told with the new words and was not without them; and what is not told any more."""
    before, after = set(map(bare_of, heard.candidates)), set(map(bare_of, anew.candidates))
    found = [
        _placed(one, by, splice)
        for one in anew.candidates
        if bare_of(one) not in before and not isinstance(one, UncertaintyCandidate) and _says(one, splice)
    ]
    if not any(isinstance(one, NameCandidate) for one in heard.candidates):
        # "I'm Gluten" for "I'm lactose intolerant" tells no name.
        found = [one for one in found if not isinstance(one, NameCandidate)]
    slots = {slot_of(one) for one in found if isinstance(one, Statement)}
    over = [
        one
        for one in heard.candidates
        if isinstance(one, Statement) and slot_of(one) in slots and one.polarity is Polarity.AFFIRMED
    ]
    if all(isinstance(one, EntityCandidate) for one in found):
        return []
    return [*found, *(_withdrawn(one, by) for one in over if bare_of(one) not in after and _is_over(one, by))]


def _put_in(by: Rewording, heard: Heard, splice: Splice) -> list[AnyCandidate]:
    """The new words as the value of what told the old ones, where these are not understood by themselves."""
    old = re.compile(rf"(?<!\w){re.escape(splice.old)}(?!\w)", re.IGNORECASE)
    for one in reversed(heard.candidates):
        if isinstance(one, Statement) and one.polarity is Polarity.AFFIRMED and old.search(value_of(one)):
            value = old.sub(lambda _: splice.new, value_of(one))
            if isinstance(one, RelationCandidate):
                anew: Statement = replace(one, object=replace(one.object, name=value[:NAME_LENGTH_MAX]))
            else:
                anew = replace(one, value=value)
            placed = _placed(anew, by, splice)
            return [placed, _withdrawn(one, by)] if _is_over(one, by) else [placed]
    return []


def _plainly(by: Rewording, heard: Heard, anew: Heard, splice: Splice) -> list[AnyCandidate]:
    """What the grammar of the sentence says of the new words, where no rule understands it."""
    if not by.sure:
        return []
    told = read_plainly(anew.turn, splice.new)
    if told is None:
        return []
    found = [_placed(told, by, splice)]
    was = read_plainly(heard.turn, splice.old) if by.change or by.old else None
    if was is not None and (was.entity, was.key) == (told.entity, told.key):
        found.append(_withdrawn(was, by))
    return found


def _is_over(one: Statement, by: Rewording) -> bool:
    """Whether what the new words stand for must be told to be over: a key with one value does without."""
    return by.change or bool(by.old) or _has_many(one)


def _has_many(one: Statement) -> bool:
    return not (is_single_valued(one.key) if isinstance(one, AttributeCandidate) else is_functional(one.label))


def _only_former(one: Statement, heard: Heard) -> Statement | None:
    """The one other value that was told before of the same, None if there were several."""
    before = [
        other
        for other in heard.candidates
        if isinstance(other, Statement) and slot_of(other) == slot_of(one) and other.polarity is Polarity.AFFIRMED
    ]
    return before[0] if len(before) == 1 and value_of(before[0]).casefold() != value_of(one).casefold() else None


def _given_up(said: Sequence[AnyCandidate], heard: Heard) -> Iterator[AnyCandidate]:
    """The one value beside others that a repair puts another one for: "scratch that, I like coffee"."""
    for one in said:
        if not isinstance(one, Statement) or one.change or one.polarity is not Polarity.AFFIRMED:
            continue
        if one.repair and _has_many(one) and (before := _only_former(one, heard)) is not None:
            yield _taken_back(before, one.end)


def _placed(one: AnyCandidate, by: Rewording, splice: Splice) -> AnyCandidate:
    """At the new words. When the earlier turn was said is not known, so its stated times are not either."""
    placed = replace(one, start=by.start, end=by.end)
    if isinstance(placed, Statement):
        if not splice.dated:
            placed = replace(placed, valid_from=None, valid_until=None, precision="")
        return replace(placed, change=by.change, repair=not by.change)
    if isinstance(placed, ActionCandidate) and not splice.dated:
        return replace(placed, occurred_at=None, precision="")
    return placed


def _left(said: Sequence[AnyCandidate], heard: Heard, text: str) -> Iterator[AnyCandidate]:
    """What was told before of a slot of which the turn itself tells another value: "I've switched to Vivaldi".

    Where values stand beside each other, only what is said to take the place of another one ends that.
    """
    replaces = _REPLACES.search(text) is not None
    for one in said:
        if not isinstance(one, Statement) or one.polarity is not Polarity.AFFIRMED or (_has_many(one) and not replaces):
            continue
        if (before := _only_former(one, heard)) is not None:
            yield replace(_taken_back(before, one.end), polarity=Polarity.ENDED, change=True, repair=False)


def _denied(by: Rewording, heard: Heard) -> Iterator[AnyCandidate]:
    """What said the denied words."""
    old = re.sub(r"^(?:the|an?|my|our)\s+", "", by.old.strip(), flags=re.IGNORECASE).casefold()
    for one in heard.candidates:
        if (
            isinstance(one, Statement)
            and one.polarity is Polarity.AFFIRMED
            and old
            and value_of(one).casefold() in (old, old.removesuffix("s"))
        ):
            yield _withdrawn(one, by)


def _withdrawn(one: Statement, by: Rewording) -> Statement:
    """Placed behind the new words, so that these supersede it."""
    polarity = Polarity.ENDED if by.change else Polarity.NEGATED
    return replace(_taken_back(one, by.end), polarity=polarity, change=by.change, repair=not by.change)


def _taken_back(one: Statement, end: int) -> Statement:
    undated = replace(one, start=end - 1, end=end, valid_from=None, valid_until=None, precision="")
    return replace(undated, polarity=Polarity.NEGATED, change=False, repair=True)


def _says(one: AnyCandidate, splice: Splice) -> bool:
    """Whether a candidate is due to the new words."""
    if splice.dated:
        return not isinstance(one, EntityCandidate)
    words = {word for word in re.findall(r"\w+", splice.new.casefold()) if len(word) > 1 or word.isdigit()}
    words |= {str(number)} if (number := number_of(splice.new)) is not None else set()
    return any(words & set(re.findall(r"\w+", text.casefold())) for text in texts_of(one))
