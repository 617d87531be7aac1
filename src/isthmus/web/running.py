"""A socket, and a server on it."""

from __future__ import annotations

import socket
from typing import Any

from isthmus.exceptions import DataError


def free_socket(host: str, port: int) -> socket.socket:
    """Bound before anything else is done, so that its number can be told; port 0 is any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen(2048)  # whoever is told the number may come at once, and waits
    except (OSError, OverflowError) as error:
        found.close()
        raise DataError(f"{host}:{port} cannot be listened on: {getattr(error, 'strerror', None) or error}.") from None
    return found


def make_server(app: Any) -> Any:
    """A uvicorn server that says nothing unless something is wrong."""
    import uvicorn

    config = uvicorn.Config(
        app, log_level="error", access_log=False, server_header=False, timeout_graceful_shutdown=5, lifespan="on"
    )
    return uvicorn.Server(config)


def run_server(app: Any, listening: socket.socket) -> None:
    """Until it is interrupted."""
    make_server(app).run(sockets=[listening])
