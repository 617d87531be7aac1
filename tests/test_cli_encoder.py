"""`isthmus fit --encoder` and `isthmus predict --encoder`."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest

from command import run
from isthmus.exceptions import EncoderMissingError, EncoderNeededError, EncoderUnneededError, ModelFileError
from test_cli_fit import files, fit

__all__ = ["files"]  # a fixture


class Letters:
    """A sentence-transformers model, as far as it is needed."""

    def __init__(self, name: str) -> None:
        if name != "letters":
            raise OSError("there is no such model\nand here is why")

    def encode(self, texts: list[str]) -> np.ndarray:
        return np.array([[text.count(letter) for letter in "abcdefghijklmnop"] for text in texts], float) - 0.5


def test_encoders_are_named_for_fit_and_for_predict(files: Path) -> None:
    model = files / "m.isthmus"
    with mock.patch.dict(sys.modules, {"sentence_transformers": mock.Mock(SentenceTransformer=Letters)}):
        done = fit(files, "--encoder", "letters", "-o", model, "--method", "LR")
        assert done.err == ""
        assert run("predict", model, files / "target.csv", "--encoder", "letters").code == 0
        assert "name it with --encoder" in run("predict", model, files / "target.csv").sentence
        why = run("explain", model, "--encoder", "letters", "--document", "a bad banana").stdout.splitlines()
        assert why[1].split() == ["dimension", "weight"]
        bad = run("fit", "--source", files / "source.csv", "--target", files / "target.csv", "--encoder", "none")
        assert bad.sentence == "isthmus: --encoder names 'none', which cannot be loaded: there is no such model."
    with mock.patch.dict(sys.modules, {"sentence_transformers": None}):
        bad = run("fit", "--source", files / "source.csv", "--target", files / "target.csv", "--encoder", "letters")
        assert "pip install 'isthmus[embed]'" in bad.sentence


def test_what_an_explanation_names(files: Path) -> None:
    """Words, if the model reads them beside embeddings; otherwise the dimensions of these."""
    model, document = files / "m.isthmus", ["--document", "a refund for the bad crash"]
    with mock.patch.dict(sys.modules, {"sentence_transformers": mock.Mock(SentenceTransformer=Letters)}):
        for method, kind in {"Auto": "word", "LR": "dimension", "TCL": "dimension"}.items():
            fit(files, "--encoder", "letters", "-o", model, "--method", method, "--force")
            table = run("explain", model, "--encoder", "letters", *document).stdout.splitlines()[1:]
            assert table[0].split() == [kind, "weight"]
            assert len(table) > 1
            assert all(row.startswith("<dimension") == (kind == "dimension") for row in table[1:])
        assert "<dimension 3>" in run("explain", model, "--encoder", "letters", "--words", "40").stdout


@pytest.mark.parametrize("attribute", ["ready", "make", "Made"])
def test_encoders_of_installed_packages(files: Path, attribute: str) -> None:
    package = SimpleNamespace(ready=Letters("letters"), make=lambda: Letters("letters"), lame=dict)
    package.Made = type("Made", (Letters,), {"__init__": lambda self: None})
    with mock.patch.dict(sys.modules, {"some_package": package, "sentence_transformers": None}):
        done = fit(files, "--encoder", f"some_package:{attribute}", "-o", files / "m.isthmus", "--method", "LR")
        assert done.err == ""
        assert run("predict", files / "m.isthmus", files / "target.csv", "--encoder", "some_package:make").code == 0
        for name, reason in {"lame": "with a method encode", "gone": "gone", "none.such:x": "No module"}.items():
            named = name if ":" in name else f"some_package:{name}"
            bad = run("fit", "--source", files / "source.csv", "--target", files / "target.csv", "--encoder", named)
            assert reason in bad.sentence


def test_an_encoder_of_another_width_is_named(files: Path) -> None:
    wide = SimpleNamespace(encode=lambda texts: np.ones((len(texts), 99)))
    package = SimpleNamespace(letters=Letters("letters"), wide=wide)
    with mock.patch.dict(sys.modules, {"some_package": package}):
        fit(files, "--encoder", "some_package:letters", "-o", files / "m.isthmus", "--method", "LR")
        bad = run("predict", files / "m.isthmus", files / "target.csv", "--encoder", "some_package:wide")
    assert "--encoder names 'some_package:wide', which is not the encoder of" in bad.sentence
    assert bad.stdout == ""


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (EncoderNeededError("other words"), "M reads texts with an encoder: name it with --encoder, as for fit."),
        (EncoderUnneededError("other words"), "M reads words: leave --encoder out."),
        (
            EncoderMissingError("other words", "it has gone"),
            "M cannot be loaded: its encoder is missing: it has gone; if it has moved, name its folder with --encoder.",
        ),
        (ModelFileError("It is broken."), "It is broken."),
    ],
)
def test_what_a_command_says_of_an_encoder_goes_by_the_kind_of_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: ModelFileError, sentence: str
) -> None:
    (tmp_path / "m.isthmus").touch()
    monkeypatch.setattr("isthmus.load", mock.Mock(side_effect=error))
    said = run("explain", tmp_path / "m.isthmus").sentence
    assert said == f"isthmus: {sentence}".replace("M ", f"{tmp_path / 'm.isthmus'} ")


class Moody(Letters):
    """Fails when it is told to, or forgets a text."""

    error: Exception | None = None
    forgets = False

    def encode(self, texts: list[str]) -> np.ndarray:
        if self.error is not None and len(texts) > 1:  # a first small test goes well
            raise self.error
        return super().encode(texts[1:] if self.forgets and len(texts) > 1 else texts)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RuntimeError("CUDA out of memory.\nTried to allocate"), "CUDA out of memory"),
        (KeyError("x"), "KeyError 'x'"),
        (AssertionError(), "AssertionError"),
        (OSError(5, "gone"), "[Errno 5] gone"),
    ],
)
def test_an_encoder_that_fails_is_named_and_nothing_is_written(files: Path, error: Exception, reason: str) -> None:
    model, moody, named = files / "m.isthmus", Moody("letters"), ["--encoder", "some_package:moody"]
    with mock.patch.dict(sys.modules, {"some_package": SimpleNamespace(moody=moody)}):
        fit(files, *named, "-o", model, "--method", "LR")
        before = sorted(files.iterdir())
        moody.error = error
        for command in (
            ["fit", "--source", files / "source.csv", "--target", files / "target.csv", "-o", files / "other.isthmus"],
            ["predict", model, files / "target.csv", "-o", files / "out.csv"],
        ):
            bad = run(*command, *named)
            assert bad.sentence == f"isthmus: --encoder names 'some_package:moody': its encode failed: {reason}."
            moody.error, moody.forgets = None, True
            assert "it must return one row of features per text." in run(*command, *named).sentence
            moody.error, moody.forgets = error, False
    assert sorted(files.iterdir()) == before
