"""Conversations with questions for measuring recall: LoCoMo and BEAM, read where the caller keeps them."""

import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

DATA = "RECALL_DATA"
BATCH_MESSAGES = 50

CATEGORIES = {1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop", 5: "adversarial"}


@dataclass(frozen=True)
class Said:
    """One turn to remember. key: its name in the data. session: the number of its session."""

    key: str
    session: int
    role: str
    text: str
    said_at: datetime | None


@dataclass(frozen=True)
class Asked:
    """A question. evidence: keys of the turns that answer it. old, new: keys, where one fact replaced another."""

    text: str
    category: str
    evidence: frozenset[str]
    old: frozenset[str] = frozenset()
    new: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Talk:
    name: str
    turns: list[Said]
    questions: list[Asked]
    sessions: dict[str, int] = field(default_factory=dict)


def folder() -> Path:
    """The folder with locomo/ and beam_100k/. Exits with a clear word if there is none."""
    path = os.environ.get(DATA)
    if not path or not Path(path).is_dir():
        sys.exit(f"set {DATA} to a folder with locomo/locomo_dev.json and beam_100k/N/; it is not part of the project")
    return Path(path)


def locomo(path: Path) -> Iterator[Talk]:
    """One memory a dialog turn, "Speaker: words" and the caption of a shared picture, at the session's time."""
    for sample in json.loads(path.read_text(encoding="utf-8")):
        conversation = sample["conversation"]
        turns: list[Said] = []
        for number in range(1, 100):
            said_at = conversation.get(f"session_{number}_date_time")
            for turn in conversation.get(f"session_{number}") or []:
                caption = turn.get("blip_caption")
                text = f"{turn['speaker']}: {turn['text']}" + (f" ({caption})" if caption else "")
                turns.append(Said(turn["dia_id"], number, "user", text, _moment(said_at)))
        keys = {turn.key for turn in turns}
        questions = [
            Asked(qa["question"], CATEGORIES[qa["category"]], evidence)
            for qa in sample["qa"]
            if (evidence := frozenset(_keys(qa.get("evidence") or [])) & keys)
        ]
        yield Talk(sample["sample_id"], turns, questions, {turn.key: turn.session for turn in turns})


def observations(path: Path) -> Iterator[Talk]:
    """What each dialog turn tells as a short sentence of its own, with no neighbours, each in its own session. The
    evidence of a question is what its evidence's turns told."""
    spoken = {talk.name: talk for talk in locomo(path)}
    for sample in json.loads(path.read_text(encoding="utf-8")):
        talk = spoken[sample["sample_id"]]
        times = {turn.key: turn.said_at for turn in talk.turns}
        told = [
            (text, sorted(set(_keys(_flat([of]))) & times.keys()))
            for by_speaker in sample["observation"].values()
            for observed in by_speaker.values()
            for text, of in observed
        ]
        told = [(text, keys) for text, keys in told if keys]
        turns = [Said(str(place), place, "user", text, times[keys[0]]) for place, (text, keys) in enumerate(told)]
        questions = [
            Asked(question.text, question.category, evidence)
            for question in talk.questions
            if (evidence := frozenset(str(place) for place, (_, of) in enumerate(told) if question.evidence & set(of)))
        ]
        yield Talk(f"{talk.name}-facts", turns, questions, {turn.key: turn.session for turn in turns})


def beam(path: Path) -> Iterator[Talk]:
    """Messages in batches of BATCH_MESSAGES, each batch a session, without times."""
    for chat in sorted(path.iterdir(), key=lambda chat: int(chat.name)):
        messages = [
            message
            for batch in json.loads((chat / "chat.json").read_text(encoding="utf-8"))
            for turn in batch["turns"]
            for message in turn
        ]
        turns = [
            Said(str(message["id"]), place // BATCH_MESSAGES, message["role"], message["content"], None)
            for place, message in enumerate(messages)
        ]
        probes = json.loads((chat / "probing_questions.json").read_text(encoding="utf-8"))
        yield Talk(chat.name, turns, list(_probes(probes)), {turn.key: turn.session for turn in turns})


def _probes(probes: dict[str, Any]) -> Iterator[Asked]:
    for category, questions in probes.items():
        for question in questions:
            ids = question.get("source_chat_ids")
            parts = ids if isinstance(ids, dict) else {"all": ids or []}
            old = parts.get("original_info") or parts.get("first_statement") or []
            new = parts.get("updated_info") or parts.get("second_statement") or []
            evidence = frozenset(str(key) for part in parts.values() for key in _flat(part))
            yield Asked(
                question["question"],
                category,
                evidence,
                frozenset(map(str, _flat(old))),
                frozenset(map(str, _flat(new))),
            )


def _flat(part: Any) -> list[Any]:
    return [key for inner in part for key in _flat(inner)] if isinstance(part, list) else [part]


def _keys(evidence: list[str]) -> Iterator[str]:
    for text in evidence:
        yield from (f"D{int(one)}:{int(two)}" for one, two in re.findall(r"D(\d+):(\d+)", text))


def _moment(text: str) -> datetime:
    return datetime.strptime(text.strip(), "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
