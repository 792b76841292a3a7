"""Whom or what a phrase is about, as patterns."""

import re

from memory.extraction.families.phrasebook.patterns import DATE, NAME, NUMERAL
from memory.extraction.lexicon import ACQUAINTANCES, FAMILY, JOB_HEADS, PETS, SEVERAL

_KIN = "|".join(sorted(FAMILY | ACQUAINTANCES | PETS | SEVERAL, key=len, reverse=True))
_RELATIVE = (
    rf"(?:(?:my|our)\s+(?:(?:best|old|older|elder|eldest|oldest|younger|youngest|little|lil|big|baby|middle|twin|dear|"
    rf"poor|good|lovely|new|line|current)\s+){{0,2}}(?:{_KIN})(?:-in-law)?(?:(?:\s+|,\s+|\s+\(){NAME}(?:\)|,)?)?)"
)
WHO = re.compile(
    rf"(?:(?:both\s+)?(?:I|we)\b|{_RELATIVE}(?![\w-]|'s\s+\w+\s+(?:is|are|was)\b)|(?:he|she)\b|{NAME})", re.IGNORECASE
)
# Whether the words behind "my" are a relative's is looked at afterwards.
_ME = rf"(?:me\b|us\b|(?:my|our)\s+[\w-]+(?:,?\s+[\w'-]+){{0,2}}?|{NAME})"
_MY = rf"(?:(?:my|our)\s+[\w-]+(?:\s+[\w-]+){{0,2}}?'s|my\b|our\b|{NAME}'s)"
_RELATED = rf"(?:my|our)\s+[\w-]+(?:,?\s+{NAME},?)?"
WHOM = {"me": _ME, "my": _MY, "kin": _RELATED}
# A name or a few words that a phrase only passes over.
PASSED_OVER = {
    "_name": NAME,
    "_place": rf"(?:{NAME}|the\s+[\w-]+)",
    "_date": DATE,
    "_number": NUMERAL,
    "_some": r"(?:(?!no\b|not\b)[\w'-]+\s+){0,3}?(?!no\b|not\b)[\w'-]+",
    "_word": r"(?!no\b|not\b)[\w'-]+",
    "_job": rf"(?:[a-z]+\s)?(?:{'|'.join(sorted(JOB_HEADS, key=len, reverse=True))})",
    "_stretch": r"[^.;!?]{0,60}?",
}

# Of what a phrase is said that is not about people, and the type of the entity.
_RUNS = r"ci|builds?|deploys?|tests|test suite|pipeline|deployment|release|migration|backups?|compile|import|sync"
_PARTS = (
    r"front-?end|back-?end|api|server|client|app|website|site|service|pipeline|bot|cli|monolith|repo|database|db|"
    r"dashboard|library|compiler|gateway|worker|scheduler|codebase"
)
_OCCASIONS = (
    r"release|launch|deadline|demo|kick-?off|wedding|party|conference|meeting|stand-?up|interview|retro|review|class|"
    r"lesson|game|match|rehearsal|exam|workshop|ceremony|funeral|go-live|cutover|migration|viewing|defen[cs]e|call"
)
_SITES = (
    r"office|offices|hq|headquarters|server room|meeting room|warehouse|studio|factory|data cent(?:re|er)|print room|"
    r"store|clinic|depot|branch|canteen|lab"
)
_ISSUES = r"deploys|releases|builds|backups|invoices|reports|payouts|newsletters?|standups?|bins"
SUBJECTS = {
    "system": (rf"(?:[\w-]+\s+)?(?:{_PARTS})", "project"),
    "run": (rf"(?:[\w-]+\s+)?(?:{_RUNS})", "project"),
    "issue": (rf"(?:[\w-]+\s+)?(?:{_ISSUES})", "project"),
    "event": (rf"(?:[\w-]+\s+)?(?:{_OCCASIONS})", "event"),
    "place": (rf"(?:[\w-]+\s+)?(?:{_SITES})", "project"),
    "project": (NAME, "project"),
}
