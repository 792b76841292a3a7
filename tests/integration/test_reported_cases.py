"""Faults reported of comparable systems, as cases of our own: what must be stored when words are understood well,
and what must not be stored when the local extractor reads them.

A good reading is prepared (`heard`); a local one is made (`World.say`). Names carry the ids of
`tests/data/reported_cases.py`.
"""

import re
from pathlib import Path

from tests.data.reported_cases import IDS, TOO

TESTS = Path(__file__).parents[1]


def test_every_reported_case_has_its_tests() -> None:
    cases = "".join(file.read_text() for file in TESTS.glob("*/test_reported_cases*.py"))
    named = re.findall(r"^def test_([a-z]{3})_(\d\d)_", cases, re.MULTILINE)
    tested = {f"{kind.upper()}-{number}" for kind, number in named}
    assert len(IDS) == len(set(IDS)) == 88
    assert tested == set(IDS)
    assert tested >= TOO.keys()
    for place in TOO.values():
        file, test = place.split(": ")[0].split("::")
        assert f"\ndef {test}(" in (TESTS / file).read_text(), place
