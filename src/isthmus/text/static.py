"""Static embeddings: a table of vectors for parts of words, whose mean is a text's. No network runs, and none is used.

S. Tulkens and T. van Dongen, "Model2Vec: Fast State-of-the-Art Static Embeddings", 2024.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from isthmus.exceptions import DataError, MissingDataError, unheard
from isthmus.extras import import_extra
from isthmus.typing import Array

STATIC = "static"
"""Asks for the default model."""
DEFAULT_MODEL = "minishlab/potion-base-8M"
HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")
STATIC_MODELS = "minishlab/"
"""Whose models are static."""
FILES = ("config.json", "model.safetensors", "tokenizer.json")
"""Of a model, in its folder: what its digest is made of."""


@dataclass(frozen=True, eq=False)
class StaticEncoder:
    """A model2vec model on this machine. `static_encoder` finds one."""

    name: str
    """The folder, or the model's name on the hub, as it was asked for."""
    folder: Path

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the model's files: with another digest, rows would be others."""
        found = sha256()
        for name in FILES:
            found.update((self.folder / name).read_bytes())
        return found.hexdigest()

    @cached_property
    def _model(self) -> Any:
        library = import_extra("model2vec", f"The encoder {self.name!r} needs", "static")
        try:
            with unheard(ResourceWarning):  # before version 0.10 it leaves a file open
                return library.StaticModel.from_pretrained(self.folder)
        except Exception as error:  # what others read may break in their own ways
            said = (str(error).splitlines() or [""])[0].rstrip(". ")
            raise DataError(f"The encoder {self.name!r} cannot be loaded: {said}.") from error

    def encode(self, texts: list[str]) -> Array:
        """One row per text, in single precision: zeros for a text without any word."""
        if not texts:
            return np.zeros((0, self._model.dim), dtype=np.float32)
        rows = self._model.encode(texts, use_multiprocessing=False)  # one text gives the same bits as many
        return np.asarray(rows, dtype=np.float32)

    def __repr__(self) -> str:
        return f"StaticEncoder({self.name!r})"


def static_encoder(name: str | Path = STATIC, digest: str | None = None) -> StaticEncoder:
    """A static model of this machine, by its folder or its name on the hub; nothing is downloaded.

    Parameters
    ----------
    name : str or path
        A folder with a model; or the name of a model that is in the hub's cache, where ``hf download NAME`` puts it; or
        "static" for minishlab/potion-base-8M.
    digest : str, optional
        The model must have this one.

    Raises
    ------
    MissingDataError
        If the model is not on this machine.
    DataError
        If it is another than the digest says, or model2vec is not installed.
    """
    asked = DEFAULT_MODEL if str(name) == STATIC else str(name)
    folder = Path(asked)
    if is_static_folder(folder):
        folder, asked = folder.resolve(), str(folder.resolve())  # found again from another working directory
    elif folder.is_dir():
        raise DataError(
            f"encoder names the folder {asked}, which holds no static model ({', '.join(FILES)}): "
            "name the folder that does, or give an object with a method encode."
        )
    else:
        folder = _in_cache(asked)
    found = StaticEncoder(asked, folder)
    if digest is not None and found.digest != digest:
        raise DataError(
            f"The encoder {asked!r} has changed: its SHA-256 is {found.digest[:12]}..., and {digest[:12]}... is wanted."
        )
    return found


def local_static_encoder() -> StaticEncoder | None:
    """The default model, if model2vec is installed and the model on this machine."""
    if find_spec("model2vec") is None:
        return None
    try:
        return static_encoder()
    except DataError:
        return None


def is_static_folder(folder: Path) -> bool:
    """Whether it holds a static model, and not one that a network belongs to."""
    try:
        return all((folder / name).is_file() for name in FILES) and b"model2vec" in (folder / FILES[0]).read_bytes()
    except (OSError, ValueError):  # such as a name that no path can have
        return False


def _in_cache(name: str) -> Path:
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HFValidationError
    except ImportError:
        import_extra("model2vec", f"encoder is {name!r}, which needs", "static")  # which brings it
        raise
    try:
        folder = Path(snapshot_download(name, local_files_only=True))
    except (OSError, HFValidationError):
        folder = Path(name)
    if not is_static_folder(folder):
        is_on_hub = HUB_NAME.fullmatch(name)
        get = f", or get it with hf download {name}" if is_on_hub else ""
        is_other = is_on_hub and not name.startswith(STATIC_MODELS)
        other = " A model of another kind is given as an object, such as SentenceTransformer(...)." if is_other else ""
        raise MissingDataError(
            f"encoder is {name!r}, and no static model of that name is on this machine: name its folder{get}.{other}"
        )
    return folder
