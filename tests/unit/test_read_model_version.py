"""The number of the read models changes with their tables, or a changed table would never be filled."""

from hashlib import sha256

from memory.events import EVENT_TYPES
from projections.read_models import READ_MODELS, folds_of
from projections.table import READ_MODELS_VERSION

# On a change here: raise READ_MODELS_VERSION and put the new digest. Raise it also when a fold changes its meaning.
DIGESTS = {4: "c4a5c7bde3b00525"}


def test_the_tables_are_those_of_the_version() -> None:
    ddl = "\n".join(statement for table in READ_MODELS for statement in table.ddl())
    assert sha256(" ".join(ddl.split()).encode()).hexdigest()[:16] == DIGESTS[READ_MODELS_VERSION]


def test_every_event_type_concerns_a_read_model() -> None:
    assert all(folds_of(event_type) for event_type in EVENT_TYPES)


def test_the_types_of_columns_are_read_from_the_tables() -> None:
    types = {name: kind for table in READ_MODELS for name, kind in zip(table.fields, table.types, strict=True)}
    assert types["text"] == "text"
    assert types["labels"] == "text[]"
    assert types["confidence"] == "double precision"
