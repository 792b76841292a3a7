"""Answers as tables and coloured text. Everything from the server is shown as text, never as markup."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

Json = dict[str, Any]

_KEY = re.compile(r"\['(\w+)', '(.+)'\]", re.DOTALL)


def console() -> Console:
    """Standard output; without a terminal no colours, and lines of any length."""
    plain = Console()
    return plain if plain.is_terminal else Console(width=200, highlight=False, soft_wrap=True)


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Table:
    shown = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        shown.add_column(column, overflow="fold")
    for row in rows:
        shown.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    return shown


def learnt(answer: Json) -> Iterable[Table | Text]:
    """What a write changed."""
    extraction = answer.get("extraction") or {}
    yield Text(f"session {answer.get('sessionId')}  turn {answer.get('turnId')}", style="dim")
    shown = list(changed(extraction))
    yield from shown or [Text(f"nothing learnt ({extraction.get('status', 'not asked')})", style="dim")]


def changed(extraction: Json) -> Iterable[Table | Text]:
    """What a turn brought, nothing if it brought nothing."""

    def kind(name: str) -> list[Json]:
        return extraction.get(name) or []

    rows = [
        *((entity(row["entityId"]), row["key"], row["value"]) for row in kind("attributes")),
        *((entity(row["subject"]), row["label"], entity(row["object"])) for row in kind("relations")),
        *((entity(row["actor"]), "action", row["summary"]) for row in kind("actions")),
        *(("", "instruction", row["description"]) for row in kind("instructions")),
        *(("", "uncertain", row["about"]) for row in kind("uncertainties")),
    ]
    if rows:
        yield table(("entity", "key", "value"), rows)
    for row in kind("corrections"):
        yield Text(f"corrected: {row['key']}: {row['oldValue']} → {row['newValue']}", style="yellow")


def hits(answer: Json) -> Iterable[Table | Text]:
    found = answer.get("hits") or []
    yield Text(f"{len(found)} hits, tier {answer.get('tier')}, {answer.get('queryMs')} ms", style="dim")
    if found:
        rows = ((f"{hit['score']:.2f}", hit["source"], day(hit.get("occurredAt")), hit["text"]) for hit in found)
        yield table(("score", "source", "when", "text"), rows)


def versions(answer: Json) -> Table:
    rows = (
        (row["value"], day(row.get("validFrom")), day(row.get("validUntil")) or "now", row.get("standing") or "")
        for row in answer.get("history") or []
    )
    return table(("value", "from", "until", "standing"), rows)


def sessions(answer: Json) -> Table:
    rows = (
        (row["id"], day(row.get("createdAt")), day(row.get("closedAt")), _scopes(row.get("scopes") or []))
        for row in answer.get("sessions") or []
    )
    return table(("session", "since", "closed", "scopes"), rows)


def _scopes(clauses: Iterable[Iterable[str]]) -> str:
    """An OR of ANDs, as one reads it."""
    return " or ".join(" and ".join(clause) for clause in clauses)


def turns(answer: Json) -> Table:
    rows = ((day(row.get("createdAt")), row["role"], row["content"]) for row in answer.get("turns") or [])
    return table(("when", "role", "text"), rows)


def documents(found: Iterable[Json]) -> Table:
    rows = (
        (
            row["id"],
            row.get("title"),
            row["status"],
            row.get("chunkCount"),
            row.get("error") or row.get("notice") or row.get("mimeType"),
        )
        for row in found
    )
    return table(("document", "title", "status", "chunks", "type or error"), rows)


def chunks(found: Iterable[Json]) -> Table:
    rows = ((row["position"], row.get("section"), f"{row['charStart']}-{row['charEnd']}", row["text"]) for row in found)
    return table(("#", "section", "characters", "text"), rows)


def found_chunks(results: Iterable[Json]) -> Table:
    rows = (
        (f"{row['score']:.2f}", row["document"]["title"], row["chunk"].get("section"), row["chunk"]["text"])
        for row in results
    )
    return table(("score", "document", "section", "text"), rows)


def state(answer: Json) -> Iterable[Table | Text]:
    """What is known, a table for each category, and what is said of it all below."""
    is_empty = True
    for category, held in answer.items():
        if isinstance(held, dict) and (rows := _known(held)):
            is_empty = False
            yield Text(category, style="bold")
            yield table(("entity", "key", "value", "since"), rows)
            yield Text()
    for name, title in (("instructions", "instructions"), ("unknowns", "doubts")):
        if listed := answer.get(name):
            is_empty = False
            yield Text(title, style="bold")
            yield from (Text(f"- {one.get('description') or one.get('about')}") for one in listed)
            yield Text()
    if is_empty:
        yield Text("nothing is known", style="dim")
    cut = [name for name, is_cut in (answer.get("truncated") or {}).items() if is_cut]
    if cut:
        yield Text(f"there is more: {', '.join(cut)} (--json, or the lists of the API)", style="dim")


def _known(held: Json) -> list[tuple[Any, ...]]:
    """Rows of a category: its facts, and the entities of which nothing else is known in it."""
    rows = [
        *(
            (entity(row["entity"]), row["key"], _standing(row, row["value"]), day(row.get("validFrom")))
            for row in held.get("attributes") or []
        ),
        *(
            (
                entity(row["subject"]),
                row["label"],
                _standing(row, entity(row["object"])),
                day(row.get("validFrom")),
            )
            for row in held.get("relations") or []
        ),
        *(
            (entity(row["actor"]), row["verb"], row["summary"], day(row.get("occurredAt")))
            for row in held.get("actions") or []
        ),
    ]
    told = {row[0] for row in rows}
    alone = (entity(row["id"]) for row in held.get("entities") or [])
    return sorted([*rows, *((name, "", "", "") for name in alone if name not in told)], key=lambda row: row[:2])


def _standing(row: Json, value: str) -> str:
    return f"{value} (not confirmed)" if row.get("standing") == "claimed" else value


def nested(content: Any, depth: int = 0) -> Iterable[Text]:
    """Any JSON value as indented lines, empty parts left out."""
    indent = "  " * depth
    if isinstance(content, dict):
        for name, value in content.items():
            if isinstance(value, dict | list):
                if value:
                    yield Text(f"{indent}{name}", style="bold")
                    yield from nested(value, depth + 1)
            elif value not in (None, ""):
                yield Text.assemble(indent, (f"{name}: ", "dim"), str(value))
    elif isinstance(content, list):
        for value in content:
            if isinstance(value, dict):
                yield Text(f"{indent}-")
                yield from nested(value, depth + 1)
            else:
                yield Text(f"{indent}- {value}")


def entity(ref: Any) -> str:
    """An entity as person/alice, however the answer names it."""
    found = _KEY.fullmatch(str(ref or ""))
    return f"{found[1]}/{found[2]}" if found else str(ref or "").removeprefix("entity:")


def day(moment: Any) -> str:
    return str(moment or "")[:16].replace("T", " ")
