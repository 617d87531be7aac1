"""Reuters-21578: the stories, and the three published pairs of matrices made of them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from isthmus.datasets.archives import read_tar
from isthmus.datasets.locate import DATASETS, find
from isthmus.exceptions import DataError

_STORY = re.compile(r"<REUTERS\b([^>]*)>(.*?)</REUTERS>", re.DOTALL)
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')


@dataclass(frozen=True)
class Story:
    """One story with the tags that its editors gave it."""

    id: int
    split: str
    topics: tuple[str, ...]
    places: tuple[str, ...]
    people: tuple[str, ...]
    orgs: tuple[str, ...]
    title: str
    body: str


def load_reuters_stories(data: Path | None = None) -> list[Story]:
    """All stories of the 22 SGML files."""
    path = find(DATASETS["reuters"].file, data)
    stories = [
        story
        for name, content in read_tar(path)
        if name.suffix == ".sgm"
        for story in _read_sgml(content.decode("latin-1"), f"{path}: {name}")
    ]
    if not stories:
        raise DataError(f"{path} holds no SGML file with stories: it is not Reuters-21578.")
    return stories


def _read_sgml(text: str, where: str) -> Iterator[Story]:
    found = 0
    for match in _STORY.finditer(text):
        attributes, content = dict(_ATTRIBUTE.findall(match[1])), match[2]
        found += 1
        yield Story(
            id=int(attributes.get("NEWID", 0)),
            split=attributes.get("LEWISSPLIT", ""),
            topics=_tags(content, "TOPICS"),
            places=_tags(content, "PLACES"),
            people=_tags(content, "PEOPLE"),
            orgs=_tags(content, "ORGS"),
            title=_element(content, "TITLE"),
            body=_element(content, "BODY") or _element(content, "TEXT"),
        )
    if found != text.count("<REUTERS "):
        raise DataError(f"{where} has stories that do not end: fetch the archive again.")


def _element(content: str, name: str) -> str:
    match = re.search(rf"<{name}\b[^>]*>(.*?)</{name}>", content, re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", " ", match[1])).strip() if match else ""


def _tags(content: str, name: str) -> tuple[str, ...]:
    match = re.search(rf"<{name}>(.*?)</{name}>", content, re.DOTALL)
    return tuple(re.findall(r"<D>(.*?)</D>", match[1])) if match else ()


@dataclass(frozen=True, eq=False)
class MatrixPair:
    """Source and target as matrices, documents x words, with labels +1 and -1."""

    X_source: Any
    y_source: np.ndarray[Any, Any]
    X_target: Any
    y_target: np.ndarray[Any, Any]


def load_reuters_pair(file: str, data: Path | None = None) -> MatrixPair:
    """One of the .mat files, such as org_vs_people_1.mat; those ending in _2 exchange source and target."""
    path = find(f"reuters-crossdomain/{file}", data)
    try:
        content = scipy.io.loadmat(path)
        parts = [content[name] for name in ("Xs", "Ys", "Xt", "Yt")]
    except (KeyError, ValueError, TypeError, NotImplementedError, OSError, scipy.io.matlab.MatReadError) as error:
        raise DataError(f"{path} is not a .mat file with Xs, Ys, Xt and Yt ({error}): fetch it again.") from error
    X_source, y_source, X_target, y_target = parts
    pair = MatrixPair(sp.csr_array(X_source.T), _labels(y_source), sp.csr_array(X_target.T), _labels(y_target))
    if pair.X_source.shape[0] != len(pair.y_source) or pair.X_target.shape[0] != len(pair.y_target):
        raise DataError(f"{path} has more documents than labels, or fewer: fetch it again.")
    return pair


def _labels(stored: Any) -> np.ndarray[Any, Any]:
    dense = stored.toarray() if sp.issparse(stored) else np.asarray(stored)
    return np.where(dense.ravel() > 0, 1, -1)
