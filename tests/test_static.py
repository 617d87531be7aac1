"""Static encoders: found on this machine or not at all, and found again by what a model file says."""

from __future__ import annotations

import json
import pickle
import shutil
import sys
import warnings
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

import isthmus
from command import run
from conftest import SHARED_DATA
from isthmus.exceptions import DataError, EncoderMissingError, MissingDataError, ModelFileError
from isthmus.text import embed_texts, static_encoder

VECTORS = {"[UNK]": [0, 0], "refund": [1, 0], "charge": [1, 0.1], "crash": [0, 1], "crashes": [0.1, 1], "app": [0.2, 1]}
SOURCE, LABELS = ["refund", "charge refund", "crash", "app crashes"], ["billing", "billing", "fault", "fault"]
TARGET = ["refund charge", "crash crash"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model of six words; the hub's cache is empty."""
    model2vec = pytest.importorskip("model2vec", reason="NOT TESTED: static encoders need isthmus[static].")
    tokenizers = pytest.importorskip("tokenizers")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    words = tokenizers.models.WordLevel({word: i for i, word in enumerate(VECTORS)}, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(words)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    vectors = np.array(list(VECTORS.values()), dtype=np.float32)
    model = model2vec.StaticModel(vectors, tokenizer, config={"model_type": "model2vec"}, normalize=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # before version 0.10 it leaves files open
        model.save_pretrained(tmp_path / "model")
    return tmp_path / "model"


def test_rows_are_means_of_vectors_at_unit_length(folder: Path) -> None:
    rows = embed_texts(["refund crash", "nothing known", ""], folder)
    assert rows.dtype == np.float32
    mean = np.array([0.5, 0.5]) / np.linalg.norm([0.5, 0.5])
    assert rows == pytest.approx(np.array([mean, [0, 0], [0, 0]]), abs=1e-6)
    many = embed_texts(["refund charge", "crash app"] * 700, str(folder))
    assert np.array_equal(many[1], embed_texts(["crash app"], folder)[0])
    assert embed_texts([], folder).shape == (0, 2)


def test_a_model_file_finds_its_encoder_again(folder: Path, tmp_path: Path) -> None:
    result = isthmus.transfer(SOURCE, LABELS, TARGET, encoder=folder, method="LR")
    assert result.labels.tolist() == ["billing", "fault"]
    isthmus.save(result, tmp_path / "m.isthmus")  # without a warning
    loaded = isthmus.load(tmp_path / "m.isthmus")
    assert np.array_equal(loaded.predict_proba(SOURCE), result.predict_proba(SOURCE))
    moved = folder.rename(tmp_path / "elsewhere")
    with pytest.raises(
        EncoderMissingError, match=r"its encoder is missing: encoder is '.*model'.* on this machine"
    ) as raised:
        isthmus.load(tmp_path / "m.isthmus")
    assert raised.value.reason.startswith("encoder is '")
    assert pickle.loads(pickle.dumps(raised.value)).reason == raised.value.reason  # workers send it
    again = isthmus.load(tmp_path / "m.isthmus", encoder=moved)
    assert np.array_equal(again.predict_proba(SOURCE), result.predict_proba(SOURCE))


def test_another_encoder_is_refused(folder: Path, tmp_path: Path) -> None:
    result = isthmus.transfer(SOURCE, LABELS, TARGET, encoder=static_encoder(folder), method="LR")
    isthmus.save(result, tmp_path / "m.isthmus")
    other = Path(shutil.copytree(folder, tmp_path / "other"))
    config = json.loads((other / "config.json").read_text())
    (other / "config.json").write_text(json.dumps({**config, "more": 1}))
    with pytest.raises(ModelFileError, match=r"it was fitted with the encoder .* is another"):
        isthmus.load(tmp_path / "m.isthmus", encoder=other)
    shutil.rmtree(folder)
    other.rename(folder)
    with pytest.raises(ModelFileError, match="has changed: its SHA-256 is"):
        isthmus.load(tmp_path / "m.isthmus")


@pytest.mark.usefixtures("folder")
def test_what_is_missing_is_said_and_nothing_is_fetched(tmp_path: Path) -> None:
    with mock.patch("socket.socket.connect", side_effect=AssertionError("the network was asked")):
        with pytest.raises(MissingDataError, match=r"hf download minishlab/potion-base-8M\.$"):
            isthmus.transfer(SOURCE, LABELS, TARGET, encoder="static")
        with pytest.raises(MissingDataError, match=r"'some/model'.* hf download some/model\. A model of another kind"):
            static_encoder("some/model")
        with pytest.raises(MissingDataError, match=r"'no such thing'.*: name its folder\.$"):
            static_encoder("no such thing")
    with pytest.raises(DataError, match="which holds no static model"):
        static_encoder(tmp_path)
    with pytest.raises(TypeError, match="encoder is 3: give an object with a method encode"):
        embed_texts(["a"], 3)


def test_a_missing_extra_is_named(folder: Path) -> None:
    with mock.patch.dict(sys.modules, {"model2vec": None, "huggingface_hub": None}):
        for name in (folder, "static"):
            with pytest.raises(DataError, match=r"needs model2vec: pip install 'isthmus\[static\]'"):
                embed_texts(["a"], name)


def test_the_command_takes_a_folder_and_predict_needs_no_name(folder: Path, tmp_path: Path) -> None:
    lines = [json.dumps({"text": text, "label": label}) for text, label in zip(SOURCE, LABELS, strict=True)]
    (tmp_path / "s.jsonl").write_text("\n".join(lines))
    (tmp_path / "t.jsonl").write_text("\n".join(json.dumps({"text": text}) for text in TARGET))
    both = ("--source", tmp_path / "s.jsonl", "--target", tmp_path / "t.jsonl", "--method", "LR")
    done = run("fit", *both, "--encoder", folder, "-o", tmp_path / "m.isthmus")
    assert done.code == 0
    assert "encoder" not in done.err  # the model file names it
    assert run("predict", tmp_path / "m.isthmus", tmp_path / "t.jsonl").code == 0
    absent = run("fit", *both, "--encoder", "static").sentence
    assert absent.startswith("isthmus: --encoder static: ")
    assert "hf download minishlab/potion-base-8M" in absent
    moved = folder.rename(tmp_path / "elsewhere")
    missing = run("predict", tmp_path / "m.isthmus", tmp_path / "t.jsonl").sentence
    assert "if it has moved, name its folder with --encoder" in missing
    assert run("predict", tmp_path / "m.isthmus", tmp_path / "t.jsonl", "--encoder", moved).code == 0


@pytest.mark.skipif(not (SHARED_DATA / "encoders").is_dir(), reason="no encoder here")
def test_a_real_model_knows_words_alike() -> None:
    pytest.importorskip("model2vec")
    rows = embed_texts(["a refund", "my money back", "the sea is calm"], SHARED_DATA / "encoders" / "potion-base-8M")
    assert rows.shape == (3, 256)
    likeness = rows @ rows.T
    assert likeness[0, 1] > likeness[0, 2]
