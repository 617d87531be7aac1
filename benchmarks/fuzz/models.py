"""Model files that were damaged, and files that somebody forged who knows the format."""

from __future__ import annotations

import hashlib
import io
import json
import random
import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.naive_bayes import GaussianNB

import isthmus
from fuzz.isolation import Case, FindingError
from isthmus.checks.corpus import two_domains
from isthmus.drift import profile_target
from isthmus.exceptions import ModelFileError
from isthmus.io.models import _read
from isthmus.io.models.container import NO_DIGEST, pack, unpack
from isthmus.io.models.encoding import TreeEncoder
from isthmus.io.models.registry import CLASSES
from isthmus.methods import METHODS

TEXTS = ["my card was charged twice", "refund the charge please", "the upload crashes", "photos crash the app"]
LABELS = ["billing", "billing", "fault", "fault"]
NEW = ["charged twice for one ride, refund please", "the app crashes at the dock"]


def corpus() -> list[bytes]:
    """A file of every method, of some with other settings, and of results that read texts."""
    toy = two_domains(n_documents=12, n_classes=3)
    models: list[Any] = [getattr(isthmus, name)() for name in [*METHODS, "Auto"]]
    models += [isthmus.SC(n_neighbors="all"), isthmus.CDSC(classifier=GaussianNB()), isthmus.TransductiveLR("lsa")]
    models += [isthmus.MSDA(n_layers=2), isthmus.CDSC(beta=15.0)]
    for model in models:  # a file of few iterations has the same fields
        model.set_params(**{"max_iter": 5} if "max_iter" in model.get_params() else {})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted: list[Any] = [toy.fit(model) for model in models]
        for method, preset in (("TCL", None), ("LR", "cdsc"), ("Auto", None)):
            times = 4 if preset else 1
            result = isthmus.transfer(TEXTS * times, LABELS * times, NEW * times, method=method, preset=preset)
            fitted.append(replace(result, profile=profile_target(result)))
    return [saved(model) for model in fitted]


def saved(model: Any) -> bytes:
    """As `isthmus.save` would write it."""
    encoder = TreeEncoder()
    if isinstance(model, isthmus.Result):
        model = isthmus.Result(
            **{**vars(model), "source_texts": (), "source_labels": (), "target_texts": (), "X": None}
        )
    tree = encoder.encode(model, "model")
    return pack(tree, encoder.tensors, {"model": "", "method": "", "settings": {}, "encoder": False})


def damaging(files: list[bytes]) -> Case:
    """Bytes are changed, cut, put in, doubled or taken from another file; half of the time the checksum is right."""

    def case(seed: int) -> tuple[str, int]:
        rng = random.Random(seed)
        content = bytearray(rng.choice(files))
        for _ in range(rng.choice([1, 1, 2, 5])):
            _damage(content, rng, rng.choice(files))
        return judge(resealed(bytes(content)) if rng.random() < 0.5 else bytes(content))

    return case


def _damage(content: bytearray, rng: random.Random, other: bytes) -> None:
    header = 8 + int.from_bytes(content[:8], "little")
    end = len(content) if rng.random() < 0.6 else min(header, len(content))
    place = rng.randrange(max(end, 1))
    length = rng.choice([1, 1, 4, 8, 64])
    kind = rng.randrange(7)
    if kind == 0 and content:
        content[place % len(content)] ^= 1 << rng.randrange(8)
    elif kind == 1:
        content[place : place + length] = rng.randbytes(length)
    elif kind == 2:
        del content[place : None if rng.random() < 0.3 else place + length]
    elif kind == 3:
        content[place:place] = content[place : place + length] * rng.choice([1, 2, 50])
    elif kind == 4:
        content[place : place + length] = other[place : place + length]
    elif kind == 5:
        content[place : place + 8] = np.array([rng.choice(NUMBERS)]).tobytes()
    elif digits := list(re.finditer(rb"\d+", bytes(content[: min(header, len(content))]))):
        found = rng.choice(digits)
        content[found.start() : found.end()] = rng.choice([b"0", b"1", b"-1", b"99999999999", b"2147483648", b"NaN"])


NUMBERS = [np.nan, np.inf, -np.inf, -1.0, 0.0, 1e308, -1e308, 5e-324, 1e18]


def resealed(content: bytes) -> bytes:
    """With the checksum that belongs to it, if there is a place for one."""
    length = int.from_bytes(content[:8], "little")
    header = content[8 : 8 + length]
    claimed = re.search(rb'sha256\\": \\"([0-9a-f]{64})', header)
    if claimed is None:
        return content
    blank = content[:8] + header.replace(claimed[1], NO_DIGEST.encode()) + content[8 + length :]
    return blank.replace(NO_DIGEST.encode(), hashlib.sha256(blank).hexdigest().encode(), 1)


