"""Who may speak to a server: the right Host, the right Origin, and a token where there is one.

A page of any site can make a browser send requests to 127.0.0.1. The name that it was reached by (DNS rebinding) and
the page that it comes from (cross-site writes) give such requests away.
"""

from __future__ import annotations

import hmac
import importlib.util
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qs

from isthmus.exceptions import DataError

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


def require_extra(extra: str, *modules: str) -> None:
    """What a server is made with, or a sentence that tells how to get it."""
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if missing:
        raise DataError(f"isthmus {extra} needs {' and '.join(missing)}: pip install 'isthmus[{extra}]'.")


class Guard:
    """Refuses what does not come from its own pages, or from whoever has the token, before anything else sees it.

    `hosts` are the values of the Host header that are answered to. With a `token`, a request must bring it: as a bearer
    token, as a cookie, or once in the address (?token=), which sets the cookie; whoever brings none is told `remedy`.
    Paths in `open_paths` need none.
    """

    def __init__(
        self, app: Any, hosts: Iterable[str], token: str | None, remedy: str, open_paths: Iterable[str] = ()
    ) -> None:
        self._app, self._hosts, self._token = app, {host.lower() for host in hosts}, token
        self._remedy, self._open = remedy, set(open_paths)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":  # nobody here speaks over web sockets
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _answer(send, *refusal)
            return
        entering = self._is_token(_asked_token(scope))

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message["headers"]}
                more = [(n.encode(), v.encode()) for n, v in HEADERS.items() if n.encode() not in given]
                if entering:
                    cookie = f"{_cookie_name(scope)}={self._token}; HttpOnly; SameSite=Strict; Path=/"
                    more.append((b"set-cookie", cookie.encode()))
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        await self._app(scope, receive, with_headers)

    def _refusal(self, scope: Any, headers: dict[str, str]) -> tuple[int, str] | None:
        if self._hosts and headers.get("host", "").lower() not in self._hosts:
            return 421, "This server does not answer to that name."
        origin = headers.get("origin")
        own = origin is None or origin.partition("://")[2].lower() == headers.get("host", "").lower()
        site = headers.get("sec-fetch-site", "none")
        if scope["method"] not in SAFE and not (own and site in ("none", "same-origin")):
            return 403, "Requests of other sites are refused."
        if self._token is None or scope["path"] in self._open:
            return None
        if any(map(self._is_token, (_asked_token(scope), _bearer(headers), _cookie(scope, headers)))):
            return None
        return 401, self._remedy

    def _is_token(self, brought: str) -> bool:
        """In a time that does not tell how much of it is right."""
        if self._token is None or not brought:
            return False
        return hmac.compare_digest(self._token.encode(), brought.encode())


def _asked_token(scope: Any) -> str:
    return parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]


def _bearer(headers: dict[str, str]) -> str:
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def _cookie_name(scope: Any) -> str:
    """By the port: browsers keep the cookies of all servers of a machine together. A Unix socket has none."""
    _, port = scope.get("server") or (None, None)
    return "isthmus" if port is None else f"isthmus-{port}"


def _cookie(scope: Any, headers: dict[str, str]) -> str:
    from starlette.requests import cookie_parser  # as browsers do, which http.cookies does not; only servers have it

    return str(cookie_parser(headers.get("cookie", "")).get(_cookie_name(scope), ""))


async def _answer(send: Any, status: int, sentence: str) -> None:
    body = sentence.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    headers += [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
