"""Whether products are computed here, or on the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from importlib import import_module
from threading import Event, Thread
from time import monotonic
from typing import Any

from isthmus.exceptions import DataError
from isthmus.extras import import_extra

PATIENCE = 10
"""Seconds to wait for a scheduler."""
PATIENCE_FOR_WORKERS = 60
"""Seconds to wait for a worker, where there is none."""
DEATHS = 5
"""Times that Dask may give up a task, as workers died under it, before it is taken for the cause."""
LOOK = 2
"""Seconds from one look at the workers to the next."""

_CLIENT: ContextVar[Any] = ContextVar("isthmus_client", default=None)


@contextmanager
def on_cluster(client: Any) -> Iterator[None]:
    """Within it, factorizations pass over documents on the client's workers; with None, as ever.

    Results are the same to the last bit, whatever the number of workers, and if some of them die.
    """
    if client is not None and not hasattr(client, "scheduler_info"):
        raise TypeError(f"client is {client!r:.100}: give a dask.distributed.Client, or leave it out.")
    before = _CLIENT.set(client)
    try:
        yield
    finally:
        _CLIENT.reset(before)


def active_client() -> Any:
    """The `dask.distributed.Client` in use, or None."""
    return _CLIENT.get()


def send(client: Any, function: Any, *operands: Any) -> Any:
    """Let a worker compute it anew, whatever it has computed before; what is returned stands for the result."""
    return client.submit(function, *operands, pure=False)


def on_workers(client: Any, value: Any) -> Any:
    """What is the same for several tasks: it is sent once."""
    return send(client, _itself, value)


def _itself(value: Any) -> Any:
    return value


def answer(client: Any, future: Any, work: str = "one part of the documents") -> Any:
    """What a task returns, however many workers die before; an error that says so, if there are none, or too many."""
    distributed: Any = import_module("distributed")
    deaths, last_seen = 0, monotonic()
    while True:
        try:
            if _is_done(future):
                return future.result()
        except distributed.KilledWorker as error:
            deaths += 1
            if deaths > DEATHS:
                raise DataError(f"Workers of the cluster die over {work}: give each of them more memory.") from error
            client.retry([future])
            continue
        except distributed.client.FutureCancelledError as error:
            raise DataError(f"The cluster's scheduler is gone ({error}): start it, and this, again.") from error
        if client.scheduler_info(n_workers=1)["workers"]:
            last_seen = monotonic()
        elif monotonic() - last_seen > PATIENCE_FOR_WORKERS:
            where = client.scheduler.address
            raise DataError(
                f"The cluster at {where} has had no worker for {PATIENCE_FOR_WORKERS} seconds: start some "
                f"(dask worker {where}), and this again."
            )


def _is_done(future: Any) -> bool:
    """After a while. The task itself may fail for want of time, too, which its result says."""
    try:
        import_module("distributed").wait(future, timeout=LOOK)
    except TimeoutError:
        return False
    return True


@contextmanager
def connected(address: str | None) -> Iterator[Any]:
    """A client of the cluster at an address; of one that is started here, for "local"; None for None."""
    if address is None:
        yield None
        return
    distributed = import_extra("distributed", "A cluster needs", "cluster")
    with ExitStack() as opened:
        try:
            where = opened.enter_context(local_cluster()) if address == "local" else address
            client = opened.enter_context(distributed.Client(where, timeout=PATIENCE))
        except (OSError, ValueError) as error:
            raise DataError(f"No cluster answers at {address!r} ({error}): give tcp://HOST:PORT, or local.") from error
        yield client


@contextmanager
def local_cluster(n_workers: int | None = None, **settings: Any) -> Iterator[Any]:
    """Workers on this machine, by default one to a core; one that dies is replaced, at whatever moment it does."""
    distributed: Any = import_module("distributed")
    own = {"n_workers": n_workers, "threads_per_worker": 1, "dashboard_address": None}
    settings = {**own, "silence_logs": "CRITICAL", **settings}  # a task that fails is told of in a sentence
    with distributed.LocalCluster(**settings) as cluster:
        done, gone = Event(), set[Any]()

        async def replace_the_dead() -> None:
            # Dask starts a worker again that dies at work, and gives up one that dies while it starts.
            before = gone.copy()
            gone.clear()
            for name, worker in [*cluster.workers.items()]:
                if not worker.is_alive():
                    gone.add(worker)
                    if worker in before:  # it had time to come back
                        del cluster.workers[name]
                        await worker.close()
            cluster.scale(len(cluster.worker_spec))  # those that are missing start

        def look_after() -> None:
            while not done.wait(LOOK):
                cluster.loop.add_callback(replace_the_dead)

        watch = Thread(target=look_after, daemon=True)
        watch.start()
        try:
            yield cluster
        finally:
            done.set()
            watch.join()
