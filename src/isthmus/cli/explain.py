"""isthmus explain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from isthmus.cli import options as o

if TYPE_CHECKING:
    from isthmus._result import Result


def explain(
    model: o.Model,
    document: Annotated[str | None, typer.Option(metavar="TEXT", help="Why this text gets its label.")] = None,
    document_id: Annotated[
        str | None, typer.Option(metavar="ID", help="Why the document of --file with this id does.")
    ] = None,
    file: Annotated[str | None, typer.Option(metavar="FILE", help="Where --document-id stands.")] = None,
    words: Annotated[int, typer.Option(min=1, metavar="NUMBER", help="How many words to show.")] = 10,
    text: o.Text = None,
    id_column: o.Id = None,
    form: o.InputFormat = None,
    encoding: o.Encoding = None,
    encoder: o.Encoder = None,
    as_json: o.AsJson = False,
) -> None:
    """Show the words of topics or classes, or those that decided one document's label.

    TCL and other factorizations have topics; Auto has them where TCL is a
    member of its ensemble. CCI shows which word clusters of source and target
    correspond, by how much. Other methods show the words of each class.

    A word's weight is how far the log-odds of the label fall when the word is
    taken out of the document.

    Exit codes: 0 done, 1 could not be done (one sentence says why), 2 wrong
    usage.
    """
    from isthmus.cli.models import load_result
    from isthmus.exceptions import DataError
    from isthmus.io.documents import open_documents

    if document is not None and document_id is not None:
        raise typer.BadParameter("--document and --document-id are both given: leave one of them out.")
    if (document_id is None) != (file is None):
        raise typer.BadParameter("--document-id and --file go together: give both.")
    if file is None and (text, id_column, form, encoding) != (None,) * 4:
        raise typer.BadParameter("--text, --id, --format and --encoding tell how --file is read: leave them out.")
    result = load_result(model, encoder)
    if file is not None:
        with open_documents(file, text=text, id=id_column, form=form and form.value, encoding=encoding) as documents:
            document = next((found.text for found in documents if found.id == document_id), None)
        if document is None:
            raise DataError(f"{file} has no document with the id {document_id!r}.")
    if document is None:
        _show_topics(result, words, as_json)
    else:
        _show_document(result, document, words, as_json)


def _show_topics(result: Result, n_words: int, as_json: bool) -> None:
    from isthmus.cli.console import output, print_json

    if hasattr(result.estimator, "correspondence"):
        _show_correspondence(result, n_words, as_json)
        return
    try:
        topics = result.topics(n_words)
    except TypeError:
        _show_class_words(result, n_words, as_json)
        return
    if as_json:
        listed = [
            {
                "label": topic.label,
                "association": topic.association,
                "common": dict(topic.common),
                "specific": {str(name): dict(words) for name, words in topic.specific.items()},
            }
            for topic in topics
        ]
        print_json({"topics": listed})
    else:
        output().print(topics.table())


def _show_correspondence(result: Result, n_words: int, as_json: bool) -> None:
    """S_w of CCI: a table for each pair of a source and a target."""
    from isthmus.cli.console import output, print_json
    from isthmus.text import named_features

    found = result.estimator.correspondence(named_features(result.vectorizer), n_words)
    if as_json:
        print_json({"correspondences": [pair.as_dict() for pair in found]})
        return
    for pair in found:
        output().print(pair.table())


def _show_class_words(result: Result, n_words: int, as_json: bool) -> None:
    """For methods without topics."""
    from isthmus.cli.console import output, print_json
    from isthmus.cli.models import asking
    from isthmus.exceptions import DataError
    from isthmus.inspection import class_words
    from isthmus.inspection.tables import plain_table
    from isthmus.inspection.topics import listed
    from isthmus.text import named_features

    names = named_features(result.vectorizer)
    shares = _document_shares(result.vectorizer, len(names))
    if shares is None:
        raise DataError("The model does not read words: ask for one document with --document or --document-id.")
    with asking():
        found = class_words(result.estimator, names, n_words, shares)
    if as_json:
        print_json({"class_words": {str(label): dict(words) for label, words in found.items()}})
    else:
        output().print(plain_table(["class", "words"], [[str(label), listed(words)] for label, words in found.items()]))


def _document_shares(vectorizer: Any, n_features: int) -> Any:
    """Of documents that have each word; none have a dimension of embeddings. None where there are no words."""
    import numpy as np
    from sklearn.pipeline import Pipeline

    from isthmus.text import WordsAndEmbeddings

    words = vectorizer.words if isinstance(vectorizer, WordsAndEmbeddings) else vectorizer
    idf = getattr(words[-1] if isinstance(words, Pipeline) else words, "idf_", None)
    if idf is None:
        return None
    return np.pad(np.exp(-idf), (0, n_features - len(idf)))


def _show_document(result: Result, text: str, n_words: int, as_json: bool) -> None:
    from isthmus.cli.console import output, print_json
    from isthmus.cli.models import asking
    from isthmus.core.features import is_letter_run, only_dimensions
    from isthmus.core.problem import has_words
    from isthmus.exceptions import DataError
    from isthmus.inspection.occlusion import deciding_words
    from isthmus.inspection.tables import plain_table
    from isthmus.text import named_features

    names = named_features(result.vectorizer)
    kind = "dimension" if only_dimensions(names) else "word"
    X = result.transform([text])
    if not has_words(X).all():
        raise DataError("The document holds no word that the model knows: its label is a guess by the class prior.")
    with asking():
        probabilities = result.estimator.predict_proba(X)[0]
    label = result.classes.tolist()[probabilities.argmax()]
    (words,) = deciding_words(result.estimator, X, names, n_words, n_candidates=len(names))  # all: it is one document
    by_class: dict[Any, float] = dict(zip(result.classes.tolist(), probabilities.tolist(), strict=True))
    if as_json:
        print_json({"label": label, "probabilities": by_class, "words": dict(words)})
        return
    console = output()
    others = ", ".join(f"{name} {share:.2f}" for name, share in by_class.items())
    console.print(f"Label {label}: {others}.", markup=False, soft_wrap=True)
    if not words:
        by_letters = any(is_letter_run(names[column]) for column in X.nonzero()[1])
        why = (
            "the runs of letters of unknown ones may" if by_letters else "without any one of them the label is as sure"
        )
        console.print(f"No single {kind} that the model knows decides it: {why}.")
        return
    console.print(plain_table([kind, "weight"], [[word, f"{weight:.2f}"] for word, weight in words], right=["weight"]))
