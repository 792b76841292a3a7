"""The chats through `surrealdb`, as the documentation imports it."""

from surrealdb import AsyncSpectron, Spectron  # type: ignore[import-not-found]

from tests.e2e.clients.chats import main

if __name__ == "__main__":
    main(Spectron, AsyncSpectron)
