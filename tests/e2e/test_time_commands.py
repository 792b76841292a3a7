"""diff, export, import, erasures and the digest of heads on the command line, beside a running server."""

import json
from pathlib import Path

import pytest

from tests.servers import ServerProcess


def told(server: ServerProcess, city: str) -> dict[str, str]:
    triple = {"entity": {"type": "person", "name": "Odalys"}, "key": "city", "value": city}
    with server.client() as client:
        answer = client.post("/facts", json={"infer": "triples", "triples": [triple], "text": f"Odalys: {city}"})
    body: dict[str, str] = answer.json()
    return body


@pytest.mark.long
def test_a_context_is_told_kept_moved_and_its_erasures_carried_over(server: ServerProcess, tmp_path: Path) -> None:
    begin = told(server, "Vierzon")
    told(server, "Angers")
    diff = server.command("diff", str(begin["position"]))
    assert diff.returncode == 0, diff.stderr
    assert "~ city: Vierzon -> Angers" in diff.stdout

    verified = server.command("verify", "--context", "dev", "--quick")
    digest = verified.stdout.splitlines()[-1].removeprefix("digest ")
    backup = tmp_path / "backup.jsonl"
    assert server.command("export", "--output", str(backup)).returncode == 0
    with server.client() as client:
        assert client.post("/forget", json={"query": "Vierzon", "purge": True}).json()["deleted"] > 0

    since = server.command("verify", "--context", "dev", "--quick", "--since", digest)
    assert since.returncode == 0, since.stdout
    assert "(query)" in since.stdout

    restored = server.command("import", "--context", "restored", str(backup))
    assert restored.returncode == 0, restored.stderr
    assert server.command("import", "--context", "restored", str(backup)).returncode == 1
    erasures = tmp_path / "erasures.jsonl"
    assert server.command("erasures", "--export", str(erasures)).returncode == 0
    lines = [json.loads(line) for line in erasures.read_text(encoding="utf-8").splitlines()]
    assert any(one["context"] == "dev" and one["events"] for one in lines)
    assert server.command("erasures", "--apply", str(erasures), "--json").stdout.strip() == '{"erased": 0}'
    assert "Vierzon" not in erasures.read_text(encoding="utf-8")
    assert server.command("verify", "--context", "restored").returncode == 0
    compared = server.command("replay", "--context", "dev", "--compare")
    assert compared.returncode == 0, compared.stderr
