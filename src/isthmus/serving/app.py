"""The server: label, explain, health, metrics."""

from __future__ import annotations

import asyncio
import json
import sys
import traceback
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from time import perf_counter, time
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from isthmus.exceptions import DataError
from isthmus.io.documents import without_lone_surrogates
from isthmus.serving.batching import Batcher, QueueFullError
from isthmus.serving.limits import Limits, RequestError, read_object, read_question, whole_number
from isthmus.serving.metrics import Metrics
from isthmus.serving.openapi import describe
from isthmus.serving.served import ServedModel

PROBES = ("/healthz", "/readyz", "/metrics")
"""Asked for every few seconds, and not logged as long as all is well."""
LOOK_EVERY = 1.0
"""Seconds between looks at the files of models."""
Handler = Callable[[Request], Awaitable[Response]]


class _Service:
    """Models, queues and counts behind the routes."""

    def __init__(self, models: Sequence[ServedModel], limits: Limits, needs_token: bool, logs: bool) -> None:
        self.models = {model.name: model for model in models}
        self.limits, self.metrics, self._logs = limits, Metrics(), logs
        self.batchers = {name: Batcher(model.label, limits.waiting) for name, model in self.models.items()}
        self.n_requests = 0
        self._described = describe(limits, needs_token)

    # ---- answers

    async def label(self, request: Request) -> Response:
        model = self._model(request)
        question = read_question(await read_object(request, self.limits), self.limits)
        found = await self.batchers[model.name].submit(question.texts)
        results = [{"id": name, **one} for name, one in zip(question.ids, found, strict=True)]
        for label, n in Counter(one["label"] for one in results).items():
            self.metrics.documents.labels(model.name, label).inc(n)
        request.state.documents = len(results)
        return JSONResponse({"model": model.name, "results": results})

    async def explain(self, request: Request) -> Response:
        model = self._model(request)
        found = await read_object(request, self.limits)
        text, n_words = found.get("text"), whole_number(found.get("words", 10))
        if not isinstance(text, str) or n_words is None or not 1 <= n_words <= 100:
            raise RequestError(422, "Give a text, and perhaps words, a number from 1 to 100.")
        try:
            label, words = await run_in_threadpool(model.explain, without_lone_surrogates(text), n_words)
        except DataError as error:  # there are no words to name
            raise RequestError(422, str(error)) from None
        return JSONResponse({"model": model.name, "label": label, "words": words})

    async def list_models(self, request: Request) -> Response:
        listed = [
            {"name": model.name, "classes": model.classes, "method": type(model.result.estimator).__name__,
             "loads": model.n_loaded, "problem": model.problem}
            for model in self.models.values()
        ]  # fmt: skip
        return JSONResponse({"models": listed})

    async def health(self, request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def ready(self, request: Request) -> Response:
        busy = self.n_requests >= self.limits.requests
        return JSONResponse({"status": "busy" if busy else "ready"}, 503 if busy else 200)

    async def show_metrics(self, request: Request) -> Response:
        drift = {name: await run_in_threadpool(model.drift) for name, model in self.models.items()}
        self.metrics.tell_drift(drift)
        for name, model in self.models.items():
            self.metrics.waiting.labels(name).set(self.batchers[name].n_waiting)
            self.metrics.tell_model(name, model.n_loaded, model.loaded_at, model.problem is not None)
        return Response(self.metrics.text(), media_type="text/plain; version=0.0.4")

    async def openapi(self, request: Request) -> Response:
        return JSONResponse(self._described)

    def _model(self, request: Request) -> ServedModel:
        name = request.path_params.get("name", next(iter(self.models)))
        if name not in self.models:
            raise RequestError(404, "There is no such model: /v1/models lists them.")
        return self.models[name]

    # ---- around every answer

    async def answered(self, handler: Handler, request: Request) -> Response:
        """Refuses at once what there is no room for, and ends what takes too long."""
        if self.n_requests >= self.limits.requests:
            return _refused(429, "Too many requests wait: try again.")
        self.n_requests += 1
        try:
            async with asyncio.timeout(self.limits.seconds):
                return await handler(request)
        except TimeoutError:
            if not getattr(request.state, "has_arrived", False):
                return _refused(408, f"The request did not arrive within {self.limits.seconds:g} seconds.")
            return _refused(503, f"This took longer than {self.limits.seconds:g} seconds: send fewer documents.")
        except QueueFullError:
            return _refused(429, "Too many documents wait: try again.")
        except RequestError as error:
            return _refused(error.status, str(error))
        except Exception as error:  # whatever a model may raise: whoever runs the server sees it, and no client
            with suppress(OSError):
                traceback.print_exception(error, file=sys.stderr)
            return _refused(500, "The model failed on this request.")
        finally:
            self.n_requests -= 1

    def told_of(self, scope: Any, status: int, seconds: float) -> None:
        """Count an answer and, if that is asked for, log it: a line of JSON, with nothing of any document."""
        route = scope.get("route")
        path = "other" if route is None else route.path
        self.metrics.requests.labels(path, status).inc()
        if scope["method"] == "POST" and route is not None:
            self.metrics.seconds.observe(seconds)
        if self._logs and not (path in PROBES and status < 400):
            n = scope.get("state", {}).get("documents", 0)
            line = {"time": round(time(), 3), "method": scope["method"], "path": path, "status": status,
                    "ms": round(1000 * seconds, 1), "documents": n}  # fmt: skip
            _complain(json.dumps(line))

    @asynccontextmanager
    async def running(self, app: Starlette) -> AsyncIterator[None]:
        """Look for newer files of models as long as the server runs."""
        looking = asyncio.create_task(self._look())
        yield
        looking.cancel()
        for batcher in self.batchers.values():
            batcher.close()

    async def _look(self) -> None:
        said: dict[str, str | None] = dict.fromkeys(self.models)
        while True:
            await asyncio.sleep(LOOK_EVERY)
            for name, model in self.models.items():
                try:
                    await run_in_threadpool(model.reload)
                except Exception as error:  # no thread, no file: there is a next time
                    model.problem = str(error) or type(error).__name__
                if model.problem != said[name]:
                    _complain(f"{name}: {model.problem or 'loaded, and all is well again.'}")
                    said[name] = model.problem


def serving_app(
    models: Sequence[ServedModel],
    limits: Limits | None = None,
    needs_token: bool = False,
    logs: bool = False,
    guard: Callable[[Any], Any] | None = None,
) -> Any:
    """A server of these models. Who may speak to it is for a `guard` to say, such as `isthmus.web.Guard`."""
    service = _Service(models, limits or Limits(), needs_token, logs)
    posts = {
        "/v1/label": service.label,
        "/v1/models/{name}/label": service.label,
        "/v1/models/{name}/explain": service.explain,
    }
    gets = {
        "/v1/models": service.list_models,
        "/healthz": service.health,
        "/readyz": service.ready,
        "/metrics": service.show_metrics,
        "/openapi.json": service.openapi,
    }
    routes = [Route(path, partial(service.answered, handler), methods=["POST"]) for path, handler in posts.items()]
    routes += [Route(path, handler) for path, handler in gets.items()]
    app = Starlette(routes=routes, lifespan=service.running, exception_handlers={HTTPException: _as_json})
    return _Told(app if guard is None else guard(app), service)


class _Told:
    """All answers are counted and logged, refusals among them."""

    def __init__(self, app: Any, service: _Service) -> None:
        self._app, self._service = app, service

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = perf_counter(), 500

        async def noting(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            self._service.told_of(scope, status, perf_counter() - began)


async def _as_json(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": f"{error.detail}."}, error.status_code, error.headers)


def _complain(sentence: str) -> None:
    with suppress(OSError):
        sys.stderr.write(sentence + "\n")


def _refused(status: int, sentence: str) -> Response:
    return JSONResponse({"error": sentence}, status, {"retry-after": "1"} if status in (429, 503) else None)
