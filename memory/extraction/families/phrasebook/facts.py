"""The facts that phrases tell, and what a value of each looks like."""

from dataclasses import dataclass
from enum import Enum

from memory.candidates import MemoryCategory
from memory.extraction import vocabulary
from memory.extraction.families.phrasebook.patterns import CLOCK, DATE, LOWER, MONEY, NAME, NUMERAL, PAY
from memory.extraction.lexicon import JOB_HEADS
from memory.extraction.stated_time import Tense


class Kind(Enum):
    """How a value is found and read."""

    NAME = "name"  # a proper name
    NOUN = "noun"  # whichever noun phrase or gerund; where it ends is read from the words
    WORDS = "words"  # what the pattern says
    KNOWN = "known"  # words of a list, others before them


@dataclass(frozen=True, slots=True)
class Fact:
    """A slot of the memory that phrases fill.

    pattern: of a value, where the kind alone does not tell.
    several: whether phrases list values of it.
    relation: type of the entity that the value is, the key being a relation's label.
    entity: type of one that an attribute's text names as well.
    known: what a value must be or end with; lead: how many other words it may have before it.
    lower: whether a name may be small, where its writer uses no capitals.
    tail: whether "in the hills" belongs to a value.
    tense: in which alone it is told. lasting: not for now only.
    """

    kind: Kind = Kind.NOUN
    category: MemoryCategory = "knowledge"
    pattern: str = ""
    several: bool = False
    relation: str = ""
    entity: str = ""
    known: frozenset[str] = frozenset()
    lead: int = 0
    lower: bool = False
    tail: bool = False
    tense: Tense | None = None
    lasting: bool = False

    @property
    def value(self) -> str:
        """The regular expression of one value, "" where its end is read from the words."""
        return self.pattern or (self._name if self.kind is Kind.NAME else "")

    @property
    def _name(self) -> str:
        return rf"(?:{NAME}|{LOWER})" if self.lower else NAME


def _known(
    words: frozenset[str], category: MemoryCategory = "knowledge", lead: int = 0, *, lasting: bool = False
) -> Fact:
    return Fact(
        Kind.KNOWN,
        category,
        several=True,
        known=frozenset(word.replace("_", " ") for word in words),
        lead=lead,
        lasting=lasting,
    )


