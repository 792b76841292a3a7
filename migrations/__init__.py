"""Schema of the log and the control tables, as SQL-only alembic revisions.

Read models are not migrated: they have a version of their own and are rebuilt from the log.
"""

HEAD = "0011"
SCHEMA = "palimpsest"
APP_ROLE = "palimpsest_app"
