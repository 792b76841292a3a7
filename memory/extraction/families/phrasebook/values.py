"""The values in a phrase, read from its words."""

import re
from collections.abc import Iterator, Sequence

from spacy.tokens import Span, Token

from memory.candidates import VALUE_LENGTH_MAX
from memory.extraction.families.phrasebook.facts import Fact, Kind
from memory.extraction.families.phrasebook.verbs import forms_of
from memory.extraction.lexicon import FAMILY, listed
from memory.extraction.phrases import NO_CAPITALS, Phrase, complements, is_pointing, value_of
from memory.extraction.turns import Reading

_LISTED = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s*(?:&|/|\+(?=\s))\s*|\s+(?:and|or|nor|n)\s+", re.IGNORECASE)
_DETERMINERS = re.compile(r"^(?:the|an?(?!\s+(?:pos|neg|\+))|my|our|some|any|all|both|those|these)\s+", re.IGNORECASE)
_RELATIVE_NAMED = re.compile(
    rf"(?:my|our)\s+(?:\w+\s+)?(?:{'|'.join(sorted(FAMILY, key=len, reverse=True))}),?\s+((?-i:[A-Z])[\w' -]*)$",
    re.IGNORECASE,
)
_NOUNS = ("NN", "NNS", "NNP", "NNPS", "VBG", "CD", "FW", "SYM", "ADD", "JJ", "RP", "$")
_NO_VALUE = listed(
    "it this that these those them you your him her he she they we i me us something anything everything nothing stuff "
    "things thing one ones someone anyone everyone people way lot much more all what which who where "
    "when how why there "
    "here so too not die"
)
_FOR_NOW = re.compile(
    r"\b(?:right now|now|today|tonight|this \w+|at the moment|yet|tomorrow|until|till|for|because|there|here)\b",
    re.IGNORECASE,
)
# Nouns that go with "the" without having been spoken of.
_GENERIC = listed(
    "sea ocean outdoors mountains cold heat rain dark beach countryside city gym theatre theater cinema "
    "opera sun snow summer "
    "winter news piano violin guitar cello water dentist dentists forest woods lake internet cold night "
    "future beatles cats "
    "colour color snow"
)
# With more words behind it: a second predicate, whatever its tag ("... and lives in Porto").
_PREDICATES = frozenset(
    form
    for verb in listed(
        "live work study teach own drive play speak collect run use hate love like have want need go come do"
    )
    for form in forms_of(verb)[:3]  # no participles, which make nouns too
)
_TIMES_OF_DAY = listed("today tonight yesterday tomorrow now atm rn lol btw tbh though tho haha please thanks")


def values_of(
    reading: Reading, sentence: Span, match: re.Match[str], group: str, fact: Fact, *, last: bool, loose: bool
) -> Iterator[str]:
    """The values in `group`. last: nothing of the phrase follows; loose: whatever may follow it then."""
    start, end = match.span(group)
    if start < 0:
        return
    words = [word for word in sentence if start <= word.idx < end]
    if not words:
        return
    if fact.kind is Kind.NOUN and last and not fact.pattern:
        yield from _noun_phrases(reading, words, fact)
        return
    if fact.lasting and _FOR_NOW.search(sentence.doc.text, start, int(sentence.end_char)):
        return
    parts = _LISTED.split(match[group]) if fact.several else [match[group]]
    if fact.kind is Kind.KNOWN:
        yield from _known(parts, words, fact, last=last and not loose)
        return
    if last and not loose and _goes_on(words[-1]):
        return
    for part in parts:
        text = " ".join(part.split()).strip(" ,.!")
        if fact.kind is Kind.NAME and not _is_named(text, words):
            return
        if fact.kind is Kind.NOUN:
            text = _plain(text)
            if not text or not _is_noun(words, known=not fact.tail):
                return
        elif fact.kind is Kind.WORDS:
            text = _plain(text)
        if text:
            yield text[:VALUE_LENGTH_MAX]


def _known(parts: Sequence[str], words: Sequence[Token], fact: Fact, *, last: bool) -> Iterator[str]:
    """As many of the listed `parts` as begin with something known, each without what follows that."""
    at = 0
    for part in parts:
        said = _plain(" ".join(part.split()))
        value = _longest(said, fact)
        if not value:
            return
        at = words[0].doc.text.find(value, words[0].idx + at) - words[0].idx + len(value)
        end = words[0].idx + at
        final = next((word for word in words if word.idx < end <= word.idx + len(word)), None)
        if last and (final is None or _goes_on(final)):
            return
        yield value
        if len(value) < len(said):
            return


def _longest(said: str, fact: Fact) -> str:
    pieces = said.split()
    for length in range(min(len(pieces), 5), 0, -1):
        tried = pieces[:length]
        for lead in range(min(fact.lead, length - 1) + 1):
            if _is_known(" ".join(tried[lead:]).strip(" ,.!)'\""), fact.known):
                if any(word.lower() in _NO_LEAD for word in tried[:lead]):
                    continue
                kept = tried[1:] if lead and tried[0].endswith("old") else tried
                if pieces[length : length + 1] and pieces[length].isdigit():
                    kept = [*kept, pieces[length]]  # "Node 20"
                return " ".join(kept).strip(" ,.!)'\"")
    return ""


