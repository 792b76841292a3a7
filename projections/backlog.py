"""How much waits to be understood, over all contexts: one number for whoever runs the server."""

from memory.log import Connection

PENDING = """
SELECT count(*) FROM contexts AS c JOIN extractions AS e
    ON e.context_id = c.context_id AND e.generation = c.generation AND e.position_to IS NULL AND e.status = 'pending'
WHERE c.deleted_at IS NULL
"""


def pending_extractions(connection: Connection) -> int:
    """Turns that wait for their extraction, or for the next attempt at it."""
    row = connection.execute(PENDING).fetchone()
    assert row is not None
    return int(row[0])
