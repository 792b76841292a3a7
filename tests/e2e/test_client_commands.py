"""The command line as a client of a running server."""

import json
import re
import stat
from pathlib import Path

import pytest

from tests import files
from tests.servers import ServerProcess, run_command


def asked(server: ServerProcess, *arguments: str) -> str:
    """The output of a client command against the server."""
    options = ("--url", server.url, "--api-key", server.key, "--context-id", server.context)
    done = run_command(server.home / "elsewhere", *arguments, *options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_fact_goes_in_and_comes_back_in_every_form(server: ServerProcess) -> None:
    first = json.loads(asked(server, "remember", "My name is Thibault. I live in Nantes.", "--json"))
    shown = asked(server, "remember", "I moved to Rennes.", "--session", first["sessionId"])
    assert "person/thibault" in shown.lower()
    assert "location: Nantes → Rennes" in shown
    assert "Rennes" in asked(server, "history", "person/thibault", "location")
    values = json.loads(asked(server, "history", "person/thibault", "location", "--json"))["history"]
    assert [version["value"] for version in values] == ["Rennes", "Nantes"]
    assert "I moved to Rennes." in asked(server, "explain", "person/thibault", "location")
    assert "Rennes" in asked(server, "recall", "Where does Thibault live?")
    assert "Rennes" in asked(server, "context", "Where does Thibault live?")
    assert re.search(r"^person/thibault +location +Rennes ", asked(server, "state"), re.MULTILINE)
    assert first["sessionId"] in asked(server, "sessions", "list")
    assert "I live in Nantes." in asked(server, "sessions", "show", first["sessionId"])
    assert asked(server, "chat", "Where does Thibault live?").strip()


def test_documents_go_in_and_are_watched_until_they_are_ready(server: ServerProcess, tmp_path: Path) -> None:
    good, locked = tmp_path / "lanterns.md", tmp_path / "locked.pdf"
    good.write_text("# Lanterns\n\nPaper lanterns burn well, so keep them away from the candles of the choir.\n")
    locked.write_bytes(files.pdf([["secret"]], encrypted=True))
    (made,) = json.loads(asked(server, "documents", "upload", str(good), "--title", "Lanterns", "--watch", "--json"))
    assert (made["status"], made["title"]) == ("ready", "Lanterns")
    assert made["id"] in asked(server, "documents", "list", "--status", "ready")
    assert "Paper lanterns" in asked(server, "documents", "show", made["id"])
    assert "candles of the choir" in asked(server, "documents", "query", "lanterns candles")
    options = ("--url", server.url, "--api-key", server.key, "--context-id", server.context)
    failed = run_command(server.home / "elsewhere", "documents", "upload", str(locked), "--watch", *options)
    assert failed.returncode == 1
    assert "encrypted" in failed.stdout
    assert "deleted" in asked(server, "documents", "delete", made["id"])


def test_text_from_the_server_is_never_taken_for_markup(server: ServerProcess) -> None:
    told = json.loads(asked(server, "remember", "[red]My name is Aurelia[/red] [/]", "--infer", "none", "--json"))
    assert "[red]My name is Aurelia[/red] [/]" in asked(server, "sessions", "show", told["sessionId"])


@pytest.mark.parametrize("option", [("--api-key", "sp-wrong-wrong-wrong"), ("--context-id", "nowhere")])
def test_a_refusal_is_one_line_and_status_1(server: ServerProcess, option: tuple[str, str]) -> None:
    options = {"--url": server.url, "--api-key": server.key, "--context-id": server.context} | dict([option])
    flat = [part for pair in options.items() for part in pair]
    done = run_command(server.home / "elsewhere", "state", *flat)
    assert done.returncode == 1
    assert done.stderr.startswith("palimpsest: 401") and done.stderr.count("\n") == 1


def test_without_a_server_it_says_so(tmp_path: Path) -> None:
    done = run_command(tmp_path, "state", "--url", "http://127.0.0.1:9", "--api-key", "sp-anything")
    assert done.returncode == 1
    assert done.stderr.startswith("palimpsest: no answer from http://127.0.0.1:9")


def test_the_profile_is_kept_for_its_owner_alone(
    server: ServerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    login = ("login", "--url", server.url, "--api-key", server.key, "--context-id", server.context)
    assert run_command(tmp_path / "home", *login).returncode == 0
    profile = tmp_path / ".config" / "palimpsest" / "profile.yaml"
    assert stat.S_IMODE(profile.stat().st_mode) == 0o600
    for command in (("state", "--json"), ("explain", "person/nobody", "location")):
        done = run_command(tmp_path / "home", *command)
        assert done.returncode == 0 or done.stderr.startswith("palimpsest: 404"), done.stderr
    assert not (tmp_path / "home").exists(), "no database is started beside the server that was asked"
    profile.chmod(0o644)
    refused = run_command(tmp_path / "home", "state")
    assert refused.returncode == 1 and "chmod 600" in refused.stderr


def test_beside_the_server_of_this_machine_no_option_is_needed(server: ServerProcess) -> None:
    done = server.command("state", "--json")
    assert done.returncode == 0, done.stderr
    assert "identity" in done.stdout
