"""isthmus predict."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import typer

from isthmus.cli import options as o
from isthmus.cli.partitions import Asked

if TYPE_CHECKING:
    from isthmus._result import Result
    from isthmus.cli.bad_rows import BadRows
    from isthmus.drift import DriftReport
    from isthmus.io.atomic import Staging
    from isthmus.io.documents import Document, DocumentFile
    from isthmus.io.journal import Journal
    from isthmus.typing import Array, Mask

BATCH = 5_000
CHARACTERS = 10_000_000
"""Documents that are held at a time, and characters, unless one document alone has more."""
DOUBTFUL = 0.6
"""Labels with a lower probability than this are worth a look."""


@dataclass
class Tally:
    """What is counted while documents are labeled."""

    n: int = 0
    n_empty: int = 0
    confidence: float = 0.0
    """The sum over all documents."""
    n_doubtful: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    described: list[dict[str, Array]] = field(default_factory=list)
    """Numbers of the documents of each batch, to compare with the target's."""

    def add(self, labels: list[str], block: LabeledBlock) -> None:
        self.n += len(labels)
        self.n_empty += block.n_empty
        confidence = block.probabilities.max(axis=1)
        self.confidence += float(confidence.sum())
        self.n_doubtful += int((confidence < DOUBTFUL).sum())
        self.labels.update(labels)
        if block.described:
            self.described.append(block.described)


@dataclass(frozen=True)
class LabeledBlock:
    """What is found out about a batch of documents, and kept of it."""

    probabilities: Array
    n_empty: int
    described: dict[str, Array]

    def keep(self, journal: Journal, number: int) -> None:
        journal.write(number, probabilities=self.probabilities, n_empty=self.n_empty, **self.described)

    @classmethod
    def kept(cls, journal: Journal, number: int) -> LabeledBlock | None:
        """What an earlier run kept; None if it did not come so far."""
        found = journal.read(number)
        return None if found is None else cls(found.pop("probabilities"), int(found.pop("n_empty")), found)


class KnownAnswers:
    """What a fit has found for documents, which come in the same order, and which of them hold a word."""

    def __init__(self, answers: Array, holds_words: Mask) -> None:
        self._answers, self._holds_words, self._next = answers, holds_words, 0

    def __call__(self, texts: list[str]) -> LabeledBlock:
        rows = slice(self._next, self._next + len(texts))
        self._next = rows.stop
        return LabeledBlock(self._answers[rows], int((~self._holds_words[rows]).sum()), {})


