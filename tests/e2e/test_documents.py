"""Documents over HTTP: upload, watch, look, query, replace, delete."""

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests import files
from tests.servers import ServerProcess
from tests.tenants import Tenant, operator

HANDBOOK = """# Team handbook

Welcome. This handbook says how the shop works, whom to ask, and what we promise to our customers.

## Returns

Returns are accepted within 30 days of delivery. The customer brings the receipt, and the goods are unused.

## Opening hours

The shop opens at nine in the morning and closes at six in the evening, on Saturdays at noon already.

See [the price list](prices.csv) and [the law](https://example.org/law).
"""


ENDLESS = b'--q\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'


@pytest.fixture(scope="module")
def client(server: ServerProcess) -> Iterator[httpx.Client]:
    """A context of its own."""
    with operator(server) as management, Tenant(server, management).make().admin() as client:
        yield client


def upload(client: httpx.Client, data: bytes, name: str, **metadata: Any) -> dict[str, Any]:
    form = {"metadata": json.dumps(metadata)} if metadata else {}
    answer = client.post("/documents", files={"file": (name, data)}, data=form)
    assert answer.status_code == 202, answer.text
    found: dict[str, Any] = answer.json()
    return found


def finished(client: httpx.Client, document_id: str) -> dict[str, Any]:
    """The document once it is ready or failed; on the way its status only moves on."""
    seen: list[str] = []
    for _ in range(600):
        found: dict[str, Any] = client.get(f"/documents/{document_id}").json()
        seen.append(found["status"])
        if found["status"] in ("ready", "failed"):
            order = ["queued", "extracting", "chunking", "embedding", "keywording", "extracting_nodes", seen[-1]]
            assert seen == sorted(seen, key=order.index)
            return found
        time.sleep(0.05)
    raise AssertionError(f"never finished: {found}")


@pytest.fixture(scope="module")
def handbook(client: httpx.Client) -> dict[str, Any]:
    made = upload(client, HANDBOOK.encode(), "handbook.md", title="Team handbook", labels=["team=shop"])
    found = finished(client, made["id"])
    assert found["status"] == "ready", found
    return found


def test_an_upload_becomes_a_document_with_exact_chunks(client: httpx.Client, handbook: dict[str, Any]) -> None:
    assert handbook["title"] == "Team handbook"
    assert handbook["mimeType"] == "text/markdown"
    assert handbook["version"] == 1
    assert client.get(f"/documents/{handbook['id']}/raw").content == HANDBOOK.encode()
    text = client.get(f"/documents/{handbook['id']}/text").text
    assert text == HANDBOOK
    listed = client.get(f"/documents/{handbook['id']}/chunks").json()
    assert listed["total"] == len(listed["chunks"]) == handbook["chunkCount"]
    for position, chunk in enumerate(listed["chunks"]):
        assert chunk["position"] == position
        assert text[chunk["charStart"] : chunk["charEnd"]] == chunk["text"]
    assert {chunk["section"] for chunk in listed["chunks"]} >= {"Team handbook > Returns"}


def test_the_same_bytes_are_the_same_document(client: httpx.Client, handbook: dict[str, Any]) -> None:
    again = upload(client, HANDBOOK.encode(), "copy.md")
    assert again == {
        "id": handbook["id"],
        "status": "ready",
        "contentHash": handbook["contentHash"],
        "deduplicated": True,
        "observedAt": handbook["observedAt"],
    }


def test_metadata_may_come_after_the_file_or_not_at_all(client: httpx.Client) -> None:
    boundary = "b0undary"
    body = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="after.txt"\r\n\r\n'
        f"Words before what is said of them.\r\n--{boundary}\r\n"
        'Content-Disposition: form-data; name="metadata"\r\n\r\n'
        '{"title": "After", "observedAt": "2024-05-01T10:00:00Z"}'
        f"\r\n--{boundary}--\r\n"
    )
    answer = client.post(
        "/documents", content=body, headers={"Content-Type": f"multipart/form-data; boundary={boundary}"}
    )
    assert answer.status_code == 202
    found = finished(client, answer.json()["id"])
    assert found["title"] == "After"
    assert found["observedAt"] == "2024-05-01T10:00:00.000000Z"
    bare = upload(client, b"Nothing is said of these words at all.", "bare.txt")
    assert finished(client, bare["id"])["title"] == "bare.txt"


