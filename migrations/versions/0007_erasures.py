"""Erasing: the one function that takes contents out of the log, and what waits to be scrubbed from the disk."""

from alembic import op

revision = "0007"
down_revision = "0006"

# Runs as the owner of the log: the application's own role may only read and append. What it did is told by the
# ContentErased event that names each position; `verify` finds every erasure without one.
ERASE_PAYLOADS = """
CREATE FUNCTION erase_payloads(in_context text, at_positions bigint[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = palimpsest, pg_temp AS $$
DECLARE
    erased bigint;
BEGIN
    PERFORM set_config('palimpsest.erasing', 'on', true);
    UPDATE events SET payload = NULL, payload_salt = NULL
    WHERE context_id = in_context AND position = ANY(at_positions) AND payload IS NOT NULL
        AND topic <> 'ContentErased';
    GET DIAGNOSTICS erased = ROW_COUNT;
    PERFORM set_config('palimpsest.erasing', 'off', true);
    RETURN erased;
END
$$
"""

FOR_NOBODY_ELSE = "REVOKE ALL ON FUNCTION erase_payloads(text, bigint[]) FROM PUBLIC"

# Where triggers guard the log, they let the function pass, and nothing but contents go.
REFUSE_CHANGES = """
CREATE OR REPLACE FUNCTION refuse_change_of_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND current_setting('palimpsest.erasing', true) = 'on' THEN
        OLD.payload := NULL;
        OLD.payload_salt := NULL;
        IF NEW IS NOT DISTINCT FROM OLD THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'the event log is append-only' USING ERRCODE = 'insufficient_privilege';
END
$$
"""

# One row an erasure: until scrubbed_at, the disk may still hold what is gone from every table.
SCRUBS = """
CREATE TABLE scrubs (
    context_id text NOT NULL,
    erasure_id uuid NOT NULL,
    requested_at timestamptz NOT NULL,
    scrubbed_at timestamptz,
    PRIMARY KEY (context_id, erasure_id)
)
"""


def upgrade() -> None:
    for statement in (ERASE_PAYLOADS, FOR_NOBODY_ELSE, REFUSE_CHANGES, SCRUBS):
        op.execute(statement)
