"""What people use."""

from memory.extraction.claims import Aspect
from memory.extraction.families.phrasebook.entries import END, I_AM, I_DO, MODEL, NAME, entry

_OURS = (
    r"(?:(?:our|my|the|all our|all my|all the) (?:\w+ )?(?:database|databases|db|site|website|"
    r"blog|repos?|code|ci|builds?|"
    r"emails?|notes|hosting|infra|infrastructure|stack|data|pipelines?|app|apps|backend|frontend|services?|docs|"
    r"monitoring|logs|domains?|servers?|deployments?|tracker|calendar|passwords|photos|files|"
    r"music|playlists|tests)|"
    r"everything)"
)

# As they are typed in haste; the patterns know no case beyond NAME's.
_DEVICE = (
    r"\b(?:android|iphone|ios|windows|linux|mac|macos|ubuntu|kindle|chrome|firefox|safari|spotify|whatsapp|telegram|"
    r"signal|gmail|outlook|slack|teams|xbox|playstation|netflix|vim|emacs|vscode)\b"
)

TOOLS = (
    entry(
        rf"{I_DO} (?:code|program|write|develop) (?:mostly |mainly |exclusively )?in "
        rf"(?P<value>{NAME}){END}",
        "uses",
    ),
    entry(
        rf"{I_DO} (?:host|run|deploy) (?:everything|all of it|our stuff|it all|our apps|our services) "
        rf"(?:on|with|to) "
        rf"(?P<value>{NAME}){END}",
        "uses",
    ),
    entry(rf"we rely on (?P<value>{NAME}){END}", "uses"),
    entry(rf"{I_DO} replaced (?P<value>{NAME}) (?:with|by) {NAME}", "uses", "knowledge", Aspect.END),
    entry(rf"{I_DO} replaced {NAME} (?:with|by) (?P<value>{NAME}){END}", "uses", "knowledge", Aspect.EVENT),
    entry(rf"{I_DO} deploy with (?P<value>{NAME}){END}", "uses"),
    entry(rf"{I_AM} done with (?P<value>{NAME}){END}", "uses", "knowledge", Aspect.OVER),
    entry(
        rf"{I_DO} (?:ditched|moved off|migrated off) (?P<value>{NAME})(?= (?:for|to|in favou?r of) "
        rf"(?-i:[A-Z])|{END})",
        "uses",
        "knowledge",
        Aspect.END,
    ),
    entry(
        rf"{I_DO} (?:ditched|dropped|dumped|abandoned) {NAME} (?:for|in favou?r of) (?P<value>{NAME}){END}",
        "uses",
        "knowledge",
        Aspect.EVENT,
    ),
    entry(
        rf"{I_DO} (?:switched|migrated|moved everything|moved "
        rf"all \w+) (?:over )?(?:from {NAME} )?to (?P<value>{NAME}){END}",
        "uses",
        "knowledge",
        Aspect.EVENT,
    ),
    entry(
        rf"{I_AM} on (?:an? |my |the )(?P<value>{MODEL})(?= with\b| running\b| these\b| now\b|\s*[,.!]|"
        rf"\s*$| and\b)",
        "uses",
    ),
    entry(rf"{I_AM} on (?:an? |my |the ){MODEL} (?:with|running) (?P<value>{MODEL}){END}", "uses"),
    entry(
        rf"{I_AM} learning [\w ]{{2,25}}? (?:on|with|through|using) (?P<value>(?!my\b|the\b|an?\b|"
        rf"weekends|fridays|mondays|tutor)[a-z]\w+)(?=\s*[,.!]|\s*$)",
        "uses",
    ),
    entry(rf"{I_AM} (?:with|on) (?P<value>{NAME})(?= any ?more\b)", "uses"),
    entry(
        rf"(?:i|we)(?:'ve| have)? (?:just |recently |finally )?(?:switched|migrated|moved|changed|"
        rf"ported|transferred) (?:{_OURS} )(?:over )?from (?P<value>{MODEL}) to {NAME}",
        "uses",
        "knowledge",
        Aspect.END,
    ),
    entry(
        rf"(?:i|we)(?:'ve| have)? (?:just |recently |finally )?(?:switched|migrated|moved|changed|"
        rf"ported|transferred) (?:{_OURS} )(?:over )?(?:from {MODEL} )?to (?P<value>{MODEL}){END}",
        "uses",
        "knowledge",
        Aspect.EVENT,
    ),
    entry(
        rf"i(?:'ve| have)? (?:just |recently |finally )?(?:switched|migrated) (?:over )?from "
        rf"(?P<value>{MODEL}) to {NAME}",
        "uses",
        "knowledge",
        Aspect.END,
    ),
    entry(
        rf"{I_DO} switched (?:over )?from (?P<value>{_DEVICE})(?= to (?:{_DEVICE}|{MODEL}){END})",
        "uses",
        "knowledge",
        Aspect.END,
    ),
    entry(
        rf"{I_DO} switched (?:over )?from (?:{_DEVICE}|{MODEL}) to (?P<value>{_DEVICE}){END}",
        "uses",
        "knowledge",
        Aspect.EVENT,
    ),
)
