"""`palimpsest extract`: turns understood by hand."""

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from api.errors import StartupError
from api.ids import parse_session, ulid
from api.settings.config import from_env
from api.terminal.contexts import opened
from api.work.recovery import learn_pending
from api.work.relearning import Wanted, estimate, learn_again
from memory.errors import ExtractorUnavailable, InvalidRequest
from memory.usage import Usage, total

if TYPE_CHECKING:
    from api.wiring import Services


@click.command()
@click.option("--pending", is_flag=True, help="Understand the turns that are not understood yet, those given up too.")
@click.option("--again", is_flag=True, help="Read turns that are understood once more, by another model.")
@click.option("--model", help="With --again: provider/model, such as openai/gpt-4o.")
@click.option("--session", help="With --again: only turns of this session.")
@click.option("--since", help="With --again: only turns said at this RFC 3339 time or later.")
@click.option("--dry-run", is_flag=True, help="With --again: only tell how many turns, and what they may cost.")
@click.option("--yes", is_flag=True, help="With --again: do not ask before it costs money.")
@click.option("--context", "context_id", help="Default: PALIMPSEST_CONTEXT.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def extract(pending: bool, again: bool, context_id: str | None, as_json: bool, **options: Any) -> None:
    """Understand turns by hand: those that wait, or old ones again with a better model."""
    if pending == again:
        raise StartupError("say either --pending or --again")
    with opened(context_id or from_env().context) as (services, _, contexts):
        ((context, position),) = contexts.items()
        if pending:
            _understand_pending(services, context, position, as_json=as_json)
        else:
            _read_again(services, context, as_json=as_json, **options)


def _understand_pending(services: "Services", context_id: str, position: int, *, as_json: bool) -> None:
    """Understand every turn that waits, and tell how many are understood now. Raises ExtractorUnavailable while the
    context's models may not be asked."""
    if hold := services.models.extraction_hold(context_id):
        raise ExtractorUnavailable(f"the turns wait ({hold})", kind=hold.kind)
    learnt = learn_pending(services, {context_id: position}, given_up=True)
    click.echo(json.dumps({"learnt": learnt}) if as_json else f"{learnt} turns understood")


def _read_again(
    services: "Services",
    context_id: str,
    *,
    model: str | None,
    session: str | None,
    since: str | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Tell what it may cost, ask, and read the turns again. Raises InvalidRequest."""
    if not model:
        raise InvalidRequest("--again needs a --model")
    wanted = Wanted(context_id, parse_session(session) if session else None, _moment(since))
    services.models.extractor(context_id, model)  # refuses what can't be asked before anything is told
    expected = estimate(services, wanted, model)
    if as_json:
        click.echo(json.dumps({"turns": expected.turns, "estimate": _json(expected.usage)}))
    else:
        click.echo(f"{expected.turns} turns, about {_told(expected.usage)}")
    if dry_run or not expected.turns:
        return
    if not yes:
        click.confirm(f"Read them again with {model}?", abort=True, err=True)
    outcomes = []
    for outcome in learn_again(services, wanted, model):
        outcomes.append(outcome)
        done = outcome.relearnt
        if as_json:
            told = {"turn": ulid(outcome.turn_id), "error": outcome.error}
            click.echo(json.dumps(told | ({"found": done.found, "closed": done.closed} if done else {})))
        elif done is None:
            click.echo(f"{ulid(outcome.turn_id)}: {outcome.error}")
        else:
            click.echo(f"{ulid(outcome.turn_id)}: {done.found} found, {done.closed} closed")
    took = total(one.relearnt.extraction.usage for one in outcomes if one.relearnt)
    read = sum(one.relearnt is not None for one in outcomes)
    if as_json:
        click.echo(json.dumps({"read": read, "usage": _json(took)}))
    else:
        click.echo(f"{read} of {len(outcomes)} turns read again: {_told(took)}")


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidRequest("--since must be an RFC 3339 time, such as 2026-03-01T00:00:00Z") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _json(usage: Usage) -> dict[str, float | None]:
    return {
        "calls": usage.calls,
        "inputTokens": usage.input_tokens,
        "outputTokens": usage.output_tokens,
        "cost": usage.cost,
    }


def _told(usage: Usage) -> str:
    digits = 2 if (usage.cost or 0) >= 1 else 4  # a turn costs less than a cent
    cost = "price unknown" if usage.cost is None else f"cost {usage.cost:.{digits}f}"
    return f"{usage.input_tokens:,} input and {usage.output_tokens:,} output tokens, {cost}"
