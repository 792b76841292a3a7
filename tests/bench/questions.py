"""Questions through all tiers: what the tiers and the floor do to what the search found.

    RECALL_DATA=/folder make bench NAME=questions

One memory a turn, the local models, no language model; vectors of questions are ready before the clock starts.
Two kinds of questions should bring nothing: those put to a conversation that never spoke of their subject, which
the floor tells, and those for a missing detail of a subject that was spoken of, which no signal tried here does:
the curve shows what share each floor empties, of these and of those that have an answer.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from statistics import mean, median

from api.embedders.minilm import MiniLM
from memory.principals import Caller
from projections.reading import Reader
from projections.recall.search import search
from projections.retrieval import floor
from projections.retrieval.asked import asked as looked_at
from projections.retrieval.recaller import POOL_MIN, Recall
from projections.retrieval.searched import question_of
from projections.retrieval.wanted import DIRECT, ESCALATED, Wanted
from tests.bench.figures import Figures
from tests.bench.recall_data import Asked, beam, folder, locomo
from tests.bench.recall_worlds import CachedEmbedder, Loaded, asked, bench_services, load, recall_with

NO_ANSWER = ("adversarial", "abstention")
FLOORS = (0.1, 0.15, floor.FLOOR, 0.25, 0.3, 0.4, 0.5, 0.6)


def main() -> None:
    path = folder()
    figures = Figures()
    embedder = CachedEmbedder(MiniLM())
    with bench_services() as services:
        recall = recall_with(services, embedder)
        locomos = [load(services, talk, embedder) for talk in locomo(path / "locomo" / "locomo_dev.json")]
        beams = [load(services, talk, embedder) for talk in beam(path / "beam_100k")]
        for name, loaded in (("locomo", locomos), ("beam", beams)):
            _report_recall(figures, name, loaded, recall, embedder)
        of_others = [(beams[place % len(beams)], one.talk.questions[::10]) for place, one in enumerate(locomos)]
        missing = [(one, _of(one, "abstention")) for one in beams]
        kinds = {
            "locomo": [(one, _answerable(one)) for one in locomos],
            "beam": [(one, _answerable(one)) for one in beams],
            "missing": missing,
            "elsewhere": of_others,
        }
        _emptied(figures, recall, "elsewhere", of_others, "questions about what was never spoken of", least=0.9)
        _emptied(figures, recall, "abstention", missing, "questions for a detail that is missing", least=0.8)
        _report_floors(figures, embedder, kinds)
    figures.finish()


def _report_recall(
    figures: Figures, name: str, loaded: Sequence[Loaded], recall: Recall, embedder: CachedEmbedder
) -> None:
    alone, through, empty, times, tiers = [], [], [], [], []
    for one in loaded:
        for question in one.talk.questions:
            if not question.evidence:
                continue
            embedder.embed([question.text])
            with one.world.reading() as reader:
                hits = search(reader, asked(question.text, embedder), limit=10).hits
            alone.append(_share(question, [one.keys[hit.id] for hit in hits]))
            began = time.perf_counter()
            found = recall.retrieve(one.world.context_id, partial(_reading, one), _wanted(question))
            times.append((time.perf_counter() - began) * 1000)
            through.append(_share(question, [one.keys[hit.id] for hit in found.hits if hit.id in one.keys]))
            if question.category not in NO_ANSWER:
                empty.append(not found.hits)
            tiers.append(found.tier)
    figures.note(f"{name}: {len(alone)} questions")
    figures.add(f"{name}_search_r10", mean(alone), f"{name} R@10 of the search alone")
    figures.add(f"{name}_r10", mean(through), f"{name} R@10 through all tiers")
    figures.add(f"{name}_emptied", mean(empty), f"{name}: answerable questions that are answered by nothing", most=0.06)
    figures.add(f"{name}_direct", tiers.count(DIRECT) / len(tiers), f"{name}: share answered directly")
    figures.add(f"{name}_escalated", tiers.count(ESCALATED) / len(tiers), f"{name}: share escalated")
    figures.add(f"{name}_ms", median(times), f"{name}: ms a question in this process, embedding excluded, median")


def _emptied(
    figures: Figures,
    recall: Recall,
    name: str,
    asked_of: Sequence[tuple[Loaded, Sequence[Asked]]],
    text: str,
    *,
    least: float,
) -> None:
    empty = [
        not recall.retrieve(one.world.context_id, partial(_reading, one), _wanted(question)).hits
        for one, questions in asked_of
        for question in questions
    ]
    figures.add(f"{name}_emptied", mean(empty), f"{len(empty)} {text}: emptied", least=least)


def _report_floors(
    figures: Figures, embedder: CachedEmbedder, kinds: Mapping[str, Sequence[tuple[Loaded, Sequence[Asked]]]]
) -> None:
    """What share of each kind of questions has no hit of a first pass at or above each floor."""
    best = {
        kind: [_best_score(one, question, embedder) for one, questions in asked_of for question in questions]
        for kind, asked_of in kinds.items()
    }
    figures.note("emptied by a floor of: " + ", ".join(f"{kind} (n = {len(of)})" for kind, of in best.items()))
    for least in FLOORS:
        shares = {kind: mean(score < least for score in of) for kind, of in best.items()}
        chosen = " (the one in use)" if least == floor.FLOOR else ""
        figures.note(f"  {least:.2f}: " + ", ".join(f"{share:.3f}" for share in shares.values()) + chosen)


def _best_score(one: Loaded, question: Asked, embedder: CachedEmbedder) -> float:
    now = datetime.now(UTC)
    with one.world.reading() as reader:
        sought = question_of(
            reader, one.world.caller, asked(question.text, embedder), looked_at(question.text, now=now), session_id=None
        )
        return max((floor.score(hit.signals) for hit in search(reader, sought, limit=POOL_MIN).hits), default=0.0)


def _answerable(one: Loaded) -> list[Asked]:
    return [question for question in one.talk.questions if question.evidence and question.category not in NO_ANSWER]


def _of(one: Loaded, category: str) -> list[Asked]:
    return [question for question in one.talk.questions if question.category == category]


def _wanted(question: Asked) -> Wanted:
    return Wanted(text=question.text, traced=False)


@contextmanager
def _reading(loaded: Loaded) -> Iterator[tuple[Caller, Reader]]:
    with loaded.world.reading() as reader:
        yield loaded.world.caller, reader


def _share(question: Asked, keys_found: Sequence[str]) -> float:
    return len(question.evidence.intersection(keys_found)) / len(question.evidence)


if __name__ == "__main__":
    main()
