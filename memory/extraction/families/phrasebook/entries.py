"""What an entry of the phrasebook is, and the pieces that its patterns are made of."""

import re
from dataclasses import dataclass

from memory.candidates import MemoryCategory
from memory.extraction.claims import Aspect
from memory.extraction.lexicon import FAMILY

NAME = r"(?-i:[A-Z][\w'&.+-]*(?:(?: of| the| de| &)? (?!I\b)[A-Z][\w'&.+-]*){0,3})(?<![.'])"
NOUN = (
    r"(?!(?:yesterday|today|tomorrow|it|this|that|them|you|something|anything|nothing|stuff|which|"
    r"what)\b)[a-z][\w-]*(?: [a-z][\w-]*){0,2}?"
)
END = (
    r"(?=\s*(?:$|[.,;!?)\n]|\b(?:and|but|so|because|since|for|at|in|on|now|these|every|most|with|"
    r"as|though|anyway|after|before|"
    r"right|when|until|till|last|this|either|anymore|any)\b))"
)
SOMEBODY = r"(?:guy|girl|man|woman|someone|person|lad|bloke|dude|lady) (?:called|named)"
OFTEN = (
    r"(?:every|most|on|twice|once|three times|a lot|regularly|daily|each|in the (?:morning|evening)s?|"
    r"before work|after work)"
)
I_AM = r"(?:i'm|i am|we're|we are)(?: not| no longer| now| currently| still| also| actually)*"
I_DO = r"(?:i|we)(?:'ve| have)?(?: don't| no longer| now| usually| mostly| also| still| always| just| normally| never)*"
MY = r"(?:my|our)"
# A device or a version: "Pixel 8", "ThinkPad X1".
MODEL = rf"{NAME}(?: \d[\w.]*| Pro| Plus| Max| Air| Mini)*"
DATE = (
    r"(?:\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:january|february|march|april|may|june|july|august|"
    r"september|october|november|"
    r"december)|(?:january|february|march|april|may|june|july|august|september|october|november|december) \d{1,2}"
    r"(?:st|nd|rd|th)?)"
)
# A relative as the subject, "my" included.
KIN = rf"(?P<kin>my (?:{'|'.join(sorted(FAMILY, key=len, reverse=True))}|parents|grandparents|in-laws))"


@dataclass(frozen=True, slots=True)
class Entry:
    """A way of saying a fact.

    subject_type: of what a `subject` names.
    pattern: with a group `value`, unless `says` holds it; a group `kin` or `subject` tells whom or what it is about,
    the speaker otherwise. object_type: of an entity that the value names; key is then a relation's label.
    """

    pattern: re.Pattern[str]
    key: str
    category: MemoryCategory
    aspect: Aspect
    object_type: str
    value_type: str
    says: str
    subject_type: str


def entry(
    pattern: str,
    key: str,
    category: MemoryCategory = "knowledge",
    aspect: Aspect = Aspect.STATE,
    *,
    object_type: str = "",
    value_type: str = "",
    says: str = "",
    subject_type: str = "project",
) -> Entry:
    return Entry(re.compile(pattern, re.IGNORECASE), key, category, aspect, object_type, value_type, says, subject_type)
