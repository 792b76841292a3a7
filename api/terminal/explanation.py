"""`palimpsest explain`: the story of a fact, from this machine's database or from a server."""

import json

import click

from api.errors import StartupError
from api.settings.config import from_env
from api.shapes import refs, story
from api.terminal.commands import client_of, remote_story
from api.terminal.contexts import opened
from api.terminal.target import is_chosen
from memory.values import attribute_key
from projections.access import every_scope_set
from projections.reading import Reader, snapshot


@click.command()
@click.argument("entity")
@click.argument("key")
@click.option("--context", "--context-id", "context_id", help="Default: PALIMPSEST_CONTEXT.")
@click.option("--url", help="Ask this server; default: the profile's, else the database of this machine.")
@click.option("--api-key", help="A key of the context, for --url.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def explain(entity: str, key: str, context_id: str | None, url: str | None, api_key: str | None, as_json: bool) -> None:
    """Tell the history of a fact: explain person/alice job_title."""
    if url or api_key or is_chosen():
        with client_of(url, api_key, context_id) as memory:
            told = remote_story(memory, entity, key)
        click.echo(json.dumps(told["chapters"]) if as_json else told["text"])
        return
    name = refs.entity_name(entity, field="entity")
    with opened(context_id or from_env().context) as (_, connection, contexts), snapshot(connection):
        cursor = connection.cursor()
        (context,) = contexts
        generation, seen = every_scope_set(connection, context)
        chapters = story.chapters(Reader(cursor, context, generation, seen), name, attribute_key(key))
    if not chapters:
        raise StartupError(f"nothing is known of {key} of {entity}")
    if as_json:
        click.echo(json.dumps(chapters))
    else:
        click.echo("\n".join(story.told(chapters)))
