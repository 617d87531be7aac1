"""What model files are made of: any array, any plain value, sparse matrices."""

from __future__ import annotations

import copy
from itertools import permutations
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from file_values import assert_same, through_a_file

NUMBERS = st.one_of(*(hnp.integer_dtypes(endianness=e) for e in "<>"), hnp.floating_dtypes(sizes=(16, 32, 64)))


@given(st.data())
def test_any_array(data: st.DataObject) -> None:
    """Numbers of any type and order, strings, bytes, booleans; slices and turned arrays too."""
    dtype = data.draw(st.one_of(NUMBERS, st.just(np.dtype(bool)), st.just(np.dtype("U3")), st.just(np.dtype("S2"))))
    array = data.draw(hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)))
    array = array.transpose(data.draw(st.permutations(range(array.ndim))))
    if array.ndim and data.draw(st.booleans()):
        array = array[::-1] if data.draw(st.booleans()) else array[..., ::2]
    loaded = through_a_file(array)
    assert_same(loaded, array.astype(array.dtype.newbyteorder("="), order="K"))
    assert loaded.flags.writeable
    assert_same(through_a_file(loaded), loaded)


PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.text(st.characters(categories=["Cs", "Lu"])),  # halves of pairs too, which UTF-8 has no bytes for
    st.binary(),
    st.sampled_from([np.float32(1 / 3), np.int64(-3), np.bool_(True), np.str_("é"), np.int64, np.dtype("float32")]),
)
HASHABLE = st.recursive(PLAIN, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3), max_leaves=4)
VALUES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(HASHABLE, inner, max_size=3) | st.sets(HASHABLE)
)


@given(VALUES)
def test_any_value(value: Any) -> None:
    loaded = through_a_file(value)
    if value != value or isinstance(value, set | frozenset):
        assert type(loaded) is type(value)
        assert repr(loaded) == repr(value) or loaded == value
    elif "nan" not in repr(value):
        assert loaded == value
        assert type(loaded) is type(value)


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array, sp.csr_matrix, sp.csc_matrix])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_matrices(kind: Any, index: Any) -> None:
    matrix = kind(np.array([[0, 1.5, 0], [0, 0, 0], [2, 0, -3]], dtype=np.float32))
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    assert_same(through_a_file(matrix), matrix)
    roomy = copy.copy(matrix)
    roomy.data, roomy.indices = np.append(matrix.data, 9).astype(np.float32), np.append(matrix.indices, index(0))
    assert_same(through_a_file(roomy), matrix)


def test_an_array_in_two_places_is_stored_once() -> None:
    array = np.arange(3.0)
    one, two, other = through_a_file([array, (array,), array.copy()])
    assert one is two[0]
    assert one is not other


@pytest.mark.parametrize("axes", list(permutations(range(3))))
def test_arrays_lie_in_memory_as_they_did(axes: tuple[int, ...]) -> None:
    array = np.arange(24.0).reshape(2, 3, 4).transpose(axes)
    loaded = through_a_file(array)
    assert np.array_equal(loaded, array)
    assert loaded.strides == array.strides
