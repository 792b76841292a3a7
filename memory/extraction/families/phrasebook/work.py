"""What people do for a living."""

from memory.extraction.claims import Aspect
from memory.extraction.families.phrasebook.entries import END, I_AM, I_DO, MY, NAME, NOUN, entry

_BUSINESSES = (
    r"shop|store|cafe|café|bakery|restaurant|salon|studio|farm|bar|pub|brewery|garage|agency|practice|clinic|"
    r"nursery|hotel|guesthouse|hostel|bookshop|workshop|gallery|gym|butchers?|florists?|deli"
)

WORK = (
    entry(rf"{I_DO} do (?P<value>{NOUN}) for a living\b", "job_title", "identity"),
    entry(rf"{MY} day job is (?:as an? )?(?P<value>{NOUN}){END}", "job_title", "identity"),
    entry(
        rf"(?:{I_AM} in|{I_DO} work in|{I_DO} do) (?:[\w& -]{{2,25}}?) at (?P<value>{NAME}){END}",
        "works_at",
        "identity",
        object_type="organisation",
    ),
    entry(rf"{I_DO} work in (?P<value>[a-z]+(?: [a-z]+)?){END}", "works_in", "identity"),
    entry(
        rf"{I_AM} at (?P<value>{NAME})(?= any ?more\b| any longer\b)",
        "works_at",
        "identity",
        object_type="organisation",
    ),
    entry(
        rf"(?:i've|i have) been (?:at|with) (?P<value>{NAME})(?= (?:for|since)\b)",
        "works_at",
        "identity",
        object_type="organisation",
    ),
    entry(
        rf"{MY} (?:last|final) day at (?P<value>{NAME}) was\b",
        "works_at",
        "identity",
        Aspect.END,
        object_type="organisation",
    ),
    entry(
        rf"(?:{MY} )?(?:company|firm|employer|workplace) is (?:called )?(?P<value>{NAME}){END}",
        "works_at",
        "identity",
        object_type="organisation",
    ),
    entry(
        rf"{I_DO} (?:earn|make) (?:about |around |roughly )?(?P<value>[$€£]?\d[\d.,]*k?(?: (?:euros?|dollars|"
        rf"pounds))?(?: a| per)"
        r" (?:year|month|week|day|hour))",
        "salary",
    ),
    entry(
        rf"{I_DO} (?:got|have|did) my (?:degree|phd|master's|masters|bachelor's|mba|diploma) (?:from|"
        rf"at) (?P<value>{NAME}){END}",
        "graduated_from",
        "identity",
        Aspect.PAST,
        object_type="organisation",
    ),
    entry(rf"{I_DO} volunteer (?:at|for|with) (?:the |an? )?(?P<value>{NAME}|{NOUN}){END}", "volunteers_at"),
    entry(rf"{I_AM} (?:a )?member of (?:the )?(?P<value>{NAME}){END}", "member_of"),
    entry(
        rf"{I_DO} (?:just )?(?:handed|gave|given|put) in my (?:notice|resignation)(?: letter)? (?:at|"
        rf"to) (?P<value>{NAME}){END}",
        "works_at",
        "identity",
        Aspect.END,
        object_type="organisation",
    ),
    entry(
        rf"{I_DO} (?:just |recently |finally )?(?:got |been |was )?promoted to [\w -]{{2,30}}? at "
        rf"(?P<value>{NAME}){END}",
        "works_at",
        "identity",
        Aspect.GIVEN,
        object_type="organisation",
    ),
    entry(
        rf"{I_DO} teach (?!my\b|him\b|her\b|them\b|you\b|people\b|kids\b|myself\b)[\w ]{{2,30}}? (?:at|"
        rf"in) (?:an? |the )?\w+",
        "job_title",
        "identity",
        says="teacher",
    ),
    entry(
        rf"{MY} (?:phd|degree|master's|masters|bachelor's|doctorate|ba|bsc|msc|diploma) (?:is|was) in "
        rf"(?P<value>[a-z][\w ]{{2,30}}?){END}",
        "degree",
        "identity",
        Aspect.PAST,
    ),
    entry(
        rf"{MY} (?:phd|degree|master's|masters|bachelor's|doctorate|ba|bsc|msc|diploma) (?:is|was) "
        rf"(?:in [a-z][\w ]{{2,30}}?,? )?from (?P<value>{NAME}){END}",
        "university",
        "identity",
        Aspect.PAST,
    ),
    entry(
        rf"{I_DO} (?:run|own|have) (?:an? |the )(?P<value>(?:[\w-]+ ){{0,2}}(?:{_BUSINESSES}))(?: "
        rf"called {NAME})? in {NAME}",
        "runs",
        "identity",
    ),
    entry(
        rf"{I_DO} (?:run|own|have) (?:an? |the )(?:[\w-]+ ){{0,2}}(?:{_BUSINESSES})(?: called {NAME})? "
        rf"in (?P<value>{NAME}){END}",
        "location",
        "identity",
        value_type="location",
    ),
)
