"""What to run: a column of a table, taken apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from isthmus.auto import Auto
from isthmus.bench.protocols import options_of
from isthmus.core.estimator import TransferClassifier
from isthmus.methods import METHODS

ESTIMATORS: Mapping[str, Callable[..., TransferClassifier]] = {"Auto": Auto, **METHODS}

BY_FOLDS = "roc_auc"
"""The metric of tables that are measured by cross-validation on the target."""


@dataclass(frozen=True)
class Plan:
    """A column's settings, taken apart: which method, how it is measured, and the settings of both."""

    method: str
    params: dict[str, Any]
    protocol: str
    options: dict[str, Any]
    text: str = ""
    """How texts are prepared, where it is not as for the other columns."""

    @classmethod
    def of(cls, column: str, settings: Mapping[str, Any], metric: str) -> Plan:
        rest = dict(settings)
        method, text = rest.pop("method", column), rest.pop("text", "")
        protocol = rest.pop("protocol", "folds" if metric == BY_FOLDS else "transfer")
        options = {name: rest.pop(name) for name in options_of(protocol) if name in rest}
        return cls(method, rest, protocol, options, text)

    @property
    def draws(self) -> bool:
        """Whether the protocol depends on the seed."""
        return self.protocol != "transfer" or bool(self.options)

    def estimator(self, seed: int) -> TransferClassifier:
        build = ESTIMATORS[self.method]
        return build(**self.params, **({"random_state": seed} if self.random else {}))

    @property
    def random(self) -> bool:
        return "random_state" in ESTIMATORS[self.method]().get_params()

    def shown(self) -> dict[str, Any]:
        """The settings that decide a result, in words where JSON has no value for them."""
        quiet = ("random_state", "verbose", "callback")
        params = {k: v for k, v in self.estimator(0).get_params(deep=False).items() if k not in quiet}
        plain = (str, bool, int, type(None))
        return {
            name: value if isinstance(value, plain) or (isinstance(value, float) and isfinite(value)) else str(value)
            for name, value in {**params, **self.options}.items()
        }
