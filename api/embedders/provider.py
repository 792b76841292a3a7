"""Embedding models of providers, over the OpenAI-compatible interface."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from api.settings.model_settings import COMPATIBLE_URLS, ModelChoice
from memory.usage import Usage
from projections.recall.embedding import EmbeddingUnavailable, Vector

if TYPE_CHECKING:
    import openai

TEXTS_MAX = 100  # in one request
TIMEOUT_S = 20.0
NO_KEY = "none"  # what a client sends to a server that wants no key


class ProviderEmbedder:
    """One model of one provider, or of any server that speaks like it. Its vectors may have any dimension.

    failing: why it did not answer when it was last asked, None if it did or never was.
    """

    ready = True

    def __init__(self, choice: ModelChoice) -> None:
        self.model = choice.name
        self._choice = choice
        self._client: openai.OpenAI | None = None
        self.failing: str | None = None

    def load(self) -> None:
        """Nothing to load: the model is elsewhere."""

    def embed(self, texts: Sequence[str], took: Callable[[Usage], None] = lambda usage: None) -> list[Vector]:
        """As the port says. took: is told of each answer what it cost."""
        try:
            vectors = [
                vector
                for begin in range(0, len(texts), TEXTS_MAX)
                for vector in self._embedded(texts[begin : begin + TEXTS_MAX], took)
            ]
        except EmbeddingUnavailable as error:
            self.failing = str(error)
            raise
        self.failing = None
        return vectors

    def _embedded(self, texts: Sequence[str], took: Callable[[Usage], None]) -> list[Vector]:
        import openai

        if self._client is None:
            choice = self._choice
            address = choice.base_url or COMPATIBLE_URLS.get(choice.provider)
            self._client = openai.OpenAI(
                base_url=address, api_key=choice.api_key or NO_KEY, max_retries=0, timeout=TIMEOUT_S
            )
        # Some servers refuse a blank text.
        asked = [text if text.strip() else "-" for text in texts]
        try:
            # The library would ask for base64 of its own accord, which not every server knows.
            answer = self._client.embeddings.create(model=self._choice.model, input=asked, encoding_format="float")
            took(Usage(calls=1, input_tokens=_tokens(answer)))
            vectors = [item.embedding for item in sorted(answer.data, key=lambda item: item.index)]
        except openai.APIStatusError as error:
            raise EmbeddingUnavailable(
                f"{self.model} answered {error.status_code}", retry_after_s=_retry_after(error)
            ) from error
        except Exception as error:
            # Whatever an answer holds that the library does not expect, it is no reason for a search to fail.
            raise EmbeddingUnavailable(f"{self.model}: {type(error).__name__}") from error
        if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) != 1 or not vectors[0]:
            raise EmbeddingUnavailable(f"{self.model} answered {len(vectors)} vectors for {len(texts)} texts")
        return [self._unit(vector) for vector in vectors]

    def _unit(self, vector: Sequence[float]) -> Vector:
        length = math.sqrt(sum(value * value for value in vector))
        if not math.isfinite(length) or length == 0:
            raise EmbeddingUnavailable(f"{self.model} answered a vector that has no direction")
        return [value / length for value in vector]


def _tokens(answer: "openai.types.CreateEmbeddingResponse") -> int:
    """As the provider counts them; not every server does."""
    tokens = getattr(getattr(answer, "usage", None), "prompt_tokens", None)
    return tokens if isinstance(tokens, int) and tokens > 0 else 0


def _retry_after(error: "openai.APIStatusError") -> float | None:
    text = error.response.headers.get("retry-after", "")
    return min(float(text), 600.0) if text.isascii() and text.isdigit() else None
