"""A project at work: fitting in the background, and which document comes next."""

from __future__ import annotations

import tempfile
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from isthmus._api import transfer
from isthmus._result import Result
from isthmus.auto import Auto
from isthmus.core.progress import Stage, listening
from isthmus.drift import profile_target
from isthmus.exceptions import DataError, EmptyDocumentWarning, SmallClassWarning, TransferWarning, silenced
from isthmus.io.models import load, save
from isthmus.quality import nearest_label
from isthmus.selection import Pick, pick_batch
from isthmus.studio.project import LABEL, SKIP, Answer, Project, ProjectDocuments
from isthmus.text import preset_for, preset_vectorizer
from isthmus.typing import Array, Matrix

BATCH = 40
LONGEST_LABEL = 200


class ReplacedError(DataError):
    """An answer about documents that are no longer there."""


class DoubtfulLabelError(DataError):
    """A new class that is spelled almost like another: ask whether it is meant."""


class Remembered:
    """A vectorizer that makes rows of the same texts once, however many fits there are."""

    def __init__(self, documents: ProjectDocuments) -> None:
        source, target = documents.source_texts, documents.target_texts
        self.inner = preset_vectorizer(preset_for(source, target))
        self._X = self.inner.fit_transform(source + target)
        self.n_source = len(documents.source_texts)

    @property
    def target_rows(self) -> Matrix:
        return self._X[self.n_source :]

    def fit_transform(self, texts: list[str]) -> Matrix:
        return self._X

    def transform(self, texts: list[str]) -> Matrix:
        return self.inner.transform(texts)

    def __sklearn_clone__(self) -> Remembered:
        return self


