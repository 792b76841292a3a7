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


def dimension(unit: str) -> int | None:
    """Which sort of unit a word is, or None: miles and kilometres are of one."""
    word = unit.casefold().strip(".,")
    return _BY_UNIT.get(word, _BY_UNIT.get(word.removesuffix("s")))