def predict(
    model: o.Model,
    file: o.Documents,
    output: o.LabelOutput = "-",
    text: o.Text = None,
    id_column: o.Id = None,
    form: o.InputFormat = None,
    encoding: o.Encoding = None,
    max_document: o.MaxDocument = o.LONGEST,
    blocks: o.Blocks = None,
    encoder: o.Encoder = None,
    on_bad_rows: o.BadRowsSkip = o.OnBadRows.skip,
    skipped: o.Skipped = None,
    output_format: o.OutputFormat = o.Format.csv,
    force: o.Force = False,
    fail_on_drift: o.FailOnDrift = False,
    cluster: o.PredictCluster = None,
    as_json: o.AsJson = False,
) -> None:
    """Label documents that came later with a model that isthmus fit wrote.

    Writes id, label, the probability of each class, and the confidence in the
    label, which is the largest of them. However large the file, a few
    thousand documents are held at a time; of a large one, labels are kept
    beside the output as they are found, so that a command that was killed
    goes on where it was. Rows that cannot be read, or whose id is missing or
    was there before, are left out with a warning. Documents that do not look
    like the target of the fit are warned of (drift).

    With --cluster, workers label the files of a folder into those of another.

    Exit codes: 0 done, 1 could not be done (one sentence says why), 2 wrong
    usage, 3 done, but with drift (--fail-on-drift).
    """
    from isthmus.cli.bad_rows import BadRows
    from isthmus.cli.blocks import kept_blocks, wants_blocks
    from isthmus.cli.models import load_result
    from isthmus.cli.stages import Stages
    from isthmus.drift import compare_batches
    from isthmus.io.atomic import Staging
    from isthmus.io.documents import open_documents

    how_read = {"form": form and form.value, "encoding": encoding, "max_document": max_document}
    reading, skip = {"text": text, "id": id_column, **how_read}, on_bad_rows is o.OnBadRows.skip
    if cluster is not None:
        _check_for_workers(output, skipped, blocks, output_format)
        load_result(model, encoder)  # what is wrong with it is said here
        asked = Asked(str(Path(model).resolve()), encoder, reading, skip)
        if _label_folder(asked, file, Path(output), cluster, force=force, as_json=as_json) and fail_on_drift:
            raise typer.Exit(o.DRIFTED)
        return
    written_as, skipped = _plan(output, output_format, skipped, [model, file], skip=skip, force=force, as_json=as_json)
    result, to_stdout = load_result(model, encoder), output == "-"
    keeps = wants_blocks(blocks, file, "labels go to standard output" if to_stdout else None)
    about = {"reading": reading, "skip": skip, "encoder": encoder, "batch": [BATCH, CHARACTERS]}
    with BadRows() as bad:
        how = {**reading, "on_bad_row": bad.of(file)} if skip else reading
        with (
            kept_blocks(Path(output) if keeps else None, [model, file], about) as journal,
            Stages() as stages,
            open_documents(file, **how) as documents,
            Staging(replacing=force) as staging,
        ):
            with stages.stage(f"labeling {file}") as advance, _opened(output, staging) as stream:
                tally = label(result, documents, stream, written_as, "" if to_stdout else output, journal, advance)
            if not tally.n:  # then every row is bad
                bad.refuse(may_skip=False)
            staging.commit()
            if journal is not None:
                journal.remove()
        written = {"skipped": bad.finish(skipped), "output": None if to_stdout else output}
    drift = compare_batches(result.profile, tally.described)
    _conclude(documents, tally, bad, drift, written, as_json)
    if fail_on_drift and drift and drift.drifted:
        raise typer.Exit(o.DRIFTED)


def _plan(
    output: str,
    output_format: o.Format,
    skipped: Path | None,
    inputs: list[str],
    *,
    skip: bool,
    force: bool,
    as_json: bool,
) -> tuple[str, Path | None]:
    """The format of the labels, and where skipped rows are written to; outputs that cannot be written are refused."""
    from isthmus.cli.bad_rows import plan_skipped
    from isthmus.cli.outputs import check_outputs
    from isthmus.io.documents import check_format

    if output == "-" and as_json:
        raise typer.BadParameter("the labels go to standard output, and --json too: name a file with -o.")
    outputs = {} if output == "-" else {"--output": Path(output)}
    check_outputs(outputs, force, inputs)
    skipped = plan_skipped(skipped, outputs, force, inputs, skip)
    written_as = check_format(output, "--output") if outputs else output_format.value
    if outputs and output_format not in (o.Format.csv, written_as):
        raise typer.BadParameter(f"--output-format: the name {output} says the format: leave it out, or write to -.")
    return written_as, skipped


def _check_for_workers(output: str, skipped: Path | None, blocks: bool | None, output_format: o.Format) -> None:
    """Options that workers do not heed are refused, and not ignored."""
    if output == "-":
        raise typer.BadParameter("--cluster: workers write the labels: name a folder for them with -o.")
    unheeded = {
        "--skipped: workers write the rows that they skip beside the labels of each file": skipped is not None,
        "--blocks: workers keep each file that is done": blocks,
        "--output-format: workers write each file of labels in the format of its documents": output_format != "csv",
    }
    for why, given in unheeded.items():
        if given:
            raise typer.BadParameter(f"{why}: leave it out.")


