"""What embedding models of providers took, by day: numbers only."""

from alembic import op

revision = "0011"
down_revision = "0010"

EMBEDDING_USAGE = """
CREATE TABLE embedding_usage (
    context_id text NOT NULL,
    day date NOT NULL,
    model text NOT NULL,
    calls bigint NOT NULL,
    input_tokens bigint NOT NULL,
    PRIMARY KEY (context_id, day, model)
)
"""


def upgrade() -> None:
    op.execute(EMBEDDING_USAGE)
