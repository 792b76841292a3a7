"""The bytes of documents, and how far the reading of each is."""

from alembic import op

revision = "0005"
down_revision = "0004"

# bytea and not large objects: those belong to no context, so they can't be distributed, granted or deleted with it.
# In parts, so that no statement holds a whole file.
BYTES = """
CREATE TABLE document_bytes (
    context_id text NOT NULL,
    content_hash text NOT NULL,
    part integer NOT NULL CHECK (part >= 0),
    bytes bytea NOT NULL,
    stored_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (context_id, content_hash, part)
)
"""

# Most files are compressed already.
BYTES_PLAIN = "ALTER TABLE document_bytes ALTER COLUMN bytes SET STORAGE EXTERNAL"

# One row per document that waits or is being read; gone when that ends. What waits, the log says.
READING = """
CREATE TABLE document_reading (
    context_id text NOT NULL,
    document_id uuid NOT NULL,
    version integer NOT NULL,
    stage text NOT NULL,
    done bigint NOT NULL,
    total bigint NOT NULL,
    attempts integer NOT NULL,
    started_at timestamptz,
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (context_id, document_id)
)
"""


def upgrade() -> None:
    for statement in (BYTES, BYTES_PLAIN, READING):
        op.execute(statement)
