"""Requests that wait are answered together: one call for many documents takes little longer than for one."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

LARGEST = 2_000
"""Documents of one call, unless a single request has more."""


class QueueFullError(Exception):
    """Too much waits already."""


@dataclass
class _Waiting:
    texts: Sequence[str]
    answer: asyncio.Future[Any] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Batcher:
    """Joins what waits into batches, and labels them in a thread of its own, one batch after the other.

    While a batch is worked on, the next ones gather; where nothing waits, a request is answered at once.
    """

    def __init__(self, label: Callable[[Sequence[str]], Sequence[Any]], most_waiting: int) -> None:
        self._label, self._most = label, most_waiting
        self._waiting: deque[_Waiting] = deque()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="label")
        self._worker: asyncio.Task[None] | None = None
        self.n_waiting = 0
        """Documents."""

    async def submit(self, texts: Sequence[str]) -> Any:
        """What `label` returned for these texts, one for each; or at once a `QueueFullError`."""
        if self.n_waiting and self.n_waiting + len(texts) > self._most:
            raise QueueFullError
        one = _Waiting(texts)
        self._waiting.append(one)
        self.n_waiting += len(texts)
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work())
        try:
            return await one.answer
        except asyncio.CancelledError:  # whoever asked has gone
            if one in self._waiting:
                self._waiting.remove(one)
                self.n_waiting -= len(texts)
            raise

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch = self._take()
            texts = [text for one in batch for text in one.texts]
            try:
                found: Any = await loop.run_in_executor(self._thread, self._label, texts)
            except Exception as error:  # for whoever asked; the next batch may be well
                for one in batch:
                    if not one.answer.done():
                        one.answer.set_exception(error)
                continue
            start = 0
            for one in batch:
                if not one.answer.done():
                    one.answer.set_result(found[start : start + len(one.texts)])
                start += len(one.texts)

    def _take(self) -> list[_Waiting]:
        batch: list[_Waiting] = []
        size = 0
        while self._waiting and (not batch or size + len(self._waiting[0].texts) <= LARGEST):
            batch.append(self._waiting.popleft())
            size += len(batch[-1].texts)
        self.n_waiting -= size
        return batch

    def close(self) -> None:
        """Let the thread end."""
        self._thread.shutdown(wait=False)
