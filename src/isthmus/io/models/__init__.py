"""Model files that are safe to load: arrays and plain values, and no code.

A checksum finds damage, not malice: whoever can write a file can write its checksum. Against malice stands that loading
runs nothing from the file (see `isthmus.io.models.registry`) and believes nothing that it says of sizes. A forged model
can still predict nonsense, so load models from people whose labels you would trust.
"""

from __future__ import annotations

import math
import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from sklearn.utils.validation import check_is_fitted

from isthmus._result import Result
from isthmus.drift import profile_target
from isthmus.exceptions import (
    DataError,
    EncoderMissingError,
    EncoderNeededError,
    EncoderNotSavedWarning,
    EncoderUnneededError,
    LibraryVersionWarning,
    ModelFileError,
    warn,
)
from isthmus.io.atomic import Staging
from isthmus.io.models.checks import FITTED, check_model, method_of, require
from isthmus.io.models.container import pack, unpack, versions
from isthmus.io.models.decoding import TreeDecoder
from isthmus.io.models.encoding import Json, TreeEncoder
from isthmus.io.models.fields import check_fields
from isthmus.io.models.header import what_was_learned
from isthmus.text import StaticEncoder, read_encoder, static_encoder
from isthmus.text.static import STATIC

__all__ = ["load", "save"]


