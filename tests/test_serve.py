"""The server: right labels, limits that hold, and nothing that ends in a 500."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import HashingVectorizer
from starlette.testclient import TestClient

import isthmus
from isthmus.serving import Batcher, Limits, QueueFullError, ServedModel, serving_app
from test_quality import make

SOURCE, TARGET = make(40, 0), make(30, 1, "t")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("models")
    texts, labels = [row["text"] for row in SOURCE], [row["label"] for row in SOURCE]
    target = [row["text"] for row in TARGET]
    other = [{"pay": "money", "bug": "fault"}[label] for label in labels]
    for name, method, own in (("lr", "LR", labels), ("tcl", "TCL", labels), ("other", "LR", other)):
        isthmus.save(isthmus.transfer(texts, own, target, method=method), found / f"{name}.isthmus")
    return found


def served(folder: Path, *names: str) -> list[ServedModel]:
    return [ServedModel(name, str(folder / f"{name}.isthmus"), isthmus.load) for name in names]


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[TestClient]:
    limits = Limits(body=20_000, documents=50)
    with TestClient(serving_app(served(folder, "lr", "tcl"), limits)) as found:
        yield found


def test_labels_are_those_of_the_model(folder: Path, client: TestClient) -> None:
    texts = [row["text"] for row in TARGET]
    for path, name in (("/v1/label", "lr"), ("/v1/models/lr/label", "lr"), ("/v1/models/tcl/label", "tcl")):
        model = isthmus.load(folder / f"{name}.isthmus")
        documents = [{"id": str(n), "text": text} if n % 2 else text for n, text in enumerate(texts)]
        body = client.post(path, json={"documents": documents}).json()
        assert body["model"] == name
        assert [one["label"] for one in body["results"]] == model.predict(texts).tolist()
        assert [one["id"] for one in body["results"]] == [str(n) if n % 2 else None for n in range(len(texts))]
        found = [[one["probabilities"][label] for label in model.classes] for one in body["results"]]
        assert np.allclose(found, model.predict_proba(texts), atol=1e-6)
        assert all(one["confidence"] == max(one["probabilities"].values()) for one in body["results"])


def test_words_that_decided(client: TestClient) -> None:
    for name in ("lr", "tcl"):
        body = client.post(f"/v1/models/{name}/explain", json={"text": "refund invoice crash", "words": 2.0}).json()
        assert body["label"] == "pay"
        assert set(body["words"]) <= {"refund", "invoice"}


def test_label_and_words_are_of_one_model(folder: Path) -> None:
    """Also where a new file is loaded in the midst of it."""
    (model,) = served(folder, "lr")
    loaded = [isthmus.load(folder / f"{name}.isthmus") for name in ("lr", "other")]
    with mock.patch.object(ServedModel, "result", create=True, new_callable=mock.PropertyMock, side_effect=loaded):
        label, words = model.explain("refund invoice crash", 2)
    assert label == "pay"
    assert set(words) == {"refund", "invoice"}


def test_a_model_whose_words_have_no_names_says_so(tmp_path: Path) -> None:
    texts, labels = [row["text"] for row in SOURCE], [row["label"] for row in SOURCE]
    hashing = HashingVectorizer(n_features=64, alternate_sign=False)
    isthmus.save(isthmus.transfer(texts, labels, texts, vectorizer=hashing, method="LR"), tmp_path / "hashed.isthmus")
    with TestClient(serving_app(served(tmp_path, "hashed"))) as client:
        answer = client.post("/v1/models/hashed/explain", json={"text": "refund invoice"})
        assert answer.status_code == 422
        assert "gives its columns no names" in answer.json()["error"]
        assert client.post("/v1/label", json={"documents": ["refund invoice"]}).status_code == 200


def test_what_it_is_made_of(client: TestClient) -> None:
    assert [one["name"] for one in client.get("/v1/models").json()["models"]] == ["lr", "tcl"]
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready"}
    before = _counted(client)
    client.post("/v1/label", json={"documents": ["refund", "card"]})
    assert _counted(client) - before == 2
    described = client.get("/openapi.json").json()
    posts = {path for path, methods in described["paths"].items() if "post" in methods}
    assert posts == {"/v1/label", "/v1/models/{name}/label", "/v1/models/{name}/explain"}


def _counted(client: TestClient) -> float:
    lines = client.get("/metrics").text.splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith("isthmus_documents_total{"))


REFUSED: dict[str, tuple[dict[str, Any], int]] = {
    "no JSON": ({"content": b"{"}, 400),
    "not UTF-8": ({"content": b"\xff\xfe"}, 400),
    "nothing": ({"content": b""}, 400),
    "a list": ({"json": ["a"]}, 400),
    "deep": ({"content": b"[" * 15_000}, 400),
    "no documents": ({"json": {}}, 422),
    "no document": ({"json": {"documents": []}}, 422),
    "a text alone": ({"json": {"documents": "text"}}, 422),
    "a number": ({"json": {"documents": [1]}}, 422),
    "null": ({"json": {"documents": [None]}}, 422),
    "no text": ({"json": {"documents": [{"id": "1"}]}}, 422),
    "a number as id": ({"json": {"documents": [{"id": 1, "text": "a"}]}}, 422),
    "a long id": ({"json": {"documents": [{"id": "x" * 500, "text": "a"}]}}, 422),
    "too many": ({"json": {"documents": ["a"] * 51}}, 422),
    "too large": ({"json": {"documents": ["a" * 30_000]}}, 413),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_is_refused_with_a_sentence(client: TestClient, case: str) -> None:
    options, status = REFUSED[case]
    answer = client.post("/v1/label", **options)
    assert answer.status_code == status
    assert answer.json()["error"].endswith(".")


def test_addresses_that_are_none(client: TestClient) -> None:
    assert client.post("/v1/models/none/label", json={"documents": ["a"]}).status_code == 404
    assert client.get("/v1/label").status_code == 405
    assert client.get("/nothing").status_code == 404
    for words in (0, 101, "3", True, None):
        assert client.post("/v1/models/lr/explain", json={"text": "a", "words": words}).status_code == 422


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "text", "documents"]), inner),
    max_leaves=8,
)
SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25)


@SHARED
@given(st.dictionaries(st.sampled_from(["documents", "text", "words"]), JSON), st.sampled_from(["label", "explain"]))
def test_no_json_ends_in_an_error_of_the_server(client: TestClient, body: dict[str, Any], what: str) -> None:
    answer = client.post(f"/v1/models/lr/{what}", content=json.dumps(body).encode())
    assert answer.status_code in (200, 400, 413, 422)
    assert isinstance(answer.json(), dict)


@SHARED
@given(st.binary(max_size=200))
def test_no_bytes_do_either(client: TestClient, body: bytes) -> None:
    assert client.post("/v1/label", content=body).status_code in (400, 422)


def test_half_characters_are_answered(client: TestClient) -> None:
    body = b'{"documents": [{"id": "\\ud800", "text": "refund \\udfff card"}]}'
    answer = client.post("/v1/label", content=body)
    assert answer.status_code == 200
    assert answer.json()["results"][0]["id"] == "?"


# ---- batches and limits


def alone(work: Coroutine[Any, Any, Any]) -> Any:
    """In a thread of its own: that of a browser's tests may have a loop that runs."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def test_requests_that_wait_are_answered_together_each_with_its_own() -> None:
    calls: list[int] = []
    first = threading.Event()

    def label(texts: Sequence[str]) -> list[str]:
        if not calls:
            first.wait(10)  # the others gather meanwhile
        calls.append(len(texts))
        return [text.upper() for text in texts]

    async def go() -> list[list[str]]:
        batcher = Batcher(label, most_waiting=100)
        one = asyncio.create_task(batcher.submit(["a0", "b0"]))
        await asyncio.sleep(0)
        while batcher.n_waiting:
            await asyncio.sleep(0)
        others = [asyncio.create_task(batcher.submit([f"a{n}", f"b{n}"])) for n in range(1, 20)]
        while batcher.n_waiting < 38:
            await asyncio.sleep(0)
        first.set()
        found = await asyncio.gather(one, *others)
        batcher.close()
        assert batcher.n_waiting == 0
        return found

    assert alone(go()) == [[f"A{n}", f"B{n}"] for n in range(20)]
    assert calls == [2, 38]


