"""Words that try to steer whoever reads them back from memory: by kind, as the wire names them. Pure.

Patterns of English phrases and of prompt markup. A finding is a hint for a person, so it is better to name a
harmless sentence than to miss a marker.
"""

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass

SNIPPET_LENGTH = 120

_FORMER = r"(?:all |any |the |your |my )*(?:previous|prior|above|earlier|former|preceding|system)"
_RULES = r"(?:instructions?|rules?|prompts?|directions?|guidelines?|messages?)"
KINDS = {
    "instruction_override": rf"\b(?:ignore|disregard|forget|override|bypass)\s+{_FORMER}\s+{_RULES}",
    "role_override": (
        r"\b(?:you are now|from now on,? you are|pretend (?:to be|you are)|act as)\s+(?:an?\s+|the\s+)?"
        r"(?:unrestricted|uncensored|jailbroken|dan\b|admin|developer|root|system|different)"
    ),
    "tool_override": (
        r"</?(?:tool_call|function_call|tool_use)>|\"(?:function_call|tool_calls)\"\s*:"
        r"|\b(?:call|invoke|use|run) the [\w-]+ (?:tool|function)\b.{0,60}\bwithout (?:asking|telling|confirm)"
    ),
    "system_prompt_leak": (
        r"\b(?:reveal|print|show|repeat|output|display|tell me|leak)\s+(?:me\s+)?(?:all\s+|the\s+|your\s+)*"
        r"(?:system|hidden|initial|secret)\s+(?:prompt|instructions?|message)"
    ),
    "prompt_template_injection": (
        r"<\|(?:im_start|im_end|system|user|assistant|endoftext)\|>|\[/?INST\]|<</?SYS>>|^\s*#{2,}\s*(?:system|instruction)s?\s*:"
    ),
}
_COMPILED = {kind: re.compile(pattern, re.IGNORECASE | re.MULTILINE) for kind, pattern in KINDS.items()}
_BASE64 = re.compile(r"(?<![\w+/=])[A-Za-z0-9+/]{24,}={0,2}(?![\w+/=])")

# What Postgres must find in a text for it to be looked at here: a superset, as a regular expression of its own.
PREFILTER = (
    r"(ignore|disregard|forget|override|bypass|you are|pretend|act as|tool|function|reveal|print|show|repeat|output"
    r"|display|tell me|leak|<\||\[/?INST\]|SYS>>|##|[A-Za-z0-9+/]{24,})"
)


@dataclass(frozen=True, slots=True)
class Injection:
    """What a text tries, and the words that do it."""

    kind: str
    snippet: str


def injections(text: str) -> Iterator[Injection]:
    """At most one finding of each kind, in the order of KINDS, hidden ones last."""
    for kind, pattern in _COMPILED.items():
        if match := pattern.search(text):
            yield Injection(kind, _around(text, match.start(), match.end()))
    for match in _BASE64.finditer(text):
        hidden = _decoded(match[0])
        if any(pattern.search(hidden) for pattern in _COMPILED.values()):
            yield Injection("base64_instruction", _around(text, match.start(), match.end()))
            return


def _decoded(run: str) -> str:
    try:
        return base64.b64decode(run + "=" * (-len(run) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _around(text: str, start: int, end: int) -> str:
    """The words found and a little of what stands around them."""
    margin = max(0, (SNIPPET_LENGTH - (end - start)) // 2)
    begin = max(0, start - margin)
    return " ".join(text[begin : begin + SNIPPET_LENGTH].split())
