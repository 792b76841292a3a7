"""The speaker's own name: "I'm X", "my name is X", "call me X", "X here"."""

import re
from collections.abc import Iterator, Sequence

from spacy.tokens import Span, Token

from memory.candidates import NAME_LENGTH_MAX, NameCandidate
from memory.extraction.lexicon import JOB_HEADS, listed
from memory.extraction.moods import question_onset
from memory.extraction.phrases import is_name, name_around, value_of
from memory.extraction.turns import Reading

_TOLD = re.compile(
    r"\b(?:my (?:full |first |real |given |proper |preferred |legal |actual )?name(?:'s| is)(?: spel(?:led|t))?|(?:i "
    r"am|i'm) (?:called|named)|(?:i )?go by|"
    r"(?:people|friends|everyone|everybody|they|my friends) calls? me|(?:refer to|address) me as)\s+"
    r"(?:just |actually )?(?=\w)",
    re.IGNORECASE,
)
# What is said of much else too ("put me down as vegan"), so that only capitals make it a name.
_TOLD_IN_CAPITALS = re.compile(
    r"\b(?:the name(?:'s| is)|the name on (?:my|the) (?:account|profile|badge|card|passport|booking) (?:should "
    r"(?:read|be|say)|is|"
    r"reads)|(?:my )?(?:parents|mother|father|mum|mom|dad|folks|family) (?:named|called|christened) me|i was (?:named|"
    r"christened|baptised)|i(?:'ve| have) always been called|(?:i am|i'm) known as|(?:colleagues|mates|clients|they "
    r"all|"
    r"people here|most people) (?:call|know) me(?: as)?|(?:everyone|everybody) (?:calls|knows) me(?: as)?|(?:put|"
    r"write|list|save|sign) me "
    r"(?:down |in |up )?as|you(?:'re| are) (?:now )?(?:talking|speaking|chatting) (?:to|with)|it(?:'s| is) me,|"
    r"stop calling me (?-i:[A-Z])\w+[\s,:;.!–—-]+(?:it's|it is|i'm|call me|just|my name is|i go by))\s+"
    r"(?:just |actually )?(?=(?-i:[A-ZÀ-ÖØ-Þ]))",
    re.IGNORECASE,
)
# "Thandeka here", "it's Declan here again", "Ola speaking", "Marit is my name".
_PRESENTS = re.compile(
    r"(?:^|[.:!,;–—-]\s+|\b(?:hi|hello|hey|hiya|its|it's|this is|so|and)\s+)(?P<name>(?-i:[A-ZÀ-ÖØ-Þ])[\w'’-]+(?: "
    r"(?-i:[A-ZÀ-ÖØ-Þ])[\w'’-]+){0,3})\s+"
    r"(?:here(?: again| from\b.*)?|speaking|is (?:my|the) name)(?=\s*(?:$|[,.!;]|from\b|and\b))",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"^(?:please |just |you can |you may |but |and |feel free to )*call me\s+(?:just )?(?=\w)", re.IGNORECASE
)
_NO_NAMES = listed(
    "ok okay sure sorry fine done ready back home late busy good great here there hi hello yes no german "
    "french english "
    "the a an not so just now monday tuesday wednesday thursday friday saturday sunday team christian catholic muslim "
    "jewish hindu buddhist vegan vegetarian lord sir madam when if later tomorrow back maybe crazy about"
)
_DENIED = re.compile(r"\b(?:not|if|wish|never)\b|n't\b", re.IGNORECASE)
_WAS = re.compile(r"\bwas\b", re.IGNORECASE)
_CONFIDENCE = 0.95


def read_names(reading: Reading) -> Iterator[NameCandidate]:
    """The name that a clause introduces, if it says nothing else with it."""
    clause = reading.clause
    if reading.standing.reason or reading.standing.polarity != "affirmed" or reading.standing.mood != "statement":
        return
    if (
        clause.lemma != "be"
        or not clause.owns_subject
        or clause.subject is None
        or clause.subject.lower_ not in ("i", "this")
    ):
        return
    if reading.standing.tense != "present" or not reading.phrases:
        return
    phrase = reading.phrases[0]
    if phrase.preposition or phrase.words[0].i == 0 or phrase.words[0].nbor(-1).tag_ == "DT":
        return
    name = _introduced(phrase.words)
    if clause.subject.lower_ == "this" and not (name and all(word.ent_type_ == "PERSON" for word in name)):
        return
    if name:
        yield _candidate(name, start=clause.start)


