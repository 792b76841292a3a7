"""Letting memories of the moment lapse, daily, in contexts whose configuration says `lifecycle.expire: true`."""

from collections.abc import Iterator

from api.settings.context_settings import context_settings
from api.wiring import Services
from api.work.recovery import heads
from api.work.worker import Ids, Task
from memory.administration import ADMIN
from projections.access import caller_of_principal, every_scope_set
from projections.directory import ReadModelDirectory
from projections.reading import snapshot

EVERY_S = 86_400


def waiting(services: Services) -> Iterator[Ids]:
    for context_id in heads(services):
        if _expires(services, context_id):
            yield {"context_id": context_id}


def run(services: Services, ids: Ids) -> None:
    with services.pool.connection() as connection:
        caller = caller_of_principal(connection, ids["context_id"], ADMIN)
    if caller is not None:
        services.lifecycle.expire(caller)


def _expires(services: Services, context_id: str) -> bool:
    with services.pool.connection() as connection, snapshot(connection), connection.cursor() as cursor:
        generation, _ = every_scope_set(connection, context_id)
        configuration = ReadModelDirectory(cursor, context_id, generation).configuration()
    lifecycle = context_settings(services.settings.config, configuration).effective.get("lifecycle")
    return isinstance(lifecycle, dict) and lifecycle.get("expire") is True


EXPIRY = Task("expire_context_rows", run, waiting, every_s=EVERY_S)
