"""Evidence recall: is the turn that answers a question among the first that come back?

    RECALL_DATA=/folder make bench NAME=recall

One memory a turn, the local models, no language model. R@k: share of a question's evidence turns among the first
k turns; session any@5: one of the evidence's sessions is among the first five sessions. "facts": the same questions
over short sentences, each alone in its session. Then each signal of the ranking is left out in turn.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, pstdev

from api.embedders.minilm import MiniLM
from projections.recall import ranking
from projections.recall.search import Mode, search
from tests.bench.figures import Figures
from tests.bench.recall_data import Asked, Talk, beam, folder, locomo, observations
from tests.bench.recall_worlds import CachedEmbedder, Loaded, asked, bench_services, load

HITS = 100
TARGETS = {
    "locomo_r10": 0.82,
    "locomo_multi_hop_r10": 0.48,
    "locomo_mrr": 0.64,
    "locomo_session5": 0.945,
    "beam_r10": 0.58,
}
LEFT_OUT_EVERY = 3  # of the questions, one is asked for the figures of what each signal gives


@dataclass(frozen=True)
class Measured:
    """Of one question. session5: whether a session of the evidence is among the first five sessions."""

    category: str
    r5: float
    r10: float
    mrr: float
    session5: float


def main() -> None:
    path = folder()
    figures = Figures()
    embedder = CachedEmbedder(MiniLM())
    of_locomo = path / "locomo" / "locomo_dev.json"
    talks: dict[str, Iterator[Talk]] = {
        "locomo": locomo(of_locomo),
        "beam": beam(path / "beam_100k"),
        "facts": observations(of_locomo),
    }
    with bench_services() as services:
        for name, data in talks.items():
            loaded = [load(services, talk, embedder) for talk in data]
            _report(figures, name, _measured(loaded, embedder))
            _report(figures, f"{name}_words_alone", _measured(loaded, None))
            plain = _mean(_measured(loaded, None, weights={"words": 1.0}))
            figures.add(f"{name}_bm25_r10", plain, f"{name} R@10 of BM25 alone, for comparison")
            few = _mean(_measured(loaded, embedder, every=LEFT_OUT_EVERY))
            for signal in [*ranking.WEIGHTS, "session_penalty"]:
                weights = {**ranking.WEIGHTS, signal: 0.0}
                less = _mean(_measured(loaded, embedder, every=LEFT_OUT_EVERY, weights=weights))
                figures.add(f"{name}_{signal}_gives", few - less, f"R@10 that {signal} gives on {name}")
    figures.finish()


def _measured(
    loaded: Sequence[Loaded],
    embedder: CachedEmbedder | None,
    *,
    every: int = 1,
    weights: Mapping[str, float] = ranking.WEIGHTS,
) -> list[Measured]:
    found = []
    for one in loaded:
        questions = [question for question in one.talk.questions if question.evidence][::every]
        with one.world.reading() as reader:
            for question in questions:
                mode = Mode.HYBRID if embedder else Mode.BM25
                hits = search(reader, asked(question.text, embedder), mode=mode, limit=HITS, weights=weights).hits
                found.append(_judged(one, question, [one.keys[hit.id] for hit in hits]))
    return found


def _judged(loaded: Loaded, question: Asked, keys: Sequence[str]) -> Measured:
    evidence, sessions = question.evidence, loaded.talk.sessions
    first = next((place for place, key in enumerate(keys, start=1) if key in evidence), None)
    nearest = list(dict.fromkeys(sessions[key] for key in keys))[:5]
    return Measured(
        question.category,
        r5=len(evidence.intersection(keys[:5])) / len(evidence),
        r10=len(evidence.intersection(keys[:10])) / len(evidence),
        mrr=1 / first if first else 0.0,
        session5=float(any(sessions[key] in nearest for key in evidence)),
    )


def _report(figures: Figures, name: str, measured: Sequence[Measured]) -> None:
    figures.note(f"{name}: {len(measured)} questions")
    for field in ("r10", "r5", "mrr", "session5"):
        values = [getattr(one, field) for one in measured]
        interval = 1.96 * pstdev(values) / math.sqrt(len(values))
        key = f"{name}_{field}"
        figures.add(key, mean(values), f"{name} {field} (+- {interval:.3f})", least=TARGETS.get(key))
    by_category: dict[str, list[float]] = defaultdict(list)
    for one in measured:
        by_category[one.category].append(one.r10)
    for category, values in sorted(by_category.items()):
        key = f"{name}_{category}_r10"
        figures.add(key, mean(values), f"{name} R@10 of {len(values)} {category}", least=TARGETS.get(key))


def _mean(measured: Sequence[Measured]) -> float:
    return mean(one.r10 for one in measured)


if __name__ == "__main__":
    main()