# Where one is for a while, what one does, and when.
_NO_PLACE = (
    r"(?!(?:Hospital|Reception|A&E|ICU|ER|Year|Class|Court|Uni|University|School|Surgery|Theatre|HR|IT|Sales|Marketing|"
    r"Finance|Accounts|Law|Tech|PR|Bed|Prison|Rehab|Labour|Labor|Love|January|February|March|April|May|June|July|"
    r"August|September|October|November|December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Spring|"
    r"Summer|Autumn|Winter|Christmas|Easter)\b)"
)
_PLACE = Fact(Kind.NAME, "identity", rf"{_NO_PLACE}(?:{NAME}|{LOWER})", entity="location")
_EMPLOYER = Fact(Kind.NAME, "identity", relation="organisation")
_PERSON = Fact(Kind.NAME, "identity", entity="person", several=True, lower=True)
FACTS = {
    "accountant": _PERSON,
    "address": Fact(Kind.WORDS, "identity", r"\d+[a-z]? [^.;!?\n]{3,60}"),
    "age": Fact(Kind.WORDS, "identity", rf"{NUMERAL}(?![.,:/'-]?\d)"),
    "allergic": Fact(category="identity", several=True),
    "allergies": _known(vocabulary.ALLERGENS, "identity", lead=2),
    "anniversary": Fact(Kind.WORDS, "identity", DATE),
    "assistant": _PERSON,
    "avoids": Fact(several=True),
    "bank": Fact(Kind.NAME),
    "bedtime": Fact(Kind.WORDS, pattern=CLOCK),
    "birthday": Fact(Kind.WORDS, "identity", DATE),
    "birthplace": _PLACE,
    "blood_type": Fact(Kind.WORDS, "identity", r"(?:a|b|ab|o)\s?(?:\+|-|pos(?:itive)?|neg(?:ative)?|rh[- ]?\w+)"),
    "boyfriend": _PERSON,
    "breed": _known(vocabulary.DOG_BREEDS | vocabulary.CAT_BREEDS, "knowledge", lead=2),
    "brother": _PERSON,
    "can": _known(vocabulary.SKILLS, lasting=True),
    "cat": _PERSON,
    "chairs": Fact(),
    "children": _PERSON,
    "children_count": Fact(Kind.WORDS, "identity", NUMERAL),
    "church": Fact(Kind.WORDS, "identity"),
    "clothing_size": Fact(Kind.WORDS, "identity", r"(?:x{0,3}[sml]|small|medium|large|extra large|\d{1,2}[a-h]{0,2})"),
    "coffee_preference": Fact(
        Kind.WORDS,
        pattern=r"(?:black|white|strong|weak|sweet|decaf|with (?:[a-z]+\s){0,2}?(?:milk|cream|sugars?)|(?:oat |"
        r"soy |almond |coconut )?milk|no sugar|(?:one|two|three|\d) sugars?)",
    ),
    "colleague": _PERSON,
    "collects": Fact(several=True),
    "company": Fact(Kind.NAME, "identity"),
    "date": Fact(Kind.WORDS, "context", DATE),
    "daughter": _PERSON,
    "degree": Fact(category="identity"),
    "dentist": _PERSON,
    "diet": _known(vocabulary.DIETS, "identity"),
    "dislikes": Fact(several=True, tail=True),
    "doctor": _PERSON,
    "dog": _PERSON,
    "drinks": Fact(several=True),
    "drives": Fact(several=True, tail=True),
    "dropped_out": Fact(category="identity"),
    "duration": Fact(Kind.WORDS, pattern=r"(?:\d+|half an|an) ?(?:seconds|secs|minutes|mins|min|hours|hour|hrs|s)\b"),
    "eats": Fact(several=True),
    "email": Fact(Kind.WORDS, "identity", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "employment_status": Fact(
        Kind.WORDS,
        "identity",
        r"(?:retired|unemployed|self[- ]employed|freelance|freelancing|out of work|between jobs)",
    ),
    "event_date": Fact(Kind.WORDS, pattern=rf"(?:{DATE}|\d{{1,2}}(?:st|nd|rd|th))"),
    "event_time": Fact(Kind.WORDS, pattern=r"(?:\d{1,2}(?:[:.]\d\d)? ?(?:[ap]m)?|noon|midnight)"),
    "ex": _PERSON,
    "eye_colour": Fact(Kind.WORDS, "identity", r"(?:dark |light |bright )?(?:blue|green|brown|hazel|grey|gray|amber)"),
    "family_origin": _PLACE,
    "fan_of": Fact(Kind.NAME, several=True),
    "father": _PERSON,
    "favourite": Fact(),
    "fears": Fact(several=True, tail=True),
    "engaged_to": Fact(Kind.NAME, "identity", relation="person"),
    "flatmate": _PERSON,
    "floor": Fact(Kind.WORDS),
    "fosters": Fact(),
    "founded": Fact(Kind.NAME, "identity", relation="organisation"),
    "friend": _PERSON,
    "girlfriend": _PERSON,
    "goddaughter": _PERSON,
    "godson": _PERSON,
    "graduated_from": Fact(Kind.NAME, "identity", relation="organisation"),
    "grows": Fact(several=True),
    "habit": Fact(several=True),
    "hair_colour": Fact(
        Kind.WORDS, "identity", r"(?:dark |light )?(?:blonde?|brown|black|red|ginger|grey|gray|auburn)"
    ),
    "hairdresser": _PERSON,
    "hamster": _PERSON,
    "handedness": Fact(
        Kind.WORDS, "identity", r"(?:left[- ]handed|right[- ]handed|ambidextrous|a lefty|a southpaw|a leftie)"
    ),
    "health": _known(vocabulary.ILLNESSES, "identity"),
    "height": Fact(
        Kind.WORDS,
        "identity",
        r"(?:\d(?:\s?(?:ft|foot|feet|'|′))\s?(?:\d{1,2}(?:\s?(?:in|inch|inches|\"|″|'')(?!\w))?)?|"
        r"\d[.,]\d+\s?(?:m|meters?|metres?)\b|\d{3}\s?(?:cm|centimet(?:re|er)s?)|(?:four|five|six|seven) "
        r"(?:foot|feet)(?: \w+)?)",
    ),
    "helper": _PERSON,
    "hobby": Fact(several=True, tail=True),
    "hometown": _PLACE,
    "horse": _PERSON,
    "husband": _PERSON,
    "job_title": _known(JOB_HEADS, "identity", lead=3),
    "goes_to": Fact(Kind.WORDS),
    "subscribes_to": Fact(Kind.NAME, several=True),
    "keeps": _known(vocabulary.LIVESTOCK, lead=2),
    "landlady": _PERSON,
    "landlord": _PERSON,
    "lawyer": _PERSON,
    "learning": Fact(several=True),
    "learning_language": _known(vocabulary.LANGUAGES),
    "likes": Fact(several=True, tail=True),
    "lines_of_code": Fact(Kind.WORDS, pattern=r"[\d.,]+[km]?"),
    "lives_in": Fact(category="identity"),
    "lives_with": Fact(category="identity", several=True),
    "location": _PLACE,
    "manager": _PERSON,
    "marital_status": Fact(
        Kind.WORDS, "identity", r"(?:married|single|divorced|engaged|widowed|separated|a widow|a widower|a bachelor)"
    ),
    "married_to": Fact(Kind.NAME, "identity", relation="person"),
    "medication": _known(vocabulary.MEDICINES, "identity"),
    "member_of": Fact(several=True),
    "mentor": _PERSON,
    "mother": _PERSON,
    "musician": Fact(Kind.WORDS, "identity"),
    "name": Fact(Kind.NAME, "identity"),
    "nationality": _known(vocabulary.NATIONALITIES, "identity"),
    "neighbour": _PERSON,
    "occupation": Fact(category="identity"),
    "orientation": Fact(
        Kind.WORDS,
        "identity",
        r"(?:gay|bisexual|bi|straight|a lesbian|lesbian|asexual|ace|queer|non-binary|trans|transgender)",
    ),
    "owned_by": Fact(Kind.WORDS, relation="organisation", pattern=rf"(?:{NAME}'s team|(?:[\w-]+ ){{1,2}}team)"),
    "owns": Fact(several=True),
    "parrot": _PERSON,
    "partner": _PERSON,
    "partner_of": _PERSON,
    "phone_number": Fact(Kind.WORDS, "identity", r"\+?\(?\d[\d\s()./-]{5,18}\d"),
    "plays": Fact(several=True),
    "plays_for": Fact(Kind.NAME, relation="organisation"),
    "plays_instrument": _known(vocabulary.INSTRUMENTS),
    "plays_sport": _known(vocabulary.SPORTS),
    "position": Fact(
        Kind.WORDS,
        pattern=r"(?:goalkeeper|keeper|in goal|goalie|striker|left back|right back|centre back|center back|"
        r"midfield(?:er)?|left wing|right wing|fly[- ]half|scrum[- ]half|hooker|prop|number \d+|point "
        r"guard|quarterback|shortstop|pitcher|wicket[- ]keeper|defen[cs]e|centre half|winger)",
    ),
    "postcode": Fact(Kind.WORDS, "identity", r"[A-Z0-9]{2,4}[ -]?[A-Z0-9]{2,4}"),
    "preference": Fact(several=True, tail=True),
    "pronouns": Fact(Kind.WORDS, "identity", r"[a-z]+/[a-z]+(?:/[a-z]+)?"),
    "rabbit": _PERSON,
    "reading": Fact(Kind.NAME, "context"),
    "religion": _known(vocabulary.FAITHS, "identity"),
    "religion_to": Fact(Kind.WORDS, "identity"),
    "rent": Fact(Kind.WORDS, "knowledge", MONEY),
    "runs": Fact(category="identity", several=True),
    "salary": Fact(Kind.WORDS, "knowledge", PAY),
    "schedule": Fact(
        Kind.WORDS,
        pattern=r"(?:every|on|each) (?:\w+day|day|week|night|month|other \w+day)s?(?: at \d[\w:]*| and \w+day)?",
    ),
    "shift": Fact(
        Kind.WORDS,
        pattern=r"(?:nights|days|earlies|lates|night shifts?|day shifts?|early shifts?|late shifts?|the night "
        r"shift|the late shift|the early shift|the graveyard shift|part[- ]time|full[- ]time|weekends)",
    ),
    "shoe_size": Fact(Kind.WORDS, "identity", rf"(?:UK |US |EU )?(?:{NUMERAL})(?: and a half)?"),
    "siblings": _PERSON,
    "siblings_position": Fact(Kind.WORDS, "identity"),
    "sings_with": Fact(Kind.NAME),
    "sings": Fact(Kind.WORDS, pattern=r"(?:alto|soprano|tenor|bass|baritone|mezzo(?:-soprano)?)"),
    "sister": _PERSON,
    "site": Fact(
        Kind.WORDS,
        pattern=rf"(?:{NAME}|(?:the )?(?:ground|first|second|third|fourth|fifth|top|\d+(?:st|nd|rd|th)) floor|"
        rf"(?:the )?basement)",
    ),
    "son": _PERSON,
    "speaks": _known(vocabulary.LANGUAGES),
    "star_sign": Fact(
        Kind.WORDS,
        "identity",
        r"(?:Aries|Taurus|Gemini|Cancer|Leo|Virgo|Libra|Scorpio|Sagittarius|Capricorn|Aquarius|Pisces)",
    ),
    "status": Fact(Kind.WORDS, "identity"),
    "studied": Fact(category="identity", several=True, tense=Tense.PAST),
    "studied_at": Fact(Kind.NAME, "identity", relation="organisation", tense=Tense.PAST),
    "studies": Fact(category="identity", several=True, tense=Tense.PRESENT),
    "studies_at": Fact(Kind.NAME, "identity", relation="organisation", tense=Tense.PRESENT),
    "subscription": Fact(Kind.NAME, several=True),
    "physio": _PERSON,
    "team_lead": _PERSON,
    "tech_lead": _PERSON,
    "supervisor": _PERSON,
    "supports": Fact(Kind.NAME, several=True),
    "surname": Fact(Kind.NAME, "identity"),
    "tattoo": Fact(),
    "tea_preference": Fact(
        Kind.WORDS,
        pattern=r"(?:black|white|strong|weak|sweet|green|with (?:[a-z]+\s){0,2}?(?:milk|lemon|honey|sugars?)|"
        r"(?:oat |soy |almond )?milk|no sugar|(?:one|two|three|\d) sugars?|lemon)",
    ),
    "teaches": Fact(several=True),
    "therapist": _PERSON,
    "tortoise": _PERSON,
    "trainer": _PERSON,
    "training_for": Fact(category="context"),
    "trait": Fact(
        Kind.WORDS,
        "identity",
        r"(?:an? )?(?:[a-z]+ )?(?:person|owl|bird|introvert|extrovert|homebody|bookworm|minimalist|"
        r"perfectionist|worrier|workaholic)",
    ),
    "transport": Fact(),
    "university": Fact(Kind.NAME, "identity"),
    "username": Fact(Kind.WORDS, "identity", r"@?[\w.-]{3,30}"),
    "uses": Fact(Kind.NAME, several=True),
    "uses_model": Fact(Kind.NAME, pattern=rf"{NAME}(?: \d[\w.]*| Pro| Plus| Max| Air| Mini)*"),
    "uses_tool": _known(vocabulary.TOOLS),
    "vet": _PERSON,
    "volunteers_at": Fact(several=True),
    "votes": Fact(Kind.WORDS, "identity"),
    "wakes_up_at": Fact(Kind.WORDS, pattern=CLOCK),
    "wears": Fact(several=True),
    "weight": Fact(Kind.WORDS, "identity", rf"(?:{NUMERAL})\s?(?:kg|kgs|kilos?|lbs?|pounds|stone|st)(?: \d+)?\b"),
    "wife": _PERSON,
    "work_hours": Fact(Kind.WORDS, pattern=CLOCK),
    "work_mode": Fact(Kind.WORDS),
    "works_at": _EMPLOYER,
    "works_in": Fact(category="identity"),
    "works_on": Fact(Kind.NAME, relation="project"),
    "works_with": Fact(Kind.NAME, relation="person", several=True),
    "writes_in": _known(vocabulary.LANGUAGES_OF_CODE),
    "written_in": Fact(
        Kind.KNOWN, several=True, known=vocabulary.LANGUAGES_OF_CODE | {"django", "flask", "rails", "node"}
    ),
}
# Under which key the value of a slot is kept, where two kinds of value go by one.
KEYS = {
    "allergic": "allergies",
    "event_date": "date",
    "event_time": "time",
    "drives": "owns",
    "fan_of": "likes",
    "learning_language": "learning",
    "musician": "plays",
    "occupation": "job_title",
    "religion_to": "religion",
    "plays_instrument": "plays",
    "plays_sport": "plays",
    "site": "location",
    "uses_model": "uses",
    "uses_tool": "uses",
    "writes_in": "uses",
}
