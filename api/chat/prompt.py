"""The prompt: memory inside a frame that its text can't close, then the question. Bounded in characters."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from string import Template

from api.chat.markers import marker
from api.chat.sources import Source
from api.chat.untrusted import FRAME_BEGIN, FRAME_END, one_line
from api.chat.window import Window
from api.settings.config import PROMPT_CHARACTERS

INSTRUCTIONS_CHARACTERS = 2_000
INSTRUCTIONS_HEADING = "# Standing instructions of the user\n\nFollow these:\n"
NOTHING = "(nothing was found)"
MEMORY_HEADING, WINDOW_HEADING, QUESTION_HEADING = "# Memory", "# Conversation so far", "# Question"


@dataclass(frozen=True, slots=True)
class Prompt:
    """system, user: the two messages. sources: what each marker number stands for."""

    system: str
    user: str
    sources: dict[int, Source]

    @property
    def messages(self) -> list[dict[str, str]]:
        return [{"role": "system", "content": self.system}, {"role": "user", "content": self.user}]


def prompt_of(
    question: str,
    *,
    sources: Sequence[Source],
    instructions: Sequence[str],
    window: Window,
    today: datetime,
    characters: int = PROMPT_CHARACTERS,
) -> Prompt:
    """The prompt for `question`. sources, instructions: most relevant first; what does not fit is left out whole.

    characters: the most that the system message has, at least PROMPT_CHARACTERS_MIN.
    """
    directives = _fitting((f"- {one_line(text)}" for text in instructions), INSTRUCTIONS_CHARACTERS)
    told = f"\n{INSTRUCTIONS_HEADING}{_joined(directives)}\n" if directives else ""
    talk = f"\n\n{WINDOW_HEADING}\n{_joined(window.lines)}" if window else ""
    fixed = {
        "today": f"{today:%A}, {today.day} {today:%B %Y}",
        "frame_begin": FRAME_BEGIN,
        "frame_end": FRAME_END,
        "instructions": told,
    }
    kept: dict[int, Source] = {}
    lines: list[str] = []
    room = characters - len(_template().substitute(fixed, data=f"{MEMORY_HEADING}\n{NOTHING}{talk}"))
    for source in sources:
        line = _line(len(kept) + 1, source)
        if len(line) < room:
            kept[len(kept) + 1] = source
            lines.append(line)
            room -= len(line) + 1
    system = _template().substitute(fixed, data=f"{MEMORY_HEADING}\n{_joined(lines) or NOTHING}{talk}")
    return Prompt(system, f"{QUESTION_HEADING}\n\n{question}", kept)


def _line(number: int, source: Source) -> str:
    note = f" ({one_line(source.note)})" if source.note else ""
    return f"{marker(number)} {one_line(source.text)}{note}"


def _fitting(lines: Iterable[str], characters: int) -> list[str]:
    kept = []
    for line in lines:
        if len(line) < characters:
            kept.append(line)
            characters -= len(line) + 1
    return kept


def _joined(lines: Iterable[str]) -> str:
    return "\n".join(lines)


@cache
def _template() -> Template:
    return Template(files("api.chat").joinpath("prompt.md").read_text(encoding="utf-8"))
