"""The studio's pages and what they ask for."""

from __future__ import annotations

import re
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from isthmus.exceptions import DataError
from isthmus.io.documents import without_lone_surrogates
from isthmus.report.assembly import read_asset
from isthmus.studio.exports import EXPORTS
from isthmus.studio.project import LABEL, NONE, SKIP, ProjectDocuments
from isthmus.studio.session import DoubtfulLabelError, ReplacedError, Session

LARGEST = 1 << 29
"""Bytes of two files together that the page takes; larger ones are named on the command line."""
KINDS = {"html": "text/html", "js": "text/javascript", "css": "text/css"}


class Loaded(NamedTuple):
    """Two files, read."""

    documents: ProjectDocuments
    meta: dict[str, Any]
    """The names of the files, how many documents they have, the classes, and what was found in them."""


HOW_TO_READ = ("text", "label", "target_text", "encoding", "target_encoding")
"""Fields of the page: columns with other names than usual, and encodings that nobody would guess."""
LONGEST_NAME = 60
"""Characters of a file's name that are kept: its end, which tells the format."""
Reader = Callable[[str, str, dict[str, str]], Loaded]


class _Pages:
    """One function to each address."""

    def __init__(self, session: Session, reader: Reader) -> None:
        self._session, self._reader = session, reader

    def asset(self, request: Request) -> Response:
        name = PurePath(request.url.path).name or "studio.html"
        content = _studio_asset(name) if name != "studio.css" else read_asset("page.css") + _studio_asset(name)
        return Response(content, media_type=KINDS[name.rpartition(".")[2]])

    def state(self, request: Request) -> Response:
        return JSONResponse(self._session.state())

    def next_document(self, request: Request) -> Response:
        return JSONResponse(self._session.next_document())

    def guess(self, request: Request) -> Response:
        return JSONResponse(self._session.guess(request.path_params["row"]))

    def fit(self, request: Request) -> Response:
        self._session.start_fit()
        return JSONResponse(self._session.state())

    def undo(self, request: Request) -> Response:
        return JSONResponse({"row": self._session.project.undo()})

    async def answer(self, request: Request) -> Response:
        body = await _json(request)
        row, action, label = body.get("row"), body.get("action"), body.get("label")
        if type(row) is not int or action not in (LABEL, SKIP, NONE) or not isinstance(label, str | None):
            raise DataError("An answer has row, action (label, skip or none) and label.")
        said = (
            row,
            str(action),
            label and without_lone_surrogates(label),
            body.get("of"),
            body.get("is_meant") is True,
        )
        await run_in_threadpool(self._session.answer, *said)
        return JSONResponse(await run_in_threadpool(self._session.state))

    async def files(self, request: Request) -> Response:
        if int(request.headers.get("content-length") or LARGEST + 1) > LARGEST:
            raise DataError(f"These files are larger than {LARGEST:,} bytes: name them when you start the studio.")
        async with request.form(max_files=2, max_fields=2 + len(HOW_TO_READ)) as form:
            with tempfile.TemporaryDirectory() as folder:
                paths = []
                for role in ("source", "target"):
                    upload = form.get(role)
                    if upload is None or isinstance(upload, str) or not upload.filename:
                        raise DataError("Choose two files: one with labels, and one without.")
                    paths.append(Path(folder, role, _safe_name(upload.filename)))
                    paths[-1].parent.mkdir()
                    paths[-1].write_bytes(await upload.read())
                told = {name: str(form[name]) for name in HOW_TO_READ if form.get(name)}
                await run_in_threadpool(self._load, str(paths[0]), str(paths[1]), told)
        return JSONResponse(await run_in_threadpool(self._session.state))

    def _load(self, source: str, target: str, told: dict[str, str]) -> None:
        self._session.begin(*self._reader(source, target, told))

    def export(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in EXPORTS:
            return JSONResponse({"error": f"There is nothing called {name!r}."}, 404)
        make, kind = EXPORTS[name]
        attached = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(make(self._session), media_type=kind, headers=attached)


def studio_app(session: Session, reader: Reader) -> Starlette:
    """All pages. `reader` reads two files as it is told to, or says in a `DataError` why it cannot."""
    pages = _Pages(session, reader)
    routes = [
        *(Route(path, pages.asset) for path in ("/", "/studio.js", "/studio.css")),
        Route("/api/state", pages.state),
        Route("/api/next", pages.next_document),
        Route("/api/guess/{row:int}", pages.guess),
        Route("/api/files", pages.files, methods=["POST"]),
        Route("/api/fit", pages.fit, methods=["POST"]),
        Route("/api/answer", pages.answer, methods=["POST"]),
        Route("/api/undo", pages.undo, methods=["POST"]),
        Route("/export/{name}", pages.export),
    ]
    return Starlette(
        routes=routes,
        exception_handlers={
            ReplacedError: _in_conflict,
            DoubtfulLabelError: _in_conflict,
            DataError: _refused,
            HTTPException: _as_json,
            sqlite3.Error: _not_stored,
        },
        lifespan=lambda _: _closing(session),
    )


@asynccontextmanager
async def _closing(session: Session) -> AsyncIterator[None]:
    """However the server is ended, but for kill -9, which the project file survives as well."""
    yield
    session.project.close()


def _refused(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 400)


def _in_conflict(request: Request, error: Exception) -> Response:
    """What the page said no longer holds, or is in doubt."""
    return JSONResponse({"error": str(error), "doubtful": isinstance(error, DoubtfulLabelError)}, 409)


def _as_json(request: Request, error: Exception) -> Response:
    """What a library refuses: too many files in a form, an address that there is not."""
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, error.status_code)


def _not_stored(request: Request, error: Exception) -> Response:
    """A full disk, most of the time. What is not stored must not look as if it were."""
    return JSONResponse({"error": f"This was not stored: {error}. Make room, and try again."}, 507)


async def _json(request: Request) -> dict[str, Any]:
    try:
        body = await request.json()
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise DataError("Send one JSON object.")
    return body


def _safe_name(name: str) -> str:
    """Of an uploaded file, as this machine can have it: without folders, and not too long."""
    plain = re.sub(r"[^\w .()+-]", "_", PurePath(name.replace("\\", "/")).name)
    return plain[-LONGEST_NAME:].lstrip(". ") or "file"


def _studio_asset(name: str) -> str:
    return (resources.files("isthmus.studio") / "assets" / name).read_text(encoding="utf-8")
