"""Model files, taken apart, changed, and put together so that their checksum is right."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import isthmus
from isthmus.io.models.container import pack, unpack


def load_bytes(content: bytes, folder: Path) -> Any:
    path = folder / "model.isthmus"
    path.write_bytes(content)
    return isthmus.load(path)


def forge(content: bytes, change: Callable[[Any, dict[str, Any]], Any]) -> bytes:
    """Change tree and arrays; checksum and sizes are right again."""
    tree, tensors, about = unpack(io.BytesIO(content), len(content))
    tree = change(tree, tensors) or tree
    told = ("schema", "model", "method", "settings", "learned", "encoder")  # schema 1 has not all of them
    return pack(tree, tensors, {key: about[key] for key in told if key in about})


def setting(*path: Any, to: Any) -> Callable[[Any, dict[str, Any]], None]:
    """Replace one part of the tree: names of attributes first, then keys of the node."""

    def change(tree: Any, tensors: dict[str, Any]) -> None:
        *places, last = path
        for place in places:
            node = tree["attributes"] if isinstance(tree, dict) and tree.get("is") == "object" else tree
            tree = node[place]
        (tree["attributes"] if isinstance(tree, dict) and tree.get("is") == "object" else tree)[last] = to

    return change


def dropping(*path: Any) -> Callable[[Any, dict[str, Any]], None]:
    def change(tree: Any, tensors: dict[str, Any]) -> None:
        for place in path[:-1]:
            tree = tree["attributes"][place]
        del tree["attributes"][path[-1]]

    return change


def array(*path: str, edit: Callable[[Any], Any]) -> Callable[[Any, dict[str, Any]], None]:
    """Change an array of the estimator."""

    def change(tree: Any, tensors: dict[str, Any]) -> None:
        node = tree["attributes"]["estimator"]["attributes"]
        for name in path:
            node = node[name]["attributes"] if node.get(name, {}).get("is") == "object" else node[name]
        tensors[node["tensor"]] = np.array(edit(tensors[node["tensor"]].copy()))

    return change


def poke(position: Any, value: Any) -> Callable[[Any], Any]:
    def edit(values: Any) -> Any:
        values[position] = value
        return values

    return edit


def deep(tree: Any, tensors: Any) -> None:
    inner: Any = []
    for _ in range(300):
        inner = [inner]
    tree["attributes"]["estimator"]["attributes"]["deep_"] = inner


def claim(value: Any) -> dict[str, Any]:
    return {"is": "objects", "shape": value, "items": []}


def mentioning(values: Any, nodes: list[dict[str, Any]]) -> Callable[[Any, dict[str, Any]], None]:
    """One more array, and a list of things to make of it."""

    def change(tree: Any, tensors: dict[str, Any]) -> None:
        tensors.update(zz=np.array(values), none=np.zeros(0, np.int32))
        tree["attributes"]["estimator"]["attributes"]["odd_"] = nodes

    return change
