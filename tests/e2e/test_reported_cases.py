"""Faults reported of comparable systems, over HTTP: deletions, pages, odd texts, tenants, races, starts, telemetry.

Names carry the ids of `tests/data/reported_cases.py`; see `tests/integration/test_reported_cases.py` for the others.
"""

import ast
import json
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx
import pytest

from api import wiring
from api.ids import new_id
from api.keys import digest, new_key
from api.settings.config import from_env
from memory.administration import ADMIN
from memory.events import GrantGiven, KeyMinted, PrincipalCreated
from memory.principals import VERBS
from memory.recorded import Origin
from memory.scopes import ROOT_SET, scope_set, scope_set_id
from memory.values import derived_id
from tests.e2e.clients.rest import Context, Json, assert_error, content, new_context
from tests.servers import ServerProcess, public_folder, run_command

REPOSITORY = Path(__file__).parents[2]
LISTS = {
    "entities": "entities",
    "entities/top": "entities",
    "attributes": "attributes",
    "relations": "relations",
    "actions": "actions",
    "instructions": "instructions",
    "uncertainty": "unknowns",
    "corrections": "corrections",
    "sessions": "sessions",
}


@pytest.fixture(scope="module")
def rest(server: ServerProcess) -> Iterator[httpx.Client]:
    with new_context(server, "reported cases").client() as client:
        yield client


def entity(name: str, kind: str = "person") -> Json:
    return {"type": kind, "name": name}


def fact(name: str, key: str, value: str, kind: str = "person") -> Json:
    return {"entity": entity(name, kind), "key": key, "value": value}


def link(subject: str, label: str, target: str) -> Json:
    return {"entity": entity(subject), "key": label, "target": entity(target)}


def write(rest: httpx.Client, *triples: Json, **fields: Any) -> Json:
    return content(rest.post("/facts", json={"infer": "triples", "triples": list(triples), **fields}))


def say(rest: httpx.Client, text: str, **fields: Any) -> Json:
    return content(rest.post("/facts", json={"text": text, **fields}))


def rows(rest: httpx.Client, path: str, **params: Any) -> list[Json]:
    found: list[Json] = content(rest.get(f"/{path}", params=params or None))[LISTS[path]]
    return found


def found(rest: httpx.Client, searched: str) -> list[str]:
    """The names that a search finds."""
    matches = content(rest.get("/entities/search", params={"q": searched}))["matches"]
    return [match["entity"]["name"] for match in matches]


def at(kind: str, name: str) -> str:
    return f"/entities/{kind}/{quote(name, safe='')}"


def every_read(rest: httpx.Client, *searched: str) -> str:
    """Everything that any read of the API answers, as one text."""
    answers = [content(rest.get(path)) for path in ("/state", "/profile")]
    answers += [content(rest.get(f"/{path}")) for path in LISTS]
    answers += [content(rest.get("/entities/search", params={"q": one})) for one in searched]
    for row in rows(rest, "entities"):
        path = at(row["entityType"], row["name"])
        answers += [content(rest.get(path + end)) for end in ("", "/history", "/neighbourhood")]
        answers.append(content(rest.get("/inspect", params={"ref": row["id"]})))
    for row in rows(rest, "attributes"):
        answers.append(content(rest.get("/inspect", params={"ref": row["id"]})))
    for row in rows(rest, "sessions"):
        answers.append(content(rest.get(f"/sessions/{row['id']}/turns")))
    return json.dumps(answers, ensure_ascii=False)


# --- attribution, reading what was written -----------------------------------------------------


def test_att_06_a_question_gives_an_explicitly_empty_answer_and_is_kept(rest: httpx.Client) -> None:
    told = [("user", "How do I clean a wok?"), ("assistant", "Scrub it with salt and hot water.")]
    for role, text in told:
        answer = say(rest, text, role=role)
        assert answer["extraction"]["status"] == "nothing_found"
        assert not any(answer["extraction"][name] for name in ("entities", "attributes", "relations", "actions"))
        turn = content(rest.get(f"/turns/{answer['turnId']}"))
        assert (turn["content"], turn["role"], turn["extraction"]["status"]) == (text, role, "nothing_found")


