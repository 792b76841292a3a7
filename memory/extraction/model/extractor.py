"""The extractor that asks a language model: the prompt, long input in parts, and the parts' answers in one."""

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from memory.candidates import CANDIDATES_PER_TURN_MAX, AnyCandidate, Extraction
from memory.errors import ExtractorUnavailable
from memory.extraction import Utterance
from memory.extraction.model.asking import Asker, ModelLoop
from memory.extraction.model.splitting import Part, Piece, parts
from memory.extraction.offered import NOTHING_OFFERED, Offered
from memory.usage import Usage, total

if TYPE_CHECKING:
    from memory.extraction.model.answer import Extracted

PROMPT_VERSION = 2
EARLIER_LENGTH_MAX = 900  # characters of the turns before, the newest of which matter most
EARLIER_TURN_LENGTH_MAX = 300
_MARK = re.compile(r"<<<|>>>")


@cache
def rules() -> str:
    """The fixed part of the prompt."""
    return (Path(__file__).parent / f"prompt_{PROMPT_VERSION}.md").read_text(encoding="utf-8")


class ModelExtractor:
    """Reads turns with one call each. Shared by all threads.

    priced: adds the cost to a usage, by the model's name.
    """

    def __init__(self, asker: Asker, loop: ModelLoop, priced: Callable[[str, Usage], Usage]) -> None:
        self._asker = asker
        self._loop = loop
        self._priced = priced

    @property
    def name(self) -> str:
        return f"model/{PROMPT_VERSION}"

    @property
    def model(self) -> str:
        return self._asker.name

    def extract(
        self,
        text: str,
        *,
        role: str,
        said_at: datetime,
        earlier: Sequence[str] = (),
        offered: Offered = NOTHING_OFFERED,
    ) -> Extraction:
        """As the protocol says. offered: what is known already and may be reused."""
        (extraction,) = self.extract_all([Utterance(text, role, said_at)], earlier=earlier, offered=offered)
        return extraction

    def extract_all(
        self, utterances: Sequence[Utterance], *, earlier: Sequence[str] = (), offered: Offered = NOTHING_OFFERED
    ) -> list[Extraction]:
        """One extraction for each utterance, all read together in one call, or up to four where they are long.

        The usage of all is counted with the first. Raises ExtractorUnavailable if any call fails.
        """
        return self._loop.run(self._extracted(utterances, earlier, offered))

    def close(self) -> None:
        """Close its connections; it opens others when it is used again."""
        self._loop.run(self._asker.close())

    async def _extracted(
        self, utterances: Sequence[Utterance], earlier: Sequence[str], offered: Offered
    ) -> list[Extraction]:
        from memory.extraction.model.answer import Extracted

        several = parts([one.text for one in utterances])
        asked = [self._asker.ask(prompt(utterances, part, earlier, offered), Extracted) for part in several]
        answers = await asyncio.gather(*(_outcome(one) for one in asked))
        usage = self._priced(self.model, total(_usage(one) for one in answers))
        found: list[list[AnyCandidate]] = [[] for _ in utterances]
        dropped = 0
        for part, answer in zip(several, answers, strict=True):
            if isinstance(answer, ExtractorUnavailable):
                answer.usage = usage
                raise answer
            dropped += answer[0].dropped
            for number, piece in enumerate(part, start=1):
                dropped += self._read(utterances[piece.message], piece, answer[0], offered, number, found)
        return [
            Extraction(
                extractor=self.name,
                candidates=tuple(_distinct(candidates)[:CANDIDATES_PER_TURN_MAX]),
                model=self.model,
                usage=Usage() if message else usage,
                dropped=0 if message else dropped,
            )
            for message, candidates in enumerate(found)
        ]

    def _read(
        self,
        utterance: Utterance,
        piece: Piece,
        answer: "Extracted",
        offered: Offered,
        number: int,
        found: list[list[AnyCandidate]],
    ) -> int:
        from memory.extraction.model.reading import read

        text = utterance.text[piece.start : piece.end]
        reading = read(answer, text, role=utterance.role, said_at=utterance.said_at, offered=offered, message=number)
        found[piece.message] += [
            msgspec.structs.replace(one, start=one.start + piece.start, end=one.end + piece.start)
            for one in reading.candidates
        ]
        return reading.dropped


Outcome: TypeAlias = "tuple[Extracted, Usage] | ExtractorUnavailable"


async def _outcome(asked: Awaitable[tuple["Extracted", Usage]]) -> "Outcome":
    """A failure as a value, so that the other parts are waited for and counted too."""
    try:
        return await asked
    except ExtractorUnavailable as error:
        return error


def _usage(outcome: "Outcome") -> Usage:
    return outcome.usage if isinstance(outcome, ExtractorUnavailable) else outcome[1]


def prompt(
    utterances: Sequence[Utterance], part: Part, earlier: Sequence[str], offered: Offered
) -> list[dict[str, str]]:
    """The messages that ask a model to read one part."""
    sections = []
    known = offered.told()
    if known:
        sections.append(f"# Known already\n{known}")
    before = _before(earlier)
    if before:
        sections.append(f'# Said before (to resolve words like "he"; list nothing from here)\n{_enclosed(before)}')
    told = []
    for number, piece in enumerate(part, start=1):
        utterance = utterances[piece.message]
        when = f"{utterance.said_at:%A %Y-%m-%d}"
        told.append(f"[{number}] {utterance.role}, on {when}:\n{_enclosed(utterance.text[piece.start : piece.end])}")
    heading = "# The message" if len(part) == 1 else "# The messages (put the number of each into `message`)"
    sections.append("\n".join((heading, *told)))
    return [{"role": "system", "content": rules()}, {"role": "user", "content": "\n\n".join(sections)}]


def _before(earlier: Sequence[str]) -> str:
    lines: list[str] = []
    length = 0
    for text in reversed(earlier):
        line = "- " + " ".join(text.split())[:EARLIER_TURN_LENGTH_MAX]
        length += len(line)
        if length > EARLIER_LENGTH_MAX:
            break
        lines.append(line)
    return "\n".join(reversed(lines))


def _enclosed(text: str) -> str:
    """Between marks that the text can't forge: they hold a digest of it."""
    mark = hashlib.sha256(text.encode(errors="replace")).hexdigest()[:8]
    return f"<<<{mark}\n{_MARK.sub('', text)}\n{mark}>>>"


def _distinct(candidates: Sequence[AnyCandidate]) -> list[AnyCandidate]:
    """In the order of the words, none twice."""
    return list(dict.fromkeys(sorted(candidates, key=lambda one: (one.start, one.end))))
