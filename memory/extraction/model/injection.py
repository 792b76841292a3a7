"""Words in a turn that are addressed to the extractor rather than told to the assistant.

Seen by rule and not only by the model that they try to persuade: whatever the model lists from such a
sentence is dropped.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_VERB = r"(?:ignore|disregard|forget|override|bypass|skip)"
_TARGET = r"(?:instructions?|prompts?|rules?|directions?|guidelines?|system\s+(?:prompt|message)|schema|everything)"
_BIDDEN = r"(?:^|[.:,;]\s*|\b(?:please|and|then|must|should|now)\s+)"
_INTO_MEMORY = r"\b(?:as\s+(?:a\s+)?(?:fact|entity|memory|json)|(?:in|to|into)\s+your\s+(?:memory|database|output))\b"
_PATTERNS = (
    rf"\b{_VERB}\s+(?:\w+\s+){{0,3}}?(?:above|previous|prior|earlier|preceding)\b",
    rf"\b{_VERB}\s+(?:all|any|your|the|these|those|every)\s+(?:\w+\s+){{0,2}}?{_TARGET}\b",
    r"\b(?:system|developer)\s*(?:prompt|message|instruction)s?\s*:",
    r"\byou\s+are\s+now\s+(?:a|an|the|in)\b",
    rf"{_BIDDEN}(?:store|save|record|extract|output|emit|return|write)\b[^.!?\n]{{0,40}}{_INTO_MEMORY}",
    r"\b(?:memory|extraction)\s+(?:engine|system|extractor|model)\b[^.!?\n]{0,20}[:,]",
    r"</?(?:system|instructions?|untrusted\w*|assistant)>",
    r"\bignor(?:iere|iert|ez|a|ar)\b[^.!?\n]{0,40}\b(?:anweisung\w*|instructions?|instruc\w+)\b",
)
_INJECTION = re.compile("|".join(f"(?:{one})" for one in _PATTERNS), re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?。！？]+[\"'”’)]*(?=\s|$)|\n+")


@dataclass(frozen=True, slots=True)
class Injection:
    """start, end: of the sentence, as offsets into the text."""

    start: int
    end: int


def injections(text: str) -> Iterator[Injection]:
    """The sentences of `text` that speak to the extractor, in order."""
    start = 0
    for border in [*_SENTENCE_END.finditer(text), None]:
        end = border.end() if border else len(text)
        if _INJECTION.search(text, start, end):
            yield Injection(start, end)
        start = end