def test_prv_07_what_was_written_is_read_at_once(rest: httpx.Client) -> None:
    for number in ("12", "14", "3"):
        say(rest, f"My tram is the {number}.")
        assert [row["value"] for row in rows(rest, "attributes", key="tram")] == [number]


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/facts/batch", {"messages": "I ride a unicycle."}, "messages"),
        ("/facts/batch", {"messages": ["I ride a unicycle."]}, "messages.0"),
        ("/facts", {"infer": "triples", "triples": "I ride a unicycle."}, "triples"),
        ("/facts", {"text": ["I ride a unicycle."]}, "text"),
        ("/facts", {"text": "I ride a unicycle.", "labels": "sport=yes"}, "labels"),
    ],
)
def test_prv_06_a_body_of_the_wrong_shape_is_refused_by_its_field(
    rest: httpx.Client, path: str, body: Json, field: str
) -> None:
    sessions = len(rows(rest, "sessions", limit=500))
    assert field in assert_error(rest.post(path, json=body), 400)
    assert len(rows(rest, "sessions", limit=500)) == sessions


def test_dup_04_one_key_is_one_turn_and_with_another_body_a_conflict(rest: httpx.Client) -> None:
    notes, key = {"text": "Meeting notes: budget approved at 40k."}, {"Idempotency-Key": "n1"}
    first, again = (content(rest.post("/facts", json=notes, headers=key)) for _ in range(2))
    assert (again["turnId"], again["extraction"]) == (first["turnId"], first["extraction"])
    assert len(content(rest.get(f"/sessions/{first['sessionId']}/turns"))["turns"]) == 1
    assert_error(rest.post("/facts", json={"text": "Meeting notes: nothing approved."}, headers=key), 409)


def test_tmp_05_a_time_with_an_offset_is_that_instant(rest: httpx.Client) -> None:
    deed = {"entity": entity("Wen"), "verb": "booked", "object": "dentist", "occurred_at": "2026-09-15T12:45:00+08:00"}
    answer = write(
        rest, deed, text="The dentist is booked, as of a minute ago.", observed_at="2026-09-15T12:45:00+08:00"
    )
    (row,) = rows(rest, "actions", actor="person/wen")
    turn = content(rest.get(f"/turns/{answer['turnId']}"))
    assert row["occurredAt"] == row["createdAt"] == turn["createdAt"] == "2026-09-15T04:45:00.000000Z"
    assert "04:45" not in row["summary"] + turn["content"]


# --- deletions ---------------------------------------------------------------------------------


def test_del_01_of_a_deleted_entity_no_read_shows_anything(rest: httpx.Client) -> None:
    write(
        rest, fact("Solveig", "allergy", "lupin"), link("Solveig", "married_to", "Ulf"), link("Ulf", "knows", "Solveig")
    )
    assert "Solveig" in every_read(rest, "solveig")
    assert rest.delete("/entities/person/solveig").status_code == 204
    assert_error(rest.get("/entities/person/solveig"), 404)
    told = every_read(rest, "solveig")
    assert "olveig" not in told
    assert "lupin" not in told
    assert content(rest.get("/entities/person/ulf/neighbourhood"))["neighbours"] == []
    assert rows(rest, "relations", src="person/ulf") == []


def test_del_05_what_is_deleted_is_neither_counted_nor_found(rest: httpx.Client) -> None:
    write(rest, fact("Kite note", "text", "of kites", "topic"), fact("Drum note", "text", "of drums", "topic"))

    def totals() -> list[int]:
        counted = [content(rest.get(f"/{path}?count=true")) for path in ("entities", "attributes")]
        return [page["page"]["totalSize"] for page in counted]

    before = totals()
    assert rest.delete(at("topic", "Kite note")).status_code == 204
    assert totals() == [number - 1 for number in before]
    assert found(rest, "kite") == []
    assert found(rest, "drum") == ["Drum note"]


