"""Why a context's models may not be asked now: its operator has stopped them, or the day's tokens are used up.

What waits for them meanwhile is not given up, however long that lasts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memory.candidates import Extraction
from memory.errors import ExtractorUnavailable
from memory.extraction import Utterance
from memory.extraction.model import ModelExtractor
from memory.extraction.offered import Offered

TOKEN_LIMIT = "token_limit"  # noqa: S105
BLOCKED = "enforcement_blocked"
REASONS = {
    TOKEN_LIMIT: "the context's models took as many tokens as they may in a day",
    BLOCKED: "the operator has stopped what costs money",
}


@dataclass(frozen=True, slots=True)
class Hold:
    """kind: TOKEN_LIMIT or BLOCKED. wait_s: seconds until it ends by itself, None if it does not."""

    kind: str
    wait_s: float | None = None

    def __str__(self) -> str:
        return f"{self.kind}: {REASONS[self.kind]}"


class HeldExtractor:
    """An extractor that is not asked while there is a hold."""

    def __init__(self, extractor: ModelExtractor, hold: Callable[[], Hold | None]) -> None:
        self._extractor = extractor
        self._hold = hold

    @property
    def name(self) -> str:
        return self._extractor.name

    @property
    def model(self) -> str:
        return self._extractor.model

    def extract_all(
        self, utterances: Sequence[Utterance], *, earlier: Sequence[str], offered: Offered
    ) -> list[Extraction]:
        if hold := self._hold():
            raise ExtractorUnavailable(kind=hold.kind, wait_s=hold.wait_s, model=self.model, is_held=True)
        return self._extractor.extract_all(utterances, earlier=earlier, offered=offered)
