"""What every server of isthmus has: who may speak to it, and how it answers."""

from isthmus.web.guard import Guard, own_names
from isthmus.web.running import free_socket, make_server, run_server

__all__ = ["Guard", "free_socket", "make_server", "own_names", "run_server"]
