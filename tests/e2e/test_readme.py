"""The README keeps its word: its tour runs as printed, and what it lists is there."""

import json
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from api.settings.config import KNOWN_NAMES
from api.terminal.cli import COMMANDS
from tests.servers import COMMAND, ServerProcess, environment, run_command

REPOSITORY = Path(__file__).resolve().parents[2]
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
CONTEXT = "readme"
COMMAND_IN_README = ".venv/bin/palimpsest"
TOUR = re.compile(r"^<!-- tour -->\n```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BORDER = "--- the next block of the tour ---"
TOUR_TIMEOUT_S = 120

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Toured:
    """What the four blocks of the tour printed, and when they ran."""

    writes: str
    reads: str
    conversation: str
    commands: str
    months_before: set[datetime]


def section(title: str) -> str:
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", README, re.MULTILINE | re.DOTALL)
    assert found is not None, f"README.md has no section {title!r}"
    return found[1]


def jsons(text: str) -> list[Json]:
    """The JSON values that stand behind each other in `text`."""
    decoder, values, at = json.JSONDecoder(), [], 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        value, at = decoder.raw_decode(text, at)
        values.append(value)
    return values


def month_before(now: datetime) -> datetime:
    """The first of the month before."""
    first = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return (first - timedelta(days=1)).replace(day=1)


@pytest.fixture(scope="module")
def toured(server: ServerProcess) -> Toured:
    """The tour, run once in one shell in a context in which nothing was said before."""
    for program in ("bash", "curl", "python3"):
        assert shutil.which(program), f"the README's tour needs {program}, which is not on the PATH"
    settings = {**server.settings, "CONTEXT": CONTEXT}
    made = run_command(server.home, "bootstrap", "--json", **settings)
    assert made.returncode == 0, made.stderr
    blocks = TOUR.findall(README)
    assert len(blocks) == README.count("<!-- tour -->") == 4
    script = f"\necho; echo {shlex.quote(BORDER)}\n".join(blocks)
    started = datetime.now(UTC)
    ran = subprocess.run(
        ["bash", "-c", "set -euo pipefail\n" + script.replace(COMMAND_IN_README, shlex.quote(str(COMMAND)))],
        cwd=REPOSITORY,
        env={
            **environment(server.home, **settings),
            "KEY": json.loads(made.stdout)["api_key"],
            "API": f"{server.url}/api/v1/{CONTEXT}",
        },
        capture_output=True,
        text=True,
        timeout=TOUR_TIMEOUT_S,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    writes, reads, conversation, commands = ran.stdout.split(BORDER)
    return Toured(writes, reads, conversation, commands, {month_before(started), month_before(datetime.now(UTC))})


# --- the tour -----------------------------------------------------------------------------------


def test_the_second_answer_holds_the_correction_as_it_is_printed_in_the_readme(toured: Toured) -> None:
    first, second, _ = (answer["extraction"] for answer in jsons(toured.writes))
    assert [row["value"] for row in first["attributes"]] == ["Head of Platform"]
    assert first["corrections"] == []
    (correction,) = second["corrections"]
    assert (correction["key"], correction["oldValue"], correction["newValue"]) == (
        "job_title",
        "Head of Platform",
        "CTO",
    )
    printed = re.findall(r"`(\"oldValue\":[^`]+)`", README)
    assert len(printed) == 1
    assert printed[0] in toured.writes


def test_the_third_answer_has_only_berlin_from_the_first_of_last_month(toured: Toured) -> None:
    third = jsons(toured.writes)[2]["extraction"]
    (city,) = third["attributes"]
    assert (city["key"], city["value"]) == ("location", "Berlin")
    assert datetime.fromisoformat(city["validFrom"]) in toured.months_before
    assert third["corrections"] == []
    assert third["relations"] == []


def test_the_conversation_gives_a_linked_history_of_cities_and_their_corrections(toured: Toured) -> None:
    history, corrections = jsons(toured.conversation)
    cities = [row["value"] for row in history["history"]]
    assert cities == ["Hamburg", "Copenhagen", "Malmö", "Gothenburg"]
    told = {(row["previous"]["value"], row["current"]["value"]) for row in corrections["corrections"]}
    assert set(pairwise(reversed(cities))) <= told


def test_the_reads_answer_what_was_told(toured: Toured) -> None:
    state, entity, history, corrections, turns = jsons(toured.reads)
    known = {
        (row["key"], row["value"])
        for category in ("identity", "knowledge", "context")
        for row in state[category]["attributes"]
    }
    assert known == {("job_title", "CTO"), ("location", "Berlin")}
    assert {(row["key"], row["value"]) for row in entity["attributes"]} == known
    assert [(row["label"], row["object"]) for row in entity["relations"]] == [("works_at", "entity:organisation/acme")]
    newest, oldest = history["history"]
    assert (newest["value"], oldest["value"]) == ("CTO", "Head of Platform")
    assert (newest["supersedes"], oldest["supersededBy"]) == (oldest["id"], newest["id"])
    assert oldest["validUntil"] == newest["validFrom"]
    (correction,) = corrections["corrections"]
    assert (correction["previous"]["value"], correction["current"]["value"]) == ("Head of Platform", "CTO")
    assert [turn["content"] for turn in turns["turns"]] == [
        "I'm Alice, Head of Platform at Acme.",
        "I just got promoted to CTO",
        "Actually I moved to Berlin last month",
    ]


def test_the_commands_show_the_events_and_prove_that_all_is_good(toured: Toured) -> None:
    lines = [line for line in toured.commands.splitlines() if line]
    events = [line for line in lines if re.match(r" +\d+  \d{4}-\d\d-\d\d ", line)]
    for expected in ("Head of Platform", "CTO", "Berlin"):
        assert any("AttributeAsserted" in line and expected in line for line in events), lines
    (replayed,) = (line for line in lines if line.startswith(f"{CONTEXT}: ") and line.endswith(" events replayed"))
    (verified,) = (line for line in lines if line.startswith(f"{CONTEXT}: ") and " all good" in line)
    assert replayed.split()[1] == verified.split()[1] != "0"


# --- what it lists ------------------------------------------------------------------------------


def test_the_readme_names_every_setting_and_no_other() -> None:
    assert set(re.findall(r"PALIMPSEST_[A-Z_]+", README)) == KNOWN_NAMES
    assert {row.strip("`") for row in first_column(section("Operating it"))} == KNOWN_NAMES


def test_the_readme_names_every_command_and_no_other() -> None:
    found = re.findall(r"`palimpsest ([a-z]+(?: \| [a-z]+)+)`", README)
    named = {name for group in found for name in group.split(" | ")} | set(re.findall(r"`palimpsest ([a-z]+)`", README))
    assert named == set(COMMANDS)


def test_everything_on_the_map_exists_and_every_package_is_on_it() -> None:
    on_the_map = set()
    for row in first_column(section("Map of the code")):
        names = re.findall(r"`([^`]+)`", row)
        assert names, row
        for name in names:
            # "`projections/entities.py`, `attribute_versions.py`": the later ones lie beside the first.
            places = [REPOSITORY / name, REPOSITORY / Path(names[0]).parent / name]
            assert any(place.exists() for place in places), f"{name} is on the map, but not there"
            on_the_map.add(next(place for place in places if place.exists()).relative_to(REPOSITORY).parts[0])
    packages = {file.parent.name for file in REPOSITORY.glob("[!.]*/__init__.py")}
    assert packages <= on_the_map


def test_every_link_to_a_file_leads_somewhere() -> None:
    targets = [target for target in re.findall(r"\]\(([^)#]+)\)", README) if "://" not in target]
    assert targets
    for target in targets:
        assert (REPOSITORY / target).exists(), f"the README links to {target}, which is not there"


def first_column(text: str) -> list[str]:
    """The first cells of the rows of the only table in `text`, without its head."""
    rows = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("|")]
    assert rows[1].startswith("---")
    return rows[2:]
