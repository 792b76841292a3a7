"""What is known already and may be reused: offered to an extractor, best first and bounded."""

from collections.abc import Sequence
from dataclasses import dataclass

NAMES_MAX, KEYS_MAX, LABELS_MAX = 30, 40, 25
NAMES_LENGTH_MAX, KEYS_LENGTH_MAX, LABELS_LENGTH_MAX = 900, 600, 350


@dataclass(frozen=True, slots=True)
class Offered:
    """names: (name, type) of entities. keys, labels: of attributes and relations. Each ranked by how well it
    fits the turn."""

    names: Sequence[tuple[str, str]] = ()
    keys: Sequence[str] = ()
    labels: Sequence[str] = ()

    def told(self) -> str:
        """As lines of a prompt; the worst are left out where it grows too long."""
        names = _within([f"{name} ({kind})" for name, kind in self.names[:NAMES_MAX]], NAMES_LENGTH_MAX)
        keys = _within(self.keys[:KEYS_MAX], KEYS_LENGTH_MAX)
        labels = _within(self.labels[:LABELS_MAX], LABELS_LENGTH_MAX)
        lines = (("names", "; ".join(names)), ("keys", ", ".join(keys)), ("labels", ", ".join(labels)))
        return "\n".join(f"{what}: {words}" for what, words in lines if words)


NOTHING_OFFERED = Offered()


def _within(words: Sequence[str], length_max: int) -> list[str]:
    kept: list[str] = []
    length = 0
    for word in words:
        word = " ".join(word.split())
        length += len(word) + 2
        if length > length_max:
            break
        kept.append(word)
    return kept
