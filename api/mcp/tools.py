"""The tools: their inputs as JSON Schema, and the REST request that each stands for."""

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from api.shapes import refs
from memory.errors import InvalidRequest

Json = dict[str, Any]
Arguments = Mapping[str, Any]

K_MAX = 50


@dataclass(frozen=True, slots=True)
class Asked:
    """A REST request below the context. files: multipart parts, instead of a JSON body."""

    method: str
    path: str
    body: Json | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """trace: the field of the answer that identifies the call, if the answer has one."""

    name: str
    description: str
    inputs: Json
    asked: Callable[[Arguments], Asked]
    required: tuple[str, ...] = ()
    trace: str | None = None
    read_only: bool = True

    @property
    def schema(self) -> Json:
        """Unknown arguments are let through, as by the REST API."""
        properties = {**self.inputs, "context_id": {"type": "string", "description": "The context, if not the default"}}
        return {"type": "object", "properties": properties, "required": list(self.required)}


_TEXT: Json = {"type": "string", "minLength": 1}
_LABELS: Json = {"type": "array", "items": {"type": "string"}}
_SCOPE: Json = {
    "description": "A path such as org/acme, a list of them (any of), or a list of lists (all of each)",
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"anyOf": [{"type": "string"}, _LABELS]}}],
}
_K: Json = {"type": "integer", "minimum": 1, "maximum": K_MAX, "default": 10}
_ENTITY: Json = {"type": "string", "description": "<type>/<name>, such as person/alice"}


def _remember(given: Arguments) -> Asked:
    body = _fields(given, "text", "session_id", "labels", "infer", scope="scopes", scopes="scopes", role="role")
    return Asked("POST", "/facts", body)


def _recall(given: Arguments) -> Asked:
    return Asked("POST", "/query", _fields(given, "query", "k", "mode", "lens", "labels"))


def _context(given: Arguments) -> Asked:
    return Asked("POST", "/context", _fields(given, "query", "k", "lens", "labels"))


def _reflect(given: Arguments) -> Asked:
    return Asked("POST", "/reflect", _fields(given, "query", "persist"))


def _forget(given: Arguments) -> Asked:
    return Asked("POST", "/forget", _fields(given, "query", "purge", dry_run="dryRun"))


def _upload(given: Arguments) -> Asked:
    try:
        content = base64.b64decode(given["bytes_base64"], validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidRequest("bytes_base64: must be Base64") from error
    filename = given.get("filename") or given.get("title") or "document"
    metadata = _fields(given, "title", "source", "labels", scope="scopes", scopes="scopes", mime_type="mimeType")
    file = (filename, content, given.get("mime_type") or "application/octet-stream")
    return Asked("POST", "/documents", metadata, files={"file": file})


def _inspect(given: Arguments) -> Asked:
    return Asked("GET", "/inspect", query={"ref": given["ref"]})


def _history(given: Arguments) -> Asked:
    return Asked("GET", f"{_entity_path(given['entity'])}/history/{_segment(given['key'])}")


def _explain(given: Arguments) -> Asked:
    return Asked("GET", f"{_entity_path(given['entity'])}/explain/{_segment(given['key'])}")


def _fields(given: Arguments, *same: str, **renamed: str) -> Json:
    """The arguments that were given, under the REST API's names."""
    names = {**{name: name for name in same}, **renamed}
    return {name: given[argument] for argument, name in names.items() if given.get(argument) is not None}


def _entity_path(ref: str) -> str:
    kind, name = refs.entity_name(ref, field="entity")
    return f"/entities/{_segment(kind)}/{_segment(name)}"


def _segment(text: str) -> str:
    return quote(text, safe="")


TOOLS = {
    tool.name: tool
    for tool in (
        Tool(
            "remember",
            "Store what was said, and learn the facts in it. The answer says what changed.",
            {
                "text": _TEXT,
                "session_id": {"type": "string"},
                "role": {"type": "string", "enum": ["user", "assistant", "system", "tool"]},
                "scope": _SCOPE,
                "labels": _LABELS,
                "infer": {"type": "string", "enum": ["full", "preview", "none"], "default": "full"},
            },
            _remember,
            required=("text",),
            trace="turnId",
            read_only=False,
        ),
        Tool(
            "recall",
            "Find what is remembered about a question: facts, turns and passages of documents, best first.",
            {
                "query": _TEXT,
                "k": _K,
                "mode": {"type": "string", "enum": ["hybrid", "vector", "bm25", "graph"], "default": "hybrid"},
                "lens": _SCOPE,
                "labels": _LABELS,
            },
            _recall,
            required=("query",),
        ),
        Tool(
            "context",
            "A block of text for a prompt: profile, active instructions, current facts and passages for a question.",
            {"query": _TEXT, "k": _K, "lens": _SCOPE, "labels": _LABELS},
            _context,
            required=("query",),
        ),
        Tool(
            "reflect",
            "Think about what is remembered, with the configured language model.",
            {"query": _TEXT, "persist": {"type": "boolean", "default": False}},
            _reflect,
            required=("query",),
            trace="traceId",
            read_only=False,
        ),
        Tool(
            "forget",
            "Forget what a query names. With purge the content itself is erased; dry_run only lists it.",
            {
                "query": _TEXT,
                "purge": {"type": "boolean", "default": False},
                "dry_run": {"type": "boolean", "default": False},
            },
            _forget,
            required=("query",),
            read_only=False,
        ),
        Tool(
            "upload",
            "Add a document as curated knowledge.",
            {
                "bytes_base64": _TEXT,
                "title": {"type": "string"},
                "source": {"type": "string"},
                "mime_type": {"type": "string"},
                "filename": {"type": "string"},
                "scope": _SCOPE,
                "scopes": _SCOPE,
                "labels": _LABELS,
            },
            _upload,
            required=("bytes_base64",),
            trace="id",
            read_only=False,
        ),
        Tool(
            "inspect",
            "Everything about one thing: entity:person/alice, attribute:…, relation:…, trace:… or document:….",
            {"ref": _TEXT},
            _inspect,
            required=("ref",),
        ),
        Tool(
            "history",
            "All versions of one fact, newest first: what replaced what, and when each was true.",
            {"entity": _ENTITY, "key": _TEXT},
            _history,
            required=("entity", "key"),
        ),
        Tool(
            "explain",
            "The story of one fact: what was said, by whom, when, and why it ended.",
            {"entity": _ENTITY, "key": _TEXT},
            _explain,
            required=("entity", "key"),
        ),
    )
}
