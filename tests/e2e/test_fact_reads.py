"""Reads of facts: what the lists hold, in which order, page by page, and what they refuse."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest

from tests.e2e.clients.rest import Json, assert_error, content, new_context
from tests.servers import ServerProcess

NO_ID = "01arz3ndektsv4rrffq69g5fav"


def entity(name: str, kind: str = "person") -> Json:
    return {"type": kind, "name": name}


def fact(name: str, key: str, value: str, kind: str = "person", **fields: Any) -> Json:
    return {"entity": entity(name, kind), "key": key, "value": value, **fields}


def link(subject: str, label: str, target: str, kind: str = "organisation") -> Json:
    return {"entity": entity(subject), "key": label, "target": entity(target, kind)}


def deed(actor: str, verb: str, target: str, **fields: Any) -> Json:
    return {"entity": entity(actor), "verb": verb, "object": target, **fields}


def write(rest: httpx.Client, *triples: Json, **fields: Any) -> Json:
    return content(rest.post("/facts", json={"infer": "triples", "triples": list(triples), **fields}))


def values(rows: list[Json], name: str) -> list[Any]:
    return [row[name] for row in rows]


def listed(rest: httpx.Client, path: str, name: str, **params: Any) -> list[Json]:
    rows: list[Json] = content(rest.get(path, params=params or None))[name]
    return rows


@pytest.fixture(scope="module")
def rest(server: ServerProcess) -> Iterator[httpx.Client]:
    """A small world: people and firms, old and new values, relations, deeds, doubts, one directive."""
    with new_context(server, "fact reads").client() as client:
        write(client, fact("Ann", "age", "40"), fact("Ann", "likes", "tea"), observed_at="2024-01-01T00:00:00Z")
        write(client, fact("Ann", "age", "41"), fact("Ann", "likes", "jazz"), observed_at="2024-02-01T00:00:00Z")
        write(client, fact("Bob Stone", "age", "30"), observed_at="2024-03-01T00:00:00Z")
        write(client, link("Ann", "works_at", "Acme"), observed_at="2024-01-01T00:00:00Z")
        write(client, link("Ann", "knows", "Bob Stone", "person"), observed_at="2024-02-01T00:00:00Z")
        write(client, link("Bob Stone", "works_at", "Acme"), observed_at="2024-03-01T00:00:00Z")
        write(client, deed("Ann", "visited", "Rome", occurred_at="2023-05-01T00:00:00Z"), deed("Ann", "met", "Bob"))
        write(client, deed("Bob Stone", "visited", "Oslo"), observed_at="2023-06-01T00:00:00Z")
        for text in ("I'm Cleo.", "Maybe I will move to Rome.", "Always reply in French."):
            content(client.post("/facts", json={"text": text}))
        write(client, fact("Ann", "age", "50", confidence=0.01))
        yield client


# --- filters and order -------------------------------------------------------------------------


def test_live_attributes_are_listed_newest_first(rest: httpx.Client) -> None:
    rows = listed(rest, "/attributes", "attributes", entity="person/ann")
    assert [(row["key"], row["value"]) for row in rows] == [("likes", "jazz"), ("age", "41"), ("likes", "tea")]
    assert {row["validUntil"] for row in rows} == {None}
    everything = values(listed(rest, "/attributes", "attributes"), "createdAt")
    assert everything == sorted(everything, reverse=True)
    assert rows == content(rest.get("/entities/person/ann"))["attributes"]


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({"key": "age"}, {"30", "41"}),
        ({"key": "AGE", "entity": "entity:Person/Bob Stone"}, {"30"}),
        ({"entity": "person/nobody"}, set()),
        ({"key": "shoe size"}, set()),
    ],
)
def test_attributes_can_be_narrowed(rest: httpx.Client, params: Json, found: set[str]) -> None:
    assert set(values(listed(rest, "/attributes", "attributes", **params), "value")) == found


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({}, ["person/bob_stone works_at", "person/ann knows", "person/ann works_at"]),
        ({"src": "person/ann"}, ["person/ann knows", "person/ann works_at"]),
        ({"dst": "company/ACME"}, ["person/bob_stone works_at", "person/ann works_at"]),
        ({"src": "person/ann", "dst": "org/acme"}, ["person/ann works_at"]),
        ({"label": "works at"}, ["person/bob_stone works_at", "person/ann works_at"]),
        ({"src": "organisation/acme"}, []),
        ({"src": "person/nobody"}, []),
    ],
)
def test_relations_are_listed_newest_first_and_can_be_narrowed(
    rest: httpx.Client, params: Json, found: list[str]
) -> None:
    rows = listed(rest, "/relations", "relations", **params)
    assert [f"{row['subject'].removeprefix('entity:')} {row['label']}" for row in rows] == found


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({}, ["Bob", "Rome", "Oslo"]),
        ({"actor": "person/ann"}, ["Bob", "Rome"]),
        ({"verb": "Visited"}, ["Rome", "Oslo"]),
        ({"since": "2023-05-01T00:00:00Z", "until": "2024-01-01T00:00:00Z"}, ["Rome", "Oslo"]),
        ({"since": "2023-05-01T00:00:00.000001Z", "until": "2024-01-01T00:00:00Z"}, ["Oslo"]),
        ({"until": "2023-05-01T00:00:00Z"}, []),
        ({"since": "2024-01-01T00:00:00+02:00"}, ["Bob"]),
    ],
)
def test_actions_are_narrowed_by_when_they_occurred_or_else_were_said(
    rest: httpx.Client, params: Json, found: list[str]
) -> None:
    assert values(listed(rest, "/actions", "actions", **params), "objectText") == found


def test_uncertainties_say_what_they_are_about_and_whether_they_can_be_resolved(rest: httpx.Client) -> None:
    doubt, *_ = listed(rest, "/uncertainty", "unknowns", entity="person/ann")
    assert (doubt["about"], doubt["reason"]) == ("age: 50", "low confidence")
    assert (doubt["entity"], doubt["key"]) == ("entity:person/ann", "age")
    assert (doubt["resolvable"], doubt["resolved"], doubt["resolvedAt"]) == (True, False, None)

    everything = listed(rest, "/uncertainty", "unknowns")
    assert len(everything) > 1
    assert all(row["resolvable"] is bool(row["entity"] and row["key"]) for row in everything)
    assert listed(rest, "/uncertainty", "unknowns", resolved="false") == everything
    assert listed(rest, "/uncertainty", "unknowns", resolved="true") == []
    assert values(everything, "id") == values(content(rest.get("/state"))["unknowns"], "id")


def test_instructions_come_with_where_they_are_from(rest: httpx.Client) -> None:
    (row,) = listed(rest, "/instructions", "instructions")
    assert "French" in row["description"]
    assert content(rest.get(f"/turns/{row['source_turn']}"))["content"] == "Always reply in French."
    assert row["source"]["ref"] == row["source_turn"]
    assert row["scope"] == [["/"]]


# --- matches -----------------------------------------------------------------------------------


def test_a_search_finds_the_same_name_first_and_then_what_shares_its_words(server: ServerProcess) -> None:
    with new_context(server, "names").client() as rest:
        for name in ("Al Gore", "Al", "Gore Vidal", "Alan", "Bea"):
            write(rest, {"entity": entity(name)})
        write(rest, {"entity": entity("Al", "organisation")}, fact("Al", "age", "7"))

        found = listed(rest, "/entities/search", "matches", q="AL")
        assert [row["entity"]["id"].removeprefix("entity:") for row in found] == [
            *("organisation/al", "person/al", "person/al_gore", "person/alan")
        ]
        scores = values(found, "score")
        assert scores[:2] == [1, 1]
        assert scores[2:] == sorted(scores[2:], reverse=True)
        assert all(0 < score < 1 for score in scores[2:])
        assert values(found, "factCount") == [0, 1, 0, 0]
        assert found[0]["lastLearnedAt"] is None
        assert found[1]["lastLearnedAt"] == listed(rest, "/attributes", "attributes")[0]["createdAt"]

        assert len(listed(rest, "/entities/search", "matches", q="al", limit=1)) == 1
        assert len(listed(rest, "/entities/search", "matches", q="al", type="company")) == 1
        assert listed(rest, "/entities/search", "matches", q="%_") == []


def test_the_top_entities_are_those_with_the_most_facts_unless_asked_otherwise(rest: httpx.Client) -> None:
    by_facts = listed(rest, "/entities/top", "entities", limit=2)
    assert (by_facts[0]["entity"]["name"], by_facts[0]["factCount"]) == ("Ann", 3)
    assert by_facts == listed(rest, "/entities/top", "entities", by="coverage", limit=2)
    for by, field in (("importance", "importance"), ("recency", "updatedAt")):
        rows = listed(rest, "/entities/top", "entities", by=by)
        told = [row["entity"][field] for row in rows]
        assert told == sorted(told, reverse=True), by
        assert values(rows, "score") == sorted(values(rows, "score"), reverse=True), by
    assert values([row["entity"] for row in listed(rest, "/entities/top", "entities", type="org")], "name") == ["Acme"]


def test_what_was_said_long_ago_can_still_be_ranked(server: ServerProcess) -> None:
    with new_context(server, "long ago").client() as rest:
        said = fact("Cato", "quote", "Carthage must fall", memory_category="context")
        write(rest, said, observed_at="0200-01-01T00:00:00Z")
        write(rest, fact("Dora", "age", "8"))
        for by in ("coverage", "importance", "recency"):
            rows = listed(rest, "/entities/top", "entities", by=by)
            assert {row["entity"]["name"] for row in rows} == {"Cato", "Dora"}
            assert all(0 <= row["score"] <= 1 for row in rows)


# --- one entity --------------------------------------------------------------------------------


def test_the_history_of_an_entity_has_every_version_of_every_key(rest: httpx.Client) -> None:
    rows = listed(rest, "/entities/Person/Ann/history", "history")
    assert [(row["key"], row["value"]) for row in rows] == [
        *(("likes", "jazz"), ("age", "41"), ("likes", "tea"), ("age", "40"))
    ]
    assert rows[3]["supersededBy"] == rows[1]["id"]
    assert content(rest.get("/entities/person/ann/history?count=true&limit=1"))["page"]["totalSize"] == 4


def test_neighbours_are_seen_from_both_ends_of_a_relation(rest: httpx.Client) -> None:
    rows = listed(rest, "/entities/person/bob_stone/neighbourhood", "neighbours")
    assert [(row["label"], row["outbound"], row["far"]["entity"]["name"]) for row in rows] == [
        *(("works_at", True, "Acme"), ("knows", False, "Ann"))
    ]
    assert rows[1]["far"]["factCount"] == 3
    assert set(values(rows, "relationId")) < set(values(listed(rest, "/relations", "relations"), "id"))
    for least, names in ((0, ["Acme", "Ann"]), (1, ["Ann"]), (3, ["Ann"]), (4, [])):
        rows = listed(rest, "/entities/person/bob_stone/neighbourhood", "neighbours", minFacts=least)
        assert [row["far"]["entity"]["name"] for row in rows] == names


def test_an_entity_with_slashes_in_its_name_has_a_history_and_neighbours(rest: httpx.Client) -> None:
    write(rest, fact("a/b", "colour", "red", "product"), {**link("x", "in", "y"), "entity": entity("a/b", "product")})
    assert values(listed(rest, "/entities/product/a/b/history", "history"), "value") == ["red"]
    assert len(listed(rest, "/entities/product/a%2Fb/neighbourhood", "neighbours")) == 1
    (found,) = content(rest.get("/inspect", params={"ref": "attribute:product/a/b/colour"}))["history"]
    assert found["value"] == "red"
    rest.delete("/entities/product/a/b")


def test_the_profile_tells_by_kind_what_holds_now(rest: httpx.Client) -> None:
    content(rest.post("/facts", json={"text": "I'm Cleo and I live in Lyon."}))
    write(rest, fact("Ann", "mood", "calm", memory_category="context"), fact("Ann", "born", "1983"))
    profile = content(rest.get("/profile"))

    assert {"key": "mood", "value": "calm", "entity": "Ann", "entityType": "person"} in profile["dynamic"]
    assert {"key": "age", "value": "41", "entity": "Ann", "entityType": "person"} in profile["preferences"]
    assert "40" not in values(profile["preferences"], "value")
    assert len(profile["instructions"]) == 1
    about = {row["entity"] for row in profile["selfFacts"]}
    assert about == {"Cleo"}
    state = content(rest.get("/state"))
    for name, category in (("static", "identity"), ("dynamic", "context"), ("preferences", "knowledge")):
        assert values(profile[name], "value") == values(state[category]["attributes"], "value")


# --- one row -----------------------------------------------------------------------------------


def test_every_form_of_a_reference_is_inspected(rest: httpx.Client) -> None:
    def inspected(ref: str) -> Json:
        return content(rest.get("/inspect", params={"ref": ref}))

    ann = content(rest.get("/entities/person/ann"))
    for ref in ("entity:person/ann", "entity:Person/Ann", "person/ann", "person:ann", "user:Ann"):
        assert inspected(ref) == {"kind": "entity", **ann}

    age = inspected("attribute:person/Ann/AGE")
    assert (age["kind"], age["current"]["value"]) == ("attribute", "41")
    assert values(age["history"], "value") == ["41", "40"]
    for row in age["history"]:
        assert inspected(row["id"]) == age
    likes = inspected("attribute:person/ann/likes")
    assert values(likes["history"], "value") == ["jazz", "tea"]
    tea = inspected(likes["history"][1]["id"])
    assert (tea["current"]["value"], values(tea["history"], "value")) == ("tea", ["tea"])

    works = inspected("relation:person/ann-[works_at]->organisation/acme")
    assert works["kind"] == "relation"
    (edge,) = works["matches"]
    assert inspected(edge["id"]) == works
    for ref in ("relation:Ann/works_at/Acme", "relation:person/ann/Works At/company/acme"):
        assert inspected(ref) == works

    (correction,) = listed(rest, "/corrections", "corrections", entity="person/ann")
    shown = inspected(correction["id"])
    assert shown == {"kind": "correction", "correction": content(rest.get(f"/corrections/{correction['id']}"))}


def test_an_ended_relation_is_still_inspected(server: ServerProcess) -> None:
    with new_context(server, "ended").client() as rest:
        for firm, year in (("Acme", 2020), ("Initech", 2022)):
            write(rest, link("Ann", "works_at", firm), observed_at=f"{year}-01-01T00:00:00Z")
        assert values(listed(rest, "/relations", "relations"), "object") == ["entity:organisation/initech"]
        (edge,) = content(rest.get("/inspect", params={"ref": "relation:ann/works_at/acme"}))["matches"]
        assert edge["validUntil"] == "2022-01-01T00:00:00.000000Z"


@pytest.mark.parametrize(
    ("ref", "status"),
    [
        *(
            (ref, 400)
            for ref in ("", " ", "ann", "person/", "/ann", "entity:", "entity:ann", "entity:person/", "wizard:ann")
        ),
        *((ref, 400) for ref in ("attribute:person/ann", "attribute:person/ann/", "attribute:ann", ":ann", "person:")),
        *((ref, 400) for ref in ("relation:a", "relation:a/b", "relation:a/b/c/d", "relation:a-[b]->c", "relation://")),
        *(
            (ref, 404)
            for ref in ("entity:person/nobody", "person/nobody", "person:nobody", "attribute:person/ann/shoe", "attr_x")
        ),
        *((ref, 404) for ref in (f"attr_{NO_ID}", f"rel_{NO_ID}", f"corr_{NO_ID}", "relation:ann/hates/acme")),
        *((ref, 404) for ref in (f"chunk:{NO_ID}", f"passage:{NO_ID}", "chunk:x", f"act_{NO_ID}")),
        (f"trace:{NO_ID}", 404),
        *((ref, 404) for ref in ("document:x", "doc:x", f"document:{NO_ID}", f"passage:{NO_ID}/0")),
        (f"passage:{NO_ID}/first", 400),
        *((ref, 501) for ref in (f"instr_{NO_ID}", f"unc_{NO_ID}", f"turn:{NO_ID}")),
    ],
)
def test_a_reference_to_nothing_is_refused_by_what_is_wrong_with_it(rest: httpx.Client, ref: str, status: int) -> None:
    assert_error(rest.get("/inspect", params={"ref": ref}), status)


def test_a_correction_comes_with_the_words_that_caused_it(server: ServerProcess) -> None:
    with new_context(server, "corrected").client() as rest:
        session_id = content(rest.post("/sessions"), 201)["id"]
        for text in ("I'm Alice, Head of Platform at Acme.", "I just got promoted to CTO"):
            written = content(rest.post("/facts", json={"text": text, "session_id": session_id}))
        (listed_one,) = listed(rest, "/corrections", "corrections")
        found = content(rest.get(f"/corrections/{listed_one['id']}"))
        turn = found.pop("turn")
        assert found == listed_one
        assert turn["id"] == listed_one["source"]["ref"]
        whole = content(rest.get(f"/turns/{turn['id']}"))
        assert turn == {name: whole[name] for name in ("id", "role", "content", "createdAt")}
        assert content(rest.get(f"/turns/turn_{written['turnId']}"))["id"] == turn["id"]
        assert turn["content"] == "I just got promoted to CTO"


def test_a_turn_tells_how_far_it_is_understood(rest: httpx.Client) -> None:
    for body, status in (
        ({"text": "I live in Lyon."}, "complete"),
        ({"text": "Hm."}, "nothing_found"),
        ({"text": "I live in Lyon.", "infer": "none"}, "none"),
    ):
        turn = content(rest.get(f"/turns/{content(rest.post('/facts', json=body))['turnId']}"))
        assert (turn["extraction"]["status"], turn["content"], turn["seq"]) == (status, body["text"], 1)
        assert (turn["extraction"]["extractor"] is None) is (status == "none")
        assert "error" not in turn["extraction"]


# --- refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("/attributes?entity=ann", "entity"),
        ("/attributes?entity=person/", "entity"),
        ("/attributes?count=maybe", "count"),
        ("/relations?src=ann", "src"),
        ("/relations?dst=/acme", "dst"),
        ("/actions?actor=ann", "actor"),
        ("/actions?since=yesterday", "since"),
        ("/actions?since=2024-01-01", "since"),
        ("/actions?until=0001-01-01T00:00:00Z", "until"),
        ("/uncertainty?entity=ann", "entity"),
        ("/uncertainty?resolved=maybe", "resolved"),
        ("/entities/search", "q"),
        ("/entities/search?q=%20%09", "q"),
        ("/entities/search?q=" + "a" * 1001, "q"),
        ("/entities/search?q=a&limit=0", "limit"),
        ("/entities/top?by=size", "by"),
        ("/entities/top?limit=x", "limit"),
        ("/entities/person/ann/neighbourhood?minFacts=-1", "minFacts"),
        ("/entities/person/ann/neighbourhood?minFacts=0&count=true", "minFacts"),
        ("/profile?limit=0", "limit"),
    ],
)
def test_a_bad_parameter_is_refused_by_name(rest: httpx.Client, path: str, named: str) -> None:
    assert named in assert_error(rest.get(path), 400)


@pytest.mark.parametrize(
    "path",
    [
        "/entities/person/nobody/history",
        "/entities/person/nobody/neighbourhood",
        f"/corrections/corr_{NO_ID}",
        "/corrections/x",
        f"/turns/{NO_ID}",
        "/turns/x",
    ],
)
def test_what_is_not_there_is_not_found(rest: httpx.Client, path: str) -> None:
    assert_error(rest.get(path), 404)


# --- paging ------------------------------------------------------------------------------------


class List(NamedTuple):
    """A list, what tells its rows apart, and what narrows it."""

    path: str
    name: str
    id: str = "id"
    params: dict[str, str] | None = None


LISTS = (
    List("/attributes", "attributes", params={"entity": "person/star"}),
    List("/attributes", "attributes", params={"key": "age"}),
    List("/relations", "relations"),
    List("/actions", "actions"),
    List("/instructions", "instructions"),
    List("/uncertainty", "unknowns"),
    List("/entities/person/star/history", "history"),
    List("/entities/organisation/acme/neighbourhood", "neighbours", "relationId"),
)
ROWS = 7


def written(ordinal: int) -> list[Json]:
    """One row of every list but the instructions."""
    name = f"P{ordinal}"
    return [
        fact("Star", "likes", str(ordinal)),
        fact(name, "age", "1"),
        link(name, "knows", "Acme"),
        deed(name, "built", "a boat"),
        fact(name, "height", str(ordinal), confidence=0.01),
    ]


@pytest.fixture
def paged(server: ServerProcess, request: pytest.FixtureRequest) -> Iterator[httpx.Client]:
    """Rows of which many were said at the same time, in one transaction and in several."""
    with new_context(server, re.sub(r"\W+", " ", request.node.name)).client() as client:
        for ordinals in ((0, 1, 2), (3, 4), (5,), (6,)):
            triples = [triple for ordinal in ordinals for triple in written(ordinal)]
            write(client, *triples, observed_at="2024-01-01T00:00:00Z")
        directives = [f"Always mention the {word}." for word in "date weather price author page season budget".split()]
        messages = [{"role": "user", "content": text, "ts": "2024-01-01T00:00:00Z"} for text in directives]
        content(client.post("/facts/batch", json={"messages": messages}))
        yield client


@pytest.mark.parametrize("one", LISTS, ids=lambda one: " ".join((one.path, *(one.params or {}))))
def test_pages_hold_each_row_once_also_while_writes_go_on(paged: httpx.Client, one: List) -> None:
    narrowed: Json = one.params or {}
    before = values(listed(paged, one.path, one.name, **narrowed), one.id)
    assert len(before) == len(set(before)) == ROWS
    first = content(paged.get(one.path, params={**narrowed, "limit": 2, "count": "true"}))
    assert first["page"]["totalSize"] == len(before)

    walked, page = values(first[one.name], one.id), first["page"]
    for year in (2020, 2025, 2021, 2026, 2022, 2027, 2023, 2028):
        if not page["hasMore"]:
            break
        # Newer words, and older ones that belong on pages still to come.
        write(paged, *written(year), observed_at=f"{year}-01-01T00:00:00Z")
        answer = content(paged.get(one.path, params={**narrowed, "limit": 2, "cursor": page["nextCursor"]}))
        assert 0 < len(answer[one.name]) <= 2
        walked += values(answer[one.name], one.id)
        page = answer["page"]

    assert not page["hasMore"]
    assert len(walked) == len(set(walked))
    assert [row for row in walked if row in before] == before


# --- scopes and forgetting ---------------------------------------------------------------------


def test_rows_of_all_scope_sets_that_a_key_covers_are_read_together(server: ServerProcess) -> None:
    with new_context(server, "scoped").client() as rest:
        for scope, value in (("org/a", "tea"), ("org/b", "jazz")):
            triples = [fact("Ann", "likes", value), link("Ann", "knows", "Acme"), deed("Ann", "saw", "a film")]
            write(rest, *triples, fact("Ann", "age", "1", confidence=0.01), scopes=[[scope]])
            content(rest.post("/facts", json={"text": "Always reply in French.", "scopes": [[scope]]}))

        both = [[["org/b/"]], [["org/a/"]]]
        assert values(listed(rest, "/attributes", "attributes", entity="person/ann"), "scope") == both
        assert values(listed(rest, "/relations", "relations", src="person/ann"), "scope") == both
        assert values(listed(rest, "/entities/person/ann/history", "history"), "scope") == both
        assert values(listed(rest, "/uncertainty", "unknowns", entity="person/ann"), "scope") == both
        assert values(listed(rest, "/instructions", "instructions"), "scope") == both
        assert len(listed(rest, "/actions", "actions", actor="person/ann")) == 2
        neighbours = listed(rest, "/entities/organisation/acme/neighbourhood", "neighbours")
        assert [row["far"]["factCount"] for row in neighbours] == [2, 2]
        (found,) = listed(rest, "/entities/search", "matches", q="ann")
        assert found["factCount"] == 2
        assert values(listed(rest, "/entities/top", "entities"), "factCount") == [2, 0]
        assert len(content(rest.get("/inspect?ref=person:ann"))["attributes"]) == 2
        assert {row["value"] for row in content(rest.get("/profile"))["preferences"]} == {"tea", "jazz"}


def test_a_forgotten_entity_is_gone_from_all_of_them(server: ServerProcess) -> None:
    with new_context(server, "forgotten").client() as rest:
        for age in ("40", "41"):
            write(rest, fact("Ned", "age", age), link("Ned", "knows", "Acme"), deed("Ned", "saw", "a film"))
        write(rest, fact("Ned", "age", "50", confidence=0.01))
        (correction,) = listed(rest, "/corrections", "corrections")
        (attribute,) = listed(rest, "/attributes", "attributes")
        (relation,) = listed(rest, "/relations", "relations")
        assert rest.delete("/entities/person/ned").status_code == 204

        for path, name in (
            *(("/attributes", "attributes"), ("/relations", "relations"), ("/actions", "actions")),
            *(("/uncertainty", "unknowns"), ("/corrections", "corrections"), ("/entities/search?q=ned", "matches")),
            *(("/entities/organisation/acme/neighbourhood", "neighbours"), ("/profile", "preferences")),
        ):
            assert listed(rest, path, name) == [], path
        assert [row["entity"]["name"] for row in listed(rest, "/entities/top", "entities")] == ["Acme"]
        assert content(rest.get("/state"))["unknowns"] == []
        refs = [row["id"] for row in (correction, attribute, relation)]
        for ref in ("person:ned", "attribute:person/ned/age", "relation:ned/knows/acme", *refs):
            assert_error(rest.get("/inspect", params={"ref": ref}), 404)
        for path in (f"/corrections/{correction['id']}", "/entities/person/ned/history"):
            assert_error(rest.get(path), 404)
