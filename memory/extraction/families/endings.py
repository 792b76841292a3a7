"""What is had, used or shared no more, whatever the verb for it: "got rid of the piano", "Tom and I split up"."""

import re
from collections.abc import Iterator

from memory.candidates import SPEAKER, Mention
from memory.extraction.claims import Aspect, Claim
from memory.extraction.lexicon import FIRST_PERSON
from memory.extraction.relatives import SPELLINGS
from memory.extraction.stated_time import Tense
from memory.extraction.turns import Reading

_NAME = r"(?-i:[A-ZÀ-ÖØ-Þ])[\w'’.-]*(?: (?-i:[A-ZÀ-ÖØ-Þ])[\w'’.-]*){0,2}"
_WORDS = r"[\w'’-]+(?: [\w'’-]+){0,3}?"
# Where the thing ends: with who has it now, when and why.
_END = (
    r"(?=\s*(?:$|[.,;:!?()–—]|\b(?:to|for|in|on|at|last|this|a|two|after|because|since|when|before|and|but|so|"
    r"yesterday|today|years?|months?|weeks?|back|away|with|from|now|recently|over|as|ages)\b))"
)
_SOME = r"(?:my|our|the)"
# No possession: "gave up the search", "lost the match".
_NOT_OWNED = (
    r"(?!(?:\w+ ){0,2}?(?:search|hope|idea|plans?|fight|ghost|will|habit|feeling|thought|test|match|game|keys?|mind|"
    r"temper|"
    r"way|job|post|position|struggle|race|attempt|title|role|number|name|email|address|feedback|opinion|talk|"
    r"presentation|notice|word|best|all|attention|time|money|details|life|heart|thanks|fear|stress|weight|bug|error|"
    r"branch|code|file|line|column|row|test|tests|pain|cold|cough|rash|problem|issue)\b)"
)
_DISPOSED = re.compile(
    r"\b(?:got(?:ten)? rid of|parted with|let go of|gave up|given up|gave away|given away|threw out|threw away|thrown "
    r"(?:out|away)|"
    r"scrapped|binned|ditched|dumped|donated|traded in|rehomed|returned|chucked(?: out)?|auctioned(?: off)?|pawned|"
    rf"handed back|sent back)\s+{_SOME}\s+{_NOT_OWNED}(?P<thing>{_WORDS}){_END}",
    re.IGNORECASE,
)
_GIVEN = re.compile(
    rf"\bg(?:ave|iven)\s+my\s+{_NOT_OWNED}(?P<thing>{_WORDS})\s+(?:away|to\s+(?:my|our|a|the|(?-i:[A-Z]))[\w' "
    rf"-]*)",
    re.IGNORECASE,
)
_LOST = re.compile(
    rf"^\W*(?:and |but |so )?my\s+{_NOT_OWNED}(?P<thing>{_WORDS})\s+(?:(?:has|have|had|is|was|got|been|finally|just|"
    rf"eventually|were)\s+)*"
    r"(?:stolen|nicked|written off|totall?ed|scrapped|repossessed|no more|gone(?= for good| now|\W*$)|went to the "
    r"scrap\w*)",
    re.IGNORECASE,
)
_SERVICE = r"(?P<key>subscription|membership|account|contract|plan|licence|season ticket|gym pass)"
_CANCELLED = re.compile(
    rf"\b(?:cancell?ed|ended|dropped|terminated|closed|let|not renewed|didn't renew|paused|gave up|given "
    rf"up)\s+{_SOME}\s+"
    rf"(?:(?P<thing>{_WORDS})\s+{_SERVICE}\b|(?P<key2>subscription|membership|account|contract)\s+(?:to|with|at|"
    rf"for)\s+(?:the\s+)?(?P<thing2>{_WORDS}){_END})",
    re.IGNORECASE,
)
_LAPSED = re.compile(
    rf"^\W*my\s+(?:(?P<thing>{_WORDS})\s+{_SERVICE}|(?P<key2>subscription|membership|account|contract)\s+(?:to|with|"
    rf"at|for)\s+(?:the\s+)?(?P<thing2>{_WORDS}))"
    r"\s+(?:(?:has|have|had|is|was|just|finally)\s+)*(?:ended|expired|lapsed|run out|ran out|over|terminated|"
    r"cancell?ed)\b",
    re.IGNORECASE,
)
_UNUSED = re.compile(
    r"\b(?:deleted|uninstalled|removed|deactivated|unsubscribed from|came off|come off|logged off|ditched|dropped|"
    r"dumped|scrapped|"
    rf"abandoned|retired)\s+(?:my\s+)?(?P<thing>{_NAME}|insta|tiktok|facebook|twitter|snapchat|whatsapp|linkedin|"
    rf"tinder|reddit)(?:\s+account)?{_END}",
    re.IGNORECASE,
)
_APART = (
    r"(?:(?:have|has|had|just|recently|finally|sadly|'ve|both)\s+)*(?:split(?:ted)?(?: up)?|broke(?:n)? up|separated|"
    r"(?:got |are |were )?divorced|"
    r"parted(?: ways)?|called it (?:off|quits)|(?:are|'re) (?:no longer|not)(?: a)? (?:together|dating|couple|an item|"
    r"married)|"
    r"(?:aren't|are not) (?:together|dating|a couple|an item|married)(?: any ?more)|ended (?:it|things))\b"
)
_PARTNER = rf"(?:[Mm]y (?P<kin>ex|partner|boyfriend|girlfriend|husband|wife|fiancée?),? )?(?P<name>(?!I\b){_NAME}),?"
_PARTED = (
    re.compile(rf"\b{_PARTNER}\s+(?:and|&|n)\s+(?:I|me)\s+{_APART}"),
    re.compile(rf"\b(?:I|[Mm]e)\s+(?:and|&|n)\s+{_PARTNER}\s+{_APART}"),
)
_PARTED_FROM = re.compile(
    rf"\b(?:split(?: up)? (?:with|from)|separated from|divorced(?: from)?|broke (?:it )?off (?:my engagement )?(?:to|"
    rf"with)|left my (?:husband|wife|partner|boyfriend|girlfriend),?)\s+(?P<name>{_NAME})"
)
_RETIRED = re.compile(rf"\bretired\s+(?:from|as)\s+the\s+(?P<thing>(?:\w+\s)?\w+){_END}", re.IGNORECASE)
_GONE_ONE = re.compile(
    rf"\b(?:[Mm]y|[Oo]ur|[Tt]he)\s+(?:(?:old|elderly|beloved)\s+)?(?P<kin>lodger|flatmate|housemate|roommate|tenant|dog|"
    rf"cat|hamster|rabbit|horse|parrot),?\s+(?P<name>{_NAME}),?\s+"
    r"(?:(?:has|have|had|just|finally|sadly)\s+)*(?:moved out|left|died|passed(?: away)?|was put (?:down|to sleep)|"
    r"got put down|ran away)\b"
)
_ON_NO_MORE = re.compile(
    r"\b(?:no longer|not|n't)\s+(?:a member of|part of|on|in|involved (?:in|with))\s+the\s+(?P<thing>(?:\w+\s){0,2}?"
    r"(?:board|team|committee|council|band|choir|orchestra|club|union|party|squad|jury|panel|group|society|army|"
    r"navy))\b"
    r"(?P<more>\s+any ?(?:more|longer))?",
    re.IGNORECASE,
)
_NEVER_BEEN = re.compile(rf"\b(?:never|haven't|have not)\s+(?:yet\s+)?(?:been|travell?ed)\s+to\s+(?P<thing>{_NAME})")
_DRIVE = re.compile(
    r"\b(?:don't|do not|never)\s+drive\b(?=\W*$|[,.;!]|\s+(?:any ?more|myself|and|but|"
    r"so)\b)",
    re.IGNORECASE,
)


