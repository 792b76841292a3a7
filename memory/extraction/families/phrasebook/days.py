"""What people do on their days."""

from memory.extraction.families.phrasebook.entries import END, I_AM, I_DO, NAME, NOUN, OFTEN, entry

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
)
