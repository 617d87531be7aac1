"""isthmus predict --cluster: a folder of files, each labeled by the worker that reads it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from isthmus.exceptions import DataError

if TYPE_CHECKING:
    from isthmus._partitions import AtFit
    from isthmus._result import Result
    from isthmus.io.journal import Journal


@dataclass(frozen=True)
class Asked:
    """How each file is labeled."""

    model: str
    encoder: str | None
    reading: dict[str, Any]
    skip: bool
    """Whether rows that cannot be read are left out."""


BEGUN = 0
"""The block that names what was begun."""
NOTHING = {
    "documents": 0,
    "without_known_words": 0,
    "confidence": 0.0,
    "doubtful": 0,
    "labels": {},
    "skipped": 0,
    "drifted": False,
}
"""What is found in an empty part, which gets no labels."""


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

    about = {"asked": vars(asked), "model": identity(asked.model), "isthmus": __version__}
    with Journal.beside(output, about) as journal, Stages() as stages:
        kept = ((file, _kept(journal, file)) for file in files)
        found = {file: tally for file, tally in kept if tally is not None}
        left = [file for file in files if file not in found]
        try:
            own = _begun(journal)  # what this work has begun to write may be replaced
            check_labels([file for file in left if file.name not in own], output, force, asked.model)
        except DataError:
            if not journal.resumed:
                journal.remove()
            raise
        journal.write(BEGUN, names=_text(sorted({*own, *(file.name for file in left)})))
        output.mkdir(exist_ok=True)
        try:
            with stages.stage(f"labeling {files[0].parent}") as advance:
                for file, tally in _labeled(client, asked, left, output, dict(zip(files, at_fit, strict=False))):
                    journal.write(_number(file), kept=_text({"file": identity(file), "tally": tally}))
                    found[file] = tally
                    advance(len(found), len(files))
        except DataError as error:
            raise DataError(
                f"{error} Of {len(files)} files {len(found)} are labeled, in {output}: the same command goes on there."
            ) from error
        journal.remove()
    return _added_up(files, [found[file] for file in files], output)


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
    if not Path(file).stat().st_size:
        return dict(NOTHING)
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


def _labeled(client: Any, asked: Asked, files: list[Path], output: Path, at_fit: dict[Path, AtFit]) -> Any:
    """What is found in each file, one after the other. A file whose worker dies goes to another one."""
    from isthmus.core.cluster import answer, send

    def sent_with(file: Path) -> Any:
        known = (at_fit[file].rows, at_fit[file].probabilities) if at_fit else ()
        return send(client, label_partition, asked, str(file), str(output / file.name), *known)

    sent = {file: sent_with(file) for file in files}
    for file in files:
        yield file, answer(client, sent.pop(file), f"the file {file}")


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


def _kept(journal: Journal, file: Path) -> dict[str, Any] | None:
    """What was found in a file, if it was labeled as it is now."""
    from isthmus.io.journal import identity

    found = journal.read(_number(file))
    kept = {} if found is None else json.loads(str(found["kept"]))
    return kept["tally"] if kept.get("file") == identity(file) else None


def _begun(journal: Journal) -> set[str]:
    """Names of the labels that this work has begun to write."""
    found = journal.read(BEGUN)
    return set() if found is None else set(json.loads(str(found["names"])))


def _number(file: Path) -> int:
    """Of a block: others may join the folder."""
    return BEGUN + 1 + crc32(file.name.encode())


def _text(what: Any) -> Any:
    """As an array, which is what a journal keeps."""
    import numpy as np

    return np.array(json.dumps(what))


def _added_up(files: list[Path], found: list[dict[str, Any]], output: Path) -> dict[str, Any]:
    n = sum(each["documents"] for each in found)
    labels: Counter[str] = Counter()
    for each in found:
        labels.update(each["labels"])
    return {
        "files": len(files),
        "documents": n,
        "labels": dict(labels.most_common()),
        "mean_confidence": round(sum(each["confidence"] for each in found) / max(n, 1), 4),
        "doubtful": sum(each["doubtful"] for each in found),
        "without_known_words": sum(each["without_known_words"] for each in found),
        "skipped": sum(each["skipped"] for each in found),
        "empty": [file.name for file, each in zip(files, found, strict=True) if not each["documents"]],
        "drifted": [file.name for file, each in zip(files, found, strict=True) if each["drifted"]],
        "written": str(output),
    }
