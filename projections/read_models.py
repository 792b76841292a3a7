"""The list of all read models, in the order in which they are written."""

from functools import cache
from typing import Any

from memory.events import Event
from projections import (
    actions,
    attribute_versions,
    configurations,
    corrections,
    derivations,
    document_chunks,
    document_keywords,
    document_links,
    documents,
    entities,
    erasures,
    instructions,
    passages,
    principals,
    provenance,
    relations,
    revisions,
    scope_nodes,
    scope_sets,
    sessions,
    turns,
    uncertainties,
    usage,
)
from projections.table import Fold, Table

READ_MODELS: tuple[Table[Any], ...] = (
    scope_sets.TABLE,
    principals.PRINCIPALS,
    principals.GRANTS,
    principals.KEYS,
    scope_nodes.TABLE,
    configurations.TABLE,
    sessions.TABLE,
    turns.TURNS,
    turns.EXTRACTIONS,
    passages.TABLE,
    entities.TABLE,
    attribute_versions.KEYS,
    attribute_versions.VERSIONS,
    corrections.TABLE,
    relations.TABLE,
    actions.TABLE,
    instructions.TABLE,
    uncertainties.TABLE,
    provenance.TABLE,
    erasures.TABLE,
    revisions.TABLE,
    usage.TABLE,
    derivations.TABLE,
    documents.TABLE,
    document_chunks.TABLE,
    document_keywords.TABLE,
    document_links.LINKS,
    document_links.EDGES,
)

_MODULES = (
    scope_sets,
    principals,
    scope_nodes,
    configurations,
    sessions,
    turns,
    passages,
    entities,
    attribute_versions,
    corrections,
    relations,
    actions,
    instructions,
    uncertainties,
    provenance,
    erasures,
    revisions,
    usage,
    derivations,
    documents,
    document_chunks,
    document_keywords,
    document_links,
)


@cache
def folds_of(event_type: type[Event]) -> tuple[Fold, ...]:
    """The folds that an event type concerns; every type concerns at least one."""
    folds = tuple(module.fold for module in _MODULES if event_type in module.HANDLES)
    assert folds, f"no read model folds {event_type.__name__}"
    return folds
