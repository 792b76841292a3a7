"""The port to models that turn texts into vectors."""

from collections.abc import Sequence
from typing import Protocol

Vector = Sequence[float]


def literal(vector: Vector) -> str:
    """A vector as Postgres reads it."""
    return "[" + ",".join(["%.5g"] * len(vector)) % tuple(vector) + "]"


class EmbeddingUnavailable(Exception):
    """The model could not answer; words are searched without it. retry_after_s: if it said when to ask again."""

    def __init__(self, reason: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after_s = retry_after_s


class Embedder(Protocol):
    """A model and how to ask it. Shared by all threads."""

    @property
    def model(self) -> str:
        """Its name, such as local/minilm: vectors of different names are never compared."""
        ...

    @property
    def ready(self) -> bool:
        """Whether it can be asked now without a long wait."""
        ...

    def load(self) -> None:
        """Make it ready. Raises EmbeddingUnavailable."""
        ...

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """A vector of length 1 for each text, all of one dimension. Raises EmbeddingUnavailable."""
        ...
