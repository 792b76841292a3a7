"""Citation markers in a reply as it streams in: those of real sources stay, invented ones go."""

import re
from collections.abc import Container

_MARKER = r"[\[【]\s*S\d+(?:\s*[,;]\s*S?\d+)*\s*[\]】]"
_BARE = r"(?<!\w)S\d+(?!\w)"

MARKERS = re.compile(_MARKER, re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_BEGUN_MARKER = re.compile(r"[\[【][Ss\d,;\s]{0,60}\Z")
_BEGUN_BARE = re.compile(r"(?<!\w)S\d*\Z")


def _runs(token: str) -> re.Pattern[str]:
    run = rf"(?:{token})(?:[ \t]*(?:{token}))*"
    return re.compile(rf"(?P<before>[ \t]*)(?P<run>{run})(?P<after>[ \t]*)(?=(?P<next>.?))", re.DOTALL)


# The letter is matched in both cases inside brackets, and only as a capital without them.
_CASELESS_MARKER = _MARKER.replace("S", "[Ss]")
_TOKENS = {False: re.compile(_CASELESS_MARKER), True: re.compile(f"{_CASELESS_MARKER}|{_BARE}")}
_LAST_TOKEN = {suppressed: re.compile(rf"(?:{token.pattern})\Z") for suppressed, token in _TOKENS.items()}
_RUNS = {suppressed: _runs(token.pattern) for suppressed, token in _TOKENS.items()}

MARKER_LENGTH_MAX = 80
HELD_LENGTH_MAX = 400  # a marker run that is longer is text like any other
_CLOSING = frozenset(".,;:!?)]}\"'»”’…。，、？！\n\r")


def marker(number: int) -> str:
    return f"[S{number}]"


def number_of(marker: str) -> int:
    """The number in a marker as `marker` makes it."""
    return int(marker.strip("[S]"))


class MarkerFilter:
    """Takes a reply in pieces and gives it back in pieces, its markers resolved.

    known: the numbers that have a source. suppressed: no marker stays, bare ones ("S1") neither; they
    count as cited all the same. cited: the numbers met so far, in their order. What might still become
    part of a marker is held back, so the pieces given back together are the whole reply, trimmed.
    """

    def __init__(self, known: Container[int], *, suppressed: bool = False) -> None:
        self._known = known
        self._suppressed = suppressed
        self._held = ""
        self._before = ""
        self._begun = False
        self.cited: list[int] = []

    def feed(self, piece: str) -> str:
        text = self._held + piece
        cut = self._safe_until(text)
        if len(text) - cut > HELD_LENGTH_MAX and not text[cut:].isspace():
            cut = len(text)
        self._held = text[cut:]
        return self._resolved(text[:cut])

    def finish(self) -> str:
        """The rest of the reply, once no more pieces come."""
        text, self._held = self._held.rstrip(), ""
        return self._resolved(text).rstrip()

    def _safe_until(self, text: str) -> int:
        """Where what might be a marker, or lie beside one, begins at the end of `text`."""
        begun = _BEGUN_MARKER.search(text) or (_BEGUN_BARE.search(text) if self._suppressed else None)
        cut = begun.start() if begun else len(text)
        while True:
            cut = len(text[:cut].rstrip())
            last = _LAST_TOKEN[self._suppressed].search(text, max(0, cut - MARKER_LENGTH_MAX), cut)
            if last is None:
                return cut
            cut = last.start()

    def _resolved(self, text: str) -> str:
        # The character before matters for what counts as a word.
        before, self._before = self._before, text[-1:] or self._before
        whole, parts, done = before + text, [], len(before)
        for found in _RUNS[self._suppressed].finditer(whole, done):
            parts += [whole[done : found.start()], self._run(found)]
            done = found.end()
        text = "".join(parts) + whole[done:]
        if not self._begun:
            text = text.lstrip()
            self._begun = bool(text)
        return text

    def _run(self, found: re.Match[str]) -> str:
        kept: list[str] = []
        for token in _TOKENS[self._suppressed].findall(found["run"]):
            numbers = dict.fromkeys(int(number[:9]) for number in _NUMBER.findall(token))
            real = [number for number in numbers if number in self._known]
            self._cite(real)
            if not self._suppressed:
                kept += [marker(number) for number in real if marker(number) not in kept]
            elif token.startswith("S") and not real:
                kept.append(token)  # somebody's word, not a marker
        if not kept:
            return _gap(found["before"] + found["after"], found["next"])
        return found["before"] + (" " if self._suppressed else "").join(kept) + found["after"]

    def _cite(self, numbers: list[int]) -> None:
        self.cited += [number for number in numbers if number not in self.cited]


def _gap(blanks: str, following: str) -> str:
    """What stands where a marker was: no blank before a full stop, and never two."""
    if not blanks or not following or following in _CLOSING or following.isspace():
        return ""
    return " "
