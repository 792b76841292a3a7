"""A context moves whole or not at all; a head that was kept elsewhere proves that nothing before it changed."""

import json
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path

import pytest

from api.ids import new_id
from api.routes import attributes, forgetting, state
from api.terminal import past
from api.terminal.comparison import compared
from api.wiring import Services
from memory import facts
from memory.documents import bytes_store
from memory.errors import Conflict, InvalidRequest, LogCorrupt, PalimpsestError
from projections import transfer, verification
from tests.calls import Keyed, keyed_world
from tests.worlds import fact, world_in


@pytest.fixture
def keyed(services: Services) -> Keyed:
    keyed = keyed_world(services)
    keyed.world.given(fact("Ana", "city", "Porto"), text="Ana lives in Porto")
    keyed.world.given(fact("Ana", "city", "Lyon"), fact("Ana", "likes", "tea"), text="Ana moved to Lyon")
    keyed.post(forgetting.forget, query="tea", purge=True)
    return keyed


def exported(keyed: Keyed) -> list[bytes]:
    services = keyed.world.services
    with services.database.connect() as connection:
        return list(transfer.exported(services.log, connection, keyed.world.context_id))


def imported(services: Services, lines: list[bytes]) -> str:
    context_id = f"moved-{new_id()}"
    with services.database.connect() as connection:
        transfer.imported(services.log, connection, context_id, lambda: iter(lines))
    return context_id


def test_a_context_moves_with_its_chain_and_reads_the_same(services: Services, keyed: Keyed) -> None:
    moved = Keyed(world_in(services, imported(services, exported(keyed)), keyed.key), keyed.key)
    assert moved.world.verified().problem is None
    at = f"position:{keyed.world.events()[-1].position}"
    for handler in (state.get_state, attributes.list_attributes):
        assert moved.get(handler, atInstant=at) == keyed.get(handler, atInstant=at)
    assert [one.event for one in moved.world.events()] == [one.event for one in keyed.world.events()]
    moved.world.given(fact("Ana", "city", "Oslo"))
    assert moved.world.verified().problem is None
    lines = exported(keyed)
    with services.database.connect() as connection, pytest.raises(Conflict):
        transfer.imported(services.log, connection, moved.world.context_id, lambda: iter(lines))


def other_payload(lines: list[bytes]) -> list[bytes]:
    return [line.replace(b"Porto", b"Paris") for line in lines]


def sealed_again(lines: list[bytes]) -> list[bytes]:
    """As somebody would who also mends the digest at the end."""
    changed = other_payload(lines)[:-1]
    end = json.loads(lines[-1])["end"]
    end["sha256"] = sha256(b"".join(changed)).hexdigest()
    return [*changed, json.dumps({"end": end}).encode()]


@pytest.mark.parametrize(
    "damage",
    [
        lambda lines: lines[:-1],
        lambda lines: lines[:5] + lines[6:],
        lambda lines: [*lines[:4], b"{\n", *lines[4:]],
        lambda lines: lines[1:],
        other_payload,
        sealed_again,
    ],
)
def test_a_damaged_file_is_refused_whole(
    services: Services, keyed: Keyed, damage: Callable[[list[bytes]], list[bytes]]
) -> None:
    damaged: Iterable[bytes] = damage(exported(keyed))
    context_id = f"moved-{new_id()}"
    with services.database.connect() as connection:
        with pytest.raises(PalimpsestError) as refused:
            transfer.imported(services.log, connection, context_id, lambda: iter(damaged))
        assert isinstance(refused.value, InvalidRequest | LogCorrupt)
        made = connection.execute("SELECT 1 FROM contexts WHERE context_id = %s", [context_id]).fetchall()
        assert made == [], "not even the context is made"


FILES = {"a long one": bytes(range(256)) * 9_000, "an empty one": b""}  # the long one in three parts


def with_files(keyed: Keyed) -> list[str]:
    with keyed.world.services.database.connect() as connection:
        hashes = [bytes_store.put(connection, keyed.world.context_id, data) for data in FILES.values()]
        of_old = f"sha256:{sha256(b'of old').hexdigest()}"
        connection.execute(transfer.ADD_PART, (keyed.world.context_id, of_old, 0, b"of old"))
    return [*hashes, of_old]


def held(services: Services, context_id: str, content_hash: str) -> bytes:
    with services.database.connect() as connection:
        return b"".join(bytes_store.parts(connection, context_id, content_hash))


def test_the_files_of_documents_move_with_their_context(services: Services, keyed: Keyed) -> None:
    hashes = with_files(keyed)
    context_id = imported(services, exported(keyed))
    assert [held(services, context_id, one) for one in hashes] == [*FILES.values(), b"of old"]
    with services.database.connect() as connection:
        lines = list(transfer.exported(services.log, connection, keyed.world.context_id, files=False))
    assert held(services, imported(services, lines), hashes[0]) == b""


