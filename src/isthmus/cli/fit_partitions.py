"""isthmus fit --cluster with a folder of files as the target, which workers read, pass over and label."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import typer

from isthmus import __version__
from isthmus._api import limit_time
from isthmus._partitions import AtFit, PartitionedTarget, learn
from isthmus._result import Result
from isthmus.cli.bad_rows import BadRows
from isthmus.cli.console import complain, n_documents
from isthmus.cli.estimating import fitting, without_callback
from isthmus.cli.gathering import (
    LOOKED_AT,
    Files,
    Gathered,
    Reading,
    check_files,
    domain_names,
    gather,
    gather_files,
    target_options,
)
from isthmus.cli.models import save_result
from isthmus.cli.outputs import check_outputs
from isthmus.cli.partitions import Asked, check_labels, files_of, label_files
from isthmus.cli.stages import Stages
from isthmus.cli.summary import Labels, ReadFiles, Summary
from isthmus.core.cluster import connected
from isthmus.core.estimator import TransferClassifier
from isthmus.io.atomic import Staging
from isthmus.io.documents import FileColumn
from isthmus.io.journal import Journal, identity
from isthmus.text.partitions import PartitionTexts, leave_out, partitions_to_matrix


@dataclass(frozen=True)
class FolderFit:
    """What is asked for."""

    source: list[str]
    target: str
    reading: Reading
    skip: bool
    """Whether rows that cannot be read are left out."""
    preset: str | None
    max_time: float | None
    cluster: str
    outputs: dict[str, Path]
    force: bool
    settings: dict[str, Any]
    """Parameters of the method that were given by name."""


@dataclass
class GatheredFolder(Gathered):
    """A folder of files, of which the first documents of one were read here."""

    n_documents: int = 0
    n_files: int = 0
    by_workers: dict[str, int] = field(default_factory=dict)
    """What they have counted beside labels."""

    @property
    def n_known(self) -> None:
        return None

    def describe(self) -> dict[str, Any]:
        own = {**super().describe(), "documents": self.n_documents, "files": self.n_files, **self.by_workers}
        return {"folder": own.pop("file"), **own}

    def __str__(self) -> str:
        return f"{self.path}: {n_documents(self.n_documents)} of {self.n_files} files; {self.columns}."


def fit_folder(estimator: TransferClassifier, asked: FolderFit, as_json: bool) -> None:
    """Fit, have the workers write labels, and say what was found."""
    began, model = perf_counter(), asked.outputs.get("--output")
    workers_read = "the target is a folder of files that workers read"
    if model is None:
        raise typer.BadParameter(f"{workers_read}: name a file for the model with -o.")
    if "-" in asked.source:
        raise typer.BadParameter(f"{workers_read}: give the source as a file, and not as standard input.")
    if estimator.get_params().get("novelty"):
        raise typer.BadParameter(f"--set novelty: {workers_read}, and they set none aside: leave it out.")
    files = files_of(asked.target)
    check_outputs({"--output": model}, asked.force, [*asked.source, *map(str, files)])
    about = {
        "files": [*map(identity, asked.source), *map(identity, files)],
        "reading": vars(asked.reading),
        "asked": [asked.skip, asked.preset, __version__],
    }
    labels = asked.outputs.get("--predictions")
    with Journal.beside(model.resolve(), about) as journal:
        force = asked.force or journal.resumed
        if labels is not None:
            check_labels(files, labels.resolve(), force, str(model), "--predictions")
        read = _read(asked, files)
        with connected(asked.cluster) as client, Stages() as stages:
            reading = target_options(asked.reading, read.files.sources)
            left_out = {"on_bad_row": leave_out} if asked.skip else {}
            fit = _Fit(client, files, {**reading, **left_out}, asked, stages)
            result, at_fit = fit.fitted(estimator, read.files, journal.folder)
            saved = journal.folder / "model.isthmus"
            save_result(result, saved)
            found = {}
            if labels is not None:
                how = Asked(str(saved), None, reading, asked.skip)
                found = label_files(client, how, files, labels.resolve(), force, at_fit)
        with Staging() as staging:
            shutil.copyfile(saved, staging.place(model))
            staging.commit()
        journal.remove()
    target = GatheredFolder(asked.target, read.files.target.columns, n_documents=result.n_texts, n_files=len(files))
    labeled = None
    if found:
        target.by_workers = {name: found[name] for name in ("without_known_words", "skipped")}
        labeled = Labels(found["labels"], found["mean_confidence"], found["doubtful"])
    read = replace(read, files=replace(read.files, target=target))
    seconds = perf_counter() - began
    Summary(read, result, labeled, False, asked.outputs, seconds, asked.settings).show(as_json)


def _read(asked: FolderFit, files: list[Path]) -> ReadFiles:
    """The sources, and the first documents of the target, to see what may be wrong with them."""
    with BadRows() as bad:
        with Stages() as stages:
            glimpse = partial(gather, most=LOOKED_AT)
            found = gather_files(asked.source, str(files[0]), asked.reading, stages, bad, glimpse)
        if not asked.skip:
            bad.refuse()
        check_files(found, asked.reading, use_target_labels=False)
        bad.finish(None)
    if asked.skip and "--predictions" not in asked.outputs:
        complain("Rows that cannot be read are left out; --predictions has files that name them.", "yellow")
    findings = found.findings()
    for finding in findings:
        complain(finding.message, "yellow")
    return ReadFiles(found, findings, bad, None)


@dataclass(frozen=True)
class _Fit:
    client: Any
    files: list[Path]
    reading: dict[str, Any]
    asked: FolderFit
    stages: Stages

    def fitted(self, estimator: TransferClassifier, read: Files, folder: Path) -> tuple[Result, list[AtFit]]:
        """What was learned, and what was found for the documents of each file; none if they are like later ones."""
        texts = [text for source in read.sources for text in source.texts]
        labels = [label for source in read.sources for label in source.labels]
        names = domain_names([source.path for source in read.sources])
        domains = [name for name, source in zip(names, read.sources, strict=True) for _ in source.texts]
        parts = [PartitionTexts(f"the file {file}", FileColumn(file, **self.reading)) for file in self.files]
        with self.stages.stage(f"reading {self.asked.target}") as advance:
            found = partitions_to_matrix(self.client, parts, texts, folder, self.asked.preset, advance)
        target = PartitionedTarget(self.client, parts, *found)
        with fitting(estimator, self.stages):
            if self.asked.max_time is not None:
                limit_time(estimator, self.asked.max_time)
            answers = learn(estimator, target.vectorizer.transform(texts), labels, domains, target.matrix)
        without_callback(estimator)
        return target.result(estimator, answers, len(texts))
