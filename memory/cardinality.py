"""Which keys and labels have one value at a time, and which have many beside each other."""

# A key is single-valued unless it stands here: a new value then replaces the former one.
MULTI_VALUED_KEYS = frozenset(
    """
    likes dislikes skills languages pets allergies hobbies children siblings friends
    interests allergic_to speaks owns
    """.split()
)


def is_single_valued(key: str) -> bool:
    return key not in MULTI_VALUED_KEYS


# A relation has many objects beside each other unless its label stands here.
FUNCTIONAL_LABELS = frozenset({"works_at", "lives_in", "married_to", "reports_to"})


def is_functional(label: str) -> bool:
    return label in FUNCTIONAL_LABELS
