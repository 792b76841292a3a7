"""How much of what was held has been replaced."""

from dataclasses import dataclass

from projections.reading import Reader

CHURN = """
SELECT
    (SELECT count(*) FROM {attribute_versions} AS v WHERE NOT v.ends),
    (SELECT count(*) FROM {attribute_versions} AS v WHERE v.standing = 'claimed'),
    count(*), count(DISTINCT v.entity_id)
FROM {corrections} AS c JOIN {attribute_versions} AS v ON v.id = c.new_version_id
"""


@dataclass(frozen=True, slots=True)
class Churn:
    """statements about properties; contradictions: those only claimed; supersessions, of how many entities."""

    statements: int
    contradictions: int
    supersessions: int
    entities: int


def churn(reader: Reader) -> Churn:
    return Churn(*reader.tuples(CHURN, {})[0])
