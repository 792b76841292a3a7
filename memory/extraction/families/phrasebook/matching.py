"""Where in a sentence the phrases of the tables are said, and of whom."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from spacy.tokens import Span, Token

from memory.candidates import SPEAKER, Mention
from memory.extraction.families.phrasebook.subjects import WHO
from memory.extraction.families.phrasebook.templates import Template
from memory.extraction.lexicon import ACQUAINTANCES, FAMILY, IN_LAWS, PETS, SEVERAL, listed
from memory.extraction.phrases import is_name, name_around, value_of
from memory.extraction.relatives import SPELLINGS
from memory.extraction.turns import Reading

_OPENERS = listed(
    "and but so because though although since while that which as also then plus well actually honestly btw oh yeah ok "
    "okay yes no anyway besides still besides frankly basically cos apart personally sorry hi hey hello"
)
_PAUSES = frozenset((",", ";", ":", "-", "–", "—", "--", "(", "…", "...", "\n"))
# A verb that begins a clause of whoever the sentence is about: "moved to Leeds and joined a choir".
_BARE_TAGS = frozenset(("VBD", "VBN", "VBG", "VBP", "VBZ", "VB", "MD"))
_BARE_WORDS = listed("originally never not been really always dont can't don't no")
_WORDS = re.compile(r"[a-z0-9]+")
_KIN = FAMILY | ACQUAINTANCES | PETS | SEVERAL
_RELATIVE = re.compile(
    rf"(?:my|our)\s+(?:[\w-]+\s+)*?(?P<kin>{'|'.join(sorted(_KIN, key=len, reverse=True))})(?P<law>-in-law)?"
    r"(?:(?:\s+|,\s+|\s+\()(?P<name>(?-i:[A-Z]).*?))?(?:\)|,)?(?:'s)?$",
    re.IGNORECASE,
)
# Nobody has two of them without saying which: "my boss" is one person, "my friend" any.
_ONE_ONLY = (
    FAMILY
    | PETS
    | SEVERAL
    | listed(
        "boss manager neighbour neighbor flatmate roommate housemate landlord landlady mentor supervisor therapist"
    )
)


@dataclass(frozen=True, slots=True)
class Found:
    """A phrase said in a sentence.

    subject: None for whoever its clause is about. verb, start: offsets in the document.
    """

    template: Template
    match: re.Match[str]
    subject: Mention | None
    verb: int
    start: int

    @property
    def verb_end(self) -> int:
        """Where the first verb ends, with the adverbs and negations behind it."""
        return self.match.end("verb") if "verb" in self.match.re.groupindex else self.match.start()


class Index:
    """Phrases by the words that they can't be without."""

    def __init__(self, templates: Iterable[Template]) -> None:
        self._by_word: dict[str, list[Template]] = {}
        self._always: list[Template] = []
        for template in templates:
            for word in template.words:
                self._by_word.setdefault(word, []).append(template)
            if not template.words:
                self._always.append(template)

    def candidates(self, text: str) -> tuple[list[Template], list[Template]]:
        """(those that follow a subject, the others) which `text` may hold."""
        words = frozenset(_WORDS.findall(text.lower()))
        held = [
            template
            for word in words
            for template in self._by_word.get(word, ())
            if not template.others or template.others & words
        ]
        possible = sorted(dict.fromkeys([*held, *self._always]), key=lambda template: template.order)
        return [one for one in possible if one.of_subject], [one for one in possible if not one.of_subject]

    def found(self, sentence: Span) -> list[Found]:
        """All phrases in `sentence`, in the order of the tables.

        Where one holds a negation of its own, those of the same verb without it are not meant.
        """
        told = list(self._all_found(sentence))
        denied = {one.verb for one in told if one.template.denies}
        told = [one for one in told if one.template.denies or one.verb not in denied]
        return sorted(told, key=lambda found: found.template.order)

    def _all_found(self, sentence: Span) -> Iterator[Found]:
        of_subject, whole = self.candidates(sentence.text)
        text, end = sentence.doc.text, int(sentence.end_char)
        seen: set[tuple[int, int]] = set()
        for start in _beginnings(sentence):
            for template in whole:
                match = template.match(text, start, end)
                if match is None or (whom := _whom(match, sentence, template.subject_type)) is None:
                    continue
                one = _told(template, match, whom, start)
                if (id(template), one.verb) not in seen:
                    seen.add((id(template), one.verb))
                    yield one
        if not of_subject:
            return
        for start, behind, named in _subjects(sentence):
            for template in of_subject:
                subject = named
                match = template.match(text, behind, end)
                if match is None:
                    continue
                if "whom" in match.re.groupindex and match["whom"] is not None:
                    subject = _whom(match, sentence)
                    if subject is None:
                        continue
                one = _told(template, match, subject, start)
                if (id(template), one.verb) not in seen:
                    seen.add((id(template), one.verb))
                    yield one


