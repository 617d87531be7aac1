"""Libraries that are optional: here, or a sentence that tells how to get them."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from isthmus.exceptions import DataError


def import_extra(module: str, what: str, extra: str, or_else: str = "") -> Any:
    """A module of an optional library, which `what` needs."""
    try:
        return import_module(module)
    except ImportError as error:
        library = module.partition(".")[0].replace("_", "-")
        raise DataError(f"{what} {library}: pip install 'isthmus[{extra}]'{or_else}.") from error


def require_extra(command: str, *modules: str) -> None:
    """Complain if a command's extra, which is named like it, is not installed."""
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise DataError(f"isthmus {command} needs {' and '.join(missing)}: pip install 'isthmus[{command}]'.")
