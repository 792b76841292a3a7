"""The part of the configuration that a context sets itself, secrets included, for the server's own use."""

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from memory.administration import merged
from memory.log import Pool
from projections import provider_keys
from projections.access import generation_of
from projections.directory import ReadModelDirectory
from projections.reading import snapshot

KEPT_S = 2.0  # so long another process's change may stay unseen
CONTEXTS_KEPT = 1_000


class Overrides:
    """Contexts' own configurations, laid out as the configuration file. Shared by all threads."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[float, Mapping[str, Any], bool]] = OrderedDict()

    def of(self, context_id: str) -> Mapping[str, Any]:
        """Empty for a context that has none, or is not there."""
        return self._current(context_id)[0]

    def is_blocked(self, context_id: str) -> bool:
        """Whether the operator has stopped what costs money."""
        return self._current(context_id)[1]

    def _current(self, context_id: str) -> tuple[Mapping[str, Any], bool]:
        now = time.monotonic()
        with self._lock:
            kept = self._kept.get(context_id)
        if kept is not None and now - kept[0] < KEPT_S:
            return kept[1:]
        found = self._read(context_id)
        with self._lock:
            self._kept[context_id] = (now, *found)
            if len(self._kept) > CONTEXTS_KEPT:
                self._kept.popitem(last=False)
        return found

    def forget(self, context_id: str) -> None:
        """The context was configured just now."""
        with self._lock:
            self._kept.pop(context_id, None)

    def _read(self, context_id: str) -> tuple[Mapping[str, Any], bool]:
        with self._pool.connection() as connection, snapshot(connection), connection.cursor() as cursor:
            generation = generation_of(connection, context_id)
            if generation is None:
                return {}, False
            own = ReadModelDirectory(cursor, context_id, generation).configuration()
            providers = provider_keys.of(cursor, context_id)
        config = own.config if own else {}
        config = merged(config, {"providers": providers}) if providers else config
        return config, bool(own and own.enforcement_blocked)
