"""Opening, finding and closing sessions, inside an append."""

from uuid import UUID

from memory.administration import registered
from memory.errors import Forbidden, InvalidScope, NotFound, SessionClosedAlready, SessionUnavailable
from memory.events import Event, ScopeSetDefined, SessionClosed, SessionOpened
from memory.log import EventLog, Writing
from memory.ports import Knowledge, KnownSession
from memory.principals import Caller
from memory.recorded import Origin, Recorded
from memory.scopes import ROOT, ScopeSet, ancestors, scope_set_id


class Sessions:
    """Use cases over sessions."""

    def __init__(self, log: EventLog, knowledge: Knowledge) -> None:
        self.log = log
        self.knowledge = knowledge

    def open(
        self,
        writing: Writing,
        caller: Caller,
        session_id: UUID,
        *,
        scopes: ScopeSet | None,
        metadata: str | None = None,
        verb: str = "memory:write",
    ) -> tuple[KnownSession, Recorded]:
        """Open a session in `scopes`, else in the caller's write scopes, and register paths used for the first
        time. Raises Forbidden outside the grants, or for such a path where the context is strict about them."""
        scopes, scope_id, events = self.landing(writing, caller, scopes, verb=verb)
        origin = Origin(session_id=session_id, principal_id=caller.principal_id, scope_set_id=scope_id)
        events.append(SessionOpened(session_id=session_id, metadata=metadata))
        *_, opened = writing.record(events, origin)
        return KnownSession(session_id, scope_id, scopes), opened

    def landing(
        self, writing: Writing, caller: Caller, scopes: ScopeSet | None, *, verb: str = "memory:write"
    ) -> tuple[ScopeSet, UUID, list[Event]]:
        """Where something new goes: the scopes, their id, and the events that make them known. Raises as `open`."""
        scopes = scopes or caller.write_scopes
        if not scopes:
            raise Forbidden("the key's grants do not cover memory:write anywhere")
        caller.require(verb, scopes)
        return scopes, scope_set_id(scopes), self.defined(writing, caller, scopes) + self._registered(writing, scopes)

    def defined(self, writing: Writing, caller: Caller, scopes: ScopeSet) -> list[Event]:
        """The event that makes the scope set known, if it is not."""
        scope_id = scope_set_id(scopes)
        if scope_id in caller.visible or self.knowledge.is_scope_set_defined(writing, scope_id):
            return []
        return [ScopeSetDefined(scope_set_id=scope_id, clauses=scopes)]

    def close(self, caller: Caller, session_id: UUID) -> None:
        """No more turns. Closing a closed session does nothing. Raises NotFound."""
        with self.log.writing(caller.context_id) as writing:
            session = self.knowledge.session(writing, session_id, caller.visible)
            if session is None:
                raise NotFound("there is no such session")
            caller.require("memory:write", session.scopes)
            if not session.closed:
                origin = Origin(
                    session_id=session_id, principal_id=caller.principal_id, scope_set_id=session.scope_set_id
                )
                writing.record([SessionClosed(session_id=session_id)], origin)

    def existing(self, writing: Writing, caller: Caller, session_id: UUID) -> KnownSession:
        """Raises SessionUnavailable alike for an absent session and for one that the caller may not write to."""
        session = self.knowledge.session(writing, session_id, caller.writable)
        if session is None:
            raise SessionUnavailable()
        return session

    def for_write(
        self,
        writing: Writing,
        caller: Caller,
        session_id: UUID | None,
        new_session_id: UUID,
        scopes: ScopeSet | None,
    ) -> KnownSession:
        """The session a turn goes to: the named one, or a new one."""
        if session_id is None:
            return self.open(writing, caller, new_session_id, scopes=scopes)[0]
        session = self.existing(writing, caller, session_id)
        if session.closed:
            raise SessionClosedAlready()
        if scopes is not None and scopes != session.scopes:
            raise InvalidScope("scopes: a session's scopes are fixed when it is made; leave them out or open another")
        return session

    def _registered(self, writing: Writing, scopes: ScopeSet) -> list[Event]:
        """Events that register the paths of `scopes`, and those above them, that are not."""
        wanted = {one for clause in scopes for path in clause if path != ROOT for one in (*ancestors(path), path)}
        if not wanted:
            return []
        known = {node.path: node for node in self.knowledge.scope_nodes(writing, sorted(wanted))}
        missing = [path for path in sorted(wanted) if path not in known or known[path].tombstoned_at is not None]
        named = {path for clause in scopes for path in clause}
        if named & set(missing) and self.knowledge.has_strict_scopes(writing):
            raise Forbidden("this context takes writes only into registered scopes")
        return [registered(path, is_again=path in known) for path in missing]

    def refreshed(self, writing: Writing, caller: Caller, session: KnownSession) -> KnownSession:
        """The session after turns that may have named its user."""
        visible = [*caller.visible, session.scope_set_id]
        return self.knowledge.session(writing, session.session_id, visible) or session