class Session:
    """What the studio's pages ask and tell, from several threads at once.

    Whoever replaces documents or begins a fit, and whoever puts together what is stored of them, holds the lock: no fit
    is of other documents than those that there are, and no answer about a document of before. `state` does without, so
    that it can be asked meanwhile.
    """

    def __init__(self, project: Project, method: str = "Auto") -> None:
        self.project = project
        self._method = Auto(random_state=0, warm_start=True) if method == "Auto" else method
        self._lock = threading.RLock()
        self._documents = project.documents()
        self._thread: threading.Thread | None = None
        self._began = 0.0
        self._error: str | None = None
        self._stages: list[Stage] = []
        self._result: Result | None = None

    # ---- documents

    @property
    def documents(self) -> ProjectDocuments:
        if self._documents is None:
            raise DataError("There are no documents yet: choose two files first.")
        return self._documents

    def begin(self, documents: ProjectDocuments, meta: dict[str, Any], force: bool = False) -> None:
        """New documents, in place of those that there were; of answers about these, only with `force`."""
        with self._lock:
            if self.running:
                raise DataError("A fit is running: wait until it is done.")
            if (n := len(self.project.answers())) and not force:
                raise DataError(
                    f"Answers about the documents that there are ({n:,}) would be lost: begin another project for "
                    "other files, or start the studio with them and --force."
                )
            self.project.set_documents(documents, meta)
            self._documents, self._result, self._error = documents, None, None
            self.__dict__.pop("_words", None)

    @cached_property
    def _words(self) -> Remembered:
        return Remembered(self.documents)

    # ---- fitting

    @property
    def running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def start_fit(self) -> None:
        """In the background, with the labels that there are."""
        with self._lock:
            if self.running:
                raise DataError("A fit is running: wait until it is done.")
            _ = self.documents
            self._began, self._error, self._stages = perf_counter(), None, []
            self._thread = threading.Thread(target=self._fit, name="fit", daemon=True)
            self._thread.start()

    def wait(self, seconds: float | None = None) -> None:
        """Until the fit is done."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _fit(self) -> None:
        try:
            self._fit_and_store()
        except (ValueError, TypeError, OSError, MemoryError) as error:
            self._error = str(error) or type(error).__name__
        except Exception as error:  # nobody would see it otherwise
            self._error = f"{type(error).__name__}: {error}"

    def _fit_and_store(self) -> None:
        documents, answers = self.documents, self.project.answers()
        labels = [one.label if (one := answers.get(row)) else None for row in range(len(documents.ids))]
        words = self._words
        silent = silenced(TransferWarning, SmallClassWarning, EmptyDocumentWarning)  # the page shows what they say
        with silent, listening(self._stages.append):
            result = transfer(
                documents.source_texts,
                documents.source_labels,
                documents.target_texts,
                method=self._method,
                vectorizer=words,
                source_domains=documents.source_domains,
                target_labels=labels if any(labels) else None,
            )
        result = replace(result, vectorizer=words.inner)
        result = replace(result, profile=profile_target(result))
        before = self._last_labels()
        summary = _summary(result, before, sum(label is not None for label in labels), perf_counter() - self._began)
        batch, model = self._pick(result.probabilities, set(answers)), _as_bytes(result)
        last = max((one.number for one in answers.values()), default=0)
        with self._lock:
            if (now := self._next_pick()) is not None:  # somebody is reading it
                batch = [now, *(pick for pick in batch if pick.row != now.row)]
            self.project.store_fit(summary, result.probabilities, model, batch, last)
            self._result = result

    def _progress(self) -> dict[str, Any]:
        """Of a fit that runs: which candidates are done, which one runs, and which are to come."""
        stages = self._stages  # of this fit, if another one begins meanwhile
        if not self.running or not stages:
            return {"done": [], "now": None, "left": []}
        *done, now = stages
        return {"done": [stage.name for stage in done], "now": now.name, "left": list(now.left)}

    def _last_labels(self) -> list[str] | None:
        summaries = self.project.summaries()
        if not summaries:
            return None
        classes = summaries[-1]["classes"]
        probabilities = self.project.last_probabilities(len(classes))
        return None if probabilities is None else [classes[number] for number in probabilities.argmax(axis=1)]

    def _pick(self, probabilities: Array, answered: set[int]) -> list[Pick]:
        """Alternately one that measures and one that teaches."""
        words, known = self._words, sorted(answered)
        picks = pick_batch(
            probabilities, words.target_rows, self.documents.target_texts, BATCH, known=np.array(known, dtype=np.intp)
        )
        half = (len(picks) + 1) // 2
        return [pick for pair in zip_longest(picks[:half], picks[half:]) for pick in pair if pick is not None]

    def result(self) -> Result:
        """Of the last fit, with its texts: from memory, or from the project."""
        with self._lock:
            if self._result is None:
                self._result = self._stored_result()
            return self._result

    def _stored_result(self) -> Result:
        model = self.project.last_model()
        if model is None:
            raise DataError("Nothing was fitted yet.")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model.isthmus")
            path.write_bytes(model)
            loaded = load(path)
        documents, last = self.documents, self.project.summaries()[-1]["last_answer"]
        learned = {row: one.label for row, one in self.project.answers().items() if one.number <= last}
        return replace(
            loaded,
            target_labels=[learned.get(row) for row in range(len(documents.ids))],
            source_texts=documents.source_texts,
            source_labels=documents.source_labels,
            target_texts=documents.target_texts,
        )

    # ---- labeling

    def next_document(self) -> dict[str, Any] | None:
        """The first of the batch that has no answer; a new batch when there is none, and in the end what was skipped.

        None if all have an answer.
        """
        with self._lock:
            pick = self._next_pick()
            if pick is None:
                return None
            documents = self.documents
            return {"row": pick.row, "id": documents.ids[pick.row], "text": documents.target_texts[pick.row],
                    "kind": pick.kind}  # fmt: skip

    def _next_pick(self) -> Pick | None:
        summaries = self.project.summaries()
        if not summaries:
            return None
        answers = self.project.answers()
        waiting = [pick for pick in self.project.batch() if pick.row not in answers]
        if not waiting and len(answers) < len(self.documents.ids):
            probabilities = self.project.last_probabilities(len(summaries[-1]["classes"]))
            assert probabilities is not None
            self.project.set_batch(self._pick(probabilities, set(answers)))
            waiting = [pick for pick in self.project.batch() if pick.row not in answers]
        if not waiting:
            left = sorted((one for one in answers.values() if one.action == SKIP), key=lambda one: one.number)
            waiting = [Pick(one.row, one.kind) for one in left]
        return waiting[0] if waiting else None

    def guess(self, row: int) -> dict[str, float]:
        """What the model takes a document for: the probability of each class, the likeliest first."""
        with self._lock:
            summaries = self.project.summaries()
            if not summaries or not 0 <= row < len(self.documents.ids):
                raise DataError(f"There is no document {row}, or nothing was fitted yet.")
            classes = summaries[-1]["classes"]
            probabilities = self.project.last_probabilities(len(classes))
            assert probabilities is not None
        own = probabilities[row].tolist()
        return dict(sorted(zip(classes, own, strict=True), key=lambda pair: -pair[1]))

    def answer(self, row: int, action: str, label: str | None, of: str | None = None, is_meant: bool = False) -> None:
        """Store what somebody said of a document. It is on disk when this returns.

        `of` is the id of the documents that it was said of, in `state`. A new class that is spelled almost like another
        has to be meant.
        """
        label = (label or "").strip() or None
        if (action == LABEL) != (label is not None):
            raise DataError("A label is given with the action label, and with no other.")
        with self._lock:
            meta, answers = self.project.meta(), self.project.answers()
            if of is not None and of != meta.get("id"):
                raise ReplacedError("Other files have been chosen since, in another tab: load this page again.")
            known = _classes(meta, answers.values())
            if label is not None and label not in known:
                _check_new_class(label, known, is_meant)
            kinds = {row: one.kind for row, one in answers.items()}  # of what was skipped
            kinds |= {pick.row: pick.kind for pick in self.project.batch()}
            guess = self.project.first_guess(row) or next(iter(self.guess(row)))
            self.project.add_answer(row, action, label, kinds.get(row, "chosen"), guess)

    def state(self) -> dict[str, Any]:
        """Everything that the page shows, but for the document."""
        meta, summaries = self.project.meta(), self.project.summaries()
        answers = self.project.answers()
        labeled = [one for one in answers.values() if one.action == LABEL]
        measured = self.project.measured()
        last = summaries[-1] if summaries else None
        return {
            "project": self.project.path.name,
            "files": meta or None,
            "fit": {
                "running": self.running,
                "seconds": round(perf_counter() - self._began, 1) if self.running else None,
                **self._progress(),
                "error": self._error,
                "number": len(summaries),
            },
            "result": last,
            "labeling": {
                "classes": _classes(meta, labeled),
                "labeled": len(labeled),
                "skipped": sum(one.action == SKIP for one in answers.values()),
                "since_fit": _since(last, labeled),
                "measured": measured and {"right": measured.right, "n": measured.n, **asdict(measured.interval)},
                "counts": dict(Counter(str(one.label) for one in labeled)),
            },
        }


def _classes(meta: dict[str, Any], answers: Iterable[Answer]) -> list[str]:
    """Of the source, and those that came with answers."""
    return list(dict.fromkeys([*meta.get("classes", {}), *(one.label for one in answers if one.label is not None)]))


def _check_new_class(label: str, known: list[str], is_meant: bool) -> None:
    """A slip would be learned as a class of its own."""
    if len(label) > LONGEST_LABEL:
        raise DataError(f"The name of a new class has at most {LONGEST_LABEL} characters.")
    like = None if is_meant else nearest_label(label, known)
    if like is not None:
        raise DoubtfulLabelError(
            f"{label!r} is spelled almost like {like!r}: choose that, or use it once more if it is a class of its own."
        )


def _since(last: dict[str, Any] | None, labeled: Sequence[Answer]) -> int:
    """How many labels were given, or taken back, since the last fit has learned from them."""
    if last is None:
        return len(labeled)
    new = sum(one.number > last["last_answer"] for one in labeled)
    return new + max(int(last["n_labels"]) - (len(labeled) - new), 0)


def _summary(result: Result, before: list[str] | None, n_labels: int, seconds: float) -> dict[str, Any]:
    estimator = result.estimator
    labels = [str(label) for label in result.labels.tolist()]
    moved = None if before is None else sum(one != other for one, other in zip(before, labels, strict=True))
    estimate = getattr(estimator, "estimated_accuracy_", None)
    board = getattr(getattr(estimator, "leaderboard_", None), "rows", [])
    return {
        "method": type(estimator).__name__,
        "classes": [str(label) for label in result.classes.tolist()],
        "counts": dict(Counter(labels).most_common()),
        "estimated": None if estimate is None else asdict(estimate),
        "warnings": [caution.message for caution in getattr(estimator, "warnings_", ())],
        "candidates": [{"name": row["name"], "seconds": row["seconds"], "why": row["why"]} for row in board],
        "moved": moved,
        "n_labels": n_labels,
        "seconds": round(seconds, 1),
    }


def _as_bytes(result: Result) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.isthmus")
        save(result, path)
        return path.read_bytes()
