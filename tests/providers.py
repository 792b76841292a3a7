"""A language model's provider on a real socket, and an extractor that asks it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from memory.candidates import AnyCandidate, Extraction
from memory.extraction.model import ModelExtractor
from memory.extraction.model.asking import Address, Asker, ModelLoop
from memory.usage import Usage

MODEL = "gpt-4o-mini"
SAID_AT = datetime(2026, 3, 15, 12, tzinfo=UTC)  # a Sunday


def answer(**lists: Any) -> str:
    """A model's answer as JSON; the lists that are not given are empty."""
    names = ("entities", "attributes", "relations", "actions", "instructions", "uncertainties")
    empty: dict[str, Any] = {name: [] for name in names}
    return json.dumps({"speaker_name": "", **empty, **lists})


def attribute(entity: str, key: str, value: str, span: str, **more: Any) -> dict[str, Any]:
    return {"entity": entity, "key": key, "value": value, "span": span, "category": "identity", **more}


@contextmanager
def extractor_at(
    base_url: str, *, provider: str = "openai", timeout_s: float = 20.0, tokens_max: int = 1_000
) -> Iterator[ModelExtractor]:
    loop = ModelLoop()
    address = Address(provider, MODEL, base_url, "sk-test")
    asker = Asker(address, timeout_s=timeout_s, tokens_max=tokens_max, pause_s=0.02)
    extractor = ModelExtractor(asker, loop, _unpriced)
    try:
        yield extractor
    finally:
        extractor.close()
        loop.close()


def _unpriced(_: str, usage: Usage) -> Usage:
    return usage


def extract(extractor: ModelExtractor, text: str, *, role: str = "user", **more: Any) -> Extraction:
    return extractor.extract(text, role=role, said_at=SAID_AT, **more)


def of_kind(extraction: Extraction, kind: type[AnyCandidate]) -> list[Any]:
    return [one for one in extraction.candidates if isinstance(one, kind)]
