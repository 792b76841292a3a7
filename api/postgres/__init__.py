"""The Postgres beneath: embedded, or the one given."""
