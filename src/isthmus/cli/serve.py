"""isthmus serve."""

from __future__ import annotations

import ipaddress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isthmus.cli import options as o

if TYPE_CHECKING:
    from isthmus.serving import ServedModel


def serve(
    models: Annotated[
        list[str], typer.Argument(metavar="MODEL...", help="Models that isthmus fit wrote; NAME=FILE names one.")
    ],
    host: Annotated[str, typer.Option(help="Where to listen. Others than 127.0.0.1 need a token.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8765,
    token: Annotated[
        str | None,
        typer.Option(envvar="ISTHMUS_TOKEN", help="What requests must bring (Authorization: Bearer ...)."),
    ] = None,
    encoder: o.Encoder = None,
    most_documents: Annotated[int, typer.Option(min=1, help="The most documents of a request.")] = 5_000,
    most_bytes: Annotated[int, typer.Option(min=1, help="The most bytes of a request.")] = 16 << 20,
    most_waiting: Annotated[int, typer.Option(min=1, help="Documents that may wait; beyond it, 429.")] = 20_000,
    seconds: Annotated[float, typer.Option(min=0.01, help="The most that a request may take; beyond it, 503.")] = 10.0,
    log: Annotated[bool, typer.Option("--log", help="A line of JSON for each request, without its texts.")] = False,
) -> None:
    """Label documents over HTTP: POST /v1/label {"documents": ["a text", ...]}.

    Several models have names: /v1/models lists them, and
    /v1/models/NAME/label and /explain ask one. A model is loaded again when its
    file changes. /healthz, /readyz, /metrics (Prometheus) and /openapi.json are
    there as well.

    Exit codes: 0 ended (130 with Ctrl-C), 1 could not be done (one sentence says
    why), 2 wrong usage.
    """
    from isthmus.cli.console import output
    from isthmus.extras import require_extra

    require_extra("serve", "starlette", "uvicorn", "prometheus_client")
    from isthmus.serving import Limits, serving_app
    from isthmus.web import Guard, free_socket, own_names, run_server

    if token == "":
        raise typer.BadParameter("it is empty, and would be nobody's: give one, or leave it out.", param_hint="--token")
    local = _is_loopback(host)
    if not local and not token:
        raise typer.BadParameter(
            "an address that others can reach needs --token, or ISTHMUS_TOKEN.", param_hint="--host"
        )
    served = _load(models, encoder)
    limits = Limits(body=most_bytes, documents=most_documents, waiting=most_waiting, seconds=seconds)
    with free_socket(host, port) as listening:
        number = listening.getsockname()[1]
        guard = partial(
            Guard,
            hosts=own_names(host, number) if local else [],
            token=token,
            remedy="The token is missing or wrong: send the header Authorization: Bearer TOKEN.",
            open_paths=["/healthz", "/readyz"],
            as_json=True,
        )
        app = serving_app(served, limits, token is not None, log, guard)
        shown = f"[{host}]" if ":" in host else host
        listed = ", ".join(model.name for model in served)
        output().print(
            f"Serving {listed} at http://{shown}:{number}. Press Ctrl-C to end.", markup=False, soft_wrap=True
        )
        run_server(app, listening)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _load(given: list[str], encoder: str | None) -> list[ServedModel]:
    from isthmus.cli.models import load_result
    from isthmus.exceptions import DataError
    from isthmus.serving.served import ServedModel, model_name

    served: dict[str, ServedModel] = {}
    for one in given:
        name, sign, path = one.partition("=")
        name, path = (name, path) if sign and not Path(one).exists() else (model_name(one), one)
        if not name or "/" in name:
            raise DataError(f"A model is called {name!r}: give it a name without a slash, as in other={path}.")
        if name in served:
            raise DataError(f"Two models are called {name!r}: give one of them another name, as in other={path}.")
        served[name] = ServedModel(name, path, lambda path: load_result(path, encoder))
    return list(served.values())