def test_del_10_a_deleted_name_can_be_used_again_and_shows_only_the_new(rest: httpx.Client) -> None:
    old = write(rest, fact("Back gate", "code", "v1-1188", "location"))
    assert rest.delete(at("location", "Back gate")).status_code == 204
    write(rest, fact("Back gate", "code", "v2-2266", "location"))
    assert [row["value"] for row in rows(rest, "attributes", entity="location/back_gate")] == ["v2-2266"]
    history = content(rest.get(at("location", "Back gate") + "/history/code"))["history"]
    assert [row["value"] for row in history] == ["v2-2266"]
    assert "v1-1188" not in every_read(rest, "gate")
    assert_error(rest.get("/inspect", params={"ref": old["extraction"]["attributes"][0]["id"]}), 404)


def test_del_13_a_read_before_a_deletion_does_not_serve_the_read_after_it(rest: httpx.Client) -> None:
    write(rest, fact("Safe", "hint", "my first street", "product"))
    for _ in range(3):
        assert "my first street" in every_read(rest, "safe")
    assert rest.delete(at("product", "Safe")).status_code == 204
    assert "my first street" not in every_read(rest, "safe")


class Diff(NamedTuple):
    """One id of each kind, out of answers to writes."""

    entity: str
    attribute: str
    relation: str
    correction: str
    turn: str
    session: str


@pytest.fixture(scope="module")
def diff(rest: httpx.Client) -> Diff:
    write(rest, fact("Embla", "umbrella", "red"))
    answer = write(rest, fact("Embla", "umbrella", "blue"), link("Embla", "knows", "Idar"))
    learnt = answer["extraction"]
    return Diff(
        entity=learnt["entities"][0]["id"],
        attribute=learnt["attributes"][0]["id"],
        relation=learnt["relations"][0]["id"],
        correction=learnt["corrections"][0]["id"],
        turn=answer["turnId"],
        session=answer["sessionId"],
    )


def test_del_12_ids_of_a_write_can_be_read_and_are_of_one_kind_only(rest: httpx.Client, diff: Diff) -> None:
    for kind in ("attribute", "relation", "correction"):
        assert content(rest.get("/inspect", params={"ref": getattr(diff, kind)}))["kind"] == kind
    assert content(rest.get(f"/corrections/{diff.correction}"))["id"] == diff.correction
    assert content(rest.get(f"/turns/{diff.turn}"))["id"] == diff.turn
    assert content(rest.get(f"/sessions/{diff.session}"))["id"] == diff.session
    assert {one.partition("_")[0] for one in diff[1:4]} == {"attr", "rel", "corr"}
    for path in (f"/turns/{diff.session}", f"/sessions/{diff.turn}", f"/corrections/{diff.attribute}"):
        assert_error(rest.get(path), 404)


def test_del_12_the_entity_id_of_a_write_can_be_read_and_narrowed_by(rest: httpx.Client, diff: Diff) -> None:
    inspected = content(rest.get("/inspect", params={"ref": diff.entity}))
    assert (inspected["kind"], inspected["entity"]["name"]) == ("entity", "Embla")
    assert [row["value"] for row in rows(rest, "attributes", entity=diff.entity)] == ["blue"]


# --- texts -------------------------------------------------------------------------------------

MIXED = "我在 Norrvatten 上班，my cup shows 🦊👩🏽‍💻 and “naïve” cafe\u0301."


def test_txt_01_characters_come_back_as_they_were_sent(rest: httpx.Client) -> None:
    answer = write(rest, fact("Cup 🦊", "motto", MIXED, "product"), text=MIXED)
    assert content(rest.get(f"/turns/{answer['turnId']}"))["content"] == MIXED
    (row,) = rows(rest, "attributes", key="motto")
    assert row["value"] == MIXED
    assert content(rest.get(at("product", "Cup 🦊")))["entity"]["name"] == "Cup 🦊"
    assert say(rest, MIXED)["extraction"]["status"] in ("complete", "nothing_found")


