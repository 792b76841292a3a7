"""The buffer of traces."""

from datetime import timedelta

from memory.log import Pool
from projections import traces
from projections.row_buffer import FLUSH_INTERVAL_S, HELD_MAX, RowBuffer
from projections.traces import Trace

__all__ = ["FLUSH_INTERVAL_S", "HELD_MAX", "TraceBuffer"]


class TraceBuffer(RowBuffer[Trace]):
    """Holds traces until they are written. retention: how long traces are kept."""

    def __init__(self, pool: Pool, retention: timedelta) -> None:
        super().__init__(pool, name="traces", write=traces.write, expire=traces.expire, retention=retention)
