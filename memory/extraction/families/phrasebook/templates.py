"""From phrases as they are written in the tables to patterns.

A phrase is plain words with marks:

    {who} <have|keep> [really] a soft spot (for|towards) {likes}
    {allergies} <bring> {me} out in a rash
    {who} <not be> (a fan of|keen on) {dislikes}
    {who} <switch> from {-uses} to {+uses}
    {who} <keep> {diet=kosher|halal}
    {who} <teach> {_some} at {_name} -> job_title = teacher

`{who}` is whoever the phrase is about, at its beginning; `{me}` and `{my}` are the same further on, `{kin}` a
relative only. `<…>` is a verb in
any form, negations and auxiliaries before it included; `<not …>` one whose negation is part of the phrase. `(a|b)` is
a choice, `[…]` may be left out. Other braces are values, by the key they are kept under; `+` marks what began by what
the phrase tells, `-` what ended and `!` what it takes for granted. `{_…}` is passed over. What ends with `…` may go on.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import count

from memory.extraction.claims import Aspect
from memory.extraction.families.phrasebook.facts import FACTS, KEYS, Fact
from memory.extraction.families.phrasebook.subjects import PASSED_OVER, SUBJECTS, WHOM
from memory.extraction.families.phrasebook.verbs import NEGATED, SKIPPED, forms_of, verb_pattern
from memory.extraction.lexicon import listed

_MARK = re.compile(r"\{[^}]*\}|<[^>]*>|[()|\[\]]|[^\s()|\[\]{}<>]+")
_SIGNS = {"+": Aspect.EVENT, "-": Aspect.END, "!": Aspect.GIVEN}
# Too frequent to tell which phrases a sentence may hold.
_FREQUENT = listed(
    "a an the to of in on at for from with by as is are was were be been being am have has had having got do does did "
    "i we my me it and or but so not that this what there s ve re m isn aren wasn weren ain haven hasn hadn"
)
_MODALS = listed(
    "could can can't cannot cant cannae would 'd will 'll won't wouldn't couldn't refuse refuses might "
    "mustn't if whenever"
)
_CLITICS = {"be": frozenset(("m", "s", "re")), "have": frozenset(("ve", "s", "d"))}
_ORDER = count()
_SEPARATOR = r"\s+"
_BEFORE_VERB = r"(?:\s+|(?='))"


@dataclass(frozen=True, slots=True)
class Filling:
    """A value that a phrase tells. group: of the pattern, "" if the value is `says`."""

    key: str
    fact: Fact
    group: str
    aspect: Aspect | None
    says: str = ""


@dataclass(frozen=True, slots=True)
class Template:
    """A phrase, compiled.

    source: a pattern of what follows the subject, if `of_subject`, else of the whole; its group `verb` ends with the
    first verb, `whom` is whom it is about, `thing` what, of `subject_type`.
    aspect: of its values that have none of their own.
    denies, modal: it holds its negation, or its "can't" or "if", itself.
    words, others: one of each must be there, where there are any. order: of the phrase in the tables.
    """

    source: str
    fillings: tuple[Filling, ...]
    aspect: Aspect
    of_subject: bool
    denies: bool
    words: frozenset[str]
    others: frozenset[str]
    open_ended: bool
    verbs: int
    modal: bool
    subject_type: str
    order: int

    def match(self, text: str, start: int, end: int) -> re.Match[str] | None:
        """The phrase from `start` on, if nothing but auxiliaries and adverbs stands around its verbs."""
        found = _pattern(self.source).match(text, start, end)
        if found is None:
            return None
        negated = False
        for number in range(1, self.verbs + 1):
            before, after = f"before{number}", f"after{number}"
            if not all(SKIPPED.fullmatch(words) for words in (found[before], found[after]) if words):
                return None
            if found[before] is not None and NEGATED.search(text, found.start(before), found.end(after)):
                negated = True
        return found if negated or not self.denies else None


@cache
def _pattern(source: str) -> re.Pattern[str]:
    """Compiled when it is first needed: most phrases never are."""
    return re.compile(source, re.IGNORECASE)


@dataclass(slots=True)
class _Parts:
    """What of a phrase has been read so far."""

    marks: list[str]
    fillings: list[Filling] = field(default_factory=list)
    denies: bool = False
    verbs: int = 0
    whom: bool = False
    bounded: bool = True
    subject_type: str = ""


@dataclass(frozen=True, slots=True)
class _Piece:
    pattern: str
    words: frozenset[str]
    others: frozenset[str] = frozenset()
    optional: bool = False
    verb: bool = False
    glued: bool = False


def told(table: str, aspect: Aspect = Aspect.STATE) -> Iterator[Template]:
    """The phrases of a table, one a line; what is indented further goes on with the line before."""
    for phrase in re.sub(r"\n {8,}", " ", table).splitlines():
        if phrase.strip():
            yield _compiled(phrase.strip(), aspect)


def _compiled(phrase: str, aspect: Aspect) -> Template:
    phrase, _, said = phrase.partition("->")
    phrase = phrase.strip()
    open_ended = phrase.endswith("…")
    marks = _MARK.findall(phrase.removesuffix("…"))
    of_subject = marks[0] == "{who}"
    parts = _Parts(marks[1:] if of_subject else marks)
    piece = _choice(parts)
    if parts.marks:
        raise ValueError(f"a bracket too many: {phrase}")
    fillings = parts.fillings
    if said:
        key, _, value = said.partition("=")
        fillings = [*fillings, _filling(key.strip(), "", value.strip())]
    border = r"(?![\w-]|'\w)"
    return Template(
        piece.pattern + border,
        tuple(fillings),
        aspect,
        of_subject,
        parts.denies,
        piece.words,
        piece.others,
        open_ended,
        parts.verbs,
        bool(_MODALS & {mark.lower() for mark in marks}),
        parts.subject_type,
        next(_ORDER),
    )


def _choice(parts: _Parts) -> _Piece:
    """Pieces in a row, and others instead of them, up to a closing bracket."""
    rows: list[list[_Piece]] = [[]]
    while parts.marks and parts.marks[0] not in (")", "]"):
        mark = parts.marks.pop(0)
        if mark == "|":
            rows.append([])
        elif mark in ("(", "["):
            inner = _choice(parts)
            if not parts.marks or parts.marks.pop(0) != (")" if mark == "(" else "]"):
                raise ValueError("a bracket is missing")
            rows[-1].append(
                _Piece(
                    inner.pattern, inner.words, inner.others, optional=mark == "[", verb=inner.verb, glued=inner.glued
                )
            )
        else:
            rows[-1].append(_piece(mark, parts))
    words = [_telling(row) for row in rows]
    pattern = "|".join(map(_joined, rows))
    return _Piece(
        f"(?:{pattern})" if len(rows) > 1 else pattern,
        frozenset().union(*words) if all(words) else frozenset(),
        _telling(rows[0], beside=words[0]) if len(rows) == 1 else frozenset(),
        verb=rows[0][0].verb if rows[0] else False,
        glued=rows[0][0].glued if rows[0] else False,
    )


def _joined(row: list[_Piece]) -> str:
    pattern, begun = "", False
    for piece in row:
        separator = _BEFORE_VERB if piece.verb else r"\s*" if piece.glued else _SEPARATOR
        if not begun:
            pattern += f"(?:{piece.pattern}{_SEPARATOR})?" if piece.optional else piece.pattern
        else:
            pattern += f"(?:{separator}(?:{piece.pattern}))?" if piece.optional else f"{separator}{piece.pattern}"
        begun = begun or not piece.optional
    return pattern


def _telling(row: list[_Piece], beside: frozenset[str] = frozenset()) -> frozenset[str]:
    """The words of the piece that is least often there by chance; beside: of another piece than these are of."""
    required = [piece.words for piece in row if piece.words and not piece.optional and piece.words != beside]
    rare = [words for words in required if not words & _FREQUENT]
    return min(rare or required, key=len, default=frozenset())


def _piece(mark: str, parts: _Parts) -> _Piece:
    if mark.startswith("<"):
        return _verb(mark[1:-1], parts)
    if mark.startswith("{"):
        return _slot(mark[1:-1], parts)
    return _Piece(re.escape(mark), _first_words([mark]), glued=mark[0] in "',:;.-+")


def _verb(said: str, parts: _Parts) -> _Piece:
    denied = said.startswith("not ")
    lemmas = [lemma.strip() for lemma in said.removeprefix("not ").split("|")]
    parts.denies = parts.denies or denied
    parts.verbs += 1
    pattern = verb_pattern(lemmas, parts.verbs, bounded=parts.bounded and parts.verbs == 1)
    words = frozenset().union(*(_first_words(forms_of(lemma)) | _CLITICS.get(lemma, frozenset()) for lemma in lemmas))
    return _Piece(f"(?P<verb>{pattern})" if parts.verbs == 1 else pattern, words, verb=True)


def _slot(said: str, parts: _Parts) -> _Piece:
    if said in PASSED_OVER:
        return _Piece(PASSED_OVER[said], frozenset(), glued=said == "_stretch")
    if said in SUBJECTS:
        parts.subject_type = SUBJECTS[said][1]
        return _Piece(f"(?P<thing>{SUBJECTS[said][0]})", frozenset())
    if said in WHOM:
        pattern = WHOM[said]
        group = "" if parts.whom else "?P<whom>"
        parts.whom = True
        return _Piece(f"({group}{pattern})", frozenset())
    key, _, choice = said.partition("=")
    filling = _filling(key, f"v{len(parts.fillings)}", "")
    parts.fillings.append(filling)
    parts.bounded = False
    if choice:
        words = [" ".join(word.split()) for word in choice.split("|")]
        value = "(?:" + "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in words) + ")"
        return _Piece(f"(?P<{filling.group}>{value})", _first_words(words))
    value = filling.fact.value
    if not value:
        # A noun phrase at the end is cut by its words, elsewhere it goes as far as the phrase needs.
        reach = r"[^;:!?]*" if not parts.marks else r"[^.,;:!?]{0,60}?"
        return _Piece(rf"(?P<{filling.group}>[\w£$€]{reach})", frozenset())
    if filling.fact.several:
        value = rf"{value}(?:(?:\s*,\s*(?:and\s+|or\s+)?|\s*(?:&|/)\s*|\s+(?:and|or|nor|n)\s+){value})*"
    return _Piece(f"(?P<{filling.group}>{value})", frozenset())


def _filling(said: str, group: str, says: str) -> Filling:
    aspect = _SIGNS.get(said[0])
    slot = said.lstrip("+-!")
    known = FACTS.get(slot)
    if known is None:
        raise ValueError(f"no such fact: {slot}")
    return Filling(KEYS.get(slot, slot), known, group, aspect, says)


def _first_words(texts: list[str] | tuple[str, ...]) -> frozenset[str]:
    """The first run of letters or digits of each."""
    found = [re.findall(r"[a-z0-9]+", text.lower()) for text in texts]
    return frozenset(words[0] for words in found if words)
