"""Facts from documents: what the extractor finds in each chunk, decided as curated knowledge.

A chunk is a source of statements as a turn is: its id stands where a turn's would, so that every fact
leads back to the words. Nobody speaks in a document, and nobody who wrote one may give the assistant
orders: names of a speaker, directives and deeds are dropped.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec

from memory.candidates import AnyCandidate, AttributeCandidate, Extraction, Mention, Polarity, RelationCandidate
from memory.decide import decide
from memory.documents.library import KnownDocument, Overtaken, Shelf, chunk_id
from memory.draft import CONFIDENCE_FLOOR
from memory.events import ExtractionCompleted
from memory.extraction import Extractor, RemoteExtractor, Utterance
from memory.extraction.offered import NOTHING_OFFERED
from memory.known import Statement
from memory.log import EventLog
from memory.ports import Knowledge
from memory.principals import Caller
from memory.recorded import Origin
from memory.values import Role, SourceKind
from memory.wanted import wanted

CONFIDENCE_MIN = 0.8  # of the built-in extractor
CHUNKS_A_CALL = 6  # of a language model

_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t].*$", re.MULTILINE)
_ITEM = r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+"
_BEFORE_ITEM = re.compile(rf"(?<=[^\s.!?:;])\n(?={_ITEM})")
_BEFORE_BLANK = re.compile(r"(?<=[^\s.!?:;])\n(?=[ \t]*\n)")
_MARKS = re.compile(rf"^{_ITEM}|^[ \t]*>[ \t]?|\*\*|__|`", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Piece:
    """The words of a chunk that is in force."""

    ordinal: int
    char_start: int
    text: str


class DocumentLearning:
    """Learns from a document's chunks, one append each."""

    def __init__(
        self,
        log: EventLog,
        knowledge: Knowledge,
        shelf: Shelf,
        extractor: Extractor,
        remote_of: Callable[[str], RemoteExtractor | None] = lambda _: None,
    ) -> None:
        """extractor: the built-in one. remote_of: a context's language model, None where there is none."""
        self.log = log
        self.knowledge = knowledge
        self.shelf = shelf
        self.extractor = extractor
        self.remote_of = remote_of

    def learn(self, caller: Caller, known: KnownDocument, pieces: Sequence[Piece], said_at: datetime) -> None:
        """Find facts in some chunks and decide them; those decided by an earlier attempt are skipped.

        caller: the uploader. Raises Overtaken, ExtractorUnavailable.
        """
        remote = self.remote_of(caller.context_id)
        at_once = CHUNKS_A_CALL if remote else 1
        new = [one for one in pieces if not self._is_decided(caller, known, one)]
        for begin in range(0, len(new), at_once):
            group = new[begin : begin + at_once]
            extractions = self._extracted(remote, [prose(one.text) for one in group], said_at)
            for piece, extraction in zip(group, extractions, strict=True):
                candidates = sure(extraction, CONFIDENCE_FLOOR if remote else CONFIDENCE_MIN)
                # What a model was asked is recorded whatever it found: it is not asked again, and was paid for.
                if candidates or remote:
                    self._decide(caller, known, piece, extraction, candidates, said_at)

    def _extracted(
        self, remote: RemoteExtractor | None, texts: Sequence[str], said_at: datetime
    ) -> Sequence[Extraction]:
        if remote is None:
            return [self.extractor.extract(one, role=Role.TOOL, said_at=said_at, earlier=()) for one in texts]
        utterances = [Utterance(one, Role.TOOL, said_at) for one in texts]
        return remote.extract_all(utterances, earlier=(), offered=NOTHING_OFFERED)

    def _is_decided(self, caller: Caller, known: KnownDocument, piece: Piece) -> bool:
        source_id = chunk_id(known.document_id, known.version, piece.ordinal)
        with self.log.pool.connection() as connection, connection.cursor() as cursor:
            return bool(self.log.of_turn(cursor, caller.context_id, source_id))

    def _decide(
        self,
        caller: Caller,
        known: KnownDocument,
        piece: Piece,
        extraction: Extraction,
        candidates: Sequence[AnyCandidate],
        said_at: datetime,
    ) -> None:
        source_id = chunk_id(known.document_id, known.version, piece.ordinal)
        visible = [*caller.visible, known.scope_set_id]
        # Offsets of a document are its own, so that no two of its statements share a place.
        placed = tuple(
            msgspec.structs.replace(one, start=one.start + piece.char_start, end=one.end + piece.char_start)
            for one in candidates
        )
        origin = Origin(
            turn_id=source_id,
            principal_id=known.principal_id,
            scope_set_id=known.scope_set_id,
            observed_at=said_at,
        )
        with self.log.writing(caller.context_id) as writing:
            now = self.shelf.one(writing, known.document_id, None)
            if now is None or now.version != known.version:
                raise Overtaken
            if self.log.of_turn(writing.cursor, caller.context_id, source_id):
                return
            statement = Statement(
                turn_id=source_id,
                session_id=known.document_id,
                role=Role.TOOL,
                source_kind=SourceKind.DOCUMENT,
                document_id=known.document_id,
                said_at=said_at,
                position=known.version_position,
                next_position=writing.position + 2,  # after ExtractionCompleted
                labels=known.labels,
            )
            asked = wanted(placed, statement, None)
            found = self.knowledge.load(
                writing, asked, statement, scope_set_id=known.scope_set_id, visible=visible, again=False
            )
            completed = ExtractionCompleted(
                extractor=extraction.extractor,
                candidates=placed,
                model=extraction.model,
                usage=extraction.usage,
                dropped=extraction.dropped,
            )
            writing.record([completed, *decide(placed, found, statement)], origin)


def prose(text: str) -> str:
    """The sentences of a chunk without marks and headings, each paragraph and item ended; every offset stays."""
    text = _HEADING.sub(_blanked, text)
    for ending in (_BEFORE_ITEM, _BEFORE_BLANK):
        text = ending.sub(".", text)
    return _MARKS.sub(_blanked, text)


def _blanked(match: re.Match[str]) -> str:
    return " " * len(match.group())


def sure(extraction: Extraction, least: float) -> tuple[AnyCandidate, ...]:
    """What may be taken from a document: affirmed properties and relations of named things, surely read.

    least: confidence.
    """
    return tuple(
        one
        for one in extraction.candidates
        if isinstance(one, AttributeCandidate | RelationCandidate)
        and one.polarity is Polarity.AFFIRMED
        and one.confidence >= least
        and not any(mention.speaker for mention in _mentions(one))
    )


def _mentions(candidate: AttributeCandidate | RelationCandidate) -> tuple[Mention, ...]:
    if isinstance(candidate, AttributeCandidate):
        return (candidate.entity,)
    return candidate.subject, candidate.object
