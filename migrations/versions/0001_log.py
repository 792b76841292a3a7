"""The event log, the head row of each context, the keys of the management API, and repeatable requests."""

from alembic import op

revision = "0001"
down_revision = None

CONTEXTS = """
CREATE TABLE contexts (
    context_id text PRIMARY KEY,
    position bigint NOT NULL CHECK (position >= 0),
    hash bytea NOT NULL CHECK (octet_length(hash) = 32),
    recorded_at timestamptz NOT NULL,
    generation integer NOT NULL CHECK (generation > 0),
    read_models_version integer NOT NULL,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz
) WITH (fillfactor = 70)
"""

# payload and payload_salt are null once their content was erased; everything else is for ever.
EVENTS = """
CREATE TABLE events (
    context_id text NOT NULL,
    position bigint NOT NULL CHECK (position > 0),
    event_id uuid NOT NULL,
    topic text NOT NULL,
    schema_version smallint NOT NULL CHECK (schema_version > 0),
    recorded_at timestamptz NOT NULL,
    observed_at timestamptz,
    turn_id uuid,
    session_id uuid,
    principal_id uuid,
    scope_set_id uuid,
    payload text,
    payload_salt bytea,
    payload_digest bytea NOT NULL CHECK (octet_length(payload_digest) = 32),
    hash bytea NOT NULL CHECK (octet_length(hash) = 32),
    PRIMARY KEY (context_id, position),
    CHECK ((payload IS NULL) = (payload_salt IS NULL))
)
"""

EVENTS_BY_TURN = "CREATE INDEX events_by_turn ON events (context_id, turn_id) WHERE turn_id IS NOT NULL"

EVENTS_BY_SESSION = """
CREATE INDEX events_by_session ON events (context_id, session_id, position) WHERE session_id IS NOT NULL
"""

# One row per key of the management API, which stands above contexts.
MANAGEMENT_KEYS = """
CREATE TABLE management_keys (
    digest text PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
)
"""

# Requests that may be sent again within a day; the turns that each made.
REQUESTS = """
CREATE TABLE requests (
    context_id text NOT NULL,
    principal_id uuid NOT NULL,
    key_digest bytea NOT NULL,
    body_digest bytea NOT NULL,
    session_id uuid NOT NULL,
    turn_ids uuid[] NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (context_id, principal_id, key_digest)
)
"""

REQUESTS_BY_AGE = "CREATE INDEX requests_by_age ON requests (context_id, created_at)"

REFUSE_CHANGES = """
CREATE FUNCTION refuse_change_of_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the event log is append-only' USING ERRCODE = 'insufficient_privilege';
END
$$
"""


def upgrade() -> None:
    tables = (CONTEXTS, EVENTS, EVENTS_BY_TURN, EVENTS_BY_SESSION, MANAGEMENT_KEYS, REQUESTS, REQUESTS_BY_AGE)
    for statement in (*tables, REFUSE_CHANGES):
        op.execute(statement)
