"""A secret of each context, without which the digests of queries for erasures can not be guessed."""

from alembic import op

revision = "0010"
down_revision = "0009"

ADD_COLUMN = """
ALTER TABLE contexts ADD COLUMN erasure_secret bytea NOT NULL
    DEFAULT uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
"""


def upgrade() -> None:
    op.execute(ADD_COLUMN)
