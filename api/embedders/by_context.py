"""Which embedder each context uses, by its effective settings."""

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from api.embedders.hashing import MODEL as HASHING
from api.embedders.hashing import Hashing
from api.embedders.minilm import MiniLM
from api.embedders.provider import ProviderEmbedder
from api.holds import Hold
from api.settings.model_settings import ModelChoice, ModelSettings
from memory.errors import InvalidRequest
from memory.usage import Usage
from projections.recall.embedding import Embedder, EmbeddingUnavailable, Vector

HELD_LOOK_S = 60.0

logger = logging.getLogger(__name__)


class Embedders:
    """The local model unless a context names another that can be asked; hashing if the local one can't be loaded."""

    def __init__(
        self,
        settings_of: Callable[[str], ModelSettings],
        took: Callable[[str, str, Usage], None] = lambda context_id, model, usage: None,
        hold: Callable[[str], Hold | None] = lambda context_id: None,
    ) -> None:
        """took: is told which context a provider's model was asked for, and what that cost. hold: why it may not be
        asked for a context now."""
        self._settings_of = settings_of
        self._took = took
        self._hold = hold
        self._local: Embedder = MiniLM()
        self._hashing = Hashing()
        self._remote: dict[ModelChoice, ProviderEmbedder] = {}
        self._lock = threading.Lock()

    @property
    def local(self) -> Embedder:
        return self._local

    def load(self) -> None:
        """Load the local model, or settle for hashing."""
        try:
            self._local.load()
        except EmbeddingUnavailable as error:
            logger.warning("vectors are made of pieces of words: %s", error)
            self._local = self._hashing

    def failing(self, choice: ModelChoice | None) -> dict[str, str]:
        """The provider's model with the reason, if it did not answer when it was last asked."""
        with self._lock:
            remote = self._remote.get(choice) if choice is not None else None
        return {remote.model: remote.failing} if remote is not None and remote.failing else {}

    def of(self, context_id: str) -> Embedder:
        try:
            settings = self._settings_of(context_id)
        except InvalidRequest:
            return self._local
        if settings.embedding == HASHING:
            return self._hashing
        choice = settings.embedding_choice
        if choice is None or not choice.usable:
            return self._local
        with self._lock:
            if choice not in self._remote:
                self._remote[choice] = ProviderEmbedder(choice)
            took = partial(self._took, context_id, choice.name)
            return _Counted(self._remote[choice], took, partial(self._hold, context_id))


@dataclass(frozen=True, slots=True)
class _Counted:
    """A provider's embedder, as one context uses it."""

    embedder: ProviderEmbedder
    took: Callable[[Usage], None]
    hold: Callable[[], Hold | None]

    @property
    def model(self) -> str:
        return self.embedder.model

    @property
    def ready(self) -> bool:
        return self.embedder.ready

    def load(self) -> None:
        self.embedder.load()

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        if hold := self.hold():
            raise EmbeddingUnavailable(f"{self.model}: {hold.kind}", retry_after_s=HELD_LOOK_S)
        return self.embedder.embed(texts, self.took)
