"""Models out of files, for commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isthmus.exceptions import DataError

if TYPE_CHECKING:
    from isthmus.transfer import Result


def load_result(path: str, encoder: str | None) -> Result:
    """What `isthmus fit` wrote: an estimator, and what makes rows of texts for it."""
    import isthmus
    from isthmus.cli.estimating import load_encoder

    model = isthmus.load(path, encoder=load_encoder(encoder))
    if not isinstance(model, isthmus.Result):
        raise DataError(f"{path} holds {type(model).__name__} without its vectorizer: save what transfer returns.")
    return model