def test_txt_01_half_a_character_is_refused_and_not_dropped(rest: httpx.Client) -> None:
    body = json.dumps({"text": "my cup shows \ud83e"}).encode()
    answer = rest.post("/facts", content=body, headers={"Content-Type": "application/json"})
    assert "text" in assert_error(answer, 400)


def test_ent_05_a_search_in_chinese_finds_chinese_names(rest: httpx.Client) -> None:
    write(rest, {**link("欧阳澜", "works_at", "青岚书店"), "target": entity("青岚书店", "organisation")})
    assert found(rest, "欧阳澜") == ["欧阳澜"]
    assert found(rest, "青岚书店") == ["青岚书店"]
    assert content(rest.get(at("person", "欧阳澜")))["relations"][0]["object"] == "entity:organisation/青岚书店"


@pytest.mark.parametrize("blank", ["", "   ", "\t\n", "\u3000"])
def test_txt_05_a_blank_search_is_refused(rest: httpx.Client, blank: str) -> None:
    write(rest, fact("Rolf", "likes", "skating"))
    for path, name in (("/entities/search", "q"), ("/inspect", "ref")):
        assert name in assert_error(rest.get(path, params={name: blank}), 400)


@pytest.mark.parametrize(
    "name",
    [
        "Line 'Night / A|B\\C'",
        'a & b | !c:* "d"',
        "50% (off) _ ?#;--",
        "/",
        "a//b",
        "../x",
        "ledger/history",
        "ledger/history/leaves_at",
        "ledger/neighbourhood",
    ],
)
def test_txt_10_a_name_of_odd_characters_works_in_every_read(rest: httpx.Client, name: str) -> None:
    answer = write(rest, fact(name, "leaves_at", "23:00", "service"))
    try:
        assert found(rest, name)[0] == name
        path = at("service", name)
        assert content(rest.get(path))["entity"]["name"] == name
        for end in ("/history", "/history/leaves_at"):
            assert [row["value"] for row in content(rest.get(path + end))["history"]] == ["23:00"]
        assert content(rest.get(path + "/neighbourhood"))["neighbours"] == []
        for ref in (f"entity:service/{name}", answer["extraction"]["attributes"][0]["id"]):
            content(rest.get("/inspect", params={"ref": ref}))
        assert [row["value"] for row in rows(rest, "attributes", entity=f"service/{name}")] == ["23:00"]
    finally:
        rest.delete(at("service", name))


@pytest.mark.parametrize("scope", ["crew-south/ole-7", "a.b/c_d", "équipe/北", "x" * 100, "crew south/o'le"])
def test_txt_09_what_is_written_to_a_scope_is_in_every_read(rest: httpx.Client, scope: str) -> None:
    answer = write(rest, fact(f"Pump of {scope}", "state", "mended", "product"), scopes=[scope])
    path = at("product", f"Pump of {scope}")
    (row,) = content(rest.get(path))["attributes"]
    assert row["scope"] == content(rest.get(f"/sessions/{answer['sessionId']}"))["scopes"] == [[f"{scope}/"]]
    assert [one["scope"] for one in content(rest.get(path + "/history/state"))["history"]] == [[[f"{scope}/"]]]
    assert content(rest.get(f"/turns/{answer['turnId']}"))["session"] == answer["sessionId"]
    assert scope in json.dumps(content(rest.get("/state?limit=500")), ensure_ascii=False)
    assert f"Pump of {scope}" in every_read(rest, scope)


