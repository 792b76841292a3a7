"""The audit, the last uses of keys, and the secrets of model providers."""

from alembic import op

revision = "0004"
down_revision = "0003"

# Who asked for what: ids, names of operations and numbers, no words.
AUDIT = """
CREATE TABLE audit (
    context_id text NOT NULL,
    id uuid NOT NULL,
    at timestamptz NOT NULL,
    kind text NOT NULL,
    operation text NOT NULL,
    status integer NOT NULL,
    principal_id uuid,
    holder_id uuid,
    key_id uuid,
    key_name text,
    latency_ms integer NOT NULL,
    rows_touched integer NOT NULL,
    cost double precision NOT NULL,
    model text,
    PRIMARY KEY (context_id, id)
)
"""

KEY_USES = """
CREATE TABLE key_uses (
    context_id text NOT NULL,
    key_id uuid NOT NULL,
    used_at timestamptz NOT NULL,
    PRIMARY KEY (context_id, key_id)
)
"""

# Secrets are kept out of the log, which is for ever; they are written and used, never shown.
PROVIDER_KEYS = """
CREATE TABLE provider_keys (
    context_id text NOT NULL,
    provider text NOT NULL,
    settings text NOT NULL,
    PRIMARY KEY (context_id, provider)
)
"""


def upgrade() -> None:
    for statement in (AUDIT, KEY_USES, PROVIDER_KEYS):
        op.execute(statement)