class Endings:
    """owns, uses, partner, member_of and so on, as ended."""

    def read(self, reading: Reading) -> Iterator[Claim]:
        text = reading.turn.text[reading.start : max(reading.end, reading.start)]
        if _is_speakers(reading):
            yield from self._left_behind(reading, text)
        for match in (pattern.search(text) for pattern in (*_PARTED, _PARTED_FROM)):
            if match is not None:
                denied = re.search(r"\b(?:not|no)\b|n't\b", match.group()) is not None
                aspect = Aspect.STATE if denied else None  # the clause's own standing tells that it is over
                kin = match.groupdict().get("kin") or "partner"
                key = "partner" if kin == "ex" else kin
                yield self._claim(reading, key, match["name"], category="identity", aspect=aspect)
        if found := _GONE_ONE.search(text):
            key = SPELLINGS.get(found["kin"].lower(), found["kin"].lower())
            yield self._claim(reading, key, found["name"], category="identity")
        if found := _LOST.search(text):
            yield self._claim(reading, "owns", found["thing"])
        if found := _LAPSED.search(text):
            yield self._claim(reading, (found["key"] or found["key2"]).lower(), found["thing"] or found["thing2"])
        if (found := _RETIRED.search(text)) and reading.actor is not None:
            employer = Mention(type="organisation", name=found["thing"])
            yield self._claim(reading, "works_at", employer, subject=reading.actor, category="identity")

    def _left_behind(self, reading: Reading, text: str) -> Iterator[Claim]:
        if found := _CANCELLED.search(text):
            yield self._claim(reading, (found["key"] or found["key2"]).lower(), found["thing"] or found["thing2"])
        elif found := _DISPOSED.search(text) or _GIVEN.search(text):
            yield self._claim(reading, "owns", found["thing"])
        elif found := _UNUSED.search(text):
            yield self._claim(reading, "uses", found["thing"])
        if (found := _ON_NO_MORE.search(text)) and (found["more"] or "no longer" in found.group().lower()):
            yield self._claim(reading, "member_of", found["thing"], aspect=Aspect.STATE)
        if found := _NEVER_BEEN.search(text):
            yield self._claim(reading, "been_to", found["thing"], aspect=Aspect.DENIED)
        if _DRIVE.search(text) and not reading.direct():
            yield self._claim(reading, "drives", "car", aspect=Aspect.DENIED)

    def _claim(
        self,
        reading: Reading,
        key: str,
        value: str | Mention,
        *,
        subject: Mention = SPEAKER,
        category: str = "knowledge",
        aspect: Aspect | None = None,
    ) -> Claim:
        ended = Aspect.END if reading.standing.tense is Tense.PAST or reading.standing.perfect else Aspect.OVER
        return Claim(
            subject=subject,
            key=key,
            value=value,
            start=reading.start,
            end=reading.end,
            category="identity" if category == "identity" else "knowledge",
            aspect=aspect or ended,
            confidence=0.85,
        )


def _is_speakers(reading: Reading) -> bool:
    """Whether the speaker does it; where a subject was left out, nobody else can."""
    subject = reading.clause.subject
    if subject is None:
        return reading.clause.head.i == reading.clause.sentence.root.i
    return reading.actor == SPEAKER or subject.lower_ in FIRST_PERSON