def test_tmp_06_a_question_about_a_time_echoes_that_very_instant(rest: httpx.Client) -> None:
    say(rest, "Alice-Mae runs the Delft office.", observed_at="2019-06-01T00:00:00Z")
    for query in ("What happened with Alice-Mae?", "Which office does Alice-Mae run?"):
        asked = content(rest.post("/query", json={"query": query, "asOf": "2020-01-01T00:00:00Z"}))
        trace = content(rest.get(f"/traces/{asked['trace']['traceId']}"))
        assert {one["asOf"] for one in trace["retrievals"]} == {"2020-01-01T00:00:00.000000Z"}
        assert any("Delft" in hit["text"] for hit in asked["hits"])
    now = content(rest.post("/query", json={"query": "What happened with Alice-Mae?"}))
    trace = content(rest.get(f"/traces/{now['trace']['traceId']}"))
    assert {one["asOf"] for one in trace["retrievals"]} == {None}


# --- forgetting and erasing ----------------------------------------------------------------------


def test_del_03_forgetting_one_scope_leaves_another_as_it_was(rest: httpx.Client) -> None:
    for user, thing in (("1", "stamps"), ("2", "coins")):
        for value in (f"old {thing}", thing):
            write(rest, fact("Quill", "collects", value), scopes=[f"hobby/{user}"])
    kept = content(rest.get(at("person", "Quill") + "/history/collects", params={"lens": "hobby/2"}))
    assert len(kept["history"]) == 2
    assert content(rest.post("/scopes/forget", json={"path": "hobby/1"}))["forgotten"] > 0
    for lens in ({"lens": "hobby/2"}, {}):
        after = content(rest.get(at("person", "Quill") + "/history/collects", params=lens))
        assert _timeless(after) == _timeless(kept)


def test_del_04_a_deleted_turn_answers_no_question(rest: httpx.Client) -> None:
    answer = say(rest, "My stage name is Captain Mango.")
    asked = {"message": "What is my stage name?"}
    assert content(rest.delete(f"/turns/{answer['turnId']}"))["deleted"] == 1
    told = content(rest.post("/chat", json=asked))
    assert "Mango" not in json.dumps(told)
    assert told["citations"] == []


def test_del_07_nothing_that_was_made_of_an_erased_turn_holds_its_words(rest: httpx.Client) -> None:
    secret, _ = (
        say(rest, "Our project Aster uses the code word marigold."),
        say(rest, "Our project Aster starts in May."),
    )
    write(rest, fact("Aster", "code_word", "marigold", "project"), text="The code word of Aster is marigold.")
    for answer in (secret, *(row for row in rows(rest, "attributes", key="code_word"))):
        turn = answer.get("turnId") or answer["source_turn"]
        assert content(rest.delete(f"/turns/{turn}"))["deleted"] == 1
    told = every_read(rest, "aster", "marigold")
    asked = [content(rest.post(path, json={"query": "the code word of Aster"})) for path in ("/query", "/context")]
    assert "Aster" in told
    assert "marigold" not in told + json.dumps(asked)


def test_del_11_a_forgetting_says_how_many_and_which_and_the_list_afterwards_agrees(rest: httpx.Client) -> None:
    write(rest, fact("Odile", "parked_on", "level 3"), fact("Odile", "eats", "kale"), text="Odile's day.")
    before = {row["id"].removeprefix("attr_") for row in rows(rest, "attributes", entity="person/odile")}
    planned = content(rest.post("/forget", json={"query": "parked level", "dryRun": True}))
    assert planned["deleted"] == len(planned["matches"]) == 1
    assert content(rest.post("/forget", json={"query": "parked level"}))["deleted"] == 1
    after = {row["id"].removeprefix("attr_") for row in rows(rest, "attributes", entity="person/odile")}
    assert before - after == {match["id"] for match in planned["matches"]}


# --- filters -------------------------------------------------------------------------------------