def _told(template: Template, match: re.Match[str], subject: Mention | None, start: int) -> Found:
    groups = match.re.groupindex
    verb = match.end("verb") - len(match["after1"] or "") - 1 if "verb" in groups and match["verb"] else match.start()
    return Found(template, match, subject, verb, start)


def _beginnings(sentence: Span) -> Iterator[int]:
    """Offsets of the words that a clause may begin with."""
    opened = True
    for word in sentence:
        if word.is_space or word.is_punct or word.text in _PAUSES:
            opened = True
            continue
        if opened or any(
            child.dep_ in ("nsubj", "nsubjpass") and child.left_edge.i == word.i for child in _heads(word)
        ):
            yield int(word.idx)
        opened = (opened and word.lower_ in _OPENERS) or word.lower_ in ("and", "but", "so", "because", "that")


def _heads(word: Token) -> Iterator[Token]:
    yield word
    for ancestor in word.ancestors:
        if ancestor.left_edge.i != word.i:
            return
        yield ancestor


def _subjects(sentence: Span) -> Iterator[tuple[int, int, Mention | None]]:
    """(start, offset of what follows, whom it names) of all that a clause may be about."""
    text, end = sentence.doc.text, int(sentence.end_char)
    by_index = {int(word.idx): word for word in sentence}
    for start in _beginnings(sentence):
        word = by_index[start]
        if (named := WHO.match(text, start, end)) is not None and word.dep_ != "conj":
            mention = mentioned(named.group(), word)
            if mention is not None or named.group().lower() in ("he", "she"):
                behind = named.end() + (text[named.end() : named.end() + 1] == " ")
                yield start, behind, mention
        if word.tag_ in _BARE_TAGS or word.lower_ in _BARE_WORDS:
            yield start, start, None
    for word in sentence:
        if word.dep_ in ("nsubj", "nsubjpass") and (word.conjuncts or word.right_edge.i != word.i):
            last = word.right_edge
            behind = int(last.idx + len(last))
            yield int(word.left_edge.idx), behind + (text[behind : behind + 1] == " "), None


def _whom(match: re.Match[str], sentence: Span, kind: str = "") -> Mention | None:
    """Whom or what the phrase names within itself; the speaker if nobody."""
    if kind:
        return Mention(type=kind, name=" ".join(match["thing"].split()))
    if "whom" not in match.re.groupindex or match["whom"] is None:
        return SPEAKER
    word = sentence.doc.char_span(match.start("whom"), match.start("whom") + 1, alignment_mode="expand")
    return mentioned(match["whom"], word[0]) if word is not None and len(word) else None


def mentioned(words: str, first: Token) -> Mention | None:
    """Who "I", "my sister Ana" or "Ana" is; None for a pronoun, or nobody to be known by that."""
    lower = words.lower().removeprefix("both ").strip()
    if lower in ("i", "we", "me", "us", "my", "our"):
        return SPEAKER
    if (relative := _RELATIVE.match(words.strip())) is not None:
        if relative["name"]:
            return Mention(type="person", name=relative["name"].strip(" ,()"))
        kin = relative["kin"].lower()
        if kin in IN_LAWS and relative["law"]:
            return Mention(type="person", name=f"{kin}_in_law", mine=True)
        return Mention(type="person", name=SPELLINGS.get(kin, kin), mine=True) if kin in _ONE_ONLY else None
    if lower in ("he", "she", "him", "her", "his"):
        return None
    name = words.removesuffix("'s")
    around = name_around(first)
    if not around or not is_name(around) or around[0].i != first.i or first.ent_type_ in ("DATE", "TIME", "LANGUAGE"):
        return None
    return Mention(type="person", name=value_of(around)) if value_of(around).startswith(name.split()[0]) else None


def belongs(found: Found, reading: Reading) -> bool:
    """Whether the verb of the phrase is one of the clause's words."""
    for word in reading.clause.sentence:
        if word.idx <= found.verb < word.idx + len(word):
            owner = reading.turn.reading_at(word)
            return owner is not None and owner.clause is reading.clause
    return False
