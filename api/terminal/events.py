"""Commands over the log itself: printing it, folding it again, proving it."""

import json
import sys
from dataclasses import asdict
from typing import Any

import click
import msgspec

from api.ids import moment, parse_session, ulid
from api.settings.config import from_env
from api.shapes import refs
from api.terminal.contexts import opened
from api.terminal.progress import event_progress
from memory.recorded import StoredRow
from projections import rebuild, verification
from projections.event_filter import EventFilter

EVENT_LIMIT = 100


@click.command()
@click.option("--context", "context_id", help="Default: PALIMPSEST_CONTEXT.")
@click.option("--session", help="Only events of this session.")
@click.option("--entity", help="Only events about this entity, as <type>/<name>.")
@click.option("--topic", help="Only events of this type, such as AttributeAsserted.")
@click.option("--after", type=int, default=0, help="Only events after this position.")
@click.option("--limit", type=int, default=EVENT_LIMIT, show_default=True, help="At most so many; 0 for all.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def log(
    context_id: str | None,
    session: str | None,
    entity: str | None,
    topic: str | None,
    after: int,
    limit: int,
    as_json: bool,
) -> None:
    """Print the events of a context, oldest first."""
    settings = from_env()
    context_id = context_id or settings.context
    entity_name = refs.entity_name(entity, field="--entity") if entity else None
    wanted = EventFilter(session_id=parse_session(session) if session else None, topic=topic, entity=entity_name)
    with opened(context_id) as (services, connection, _):
        for row in wanted.matching(services.log, connection, context_id, after=after, limit=limit or None):
            click.echo(json.dumps(_event_json(row)) if as_json else _event_line(row))


@click.command()
@click.option("--context", "context_id", help="Only this context; default: all.")
@click.option("--compare", is_flag=True, help="Change nothing; list what would be decided otherwise today.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def replay(context_id: str | None, compare: bool, as_json: bool) -> None:
    """Rebuild the read models from the log, beside live writes."""
    if compare:
        _compare(context_id, as_json=as_json)
        return
    with opened(context_id) as (services, connection, contexts):
        rebuilt = {}
        for context, position in contexts.items():
            with event_progress(f"replay {context}", total=position, quiet=as_json) as progress:
                rebuilt[context] = rebuild.rebuild(services.log, connection, context, progress=progress)
    if as_json:
        click.echo(json.dumps({"events": rebuilt}))
    else:
        for context, events in rebuilt.items():
            click.echo(f"{context}: {events} events replayed")


def _compare(context_id: str | None, *, as_json: bool) -> None:
    from api.terminal.comparison import compared

    count = 0
    with opened(context_id) as (services, connection, contexts):
        for context, position in contexts.items():
            with event_progress(f"compare {context}", total=position, quiet=as_json) as progress:
                for one in compared(services, connection, context, progress):
                    count += 1
                    told = {
                        "context": context,
                        "position": one.position,
                        "turnId": ulid(one.turn_id),
                        "then": [[event.TOPIC, msgspec.to_builtins(event)] for event in one.then],
                        "now": [[event.TOPIC, msgspec.to_builtins(event)] for event in one.now],
                    }
                    click.echo(json.dumps(told) if as_json else _difference_lines(told))
    if not as_json:
        click.echo(f"{count} turns would be decided otherwise today")


def _difference_lines(told: dict[str, Any]) -> str:
    lines = [f"{told['context']}: position {told['position']}, turn {told['turnId']}"]
    lines += [f"  - {topic} {json.dumps(content)}" for topic, content in told["then"]]
    lines += [f"  + {topic} {json.dumps(content)}" for topic, content in told["now"]]
    return "\n".join(lines)


@click.command()
@click.option("--context", "context_id", help="Only this context; default: all.")
@click.option("--quick", is_flag=True, help="Chain, decoding and counts only, in one pass.")
@click.option("--since", "digest", help="A digest printed earlier: prove that nothing before it has changed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def verify(context_id: str | None, quick: bool, digest: str | None, as_json: bool) -> None:
    """Prove that the log is whole and that the read models follow from it.

    Prints a digest of all heads. Kept elsewhere and given back by --since, it proves that nothing before it was
    changed since, but what was erased, which is listed.
    """
    results = []
    kept = verification.kept_heads(digest) if digest else {}
    with opened(context_id) as (services, connection, contexts):
        for context, position in contexts.items():
            total = position if quick else 2 * position
            with event_progress(f"verify {context}", total=total, quiet=as_json) as progress:
                results.append(
                    verification.verify(
                        services.log, connection, context, quick=quick, kept=kept.get(context), progress=progress
                    )
                )
    if as_json:
        told = [{**asdict(one), "digest": verification.heads_digest([one])} for one in results]
        click.echo(json.dumps(told))
    else:
        for one in results:
            click.echo(f"{one.context_id}: {one.events} events, {one.problem or 'all good'}, head {one.head_hash[:16]}")
            before = kept[one.context_id][0] if one.context_id in kept else None
            for erasure in one.erasures:
                if before is not None and erasure.first <= before:
                    click.echo(f"  erased at {erasure.position} ({erasure.reason}): {erasure.events} contents")
        for gone in sorted(kept.keys() - {one.context_id for one in results}) if context_id is None else ():
            click.echo(f"{gone}: deleted since the digest was made")
        if not any(one.problem for one in results):
            click.echo(f"digest {verification.heads_digest(results)}")
    if any(one.problem for one in results):
        sys.exit(1)


def _event_json(row: StoredRow) -> dict[str, Any]:
    return {
        "context": row.originator_id,
        "position": row.originator_version,
        "topic": row.topic,
        "version": row.schema_version,
        "recordedAt": moment(row.recorded_at),
        "observedAt": moment(row.observed_at),
        "turnId": row.turn_id and ulid(row.turn_id),
        "sessionId": row.session_id and ulid(row.session_id),
        "principalId": row.principal_id and ulid(row.principal_id),
        "scopeSetId": str(row.scope_set_id) if row.scope_set_id else None,
        "payload": json.loads(row.state) if row.payload_salt is not None else None,
        "hash": row.hash.hex(),
    }


def _event_line(row: StoredRow) -> str:
    payload = row.state.decode() if row.payload_salt is not None else "(erased)"
    return f"{row.originator_version:>8}  {row.recorded_at:%Y-%m-%d %H:%M:%S}  {row.topic:<22} {payload}"
