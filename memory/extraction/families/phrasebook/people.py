"""Who people are, and to whom."""

from memory.extraction.claims import Aspect
from memory.extraction.families.phrasebook.entries import DATE, END, I_AM, I_DO, KIN, MY, NAME, SOMEBODY, entry
from memory.extraction.lexicon import BREEDS, JOB_HEADS

_ANIMALS = r"dog|cat|puppy|kitten|horse|pony|rabbit"
_BREEDS = "|".join(sorted(BREEDS, key=len, reverse=True))
_JOBS = "|".join(sorted(JOB_HEADS, key=len, reverse=True))

PEOPLE = (
    entry(
        rf"{I_AM} (?:dating|seeing|going out with|in a relationship with) (?:a {SOMEBODY} )?(?P<value>{NAME}){END}",
        "partner",
        "identity",
        value_type="person",
    ),
    entry(
        rf"(?P<value>{NAME}) and (?:i|me) (?:are|have been|'ve been) (?:together|dating|a couple)\b",
        "partner",
        "identity",
        Aspect.GIVEN,
        value_type="person",
    ),
    entry(
        rf"(?:me and|i and) (?P<value>{NAME}) (?:are|have been) (?:together|dating|a couple)\b",
        "partner",
        "identity",
        Aspect.GIVEN,
        value_type="person",
    ),
    entry(
        rf"(?:my ex )?(?P<value>{NAME}) and (?:i|me) (?:have )?(?:split up|broke up|separated|split)\b",
        "partner",
        "identity",
        Aspect.END,
        value_type="person",
    ),
    entry(
        rf"(?:i|we) (?:have )?(?:broke up|split up|separated) (?:with|from) (?P<value>{NAME})",
        "partner",
        "identity",
        Aspect.END,
        value_type="person",
    ),
    entry(rf"{MY} pronouns are (?P<value>[a-z]+/[a-z]+)", "pronouns", "identity"),
    entry(
        rf"{I_AM} (?P<value>gay|bisexual|straight|lesbian|asexual|queer|non-binary|trans){END}",
        "orientation",
        "identity",
    ),
    entry(rf"{I_DO}(?:'ll| will)? turn \d+ on (?:the )?(?P<value>{DATE})", "birthday", "identity", Aspect.GIVEN),
    entry(
        rf"{I_AM} [^.!?;]{{2,30}}?, (?P<value>[1-9]\d),? (?:and|from|living|working|based|married|single)\b",
        "age",
        "identity",
    ),
    entry(
        rf"{I_AM} (?:(?:nearly |about |almost )?(?:\d+|two|three|four|five|six|seven|eight) (?:weeks|"
        rf"months) )?(?P<value>pregnant)\b",
        "status",
        "identity",
    ),
    entry(rf"{MY} (?P<subject>{_ANIMALS}) is an? (?P<value>(?:[\w-]+ )?(?:{_BREEDS})){END}", "breed"),
    entry(rf"{MY} (?:{_ANIMALS}) (?P<subject>{NAME}) is an? (?P<value>(?:[\w-]+ )?(?:{_BREEDS})){END}", "breed"),
    entry(
        rf"{I_DO} (?:can't|cannot|can not) (?P<value>swim|drive|cook|whistle|dance|sing|ski|knit|sew|"
        rf"juggle|type|ride a bike|read music)(?! (?:right now|now|today|tonight|this|at the moment|"
        rf"yet|tomorrow|until|for)){END}",
        "can",
        "knowledge",
        Aspect.DENIED,
    ),
    entry(
        rf"(?:i|we)(?:'ve| have)? never (?:really |properly )?learn(?:ed|t)(?: how)? to (?P<value>swim|"
        rf"drive|cook|whistle|dance|sing|ski|knit|sew|juggle|type|ride a bike|read music)(?! (?:right "
        rf"now|now|today|tonight|this|at the moment|yet|tomorrow|until|for)){END}",
        "can",
        "knowledge",
        Aspect.DENIED,
    ),
    entry(
        rf"my [\w-]+ (?P<subject>{NAME}) is (?:now )?an? (?P<value>(?:[\w-]+ )?(?:{_JOBS})) (?:at|for|"
        rf"with|in) ",
        "job_title",
        "identity",
        subject_type="person",
    ),
    entry(
        rf"my [\w-]+ (?P<subject>{NAME}) is (?:now )?an? (?:[\w-]+ )?(?:{_JOBS}) (?:at|for|with) "
        rf"(?P<value>{NAME}'?)",
        "works_at",
        "identity",
        object_type="organisation",
        subject_type="person",
    ),
    entry(
        rf"my [\w-]+ (?P<subject>{NAME}) is (?:now )?an? (?:[\w-]+ )?(?:{_JOBS}) in "
        rf"(?P<value>{NAME}){END}",
        "location",
        "identity",
        value_type="location",
        subject_type="person",
    ),
    entry(
        rf"{KIN} is (?:now )?an? (?:[\w-]+ )?(?:{_JOBS}) in (?P<value>{NAME}){END}",
        "location",
        "identity",
        value_type="location",
    ),
)
