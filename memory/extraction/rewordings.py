"""What a turn that corrects an earlier one puts in place of what: "hang on, that's wrong, it's the sixth".

Such turns are taken to pieces at their punctuation. A piece is a cue ("sorry", "let me correct that"), denies what
was said ("not Bergen", "forget Porto", "that was the old car"), brings what holds ("make that ten", "it's on 16 now",
"she switched to law"), or is of no account. What a brought value stands for is for `splices` to find.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from memory.extraction.calendar_words import MONTHS, WEEKDAYS
from memory.extraction.cues import SAID, WRONG, cues_before, is_cued_behind
from memory.extraction.quantities import NUMBER

WORDS_MAX = 6

_PIECES = re.compile(r"[^,.;:!?…—–\n()\"“”]+(?:[.,:](?=\w)[^,.;:!?…—–\n()\"“”]+)*")
_BE = (
    r"(?:(?:here |so |then )*(?:it|that|this|he|she|they|there|the \w+|mine|ours|i|we)(?:'s|'re|'m|s(?<=its)|"
    r"s(?<=hes)|s(?<=mines)| is| are| am| was| were| will be|"
    r" has to be| must be| should be| should have been| ought to be| should read))"
)
# What tells that the words behind it are the right ones.
_RIGHT = re.compile(
    r"(?:'s|is|was) (?:actually|really|in fact)|(?:make|call) (?:that|it)|meant?\b|(?:has|ought) to (?:be|have)|must "
    r"be|should|"
    r"\bput\b|the (?:right|correct|real|actual)\b|in fact",
    re.IGNORECASE,
)
_DOING = (
    r"(?:(?:coming|going|taking place|happening|arriving|leaving|starting|flying|meeting|being held|held|scheduled|"
    r"due|set|booked|"
    r"based|located|living|working|studying|training|retraining|volunteering|called|named|spelled|spelt|written|"
    r"actually|really|in fact|supposed to be|"
    r"meant to be)\s+)*"
)
_WHERE = (
    r"(?:(?:in|at|on|to|for|from|as|with(?! an? )|by|of|the|an?|my|our|about|around|only|just|really|actually|in "
    r"fact|now|more like|all)\s+)*"
)
_BRINGS = re.compile(
    rf"(?:(?:and|but|so|then|because|'?cause)\s+)*(?P<lead>(?:{_BE} {_DOING}|"
    r"(?:please )?(?:make|call) (?:that|it)|(?:please )?(?:put|read|say|write)(?: down| in)?|should (?:be|have been|"
    r"read|say)|"
    r"i (?:actually )?mean(?:t)?(?: to say)?|meant|what i (?:ought to have said|should have said|meant|meant to say|"
    r"mean) (?:is|was)|"
    r"the (?:right|correct|real|actual) (?:one|name|number|date|day|time|place|figure|spelling|answer|address|word) "
    r"(?:is|was))\s*)?"
    rf"{_WHERE}(?P<new>\S.*?)\s*",
    re.IGNORECASE,
)
_THEM = r"(?:it|us|me|him|her|them|that|everything|this)"
_CHANGED = re.compile(
    r".*\b(?:switched|moved|changed|upgraded|downgraded|pushed|bumped|postponed|delayed|put|brought|cut|handed|passed|"
    r"given|"
    r"gave|transferred|swapped|migrated|rescheduled|relocated|reduced|raised|shifted|promoted|traded|gone|went|going|"
    r"go|goes|"
    r"down|up)\s+"
    rf"(?:{_THEM}\s+)?(?:all |back |forward |forwards |over |up |down |in |off |across |in \w+ )*(?:to|onto|for)\s+"
    r"(?:an? (?:\w+ )?(?:named|called)\s+)?(?:the\s+|an?\s+)?(?P<new>\S.*?)\s*",
    re.IGNORECASE,
)
_NOW_HAS = re.compile(
    r"(?:and |so |but )*(?P<new>[^\W\d_][\w'’-]*(?: [A-Z][\w'’-]*)*)(?:'s| is| has| owns| runs| does| leads| handles| "
    r"took| has taken|'s taken)+\s+"
    r"(?:got |on |over )*(?:it|that|(?:my|our|the|in charge)\b.*? now)(?: (?:now|over|these days|instead))*\s*",
    re.IGNORECASE,
)
_HAVE_NOW = re.compile(
    r"(?:i|we)(?:'ve| have)?(?: got|'re on| use| drive| am on|'m on|'m with|'re with)? (?:an?\s+|"
    r"the\s+)?(?P<new>\S.*?) (?:now|these days|nowadays)\s*",
    re.IGNORECASE,
)
_CLEFT = re.compile(
    r"(?:and |but |so )*(?:it|that)(?:'?s| is| was)\s+(?:actually |really |in fact )*(?P<new>[^\W\d_][\w' -]*?)\s+"
    r"(?:who|that|which)\s+(?!i\b|we\b)(?P<does>\w.*)",
    re.IGNORECASE,
)
_DENIES = re.compile(
    rf"(?:and |but |so )*(?:{_BE} )?(?P<no>not|no longer|isn't|wasn't|aren't|never|forget(?: about)?|scrap|disregard|"
    rf"ignore|never mind|drop|cancel)\s+"
    r"(?:(?:in|at|on|to|for|from|with|the|an?|my|our|about)\s+)*(?P<old>\S.*?)(?P<over> any ?more| any longer| "
    r"(?:that|which|who) .*)?\s*",
    re.IGNORECASE,
)
_WAS_OLD = re.compile(
    r"(?P<old>\S.*?)?\s*\b(?:(?:was|were|is|are)(?: (?:my|the|our|an?))? (?:old|former|previous|last|ex)(?: \S+)*|was|"
    rf"(?:is|was|'s) {WRONG})\s*",
    re.IGNORECASE,
)
_RATHER_THAN = re.compile(
    r"\s+(?:rather than|instead of|and not|but not|not|as opposed to)\s+(?:(?:in|at|on|the|an?)\s+)*", re.IGNORECASE
)
_SAID_OLD = re.compile(
    rf"\W*(?:did i (?:really |just )?{SAID}|(?:idk|i don't know|no idea|dunno) why i {SAID}|i (?:accidentally |"
    rf"wrongly )?{SAID}) "
    r"(?P<old>[^?!.,\n]{1,40})",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"\W*(?:not any ?more|no longer|was|that(?:'s| is) no longer (?:true|so|the case|right)|that(?:'s| has) changed|"
    r"(?:they|we)(?:'ve| have)? (?:moved|changed) (?:it|the \w+)|that was the old \w+|that was before)(?: (?:he|she|"
    r"it|they) isn't| though| now)?\W*",
    re.IGNORECASE,
)
# What may stand behind the new words and is no part of them.
_TRAIL = re.compile(
    r"\s+(?:now|instead|actually|rather|sorry|i mean|i meant|i should (?:say|have said)|in fact|these days|please|"
    r"haha+|lol|mate|"
    r"with(?:out)? (?:an?|the|one|two) [a-z](?:'?s)?\b.*|though|really|today|then|thanks|definitely|(?:i|we|he|she|"
    r"they)(?:'m|'re|'s|'ve| am| are)? \w+.*|a while ago|(?:last|this) (?:week|month|year|summer|autumn|winter|spring)|"
    r"in (?:the )?(?:spring|summer|autumn|fall|winter|\w+ber|january|february|march|april|june|july|august)|"
    r"over the weekend|(?:that|which|who|where|because|since|as of|after|before|i'm|we're) .*|if .*|when .*)$",
    re.IGNORECASE,
)
_NOW = re.compile(r"\b(?:now|these days|nowadays|as of|from (?:today|now)|any ?more|since)\b", re.IGNORECASE)
_TYPED = re.compile(
    rf"(?:the )?(?:{NUMBER}(?:st|nd|rd|th)?(?:\s?[ap]m)?|[£$€]\d[\d,.]*|{'|'.join(WEEKDAYS)}|{'|'.join(MONTHS)})\b.*",
    re.IGNORECASE,
)
_NOTHING_NEW = frozenset(
    "it that this so then there here me you him her them something nothing fine ok okay sure yes no good right way if "
    "wrong true clear old new same other another thanks not those these still what who how why when where up stop "
    "please "
    "really hmm never been to".split()
)
_SPELLED = re.compile(r"(?:\w-){2,}\w")
_CONJOINED = re.compile(
    r"\s(?=[iI] (?:actually )?meant? \w)|,?\s(?:and|so|but|because)\s(?=(?:it|he|she|they|we|i|the|my|our|put|make|"
    r"call|now|here|that|there|[A-Z]\w+ (?:has|is|owns|runs|does))\b)"
)


_OF_OTHER = re.compile(r"(?:\w+ )?the \w+", re.IGNORECASE)
_NAMED = re.compile(r"(?<=[a-z,] )[A-ZÀ-ÖØ-Þ][\w'’-]+(?: [A-ZÀ-ÖØ-Þ][\w'’-]+)*")


@dataclass(frozen=True, slots=True)
class Rewording:
    """New words, and the ones they replace if said ("" else); without new words, a denial alone.

    start, end: of the new words, or of the denied ones. change: the old words held until now. who: what is said of
    whom the new words name, "" if they don't. sure: a cue or a denial says that it is a correction. led: the words
    before them say that it is the new value. placed: a preposition stands before them, as before no person.
    """

    new: str
    old: str
    start: int
    end: int
    change: bool = False
    who: str = ""
    sure: bool = True
    led: bool = False
    placed: bool = False


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    start: int
    cued: bool
    clearly: bool = False  # by more than a "no" or "sorry"
    stressed: bool = False  # by an "actually"


@dataclass(frozen=True, slots=True)
class Reworded:
    """What a turn may put in place of what others said, the likeliest first. sure, change: as of a rewording."""

    rewordings: tuple[Rewording, ...]
    sure: bool
    change: bool


def rewordings_in(text: str) -> Reworded:
    """What `text`, a turn behind others, corrects of these."""
    said = [Rewording("", one["old"].strip(), one.start("old"), one.end("old")) for one in _SAID_OLD.finditer(text)]
    denied = [one.old for one in said]
    found: list[Rewording] = []
    sure, change, bare = bool(denied), False, False
    for piece in _pieces(text):
        sure = sure or piece.cued
        if _ENDED.fullmatch(piece.text):
            sure = change = True
        elif (old := _denied(piece)) is not None:
            sure, change = True, change or old.change
            found.append(old)
            denied += [old.old] if old.old else []
        elif text[piece.start + len(piece.text) :][:1] != "?":
            for one in _brought(piece):
                if not one.led and bare and one.new[:1].islower():
                    continue  # only the first of the bare pieces says it
                bare = bare or not one.led
                denied += [one.old] if one.old else []
                found.append(one)
    sure = sure or any(one.sure or one.old or one.change for one in found)
    olds = list(dict.fromkeys(denied))
    done: list[Rewording] = []
    for one in found:
        plain = replace(one, sure=sure, change=one.change or change)
        if one.new and not one.old:
            done += [replace(plain, old=old, who="") for old in olds]
        done.append(plain)
    done += [replace(one, change=change) for one in said if one.old in olds]
    # "My wife booked KLM, so disregard Lufthansa": another name beside the denied one.
    for match in _NAMED.finditer(text) if olds else ():
        if not any(match.group().casefold() in (one.new.casefold(), one.old.casefold()) for one in done):
            done += [Rewording(match.group(), old, *match.span(), change=change) for old in olds if old[:1].isupper()]
    done.sort(key=lambda one: (not one.new, not one.old))
    return Reworded(tuple(done), sure, any(one.change for one in done))


def _pieces(text: str) -> Iterator[_Piece]:
    clearly = stressed = False
    for match in _PIECES.finditer(text):
        words, start = match.group(), match.start()
        cues = cues_before(words)
        clearly, stressed = clearly or cues.clearly, stressed or cues.stressed
        start, words = start + cues.end, words[cues.end :]
        if (cues.any or cues.stressed) and not words.strip(" '-"):
            yield _Piece("", start, True)  # "12, actually"
        behind = is_cued_behind(words)
        cued, clearly = cues.any or behind, clearly or behind
        offset = 0
        for part in [*_CONJOINED.split(words)]:
            offset = words.index(part, offset)
            lead = len(part) - len(part.lstrip(" *'-"))
            if part[lead:].rstrip(" '-"):
                yield _Piece(part[lead:].rstrip(" '-"), start + offset + lead, cued, clearly, stressed)


def _denied(piece: _Piece) -> Rewording | None:
    words, end = piece.text, piece.start + len(piece.text)
    if found := _DENIES.fullmatch(words):
        over = found["no"].lower() in ("no longer", "forget", "scrap", "drop", "cancel") or (
            found["over"] or ""
        ).strip().startswith("any")
        old = _RATHER_THAN.split(found["old"])[0].strip()
        if len(old.split()) <= WORDS_MAX and old.split()[0].lower() not in _NOTHING_NEW:
            return Rewording("", old, piece.start + found.start("old"), end, change=over)
    if (found := _WAS_OLD.fullmatch(words)) and len((found["old"] or "").split()) <= 3:
        old = (found["old"] or "").strip()
        if " " in old and old.split()[0].lower() in ("that", "it", "this", "he", "she", "they", "i", "we"):
            return None
        old = "" if old.lower() in ("that", "it", "this") else old
        return Rewording("", old, piece.start, end, change=_WRONG_NOW.search(words) is None)
    return None


_WRONG_NOW = re.compile(WRONG, re.IGNORECASE)


def _brought(piece: _Piece) -> Iterator[Rewording]:
    words, old = piece.text, ""
    halves = _RATHER_THAN.split(words, maxsplit=1)
    if len(halves) == 2 and halves[0].strip():
        words, old = halves[0].rstrip(), halves[1].strip()
    for pattern in (_CLEFT, _NOW_HAS, _CHANGED, _HAVE_NOW, _BRINGS):
        found = pattern.fullmatch(words)
        if found is None:
            continue
        new, start = found["new"], found.start("new")
        lead = found["lead"] if pattern is _BRINGS else words[:start]
        told = pattern is not _BRINGS or bool(lead) or _TYPED.fullmatch(new) is not None
        now = pattern in (_NOW_HAS, _CHANGED, _HAVE_NOW) or (told and _NOW.search(words) is not None)
        while (cut := _TRAIL.search(new)) is not None:
            new = new[: cut.start()]
        new = new.strip()
        led = pattern is not _BRINGS or bool(lead)
        if not new or len(new.split()) > WORDS_MAX or new.split()[0].lower() in _NOTHING_NEW or _SPELLED.fullmatch(new):
            continue
        # "The kettle is broken": of something else, if it is no plain value.
        of_other = pattern is _BRINGS and _OF_OTHER.match(lead or "") is not None
        if of_other and not (_RIGHT.search(lead) or _TYPED.fullmatch(new) or new[0].isupper()):
            continue
        if re.search(r"\bmy\s+$", words[:start], re.IGNORECASE) and re.fullmatch(r"\w+s", new):
            continue  # "that's my sister's"
        if not led and not (_TYPED.fullmatch(new) or len(new.split()) <= 3):
            continue
        begins = piece.start + start
        who = found["does"] if pattern is _CLEFT else words[found.end("new") :] if pattern is _NOW_HAS else ""
        sure = piece.cued or bool(lead and _RIGHT.search(lead)) or bool(_RIGHT_BEHIND.search(words)) or bool(who)
        sure = sure or (led and piece.stressed)
        led = led or piece.clearly
        yield Rewording(
            new, old, begins, begins + len(new), change=now, who=who, sure=sure, led=led, placed=_placed(words[:start])
        )


def _placed(before: str) -> bool:
    return re.search(r"\b(?:at|in|on|from|for)\s+(?:the\s+)?$", before, re.IGNORECASE) is not None


_RIGHT_BEHIND = re.compile(r"\b(?:instead|rather|i mean|i meant|i should say)$", re.IGNORECASE)
