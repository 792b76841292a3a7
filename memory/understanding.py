"""Asking an extractor about recorded turns: at once, all together or some at a time; a failure is a value.

No connection is held and no lock: the only reads, of what may be reused, come before.
"""

import concurrent.futures
import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Protocol
from uuid import UUID

from memory.candidates import Extraction
from memory.errors import ExtractorUnavailable, Unavailable
from memory.extraction import Extractor, RemoteExtractor, Utterance
from memory.extraction.offered import NOTHING_OFFERED, Offered
from memory.ports import Vocabulary
from memory.principals import Caller
from memory.usage import NO_USAGE

logger = logging.getLogger(__name__)

AT_ONCE_MAX = 4
DEADLINE_S = 25.0

Outcome = Extraction | ExtractorUnavailable


class Heard(Protocol):
    """A recorded turn, as far as an extractor is concerned."""

    @property
    def text(self) -> str: ...

    @property
    def role(self) -> str: ...

    @property
    def said_at(self) -> datetime: ...

    @property
    def earlier(self) -> Sequence[str]: ...

    @property
    def session_id(self) -> UUID: ...

    @property
    def scope_set_id(self) -> UUID: ...


class Understanding:
    """The extractors of all contexts.

    built_in: reads where a context has no other. remote_of: a context's own, None if it has none.
    deadline_of: seconds that a write of the context waits for its extraction.
    """

    def __init__(
        self,
        built_in: Extractor,
        *,
        remote_of: Callable[[str], RemoteExtractor | None] = lambda _: None,
        deadline_of: Callable[[str], float] = lambda _: DEADLINE_S,
        vocabulary: Vocabulary | None = None,
    ) -> None:
        self.built_in = built_in
        self.remote_of = remote_of
        self.deadline_of = deadline_of
        self._vocabulary = vocabulary

    def name(self, context_id: str) -> str:
        remote = self.remote_of(context_id)
        return remote.name if remote else self.built_in.name

    def outcomes(self, caller: Caller, heard: Sequence[Heard], *, together: bool = False) -> Iterator[Outcome]:
        """What each turn amounts to, in order. together: as one conversation, where the extractor can.

        Raises Unavailable if the server stops meanwhile.
        """
        remote = self.remote_of(caller.context_id)
        if remote is None:
            return (self._read(one) for one in heard)
        if together or len(heard) == 1:
            return iter(self.asked(remote, caller, heard))
        return self._asked_apart(remote, caller, heard)

    def _read(self, heard: Heard) -> Outcome:
        try:
            return self.built_in.extract(heard.text, role=heard.role, said_at=heard.said_at, earlier=heard.earlier)
        except ExtractorUnavailable as error:
            return error
        except Exception as error:
            return self._broken(self.built_in.name, error)

    def _asked_apart(self, remote: RemoteExtractor, caller: Caller, heard: Sequence[Heard]) -> Iterator[Outcome]:
        with ThreadPoolExecutor(AT_ONCE_MAX, thread_name_prefix="asking") as threads:
            for (outcome,) in threads.map(lambda one: self.asked(remote, caller, [one]), heard):
                yield outcome

    def asked(self, remote: RemoteExtractor, caller: Caller, heard: Sequence[Heard]) -> list[Outcome]:
        """What `remote` makes of the turns, read together. Raises Unavailable if the server stops meanwhile."""
        try:
            utterances = [Utterance(one.text, one.role, one.said_at) for one in heard]
            return list(remote.extract_all(utterances, earlier=heard[0].earlier, offered=self._offered(caller, heard)))
        except ExtractorUnavailable as error:
            return self._failed(error, len(heard))
        except concurrent.futures.CancelledError as error:
            raise Unavailable("the server is stopping") from error
        except Exception as error:
            return self._failed(self._broken(remote.name, error), len(heard))

    def _offered(self, caller: Caller, heard: Sequence[Heard]) -> Offered:
        if self._vocabulary is None:
            return NOTHING_OFFERED
        first = heard[0]
        visible = [*caller.visible, first.scope_set_id]
        texts = [one.text for one in heard] + list(first.earlier)
        return self._vocabulary.offered(caller.context_id, visible, first.session_id, texts)

    def _failed(self, error: ExtractorUnavailable, turns: int) -> list[Outcome]:
        """The same failure for each turn; what it took counts once."""
        again = ExtractorUnavailable(
            kind=error.kind, retryable=error.retryable, wait_s=error.wait_s, model=error.model, usage=NO_USAGE
        )
        return [error, *[again] * (turns - 1)]

    def _broken(self, name: str, error: Exception) -> ExtractorUnavailable:
        # The words are durable by now: whatever broke, the answer is "pending", not a lost turn.
        logger.error("extractor %s failed", name, exc_info=error)
        return ExtractorUnavailable(kind=type(error).__name__, retryable=False)
