"""The page: template, style and scripts put together into one file that needs nothing else."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from isthmus.evaluation import SampleScore
from isthmus.inspection.bridge import NARROW, NOTEBOOK, WIDE, Bridge, draw_bridge
from isthmus.inspection.correspondence import Correspondence
from isthmus.inspection.notebook import class_colors, notebook_html
from isthmus.inspection.topics import Topics
from isthmus.io.atomic import write_atomically
from isthmus.report import answer, charts
from isthmus.report.assembly import percent, read_asset, render_page, script_json
from isthmus.report.baseline import baseline
from isthmus.report.documents import document_columns, excerpt, text_limit
from isthmus.report.landscape import draw_maps
from isthmus.report.material import Material, Transferred, read_material, read_words
from isthmus.report.scores import score
from isthmus.report.words import TARGET, changed_words, class_topics, document_shares
from isthmus.typing import DomainName

SCRIPTS = ("tip.js", "bridge.js", "label.js", "table.js", "map.js")
N_CHANGED = 12


def write_report(
    result: Transferred,
    path: str | Path,
    *,
    ids: Any = None,
    truth: Any = None,
    names: tuple[str, str] | None = None,
    force: bool = False,
    sample: SampleScore | None = None,
) -> Path:
    """Write the page about a result. See `Result.report`.

    `sample` is what a random sample has measured, where the result has learned from its labels since.
    """
    path = Path(path)
    is_pair = isinstance(names, tuple | list) and len(names) == 2 and all(isinstance(name, str) for name in names)
    if names is not None and not is_pair:
        raise ValueError(f"names is {names!r:.100}: give two strings, what to call the source and the target.")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: add a file name.")
    if path.exists() and not force:
        raise FileExistsError(f"{path} exists: give another path, or force=True to write over it.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path.parent} is not a folder: make it first, or give another path.")
    write_atomically(path, render(read_material(result, ids, truth), names, sample))
    return path


def render(material: Material, names: tuple[str, str] | None = None, sample: SampleScore | None = None) -> str:
    """The page as text. `names` are those of source and target, and `sample` is as in `write_report`."""
    estimator = material.result.estimator
    scores = score(material)
    objective = getattr(estimator, "objective_", None)
    wide, narrow = _bridges(material)
    return render_page(
        "page.html.j2",
        script='"use strict";\n{\n' + "".join(map(read_asset, SCRIPTS)) + "}\n",
        style=f":root{{--rows:{material.n_target}}}\n",
        material=material,
        classes=answer.count_classes(material),
        assessment=answer.assess(material),
        advice=answer.advise(material),
        board=answer.read_board(estimator),
        baseline=baseline(material),
        names=names,
        sample=sample,
        wide=wide,
        narrow=narrow,
        correspondences=_correspondences(material),
        changes=None if material.words is None else changed_words(material.words_alone, N_CHANGED),
        histogram=charts.histogram(material),
        convergence=charts.convergence(objective) if objective is not None and len(objective) > 1 else None,
        objective=objective,
        scores=scores,
        roc=charts.roc(scores.curves) if scores and scores.curves else None,
        text_limit=text_limit(material.n_target),
        settings=answer.settings(material),
        versions=answer.library_versions(),
        digests=[answer.digest(material.result.source_texts), answer.digest(material.result.target_texts)],
        documents=script_json(document_columns(material)),
        maps=script_json(draw_maps(material, lambda text: excerpt(text, 100))),
    )


def _bridges(material: Material) -> tuple[Bridge, Bridge] | tuple[None, None]:
    """The bridge for a wide window and for a narrow one; none if the features are no words."""
    if material.words is None:
        return None, None
    topics, targets, by_class = _topics(material)
    source, target = document_shares(material.X_source), document_shares(material.X_target)
    numbers = {str(word): number for number, word in enumerate(material.words)}

    def describe(word: str) -> str:
        here, there = percent(source[numbers[word]]), percent(target[numbers[word]])
        return f"; in {here} of the source's documents and {there} of the target's"

    colors = class_colors(material.result.classes)
    wide = draw_bridge(topics, colors, targets, WIDE, describe, by_class)
    return wide, draw_bridge(topics, colors, targets, NARROW, describe, by_class)


def _correspondences(material: Material) -> list[Correspondence]:
    """Which word clusters of source and target go together, for a method that finds them (CCI)."""
    estimator = material.result.estimator
    if material.words is None or not hasattr(estimator, "correspondence"):
        return []
    return list(estimator.correspondence(material.words))


def _topics(material: Material) -> tuple[Topics, Collection[DomainName], bool]:
    """The method's topics, or if it has none the words of each class; and which domains are targets."""
    estimator = material.result.estimator
    if hasattr(estimator, "topics"):
        return estimator.topics(material.words, WIDE.n_words), estimator.target_domains_, False
    return class_topics(material.words_alone, WIDE.n_words), [TARGET], True


def result_html(result: Transferred) -> str:
    """What a notebook shows of a result: quickly, so the texts are read only if the method has no topics."""
    labels, counts = np.unique(result.labels, return_counts=True)
    listed = ", ".join(f"{n:,} {label}" for label, n in zip(labels, counts, strict=True))
    caption = f"{len(result.labels):,} documents labeled by {type(result.estimator).__name__}: {listed}."
    if (estimate := getattr(result.estimator, "estimated_accuracy_", None)) is not None:
        caption += f" Estimated accuracy: {estimate}."
    caption = " ".join([caption, *(caution.message for caution in getattr(result.estimator, "warnings_", ()))])
    words = read_words(result.vectorizer, result.transform(["a"]))
    if words is not None and hasattr(result.estimator, "topics"):
        topics, targets = result.estimator.topics(words, NOTEBOOK.n_words), result.estimator.target_domains_
        return notebook_html(draw_bridge(topics, class_colors(result.classes), targets, NOTEBOOK), caption)
    if words is not None and len(result.source_texts) and len(result.target_texts) == len(result.labels):
        topics = class_topics(read_material(result, None, None).words_alone, NOTEBOOK.n_words)
        bridge = draw_bridge(topics, class_colors(result.classes), [TARGET], NOTEBOOK, by_class=True)
        return notebook_html(bridge, caption)
    return notebook_html(None, caption)
