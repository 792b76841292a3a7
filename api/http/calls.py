"""One HTTP request as the handlers see it: body read, caller known, transaction open."""

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar
from uuid import UUID

import pydantic
from starlette.datastructures import Headers, QueryParams

from api import ids
from api.holds import BLOCKED, Hold
from api.keys import digest, is_management_key
from api.settings.config import CONTEXT_ID_LENGTH_MAX
from api.shapes import instants
from api.shapes.fields import InstantBody
from api.shapes.instants import Asked
from api.wiring import Services
from memory.errors import InvalidContextId, InvalidRequest, NotFound, TooManyRequests, Unauthorised
from memory.log import Connection
from memory.principals import Caller
from memory.scopes import Lens, lens_of
from memory.texts import readable
from projections.access import caller_of, narrowed
from projections.directory import ReadModelDirectory
from projections.reading import Reader, snapshot

BODY_BYTES_MAX = 1024 * 1024
ON_BEHALF_OF = ("x-spectron-on-behalf-of", "x-memory-on-behalf-of", "x-agent-memory-on-behalf-of")
EXTERNAL_ID_LENGTH_MAX = 200

M = TypeVar("M", bound=pydantic.BaseModel)


@dataclass(slots=True)
class Note:
    """What is known of a request once it was answered, for the audit. rows: read or written, as far as counted.
    cached: whether a chat's reply came from the response cache, None for what is no chat."""

    caller: Caller | None = None
    rows: int = 0
    cost: float = 0.0
    model: str | None = None
    trace_id: str | None = None
    cached: bool | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A request. body: its bytes, not yet parsed. note: what is learnt on the way, for the audit."""

    services: Services
    path: dict[str, str]
    query: QueryParams
    headers: Headers
    body: bytes
    note: Note = field(default_factory=Note, kw_only=True)

    @property
    def context_id(self) -> str:
        """Raises InvalidContextId."""
        self.refuse_unreadable()
        context_id = self.path["context_id"]
        if not is_context_id(context_id):
            raise InvalidContextId(f"a context id has 1 to {CONTEXT_ID_LENGTH_MAX} printable characters")
        return context_id

    def parsed(self, model: type[M]) -> M:
        """The JSON body as `model`; an empty body is an empty object. Raises InvalidRequest naming the field."""
        content = parse_json(self.body) if self.body.strip() else {}
        if not isinstance(content, dict):
            raise InvalidRequest("the body must be a JSON object")
        return self._validated(model, content)

    def queried(self, model: type[M]) -> M:
        """The query's parameters as `model`. Raises InvalidRequest naming the parameter."""
        return self._validated(model, dict(self.query))

    def _validated(self, model: type[M], content: dict[str, Any]) -> M:
        try:
            return model.model_validate(content)
        except pydantic.ValidationError as error:
            raise InvalidRequest(first_error(error)) from error

    def limit(self, *, default: int = 100, most: int = 500) -> int:
        """The `limit` parameter, clamped to `most`. Raises InvalidRequest for 0."""
        limit = self.integer("limit", default)
        if limit == 0:
            raise InvalidRequest("limit: must be at least 1")
        return min(limit, most)

    def integer(self, name: str, default: int) -> int:
        """A whole number from the query. Raises InvalidRequest for anything else or a negative one."""
        text = self.query.get(name)
        if text is None or text == "":
            return default
        if not text.isascii() or not text.isdigit() or len(text) > 15:
            raise InvalidRequest(f"{name}: must be a whole number")
        return int(text)

    def flag(self, name: str) -> bool:
        text = self.query.get(name, "false").lower()
        if text not in ("true", "false", "1", "0", ""):
            raise InvalidRequest(f"{name}: must be true or false")
        return text in ("true", "1")

    def caller(self) -> Caller:
        """Who asks, and on whose behalf. Raises Unauthorised, InvalidRequest."""
        context_id, key_digest = self.context_id, self._key_digest()
        with self.services.pool.connection() as connection:
            return self._caller(connection, context_id, key_digest)[0]

    def asked(self) -> Asked:
        """The instant that the query asks for, or the body does. Raises InvalidRequest."""
        body = self.parsed(InstantBody).model_dump(exclude_none=True) if self.body else {}
        return instants.asked_of({**body, **self.query})

    @contextmanager
    def reading(self, asked: Asked = instants.NOW, *, lens: Lens | None = None) -> Iterator[Reader]:
        """A reader as the caller, in one snapshot, at the instant asked for. Raises as `reading_as` does."""
        with self.reading_as(asked, lens=lens) as (_, reader):
            yield reader

    @contextmanager
    def reading_as(self, asked: Asked = instants.NOW, *, lens: Lens | None = None) -> Iterator[tuple[Caller, Reader]]:
        """The caller, and a reader as it, in one snapshot, at the instant asked for.

        What the caller may see is what its `memory:read` covers now, and what `lens` shows of it: a body's is
        given here, one in the query (`lens=org/acme/*`, several are an OR) applies to every read. Raises
        Unauthorised, and InvalidRequest for a position that the log has not reached.
        """
        context_id, key_digest = self.context_id, self._key_digest()
        lenses = [one for one in (lens, self._lens()) if one]
        with self.services.pool.connection() as connection, snapshot(connection):
            caller, generation = self._caller(connection, context_id, key_digest)
            for one in lenses:
                shown = set(narrowed(connection, caller, one).visible)
                caller = replace(caller, visible=[seen for seen in caller.visible if seen in shown])
            instant = asked.instant(self.services.log, connection, context_id)
            with connection.cursor() as cursor:
                yield (
                    caller,
                    Reader(cursor, context_id, generation, caller.visible, instant, caller.patterns("memory:read")),
                )

    @contextmanager
    def directory(self) -> Iterator[tuple[Caller, ReadModelDirectory]]:
        """The caller, and who may do what, in one snapshot. The route decides what of it the caller may see."""
        with self.reading_as() as (caller, reader):
            assert reader.generation is not None
            yield caller, ReadModelDirectory(reader.cursor, reader.context_id, reader.generation)

    def _lens(self) -> Lens | None:
        patterns = [pattern for pattern in self.query.getlist("lens") if pattern.strip()]
        return lens_of([pattern] for pattern in patterns) if patterns else None

    def require_unblocked(self) -> None:
        """For what costs money. Raises TooManyRequests while the operator has stopped it, Unauthorised."""
        caller = self.note.caller or self.caller()
        if self.services.overrides.is_blocked(caller.context_id):
            raise TooManyRequests(str(Hold(BLOCKED)), retry_after_s=60)

    def require_affordable(self) -> None:
        """For what asks the response model. Raises as `require_unblocked` does, and past the context's token limit."""
        self.require_unblocked()
        models = self.services.models
        hold = models.hold(self.context_id) if models.response(self.context_id) else None
        if hold is not None:
            raise TooManyRequests(str(hold), retry_after_s=math.ceil(hold.wait_s or 60))

    def require_operator(self) -> None:
        """Raises Unauthorised unless the request comes with a management key."""
        with self.services.pool.connection() as connection:
            if not is_management_key(connection, self._key_digest()):
                raise Unauthorised("send a management key as 'Authorization: Bearer <key>'")

    def refuse_unreadable(self) -> None:
        """No text of the address may hold what the database can't: it could match nothing, or break the query."""
        for name, text in (*self.path.items(), *self.query.multi_items()):
            if name not in ("context_id", "id"):
                readable(text, field=name)

    def _key_digest(self) -> str:
        key = key_in(self.headers)
        if not key:
            raise Unauthorised("send a key as 'Authorization: Bearer <key>'")
        try:
            return digest(key)
        except UnicodeEncodeError as error:
            raise Unauthorised() from error

    def _caller(self, connection: Connection, context_id: str, key_digest: str) -> tuple[Caller, int]:
        found = caller_of(connection, context_id, key_digest, on_behalf_of=on_behalf_of(self.headers))
        if found is None:
            raise Unauthorised()
        self.note.caller = found[0]
        return found


