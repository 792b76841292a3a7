"""Vectors of questions: asked of the model once, and never a reason for a search to fail."""

import logging
import threading
import time
from collections import OrderedDict

from projections.recall.embedding import Embedder, EmbeddingUnavailable, Vector

logger = logging.getLogger(__name__)

KEPT_MAX = 2_000
PAUSE_AFTER_FAILURE_S = 5.0


class QuestionVectors:
    """The embedder as a search asks it. The last KEPT_MAX questions are remembered in this process only."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._kept: OrderedDict[str, Vector] = OrderedDict()
        self._lock = threading.Lock()
        self._failed_until = 0.0

    def question(self, text: str) -> tuple[Vector | None, str]:
        """The question's vector and the model's name. The vector is None while the model can't be asked: it is
        not loaded yet, or failed within the last PAUSE_AFTER_FAILURE_S."""
        model = self.embedder.model
        with self._lock:
            if (kept := self._kept.get(text)) is not None:
                self._kept.move_to_end(text)
                return kept, model
        if not self.embedder.ready or time.monotonic() < self._failed_until:
            return None, model
        try:
            (vector,) = self.embedder.embed([text])
        except EmbeddingUnavailable as error:
            logger.warning("the question is searched by words alone: %s", error)
            self._failed_until = time.monotonic() + PAUSE_AFTER_FAILURE_S
            return None, model
        with self._lock:
            self._kept[text] = vector
            while len(self._kept) > KEPT_MAX:
                self._kept.popitem(last=False)
        return vector, model
