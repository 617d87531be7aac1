"""Who may speak to a server: the right Host, the right Origin, and a token where there is one.

A page of any site can make a browser send requests to 127.0.0.1. The name that it was reached by (DNS rebinding) and
the page that it comes from (cross-site writes) give such requests away.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse

SAFE = {"GET", "HEAD", "OPTIONS"}
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
}
"""Of every answer, unless it says otherwise itself."""


def own_names(host: str, port: int) -> list[str]:
    """What browsers on this machine may call a server: its host, and what else leads there.

    >>> own_names("127.0.0.1", 8000)
    ['127.0.0.1:8000', 'localhost:8000', '[::1]:8000']
    """
    hosts = dict.fromkeys([host, "127.0.0.1", "localhost", "::1"])
    shown = [f"[{one}]" if ":" in one else one for one in hosts]
    return [f"{one}:{port}" for one in shown] + (shown if port == 80 else [])  # a port that goes without saying


class Guard:
    """Refuses what does not come from its own pages, or from whoever has the token, before anything else sees it.

    `hosts` are the values of the Host header that are answered to. With a `token`, a request must bring it: as a bearer
    token, as a cookie, or once in the address (?token=), which sets the cookie; whoever brings none is told `remedy`.
    Paths in `open_paths` need none. Refusals are sentences, `as_json` for programs.
    """

    def __init__(
        self,
        app: Any,
        hosts: Iterable[str],
        token: str | None,
        remedy: str,
        open_paths: Iterable[str] = (),
        as_json: bool = False,
    ) -> None:
        self._as_json = as_json
        self._app, self._hosts, self._token = app, {host.lower() for host in hosts}, token
        self._remedy, self._open = remedy, set(open_paths)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        if scope["type"] != "http":  # nobody here speaks over web sockets
            return
        request = Request(scope)
        if (refusal := self._refusal(request)) is not None:
            status, sentence = refusal
            refused = (
                JSONResponse({"error": sentence}, status) if self._as_json else PlainTextResponse(sentence, status)
            )
            refused.headers.update(HEADERS)
            await refused(scope, receive, send)
            return
        entering = self._is_token(request.query_params.get("token", ""))

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if entering:
                    cookie = f"{_cookie_name(scope)}={self._token}; HttpOnly; SameSite=Strict; Path=/"
                    headers.append("set-cookie", cookie.encode().decode("latin-1"))
            await send(message)

        await self._app(scope, receive, with_headers)

    def _refusal(self, request: Request) -> tuple[int, str] | None:
        host, origin = request.headers.get("host", "").lower(), request.headers.get("origin")
        if self._hosts and host not in self._hosts:
            return 421, "This server does not answer to that name."
        own = origin is None or origin.partition("://")[2].lower() == host
        site = request.headers.get("sec-fetch-site", "none")
        if request.method not in SAFE and not (own and site in ("none", "same-origin")):
            return 403, "Requests of other sites are refused."
        if self._token is None or request.scope["path"] in self._open:
            return None
        in_headers = (_bearer(request), request.cookies.get(_cookie_name(request.scope), ""))
        brought = (request.query_params.get("token", ""), *map(_as_utf8, in_headers))
        return None if any(map(self._is_token, brought)) else (401, self._remedy)

    def _is_token(self, brought: str) -> bool:
        """In a time that does not tell how much of it is right."""
        if self._token is None or not brought:
            return False
        return hmac.compare_digest(self._token.encode(), brought.encode())


def _bearer(request: Request) -> str:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def _cookie_name(scope: Any) -> str:
    """By the port: browsers keep the cookies of all servers of a machine together. A Unix socket has none."""
    _, port = scope.get("server") or (None, None)
    return "isthmus" if port is None else f"isthmus-{port}"


def _as_utf8(header: str) -> str:
    """The bytes of a header, which is read as Latin-1, as whoever sent them means them."""
    return header.encode("latin-1").decode("utf-8", "replace")
