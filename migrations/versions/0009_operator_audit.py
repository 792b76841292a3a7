"""Operators' own calls in the audit: which context they were about."""

from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.execute("ALTER TABLE audit ADD COLUMN about text")
