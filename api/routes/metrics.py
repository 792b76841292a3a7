"""GET /metrics, in Prometheus form: this process's requests, and what the database knows of all.

Totals over all contexts tell how busy others are, so it takes a key: one that does nothing else, or a management
key. Prometheus sends it with `authorization: {credentials: …}`.
"""

from collections.abc import Iterator
from hmac import compare_digest

from prometheus_client import generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.responses import Response

from api.http.calls import Call, key_in
from api.http.exchanges import Exchange
from api.wiring import Services
from api.work.queue import QUEUE_SCHEMA
from memory.remember import ExtractionStatus
from projections.backlog import pending_extractions

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

TOTALS = """
SELECT count(*), coalesce(sum(position), 0)::bigint, coalesce(max(position), 0) FROM contexts WHERE deleted_at IS NULL
"""

DEPTH = f"SELECT count(*) FROM {QUEUE_SCHEMA}.procrastinate_jobs WHERE status IN ('todo', 'doing')"


OUTCOMES = (
    ExtractionStatus.COMPLETE,
    ExtractionStatus.NOTHING_FOUND,
    ExtractionStatus.PENDING,
    ExtractionStatus.FAILED,
)


class DatabaseCollector(Collector):
    """Gauges that are the same whichever process is asked."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def collect(self) -> Iterator[Metric]:
        with self._services.pool.connection() as connection:
            row = connection.execute(TOTALS).fetchone()
            assert row is not None
            contexts, events, highest = row
            pending = pending_extractions(connection)
        yield GaugeMetricFamily("palimpsest_contexts", "Contexts that are not deleted.", contexts)
        yield GaugeMetricFamily("palimpsest_events", "Events in all their logs.", events)
        yield GaugeMetricFamily("palimpsest_position_max", "The highest position of a context.", highest)
        yield GaugeMetricFamily(
            "palimpsest_queue_depth", "Background jobs waiting or running.", queue_depth(self._services)
        )
        yield GaugeMetricFamily(
            "palimpsest_extractions_pending", "Turns that wait to be understood, in all contexts.", pending
        )

        extractions = CounterMetricFamily(
            "palimpsest_extractions",
            "Extractions by outcome; pending ones failed.",
            labels=("outcome",),
        )
        for outcome in OUTCOMES:
            extractions.add_metric((outcome.value,), self._services.memory.outcomes[outcome])
        yield extractions

    def describe(self) -> list[Metric]:
        """Nothing: else registering would ask the database."""
        return []


def queue_depth(services: Services) -> int:
    """Background jobs that wait or run."""
    with services.pool.connection() as connection:
        row = connection.execute(DEPTH.encode()).fetchone()
        assert row is not None
        return int(row[0])


def _require_scraper(call: Call) -> None:
    """Raises Unauthorised."""
    key = call.services.settings.metrics_api_key
    if key is None or not compare_digest(key_in(call.headers).encode(), key.encode()):
        call.require_operator()


async def get_metrics(exchange: Exchange) -> Response:
    await exchange.read(lambda: _require_scraper(exchange.call))
    observation = exchange.request.app.state.observation
    content = await exchange.read(lambda: generate_latest(observation.registry))
    return Response(content, media_type=CONTENT_TYPE)
