"""The chats through `surrealdb-memory`."""

from surrealdb_memory import AsyncMemory, Memory  # type: ignore[import-not-found]

from tests.e2e.clients.chats import main

if __name__ == "__main__":
    main(Memory, AsyncMemory)