def read_told_names(sentence: Span) -> Iterator[NameCandidate]:
    """Names told by a fixed phrase, whatever the letters' case ("my name is alice")."""
    text = sentence.text
    if question_onset(sentence) is not None:
        return
    if name := _signed(sentence) or _presented(sentence):
        yield _candidate(name, start=int(name[0].idx))
        return
    for match in (_TOLD.search(text), _TOLD_IN_CAPITALS.search(text), _CALLED.search(text.lstrip())):
        if match is None or _DENIED.search(text[: match.end()]):
            continue
        offset = sentence.start_char + match.end() + (len(text) - len(text.lstrip()) if match.re is _CALLED else 0)
        words = [word for word in sentence if word.idx >= offset]
        told = match.re is _TOLD and not _WAS.search(text)
        name = _introduced(words) or (_lowercase_name(words) if told or len(words) <= 2 else ())
        if name:
            yield _candidate(name, start=int(sentence.start_char) + match.start())
            return


def _presented(sentence: Span) -> tuple[Token, ...]:
    """Who says so behind a greeting or a preamble ("a quick word before you start: Thandeka here")."""
    for match in _PRESENTS.finditer(sentence.text):
        offset = sentence.start_char + match.start("name")
        words = [word for word in sentence if word.idx >= offset]
        name = _introduced(words)
        if name and name[-1].idx + len(name[-1]) >= sentence.start_char + match.end("name"):
            return name
    return ()


def _signed(sentence: Span) -> tuple[Token, ...]:
    """ "Alice here", "hi, Alice from Acme here"."""
    for word in sentence:
        if word.lower_ in ("hi", "hello", "hey") or word.is_punct:
            continue
        name = _introduced([word])
        after = list(sentence.doc[name[-1].i + 1 : name[-1].i + 3]) if name else []
        here = (
            bool(after)
            and after[0].lower_ == "here"
            and (len(after) == 1 or after[1].text in ".,!" or after[1].is_space)
        )
        return name if here else ()
    return ()


def _candidate(name: Sequence[Token], *, start: int) -> NameCandidate:
    end = name[-1].idx + len(name[-1])
    return NameCandidate(
        start=start, end=end, confidence=_CONFIDENCE, category="identity", name=value_of(name)[:NAME_LENGTH_MAX]
    )


def _introduced(words: Sequence[Token]) -> tuple[Token, ...]:
    """The name at the beginning of `words`, if it can be one of a person."""
    if not words:
        return ()
    name = name_around(words[0])
    name = name[name.index(words[0]) :] if words[0] in name else ()
    if not name or len(name) > 4 or not is_name(name):
        return ()
    if any(word.lower_ in _NO_NAMES or word.lower_ in JOB_HEADS for word in name):
        return ()
    # Two words are hardly a nationality, whatever the model says.
    peoples = len(name) == 1 and name[0].ent_type_ == "NORP"
    if peoples or any(word.ent_type_ in ("LANGUAGE", "DATE") for word in name) or not name[0].text.isalpha():
        return ()
    if len(name[0]) > 1 and name[0].text.isupper() and name[0].ent_type_ != "PERSON":
        return ()
    following = words[0].doc[name[-1].i + 1] if name[-1].i + 1 < len(words[0].doc) else None
    if following is not None and following.text in ("'s", "-", "of"):
        return ()
    return name


def _lowercase_name(words: Sequence[Token]) -> tuple[Token, ...]:
    first = words[0]
    following = words[1] if len(words) > 1 else None
    ends = (
        following is None or following.is_punct or following.lower_ in ("and", "i", "but", "from") or following.is_space
    )
    if first.is_alpha and first.is_lower and ends and first.lower_ not in _NO_NAMES and len(first) > 1:
        return (first,)
    return ()