def test_fil_01_a_filter_by_label_gives_just_the_turns_that_bear_it(rest: httpx.Client) -> None:
    for label, text in (("sushi", "I eat sushi at the harbour."), ("soup", "I eat soup at the harbour.")):
        say(rest, text, infer="none", labels=[f"food={label}"])
    answer = content(rest.post("/query", json={"query": "what do I eat at the harbour?", "labels": ["food=sushi"]}))
    assert [hit["text"] for hit in answer["hits"]] == ["I eat sushi at the harbour."]
    refused = rest.post("/query", json={"query": "harbour", "labels": ["food>sushi"]})
    assert "labels" in assert_error(refused, 400)


# --- pages -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [7, 20, 45])
def test_fil_04_pages_hold_each_of_45_facts_once_in_a_stable_order(rest: httpx.Client, size: int) -> None:
    owner = f"Collector {size}"
    expected = [f"{number:02}" for number in range(45)]
    write(rest, *(fact(owner, f"key_{number}", number) for number in expected))

    def walk() -> list[str]:
        values: list[str] = []
        cursor: str | None = ""
        while cursor is not None:
            place = {"cursor": cursor} if cursor else {}
            params = {"entity": f"person/{owner}", "limit": str(size), "count": "true", **place}
            answer = content(rest.get("/attributes", params=params))
            assert answer["page"]["totalSize"] == 45
            assert len(answer["attributes"]) <= size
            values += [row["value"] for row in answer["attributes"]]
            cursor = answer["page"].get("nextCursor")
        return values

    assert walk() == walk()
    assert sorted(walk()) == expected


# --- tenants -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tenants(server: ServerProcess) -> tuple[Context, Context]:
    """Two contexts that say different things of the same."""
    both = new_context(server, "tenant one"), new_context(server, "tenant two")
    for context, margin in zip(both, ("12 percent", "31 percent"), strict=True):
        with context.client() as rest:
            say(rest, f"Our margin is {margin}.")
            write(rest, fact("Vault", "colour", f"colour of {margin}", "product"))
            write(rest, fact("Vault", "colour", f"new colour of {margin}", "product"))
    return both


def test_ten_01_no_read_of_one_tenant_tells_of_another(tenants: tuple[Context, Context]) -> None:
    one, other = tenants
    for context, mine, others in ((one, "12 percent", "31 percent"), (other, "31 percent", "12 percent")):
        with context.client() as rest:
            told = every_read(rest, "vault", "margin")
            told += json.dumps(content(rest.post("/query", json={"query": "What is our margin?"})))
            told += json.dumps(content(rest.post("/chat", json={"message": "What is our margin?"})))
        assert mine in told
        assert others not in told
    stolen = httpx.get(f"{one.server.url}{other.path}/state", headers={"Authorization": f"Bearer {one.key}"})
    assert_error(stolen, 401)


def test_cnc_03_a_write_to_one_tenant_changes_no_read_of_another(tenants: tuple[Context, Context]) -> None:
    one, other = tenants
    with one.client() as first, other.client() as second:
        before = content(first.get("/entities/product/vault"))
        write(second, fact("Vault", "colour", "white", "product"))
        assert content(first.get("/entities/product/vault"))["attributes"] == before["attributes"]
        assert [row["value"] for row in rows(second, "attributes", key="colour")] == ["white"]


def key_for(context: Context, default: str, *paths: str) -> Context:
    """The context as somebody with grants on `paths` alone, whose writes go to the scope `default`."""
    key, principal = new_key(), new_id()
    events = (
        PrincipalCreated(
            principal_id=principal, display_name=default, kind="agent", write_scopes=scope_set([[default]])
        ),
        *(GrantGiven(principal_id=principal, path=path, verbs=VERBS) for path in paths),
        KeyMinted(key_id=derived_id(principal, "key", 1), name=default, principal_id=principal, digest=digest(key)),
    )
    with wiring.services(from_env({"PALIMPSEST_HOME": str(context.server.home)})) as services:
        origin = Origin(principal_id=ADMIN, scope_set_id=scope_set_id(ROOT_SET))
        with services.log.writing(context.name) as writing:
            writing.record(list(events), origin)
    return Context(context.server, context.name, key)


