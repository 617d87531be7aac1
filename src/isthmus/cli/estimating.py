"""From options to an estimator, and from an estimator to a fit that can be watched and stopped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import EntryPoint
from pathlib import Path
from types import MappingProxyType
from typing import Any

import typer

from isthmus._api import read_method, seed
from isthmus.cli.settings import apply_settings
from isthmus.cli.stages import Advance, Stages
from isthmus.core.estimator import TransferClassifier
from isthmus.core.progress import Stage, Step, listening
from isthmus.exceptions import DataError, EmptyDocumentWarning, SmallClassWarning, TransferWarning, silenced
from isthmus.extras import import_extra
from isthmus.text import PRESETS, StaticEncoder, is_static_folder, read_encoder, static_encoder
from isthmus.text.static import HUB_NAME, STATIC

SEEDS = 2**32
"""So many there are."""


def read_estimator(
    method: str,
    random_state: int,
    prior: str | None,
    max_time: float | None,
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> TransferClassifier:
    """The estimator that the options describe."""
    if random_state >= SEEDS:
        raise typer.BadParameter(f"{random_state} is too large: give less than {SEEDS:,}.", param_hint="--random-state")
    try:
        estimator = seed(read_method(method), random_state)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--method") from None
    known = estimator.get_params()
    if prior is not None:
        if "target_prior" not in known:
            raise DataError(f"{type(estimator).__name__} cannot be told a prior: leave --target-prior out.")
        estimator.set_params(target_prior=_read_prior(prior))
    if max_time is not None and not {"max_time", "callback"} & known.keys():
        raise DataError(f"{type(estimator).__name__} cannot be stopped early: leave --max-time out.")
    apply_settings(estimator, settings)
    return estimator


def watch_steps(estimator: TransferClassifier, advance: Advance) -> None:
    """Show each step."""

    def on_step(step: Step) -> None:
        advance(step.iteration, step.max_iter)

    if "callback" in estimator.get_params():
        estimator.set_params(callback=on_step)


@contextmanager
def fitting(estimator: TransferClassifier, stages: Stages) -> Iterator[None]:
    """While an estimator is fitted, each step is shown; what it refuses is said in a sentence."""
    what, tried = f"fitting {type(estimator).__name__}", list[str]()

    def tell(stage: Stage) -> None:
        tried.append(stage.name)
        left = f", {len(stage.left)} more to come" if stage.left else ""
        advance(len(tried) - 1, len(tried) + len(stage.left), f"{what}: {stage.name}{left}")

    shown = (TransferWarning, SmallClassWarning, EmptyDocumentWarning)  # by the summary, and most by the findings
    with stages.stage(what) as advance, silenced(*shown), listening(tell):
        watch_steps(estimator, advance)
        try:
            yield
        except (ValueError, TypeError) as error:
            raise DataError(str(error)) from error


def without_callback(estimator: TransferClassifier) -> None:
    """It has done its work, and no file can hold it."""
    if "callback" in estimator.get_params():
        estimator.set_params(callback=None)


def check_preset(preset: str | None, encoder: str | None) -> None:
    """A preset is about words, and an encoder does without them."""
    if preset is not None and preset not in PRESETS:
        raise typer.BadParameter(f"{preset!r} is none of {', '.join(PRESETS)}.", param_hint="--preset")
    if preset is not None and encoder is not None:
        raise typer.BadParameter("--preset and --encoder are both given: leave one of them out.")


def load_encoder(name: str | None) -> Any:
    """A static or sentence-transformers model by its name or path, or what a package has: "package:attribute"."""
    if name is None:
        return None
    if (static := _static_model(name)) is not None:
        return static
    try:
        found = _from_package(name) if IN_PACKAGE.fullmatch(name) else _sentence_transformer(name)
    except DataError:
        raise
    except Exception as error:
        raise DataError(f"--encoder names {name!r}, which cannot be loaded: {_reason(error)}.") from None
    return NamedEncoder(name, found)


class NamedEncoder:
    """Somebody else's encoder, which may fail in any way: of that, one sentence is said."""

    def __init__(self, name: str, encoder: Any) -> None:
        self._name, self._encoder = name, encoder

    def encode(self, texts: list[str]) -> Any:
        try:
            return self._encoder.encode(texts)
        except Exception as error:
            raise DataError(f"--encoder names {self._name!r}: its encode failed: {_reason(error)}.") from error

    def __repr__(self) -> str:
        return repr(self._encoder)


def _reason(error: Exception) -> str:
    """The first line of what it says, without a full stop; its kind, where that line says nothing without it."""
    said = str(error).strip()
    said = said if said and not isinstance(error, KeyError) else f"{type(error).__name__} {said}"
    return said.splitlines()[0].rstrip(". ")


IN_PACKAGE = re.compile(r"[A-Za-z_][\w.]+:[A-Za-z_][\w.]*")
"""As entry points are written. One letter before the colon would be a drive of Windows."""


def _from_package(name: str) -> Any:
    """The object itself if it encodes; otherwise it is called, and makes one that does."""
    found = EntryPoint(name, name, "encoders").load()
    encoder = found if hasattr(found, "encode") and not isinstance(found, type) else found()
    return read_encoder(encoder)


def _static_model(name: str) -> StaticEncoder | None:
    """None if the name stands for something else."""
    try:
        asked = name == STATIC or is_static_folder(Path(name)) or HUB_NAME.fullmatch(name)
        return static_encoder(name) if asked else None
    except DataError as error:
        if name != STATIC:  # sentence-transformers may know it
            return None
        raise DataError(f"--encoder {name}: {error}") from None


def _sentence_transformer(name: str) -> Any:
    return import_extra("sentence_transformers", "--encoder needs", "embed").SentenceTransformer(name)


def _read_prior(given: str) -> str | dict[str, float]:
    if given in ("auto", "source", "unknown"):
        return given
    prior: dict[str, float] = {}
    for part in given.split(","):
        label, _, share = part.rpartition("=")
        try:
            prior[label.strip()] = float(share)
        except ValueError:
            prior = {}
            break
    whole = abs(sum(prior.values()) - 1) < 1e-6
    if "" in prior or not whole or min(prior.values()) < 0:
        raise typer.BadParameter(
            f'{given!r} is neither auto, source, unknown nor a prior that sums to one, such as "yes=0.3,no=0.7".',
            param_hint="--target-prior",
        )
    return prior