@pytest.mark.parametrize("damage", ["another byte", "a part less", "a part twice", "an unknown hash"])
def test_a_damaged_file_of_a_document_is_refused(services: Services, keyed: Keyed, damage: str) -> None:
    (long, *_) = with_files(keyed)
    lines = exported(keyed)
    first = next(number for number, line in enumerate(lines) if line.startswith(b'{"bytes":["' + long.encode()))
    content = json.loads(lines[first])["bytes"]
    if damage == "another byte":
        content[2] = "B" + content[2][1:]
    elif damage == "an unknown hash":
        content[0] = "md5:0"
    changed = json.dumps({"bytes": content}).encode() + b"\n"
    instead = {"a part less": [], "a part twice": [changed, changed]}.get(damage, [changed])
    damaged = [*lines[:first], *instead, *lines[first + 1 : -1]]
    end = json.loads(lines[-1])["end"]
    end["parts"] = sum(line.startswith(b'{"bytes"') for line in damaged)
    end["sha256"] = sha256(b"".join(damaged)).hexdigest()
    with pytest.raises(InvalidRequest):
        imported(services, [*damaged, json.dumps({"end": end}).encode()])


def test_a_file_of_the_first_format_is_still_read(services: Services, keyed: Keyed) -> None:
    lines = exported(keyed)
    head, end = json.loads(lines[0]), json.loads(lines[-1])["end"]
    first = [json.dumps({**head, "palimpsest": 1}).encode() + b"\n", *lines[1:-1]]
    end = {"events": end["events"], "vectors": end["vectors"], "sha256": sha256(b"".join(first)).hexdigest()}
    context_id = imported(services, [*first, json.dumps({"end": end}).encode()])
    assert world_in(services, context_id, keyed.key).verified().problem is None


def test_a_kept_digest_proves_that_nothing_before_it_changed(services: Services, keyed: Keyed) -> None:
    world = keyed.world
    kept = verification.kept_heads(verification.heads_digest([world.verified()]))[world.context_id]
    keyed.post(forgetting.forget, query="Lyon", purge=True)
    world.given(fact("Ana", "city", "Oslo"))
    with services.database.connect() as connection:
        verified = verification.verify(services.log, connection, world.context_id, kept=kept)
        assert verified.problem is None
        assert [one.reason for one in verified.erasures] == ["query", "query"]
        forged = kept[0], bytes(32)
        problem = verification.verify(services.log, connection, world.context_id, quick=True, kept=forged).problem
        assert problem is not None and f"position {kept[0]}:" in problem
        cut = verified.events + 5, kept[1]
        assert verification.verify(services.log, connection, world.context_id, quick=True, kept=cut).problem
    with pytest.raises(InvalidRequest):
        verification.kept_heads("nonsense")


def test_erasures_are_carried_over_to_a_restored_backup(services: Services, tmp_path: Path) -> None:
    original = keyed_world(services)
    original.world.given(fact("Ana", "city", "Porto"), text="Ana lives in Porto")
    backup = exported(original)
    original.post(forgetting.forget, query="Porto", purge=True)
    restored = world_in(services, imported(services, backup), original.key)
    with services.database.connect() as connection:
        told = [one for one in past.erasures_told(services, connection) if one["context"] == original.world.context_id]
        # As in the database that the backup was made of, where the context has its own name.
        for one in told:
            positions = [at for at, _ in one["events"]]
            rows = connection.execute(past.ERASED_HASHES, [restored.context_id, positions]).fetchall()
            one.update(context=restored.context_id, events=[[at, row_hash.hex()] for at, row_hash in rows])
        file = tmp_path / "erasures.jsonl"
        file.write_text("".join(f"{json.dumps(one)}\n" for one in told), encoding="utf-8")
        assert past.apply_erasures(services, connection, file) > 0
        assert past.apply_erasures(services, connection, file) == 0
    assert "Porto" not in str(restored.events())
    assert restored.verified().problem is None


def test_a_comparison_lists_what_would_be_decided_otherwise_today(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = keyed_world(services).world
    world.given(fact("Ana", "city", "Porto"))
    world.given(fact("Ana", "city", "Lyon"))
    world.given(fact("Ana", "city", "lyon"), fact("Bo", "likes", "tea"))
    before = world.events()
    with services.database.connect() as connection:
        assert list(compared(services, connection, world.context_id, lambda events: None)) == []
        monkeypatch.setattr(facts, "CONFIDENCE_FLOOR", 1.1)
        found = list(compared(services, connection, world.context_id, lambda events: None))
    assert len(found) == 3
    assert "UncertaintyFlagged" in {event.TOPIC for one in found for event in one.now}
    assert "AttributeAsserted" in {event.TOPIC for one in found for event in one.then}
    assert world.events() == before
    assert world.verified().problem is None


@pytest.mark.parametrize(
    "text", ["words", "[1]", '{"context": "dev"}', '{"context": "dev", "erasure": 7, "events": []}']
)
def test_any_other_file_is_no_file_of_erasures(services: Services, tmp_path: Path, text: str) -> None:
    file = tmp_path / "erasures.jsonl"
    file.write_text(text)
    with services.database.connect() as connection, pytest.raises(InvalidRequest, match="no file of erasures"):
        past.apply_erasures(services, connection, file)
