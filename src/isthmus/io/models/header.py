"""What a model file says of itself, read without loading the model."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isthmus.exceptions import ModelFileError
from isthmus.io.models.container import ITEM_SIZES, KEY, MAX_HEADER
from isthmus.text import reading_of

MOST_CLASSES, LONGEST_NAME = 20, 60
"""Of which the header has names, and their characters."""


@dataclass(frozen=True)
class ModelHeader:
    """The beginning of a model file. Nobody vouches for it: the checksum is not computed."""

    path: str
    size: int
    """Bytes of the file."""
    about: dict[str, Any]
    """Schema, model, method, settings, what was learned, whether an encoder is needed, versions of libraries."""
    arrays: list[dict[str, Any]]
    """Name, type, shape and bytes of each array, the largest first."""


def what_was_learned(model: Any, estimator: Any) -> dict[str, Any]:
    """For people who look into the file: classes, documents, members, the estimate. Nothing reads it."""
    names = [str(label)[:LONGEST_NAME] for label in estimator.classes_[:MOST_CLASSES].tolist()]
    found: dict[str, Any] = {"classes": names, "n_classes": len(estimator.classes_)}
    if hasattr(model, "vectorizer"):  # a result
        found["target_texts"] = model.n_texts or len(model.labels)
        found["known_labels"] = int(model.given.sum())
        found["texts_read_as"] = reading_of(model.vectorizer)
    if (estimate := getattr(estimator, "estimated_accuracy_", None)) is not None:
        found["estimated_accuracy"] = [round(share, 4) for share in (estimate.value, estimate.low, estimate.high)]
        found["members"] = list(estimator.chosen_)
    return found


def read_header(path: str) -> ModelHeader:
    """Read the first bytes of a model file, whose length they say."""
    try:
        size = Path(path).stat().st_size
        with Path(path).open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            entries = _loaded(file.read(min(length, size, MAX_HEADER)))
        about = dict(_loaded(entries.pop("__metadata__")[KEY]))
        about |= {key: dict(about.get(key) or {}) for key in ("settings", "learned", "versions")}
        arrays = [
            {"name": name, "type": one["dtype"], "shape": one["shape"],
             "bytes": math.prod(map(_natural, one["shape"])) * ITEM_SIZES[one["dtype"]]}
            for name, one in entries.items()
        ]  # fmt: skip
        arrays.sort(key=lambda one: -one["bytes"])
        for one in arrays:
            if one["bytes"] > size:
                raise ValueError(f"{one['name']} cannot be in it")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelFileError(f"{path} is no model file: isthmus.save did not write it.") from error
    return ModelHeader(path, size, about, arrays)


def _loaded(text: str | bytes) -> Any:
    """JSON as the standard has it, which knows no NaN."""
    return json.loads(text, parse_constant=_natural)


def _natural(value: Any) -> int:
    """A string times a number would be a long string."""
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is no number of anything")
    return value