def test_a_full_queue_says_so_at_once_and_errors_are_for_those_who_asked() -> None:
    hold = threading.Event()

    def label(texts: Sequence[str]) -> list[str]:
        hold.wait(10)
        if "bad" in texts:
            raise ValueError("bad")
        return list(texts)

    async def go() -> None:
        batcher = Batcher(label, most_waiting=3)
        working = asyncio.create_task(batcher.submit(["bad"]))
        await asyncio.sleep(0)
        while batcher.n_waiting:
            await asyncio.sleep(0)
        waiting = asyncio.create_task(batcher.submit(["x", "y"]))
        await asyncio.sleep(0)
        with pytest.raises(QueueFullError):
            await batcher.submit(["1", "2"])
        gone = asyncio.create_task(batcher.submit(["z"]))
        await asyncio.sleep(0)
        gone.cancel()  # who asked has gone, and leaves room
        with pytest.raises(asyncio.CancelledError):
            await gone
        assert int(batcher.n_waiting) == 2
        hold.set()
        with pytest.raises(ValueError, match="bad"):
            await working
        assert await waiting == ["x", "y"]
        batcher.close()

    alone(go())


def test_what_takes_too_long_is_ended_and_what_has_no_room_refused(folder: Path) -> None:
    (model,) = served(folder, "lr")
    hold = threading.Event()
    right = model.probabilities

    def slow(texts: Sequence[str]) -> Any:
        hold.wait(10)
        return right(texts)

    model.probabilities = slow  # type: ignore[method-assign]
    with TestClient(serving_app([model], Limits(seconds=0.05, waiting=4))) as client:
        assert client.post("/v1/label", json={"documents": ["refund"]}).status_code == 503  # it is being worked on
        answers = [client.post("/v1/label", json={"documents": ["refund"] * 3}) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [503, 503]  # whoever gives up leaves room
        assert answers[0].headers["retry-after"] == "1"
        hold.set()
        assert client.get("/readyz").status_code == 200
    with TestClient(serving_app(served(folder, "lr"), Limits(requests=0))) as client:
        assert client.post("/v1/label", json={"documents": ["refund"]}).status_code == 429
        assert client.get("/readyz").status_code == 503
        assert client.get("/healthz").status_code == 200
