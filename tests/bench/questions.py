"""Questions through all tiers: what order by supersession, folding and the floor do to what the search found.

    RECALL_DATA=/folder make bench NAME=questions

One memory a turn, the local models, no language model; vectors of questions are ready before the clock starts.
fresh_first: where one message replaced another, the newer ranks above the older; stale_only@5: the older is among
the first five and the newer is not. Told as facts, each such pair is two values of one property.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from statistics import mean, median

from api import ids, keys
from api.embedders.minilm import MiniLM
from api.wiring import Services
from api.work.indexing import Indexing
from memory.candidates import AttributeCandidate, Mention
from memory.principals import Caller
from memory.remember import Turn
from memory.values import Infer, Role
from projections.passages import Kind
from projections.reading import Reader
from projections.recall.search import search
from projections.retrieval.recaller import Recall
from projections.retrieval.wanted import DIRECT, ESCALATED, Wanted
from tests.bench.figures import Figures
from tests.bench.recall_data import Asked, Talk, beam, folder, locomo
from tests.bench.recall_worlds import CachedEmbedder, Loaded, asked, bench_services, load
from tests.worlds import world_in

K = 50
OWNER = Mention(type="person", name="the user of the chat")
VALUE_LENGTH_MAX = 200


@dataclass(frozen=True)
class CachedQuestions:
    """Question vectors from the benches' cache."""

    embedder: CachedEmbedder

    def kept(self, text: str, context_id: str, /) -> tuple[Sequence[float], str]:
        return self.question(text, context_id)

    def question(self, text: str, _: str, /) -> tuple[Sequence[float], str]:
        (vector,) = self.embedder.embed([text])
        return vector, self.embedder.model


def main() -> None:
    path = folder()
    figures = Figures()
    embedder = CachedEmbedder(MiniLM())
    with bench_services() as services:
        recall = Recall(CachedQuestions(embedder), services.traces)
        locomos = [load(services, talk, embedder) for talk in locomo(path / "locomo" / "locomo_dev.json")]
        beams = [load(services, talk, embedder) for talk in beam(path / "beam_100k")]
        for name, loaded in (("locomo", locomos), ("beam", beams)):
            _report_recall(figures, name, loaded, recall, embedder)
        _report_elsewhere(figures, locomos, beams, recall)
        _report_updates(figures, "beam_turns", beams, recall)
        told = [_told(services, one.talk, embedder) for one in beams]
        _report_updates(figures, "beam_facts", told, recall)
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
            wanted = Wanted(text=question.text, traced=False)
            found = recall.retrieve(one.world.context_id, partial(_reading, one), wanted)
            times.append((time.perf_counter() - began) * 1000)
            through.append(_share(question, [one.keys[hit.id] for hit in found.hits if hit.id in one.keys]))
            if question.category not in ("adversarial", "abstention"):
                empty.append(not found.hits)
            tiers.append(found.tier)
    figures.note(f"{name}: {len(alone)} questions")
    figures.add(f"{name}_search_r10", mean(alone), f"{name} R@10 of the search alone")
    figures.add(f"{name}_r10", mean(through), f"{name} R@10 through all tiers")
    figures.add(f"{name}_emptied", mean(empty), f"{name}: answerable questions that are answered by nothing", most=0.06)
    figures.add(f"{name}_direct", tiers.count(DIRECT) / len(tiers), f"{name}: share answered directly")
    figures.add(f"{name}_escalated", tiers.count(ESCALATED) / len(tiers), f"{name}: share escalated")
    figures.add(f"{name}_ms", median(times), f"{name}: ms a question in this process, embedding excluded, median")


def _report_elsewhere(figures: Figures, locomos: Sequence[Loaded], beams: Sequence[Loaded], recall: Recall) -> None:
    """Questions in a conversation that never spoke of their subject, and of missing details in their own."""
    empty = []
    for ordinal, one in enumerate(locomos):
        other = beams[ordinal % len(beams)]
        for question in one.talk.questions[::10]:
            found = recall.retrieve(
                other.world.context_id, partial(_reading, other), Wanted(text=question.text, traced=False)
            )
            empty.append(not found.hits)
    figures.add("elsewhere_emptied", mean(empty), f"{len(empty)} questions asked elsewhere: emptied", least=0.9)
    missing = [
        not recall.retrieve(one.world.context_id, partial(_reading, one), Wanted(text=question.text, traced=False)).hits
        for one in beams
        for question in one.talk.questions
        if question.category == "abstention"
    ]
    figures.add("abstention_emptied", mean(missing), f"{len(missing)} questions for missing details: emptied")


def _report_updates(figures: Figures, name: str, loaded: Sequence[Loaded], recall: Recall) -> None:
    first, stale = [], []
    for one in loaded:
        for question in one.talk.questions:
            if question.category != "knowledge_update" or not (question.old and question.new):
                continue
            wanted = Wanted(text=question.text, k=K, facts=False, duplicates=True, traced=False)
            found = recall.retrieve(one.world.context_id, partial(_reading, one), wanted)
            order = [one.keys[hit.id] for hit in found.hits if hit.kind is Kind.TURN and hit.id in one.keys]
            new = min((order.index(key) for key in question.new if key in order), default=K)
            old = min((order.index(key) for key in question.old if key in order), default=K)
            if min(new, old) < K:
                first.append(new < old)
            stale.append(old < 5 <= new)
    figures.note(f"{name}: {len(stale)} questions, of whose messages {len(first)} have one among the first {K}")
    figures.add(f"{name}_fresh_first", mean(first), f"{name}: the newer above the older")
    figures.add(f"{name}_stale_only5", mean(stale), f"{name}: the older among the first five and the newer not")


def _told(services: Services, talk: Talk, embedder: CachedEmbedder) -> Loaded:
    """The conversation with each pair of an older and a newer message told as two values of one property."""
    facts: dict[str, list[AttributeCandidate]] = {}
    texts = {turn.key: turn.text for turn in talk.turns}
    for number, question in enumerate(talk.questions):
        if question.category == "knowledge_update":
            for key in (*question.old, *question.new):
                value = " ".join(texts[key].split())[:VALUE_LENGTH_MAX]
                fact = AttributeCandidate(entity=OWNER, key=f"fact {number}", value=value, start=0, end=0)
                facts.setdefault(key, []).append(fact)
    context_id, secret = f"bench-told-{talk.name}-{ids.new_id()}", keys.new_key()
    keys.ensure_context(services.log, context_id, secret)
    world = world_in(services, context_id, secret)
    names = {}
    for _, said in groupby(talk.turns, key=lambda turn: turn.session):
        session_id = None
        for told, part in groupby(said, key=lambda turn: turn.key if turn.key in facts else ""):
            turns = []
            for one in part:
                turn = Turn(turn_id=ids.new_id(), text=one.text, role=Role(one.role), infer=Infer.NONE)
                if told:
                    turn = replace(turn, infer=Infer.TRIPLES, candidates=tuple(facts[told]))
                names[turn.turn_id] = one.key
                turns.append(turn)
            session_id = world.remember(*turns, session_id=session_id).session_id
    Indexing(services.pool, lambda _: embedder).catch_up(context_id)
    return Loaded(talk, world, names)


@contextmanager
def _reading(loaded: Loaded) -> Iterator[tuple[Caller, Reader]]:
    with loaded.world.reading() as reader:
        yield loaded.world.caller, reader


def _share(question: Asked, keys_found: Sequence[str]) -> float:
    return len(question.evidence.intersection(keys_found)) / len(question.evidence)


if __name__ == "__main__":
    main()
