"""Whether products are computed here, or on the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Any

from isthmus.exceptions import DataError

PATIENCE = 10
"""Seconds to wait for a scheduler."""

_CLIENT: ContextVar[Any] = ContextVar("isthmus_client", default=None)


@contextmanager
def on_cluster(client: Any) -> Iterator[None]:
    """Within it, factorizations pass over documents on the client's workers; with None, as ever.

    Results are the same to the last bit, whatever the number of workers, and if some of them die.
    """
    before = _CLIENT.set(client)
    try:
        yield
    finally:
        _CLIENT.reset(before)


def active_client() -> Any:
    """The `dask.distributed.Client` in use, or None."""
    return _CLIENT.get()


@contextmanager
def connected(address: str | None) -> Iterator[Any]:
    """A client of the cluster at an address; of one that is started here, for "local"; None for None."""
    if address is None:
        yield None
        return
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise DataError("A cluster needs Dask: pip install 'isthmus[cluster]'.") from error
    with ExitStack() as opened:
        try:
            where = address
            if address == "local":
                where = opened.enter_context(distributed.LocalCluster(threads_per_worker=1, dashboard_address=None))
            client = opened.enter_context(distributed.Client(where, timeout=PATIENCE))
        except (OSError, ValueError) as error:
            raise DataError(f"No cluster answers at {address!r} ({error}): give tcp://HOST:PORT, or local.") from error
        yield client
