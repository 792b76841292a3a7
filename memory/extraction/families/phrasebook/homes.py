"""Where people live and come from."""

from memory.extraction.claims import Aspect
from memory.extraction.families.phrasebook.entries import END, I_AM, I_DO, KIN, MY, NAME, entry

_SITES = (
    r"office|offices|hq|headquarters|server room|meeting room|warehouse|studio|factory|data "
    r"cent(?:re|er)|print room|"
    r"store|clinic|depot|branch|canteen|lab"
)
# Where one is for a while, or what one does.
_NO_PLACE = (
    r"(?:Hospital|Reception|A&E|ICU|ER|Year|Class|Court|Uni|University|School|Surgery|Theatre|HR|"
    r"IT|Sales|Marketing|Finance|"
    r"Accounts|Law|Tech|PR|Bed|Prison|Rehab|Labour|Labor|Love)\b"
)

HOMES = (
    entry(
        rf"(?:i|we)(?:'ve| have) lived in (?P<value>{NAME}) (?:all|most of) (?:my|our) li(?:fe|ves)",
        "location",
        "identity",
        Aspect.GIVEN,
        value_type="location",
    ),
    entry(
        rf"(?:i was |i'm |i am )?born and (?:raised|bred|brought up) in (?P<value>{NAME})",
        "hometown",
        "identity",
        Aspect.PAST,
        value_type="location",
    ),
    entry(rf"{I_DO} call (?P<value>{NAME}) home\b", "location", "identity", value_type="location"),
    entry(
        rf"(?:{MY} )?home(?: for me| base)? is (?P<value>{NAME}){END}", "location", "identity", value_type="location"
    ),
    entry(
        rf"{MY} (?:flat|house|place|apartment|home) is in (?P<value>{NAME}){END}",
        "location",
        "identity",
        value_type="location",
    ),
    entry(
        rf"{I_DO} rent (?:a|an|the) (?:[\w-]+ )?(?:room|studio|flat|house|place|apartment) in "
        rf"(?P<value>{NAME}){END}",
        "location",
        "identity",
        value_type="location",
    ),
    entry(
        rf"(?:my|our|the) (?P<subject>(?:[\w-]+ )?(?:{_SITES})) (?:is|are) (?:in|on|at) (?:the )?"
        rf"(?P<value>{NAME}|(?:ground|first|second|third|fourth|fifth|top|\d+(?:st|nd|rd|th)) floor|basement){END}",
        "location",
        value_type="",
    ),
    entry(
        rf"{KIN} (?:lives?|is living|are living|is based|are based) (?:out |over |up |down )?in "
        rf"(?P<value>{NAME}){END}",
        "location",
        "identity",
        value_type="location",
    ),
    entry(
        rf"{KIN} (?:is|are) in (?!{_NO_PLACE})(?P<value>{NAME})(?= now\b|\s*[,.!]|\s*$)",
        "location",
        "identity",
        value_type="location",
    ),
    entry(
        rf"{KIN} (?:is|are) (?:visiting|flying in|coming(?: over)?|over) from (?P<value>{NAME})",
        "location",
        "identity",
        Aspect.GIVEN,
        value_type="location",
    ),
    entry(
        rf"{KIN} (?:is|are|comes?) (?:originally )?from (?P<value>{NAME}){END}",
        "hometown",
        "identity",
        Aspect.PAST,
        value_type="location",
    ),
    entry(
        rf"(?:i|we)\b[^.!?;]{{0,60}}?,? (?:but |and )?originally from (?P<value>{NAME}){END}",
        "hometown",
        "identity",
        Aspect.PAST,
        value_type="location",
    ),
    entry(
        rf"{I_AM} originally from (?P<value>{NAME}){END}", "hometown", "identity", Aspect.PAST, value_type="location"
    ),
    entry(
        rf"{I_DO} live (?:just |right )?(?:outside(?: of)?|near|close to|on the (?:edge|outskirts) of) "
        rf"(?P<value>{NAME}){END}",
        "location",
        "identity",
        value_type="location",
    ),
    entry(
        rf"{I_DO} live on the (?P<value>(?:\d+(?:st|nd|rd|th)|ground|first|second|third|fourth|fifth|"
        rf"sixth|top)) floor\b",
        "floor",
    ),
)