@pytest.fixture(scope="module")
def shop(server: ServerProcess) -> Context:
    return new_context(server, "shop")


def test_poi_01_a_claim_of_one_user_is_in_no_read_of_another(shop: Context) -> None:
    mallory = key_for(shop, "user/mallory", "user/mallory/*")
    bob = key_for(shop, "user/bob", "user/bob/*")
    claim = fact("Shop", "refund_account", "000 at Zed Bank", "organisation")
    with mallory.client() as rest:
        write(rest, claim, text="Refunds of the shop go to 000 at Zed Bank.")
        (row,) = rows(rest, "attributes", key="refund_account")
        assert row["scope"] == [["user/mallory/"]]
        assert_error(rest.post("/facts", json={"infer": "triples", "triples": [claim], "scopes": ["/"]}), 403)
    with bob.client() as rest:
        assert "Zed" not in every_read(rest, "shop", "zed")
        write(rest, fact("Shop", "refund_account", "777 at Good Bank", "organisation"))
        told = every_read(rest, "shop", "zed")
        assert "777" in told
        assert "Zed" not in told
        assert rows(rest, "corrections") == []


def test_ten_03_what_hangs_on_a_fact_obeys_the_same_grant(shop: Context) -> None:
    owner = key_for(shop, "u/1/private", "u/1/*")
    guest = key_for(shop, "u/1/public", "u/1/public/*")
    with owner.client() as rest:
        private = write(rest, fact("Una", "likes", "tea"), fact("Una", "doctor", "Dr. Holm"), text="I see Dr. Holm.")
        second = write(rest, fact("Una", "doctor", "Dr. Lind"), link("Una", "knows", "Lind"))
        write(rest, fact("Una", "likes", "tea"), scopes=["u/1/public"], text="I like tea.")
    hidden = [row["id"] for row in (*private["extraction"]["attributes"], *second["extraction"]["relations"])]
    (correction,) = (row["id"] for row in second["extraction"]["corrections"])
    with guest.client() as rest:
        told = every_read(rest, "una", "holm")
        assert "tea" in told
        assert not [word for word in ("Holm", "Lind", "private") if word in told]
        (row,) = rows(rest, "attributes", entity="person/una")
        assert (row["value"], row["evidenceCount"], row["scope"]) == ("tea", 1, [["u/1/public/"]])
        assert content(rest.get(f"/turns/{row['source_turn']}"))["content"] == "I like tea."
        for ref in (*hidden, correction):
            assert_error(rest.get("/inspect", params={"ref": ref}), 404)
        for path in (
            f"/turns/{private['turnId']}",
            f"/sessions/{private['sessionId']}",
            f"/sessions/{private['sessionId']}/turns",
            f"/corrections/{correction}",
        ):
            assert_error(rest.get(path), 404)


def test_ten_05_without_a_scope_every_read_and_write_means_the_callers_own(shop: Context) -> None:
    one = key_for(shop, "team/one", "team/one/*")
    other = key_for(shop, "team/two", "team/two/*")
    with one.client() as mine, other.client() as theirs, shop.client() as everybody:
        answer = write(mine, fact("Lamp", "colour", "blue", "product"), text="A blue lamp stands here.")
        assert content(mine.get(f"/sessions/{answer['sessionId']}"))["scopes"] == [["team/one/"]]
        for rest, expected in ((mine, ["blue"]), (theirs, []), (everybody, ["blue"])):
            told = every_read(rest, "lamp")
            assert ("Lamp" in told) is bool(expected)
            assert [row["value"] for row in rows(rest, "attributes", key="colour")] == expected
        assert {tuple(map(tuple, row["scope"])) for row in rows(everybody, "attributes", key="colour")} == {
            (("team/one/",),)
        }


# --- load --------------------------------------------------------------------------------------


