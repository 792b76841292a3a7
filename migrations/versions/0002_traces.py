"""Traces: what each question brought back, and why."""

from alembic import op

revision = "0002"
down_revision = "0001"

# region: the patterns that the asking principal might read, as JSON; a trace is shown to those who may read them all.
# retrievals: as `projections.traces.Retrieval`, as JSON; ids, numbers and the server's own words only.
# query_text: the question; null where the turn `user_turn_id` holds it.
TRACES = """
CREATE TABLE traces (
    context_id text NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('retrieval', 'response')),
    created_at timestamptz NOT NULL,
    region text NOT NULL,
    principal_id uuid NOT NULL,
    session_id uuid,
    query_text text,
    tier text NOT NULL,
    tier_reason text NOT NULL,
    latency_ms integer NOT NULL CHECK (latency_ms >= 0),
    candidates integer NOT NULL CHECK (candidates >= 0),
    returned integer NOT NULL CHECK (returned >= 0),
    retrievals text NOT NULL,
    source text,
    cached boolean NOT NULL,
    reused_from uuid,
    user_turn_id uuid,
    reply_turn_id uuid,
    model text,
    cost double precision NOT NULL,
    PRIMARY KEY (context_id, id)
)
"""

TRACES_BY_REGION = "CREATE INDEX traces_by_region ON traces (context_id, region, id)"


def upgrade() -> None:
    op.execute(TRACES)
    op.execute(TRACES_BY_REGION)