def forging(files: list[bytes]) -> Case:
    """One to three values in a file's tree or arrays are others; each place in each file has its turn."""
    opened = [unpack(io.BytesIO(content), len(content)) for content in files]
    places = [
        (number, place) for number, (tree, _, _) in enumerate(opened) for place in range(len(list(_places(tree))))
    ]
    random.Random(0).shuffle(places)

    def case(seed: int) -> tuple[str, int]:
        rng = random.Random(seed)
        number, first = places[seed % len(places)]
        tree, tensors, about = opened[number]
        tree, tensors = _copy(tree), dict(tensors)
        _forge(tree, tensors, first, rng)
        for _ in range(rng.choice([0, 0, 1, 2])):
            _forge(tree, tensors, rng.randrange(len(list(_places(tree))) or 1), rng)
        return judge(pack(tree, tensors, {key: about[key] for key in ("model", "method", "settings", "encoder")}))

    return case


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a tree: what holds it, and its key or position there."""
    inside = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in inside:
        yield node, key
        yield from _places(child)


def _forge(tree: Any, tensors: dict[str, Any], place: int, rng: random.Random) -> None:
    places = list(_places(tree))
    holder, key = places[place % len(places)] if places else ({}, "")
    node = holder.get(key) if isinstance(holder, dict) else holder[key]
    array = node.get("tensor") if isinstance(node, dict) and node.get("is") == "array" else None
    if isinstance(array, str) and array in tensors and rng.random() < 0.8:
        tensors[array] = _other_array(tensors[array], rng)
    elif key == "class" and rng.random() < 0.7:
        holder[key] = rng.choice([*CLASSES])
    elif key == "shape" and isinstance(node, list) and node and rng.random() < 0.7:
        node[rng.randrange(len(node))] = rng.choice([0, 1, 10**5, 4 * 10**6, 5 * 10**8, 2**31 - 1, 2**40])
    elif isinstance(node, list) and node and rng.random() < 0.5:
        many = node * rng.choice([0, 2, 300 if len(places) < MANY else 1])
        holder[key] = _copy(rng.choice([many, node[::-1], node[1:], [node]]))
    elif isinstance(holder, dict) and rng.random() < 0.1:
        del holder[key]
    else:
        other, name = rng.choice(places)
        holder[key] = _copy(rng.choice([*SCALARS, [], {}, SAME_HASH, other[name]]))


def _copy(node: Any) -> Any:
    return json.loads(json.dumps(node))


MANY = 5_000
"""Places in a tree, beyond which none is repeated many times."""
SAME_HASH = [(2**61 - 1) * number for number in range(4_000)]
SCALARS = [
    *(None, True, False, 0, 1, -1, 2, 7, 10**6, 2**31, 2**63, 10**12, -(2**31), 0.0, -1.0, 0.5, 1e308, 5e-324),
    *({"is": "float", "value": value} for value in ("nan", "inf", "-inf")),
    *("", "x", "all", "english", "filename", "\x00", "precomputed", "rbf", "a" * 10_000),
]


@np.errstate(all="ignore")
def _other_array(values: Any, rng: random.Random) -> Any:
    values = values.copy()
    kind = rng.randrange(9)
    if kind <= 2 and values.size and values.dtype.kind == "f":
        values.flat[rng.randrange(values.size)] = rng.choice(NUMBERS)
    elif kind <= 2 and values.size and values.dtype.kind in "iu":
        limits = np.iinfo(values.dtype)
        values.flat[rng.randrange(values.size)] = rng.choice([0, 1, limits.min, limits.max, len(values)])
    elif kind == 3:
        values = values[..., : rng.choice([0, 1])] if values.ndim else values
    elif kind == 4:
        values = values[: rng.choice([0, 1])] if values.ndim else values
    elif kind == 5:
        values = values.reshape(-1) if values.ndim > 1 else values[None]
    elif kind == 6:
        values = values.astype(rng.choice([np.float16, np.float32, np.float64, np.int32, np.int64, np.bool_]))
    elif kind == 7:
        values = (
            values * 0 - rng.choice([0, 1]) if values.dtype.kind == "f" else values[::-1] if values.ndim else values
        )
    elif values.dtype.kind == "f":
        values = values * rng.choice([1e100, 1e300, -1])
    return np.array(values)


def judge(content: bytes) -> tuple[str, int]:
    """A model or a ModelFileError; and a model predicts probabilities, or says in a ValueError why it does not."""
    warnings.simplefilter("ignore")
    try:
        model, _ = _read(io.BytesIO(content), len(content), None)
    except ModelFileError:
        return "refused", len(content)
    estimator = model.estimator if isinstance(model, isthmus.Result) else model
    rng, width = np.random.default_rng(0), estimator.n_features_in_
    X = sp.random_array((5, width), density=min(1, 20 / width), rng=rng, format="csr")
    try:
        for rows in (X, X * 1e10):
            probabilities = estimator.predict_proba(rows)
            if not np.isfinite(probabilities).all():
                raise FindingError("predict_proba returned NaN")
            estimator.predict(rows)
    except ValueError:
        return "loaded, and does not predict", len(content)
    except (TypeError, IndexError, KeyError, AttributeError, ArithmeticError) as error:
        raise FindingError(f"a model loads, and fails with {type(error).__name__}: {error}"[:300]) from error
    return "loaded", len(content)
