"""Requests that wait for a model take their key first, for a while; and not all are about turns of a session."""

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.execute("ALTER TABLE requests ADD COLUMN lease_until timestamptz, ALTER COLUMN session_id DROP NOT NULL")