def key_in(headers: Headers) -> str:
    """The bearer key, however the header is spelt; empty if there is none."""
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else ""


def is_context_id(text: str) -> bool:
    """Whether a context may be called so: 1 to CONTEXT_ID_LENGTH_MAX printable characters, not all of them blank."""
    return bool(text.strip()) and len(text) <= CONTEXT_ID_LENGTH_MAX and text.isprintable()


def on_behalf_of(headers: Headers) -> tuple[UUID | None, str] | None:
    """The principal that the request is made for, as (id if it is one, external id). Raises InvalidRequest if
    the spellings of the header that clients use name two."""
    values = {
        value.strip().removeprefix(ids.PRINCIPAL_PREFIX)
        for name in ON_BEHALF_OF
        for value in headers.getlist(name)
        if value.strip()
    }
    if not values:
        return None
    if len(values) > 1:
        raise InvalidRequest("the delegation headers name two different principals")
    # Headers arrive as Latin-1; clients send UTF-8.
    name = values.pop().encode("latin-1").decode(errors="replace")
    if not name or len(name) > EXTERNAL_ID_LENGTH_MAX:
        raise InvalidRequest("the delegation header names no principal")
    try:
        return ids.parse_principal(name), name
    except NotFound:
        return None, name


def parse_json(body: bytes) -> Any:
    """The JSON value in `body`. Raises InvalidRequest for what can't be kept for ever: numbers beyond a
    double, NaN, nesting too deep to read back, invalid UTF-8."""
    try:
        return json.loads(body.decode(), parse_constant=_refuse_constant, parse_float=_finite, parse_int=_bounded)
    except RecursionError as error:
        raise InvalidRequest("the body is nested too deeply") from error
    except UnicodeDecodeError as error:
        raise InvalidRequest("the body is not UTF-8") from error
    except json.JSONDecodeError as error:
        raise InvalidRequest(f"the body is not JSON: {error.msg} at character {error.pos}") from error


def _refuse_constant(name: str) -> Any:
    raise InvalidRequest(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise InvalidRequest(f"the number {text[:20]} is beyond the range of a double")
    return number


def _bounded(text: str) -> int:
    if len(text) > 20 or not -(2**63) <= int(text) < 2**63:
        raise InvalidRequest(f"the number {text[:20]} is beyond the range of 64 bits")
    return int(text)


def first_error(error: pydantic.ValidationError) -> str:
    """The first thing that is wrong, as `field: what`."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    field = ".".join(str(part) for part in first["loc"]) or "body"
    return f"{field}: {first['msg'].removeprefix('Value error, ')}"
