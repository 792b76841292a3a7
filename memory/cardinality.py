"""Which keys and labels have one value at a time, and which have many beside each other."""

# A key is single-valued unless it stands here: a new value then replaces the former one.
MULTI_VALUED_KEYS = frozenset(
    """
    likes dislikes skills languages pets allergies hobbies children siblings friends
    interests allergic_to speaks owns avoids learning plays collects uses drinks eats health habit member_of
    supports trait wears
    friend colleague coworker neighbour neighbor roommate flatmate
    sister brother sibling twin stepsister stepbrother son daughter child kid stepson stepdaughter
    grandson granddaughter uncle aunt cousin nephew niece
    """.split()
)


def is_single_valued(key: str) -> bool:
    return key not in MULTI_VALUED_KEYS


# Keys that say the contrary of another: of one value only one of the two can hold, so they share a line.
OPPOSITES = {"dislikes": "likes"}


def line_key(key: str) -> str:
    """The key whose line the words about `key` belong to."""
    return OPPOSITES.get(key, key)


def keys_of_line(key: str) -> list[str]:
    """All keys that share the line of `key`, itself among them."""
    shared = line_key(key)
    return [shared, *(one for one, other in OPPOSITES.items() if other == shared)]


def line_value(key: str, value: str) -> str:
    """How `value` (comparable) is told from others in its line: there, a contrary key is another value."""
    return f"{key} {value}" if key in OPPOSITES else value


# A relation has many objects beside each other unless its label stands here.
FUNCTIONAL_LABELS = frozenset({"works_at", "lives_in", "married_to", "reports_to"})


def is_functional(label: str) -> bool:
    return label in FUNCTIONAL_LABELS