def _is_known(text: str, known: frozenset[str]) -> bool:
    lower = text.lower()
    plain = lower.replace("-", " ")
    tries = (lower, plain, lower.removesuffix("s"), lower.removesuffix("es"), plain.removesuffix("s"))
    return any(one in known for one in tries)


_NO_LEAD = listed("not no the a an my our is are was of and or to for in at on with who that which as very really")


def _noun_phrases(reading: Reading, words: Sequence[Token], fact: Fact) -> Iterator[str]:
    times = [
        (reading.clause.sentence.start_char + time.span_start, reading.clause.sentence.start_char + time.span_end)
        for time in reading.times
    ]
    phrases = complements(words, skip=times)
    for position, phrase in enumerate(phrases):
        if phrase.preposition or (position and not (phrase.listed and fact.several)):
            return
        if position == 0 and phrase.words[0].i > words[0].i + 3:
            return
        if not _may_stand(phrase, known=not fact.tail):
            return
        if position and (_is_clause(phrase) or _is_predicate(phrase)):
            return
        kept = phrase.tail if fact.tail and phrase.tail and not _is_here(phrase.tail) else phrase.words
        text = _plain(value_of(kept))
        if not text:
            return
        yield text


def _is_predicate(phrase: Phrase) -> bool:
    first = phrase.words[0]
    goes_on = len(phrase.words) > 1 or len(phrase.tail) > 1
    return first.tag_ == "VB" or (goes_on and first.lower_ in _PREDICATES)


def _may_stand(phrase: Phrase, *, known: bool) -> bool:
    """known: "the" may point to what everybody knows."""
    words = phrase.words
    before = words[0].nbor(-1) if words[0].i else None
    if is_pointing(words) or words[0].lower_ in _NO_VALUE or len(words) > 8:
        return False
    if words[0].tag_ in ("VBZ", "VBP", "VBD", "MD"):
        return False
    if words[-1].lower_ in _NO_VALUE and not words[-1].is_title:
        return False
    if words[-1].tag_ not in _NOUNS and not words[-1].text[:1].isupper() and words[-1].tag_ not in ("VB", "VBP", "NNS"):
        return False
    if any(word.lower_ in ("you", "your", "it", "this", "that", "them", "i", "he", "she") for word in words):
        return False
    the = words[0].lower_ == "the" or (before is not None and before.lower_ == "the")
    if the and not known and not any(word.lower_ == "of" for word in words):
        return words[0].tag_ in ("NNP", "NNPS") or words[-1].tag_ == "NNP" or words[-1].lower_ in _GENERIC
    return not any(child.dep_ == "relcl" for word in words for child in word.children)


def _is_here(tail: Sequence[Token]) -> bool:
    """ "Board games in our house": where it is said of, no part of it."""
    return any(word.tag_ in ("PRP", "PRP$", "DT") and word.lower_ not in ("the", "a", "an") for word in tail)


def _is_clause(phrase: Phrase) -> bool:
    """ "... and can't eat out": a clause that the words join like a value."""
    first = phrase.words[0]
    return first.tag_ in ("PRP", "MD", "VBZ", "VBD", "VBP", "WP", "EX", "TO", "RB") or first.dep_ in (
        "nsubj",
        "nsubjpass",
    )


def _is_noun(words: Sequence[Token], *, known: bool) -> bool:
    kept = [word for word in words if not word.is_punct]
    if not kept or kept[0].lower_ in _NO_VALUE or is_pointing(kept) or len(kept) > 7:
        return False
    if kept[0].tag_ in ("IN", "TO") or any(word.tag_ in ("VBP", "VBZ", "VBD", "MD") for word in kept[1:]):
        return False
    if kept[-1].lower_ in _NO_VALUE or (len(kept) == 1 and kept[0].tag_ in ("RB", "UH", "IN", "DT", "CC")):
        return False
    pointed = kept[0].lower_ in ("the", "my", "our") and not any(word.lower_ == "of" for word in kept)
    if pointed and not known and kept[-1].lower_ not in _GENERIC and kept[-1].tag_ not in ("NNP", "NNPS"):
        return False
    return not any(word.lower_ in ("you", "your", "it", "this", "that", "i", "he", "she", "they") for word in kept)


def _plain(text: str) -> str:
    named = _RELATIVE_NAMED.match(text)
    return named[1] if named else _DETERMINERS.sub("", text).strip()


def _is_named(text: str, words: Sequence[Token]) -> bool:
    if text[:1].isupper() or text[:1].isdigit():
        return bool(text) and text.split()[0].lower() not in _NO_VALUE
    if not words[0].doc.user_data.get(NO_CAPITALS):
        return False
    inside = [word for word in words if word.lower_ in text.lower().split()]
    return bool(inside) and all(word.tag_ in ("NNP", "NN", "NNPS", "JJ", "NNS") for word in inside)


def _goes_on(last: Token) -> bool:
    """Whether a noun follows that would make something else of the words: "Cork boards", "tennis elbow"."""
    if last.i + 1 >= last.sent.end:
        return False
    following = last.nbor(1)
    if following.text in ("-", "/") and not last.whitespace_:
        return True
    return (
        following.tag_ in ("NN", "NNS", "POS")
        and following.lower_ not in _TIMES_OF_DAY
        and following.ent_type_ not in ("DATE", "TIME")
    )
