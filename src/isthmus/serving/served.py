"""A model that is served, and changes when its file does."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from time import time
from typing import Any

import numpy as np

from isthmus._result import Result
from isthmus.drift import DriftReport, compare_batches, describe_documents
from isthmus.exceptions import EmptyDocumentWarning, silenced
from isthmus.inspection.occlusion import deciding_words
from isthmus.text import named_features
from isthmus.typing import Array

Loader = Callable[[str], Result]
Stamp = tuple[int, int, int, int]
"""By which a file is seen to have changed."""
WINDOW, LEAST = 1_000, 200
"""Documents that drift is told by, the last ones: at the most, and at the least."""
DESCRIBED = 20
"""Documents of a batch that are looked at: looking takes nearly as long as labeling."""
DIGITS = 6


class ServedModel:
    """The model of a file. Whoever has begun with one model ends with it, whatever the file becomes meanwhile."""

    def __init__(self, name: str, path: str, loader: Loader) -> None:
        self.name, self.path = name, path
        self._loader, self._lock = loader, threading.Lock()
        self._stamp = self._look()
        self.result = loader(path)
        self.n_loaded, self.loaded_at = 1, time()
        self._recent: deque[tuple[Any, dict[str, Array]]] = deque(maxlen=WINDOW)
        self.problem: str | None = None
        """Why a newer file was not loaded."""
        self._of_file: str | None = None
        """What is wrong with the file as it is."""

    @property
    def classes(self) -> list[str]:
        return [str(label) for label in self.result.classes.tolist()]

    def _look(self) -> Stamp | None:
        try:
            found = Path(self.path).stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino

    def reload(self) -> bool:
        """Load the file again if it has changed; the model stays if that one cannot be loaded."""
        with self._lock:
            stamp = self._look()
            if stamp is None:
                self.problem = f"{self.path} is not there any more."
            elif stamp == self._stamp:
                self.problem = self._of_file
            else:
                return self._load(stamp)
            return False

    def _load(self, stamp: Stamp) -> bool:
        """What is wrong with a file is so until it changes; for want of memory, files or rights it is tried again."""
        self._of_file = None
        try:
            self.result = self._loader(self.path)
        except (OSError, MemoryError) as error:
            self.problem = str(error) or type(error).__name__
            return False
        except Exception as error:  # of whatever kind: the model that there is goes on
            self._stamp = stamp
            self.problem = self._of_file = str(error)
            return False
        self._stamp, self.problem, self.n_loaded = stamp, None, self.n_loaded + 1
        self.loaded_at = time()
        return True

    def probabilities(self, texts: Sequence[str]) -> tuple[Any, Array]:
        """The classes, and a row for each text: both of the same model."""
        result = self.result
        X = result.transform(texts)
        with silenced(EmptyDocumentWarning):
            probabilities = result.estimator.predict_proba(X)
        if result.profile is not None:
            few = np.linspace(0, len(texts) - 1, min(len(texts), DESCRIBED)).round().astype(int)  # from first to last
            described = describe_documents(
                result.vectorizer, [texts[row] for row in few], X[few], probabilities[few], result.profile
            )
            self._recent.append((result.profile, described))
        return result.classes, probabilities

    def label(self, texts: Sequence[str]) -> list[dict[str, Any]]:
        """Label, confidence and probabilities of each text, as they are answered."""
        classes, probabilities = self.probabilities(texts)
        names, rows = [str(label) for label in classes.tolist()], probabilities.round(DIGITS).tolist()
        return [
            {"label": names[best], "confidence": row[best], "probabilities": dict(zip(names, row, strict=True))}
            for best, row in zip(probabilities.argmax(axis=1).tolist(), rows, strict=True)
        ]

    def drift(self) -> DriftReport | None:
        """The documents that came last, beside the target of the fit; None where they are too few to tell."""
        profile = self.result.profile
        recent = [described for known, described in tuple(self._recent) if known is profile]
        return compare_batches(profile, recent, LEAST, WINDOW)

    def explain(self, text: str, n_words: int) -> tuple[str, dict[str, float]]:
        """The label of a text, and the words that decided it with their weights: both of the same model."""
        result = self.result
        X = result.transform([text])
        names = named_features(result.vectorizer)
        with silenced(EmptyDocumentWarning):
            (label,) = result.estimator.predict(X)
            (words,) = deciding_words(result.estimator, X, names, n_words, labels=[label])
        return str(label), dict(words)


def model_name(path: str) -> str:
    """What a model is called: its file\'s name without the ending.

    >>> model_name("models/bikes.isthmus")
    'bikes'
    """
    return Path(path).name.removesuffix(".isthmus")
