"""Models in files, for commands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from isthmus.exceptions import (
    DataError,
    EmptyDocumentWarning,
    EncoderMissingError,
    EncoderNeededError,
    EncoderNotSavedWarning,
    EncoderUnneededError,
    silenced,
)

if TYPE_CHECKING:
    from isthmus._result import Result
    from isthmus.typing import Array, Matrix


def load_result(path: str, encoder: str | None) -> Result:
    """What `isthmus fit` wrote: an estimator, and what makes rows of texts for it."""
    import isthmus
    from isthmus.cli.estimating import load_encoder

    if not Path(path).exists():
        raise DataError(f"{path} does not exist: isthmus fit writes models.")
    try:
        model = isthmus.load(path, encoder=load_encoder(encoder))
    except EncoderNeededError:
        raise DataError(f"{path} reads texts with an encoder: name it with --encoder, as for fit.") from None
    except EncoderUnneededError:
        raise DataError(f"{path} reads words: leave --encoder out.") from None
    except EncoderMissingError as error:
        said = f"its encoder is missing: {error.reason}; if it has moved, name its folder with --encoder"
        raise DataError(f"{path} cannot be loaded: {said}.") from None
    if not isinstance(model, isthmus.Result):
        raise DataError(f"{path} holds a {type(model).__name__} that knows no texts: save what transfer returns.")
    if encoder is not None:
        try:
            model.vectorizer.transform(["a text"])
        except DataError:  # it says of itself what is wrong
            raise
        except (ValueError, TypeError) as error:
            raise DataError(f"--encoder names {encoder!r}, which is not the encoder of {path}: {error}") from None
    return model


@contextmanager
def asking() -> Iterator[None]:
    """While a model predicts: a forged one can fail in any way, and gets a sentence."""
    try:
        yield
    except Exception as error:
        reason = (str(error).splitlines() or [""])[0]
        raise DataError(
            f"The model cannot label these documents ({type(error).__name__}: {reason:.200}): is it whole, and from "
            "somebody whom you trust? Fit it again."
        ) from error


def ask(result: Result, texts: list[str]) -> tuple[Matrix, Array]:
    """The rows of texts, and the class probabilities that the model gives them; nothing is said of empty ones."""
    try:
        X = result.transform(texts)
    except (ValueError, TypeError) as error:  # an encoder returned what is no row for each text
        raise DataError(str(error)) from error
    with silenced(EmptyDocumentWarning), asking():
        return X, result.estimator.predict_proba(X)


def save_result(result: Result, path: Path) -> None:
    """Write a model. Its encoder is named on the command line again, so that nobody need be warned."""
    import isthmus

    with silenced(EncoderNotSavedWarning):
        try:
            isthmus.save(result, path)
        except (ValueError, TypeError) as error:
            raise DataError(f"The model cannot be saved: {error}") from error
