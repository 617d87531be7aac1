"""What every server of isthmus has: who may speak to it, and how it answers."""

from isthmus.web.guard import Guard, require_starlette
from isthmus.web.running import free_socket, make_server, run_server

__all__ = ["Guard", "free_socket", "make_server", "require_starlette", "run_server"]
