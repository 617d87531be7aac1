"""Reuters-21578: the stories, and the three published pairs of matrices made of them."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from isthmus.datasets.archives import read_tar
from isthmus.datasets.corpus import Corpus
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


REUTERS_KINDS = ("orgs", "people", "places")
NOT_A_PLACE = "usa"
"""More than half of the stories are of there; the paper of CDSC takes them out (section 4.1.2)."""


def load_reuters_halves(data: Path | None = None) -> Corpus:
    """Stories with tags of organisations, people or places, as tasks of top categories need them.

    A story's group has a letter for each of `REUTERS_KINDS`: "a" or "b" for the half of the category that its tags are
    in, "x" for tags of both halves, "-" for no tag of the kind. "a-b" has organisations of the first half, no people,
    and places of the second. Tags come into halves by turns, the most frequent first, so that halves are of one size.
    Stories tagged USA are left out, and so are those without any tag of the three kinds.
    """
    stories = [story for story in load_reuters_stories(data) if NOT_A_PLACE not in story.places]
    texts, groups = [], []
    halves = {kind: _halves([getattr(story, kind) for story in stories]) for kind in REUTERS_KINDS}
    for story in stories:
        found = [{halves[kind][tag] for tag in getattr(story, kind)} for kind in REUTERS_KINDS]
        group = "".join("-" if not own else own.copy().pop() if len(own) == 1 else "x" for own in found)
        if group != "---":
            texts.append(f"{story.title}\n{story.body}")
            groups.append(group)
    return Corpus(texts, np.array(groups))


def _halves(tagged: list[tuple[str, ...]]) -> dict[str, str]:
    counts = Counter(tag for tags in tagged for tag in tags)
    by_size = sorted(counts, key=lambda tag: (-counts[tag], tag))
    return {tag: "abba"[place % 4] for place, tag in enumerate(by_size)}


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
        content = scipy.io.loadmat(path, spmatrix=False)
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
