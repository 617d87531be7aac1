"""isthmus predict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from isthmus.cli import options as o

if TYPE_CHECKING:
    from isthmus._api import Result
    from isthmus.io.documents import Document, DocumentFile

BATCH = 5_000
CHARACTERS = 10_000_000
"""Documents that are held at a time, and characters, unless one document alone has more."""


def predict(
    model: o.Model,
    file: o.Documents,
    output: o.LabelOutput = "-",
    text: o.Text = None,
    id_column: o.Id = None,
    form: o.InputFormat = None,
    encoding: o.Encoding = None,
    max_document: o.MaxDocument = o.LONGEST,
    encoder: o.Encoder = None,
    output_format: o.OutputFormat = o.Format.csv,
    force: o.Force = False,
) -> None:
    """Label documents that came later with a model that isthmus fit wrote.

    Writes id, label, the probability of each class, and the confidence in the
    label, which is the largest of them. However large the file, a few
    thousand documents are held at a time.

    Exit codes: 0 done, 1 could not be done (one sentence says why), 2 wrong
    usage.
    """
    import sys
    from pathlib import Path

    from isthmus.cli.console import errors, n_documents
    from isthmus.cli.console import output as standard_output
    from isthmus.cli.models import load_result
    from isthmus.cli.outputs import check_outputs
    from isthmus.cli.stages import Stages
    from isthmus.io.atomic import Staging
    from isthmus.io.documents import check_format, open_documents

    reading: dict[str, Any] = {"text": text, "id": id_column, "form": form and form.value, "encoding": encoding}
    to_stdout = output == "-"
    if not to_stdout:
        check_outputs({"--output": Path(output)}, force, [model, file])
    written_as = output_format.value if to_stdout else check_format(output, "--output")
    result = load_result(model, encoder)
    with (
        Stages() as stages,
        open_documents(file, **reading, max_document=max_document) as documents,
        stages.stage(f"labelling {file}") as advance,
        Staging() as staging,
    ):
        if to_stdout:
            _label(result, documents, sys.stdout.buffer, written_as, "", advance)
        else:
            with staging.place(Path(output)).open("xb") as stream:
                _label(result, documents, stream, written_as, output, advance)
            staging.commit()
    note = f"Labelled {n_documents(documents.n_documents)} of {documents.name}; {documents.columns}."
    console = errors() if to_stdout else standard_output()
    console.print(note if to_stdout else f"{note} Wrote {output}.", markup=False, soft_wrap=True)


def _label(result: Result, documents: DocumentFile, stream: BinaryIO, form: str, name: str, advance: Any) -> None:
    import warnings

    from isthmus.cli.models import asking
    from isthmus.core.problem import has_words, warn_of_empty
    from isthmus.exceptions import DataError, EmptyDocumentWarning
    from isthmus.io.documents import PredictionWriter

    n_empty = 0
    with PredictionWriter(stream, form, result.classes.tolist(), name) as writer:
        for batch in _batches(documents):
            try:
                X = result.vectorizer.transform([document.text for document in batch])
            except (ValueError, TypeError) as error:  # an encoder returned what is no row for each text
                raise DataError(str(error)) from error
            n_empty += int((~has_words(X)).sum())
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", EmptyDocumentWarning)  # one at the end, for all batches
                with asking():
                    probabilities = result.estimator.predict_proba(X)
            writer.write([document.id for document in batch], probabilities)
            advance(documents.position, documents.size)
    warn_of_empty(n_empty, documents.n_documents)


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
