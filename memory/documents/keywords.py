"""Keywords of a document, after RAKE (Rose et al. 2010): runs of words between stop words and marks. Pure."""

import math
import re
from collections import Counter, defaultdict

import msgspec

KEYWORDS_MAX = 5
SCORE_MIN = 0.8
PHRASE_WORDS_MAX = 3
TEXT_LENGTH_MAX = 500_000  # characters that are read: what a document is about shows in its first 500,000

STOP_WORDS = frozenset(
    """a about above according across after again against all almost along already also although always am among an and
    another any anyone anything are aren as at available away back based be became because been before behind being
    below between both but by came can cannot case come could couldn day days did didn do does doesn doing done down due
    during each either else enough etc even ever every everyone everything example fig first following for found from
    further gave get gets getting give given gives go goes going good got had hadn has hasn have haven having he hence
    her here hers herself him himself his how however i ie if in include included includes including instead into is isn
    it its itself just keep kept know known large last later least less let like likely ll long made make makes making
    many may maybe me might more most much must my myself near need needs neither never new next no non none nor not
    note nothing now number of off often old on once one ones only onto or other others otherwise our ours ourselves out
    over own page part per perhaps place please possible put quite rather re really right said same say says second see
    seem seen set several shall she should shouldn show shown shows since small so some someone something sometimes soon
    still such take taken takes than that the their theirs them themselves then there therefore these they thing things
    third this those though three through thus time to today together too toward two under until up upon us use used
    uses using usually ve very via want wants was wasn way ways we well went were weren what whatever when where whether
    which while who whole whom whose why will with within without won would wouldn year years yes yet you your yours
    yourself""".split()
)

_PIECE = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*|[^\s\w]|\n\n")
_WORD = re.compile(r"[^\W\d_][\w]*(?:[-'’]\w+)*")


class Keyword(msgspec.Struct, frozen=True, kw_only=True):
    """A phrase that tells what a document is about. Part of a stored format.

    normalised: in upper case, words separated by one space. score: at least SCORE_MIN, of this document only.
    """

    text: str
    normalised: str
    score: float


def normalised(text: str) -> str:
    return " ".join(text.upper().split())


def keywords(text: str) -> list[Keyword]:
    """At most KEYWORDS_MAX phrases, best first.

    score: the mean degree-to-frequency ratio of the phrase's words, times ln(1 + how often it occurs).
    """
    phrases: Counter[tuple[str, ...]] = Counter()
    spelt: dict[tuple[str, ...], str] = {}
    for words in _phrases(text[:TEXT_LENGTH_MAX]):
        key = tuple(word.lower() for word in words)
        phrases[key] += 1
        spelt.setdefault(key, " ".join(words))
    frequency: Counter[str] = Counter()
    degree: dict[str, int] = defaultdict(int)
    for key, count in phrases.items():
        for word in key:
            frequency[word] += count
            degree[word] += count * len(key)
    scored = {
        key: sum(degree[word] / frequency[word] for word in key) / len(key) * math.log1p(count)
        for key, count in phrases.items()
        if len("".join(key)) > 3
    }
    best = sorted(scored, key=lambda key: (-scored[key], key))
    taken: list[tuple[str, ...]] = []
    for key in best:
        if scored[key] < SCORE_MIN or len(taken) == KEYWORDS_MAX:
            break
        if not any(set(key) <= set(other) or set(other) <= set(key) for other in taken):
            taken.append(key)
    return [Keyword(text=spelt[key], normalised=normalised(spelt[key]), score=round(scored[key], 4)) for key in taken]


def _phrases(text: str) -> list[list[str]]:
    found: list[list[str]] = []
    run: list[str] = []
    for match in [*_PIECE.finditer(text), None]:
        piece = match.group() if match else "."
        if _WORD.fullmatch(piece) and piece.lower() not in STOP_WORDS and len(piece) > 1:
            run.append(piece)
            continue
        if run and len(run) <= PHRASE_WORDS_MAX:
            found.append(run)
        run = []
    return found
