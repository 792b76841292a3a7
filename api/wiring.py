"""The composition root: settings in, ready services out."""

import logging
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial

import api.keys as keys
from api.chat.locks import SessionLocks
from api.chat.parts import ChatParts
from api.chat.responders import ConfiguredResponders
from api.embedders.by_context import Embedders
from api.embedders.question_vectors import QuestionVectors
from api.key_file import KeyFile
from api.models import Models
from api.postgres.ahead import PostgresAhead
from api.postgres.database import Database, lagging_contexts, migrate
from api.postgres.watch import PostgresWatch
from api.settings.config import Settings
from api.settings.overrides import Overrides
from api.work.indexing import Indexing
from api.work.queue import Queue
from memory.curation import Curation
from memory.documents.learning import DocumentLearning
from memory.documents.library import Library
from memory.erasing import Erasing
from memory.errors import NotFound
from memory.extraction import RemoteExtractor
from memory.extraction.local import LocalExtractor
from memory.forgetting import Forgetting
from memory.lifecycle import Lifecycle
from memory.log import EventLog, Pool
from memory.remember import Memory
from memory.revising import Revising
from memory.understanding import Understanding
from projections import embedding_usage
from projections.audit import AuditBuffer
from projections.document_facts import ReadModelDocumentFacts
from projections.erasing.removal import ReadModelErasing
from projections.knowledge import ReadModelKnowledge
from projections.projector import ReadModelProjector
from projections.rebuild import rebuild
from projections.retrieval.recaller import Recall
from projections.revisions import ReadModelRevising
from projections.shelf import ReadModelShelf
from projections.table import READ_MODELS_VERSION
from projections.trace_buffer import TraceBuffer
from projections.usage import tokens_spent
from projections.vocabulary import ReadModelVocabulary

logger = logging.getLogger(__name__)

MANAGEMENT_KEY_NAME = "management"


@dataclass(frozen=True)
class Services:
    """Everything a request or a command works with."""

    settings: Settings
    database: Database
    pool: Pool
    log: EventLog
    memory: Memory
    forgetting: Forgetting
    curation: Curation
    lifecycle: Lifecycle
    erasing: Erasing
    revising: Revising
    extractor: LocalExtractor
    traces: TraceBuffer
    audit: AuditBuffer
    overrides: Overrides
    embedders: Embedders
    embedder: QuestionVectors
    indexing: Indexing
    queue: Queue
    recall: Recall
    models: Models
    chat: ChatParts
    library: Library
    document_learning: DocumentLearning

    def load_models(self) -> threading.Thread:
        """Load local models in the background; a write that needs them waits for them."""
        thread = threading.Thread(target=self._load, name="load-models", daemon=True)
        thread.start()
        return thread

    def _load(self) -> None:
        self.models.load()
        self.embedders.load()
        self.indexing.start()
        self.extractor.load()


@contextmanager
def database_of(settings: Settings, *, postgres: PostgresAhead | None = None) -> Iterator[Database]:
    """A migrated database: the one at the URL, or the embedded one, started if it is not running.

    postgres: the embedded one of who keeps it running; it is then started again whenever it dies meanwhile.
    """
    if settings.database_url:
        yield migrate(settings.database_url)
    elif postgres is not None:
        url = postgres.url()
        with PostgresWatch(postgres.embedded, url):
            yield migrate(url)
    else:
        with PostgresAhead(settings.home) as own:
            yield migrate(own.url())


@contextmanager
def services(
    settings: Settings, *, rebuild_lagging: bool = True, postgres: PostgresAhead | None = None
) -> Iterator[Services]:
    """Services over the settings' database (see `database_of`); read models of an older version are rebuilt first."""
    models = Models(settings.config)
    with database_of(settings, postgres=postgres) as database, database.pool() as pool:
        log = EventLog(pool, ReadModelProjector())
        overrides = Overrides(pool)
        models.context_overrides, models.is_blocked = overrides.of, overrides.is_blocked
        if rebuild_lagging:
            _rebuild_lagging(database, log)
        knowledge = ReadModelKnowledge(settings.multi_valued, strict_scopes=settings.strict_scopes)
        extractor = LocalExtractor()
        models.spent = lambda context_id, since: (
            tokens_spent(pool, context_id, since) + embedding_usage.tokens_spent(pool, context_id, since)
        )
        understanding = Understanding(
            extractor,
            remote_of=models.extractor,
            deadline_of=lambda context_id: models.settings(context_id).deadline_s,
            vocabulary=ReadModelVocabulary(pool),
        )
        memory = Memory(log, knowledge, understanding, models.server.retries)
        shelf = ReadModelShelf()

        def model_of_documents(context_id: str) -> RemoteExtractor | None:
            is_enabled = overrides.of(context_id).get("llm_extraction_enabled", True)
            return models.extractor(context_id) if is_enabled else None

        embedders = Embedders(models.settings, partial(embedding_usage.add, pool), models.hold)
        questions = QuestionVectors(embedders)
        with (
            closing(models),
            closing(TraceBuffer(pool, settings.trace_retention)) as traces,
            closing(AuditBuffer(pool, settings.audit_retention)) as audit,
            closing(Indexing(pool, embedders.of)) as indexing,
            closing(SessionLocks(database.connect)) as locks,
        ):
            log.listeners.append(indexing.poke)
            yield Services(
                settings=settings,
                database=database,
                pool=pool,
                log=log,
                memory=memory,
                forgetting=Forgetting(memory, knowledge),
                curation=Curation(memory, knowledge),
                lifecycle=Lifecycle(log, knowledge),
                erasing=Erasing(log, ReadModelErasing(log)),
                revising=Revising(log, ReadModelRevising()),
                extractor=extractor,
                traces=traces,
                audit=audit,
                overrides=overrides,
                embedders=embedders,
                embedder=questions,
                indexing=indexing,
                queue=Queue(pool),
                recall=Recall(questions, traces, indexing.settle),
                models=models,
                chat=ChatParts(
                    ConfiguredResponders(models, deadline_s=settings.chat_deadline_s),
                    settings.prompt_characters,
                    locks,
                    caching=settings.response_cache,
                ),
                library=Library(log, shelf, ReadModelDocumentFacts(), memory.sessions),
                document_learning=DocumentLearning(log, knowledge, shelf, extractor, model_of_documents),
            )


def bootstrap(services: Services) -> str | None:
    """Make the settings' context and keys as far as they are missing. Returns the context's key, None if an operator
    has deleted the context: its id is not given again, and the others are to be served all the same."""
    settings = services.settings
    file = KeyFile(settings.home)
    management_key = settings.management_api_key or _kept(file, MANAGEMENT_KEY_NAME)
    keys.ensure_management_key(services.pool, management_key)
    name = f"context {settings.context}"
    key = settings.api_key or _kept(file, name)
    try:
        keys.ensure_context(services.log, settings.context, key)
    except NotFound:
        return None
    except keys.DeadKey:
        if settings.api_key:
            raise
        # The kept one was rotated or revoked; whoever may read the file gets another.
        key = keys.new_key()
        file.put(name, key)
        keys.ensure_context(services.log, settings.context, key)
    return key


def _kept(file: KeyFile, name: str) -> str:
    key = file.get(name)
    if key is None:
        key = keys.new_key()
        file.put(name, key)
    return key


def _rebuild_lagging(database: Database, log: EventLog) -> None:
    with database.connect() as connection:
        for context_id in lagging_contexts(connection, READ_MODELS_VERSION):
            logger.info("rebuilding the read models of context %s", context_id)
            rebuild(log, connection, context_id)