def save(model: Any, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a fitted model to one file, to be loaded with `isthmus.load`.

    The loaded model predicts what this one does, to the last bit. Saving the same model again gives the same bytes.

    Not saved are a `callback`, which becomes None, and what was asked for with `set_fit_request` and the like. Nor is
    an encoder (`isthmus.transfer(..., encoder=model)`): there is a warning, and `load` must be given it. A static model
    is named in the file, with its digest, and `load` finds it again.

    Parameters
    ----------
    model : fitted estimator of isthmus, result of `isthmus.transfer`, or Pipeline that ends in such an estimator
        Classes of scikit-learn in it must be among those in `isthmus.io.models.registry`. A vectorizer's
        `token_pattern` may repeat nothing but its end, as the default one does: others might take for ever, and are not
        loaded. The texts that a result was made from stay out of the file.
    path : str or path
        By custom ends in ``.isthmus``. Written under another name and then renamed, so that it is never half a file.
    force : bool
        Overwrite a file that exists.

    Examples
    --------
    >>> import tempfile, pathlib, numpy as np, isthmus
    >>> X = np.array([[2., 0], [1, 0], [0, 1], [0, 2]])
    >>> clf = isthmus.LR().fit(X, ["a", "a", "b", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     isthmus.save(clf, pathlib.Path(folder, "model.isthmus"))
    ...     loaded = isthmus.load(pathlib.Path(folder, "model.isthmus"))
    >>> bool((loaded.predict_proba(X) == clf.predict_proba(X)).all())
    True
    """
    target = Path(path)
    estimator = method_of(model)
    if estimator is None:
        raise TypeError(
            f"model is {model!r:.200}: give an estimator of isthmus, a result of isthmus.transfer, or a Pipeline that "
            "ends in such an estimator."
        )
    check_is_fitted(estimator, "classes_")
    for name in FITTED:
        getattr(estimator, name, None)  # some models find labels when they are asked for
    if not target.parent.is_dir():
        raise FileNotFoundError(f"path names {target}, whose folder does not exist: make it first.")
    if target.is_dir():
        raise IsADirectoryError(f"path names {target}, which is a folder: add a file name.")
    if target.exists() and not force:
        raise FileExistsError(
            f"path names {target}, which exists: choose another name, or say force=True to replace it."
        )

    if isinstance(model, Result):  # texts may be many, and are not for everyone's eyes
        profile = profile_target(model) if model.profile is None else model.profile
        model = replace(model, source_texts=(), source_labels=(), target_texts=(), X=None, profile=profile)
    encoder = TreeEncoder()
    tree = encoder.encode(model, type(model).__name__)
    needs_encoder = encoder.encoder is not None
    about = {
        "model": type(model).__name__,
        "method": type(estimator).__name__,
        "settings": _settings(estimator),
        "learned": what_was_learned(model, estimator),
        "encoder": _identity(encoder.encoder) or needs_encoder,
    }
    with Staging(replacing=force) as staging:
        beside = staging.place(target)
        beside.write_bytes(pack(tree, encoder.tensors, about))
        del tree  # a large model will be there twice
        try:
            _open(beside, encoder.encoder)  # a file that would not load is not kept
        except ModelFileError as error:
            raise ValueError(f"model cannot be saved: in a file, {error}.") from error
        staging.commit()
    if needs_encoder and not isinstance(encoder.encoder, StaticEncoder):
        warn(
            f"{target} does not hold the encoder, a {type(encoder.encoder).__name__}: give it to isthmus.load(path, "
            "encoder=...) as well.",
            EncoderNotSavedWarning,
        )


def load(path: str | os.PathLike[str], *, encoder: Any = None) -> Any:
    """Read a model that `isthmus.save` wrote. Nothing that stands in the file is run.

    Parameters
    ----------
    path : str or path
    encoder : object with a method `encode`, name or folder of a static model, optional
        For a result of `isthmus.transfer(..., encoder=model)`: that model, which the file does not hold. A static model
        need be named only if it has moved.

    Raises
    ------
    ModelFileError
        If the file is broken, too new, or not a model file: always this, whatever stands in it. `EncoderNeededError`,
        `EncoderMissingError` and `EncoderUnneededError`, which are ModelFileErrors, if only the encoder is wrong.

    Examples
    --------
    >>> import tempfile, pathlib, isthmus
    >>> result = isthmus.transfer(
    ...     ["my card was charged twice", "refund the charge please", "the upload crashes", "photos crash the app"],
    ...     ["billing", "billing", "fault", "fault"],
    ...     ["charged twice for one ride, refund please", "the app crashes at the dock"],
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     isthmus.save(result, pathlib.Path(folder, "model.isthmus"))
    ...     loaded = isthmus.load(pathlib.Path(folder, "model.isthmus"))
    >>> loaded.predict(["a refund for two charges", "crashes"]).tolist()
    ['billing', 'fault']
    """
    if encoder is not None:
        encoder = read_encoder(encoder)
    source = Path(path)
    if not source.exists():
        raise FileNotFoundError(f"path names {source}, which does not exist.")
    try:
        require(source.is_file(), "it is not a file")  # a pipe could be waited for without end
        model, about = _open(source, encoder)
    except ModelFileError as error:
        error.args = (f"{source} cannot be loaded: {error}.",)  # callers go by its class
        raise
    _warn_of_versions(source, about["versions"]["scikit-learn"])
    return model


def _open(path: Path, encoder: Any) -> tuple[Any, dict[str, Json]]:
    with path.open("rb") as file:
        return _read(file, os.fstat(file.fileno()).st_size, encoder)


def _read(file: BinaryIO, size: int, encoder: Any) -> tuple[Any, dict[str, Json]]:
    try:
        tree, tensors, about = unpack(file, size)
        needed = about["encoder"]
        require(isinstance(about["versions"]["scikit-learn"], str), "its header is malformed")
        if needed not in (True, False):
            encoder, needed = _found(needed, encoder), True
        lacking = "its encoder is not in it: give it, as load(path, encoder=...)"
        require(encoder is not None or not needed, lacking, EncoderNeededError)
        require(encoder is None or needed, "it needs no encoder: leave encoder= out", EncoderUnneededError)
        decoder = TreeDecoder(tensors, encoder, about["schema"])
        model = decoder.decode(tree)
        check_fields(model)
        check_model(model, decoder.sizes, encoder)
        require(not decoder.unused, "it holds arrays that no part of the model uses")
    except ModelFileError:
        raise
    except Exception as error:  # of a forged file, every step can fail in its own way
        raise ModelFileError(f"it is not put together as a model ({type(error).__name__})") from error
    return model, about


def _identity(encoder: Any) -> Json:
    """What a file says of an encoder that can be found again; None of others."""
    return {"name": encoder.name, "digest": encoder.digest} if isinstance(encoder, StaticEncoder) else None


def _found(identity: Json, given: Any) -> Any:
    """The static model that a file names, or another copy of it that is given."""
    name, digest = (identity[key] for key in ("name", "digest"))
    require(set(map(type, identity.values())) == {str} and len(digest) == 64, "its header is malformed")
    if given is not None:
        same = isinstance(given, StaticEncoder) and given.digest == digest
        require(same, f"it was fitted with the encoder {name!r:.200}, and {given!r:.200} is another")
        return given
    with suppress(DataError):  # where the file was made, it may have stood in another folder
        return static_encoder(STATIC, digest)
    try:
        return static_encoder(name, digest)
    except DataError as error:
        reason = str(error).rstrip(".")
        said = f"its encoder is missing: {reason}; if it has moved, say load(path, encoder=...)"
        raise EncoderMissingError(said, reason) from error


def _settings(estimator: Any) -> dict[str, Json]:
    """For people who look into the file: plain values, and the class of all others. Nothing reads it."""

    def shown(value: Any) -> Json:
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else repr(float(value))
        return value if value is None or type(value) in (bool, int, str) else type(value).__name__

    return {name: shown(value) for name, value in estimator.get_params(deep=False).items() if name != "callback"}


def _warn_of_versions(source: Path, then: str) -> None:
    now = versions()["scikit-learn"]
    if then.split(".")[:2] != now.split(".")[:2]:
        warn(
            f"{source} was saved with scikit-learn {then:.40} and is loaded with {now}: predictions may differ, so "
            "install that version, or fit the model again.",
            LibraryVersionWarning,
        )
