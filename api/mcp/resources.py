"""Read-only resources: spectron://fs/{documents,entities,sessions} and what lies below them."""

from urllib.parse import quote, unquote

from api.mcp.tools import Asked
from memory.errors import NotFound

ROOT = "spectron://fs/"
FOLDERS = {
    "documents": "Documents, newest first",
    "entities": "What is known, by type and name",
    "sessions": "Conversations, newest first",
}


def asked(uri: str) -> Asked:
    """The REST request that reads `uri`. Raises NotFound for what is no resource of ours."""
    folder, _, rest = uri.removeprefix(ROOT).rstrip("/").partition("/")
    if not uri.startswith(ROOT) or folder not in FOLDERS:
        raise NotFound(f"there is no resource {uri}")
    if not rest:
        return Asked("GET", f"/{folder}")
    if folder == "entities":
        kind, _, name = rest.partition("/")
        if not name:
            return Asked("GET", "/entities", query={"type": unquote(kind)})
        return Asked("GET", f"/entities/{_segment(kind)}/{_segment(name)}")
    return Asked("GET", f"/{folder}/{_segment(rest)}" + ("/turns" if folder == "sessions" else ""))


def _segment(text: str) -> str:
    return quote(unquote(text), safe="")
