"""The OpenAPI 3.1 document of all operations: from the routes, the request schemas and the shapes of answers."""

import inspect
import json
import re
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pydantic

from api.http.operations import OPERATIONS, Operation

Json = dict[str, Any]

SHAPES = Path(__file__).with_name("wire_shapes.json")
INTEGERS = ("limit", "offset", "page", "pageSize", "minFacts", "minDocumentCount", "days", "ttlSeconds", "ttl_seconds")
FLAGS = ("count", "resolved", "dryRun", "purge")
MOMENTS = ("since", "until", "validFrom", "validUntil", "asOf")
REQUIRED = {("path", "/{context_id}/scopes"), ("path", "/{context_id}/principals/{principal_id}/effective")}
REQUIRED |= {("ref", "/{context_id}/inspect"), ("q", "/{context_id}/entities/search")}
PLAIN: dict[str, Json] = {
    "str": {"type": "string"},
    "bool": {"type": "boolean"},
    "int": {"type": "integer"},
    "num": {"type": "number"},
    "time": {"type": "string", "format": "date-time"},
    "any": {},
}
ASK_MODELS = ("/chat", "/reflect", "/consolidate", "/elaborate")
REPEATABLE = frozenset(
    (method, "/{context_id}/" + path)
    for method, path in (
        ("POST", "facts"),
        ("POST", "facts/batch"),
        ("POST", "sessions"),
        ("POST", "sessions/{session_id}/turns"),
        ("POST", "sessions/{session_id}/chat"),
        ("POST", "chat"),
        ("POST", "documents"),
        ("PUT", "documents/{document_id}"),
    )
)
DELEGATION = "X-Spectron-On-Behalf-Of"


def document(routes: Iterable[tuple[str, str, Any]], *, prefix: str) -> Json:
    """The whole document. routes: (method, path below `prefix`, handler)."""
    paths: dict[str, Json] = {}
    schemas: Json = dict(_shapes())
    for method, path, handler in routes:
        operation = OPERATIONS.get((method, path), Operation())
        if operation.body is not None:
            schemas |= _schemas_of(operation.body)
        paths.setdefault(prefix + _plain(path), {})[method.lower()] = _operation(method, path, handler, operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Palimpsest",
            "version": version("palimpsest"),
            "description": "A memory server for AI agents in which nothing is ever overwritten.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer", "description": "A key of the context."},
                "management": {"type": "http", "scheme": "bearer", "description": "A management key."},
            },
        },
    }


def _operation(method: str, path: str, handler: Any, operation: Operation) -> Json:
    summary, _, more = (inspect.getdoc(handler) or handler.__name__.replace("_", " ").capitalize()).partition("\n")
    told: Json = {
        "operationId": method.lower() + re.sub(r"\W+", "_", _plain(path)).rstrip("_"),
        "summary": summary,
        "tags": [handler.__module__.rpartition(".")[2]],
        "parameters": [*_parameters(path, operation)],
        "responses": {
            str(operation.status): _answer(operation.shape),
            "default": {"description": "An error.", "content": _json({"$ref": "#/components/schemas/Error"})},
        },
    }
    if more.strip():
        told["description"] = " ".join(more.split())
    if (method, path) in REPEATABLE:
        description = "The same key and body again within 24 hours: the same answer, and nothing is recorded twice."
        key = {"name": "Idempotency-Key", "in": "header", "schema": PLAIN["str"], "description": description}
        told["parameters"].append(key)
    if "{context_id}" in path:
        told["security"] = [{"key": []}]
    elif path != "/health":
        told["security"] = [{"management": []}]
    if path.endswith(("/facts", "/facts/batch", "/turns")) and method == "POST":
        told["responses"]["202"] = {**_answer(operation.shape), "description": "Kept, and not yet understood."}
    if path.endswith("/chat"):
        told["responses"]["200"]["content"]["text/event-stream"] = {"schema": PLAIN["str"]}
    if path.endswith(ASK_MODELS):
        told["responses"]["503"] = {**told["responses"]["default"], "description": "No language model can answer."}
    if operation.body is not None:
        reference = {"$ref": f"#/components/schemas/{operation.body.__name__}"}
        told["requestBody"] = {"content": _json(reference), "required": _is_required(operation.body)}
    if operation.shape == "Uploaded":
        told["requestBody"] = {"required": method == "POST", "content": {"multipart/form-data": {"schema": _upload()}}}
    return told


def _parameters(path: str, operation: Operation) -> Iterable[Json]:
    for name in re.findall(r"{(\w+)(?::path)?}", path):
        yield {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
    for name in operation.query:
        is_required = (name, path) in REQUIRED
        yield {"name": name, "in": "query", "required": is_required, "schema": _parameter(name)}
    if "{context_id}" in path:
        told = "The principal to act for. The older spellings of this header are taken too."
        yield {"name": DELEGATION, "in": "header", "schema": PLAIN["str"], "description": told}


def _parameter(name: str) -> Json:
    if name in INTEGERS:
        return {"type": "integer", "minimum": 0 if name == "offset" else 1}
    if name in FLAGS:
        return PLAIN["bool"]
    return PLAIN["time"] if name in MOMENTS else PLAIN["str"]


def _answer(shape: str | None) -> Json:
    if shape is None:
        return {"description": "Done."}
    if shape == "file":
        return {"description": "The bytes.", "content": {"application/octet-stream": {}}}
    kinds = [_type(kind) for kind in shape.split("|")]
    return {"description": "The answer.", "content": _json(kinds[0] if len(kinds) == 1 else {"anyOf": kinds})}


def _json(schema: Json) -> Json:
    return {"application/json": {"schema": schema}}


def _type(kind: str) -> Json:
    """JSON Schema of a type as the shapes spell it."""
    if kind.endswith("?"):
        return {"anyOf": [_type(kind[:-1]), {"type": "null"}]}
    if kind.endswith("[]"):
        return {"type": "array", "items": _type(kind[:-2])}
    return PLAIN.get(kind) or ({} if kind == "any" else {"$ref": f"#/components/schemas/{kind}"})


@cache
def _shapes() -> Json:
    told = json.loads(SHAPES.read_text(encoding="utf-8"))
    schemas: Json = {name: {"type": "string", "enum": values} for name, values in told["enums"].items()}
    for name, fields in told["shapes"].items():
        schemas[name] = {
            "type": "object",
            "properties": {field.removesuffix("?"): _type(kind) for field, kind in fields.items()},
            "required": [field for field in fields if not field.endswith("?")],
        }
    return schemas


def _schemas_of(model: type[pydantic.BaseModel]) -> Json:
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
    return {**schema.pop("$defs", {}), model.__name__: schema}


def _is_required(model: type[pydantic.BaseModel]) -> bool:
    """Whether an empty body will not do."""
    return any(field.is_required() for field in model.model_fields.values())


def _upload() -> Json:
    return {
        "type": "object",
        "properties": {
            "file": {"type": "string", "contentMediaType": "application/octet-stream"},
            "metadata": {"type": "string", "contentMediaType": "application/json"},
        },
        "required": ["file"],
    }


def _plain(path: str) -> str:
    return path.replace(":path}", "}")
