"""From the words of a question to the keys that may hold its answer. Pure; English.

The question comes with its subject as @: "where does @ live?", "what is @'s job title?".
"""

import re
from dataclasses import dataclass

from memory.values import folded

LIVING = ("location", "city", "lives_in", "residence", "home", "address", "current_city", "home_city")
EMPLOYER = ("works_at", "employer", "company", "workplace", "works_for")
JOB = ("job_title", "occupation", "profession", "role", "job", "position")
SPOUSE = ("married_to", "spouse", "wife", "husband", "partner")
BOSS = ("reports_to", "boss", "manager")
BIRTH = ("birthday", "birth_date", "date_of_birth", "born", "born_on")
ORIGIN = ("hometown", "birthplace", "home_town", "from", "nationality", "country")

_BE = r"(?:is|am|are|was|were|['’]s|['’]m)"
_DO = r"(?:do|does|did)"
_HAVE = r"(?:do|does|did|have|has|had)"
_ADVERBS = r"(?:\s+(?:currently|now|still|actually|originally|previously|first|used to|use to|usually))*"

_SLOTS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(rf"\b{pattern}(?P<rest>.*)$", re.IGNORECASE), keys)
    for pattern, keys in (
        (rf"where {_HAVE}\s+@{_ADVERBS}\s+(?:live[ds]?|lived|reside[ds]?|stay|settle)", LIVING),
        (rf"where\s?{_BE}\s+@{_ADVERBS}\s+(?:living|residing|based|located|staying|settled)", LIVING),
        (
            rf"(?:which|what) (?:city|town|country|place) {_HAVE}\s+@{_ADVERBS}\s+(?:live|lived|reside)(?:\s+in)?",
            LIVING,
        ),
        (rf"(?:where|who|whom|which company|what company) {_DO}\s+@{_ADVERBS}\s+work(?:\s+(?:for|at))?", EMPLOYER),
        (
            rf"(?:where|who|which company|what company)\s?{_BE}\s+@{_ADVERBS}\s+(?:working|employed)(?:\s+\w+)?",
            EMPLOYER,
        ),
        (rf"what {_DO}\s+@{_ADVERBS}\s+do(?:\s+for (?:a living|work))?", JOB),
        (rf"what {_DO}\s+@{_ADVERBS}\s+work as", JOB),
        (rf"how old\s?{_BE}\s+@", ("age", *BIRTH)),
        (rf"when\s?{_BE}\s+@\s+born", BIRTH),
        (rf"where\s?{_BE}\s+@\s+born", ("birthplace", "place_of_birth", "hometown")),
        (rf"where\s?{_BE}\s+@{_ADVERBS}\s+from", ORIGIN),
        (rf"where {_DO}\s+@{_ADVERBS}\s+come from", ORIGIN),
        (rf"who(?:m)?\s?{_BE}\s+@{_ADVERBS}\s+married to", SPOUSE),
        (rf"who(?:m)? {_DO}\s+@{_ADVERBS}\s+report to", BOSS),
        (
            rf"(?:where|what) {_DO}\s+@{_ADVERBS}\s+study(?:\s+at)?",
            ("studies_at", "university", "school", "graduated_from"),
        ),
        (rf"where {_DO}\s+@{_ADVERBS}\s+graduate(?:\s+from)?", ("graduated_from", "university", "school")),
        (rf"what {_DO}\s+@{_ADVERBS}\s+(?:like|love|enjoy)", ("likes", "loves", "enjoys")),
        (rf"what {_DO}\s+@{_ADVERBS}\s+(?:dislike|hate)", ("dislikes", "hates")),
        (rf"(?:what|which) languages? (?:do|does|did|can)\s+@{_ADVERBS}\s+speak", ("languages", "speaks", "language")),
        (rf"what\s?{_BE}\s+@{_ADVERBS}\s+allergic to", ("allergic_to", "allergies", "allergy")),
    )
)

_DONE = re.compile(rf"\bwhat {_DO}\s+@{_ADVERBS}\s+do\b(?!\s+for (?:a living|work))", re.IGNORECASE)

_SYNONYMS: dict[str, tuple[str, ...]] = {
    word: keys
    for words, keys in (
        ("job|job title|title|role|profession|occupation|position|line work", JOB),
        ("employer|company|workplace", EMPLOYER),
        ("city|residence|home|home address|address|location|home city", LIVING),
        ("wife|husband|spouse|partner", SPOUSE),
        ("boss|manager|supervisor", BOSS),
        ("birthday|birth date|date birth|birthdate", BIRTH),
        ("hometown|home town|birthplace", ("hometown", "birthplace", "home_town")),
        ("university|school|college|alma mater", ("studies_at", "graduated_from", "university", "school")),
        ("hobbies|hobby", ("hobbies", "hobby")),
        ("pet|pets", ("pets", "pet")),
        ("allergies|allergy", ("allergies", "allergic_to", "allergy")),
        ("phone|phone number|number", ("phone", "phone_number")),
        ("email|email address|mail address", ("email", "email_address")),
    )
    for word in words.split("|")
}

# What says nothing of what is asked.
_EMPTY = frozenset(
    """
    what which who whom whose where when how is am are was were be been do does did have has had the a an of for to
    in at on with s m re my i me mine tell please can could you give know remember remind me about current currently now
    latest newest right still actually present today these days again it its and name called used use previous
    previously former formerly old earlier original originally first last prior before""".split()
)
_WORD = re.compile(r"[^\W_]+")
_BRITISH = {"favorite": "favourite", "color": "colour", "neighborhood": "neighbourhood"}


@dataclass(frozen=True, slots=True)
class Slot:
    """keys: that may hold the answer, the surest first. sure: a pattern of the whole question says so; else
    they are as good as a key that the subject has (`words`, folded, in order)."""

    keys: tuple[str, ...]
    words: tuple[str, ...] = ()


def slot_of(question: str) -> Slot | None:
    """What `question` asks of its subject @; None if it asks more than one value could answer."""
    text = " ".join(question.split()).rstrip(" ?!.")
    for pattern, keys in _SLOTS:
        found = pattern.search(text)
        if found:
            # More words behind the pattern narrow the question to what a key can't tell.
            return Slot(keys) if not _content(found["rest"]) else None
    if "@" not in text:
        return None
    words = _content(text)
    if not 1 <= len(words) <= 4:
        return None
    named = " ".join(words)
    return Slot(_SYNONYMS.get(named, ()), words)


def asks_what_is_done(question: str) -> bool:
    """Whether the words alone don't tell if a job is asked for or what somebody did at some time."""
    return _DONE.search(question) is not None


def key_words(key: str) -> tuple[str, ...]:
    """The words of a key, as those of a question are compared with them."""
    return _content(key.replace("_", " ")) or tuple(key.split("_"))


def _content(text: str) -> tuple[str, ...]:
    words = (_BRITISH.get(word, word) for word in _WORD.findall(folded(text)))
    return tuple(word for word in words if word not in _EMPTY)