def test_a_documents_own_date_counts_when_it_is_asked_for(client: httpx.Client) -> None:
    data = files.pdf([["Dated words on a page."]], created="D:20240131120000Z")
    made = upload(client, data, "dated.pdf", observedAtHeader="CreationDate")
    assert finished(client, made["id"])["observedAt"] == "2024-01-31T12:00:00.000000Z"


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({"files": {"file": ("a.txt", b"")}}, 400),
        ({"files": {"other": ("a.txt", b"words")}}, 400),
        ({"content": b"words", "headers": {"Content-Type": "text/plain"}}, 400),
        ({"content": b"--x", "headers": {"Content-Type": "multipart/form-data"}}, 400),
        ({"files": {"file": ("a.txt", b"words")}, "data": {"metadata": "{"}}, 400),
        ({"files": {"file": ("a.txt", b"words")}, "data": {"metadata": '{"labels": ["_x=1"]}'}}, 400),
        ({"files": {"file": ("a.txt", b"words")}, "data": {"metadata": '{"observedAt": "soon"}'}}, 400),
        ({"files": {"file": ("a.exe", b"MZ\x00\x01\x02")}}, 415),
        ({"files": {"file": ("a.zip", b"PK\x03\x04rest")}}, 415),
        ({"files": {"file": ("a.txt", b"a" * (50 * 1024 * 1024 + 1))}}, 413),
        (
            {
                "content": iter([ENDLESS, *[b"x" * 1024 * 1024] * 60]),
                "headers": {"Content-Type": "multipart/form-data; boundary=q"},
            },
            413,
        ),
    ],
    ids="empty nofile noform badform badjson label date exe zip large endless".split(),
)
def test_what_can_not_be_a_document_is_refused(client: httpx.Client, form: dict[str, Any], status: int) -> None:
    answer = client.post("/documents", **form)
    assert answer.status_code == status, answer.text
    assert answer.json()["message"]


def test_without_a_key_nothing_is_taken_in(server: ServerProcess) -> None:
    answer = httpx.post(f"{server.url}/api/v1/{server.context}/documents", files={"file": ("a.txt", b"words")})
    assert answer.status_code == 401


def test_a_file_that_can_not_be_read_fails_alone_with_its_reason(client: httpx.Client) -> None:
    made = upload(client, files.pdf([["secret"]], encrypted=True), "locked.pdf")
    found = finished(client, made["id"])
    assert found["status"] == "failed"
    assert "encrypted" in found["error"]
    assert found["id"] in [one["id"] for one in client.get("/documents?status=Failed").json()["documents"]]
    assert client.get(f"/documents/{made['id']}/chunks").json()["chunks"] == []


def test_lists_are_paged_both_ways(client: httpx.Client, handbook: dict[str, Any]) -> None:
    everything = client.get("/documents?limit=500").json()["documents"]
    by_cursor: list[str] = []
    cursor = ""
    while True:
        found = client.get(f"/documents?limit=2&count=true&cursor={cursor}").json()
        by_cursor += [one["id"] for one in found["documents"]]
        assert found["page"]["totalSize"] == found["total"] == len(everything)
        cursor = found["page"].get("nextCursor", "")
        if not cursor:
            break
    assert by_cursor == [one["id"] for one in everything]
    pages = [client.get(f"/documents?page={number}&pageSize=2").json() for number in (0, 1)]
    assert [one["id"] for found in pages for one in found["documents"]] == by_cursor[:4]
    assert client.get("/documents?page=1&cursor=abc").status_code == 400
    assert client.get("/documents?status=nonsense").status_code == 400
    markdown = client.get("/documents?mimeType=TEXT/Markdown&status=Ready").json()["documents"]
    assert handbook["id"] in [one["id"] for one in markdown]
    assert {one["mimeType"] for one in markdown} == {"text/markdown"}
    chunks = client.get(f"/documents/{handbook['id']}/chunks?limit=1").json()
    following = client.get(f"/documents/{handbook['id']}/chunks?limit=1&cursor={chunks['page']['nextCursor']}").json()
    assert [chunks["chunks"][0]["position"], following["chunks"][0]["position"]] == [0, 1]


def test_every_spelling_of_an_id_is_taken(client: httpx.Client, handbook: dict[str, Any]) -> None:
    bare = handbook["id"].removeprefix("document:")
    for spelt in (bare, f"doc:{bare}", f"document%3A{bare}"):
        assert client.get(f"/documents/{spelt}").json()["id"] == handbook["id"]
    assert client.get("/documents/nonsense").status_code == 404


def test_a_document_and_its_chunks_can_be_inspected(client: httpx.Client, handbook: dict[str, Any]) -> None:
    shown = client.get("/inspect", params={"ref": handbook["id"]}).json()
    assert (shown["kind"], shown["document"]["title"]) == ("document", "Team handbook")
    chunk = client.get(f"/documents/{handbook['id']}/chunks").json()["chunks"][1]
    for ref in (chunk["id"], f"passage:{handbook['id'].removeprefix('document:')}/1"):
        shown = client.get("/inspect", params={"ref": ref}).json()
        assert (shown["kind"], shown["chunk"]["text"]) == ("chunk", chunk["text"])


