"""The reference page at /docs: the OpenAPI document as one HTML page that loads nothing else."""

import json
from collections.abc import Iterator
from html import escape
from typing import Any

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
summary { cursor: pointer; padding: .3rem 0 } code, pre { font: 13px/1.45 ui-monospace, monospace }
pre { background: #f4f4f1; padding: .7rem; overflow-x: auto } h2 { margin: 2rem 0 .3rem; border-bottom: 1px solid #ddd }
.m { display: inline-block; width: 4.2rem; font-weight: 600; color: #7a4b12 } .s { color: #666 }
table { border-collapse: collapse } td { padding: .1rem .8rem .1rem 0; vertical-align: top }
"""


def page(document: dict[str, Any]) -> str:
    """The whole page."""
    info = document["info"]
    return "".join(
        (
            "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>",
            f"<title>{escape(info['title'])}: reference</title><style>{STYLE}</style>",
            f"<h1>{escape(info['title'])} {escape(info['version'])}</h1><p>{escape(info['description'])}</p>",
            "<p>Send a key as <code>Authorization: Bearer …</code>. Errors have one shape, <code>Error</code>. ",
            "The same as data: <a href='/openapi.json'>/openapi.json</a>.</p>",
            *_operations(document),
            "<h2>Shapes</h2>",
            *_schemas(document),
        )
    )


def _operations(document: dict[str, Any]) -> Iterator[str]:
    by_tag: dict[str, list[tuple[str, str, dict[str, Any]]]] = {}
    for path, methods in document["paths"].items():
        for method, told in methods.items():
            by_tag.setdefault(told["tags"][0], []).append((method, path, told))
    for tag in sorted(by_tag):
        yield f"<h2>{escape(tag.replace('_', ' ').capitalize())}</h2>"
        for method, path, told in by_tag[tag]:
            yield f"<details><summary><span class=m>{method.upper()}</span><code>{escape(path)}</code> "
            yield f"<span class=s>{escape(told['summary'])}</span></summary>"
            if "description" in told:
                yield f"<p>{escape(told['description'])}</p>"
            yield from _parameters(told["parameters"])
            if "requestBody" in told:
                yield "<p>Body</p>" + _code(told["requestBody"]["content"])
            for status, answer in told["responses"].items():
                yield f"<p>{escape(status)}: {escape(answer['description'])}</p>"
                if "content" in answer:
                    yield _code(answer["content"])
            yield "</details>"


def _parameters(parameters: list[dict[str, Any]]) -> Iterator[str]:
    yield "<table>"
    for one in parameters:
        kind = one["schema"].get("format") or one["schema"].get("type", "")
        need = "required" if one.get("required") else "optional"
        yield f"<tr><td><code>{escape(one['name'])}</code><td>{one['in']}<td>{escape(kind)}<td class=s>{need}"
    yield "</table>"


def _schemas(document: dict[str, Any]) -> Iterator[str]:
    for name, schema in sorted(document["components"]["schemas"].items()):
        yield f"<details id='{escape(name)}'><summary><code>{escape(name)}</code></summary>{_code(schema)}</details>"


def _code(value: Any) -> str:
    return f"<pre>{escape(json.dumps(value, indent=1))}</pre>"
