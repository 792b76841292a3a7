"""Freshness: when something changed, does the new word come first?

    RECALL_DATA=/folder make bench NAME=freshness

Questions about updates in BEAM, asked as a client would: of the turns alone, of what the local extractor makes of
what users say, and with the pair that the data names given as two values of one fact. fresh_first: the new one ranks
above the old one. stale_only@5: the old one is among the first five and the new one is not.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import mean
from uuid import UUID

from api.embedders.minilm import MiniLM
from memory.candidates import AttributeCandidate, Mention
from memory.principals import Caller
from projections import attribute_versions
from projections.reading import Reader
from projections.retrieval.wanted import Wanted
from tests.bench.figures import Figures
from tests.bench.recall_data import Asked, beam, folder
from tests.bench.recall_worlds import CachedEmbedder, Loaded, bench_services, load, recall_with

UPDATES = ("knowledge_update",)
FACT_LENGTH = 300  # characters of a message that stand for its fact


@dataclass(frozen=True)
class Measured:
    fresh_first: float
    fresh5: float
    stale_only5: float


def main() -> None:
    path = folder()
    figures = Figures()
    embedder = CachedEmbedder(MiniLM())
    with bench_services() as services:
        recall = recall_with(services, embedder)

        def placed(loaded: Loaded, question: Asked) -> Measured:
            @contextmanager
            def reading() -> Iterator[tuple[Caller, Reader]]:
                with loaded.world.reading() as reader:
                    yield loaded.world.caller, reader

            wanted = Wanted(text=question.text, k=50, traced=False)
            hits = recall.retrieve(loaded.world.context_id, reading, wanted).hits
            keys = [loaded.keys.get(hit.turn_id or hit.id, "") for hit in hits]
            old, new = _first(keys, question.old), _first(keys, question.new)
            return Measured(float(new < old), float(new < 5), float(old < 5 <= new))

        alone, extracted, given, kept = [], [], [], []
        for talk in beam(path / "beam_100k"):
            questions = [one for one in talk.questions if one.category in UPDATES and one.old and one.new - one.old]
            loaded = load(services, talk, embedder)
            alone += [placed(loaded, question) for question in questions]
            read = load(services, talk, embedder, understood=True)
            extracted += [placed(read, question) for question in questions]
            facts = {
                key: _fact(number, text)
                for number, question in enumerate(questions)
                for key, text in _pair(loaded, question)
            }
            told = load(services, talk, embedder, facts=facts)
            given += [placed(told, question) for question in questions]
            kept += [_history(told, number) for number, _ in enumerate(questions)]
        figures.note(f"{len(alone)} questions about updates")
        _report(figures, "turns_alone", alone, stale=0.12)
        _report(figures, "extracted", extracted)
        _report(figures, "with_facts", given, fresh=0.9, stale=0.05)
        figures.add("old_value_in_history", mean(kept), "questions whose old value its history still tells", least=1)
    figures.finish()


def _first(keys: Sequence[str], wanted: frozenset[str]) -> int:
    return next((place for place, key in enumerate(keys) if key in wanted), len(keys) + 5)


def _pair(loaded: Loaded, question: Asked) -> Iterator[tuple[str, str]]:
    texts = {turn.key: turn.text for turn in loaded.talk.turns}
    for key in (min(question.old, key=int), max(question.new, key=int)):
        yield key, texts[key][:FACT_LENGTH]


def _fact(number: int, text: str) -> AttributeCandidate:
    entity = Mention(type="person", name="user")
    return AttributeCandidate(entity=entity, key=f"update_{number}", value=text, start=0, end=0)


def _history(loaded: Loaded, number: int) -> float:
    with loaded.world.reading() as reader:
        users = reader.tuples("SELECT e.id FROM {entities} AS e WHERE e.name_key = 'user'", {})
        ids: list[UUID] = [entity_id for (entity_id,) in users]
        return float(len(attribute_versions.history(reader, ids, f"update_{number}")) >= 2)


def _report(
    figures: Figures, name: str, measured: Sequence[Measured], *, stale: float | None = None, fresh: float | None = None
) -> None:
    figures.add(f"{name}_fresh_first", mean(one.fresh_first for one in measured), f"{name} fresh first", least=fresh)
    figures.add(f"{name}_fresh5", mean(one.fresh5 for one in measured), f"{name} fresh among the first five")
    found = mean(one.stale_only5 for one in measured)
    low, high = _wilson(found, len(measured))
    text = f"{name} stale only in five (95 of 100 times {low:.2f} to {high:.2f})"
    figures.add(f"{name}_stale_only5", found, text, most=stale)


def _wilson(share: float, count: int) -> tuple[float, float]:
    """The interval of a share of `count`, also where there are few (Wilson 1927)."""
    middle, spread = share + 1.96**2 / (2 * count), 1.96 * math.sqrt(share * (1 - share) / count + (0.98 / count) ** 2)
    return (middle - spread) / (1 + 1.96**2 / count), (middle + spread) / (1 + 1.96**2 / count)


if __name__ == "__main__":
    main()
