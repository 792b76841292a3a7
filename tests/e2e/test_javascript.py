"""A JavaScript client of the newest generation, with Node's own fetch."""

import subprocess
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.servers import ServerProcess
from tests.tenants import Tenant, operator

SCRIPT = Path(__file__).with_name("clients") / "newest_generation.mjs"


@pytest.mark.long
def test_the_newest_generation_works_from_javascript(server: ServerProcess) -> None:
    with operator(server) as management:
        tenant = Tenant(server, management, "java script").make()
        key = tenant.key("principal:admin")
    base = f"{server.url}/api/v1/{quote(tenant.name)}"
    done = subprocess.run(["node", str(SCRIPT), base, key], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr
