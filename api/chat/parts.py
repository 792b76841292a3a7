"""What the conversation loop works with, made once."""

from dataclasses import dataclass

from api.chat.locks import SessionLocks
from api.chat.responders import Responders


@dataclass(frozen=True)
class ChatParts:
    """prompt_characters: the most that a prompt's system message has. caching: whether replies may be given again."""

    responders: Responders
    prompt_characters: int
    locks: SessionLocks
    caching: bool = True
