"""Models to a tree of plain JSON values, with the arrays beside it.

None, booleans, integers, finite floats, strings and lists are themselves. Everything else is an object with a key
``"is"`` that says what it stands for; `TreeDecoder` has one method for each.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from isthmus.io.models.registry import attributes_of, names_of_classes

Json = Any
"""What `json` reads and writes."""

MAX_DEPTH = 40
"""Of the tree. Models are some ten levels deep."""

NUMBERS: dict[str, type[Any]] = {
    np.dtype(kind).name: kind
    for kind in (
        *(np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64),
        *(np.float16, np.float32, np.float64),
    )
}
"""Types of numbers that arrays may hold, by name."""

ENCODER: Json = {"is": "encoder"}
"""Stands for the sentence encoder, as an attribute of that name."""

LETTERS = {"U": np.uint32, "S": np.uint8}
"""Arrays of strings and of bytes are stored as numbers, with the letters along one more axis."""

SPARSE: dict[tuple[str, bool], type[Any]] = {
    ("csr", False): sp.csr_array,
    ("csc", False): sp.csc_array,
    ("csr", True): sp.csr_matrix,
    ("csc", True): sp.csc_matrix,
}
"""By format, and whether it is a matrix in scipy's older sense."""


class TreeEncoder:
    """Takes a model apart. Arrays end up in `tensors`; an array that is met twice is stored once."""

    def __init__(self) -> None:
        self.tensors: dict[str, np.ndarray[Any, Any]] = {}
        self.encoder: Any = None
        """The sentence encoder that the model reads texts with. A file cannot hold it."""
        self._names = names_of_classes()
        self._seen: dict[int, tuple[Any, Json]] = {}  # the array too, so that its address is not used again

    def encode(self, value: Any, where: str, depth: int = 0) -> Json:
        """The tree for a value; `where` is what to call it in an error."""
        if depth > MAX_DEPTH:
            raise ValueError(f"{where} is nested more than {MAX_DEPTH} levels deep: a model file cannot hold it.")
        kind, deeper = type(value), depth + 1
        if value is None or kind in (bool, int, str):
            return value
        if kind is float:
            return value if math.isfinite(value) else {"is": "float", "value": repr(value)}
        if kind is list:
            return self._list(value, where, deeper)
        if kind is tuple:
            return {"is": "tuple", "items": self._list(list(value), where, deeper)}
        if kind in (set, frozenset):
            # In an order that does not depend on the session.
            return {"is": kind.__name__, "items": self._list(sorted(value, key=_sortable), where, deeper)}
        if kind is dict:
            keys, values = list(value), list(value.values())
            nodes = {"keys": self._list(keys, where, deeper), "values": self._list(values, where, deeper, keys)}
            return {"is": "dict", **nodes}
        if kind is bytes:
            return {"is": "bytes", "hex": value.hex()}
        if kind in (np.ndarray, np.memmap):
            return self._array(value, where, deeper)
        if isinstance(value, np.generic):
            return {"is": "scalar", "of": self._array(np.array(value), where, deeper)}
        if sp.issparse(value):
            return self._sparse(value, where, deeper)
        if kind is np.random.RandomState:
            return self._random(value, where, deeper)
        if isinstance(value, type) and value in NUMBERS.values():
            return {"is": "type", "name": np.dtype(value).name}
        if isinstance(value, np.dtype) and value.name in NUMBERS:
            return {"is": "dtype", "name": value.name}
        if kind in self._names:
            return self._object(value, where, deeper)
        raise TypeError(
            f"{where} is of the class {kind.__module__}.{kind.__qualname__}, which a model file cannot hold: "
            "leave it out, or use one of the classes listed in isthmus.io.models.registry."
        )

    def _list(self, values: list[Any], where: str, depth: int, keys: list[Any] | None = None) -> Json:
        kinds = set(map(type, values))
        if kinds <= {str, int, bool, type(None)}:  # such as a vocabulary
            return values
        if len(kinds) == 1 and issubclass(next(iter(kinds)), np.generic):
            return {"is": "scalars", "of": self._array(np.array(values), where, depth)}
        places = range(len(values)) if keys is None else keys
        return [self.encode(value, f"{where}[{place!r}]", depth) for place, value in zip(places, values, strict=True)]

    def _array(self, array: np.ndarray[Any, Any], where: str, depth: int) -> Json:
        if id(array) not in self._seen:
            self._seen[id(array)] = (array, self._new_array(array, where, depth))
        return self._seen[id(array)][1]

    def _new_array(self, array: np.ndarray[Any, Any], where: str, depth: int) -> Json:
        if array.dtype == object:
            items = self._list(array.ravel().tolist(), where, depth)
            return {"is": "objects", "shape": list(array.shape), "items": items}
        if array.dtype.kind in LETTERS:
            return {**self._tensor(_letters(array)), "letters": array.dtype.kind}
        if array.dtype.name not in NUMBERS:
            raise TypeError(f"{where} is an array of {array.dtype}, which a model file cannot hold: use float64.")
        axes = memory_order(array)
        node = self._tensor(array.transpose(axes))
        return node if axes == sorted(axes) else {**node, "axes": axes}

    def _tensor(self, array: np.ndarray[Any, Any]) -> dict[str, Json]:
        name = f"a{len(self.tensors)}"
        self.tensors[name] = np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")
        return {"is": "array", "tensor": name}

    def _sparse(self, matrix: Any, where: str, depth: int) -> Json:
        old = isinstance(matrix, sp.spmatrix)
        if SPARSE.get((matrix.format, old)) is not type(matrix) or matrix.ndim != 2:
            raise TypeError(f"{where} is a {type(matrix).__name__}: a model file can hold CSR and CSC, with two axes.")
        n = int(matrix.indptr[-1])  # scipy allows for arrays that are longer
        parts = {"data": matrix.data, "indices": matrix.indices}
        nodes = {
            part: self._array(values if len(values) == n else values[:n], f"{where}.{part}", depth)
            for part, values in parts.items()
        }
        nodes["indptr"] = self._array(matrix.indptr, f"{where}.indptr", depth)
        return {"is": "sparse", "format": matrix.format, "matrix": old, "shape": list(map(int, matrix.shape)), **nodes}

    def _random(self, generator: np.random.RandomState, where: str, depth: int) -> Json:
        state: Any = generator.get_state(legacy=False)
        if state["bit_generator"] != "MT19937":
            raise TypeError(f"{where} is a RandomState of {state['bit_generator']}: use one of MT19937, or an integer.")
        return {
            "is": "random",
            "key": self._array(state["state"]["key"], where, depth),
            "position": int(state["state"]["pos"]),
            "has_gauss": int(state["has_gauss"]),
            "gauss": float(state["gauss"]),
        }

    def _object(self, value: Any, where: str, depth: int) -> Json:
        contents = {}
        for name, content in attributes_of(value).items():
            if name == "encoder" and hasattr(content, "encode") and not isinstance(content, str):
                contents[name] = self._placeholder(content, where)
            else:
                contents[name] = self.encode(content, f"{where}.{name}", depth)
        return {"is": "object", "class": self._names[type(value)], "attributes": contents}

    def _placeholder(self, encoder: Any, where: str) -> Json:
        if self.encoder is not None and self.encoder is not encoder:
            raise ValueError(f"{where} holds a second encoder: a model file can do without one only.")
        self.encoder = encoder
        return ENCODER


def memory_order(array: np.ndarray[Any, Any]) -> list[int]:
    """The axes as they lie in memory, the widest steps first. Products of arrays in another order differ in bits."""
    axes = list(range(array.ndim))
    if array.flags.c_contiguous:
        return axes
    steps = [abs(step) if n > 1 else np.inf for n, step in zip(array.shape, array.strides, strict=True)]
    return sorted(axes, key=lambda axis: -steps[axis])


def _letters(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    kind = array.dtype.kind
    size = np.dtype(LETTERS[kind]).itemsize
    width = max(1, array.dtype.itemsize // size)
    flat = np.array(array, dtype=f"<{kind}{width}", order="C")
    return np.frombuffer(flat.tobytes(), dtype=LETTERS[kind]).reshape(*array.shape, width)


def _sortable(value: Any) -> tuple[str, str]:
    return type(value).__name__, repr(value)