def test_keywords_tell_what_documents_are_about(client: httpx.Client, handbook: dict[str, Any]) -> None:
    found = client.get(f"/documents/{handbook['id']}/keywords").json()["keywords"]
    assert 1 <= len(found) <= 5
    name = found[0]["normalised"]
    assert name == name.upper()
    detail = client.get(f"/documents/keywords/{name}").json()
    assert handbook["id"] in [one["id"] for one in detail["documents"]]
    assert detail["documentCount"] == len(detail["documents"])
    listed = client.get("/documents/keywords", params={"q": name.lower(), "sort": "-document_count"}).json()
    assert name in [one["normalised"] for one in listed["keywords"]]
    hits = client.post("/documents/keywords/search", json={"query": name.lower()}).json()["results"]
    assert hits[0]["normalised"] == name
    assert client.get("/documents/keywords/NO SUCH KEYWORD").status_code == 404


@pytest.mark.parametrize("mode", ["hybrid", "vector", "bm25", "hybrid_graph"])
def test_every_mode_finds_the_section(client: httpx.Client, handbook: dict[str, Any], mode: str) -> None:
    asked = {"query": "Within how many days are returns accepted?", "mode": mode, "k": 3, "threshold": 0.2}
    found = client.post("/documents/query", json=asked).json()
    best = found["results"][0]
    assert "within 30 days" in best["chunk"]["text"]
    assert best["chunk"]["section"] == "Team handbook > Returns"
    assert best["document"] == {"id": handbook["id"], "title": "Team handbook", "source": "handbook.md"}
    assert len(found["results"]) <= 3


def test_a_query_keeps_to_its_filter_and_refuses_unknown_words(client: httpx.Client, handbook: dict[str, Any]) -> None:
    ask = {"query": "returns accepted days", "k": 5}
    only = client.post("/documents/query", json={**ask, "filter": {"documentIds": [handbook["id"]]}}).json()["results"]
    assert {one["document"]["id"] for one in only} == {handbook["id"]}
    none = client.post("/documents/query", json={**ask, "filter": {"mimeType": ["application/pdf"]}}).json()["results"]
    assert handbook["id"] not in {one["document"]["id"] for one in none}
    fused = client.post("/documents/query", json={**ask, "vectorWeight": 0.3, "rrfK": 60}).json()["results"]
    assert fused[0]["document"]["id"] == handbook["id"]
    for wrong in ({"graphEdges": ["nonsense"]}, {"mode": "magic"}, {"k": 51}, {"k": 0}, {"query": ""}):
        assert client.post("/documents/query", json={**ask, **wrong}).status_code == 400


def test_links_tie_documents_together(client: httpx.Client, handbook: dict[str, Any]) -> None:
    prices = upload(client, b"item,price\nlamp,30\nchair,60\n", "prices.csv")
    finished(client, prices["id"])
    assert client.post("/documents/recompute-links").json()["linksEmitted"] == 1
    assert client.post("/documents/recompute-links", json={}).json()["linksEmitted"] == 0
    asked = {"query": "returns accepted days of delivery", "mode": "hybrid_graph", "expandGraph": True, "k": 20}
    results = client.post("/documents/query", json={**asked, "graphEdges": ["document_link"]}).json()["results"]
    tied = next(one for one in results if one["document"]["id"] == prices["id"])
    assert tied["graphEvidence"][0]["edgeKind"] == "document_link"


def test_a_replaced_document_says_only_what_is_new(client: httpx.Client) -> None:
    made = upload(client, b"The umbrella factory stands in Leeds, by the canal.", "factory.txt")
    finished(client, made["id"])
    changed = client.put(
        f"/documents/{made['id']}", files={"file": ("factory.txt", b"The parasol factory stands in York, by the wall.")}
    )
    assert changed.status_code == 202
    found = finished(client, made["id"])
    assert (found["version"], found["status"]) == (2, "ready")
    chunks = client.get(f"/documents/{made['id']}/chunks").json()["chunks"]
    assert [one["text"] for one in chunks] == ["The parasol factory stands in York, by the wall."]
    results = client.post("/documents/query", json={"query": "umbrella factory Leeds canal"}).json()["results"]
    assert not any("umbrella" in one["chunk"]["text"] for one in results)
    again = client.put(f"/documents/{made['id']}")
    assert again.status_code == 202
    assert finished(client, made["id"])["version"] == 3
    assert client.put("/documents/nonsense").status_code == 404


def test_a_deleted_document_is_found_nowhere(client: httpx.Client) -> None:
    made = upload(client, b"The zeppelin hangar is painted in a shade of vermilion.", "hangar.txt")
    finished(client, made["id"])
    ask = {"query": "zeppelin hangar vermilion"}
    assert client.post("/documents/query", json=ask).json()["results"]
    assert client.delete(f"/documents/{made['id']}").status_code == 204
    for path in ("", "/chunks", "/raw", "/text", "/keywords"):
        assert client.get(f"/documents/{made['id']}{path}").status_code == 404
    assert client.delete(f"/documents/{made['id']}").status_code == 404
    assert not any(
        "zeppelin" in one["chunk"]["text"] for one in client.post("/documents/query", json=ask).json()["results"]
    )
    anew = upload(client, b"The zeppelin hangar is painted in a shade of vermilion.", "hangar.txt")
    assert (anew["deduplicated"], anew["id"] == made["id"]) == (False, False)
