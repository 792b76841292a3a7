"""What the OpenAPI document says of each operation beside what its route and its handler say themselves."""

from collections.abc import Mapping
from dataclasses import dataclass

import pydantic

from api.shapes import access_schemas, document_schemas, question_schemas, schemas

INSTANT = ("asOf", "atInstant", "validFrom", "validUntil")


@dataclass(frozen=True, slots=True)
class Operation:
    """shape: of the answer in `api/http/wire_shapes.json`, "[]" after it for a list, "|" between several, None for no
    content, "any" for what is not told, "file" for bytes. status: of success. body: of the request. query: names of
    parameters."""

    shape: str | None = "any"
    status: int = 200
    body: type[pydantic.BaseModel] | None = None
    query: tuple[str, ...] = ()


OPERATIONS: Mapping[tuple[str, str], Operation] = {
    ("GET", "/health"): Operation("Health"),
    ("GET", "/contexts"): Operation("Contexts"),
    ("POST", "/contexts/{id}"): Operation("Context_", status=201, body=access_schemas.NewContextBody),
    ("GET", "/contexts/{id}"): Operation("Context_"),
    ("PATCH", "/contexts/{id}"): Operation("Context_", body=access_schemas.ContextChangesBody),
    ("DELETE", "/contexts/{id}"): Operation(None, status=204),
    ("POST", "/contexts/{id}/lifecycle/decay"): Operation("Lifecycle"),
    ("POST", "/contexts/{id}/lifecycle/reindex"): Operation("Job", status=202),
    ("GET", "/contexts/{id}/principals"): Operation("ManagedPrincipal[]"),
    ("POST", "/contexts/{id}/principals"): Operation("ManagedPrincipal", status=201, body=access_schemas.PrincipalBody),
    ("GET", "/contexts/{id}/principals/{principal_id}"): Operation("ManagedPrincipal"),
    ("PATCH", "/contexts/{id}/principals/{principal_id}"): Operation(
        "ManagedPrincipal", body=access_schemas.PrincipalChangesBody
    ),
    ("DELETE", "/contexts/{id}/principals/{principal_id}"): Operation(None, status=204),
    ("GET", "/contexts/{id}/principals/{principal_id}/keys"): Operation("ManagedKey[]"),
    ("POST", "/contexts/{id}/principals/{principal_id}/keys/{key_name}"): Operation(
        "MintedKey", status=201, body=access_schemas.GrantsBody, query=("ttl_seconds",)
    ),
    ("DELETE", "/contexts/{id}/principals/{principal_id}/keys/{key_name}"): Operation(None, status=204),
    ("POST", "/contexts/{id}/principals/{principal_id}/keys/{key_name}/rotate"): Operation(
        "MintedKey", query=("ttl_seconds",)
    ),
    ("GET", "/contexts/{id}/keys"): Operation("ManagedKey[]"),
    ("DELETE", "/contexts/{id}/keys/{key_name}"): Operation(None, status=204),
    ("POST", "/contexts/{id}/keys/{key_name}/rotate"): Operation("MintedKey", query=("ttl_seconds",)),
    ("POST", "/contexts/{id}/access-tokens"): Operation("MintedKey", status=201, body=access_schemas.AccessTokenBody),
    ("GET", "/audit"): Operation("OperatorAudit", query=("context", "since", "until", "cursor", "limit")),
    ("GET", "/migrations"): Operation("Migrations"),
    ("GET", "/verbs"): Operation("Verb[]"),
    ("GET", "/{context_id}/me"): Operation("Whoami"),
    ("GET", "/{context_id}/providers"): Operation("Providers"),
    ("GET", "/{context_id}/keys"): Operation("Key[]|Keys", query=("cursor", "count", "limit")),
    ("POST", "/{context_id}/keys"): Operation(
        "MintedKey", status=201, body=access_schemas.KeyBody, query=("ttlSeconds",)
    ),
    ("DELETE", "/{context_id}/keys/{key_name}"): Operation(None, status=204),
    ("POST", "/{context_id}/keys/{key_name}/rotate"): Operation("MintedKey", query=("ttlSeconds",)),
    ("GET", "/{context_id}/scopes"): Operation("ScopeNode[]|Scopes", query=("cursor", "count", "limit")),
    ("POST", "/{context_id}/scopes"): Operation("ScopeNode", status=201, body=access_schemas.ScopeBody),
    ("DELETE", "/{context_id}/scopes"): Operation(None, status=204, query=("path",)),
    ("POST", "/{context_id}/scope-grants"): Operation("Error", status=501),
    ("GET", "/{context_id}/principals"): Operation("Principal[]|Principals", query=("cursor", "count", "limit")),
    ("POST", "/{context_id}/principals"): Operation("Principal", status=201, body=access_schemas.PrincipalBody),
    ("GET", "/{context_id}/principals/{principal_id}"): Operation("Principal"),
    ("GET", "/{context_id}/principals/{principal_id}/effective"): Operation("Effective", query=("path", "asOf")),
    ("POST", "/{context_id}/principals/{principal_id}/grants"): Operation("Principal", body=access_schemas.GrantBody),
    ("DELETE", "/{context_id}/principals/{principal_id}/grants"): Operation("Principal", body=access_schemas.GrantBody),
    ("PUT", "/{context_id}/principals/{principal_id}/write-scopes"): Operation(
        "Principal", body=access_schemas.WriteScopesBody
    ),
    ("GET", "/{context_id}/audit"): Operation(
        "Audit", query=("cursor", "kind", "since", "until", "principal", "key", "limit")
    ),
    ("POST", "/{context_id}/facts"): Operation("Facts", body=schemas.FactsBody),
    ("POST", "/{context_id}/facts/batch"): Operation("FactsBatch", body=schemas.BatchBody),
    ("POST", "/{context_id}/sessions"): Operation("Session", status=201, body=schemas.SessionBody),
    ("GET", "/{context_id}/sessions"): Operation("Sessions", query=("cursor", "limit", *INSTANT)),
    ("GET", "/{context_id}/sessions/{session_id}"): Operation("Session", query=INSTANT),
    ("DELETE", "/{context_id}/sessions/{session_id}"): Operation(None, status=204),
    ("GET", "/{context_id}/sessions/{session_id}/turns"): Operation(
        "Turns", query=("cursor", "offset", "count", "limit", *INSTANT)
    ),
    ("POST", "/{context_id}/sessions/{session_id}/turns"): Operation("Facts", body=schemas.TurnBody),
    ("GET", "/{context_id}/turns/{turn_id}"): Operation("UnderstoodTurn", query=INSTANT),
    ("DELETE", "/{context_id}/turns/{turn_id}"): Operation("Forgotten", query=("dryRun",)),
    ("GET", "/{context_id}/turns/{turn_id}/diff"): Operation("TurnChanges"),
    ("GET", "/{context_id}/diff"): Operation("Changes", query=("from", "to")),
    ("POST", "/{context_id}/turns/{turn_id}/retract"): Operation(
        "Revision", body=schemas.DryRunBody, query=("dryRun",)
    ),
    ("POST", "/{context_id}/corrections/{correction_id}/undo"): Operation(
        "Revision", body=schemas.DryRunBody, query=("dryRun",)
    ),
    ("POST", "/{context_id}/forget"): Operation("Forgotten", body=schemas.ForgetBody),
    ("POST", "/{context_id}/scopes/forget"): Operation("ScopeForgotten", body=schemas.ForgetScopeBody),
    ("GET", "/{context_id}/erasures/{erasure_id}"): Operation("Erasure"),
    ("GET", "/{context_id}/usage"): Operation("Usage", query=("days",)),
    ("GET", "/{context_id}/state"): Operation("State", query=("limit", *INSTANT)),
    ("POST", "/{context_id}/state"): Operation("State", query=("limit",)),
    ("GET", "/{context_id}/entities"): Operation(
        "Entities", query=("type", "cursor", "offset", "count", "limit", *INSTANT)
    ),
    ("GET", "/{context_id}/entities/search"): Operation("EntityMatches", query=("q", "type", "limit", *INSTANT)),
    ("GET", "/{context_id}/entities/top"): Operation("TopEntities", query=("by", "type", "limit", *INSTANT)),
    ("GET", "/{context_id}/entities/{entity_type}/{entity_name:path}/history/{key}"): Operation(
        "History", query=INSTANT
    ),
    ("GET", "/{context_id}/entities/{entity_type}/{entity_name:path}/explain/{key}"): Operation(
        "Explained", query=INSTANT
    ),
    ("GET", "/{context_id}/entities/{entity_type}/{entity_name:path}/history"): Operation(
        "HistoryOfAll", query=("cursor", "count", "limit", *INSTANT)
    ),
    ("GET", "/{context_id}/entities/{entity_type}/{entity_name:path}/neighbourhood"): Operation(
        "Neighbourhood", query=("cursor", "minFacts", "count", "limit", *INSTANT)
    ),
    ("GET", "/{context_id}/entities/{entity_type}/{entity_name:path}"): Operation(
        "EntityFacts", query=("limit", *INSTANT)
    ),
    ("DELETE", "/{context_id}/entities/{entity_type}/{entity_name:path}"): Operation(
        None, status=204, query=("purge",)
    ),
    ("POST", "/{context_id}/entities/{entity_type}/{entity_name:path}/merge"): Operation(
        "EntityFacts", body=schemas.MergeBody
    ),
    ("POST", "/{context_id}/entities/{entity_type}/{entity_name:path}/separate"): Operation(
        "EntityFacts", body=schemas.SeparateBody
    ),
    ("GET", "/{context_id}/attributes"): Operation(
        "Attributes", query=("cursor", "entity", "key", "count", "limit", *INSTANT)
    ),
    ("GET", "/{context_id}/relations"): Operation("Relations", query=("cursor", "label", "count", "limit", *INSTANT)),
    ("GET", "/{context_id}/actions"): Operation(
        "Actions", query=("cursor", "actor", "verb", "count", "limit", *INSTANT)
    ),
    ("GET", "/{context_id}/instructions"): Operation("Instructions", query=("cursor", "count", "limit", *INSTANT)),
    ("GET", "/{context_id}/uncertainty"): Operation(
        "Uncertainties", query=("cursor", "entity", "resolved", "count", "limit", *INSTANT)
    ),
    ("POST", "/{context_id}/attributes/{attribute_id}/close"): Operation("ClosedAttribute", body=schemas.CloseBody),
    ("POST", "/{context_id}/relations/{relation_id}/close"): Operation("ClosedRelation", body=schemas.CloseBody),
    ("POST", "/{context_id}/instructions/{instruction_id}/close"): Operation(None, status=204),
    ("POST", "/{context_id}/uncertainty/{uncertainty_id}/resolve"): Operation("Resolved", body=schemas.ResolveBody),
    ("POST", "/{context_id}/fsck"): Operation("Fsck", body=schemas.FsckBody),
    ("POST", "/{context_id}/lifecycle/decay"): Operation("Lifecycle"),
    ("POST", "/{context_id}/lifecycle/expire"): Operation("Lifecycle"),
    ("GET", "/{context_id}/corrections"): Operation(
        "Corrections", query=("cursor", "key", "session", "entity", "limit", *INSTANT)
    ),
    ("GET", "/{context_id}/corrections/{correction_id}"): Operation("CorrectionWithTurn", query=INSTANT),
    ("GET", "/{context_id}/profile"): Operation("Profile", query=("limit", *INSTANT)),
    ("GET", "/{context_id}/inspect"): Operation(
        "InspectedEntity|InspectedAttribute|InspectedRelation|any", query=("ref", *INSTANT)
    ),
    ("POST", "/{context_id}/query"): Operation("Query", body=question_schemas.QueryBody),
    ("POST", "/{context_id}/lookup"): Operation("Lookup", body=question_schemas.LookupBody),
    ("POST", "/{context_id}/context"): Operation("Context", body=question_schemas.ContextBody),
    ("POST", "/{context_id}/sessions/{session_id}/context"): Operation(
        "SessionContext", body=question_schemas.SessionContextBody
    ),
    ("GET", "/{context_id}/sessions/{session_id}/context"): Operation("SessionContext"),
    ("GET", "/{context_id}/documents"): Operation(
        "Documents", query=("status", "mimeType", "mime_type", "cursor", "count", "pageSize", "page", "limit")
    ),
    ("GET", "/{context_id}/documents/keywords"): Operation(
        "Keywords", query=("sort", "q", "cursor", "minDocumentCount", "count", "pageSize", "page", "limit")
    ),
    ("POST", "/{context_id}/documents/keywords/search"): Operation(
        "KeywordHits", body=document_schemas.KeywordSearchBody
    ),
    ("GET", "/{context_id}/documents/keywords/{normalised:path}"): Operation("KeywordDetail"),
    ("POST", "/{context_id}/documents/query"): Operation("DocumentHits", body=document_schemas.DocumentQueryBody),
    ("POST", "/{context_id}/documents/recompute-links"): Operation("Relinked"),
    ("GET", "/{context_id}/documents/{document_id}"): Operation("Document", query=INSTANT),
    ("DELETE", "/{context_id}/documents/{document_id}"): Operation(None, status=204),
    ("GET", "/{context_id}/documents/{document_id}/chunks"): Operation(
        "Chunks", query=("cursor", "count", "pageSize", "page", "limit", *INSTANT)
    ),
    ("GET", "/{context_id}/documents/{document_id}/keywords"): Operation("DocumentKeywords"),
    ("GET", "/{context_id}/traces"): Operation("Traces", query=("cursor", "count", "limit")),
    ("GET", "/{context_id}/traces/stats"): Operation("TraceStats"),
    ("GET", "/{context_id}/traces/{trace_id}"): Operation("Trace"),
    ("GET", "/{context_id}/events"): Operation("Events", query=("cursor", "since", "until", "after", "limit")),
    ("POST", "/{context_id}/chat"): Operation("Chat"),
    ("POST", "/{context_id}/reflect"): Operation("Reflection", body=schemas.ReflectBody),
    ("POST", "/{context_id}/consolidate"): Operation("Consolidated", body=schemas.ConsolidateBody),
    ("POST", "/{context_id}/elaborate"): Operation("Elaborated", body=schemas.ElaborateBody),
    ("POST", "/{context_id}/sessions/{session_id}/chat"): Operation("Chat"),
    ("GET", "/{context_id}/documents/{document_id}/raw"): Operation("file"),
    ("GET", "/{context_id}/documents/{document_id}/text"): Operation("file"),
    ("POST", "/{context_id}/documents"): Operation("Uploaded", status=202),
    ("PUT", "/{context_id}/documents/{document_id}"): Operation("Uploaded", status=202),
}
