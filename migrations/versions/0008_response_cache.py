"""Replies that may be given again."""

from alembic import op

revision = "0008"
down_revision = "0007"

# Words are in reply and sources only; key_digest stands for the question's names, numbers and the caller's region.
RESPONSE_CACHE = """
CREATE TABLE response_cache (
    context_id text NOT NULL,
    id uuid NOT NULL,
    principal_id uuid NOT NULL,
    key_digest bytea NOT NULL,
    embedding real[] NOT NULL,
    position bigint NOT NULL,
    created_at timestamptz NOT NULL,
    seeds uuid[] NOT NULL,
    facts uuid[] NOT NULL,
    passages uuid[] NOT NULL,
    reply text NOT NULL,
    sources text NOT NULL,
    trace_id uuid NOT NULL,
    PRIMARY KEY (context_id, id)
)
"""

BY_KEY = "CREATE INDEX response_cache_by_key ON response_cache (context_id, principal_id, key_digest, created_at)"

BY_AGE = "CREATE INDEX response_cache_by_age ON response_cache (context_id, created_at)"


def upgrade() -> None:
    for statement in (RESPONSE_CACHE, BY_KEY, BY_AGE):
        op.execute(statement)
