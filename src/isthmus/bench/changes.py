"""A table with some settings of its methods changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from isthmus.bench.plan import Plan
from isthmus.bench.tasks import Table
from isthmus.exceptions import DataError


def with_settings(table: Table, columns: Sequence[str], changes: Mapping[str, Any]) -> Table:
    """The same table, in which each of the columns whose method or protocol has such a setting has this value.

    Raises `DataError` for a setting that none of them has, and for a value that a method does not allow.

    >>> from isthmus.bench import load_table, with_settings
    >>> with_settings(load_table("tcl"), ["LR", "TCL"], {"n_topics": 30}).columns["TCL"]["n_topics"]
    30
    """
    own = {name: dict(settings) for name, settings in {**table.columns, **table.variants}.items()}
    for name, value in changes.items():
        having = [column for column in columns if name in _settings(table, column, own)]
        if not having:
            known = sorted({setting for column in columns for setting in _settings(table, column, own)})
            raise DataError(f"No column that is asked for has the setting {name!r}: choose from {', '.join(known)}.")
        for column in having:
            own[column][name] = value
    for column in columns:
        try:
            Plan.of(column, own[column], table.metric).estimator(0).check_parameters()
        except ValueError as error:
            raise DataError(str(error)) from None
    return replace(
        table,
        columns={name: own[name] for name in table.columns},
        variants={name: own[name] for name in table.variants},
    )


def _settings(table: Table, column: str, own: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    return Plan.of(column, own[column], table.metric).shown()
