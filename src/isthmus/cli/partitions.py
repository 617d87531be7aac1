"""isthmus predict --cluster: a folder of files, each labelled by the worker that reads it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isthmus.exceptions import DataError

if TYPE_CHECKING:
    from isthmus._partitions import AtFit
    from isthmus._result import Result
    from isthmus.io.journal import Journal


@dataclass(frozen=True)
class Asked:
    """How each file is labelled."""

    model: str
    encoder: str | None
    reading: dict[str, Any]
    skip: bool
    """Whether rows that cannot be read are left out."""


def label_files(
    client: Any, asked: Asked, files: list[Path], output: Path, force: bool, at_fit: Sequence[AtFit] = ()
) -> dict[str, Any]:
    """Label every file into one of the same name in a folder; what was found, for scripts and people.

    Workers read documents, and write labels: what comes back of a file is a few numbers. Killed and called again, it
    goes on with the files that are not done. Labels of documents `at_fit` are not asked for again.
    """
    from isthmus import __version__
    from isthmus.cli.stages import Stages
    from isthmus.io.journal import Journal, identity

    about = {
        "asked": vars(asked),
        "files": [identity(file) for file in (Path(asked.model), *files)],
        "isthmus": __version__,
    }
    with Journal.beside(output, about) as journal, Stages() as stages:
        found = {number: kept for number in range(len(files)) if (kept := _kept(journal, number)) is not None}
        left = {number: file for number, file in enumerate(files) if number not in found}
        check_labels(left.values(), output, force or journal.resumed, asked.model)
        output.mkdir(exist_ok=True)
        with stages.stage(f"labelling {files[0].parent}") as advance:
            for number, tally in _labelled(client, asked, left, output, at_fit):
                journal.write(number, tally=_text(tally))
                found[number] = tally
                advance(len(found), len(files))
        journal.remove()
    return _added_up(files, [found[number] for number in range(len(files))], output)


def label_partition(asked: Asked, file: str, output: str, rows: str = "", found: Any = None) -> dict[str, Any]:
    """On a worker: label one file; the labels get their name when all of them are written.

    `rows` and `found` are what a fit knows of it (`AtFit`).
    """
    from isthmus.cli.bad_rows import BadRows
    from isthmus.cli.predict import KnownAnswers, label
    from isthmus.core.remote import answers_of_rows, rows_with_words
    from isthmus.drift import compare_batches
    from isthmus.io.atomic import Staging
    from isthmus.io.documents import check_format, open_documents

    result = _loaded(asked.model, asked.encoder, Path(asked.model).stat().st_mtime_ns)
    known = None
    if found is not None:
        known = KnownAnswers(answers_of_rows(rows, result.estimator.class_prior_, found), rows_with_words(rows))
    with BadRows() as bad:
        how = {**asked.reading, "on_bad_row": bad.of(file)} if asked.skip else asked.reading
        with open_documents(file, **how) as documents, Staging() as staging:
            with staging.place(Path(output)).open("xb") as stream:
                tally = label(result, documents, stream, check_format(output, "--output"), output, ask=known)
            if not tally.n:  # then every row is bad
                bad.refuse()
            staging.commit()
        bad.finish(Path(f"{output}.skipped.csv"))  # with its ending: a.csv and a.jsonl are two parts
        drift = compare_batches(result.profile, tally.described)
        return {
            "documents": tally.n,
            "without_known_words": tally.n_empty,
            "confidence": tally.confidence,
            "doubtful": tally.n_doubtful,
            "labels": dict(tally.labels),
            "skipped": bad.n,
            "drifted": drift is not None and drift.drifted,
        }


@cache
def _loaded(model: str, encoder: str | None, _changed: int) -> Result:
    """Once for each worker, and again if the file is another."""
    from isthmus.cli.models import load_result

    return load_result(model, encoder)


def _labelled(client: Any, asked: Asked, files: dict[int, Path], output: Path, at_fit: Sequence[AtFit]) -> Any:
    """What is found in each file, one after the other. A file whose worker dies goes to another one."""
    from isthmus.core.cluster import answer, send

    def sent_with(number: int, file: Path) -> Any:
        known = (at_fit[number].rows, at_fit[number].probabilities) if at_fit else ()
        return send(client, label_partition, asked, str(file), str(output / file.name), *known)

    sent = {number: sent_with(number, file) for number, file in files.items()}
    for number, file in files.items():
        yield number, answer(client, sent.pop(number), f"the file {file}")


def holds_tables(folder: str) -> bool:
    """Whether it is a folder of tables, and not one of text files."""
    from isthmus.io.documents import is_table

    path = Path(folder)
    return path.is_dir() and any(is_table(file.name) for file in path.iterdir() if file.is_file())


def files_of(folder: str) -> list[Path]:
    """The parts that a folder holds. Names that begin with a dot or an underscore are what programs left for others."""
    path = Path(folder)
    if not path.is_dir():
        raise DataError(f"--cluster labels the files of a folder, and {folder} is none: put the parts into one.")
    files = sorted(file.resolve() for file in path.iterdir() if file.is_file() and file.name[0] not in "._")
    if not files:
        raise DataError(f"{folder} holds no file: put the parts of the documents into it.")
    return files


def check_labels(files: Iterable[Path], output: Path, force: bool, model: str, option: str = "--output") -> None:
    """Labels of these files can be written to a folder, which an option names."""
    from isthmus.cli.outputs import check_outputs
    from isthmus.io.documents import check_format, is_table

    if output.exists() and not output.is_dir():
        raise DataError(f"{output} is a file, and workers write one for each part: name a folder for the labels.")
    some = list(files)
    inputs = [model, *map(str, some)]
    for file in some:
        if not is_table(file.name):
            raise DataError(f"{file} is no table of documents, and all files of its folder are read: take it out.")
        check_format(file.name, option)
        check_outputs({option: output / file.name if output.is_dir() else output}, force, inputs)


def _kept(journal: Journal, number: int) -> dict[str, Any] | None:
    found = journal.read(number)
    return None if found is None else json.loads(str(found["tally"]))


def _text(tally: dict[str, Any]) -> Any:
    """As an array, which is what a journal keeps."""
    import numpy as np

    return np.array(json.dumps(tally))


def _added_up(files: list[Path], found: list[dict[str, Any]], output: Path) -> dict[str, Any]:
    n = sum(each["documents"] for each in found)
    labels: Counter[str] = Counter()
    for each in found:
        labels.update(each["labels"])
    return {
        "files": len(files),
        "documents": n,
        "labels": dict(labels.most_common()),
        "mean_confidence": round(sum(each["confidence"] for each in found) / n, 4),
        "doubtful": sum(each["doubtful"] for each in found),
        "without_known_words": sum(each["without_known_words"] for each in found),
        "skipped": sum(each["skipped"] for each in found),
        "drifted": [file.name for file, each in zip(files, found, strict=True) if each["drifted"]],
        "written": str(output),
    }