def _label_folder(asked: Asked, folder: str, output: Path, address: str, *, force: bool, as_json: bool) -> bool:
    """Have workers label the files of a folder; whether some do not look like the target of the fit."""
    from isthmus.cli.console import complain, n_documents, print_json
    from isthmus.cli.console import output as standard_output
    from isthmus.cli.partitions import files_of, label_files
    from isthmus.core.cluster import connected

    files = files_of(folder)
    with connected(address) as client:
        found = label_files(client, asked, files, output.resolve(), force)
    if found["empty"]:
        complain(f"Warning: no document, and so no labels, of {', '.join(found['empty'])}.", "yellow")
    if found["drifted"]:
        complain(f"Warning: {', '.join(found['drifted'])} do not look like the target of the fit.", "bold red")
    if as_json:
        print_json({"folder": folder, **found, "written": str(output)})
    else:
        note = (
            f"Labeled {n_documents(found['documents'])} of {found['files']} files; left out {found['skipped']:,} rows."
        )
        standard_output().print(f"{note} Wrote {output}.", markup=False, soft_wrap=True)
    return bool(found["drifted"])


@contextmanager
def _opened(output: str, staging: Staging) -> Iterator[BinaryIO]:
    """Standard output, or a file beside the one that is asked for."""
    if output == "-":
        if sys.stdout is None:
            from isthmus.exceptions import DataError

            raise DataError("Standard output is closed: name a file with --output.")
        yield sys.stdout.buffer
        return
    with staging.place(Path(output)).open("xb") as stream:
        yield stream


def _conclude(
    documents: DocumentFile,
    tally: Tally,
    bad: BadRows,
    drift: DriftReport | None,
    written: dict[str, Any],
    as_json: bool,
) -> None:
    """What was done, for people or for scripts; never between the labels."""
    from isthmus.cli.console import complain, errors, n_documents, print_json
    from isthmus.cli.console import output as standard_output
    from isthmus.core.problem import warn_of_empty

    warn_of_empty(tally.n_empty, tally.n)
    output, skipped = written["output"], written["skipped"]
    if drift is not None and drift.drifted:
        complain(f"Warning: {drift}", "bold red")
    if as_json:
        summary = {
            "file": documents.name,
            "documents": tally.n,
            "labels": dict(tally.labels.most_common()),
            "mean_confidence": round(tally.confidence / tally.n, 4),
            "doubtful": tally.n_doubtful,
            "without_known_words": tally.n_empty,
            "skipped": {"rows": bad.as_dicts(), "file": None if skipped is None else str(skipped)},
            "drift": None if drift is None else drift.as_dict(),
            "written": output,
        }
        print_json(summary)
        return
    note = f"Labeled {n_documents(tally.n)} of {documents.name}; {documents.columns}."
    console = errors() if output is None else standard_output()
    console.print(note if output is None else f"{note} Wrote {output}.", markup=False, soft_wrap=True)


def label(
    result: Result,
    documents: DocumentFile,
    stream: BinaryIO,
    form: str,
    name: str,
    journal: Journal | None = None,
    advance: Any = lambda *_: None,
    ask: Callable[[list[str]], LabeledBlock] | None = None,
) -> Tally:
    """Write the labels of documents, a batch at a time; `ask` knows them, if not the result."""
    from isthmus.io.documents import PredictionWriter

    tally, classes = Tally(), [str(label) for label in result.classes.tolist()]
    with PredictionWriter(stream, form, result.classes.tolist(), name) as writer:
        for number, batch in enumerate(_batches(documents)):
            block = None if journal is None else LabeledBlock.kept(journal, number)
            if block is None:
                block = (ask or partial(_ask, result))([document.text for document in batch])
                if journal is not None:
                    block.keep(journal, number)
            writer.write([document.id for document in batch], block.probabilities)
            tally.add([classes[best] for best in block.probabilities.argmax(axis=1)], block)
            advance(documents.position, documents.size)
    return tally


def _ask(result: Result, texts: list[str]) -> LabeledBlock:
    from isthmus.cli.models import ask
    from isthmus.core.problem import has_words
    from isthmus.drift import describe_documents

    X, probabilities = ask(result, texts)  # empty ones: said at the end
    described = {}
    if result.profile is not None:
        described = describe_documents(result.vectorizer, texts, X, probabilities, result.profile)
    return LabeledBlock(probabilities, int((~has_words(X)).sum()), described)


def _batches(documents: DocumentFile) -> Iterator[list[Document]]:
    batch: list[Document] = []
    characters = 0
    for document in documents:
        batch.append(document)
        characters += len(document.text)
        if len(batch) == BATCH or characters >= CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
