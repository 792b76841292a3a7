"""Vectors of questions: asked of the model once, and never a reason for a search to fail."""

import logging
import threading
import time
from collections import OrderedDict

from api.embedders.by_context import Embedders
from projections.recall.embedding import Embedder, EmbeddingUnavailable, Vector

logger = logging.getLogger(__name__)

KEPT_MAX = 2_000
PAUSE_AFTER_FAILURE_S = 5.0


class QuestionVectors:
    """The embedders as a search asks them. The last KEPT_MAX questions are remembered in this process only."""

    def __init__(self, embedders: Embedders) -> None:
        self._embedders = embedders
        self._kept: OrderedDict[tuple[str, str, str], Vector] = OrderedDict()
        self._lock = threading.Lock()
        self._failed_until: dict[str, float] = {}

    @property
    def embedder(self) -> Embedder:
        """The local one, which every context uses that names no other."""
        return self._embedders.local

    def kept(self, text: str, context_id: str) -> tuple[Vector | None, str]:
        """The question's vector, if it was asked for not long ago, and the name of the context's model."""
        model = self._embedders.of(context_id).model
        place = (context_id, model, text)
        with self._lock:
            kept = self._kept.get(place)
            if kept is not None:
                self._kept.move_to_end(place)
        return kept, model

    def question(self, text: str, context_id: str) -> tuple[Vector | None, str]:
        """The question's vector and the name of the context's model. The vector is None while the model can't
        be asked: it is not loaded yet, or failed within the last PAUSE_AFTER_FAILURE_S."""
        embedder = self._embedders.of(context_id)
        model = embedder.model
        kept, _ = self.kept(text, context_id)
        if kept is not None:
            return kept, model
        if not embedder.ready or time.monotonic() < self._failed_until.get(context_id, 0.0):
            return None, model
        try:
            (vector,) = embedder.embed([text])
        except EmbeddingUnavailable as error:
            logger.warning("the question is searched by words alone: %s", error)
            self._failed_until[context_id] = time.monotonic() + PAUSE_AFTER_FAILURE_S
            return None, model
        with self._lock:
            self._kept[context_id, model, text] = vector
            while len(self._kept) > KEPT_MAX:
                self._kept.popitem(last=False)
        return vector, model
