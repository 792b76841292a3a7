"""Which names of persons may well mean one person: nicknames, and a name with and without the family name. Pure.

A guess is never more than a guess: it raises a question, and nothing is merged for it.
"""

import sys

from memory.values import folded

PREFIX_LENGTH_MIN = 3

# Short forms that are no beginnings of the long ones.
_IRREGULAR = {
    "bill": "william", "billy": "william", "will": "william", "bob": "robert", "bobby": "robert", "rob": "robert",
    "dick": "richard", "rick": "richard", "jack": "john", "peggy": "margaret", "meg": "margaret", "maggie": "margaret",
    "liz": "elizabeth", "beth": "elizabeth", "betty": "elizabeth", "lisa": "elizabeth", "ted": "edward",
    "ned": "edward", "jim": "james", "jimmy": "james", "tony": "anthony", "tom": "thomas", "tommy": "thomas",
    "hank": "henry", "harry": "henry", "kate": "katherine", "kathy": "katherine", "mike": "michael",
    "nick": "nicholas", "sandy": "alexandra", "sasha": "alexander", "sascha": "alexander", "joe": "joseph",
    "jo": "joanna", "ed": "edward", "al": "albert", "chuck": "charles", "charlie": "charles", "drew": "andrew",
    "andy": "andrew", "steve": "stephen", "dave": "david", "molly": "mary", "polly": "mary", "nell": "eleanor",
    "hans": "johannes", "sepp": "josef", "gigi": "luigi", "pepe": "jose", "paco": "francisco", "lena": "helena",
    "toni": "antonia", "leni": "helene", "fritz": "friedrich",
}  # fmt: skip


def may_be_one(one: str, other: str) -> bool:
    """Whether two names, in any spelling, may mean one person. False for the same name."""
    first, second = _words(one), _words(other)
    if not first or not second or first == second or any(one[0].endswith("'s") for one in (first, second)):
        return False  # "Ana's sister" is not Ana
    if first[1:] != second[1:] and first[1:] and second[1:]:
        return False  # two family names
    return first[0] == second[0] or _is_short_for(first[0], second[0]) or _is_short_for(second[0], first[0])


def lookups(name: str) -> list[tuple[str, str, str]]:
    """(low, high, rest): all that may be one with `name` have a first word from low to high, in the order of code
    points, and go on in name keys with `rest`, or with nothing, or with anything if `rest` is empty."""
    first, *others = _words(name) or [""]
    if len(first) < 2 or not first.isalpha():
        return []
    rest = "".join(f"_{word}" for word in others)
    found = {first, *_long_forms(first), *(short for short, long in _IRREGULAR.items() if long == first)}
    beginning = first[:PREFIX_LENGTH_MIN]  # of its shorter and its longer forms
    if len(beginning) < PREFIX_LENGTH_MIN:
        return [(word, word, rest) for word in sorted(found)]
    others = sorted(word for word in found if not word.startswith(beginning))
    return [(beginning, beginning + chr(sys.maxunicode), rest), *((word, word, rest) for word in others)]


def first_word(name: str) -> str:
    """What `lookups` looks for: the first word of a name, folded."""
    return (_words(name) or [""])[0]


def _words(name: str) -> list[str]:
    return folded(name).replace("_", " ").split()


def _is_short_for(short: str, long: str) -> bool:
    if long in _long_forms(short):
        return True
    return any(
        len(stem) >= PREFIX_LENGTH_MIN and len(long) - len(stem) >= 2 and long.startswith(stem)
        for stem in _stems(short)
    )


def _long_forms(short: str) -> set[str]:
    return {_IRREGULAR[short]} if short in _IRREGULAR else set()


def _stems(short: str) -> set[str]:
    """The name, and what is left of it without a diminutive: "katie" -> kat, "johnny" -> johnn, john."""
    stems = {short}
    for ending in ("ie", "y", "i"):
        if short.endswith(ending) and len(short) - len(ending) >= PREFIX_LENGTH_MIN:
            stem = short.removesuffix(ending)
            stems |= {stem, stem[:-1]} if stem[-1] == stem[-2] else {stem}
    return stems
