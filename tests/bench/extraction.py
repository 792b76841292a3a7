"""Quality and cost of local extraction: `make bench NAME=extraction [FILE=sentences.txt]`.

Any file of the form described in `tests.labelled` will do, whatever its keys are called; without one, the regression
set is scored, letter by letter.
"""

import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from memory.extraction.local import LocalExtractor
from memory.values import Role
from tests.bench.figures import Figures
from tests.bench.wording import differs_in_sign, means
from tests.labelled import SENTENCES, Score, add, labelled

SAID_AT = datetime(2026, 11, 30, 12, tzinfo=UTC)


def scored(path: Path) -> tuple[Score, float]:
    """The score of a file, and CPU-milliseconds a turn."""
    extractor = LocalExtractor()
    extractor.load()
    extractor.extract("I live in Porto.", role=Role.USER, said_at=SAID_AT)
    score, turns = Score(), list(labelled(path))
    begin = time.process_time()
    for turn in turns:
        found = extractor.extract(turn.text, role=Role.USER, said_at=SAID_AT, earlier=turn.earlier)
        if path == SENTENCES:
            add(score, turn, found.candidates)
        else:
            add(score, turn, found.candidates, means=means, differs_in_sign=differs_in_sign)
    return score, (time.process_time() - begin) * 1000 / len(turns)


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else SENTENCES
    score, cpu_ms = scored(path)
    for title, lines in (("wrong", score.wrong), ("missed", score.missed), ("polarity", score.polarity_errors)):
        for line in lines:
            print(f"{title:8} {line}")
    figures = Figures()
    figures.add("precision", score.precision, "of the facts given, those that are said", least=0.85)
    figures.add("recall", score.recall, f"of {score.expected} facts said, those that are given", least=0.55)
    for kind, (found, expected) in sorted(score.by_kind.items()):
        figures.add(f"recall_{kind.replace(' ', '_')}", found / expected, f"of {expected}")
    figures.add("polarity_errors", len(score.polarity_errors), "facts given with the sign turned round", most=0)
    talk = score.small_talk_with_facts / max(score.small_talk, 1)
    figures.add("small_talk", talk, f"share of {score.small_talk} turns of small talk that give a fact", most=0.03)
    made = score.corrections_made / max(score.corrections, 1)
    figures.add("corrections", made, f"of {score.corrections} spoken corrections, those that give one", least=0.5)
    figures.add("local_extractor_cpu_ms", cpu_ms, "CPU-ms a turn")
    figures.finish()


if __name__ == "__main__":
    main()
