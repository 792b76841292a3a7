"""GET /health: is the server there, and are its models."""

from importlib.metadata import version
from typing import Any

import migrations
from api.http.calls import Call
from api.routes.metrics import queue_depth

PING = "SELECT 1"


def get_health(call: Call) -> tuple[int, dict[str, Any]]:
    services = call.services
    embedder = services.embedder.embedder
    # Of contexts' own models nothing is told here: anybody may ask.
    failing = services.models.failing | services.embedders.failing(services.models.server.embedding_choice)
    with services.pool.connection() as connection:
        connection.execute(PING)
    return 200, {
        "status": "ok",
        "version": version("palimpsest"),
        "database": "external" if services.settings.database_url else "embedded",
        "migrations": migrations.HEAD,
        "log_guard": services.database.log_guard,
        "models": "degraded" if failing else "ready" if services.extractor.ready else "loading",
        "failing": failing,
        "extractor": services.extractor.name,
        "queue_depth": queue_depth(services),
        "embedder": {"model": embedder.model, "status": "ready" if embedder.ready else "loading"},
    }
