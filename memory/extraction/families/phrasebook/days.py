"""What people do on their days."""

from memory.extraction.families.phrasebook.entries import DATE, END, I_AM, I_DO, NAME, NOUN, OFTEN, entry

_OCCASIONS = (
    r"release|launch|deadline|demo|kick-?off|wedding|party|conference|meeting|stand-?up|interview|"
    r"retro|review|class|lesson|"
    r"game|match|rehearsal|exam|workshop|ceremony|funeral|go-live|cutover|migration|viewing"
)

DAYS = (
    entry(
        rf"{I_DO} (?:wake|get) up (?:at|around) (?P<value>\d{{1,2}}(?:[:.]\d\d)?(?: ?[ap]m)?|[a-z]+){END}",
        "wakes_up_at",
    ),
    entry(
        rf"{I_DO} (?:go )?(?P<value>running|swimming|jogging|cycling|climbing|hiking|bouldering|dancing|surfing|"
        rf"sailing|skiing)"
        rf"(?= {OFTEN}\b)",
        "habit",
    ),
    entry(
        rf"{I_AM} (?:training|studying|practising|practicing) for (?:an? |the |my )?(?P<value>{NAME}|{NOUN}){END}",
        "training_for",
        "context",
    ),
    entry(
        rf"{I_AM} (?:reading|watching|rewatching|re-reading) (?P<value>{NAME})(?= (?:at the moment|right now|"
        rf"these days|now|again)"
        r"|[.!,]|$)",
        "reading",
        "context",
    ),
    entry(
        rf"{I_AM} learning (?:how )?(?:to )?(?:play )?(?:the )?(?P<value>piano|guitar|violin|drums|cello|"
        rf"ukulele|saxophone|flute|"
        r"drive|sew|knit|code|sign language|cook|swim|juggle)\b",
        "learning",
    ),
    entry(
        rf"{I_DO} (?:take|drink|have|like) my coffee (?:with )?(?P<value>black|white|strong|weak|"
        rf"(?:oat |soy |almond |goat's )?milk)\b",
        "coffee_preference",
    ),
    entry(
        rf"{I_DO} (?:take|drink|have|like) my tea (?:with )?(?P<value>black|white|strong|weak|(?:oat |"
        rf"soy |almond |goat's )?milk|lemon)\b",
        "tea_preference",
    ),
    entry(
        rf"(?:the|our) (?P<subject>(?:[\w-]+ )?(?:{_OCCASIONS})) (?:is|starts) (?:now )?at "
        rf"(?P<value>\d{{1,2}}(?:[:.]\d\d)? ?(?:[ap]m)?|noon|midnight)(?=\s*[,.!]|\s*$)",
        "time",
        subject_type="event",
    ),
    entry(
        rf"(?:the|our) (?P<subject>(?:[\w-]+ )?(?:{_OCCASIONS})) is (?:now )?on (?:the "
        rf")?(?P<value>{DATE}|\d{{1,2}}(?:st|nd|rd|th))(?=\s*[,.!]|\s*$)",
        "date",
        subject_type="event",
    ),
)
