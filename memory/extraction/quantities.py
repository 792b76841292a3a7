"""Numbers as they are said: in digits, in words, and with their units."""

_UNITS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen "
    "nineteen"
).split()
_TENS = "twenty thirty forty fourty fifty sixty seventy eighty ninety".split()
_SCALES = "hundred thousand million".split()
_WORD = "(?:" + "|".join((*_TENS, *sorted(_UNITS, key=len, reverse=True), *_SCALES)) + ")"
IN_WORDS = rf"(?:a (?=hundred|thousand))?\b{_WORD}(?:(?:\s+and\s+|[\s-]+){_WORD})*\b"
IN_DIGITS = r"(?<![\w.:/-])\d[\d,]*(?:\.\d+)?k?(?![\w:/]|\.\d|-\w)"
NUMBER = f"(?:{IN_DIGITS}|{IN_WORDS})"
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth thirtieth"
).split()
_WITH_TENS = rf"\b(?:twenty|thirty)[- ](?:{'|'.join(_ORDINALS[:9])})\b"
ORDINAL = rf"(?:\b\d{{1,2}}(?:st|nd|rd|th)\b|{_WITH_TENS}|\b(?:{'|'.join(_ORDINALS)})\b)"
# Units that may stand for each other.
_DIMENSIONS = (
    "second minute hour day week month year fortnight",
    "metre meter kilometre kilometer km mile mi foot feet inch inches cm mm yard",
    "kilo kilogram kg gram pound lb lbs stone ounce tonne ton",
    "euro dollar pound quid buck £ $ €",
    "litre liter ml pint gallon cup spoon teaspoon",
)
_BY_UNIT = {unit: number for number, units in enumerate(_DIMENSIONS) for unit in units.split()}


_VALUES = {word: number for number, word in enumerate(_UNITS, start=1)} | {
    "twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90,
}  # fmt: skip
_FACTORS = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}


def number_of(said: str) -> int | None:
    """What a whole number in digits or words amounts to: 62 for "sixty-two"; None for anything else."""
    digits = said.strip().replace(",", "")
    if digits.isascii() and digits.isdigit():
        return int(digits)
    total = current = 0
    words = said.casefold().replace("-", " ").split()
    for word in words:
        if word in _VALUES:
            current += _VALUES[word]
        elif word == "hundred":
            current = (current or 1) * 100
        elif word in _FACTORS:
            total, current = total + (current or 1) * _FACTORS[word], 0
        elif word not in ("a", "and"):
            return None
    return (total + current) if words and total + current else None


def dimension(unit: str) -> int | None:
    """Which sort of unit a word is, or None: miles and kilometres are of one."""
    word = unit.casefold().strip(".,")
    return _BY_UNIT.get(word, _BY_UNIT.get(word.removesuffix("s")))
