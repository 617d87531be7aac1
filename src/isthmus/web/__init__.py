"""What every server of isthmus has: who may speak to it, and how it answers."""

from isthmus.web.guard import Guard, require_extra
from isthmus.web.requests import whole
from isthmus.web.running import free_socket, make_server, run_server

__all__ = ["Guard", "free_socket", "make_server", "require_extra", "run_server", "whole"]
