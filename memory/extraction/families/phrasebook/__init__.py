"""Fixed ways of saying things, as tables by subject: what the parse of such a clause would not tell better.

Whether a phrase holds, was or is wished is decided, as for all claims, by the standing of the clause that its verb is
in.
"""

import re
from collections.abc import Iterator

from memory.candidates import SPEAKER, Mention, Polarity
from memory.extraction.claims import Aspect, Claim
from memory.extraction.families.job_titles import could_be_title
from memory.extraction.families.phrasebook.body import BODY
from memory.extraction.families.phrasebook.days import DAYS
from memory.extraction.families.phrasebook.homes import HOMES
from memory.extraction.families.phrasebook.likes import LIKES
from memory.extraction.families.phrasebook.matching import Found, Index, belongs
from memory.extraction.families.phrasebook.people import PEOPLE
from memory.extraction.families.phrasebook.person import PERSON
from memory.extraction.families.phrasebook.systems import SYSTEMS
from memory.extraction.families.phrasebook.templates import Filling
from memory.extraction.families.phrasebook.tools import TOOLS
from memory.extraction.families.phrasebook.values import values_of
from memory.extraction.families.phrasebook.work import WORK
from memory.extraction.lexicon import NEGATIONS
from memory.extraction.stated_time import Tense
from memory.extraction.turns import Reading

PHRASES = (*LIKES, *BODY, *HOMES, *WORK, *PEOPLE, *DAYS, *TOOLS, *PERSON, *SYSTEMS)
_INDEX = Index(PHRASES)
_CONFIDENCE = 0.85
_OF_TOOLS = frozenset(("uses", "subscription"))
_UNCERTAIN = ("reported", "unclear")
_SUPPOSING = re.compile(
    r"\b(?:if|unless|whether|maybe|perhaps|probably|possibly|wish|suppose|imagine|might|says?|said|"
    r"thinks?|thought|heard|hope|"
    r"guess|wonder|ask(?:ed|s)?|pretend|joke|unlikely|not sure|doubt)\b",
    re.IGNORECASE,
)
_FOUND = "phrasebook"  # of a document, what is found in its sentences


class Phrasebook:
    """What the tables hold, of the speaker and whoever else is named."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        """Of several phrases that tell the same by one verb, the first of the tables counts."""
        told: set[tuple[int, Mention, str]] = set()
        for found in _found_in(reading):
            if not belongs(found, reading):
                continue
            claims = [claim for claim in _claims(reading, found) if (found.verb, claim.subject, claim.key) not in told]
            told |= {(found.verb, claim.subject, claim.key) for claim in claims}
            yield from claims


def _found_in(reading: Reading) -> list[Found]:
    """Looked for once a sentence, as its clauses share it."""
    sentence = reading.clause.sentence
    known: dict[int, list[Found]] = reading.turn.doc.user_data.setdefault(_FOUND, {})
    if sentence.start not in known:
        known[sentence.start] = _INDEX.found(sentence)
    return known[sentence.start]


def _claims(reading: Reading, found: Found) -> Iterator[Claim]:
    subject = found.subject or reading.actor or _dropped(reading, found)
    template = found.template
    standing = reading.standing
    own_words = template.denies or template.modal
    if subject is None or (own_words and not _stands(reading, found)):
        return
    if template.denies and standing.polarity is Polarity.ENDED:
        return
    if not subject.speaker and not subject.mine and not template.subject_type:
        subject = Mention(type="person", name=subject.name)
    for filling in template.fillings:
        if filling.key in _OF_TOOLS and not (subject.speaker or subject.mine):
            continue  # "Orion depends on Kafka": no person
        if filling.fact.tense not in (None, standing.tense):
            continue
        aspect = filling.aspect or _aspect(reading, found)
        for value in _values(reading, found, filling):
            if filling.key == "job_title" and not could_be_title(value):
                continue
            yield Claim(
                subject=subject,
                key=filling.key,
                value=Mention(type=filling.fact.relation, name=value) if filling.fact.relation else value,
                start=found.start,
                end=found.match.end(),
                category=filling.fact.category,
                aspect=aspect,
                confidence=_CONFIDENCE,
                value_type=filling.fact.entity,
            )


def _dropped(reading: Reading, found: Found) -> Mention | None:
    """The speaker, of a sentence that begins without a subject: "Been vegan for years"."""
    before = reading.turn.text[reading.clause.sentence.start_char : found.start]
    return SPEAKER if reading.clause.subject is None and not any(map(str.isalpha, before)) else None


def _aspect(reading: Reading, found: Found) -> Aspect:
    template, standing = found.template, reading.standing
    if template.aspect is Aspect.STATE:
        end = max([found.verb_end, *(found.match.start(one.group) for one in template.fillings if one.group)])
        denied = any(word.lower_ in NEGATIONS and word.idx <= end for word in reading.clause.sentence)
        elsewhere = standing.polarity is Polarity.NEGATED and not standing.reason and not denied
        if template.denies or template.modal or (elsewhere and standing.tense is not Tense.FUTURE):
            return Aspect.GIVEN  # "coeliac, so no bread": the negation is of something else
    return template.aspect


def _stands(reading: Reading, found: Found) -> bool:
    """Whether the speaker commits himself to a phrase that has a negation or a "can't" of its own."""
    said_before = reading.turn.text[reading.clause.sentence.start_char : found.match.start()]
    return reading.standing.reason not in _UNCERTAIN and _SUPPOSING.search(said_before) is None


def _values(reading: Reading, found: Found, filling: Filling) -> Iterator[str]:
    if not filling.group:
        yield filling.says
        return
    match = found.match
    last = match.end(filling.group) == match.end()
    yield from values_of(
        reading,
        reading.clause.sentence,
        match,
        filling.group,
        filling.fact,
        last=last,
        loose=found.template.open_ended,
    )
