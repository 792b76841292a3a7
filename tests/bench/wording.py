"""Whether a fact that was given says what a label says, where the labels' writer did not know how keys are called.

Subject, sign and value must agree; the key may be any other word for the same thing. Values agree if all words of
the shorter one, articles and prepositions aside, are in the longer one.
"""

import re
from collections.abc import Iterator

from memory.extraction.calendar_words import NUMBERS
from memory.extraction.relatives import SPELLINGS

# Words for one and the same property, as people who label sentences call it.
_ALIKE = (
    "job_title occupation profession role job position title works_as employment experience",
    "employment_status employment status occupation is",
    "works_at works_in works_for employer company employed_by job employment",
    "location lives_in lives_at resides_in based_in home city moved_to located_in in",
    "hometown from is_from comes_from origin grew_up_in raised_in originally_from",
    "birthplace born_in place_of_birth",
    "birth_year born_in year_of_birth born",
    "birthday birthdate date_of_birth born_on born",
    "likes loves enjoys like fan_of interested_in into hobby hobbies interests",
    "dislikes hates dislike hate",
    "preference prefers preferred",
    "diet is eats follows_diet",
    "avoids does_not_eat",
    "allergies allergic_to allergy",
    "health condition has is suffers_from illness medical_condition diagnosed_with",
    "owns has drives owns_car car vehicle possession bought rides",
    "pets pet has owns dog cat",
    "children kids has has_children child son daughter kid number_of_children",
    "siblings brother sister has",
    "friend friends mate",
    "boyfriend girlfriend partner fiancé fiancée engaged_to",
    "married_to husband wife spouse partner",
    "boss manager reports_to supervisor line_manager",
    "marital_status is relationship_status status",
    "description is kind type is_a",
    "handedness is",
    "height is tall",
    "nationality is citizenship",
    "religion is",
    "degree has studied holds education",
    "field_of_study studies studied study major degree",
    "studies_at studied_at university school attends education",
    "graduated_from studied_at education graduated",
    "speaks language languages speaks_language",
    "learning learns studies studying",
    "uses use tool runs runs_on stack works_with codes_in",
    "written_in language built_with built_in implemented_in is",
    "hosted_on runs_on deployed_on deploys_to hosted_in running_on",
    "built_with runs_on uses built_on powered_by based_on",
    "depends_on uses relies_on talks_to needs",
    "owned_by owner maintained_by owns belongs_to",
    "status state is",
    "leads lead manages in_charge_of runs tech_lead",
    "works_on project working_on",
    "trait is personality",
    "habit smokes drinks does hobby",
    "member_of band club team choir gym belongs_to plays_in sings_in",
    "skip_level manager",
    "wears uses has",
    "plays instrument sport",
    "drinks likes",
    "wakes_up_at gets_up_at",
    "deadline due due_on date due_date",
)
_GROUPS = tuple(frozenset(words.split()) for words in _ALIKE)
# The same said with the opposite sign.
_TURNED = (("dislikes", "likes"), ("avoids", "eats"), ("avoids", "drinks"), ("hates", "likes"))
_EMPTY = frozenset(
    "a an the my our his her their of to in at on for with from by some about as is are was i'm it its and".split()
)
_MERE = frozenset(("time", "dat", "date", "name", "run"))
_WORD = re.compile(r"[^\W_]+(?:['.+#:][^\W_]+)*\+*#?")
_SIGNS = ("ended: ", "not: ")
_PLAIN_KINDS = ("name", "instruction", "action")


def means(given: str, label: str) -> bool:
    """Whether a given fact, as `tests.labelled.brief` writes it, says what the label says; signs and all."""
    sign, said = _signed(given)
    wanted_sign, wanted = _signed(label)
    if sign == wanted_sign and _same_statement(said, wanted):
        return True
    turned = {"": "not: ", "not: ": ""}.get(sign)
    return turned == wanted_sign and any(_same_statement(other, wanted) for other in _opposites(said))


def differs_in_sign(given: str, label: str) -> bool:
    """Whether both speak of the same, one of them to the contrary."""
    sign, said = _signed(given)
    wanted_sign, wanted = _signed(label)
    return sign != wanted_sign and _same_statement(said, wanted) and not means(given, label)


def _signed(fact: str) -> tuple[str, str]:
    sign = next((one for one in _SIGNS if fact.startswith(one)), "")
    return sign, fact[len(sign) :]


def _same_statement(said: str, wanted: str) -> bool:
    kind, _, rest = said.partition(" ")
    wanted_kind, _, wanted_rest = wanted.partition(" ")
    if kind == "name" or wanted_kind == "name":
        return kind == wanted_kind and _folded(rest) == _folded(wanted_rest)
    if kind in _PLAIN_KINDS or wanted_kind in _PLAIN_KINDS:
        return kind == wanted_kind and _within(rest, wanted_rest)
    if any(
        _folded(subject) == _folded(other) and _alike(key, other_key) and _within(value, other_value)
        for subject, key, value in _splits(said)
        for other, other_key, other_value in _splits(wanted)
    ):
        return True
    # "I laptop X1" says that my laptop is an X1.
    return kind == "i" and _words(rest) - _MERE == _words(wanted) - _MERE


def _splits(fact: str) -> Iterator[tuple[str, str, str]]:
    """A subject has up to four words, a key is one."""
    words = fact.split()
    for length in range(1, min(5, len(words) - 1)):
        yield " ".join(words[:length]), words[length].casefold(), " ".join(words[length + 1 :])


def _opposites(said: str) -> Iterator[str]:
    for subject, key, value in _splits(said):
        for one, other in _TURNED:
            if key in (one, other):
                yield f"{subject} {other if key == one else one} {value}"


def _alike(key: str, other: str) -> bool:
    key, other = (one.removesuffix("_count").removeprefix("number_of_") for one in (key, other))
    return key == other or any(key in group and other in group for group in _GROUPS)


def _within(value: str, other: str) -> bool:
    words, others = _words(value), _words(other)
    return bool(words) and bool(others) and (words <= others or others <= words)


def _words(text: str) -> frozenset[str]:
    found = _WORD.findall(text.casefold().replace("’", "'").replace("_", " "))
    return frozenset(_stem(word) for word in found if word not in _EMPTY)


def _stem(word: str) -> str:
    word = SPELLINGS.get(word, word)
    if word[0].isdigit():
        return re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", word)
    if word in NUMBERS:
        return str(NUMBERS[word])
    return re.sub(r"(?:ing|ed|es|s|e|d)$", "", word) if len(word) > 4 else word


def _folded(name: str) -> str:
    plain = " ".join(name.casefold().replace("_", " ").replace("-", " ").split())
    plain = plain.removeprefix("my ").removeprefix("the ").removeprefix("our ")
    return SPELLINGS.get(plain, plain)
