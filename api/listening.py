"""The socket that the server listens on."""

import socket

from api.errors import StartupError


def listening(bind: tuple[str, int], *, is_shared: bool) -> socket.socket:
    """A listening socket. is_shared: other processes may listen on the address too; the kernel then deals out
    the connections. Raises StartupError if it can't be had."""
    host, port = bind
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sets TCP_NODELAY; without, each answer of a kept connection waits 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if is_shared:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listener.bind((host, port))
        # Bound is not taken: two processes may bind one address with SO_REUSEADDR until one listens.
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise StartupError(f"can't listen on {host}:{port}: {error.strerror or error}") from error
    return listener
