"""What recall searches beside the read models: postings and statistics of words, and vectors.

None of it is a function of the log alone, and all of it can be made again from the passages.
"""

from alembic import op

revision = "0003"
down_revision = "0002"

# How far the passages of a context are in postings; the rest is searched one by one.
HEADS = """
CREATE TABLE recall_heads (
    context_id text PRIMARY KEY,
    indexed_to bigint NOT NULL
)
"""

# Of the passages with numbers above the last of the segment before and up to `last`, those of the scope set.
SEGMENTS = """
CREATE TABLE recall_segments (
    context_id text NOT NULL,
    scope_set_id uuid NOT NULL,
    last bigint NOT NULL,
    passages integer NOT NULL,
    length bigint NOT NULL,
    words bigint NOT NULL,
    PRIMARY KEY (context_id, scope_set_id, last)
)
"""

SEGMENTS_BY_LAST = "CREATE INDEX recall_segments_by_last ON recall_segments (context_id, last)"

POSTINGS = """
CREATE TABLE recall_postings (
    context_id text NOT NULL,
    word text COLLATE "C" NOT NULL,
    scope_set_id uuid NOT NULL,
    last bigint NOT NULL,
    passages integer NOT NULL,
    entries bytea NOT NULL,
    PRIMARY KEY (context_id, word, scope_set_id, last) INCLUDE (passages)
)
"""

# Read whole and often, and hardly smaller when compressed.
POSTINGS_PLAIN = "ALTER TABLE recall_postings ALTER COLUMN entries SET STORAGE EXTERNAL"

POSTINGS_BY_LAST = "CREATE INDEX recall_postings_by_last ON recall_postings (context_id, last)"

# Content-addressed: digest is the SHA-256 of the embedded text. A vector is of one passage's text alone.
VECTORS = """
CREATE TABLE recall_vectors (
    context_id text NOT NULL,
    model text NOT NULL,
    scope_set_id uuid NOT NULL,
    number bigint NOT NULL,
    digest bytea NOT NULL CHECK (octet_length(digest) = 32),
    dimension smallint NOT NULL,
    in_graph boolean NOT NULL DEFAULT false,
    embedding halfvec NOT NULL,
    PRIMARY KEY (context_id, model, scope_set_id, number)
)
"""

# How far the passages of a context have vectors of a model.
MODELS = """
CREATE TABLE recall_models (
    context_id text NOT NULL,
    model text NOT NULL,
    embedded_to bigint NOT NULL,
    PRIMARY KEY (context_id, model)
)
"""

VECTORS_BY_DIGEST = "CREATE INDEX recall_vectors_by_digest ON recall_vectors (context_id, model, digest)"
VECTORS_BY_NUMBER = "CREATE INDEX recall_vectors_by_number ON recall_vectors (context_id, number)"
VECTORS_OUTSIDE = """
CREATE INDEX recall_vectors_outside ON recall_vectors (context_id, model, scope_set_id) WHERE NOT in_graph
"""

# The usual dimensions of models; vectors of another one are compared one by one.
GRAPHS = """
CREATE INDEX recall_vectors_graph_{dimension} ON recall_vectors
    USING hnsw ((embedding::halfvec({dimension})) halfvec_cosine_ops)
    WHERE in_graph AND dimension = {dimension}
"""
GRAPH_DIMENSIONS = (384, 512, 768, 1024, 1536, 3072)


def upgrade() -> None:
    tables = (HEADS, SEGMENTS, SEGMENTS_BY_LAST, POSTINGS, POSTINGS_PLAIN, POSTINGS_BY_LAST)
    vectors = (MODELS, VECTORS, VECTORS_BY_DIGEST, VECTORS_BY_NUMBER, VECTORS_OUTSIDE)
    for statement in (*tables, *vectors, *(GRAPHS.format(dimension=dimension) for dimension in GRAPH_DIMENSIONS)):
        op.execute(statement)