def test_cnc_05_twenty_reads_at_once_all_answer_the_same(tenants: tuple[Context, Context]) -> None:
    with tenants[0].client() as rest, ThreadPoolExecutor(20) as pool:
        for path in ("/state", "/entities", "/attributes", "/corrections"):
            answers = list(pool.map(rest.get, [path] * 20))
            assert {answer.status_code for answer in answers} == {200}
            assert len({json.dumps(_timeless(answer.json())) for answer in answers}) == 1


def _timeless(answer: Any) -> Any:
    """Without what depends on the time of the read."""
    if isinstance(answer, dict):
        return {name: _timeless(value) for name, value in answer.items() if name != "importance"}
    return [_timeless(value) for value in answer] if isinstance(answer, list) else answer


# --- starts and telemetry ----------------------------------------------------------------------

WATCH = """
import os, sys

def note(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.bind"):
        where = args[0] if event.startswith("socket.get") else args[1]
        file = os.open(os.environ["SOCKETS_SEEN"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        os.write(file, f"{event} {where!r}\\n".encode())
        os.close(file)

sys.addaudithook(note)
"""


class Lives(NamedTuple):
    """What a fresh installation did first, what it read in each of two runs, and which sockets it used."""

    first: subprocess.CompletedProcess[str]
    before: Json
    after: Json
    sockets: list[str]


@pytest.fixture(scope="module")
def lives() -> Iterator[Lives]:
    with public_folder() as home, pytest.MonkeyPatch.context() as environment:
        watched = home.parent
        (watched / "sitecustomize.py").write_text(WATCH)
        environment.setenv("PYTHONPATH", str(watched))
        environment.setenv("SOCKETS_SEEN", str(watched / "sockets"))
        first = run_command(home, "bootstrap", "--json")
        server = ServerProcess(home)
        states = []
        for words in ("I like quinces.", "I own a canoe."):
            with server, server.client() as rest:
                states.append(content(rest.get("/state")))
                say(rest, words)
                states.append(content(rest.get("/state")))
        yield Lives(first, states[1], states[2], (watched / "sockets").read_text().splitlines())


def test_sta_06_the_first_command_on_a_fresh_machine_works(lives: Lives) -> None:
    assert lives.first.returncode == 0, lives.first.stderr
    assert json.loads(lives.first.stdout)["context"] == "dev"


def test_sta_02_a_server_started_anew_on_the_same_folder_has_the_same_data(lives: Lives) -> None:
    assert [row["value"] for row in lives.before["knowledge"]["attributes"]] == ["quinces"]
    assert _timeless(lives.after) == _timeless(lives.before)


def test_tel_01_no_connection_leaves_the_machine(lives: Lives) -> None:
    assert [line for line in lives.sockets if line.startswith("socket.bind")], "the watch sees sockets"
    outward = [line for line in lives.sockets if not line.startswith("socket.bind")]
    assert [line for line in outward if "127.0.0.1" not in line and "localhost" not in line] == []


# Rooms that talk to what the operator names: client and command line to a server, MCP to its own process.
MAY_CALL = ("api/client/", "api/terminal/", "api/mcp/")


def test_tel_02_no_module_of_the_product_can_call_out() -> None:
    clients = {
        "aiohttp",
        "ftplib",
        "grpc",
        "http",
        "httpx",
        "requests",
        "smtplib",
        "ssl",
        "urllib",
        "urllib3",
        "websockets",
    }
    telemetry = {"analytics", "datadog", "opentelemetry", "posthog", "segment", "sentry_sdk", "statsd"}
    for package in ("api", "memory", "migrations", "projections"):
        for file in (REPOSITORY / package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and node.level == 0:
                    names.append(node.module or "")
                tops = {name.partition(".")[0] for name in names if name != "urllib.parse"}
                assert not tops & telemetry, file
                if not str(file.relative_to(REPOSITORY)).startswith(MAY_CALL):
                    assert not tops & clients, file
