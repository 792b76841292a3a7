"""Finding out who calls, and what it may see, costs a request at most a millisecond, however many scopes there are."""

import statistics
import time

from api import keys
from api.ids import new_id
from memory.administration import ADMIN, Administration
from memory.events import ScopeSetDefined
from memory.recorded import Origin
from memory.scopes import scope_set, scope_set_id
from projections.access import caller_of
from projections.directory import directory_of
from tests.worlds import World

SCOPE_SETS = 5_000


def test_a_key_is_checked_within_a_millisecond(world: World) -> None:
    secret = keys.new_key()
    grants = {"memory:read": ("org/acme", "user/u7/*"), "memory:write": ("user/u7/*",)}
    with world.services.log.writing(world.context_id) as writing:
        administration = Administration(writing, directory_of, by=ADMIN)
        principal_id = administration.create_principal(new_id(), "u7", kind="human", grants=grants)
        administration.mint(new_id(), "phone", principal_id, keys.digest(secret), grants=None, expires_at=None)
        sets = [scope_set([["org/acme", f"user/u{number}"]]) for number in range(SCOPE_SETS)]
        events = [ScopeSetDefined(scope_set_id=scope_set_id(one), clauses=one) for one in sets]
        writing.record(events, Origin(principal_id=ADMIN, scope_set_id=scope_set_id(sets[0])))
    took = []
    with world.services.pool.connection() as connection:
        for _ in range(200):
            began = time.thread_time()
            found = caller_of(connection, world.context_id, keys.digest(secret))
            took.append(time.thread_time() - began)
    assert found is not None
    assert list(found[0].visible) == [scope_set_id(sets[7])]
    assert statistics.median(took) < 0.001
