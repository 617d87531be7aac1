"""Trees of plain JSON values and arrays back to models. What does not fit together is refused.

Everything here may come from somebody who means harm. Sizes are those of arrays that are already in memory. A tree says
how to read them, each array in one way, so that it is copied once; what a tree makes out of them besides is counted,
and is no more than a few times what they take.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from isthmus.exceptions import ModelFileError
from isthmus.io.models import schema1
from isthmus.io.models.checks import check, require
from isthmus.io.models.container import SCHEMA
from isthmus.io.models.encoding import ENCODER, LETTERS, MAX_DEPTH, NUMBERS, SPARSE, Json
from isthmus.io.models.registry import CLASSES, class_named, put_together

MAX_ODD_KEYS = 5_000
"""Keys that are not strings, in all dictionaries and sets together. Of numbers one can choose so many with the same
hash that a dictionary takes hours to make; the hashes of strings differ from session to session."""

MAX_SIDE = 2**31 - 1
"""Of an array."""
MAX_EMPTY = 2**22
"""Rows or columns of a sparse matrix beyond as many as all arrays have bytes: columns without entries take no room in a
file, and a few bytes each in memory."""

LAST_LETTER = 0x10FFFF
KEY_LENGTH = 624
"""Of the state of a RandomState."""

MAX_GROWTH, SMALL = 8, 2**23
"""What may be made out of arrays, besides one copy of each: so many times their bytes, and so many bytes more."""
NUMBER, STRING, RANDOM = 50, 120, 5_000
"""Bytes in memory of a numpy scalar in a list, of one with letters besides these, and of a RandomState."""


class TreeDecoder:
    """Puts a model together. `sizes` holds the lengths of all arrays along all their axes."""

    def __init__(self, tensors: dict[str, np.ndarray[Any, Any]], encoder: Any = None, schema: int = SCHEMA) -> None:
        self.sizes: set[int] = set()
        self.unused, self._encoder = tensors, encoder  # each is let go of when it has been copied
        self._schema = schema
        self._made: dict[str, tuple[Json, np.ndarray[Any, Any]]] = {}
        n_bytes = sum(tensor.nbytes for tensor in tensors.values())
        self._left = MAX_GROWTH * n_bytes + SMALL
        self._widest = MAX_EMPTY + n_bytes
        self._odd_keys = 0
        self._readers: dict[str, Callable[[dict[str, Json], int], Any]] = {
            "float": self._float,
            "tuple": lambda node, depth: tuple(self._items(node["items"], depth)),
            "set": lambda node, depth: set(self._keys(node["items"], depth)),
            "frozenset": lambda node, depth: frozenset(self._keys(node["items"], depth)),
            "dict": self._dict,
            "bytes": lambda node, depth: bytes.fromhex(node["hex"]),
            "array": self._array,
            "objects": self._objects,
            "scalar": self._scalar,
            "scalars": lambda node, depth: list(self._dense(node["of"], depth, 1, scalars=True)),
            "sparse": self._sparse,
            "random": self._random,
            "type": lambda node, depth: NUMBERS[node["name"]],
            "dtype": lambda node, depth: np.dtype(NUMBERS[node["name"]]),
            "object": self._object,
        }

    def decode(self, node: Json, depth: int = 0) -> Any:
        """The value that a node stands for."""
        if depth > MAX_DEPTH:
            raise ModelFileError(f"it is nested more than {MAX_DEPTH} levels deep")
        if isinstance(node, list):
            return self._items(node, depth + 1)
        if not isinstance(node, dict):
            return node
        kind = node.get("is")
        if not isinstance(kind, str) or kind not in self._readers:
            raise ModelFileError(f"it holds something of the unknown kind {kind!r:.60}")
        return self._readers[kind](node, depth + 1)

    def _items(self, nodes: Json, depth: int) -> list[Any]:
        if isinstance(nodes, dict):  # many numpy scalars in one array
            nodes = self.decode(nodes, depth)
        require(isinstance(nodes, list), "a list in it is malformed")
        if set(map(type, nodes)) <= {str, int, bool, type(None)}:
            return list(nodes)
        return [self.decode(node, depth) if isinstance(node, list | dict) else node for node in nodes]

    def _keys(self, nodes: Json, depth: int) -> list[Any]:
        keys = self._items(nodes, depth)
        self._odd_keys += sum(not isinstance(key, str) for key in keys)
        require(self._odd_keys <= MAX_ODD_KEYS, f"more than {MAX_ODD_KEYS} keys of its dictionaries are no strings")
        return keys

    def _dict(self, node: dict[str, Json], depth: int) -> dict[Any, Any]:
        keys, values = self._keys(node["keys"], depth), self._items(node["values"], depth)
        found = dict(zip(keys, values, strict=True))
        require(len(found) == len(keys), "a dictionary in it has a key twice")
        return found

    def _float(self, node: dict[str, Json], depth: int) -> float:
        require(node["value"] in ("nan", "inf", "-inf"), "a number in it is malformed")
        return float(node["value"])

    def _array(self, node: dict[str, Json], depth: int) -> np.ndarray[Any, Any]:
        name, axes, letters = node["tensor"], node.get("axes"), node.get("letters")
        known = isinstance(name, str) and (name in self.unused or name in self._made)
        require(known, f"it has no array {name!r:.60}")
        if name not in self._made:  # an array that was in two places is again
            self._made[name] = [axes, letters], self._new_array(self.unused.pop(name), axes, letters)
            self.sizes.update(self._made[name][1].shape)
        way, array = self._made[name]
        require(way == [axes, letters], f"it reads its array {name!r:.60} in two ways")
        return array

    def _new_array(self, tensor: np.ndarray[Any, Any], axes: Json, letters: Json) -> np.ndarray[Any, Any]:
        require(tensor.dtype.name in NUMBERS, f"it holds an array of {tensor.dtype}")
        if tensor.dtype == np.bool_ and tensor.size:
            require(tensor.view(np.uint8).max() <= 1, "an array of booleans in it holds something else")
        if letters is not None:
            return _strings(tensor, letters)
        array = np.array(tensor, order="C")  # writeable, and where numpy would have put it
        if axes is None:
            return array
        require(all(type(axis) is int for axis in axes), "the axes of an array in it are no numbers")
        require(sorted(axes) == list(range(array.ndim)), "the axes of an array in it do not fit")
        return array.transpose(np.argsort(axes))

    def _spend(self, n_bytes: int) -> None:
        """Before they are: a small tree can ask for the same array any number of times."""
        self._left -= n_bytes
        require(self._left >= 0, "it would take many times as much memory as its arrays do")

    def _dense(self, node: Json, depth: int, ndim: int, *, scalars: bool = False) -> np.ndarray[Any, Any]:
        """An array of numbers or strings, which `scalars` is about to take apart."""
        found = self.decode(node, depth)
        fits = isinstance(found, np.ndarray) and found.dtype != object and found.ndim == ndim
        require(fits, f"an array in it does not have {ndim} axes")
        if scalars:
            self._spend(found.size * (STRING + found.itemsize if found.dtype.kind in LETTERS else NUMBER))
        return np.asarray(found)

    def _scalar(self, node: dict[str, Json], depth: int) -> Any:
        return self._dense(node["of"], depth, 0, scalars=True)[()]

    def _objects(self, node: dict[str, Json], depth: int) -> np.ndarray[Any, Any]:
        items, shape = self._items(node["items"], depth), _shape(node["shape"])
        require(int(np.prod([1, *shape], dtype=object)) == len(items), "an array in it has another size than it says")
        self.sizes.update(shape)
        return np.fromiter(items, dtype=object, count=len(items)).reshape(shape)

    def _sparse(self, node: dict[str, Json], depth: int) -> Any:
        kind = SPARSE[node["format"], node["matrix"]]
        data, indices, indptr = (self._dense(node[part], depth, 1) for part in ("data", "indices", "indptr"))
        self._spend(indices.nbytes + indptr.nbytes)  # looked through below, which takes time if not memory
        shape = _shape(node["shape"])
        require(len(shape) == 2 and data.dtype.kind in "biuf", "a sparse matrix in it is malformed")
        wide = max(shape, default=0)
        require(wide <= self._widest, f"a sparse matrix in it has {wide} rows or columns, most of them empty")
        for part in (indices, indptr):
            require(part.dtype in (np.int32, np.int64), f"a sparse matrix in it has indices of {part.dtype}")
        major, minor = shape if node["format"] == "csr" else shape[::-1]
        rising = len(indptr) == major + 1 and indptr[0] == 0 and bool(np.all(indptr[1:] >= indptr[:-1]))
        require(rising and indptr[-1] == len(indices) == len(data), "the rows of a sparse matrix in it do not fit")
        within = not len(indices) or (indices.min() >= 0 and indices.max() < minor)
        require(within, "a sparse matrix in it has entries outside of its shape")
        self.sizes.update(shape)
        matrix = kind(shape, dtype=data.dtype)
        matrix.data, matrix.indices, matrix.indptr = data, indices, indptr  # scipy's constructor would change types
        return matrix

    def _random(self, node: dict[str, Json], depth: int) -> np.random.RandomState:
        key, position, gauss = self._dense(node["key"], depth, 1), node["position"], node["gauss"]
        # numpy reads past the end of the key if the position is too large.
        require(key.dtype == np.uint32 and key.shape == (KEY_LENGTH,), "a random state in it has a wrong key")
        require(type(position) is int and 0 <= position <= KEY_LENGTH, "a random state in it has a wrong position")
        require(node["has_gauss"] in (0, 1) and type(gauss) is float, "a random state in it is malformed")
        self._spend(RANDOM)
        generator = np.random.RandomState(0)
        generator.set_state(("MT19937", key, position, int(node["has_gauss"]), gauss))
        return generator

    def _object(self, node: dict[str, Json], depth: int) -> Any:
        name, attributes = node["class"], node["attributes"]
        require(isinstance(name, str), "a class in it has no name")
        require(isinstance(attributes, dict), f"its {name:.100} has no attributes")
        contents = {
            key: self._encoder if key == "encoder" and content == ENCODER else self.decode(content, depth)
            for key, content in attributes.items()
        }
        if self._schema == 1:
            try:
                name, contents = schema1.convert(name, contents, _make)
            except KeyError as error:
                raise ModelFileError(f"it is of schema 1 and has no {error.args[0]!r:.100} as that has") from error
            if name not in CLASSES:  # a part that has been taken into another one
                return contents
        return _make(name, contents)


def _make(name: str, contents: dict[str, Any]) -> Any:
    if name not in CLASSES:
        raise ModelFileError(f"it names the class {name!r:.100}, which this version of isthmus does not load")
    value = put_together(class_named(name), contents)
    check(value)
    return value


def _shape(node: Json) -> tuple[int, ...]:
    plain = isinstance(node, list) and all(type(side) is int and 0 <= side <= MAX_SIDE for side in node)
    require(plain, f"it holds an array of the shape {node!r:.60}")
    return tuple(node)


def _strings(tensor: np.ndarray[Any, Any], kind: Json) -> np.ndarray[Any, Any]:
    require(kind in LETTERS and tensor.dtype == LETTERS[kind], "an array of strings in it is malformed")
    require(tensor.ndim > 0 and tensor.shape[-1] > 0, "an array of strings in it is malformed")
    require(not tensor.size or kind == "S" or tensor.max() <= LAST_LETTER, "a string in it is malformed")
    flat = np.frombuffer(tensor.tobytes(), dtype=f"<{kind}{tensor.shape[-1]}")
    return flat.reshape(tensor.shape[:-1]).copy()
