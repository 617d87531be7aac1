"""Any value, into a model file and back."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import scipy.sparse as sp

from isthmus.io.models.container import pack, unpack
from isthmus.io.models.decoding import TreeDecoder
from isthmus.io.models.encoding import TreeEncoder

NOT_KEPT = {"_stop_words_id", "distributions"}
"""An address in memory; and what a solution found for the documents of the fit, which its estimator has."""


def assert_same(one: Any, other: Any) -> None:
    """Equal in type and content, bit for bit, all the way down."""
    assert type(one) is type(other)
    if isinstance(one, np.ndarray) and one.dtype != object:
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert one.tobytes() == other.tobytes()
        walk = [np.abs(array.strides) * (np.array(array.shape) > 1) for array in (one, other)]
        assert np.array_equal(np.argsort(-walk[0], kind="stable"), np.argsort(-walk[1], kind="stable"))
    elif isinstance(one, np.ndarray):
        assert one.shape == other.shape
        assert_same(one.ravel().tolist(), other.ravel().tolist())
    elif sp.issparse(one):
        assert one.shape == other.shape
        for part in ("data", "indices", "indptr"):
            assert_same(getattr(one, part), getattr(other, part))
    elif isinstance(one, np.random.RandomState):
        assert_same(one.get_state(), other.get_state())
    elif isinstance(one, dict):
        assert_same(list(one.items()), list(other.items()))
    elif isinstance(one, list | tuple):
        assert len(one) == len(other)
        for left, right in zip(one, other, strict=True):
            assert_same(left, right)
    elif isinstance(one, float | np.generic):
        assert np.array(one).tobytes() == np.array(other).tobytes()
    elif hasattr(one, "__dict__") and not isinstance(one, type):
        assert_same(*({k: v for k, v in sorted(vars(each).items()) if k not in NOT_KEPT} for each in (one, other)))
    else:
        assert one == other


def through_a_file(value: Any) -> Any:
    """Any value, not only a model."""
    encoder = TreeEncoder()
    content = pack(encoder.encode(value, "value"), encoder.tensors, {})
    tree, tensors, _ = unpack(io.BytesIO(content), len(content))
    decoder = TreeDecoder(tensors)
    found = decoder.decode(tree)
    assert not decoder.unused
    return found
