"""What becomes of memories of the moment: rows of the category `context` lapse when nobody has said them again.

How much anything matters fades by itself and is worked out when it is read (`memory.importance`); only a
lapse is an event, and one names all rows that lapse together.
"""

from datetime import timedelta

from memory.events import ContextRowsExpired
from memory.log import EventLog
from memory.ports import Knowledge
from memory.principals import Caller
from memory.recorded import Origin

CONTEXT_TTL = timedelta(days=7)


class Lifecycle:
    """Use cases of the passing of time."""

    def __init__(self, log: EventLog, knowledge: Knowledge) -> None:
        self.log = log
        self.knowledge = knowledge

    def expire(self, caller: Caller, *, ttl: timedelta = CONTEXT_TTL) -> int:
        """End what was last said longer than `ttl` ago, where the caller may write. Returns how many rows.

        What is stated to end by itself, or to begin later, is left to its own time.
        """
        with self.log.writing(caller.context_id) as writing:
            lapsed = self.knowledge.lapsed(writing, caller.writable, before=writing.now - ttl)
            if lapsed.rows:
                event = ContextRowsExpired(
                    attributes=tuple(lapsed.attributes),
                    relations=tuple(lapsed.relations),
                    actions=tuple(lapsed.actions),
                )
                writing.record([event], Origin(principal_id=caller.principal_id))
            return lapsed.rows
