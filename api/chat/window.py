"""The conversation window: the last turns of a session, as the prompt shows them."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from api.chat.untrusted import one_line
from projections.turns import TurnRow

TURNS_MAX = 10
CHARACTERS_MAX = 8_000
ROLES = ("user", "assistant")


@dataclass(frozen=True, slots=True)
class Window:
    """lines: "role: words", oldest first. whole: the turns that are in it from their first word to their last,
    which need not be retrieved again."""

    lines: tuple[str, ...] = ()
    whole: frozenset[UUID] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.lines)


def window_of(newest_first: Iterable[TurnRow]) -> Window:
    """The window over a session's last user and assistant turns, given newest first.

    At most TURNS_MAX turns, and of their words, each turn made one line, the newest CHARACTERS_MAX
    characters (code points, labels not counted): the turn at that border keeps its end.
    """
    lines: list[str] = []
    whole: set[UUID] = set()
    room = CHARACTERS_MAX
    turns = (turn for turn in newest_first if turn.role in ROLES)
    for turn, _ in zip(turns, range(TURNS_MAX), strict=False):
        words = one_line(turn.text)
        if len(words) <= room:
            whole.add(turn.id)
        kept = words[max(0, len(words) - room) :]
        if kept:
            lines.append(f"{turn.role}: {kept}")
        room -= len(kept)
        if room == 0:
            break
    return Window(tuple(reversed(lines)), frozenset(whole))
