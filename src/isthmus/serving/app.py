"""The server: label, explain, health, metrics."""

from __future__ import annotations

import asyncio
import json
import sys
import traceback
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from time import perf_counter, time

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
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
            self.metrics.loads.labels(name).set(model.n_loaded)
        return Response(self.metrics.text(), media_type="text/plain; version=0.0.4")

    async def openapi(self, request: Request) -> Response:
        return JSONResponse(self._described)

    def _model(self, request: Request) -> ServedModel:
        name = request.path_params.get("name", next(iter(self.models)))
        if name not in self.models:
            raise RequestError(404, "There is no such model: /v1/models lists them.")
        return self.models[name]

    # ---- around every answer

    def within_limits(self, handler: Handler) -> Handler:
        """Refuses at once what there is no room for, ends what takes too long, and counts and logs all."""

        async def answer(request: Request) -> Response:
            began = perf_counter()
            response = await self._answered(handler, request)
            seconds = perf_counter() - began
            path = request.scope["route"].path
            self.metrics.requests.labels(path, response.status_code).inc()
            self.metrics.seconds.observe(seconds)
            if self._logs:
                self._log(request, path, response.status_code, seconds)
            return response

        return answer

    async def _answered(self, handler: Handler, request: Request) -> Response:
        if self.n_requests >= self.limits.requests:
            return _refused(429, "Too many requests wait: try again.")
        self.n_requests += 1
        try:
            async with asyncio.timeout(self.limits.seconds):
                return await handler(request)
        except TimeoutError:
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

    def _log(self, request: Request, path: str, status: int, seconds: float) -> None:
        """One line of JSON, with nothing of any document."""
        line = {"time": round(time(), 3), "method": request.method, "path": path, "status": status,
                "ms": round(1000 * seconds, 1), "documents": getattr(request.state, "documents", 0)}  # fmt: skip
        with suppress(OSError):
            sys.stderr.write(json.dumps(line) + "\n")

    @asynccontextmanager
    async def running(self, app: Starlette) -> AsyncIterator[None]:
        """Look for newer files of models as long as the server runs."""
        looking = asyncio.create_task(self._look())
        yield
        looking.cancel()
        for batcher in self.batchers.values():
            batcher.close()

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            for model in self.models.values():
                await run_in_threadpool(model.reload)


def serving_app(
    models: Sequence[ServedModel], limits: Limits | None = None, needs_token: bool = False, logs: bool = False
) -> Starlette:
    """A server of these models. Who may speak to it is for `isthmus.web.Guard` to say."""
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
    routes = [Route(path, service.within_limits(handler), methods=["POST"]) for path, handler in posts.items()]
    routes += [Route(path, handler) for path, handler in gets.items()]
    return Starlette(routes=routes, lifespan=service.running)


def _refused(status: int, sentence: str) -> Response:
    return JSONResponse({"error": sentence}, status, {"retry-after": "1"} if status in (429, 503) else None)
