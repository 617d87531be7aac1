"""How a fit reads its arguments, which is the same for all methods, and the sentences for what it refuses."""

from __future__ import annotations

from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval

import isthmus
from conftest import Toy, build
from isthmus.core.numerics import stack
from isthmus.core.parts import rows_of
from isthmus.core.problem import make_problem
from isthmus.exceptions import EmptyDocumentWarning, SmallClassWarning
from isthmus.methods import LR, METHODS


def with_value(X: Any, value: float) -> Any:
    spoiled = X.copy()
    spoiled.data[17] = value
    return spoiled


def disjoint(toy: Toy) -> Any:
    source, target = (sp.csr_array(sp.diags_array(1.0 * (toy.in_target == side)) @ toy.X) for side in (False, True))
    return sp.csr_array(sp.hstack([source, target]))


BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "NaN": (lambda t: {"X": with_value(t.X, np.nan)}, ValueError, "X holds NaN, first in row 1: replace"),
    "infinity": (lambda t: {"X": with_value(t.X, np.inf)}, ValueError, "X holds infinity, first in row 1: replace"),
    "no word in the target": (
        lambda t: {"X": sp.csr_array(sp.diags_array(1.0 * ~t.in_target) @ t.X)},
        ValueError,
        "X holds no word in any of the 120 documents of domain 'target': vectorize",
    ),
    "disjoint words": (lambda t: {"X": disjoint(t)}, ValueError, "'target' shares no word with the labeled"),
    "unknown target": (
        lambda t: {"target_domain": "moon"},
        ValueError,
        "target_domain names 'moon', which has no rows; the domains here are",
    ),
    "one of several targets unknown": (lambda t: {"target_domain": ["target", "moon"]}, ValueError, "names 'moon'"),
    "an empty list of targets": (
        lambda t: {"target_domain": []},
        ValueError,
        r"target_domain is \[\], which names no domain: choose from '(source|target)', '(source|target)'",
    ),
    "an empty tuple of targets": (
        lambda t: {"target_domain": ()},
        ValueError,
        r"target_domain is \(\), which names no",
    ),
    "an empty target in one domain": (
        lambda t: {"sample_domain": None, "target_domain": np.array([])},
        ValueError,
        "which names no domain: choose from 'all'",
    ),
    "no target named": (lambda t: {"target_domain": None}, ValueError, "target_domain is missing and sample_domain"),
    "short y": (lambda t: {"y": t.y[:-3]}, ValueError, "y has 237 entries and X has 240 rows: give one"),
    "no y": (lambda t: {"y": None}, ValueError, "requires y to be passed"),
    "one class": (
        lambda t: {"y": np.where(t.in_target, t.y, "class 0")},
        ValueError,
        "y has one class only, 'class 0'",
    ),
    "NaN label": (
        lambda t: {"y": np.where(np.arange(240) == np.flatnonzero(~t.in_target)[3], np.nan, 1.0)},
        ValueError,
        "y holds NaN or infinity in a row whose label may be read: give it a label",
    ),
    "None label": (
        lambda t: {"y": np.array([None, *t.y[1:]], dtype=object), "sample_labeled": np.ones(240, dtype=bool)},
        ValueError,
        "y holds None in a row whose label may be read",
    ),
    "labels of two types": (
        lambda t: {"y": np.array([1 if i % 2 else "a" for i in range(240)], dtype=object)},
        TypeError,
        "y mixes labels of the types int, str",
    ),
    "real-valued labels": (lambda t: {"y": np.linspace(0, 1, 240)}, ValueError, "Unknown label type"),
    "short sample_domain": (lambda t: {"sample_domain": t.domain[:-1]}, ValueError, "sample_domain has 239 entries"),
    "one string as sample_domain": (lambda t: {"sample_domain": "source"}, TypeError, "sample_domain is 'source'"),
    "a domain that is missing": (
        lambda t: {"sample_domain": [None, *t.domain[1:]]},
        ValueError,
        r"sample_domain\[0\] is None: every row needs",
    ),
    "a domain that pandas misses": (
        lambda t: {"sample_domain": pd.Series([pd.NA, *t.domain[1:]], dtype="string")},
        ValueError,
        r"sample_domain\[0\] is <NA>: every row needs",
    ),
    "unhashable domain": (
        lambda t: {"sample_domain": [["x"], *t.domain[1:].tolist()]},
        TypeError,
        r"sample_domain\[0\] is \['x'\], which is not hashable",
    ),
    "mask of numbers": (lambda t: {"sample_labeled": np.ones(240)}, TypeError, "sample_labeled holds float64 values"),
    "short mask": (lambda t: {"sample_labeled": [True, False]}, ValueError, r"sample_labeled has shape \(2,\)"),
    "nothing labeled": (lambda t: {"sample_labeled": np.zeros(240, dtype=bool)}, ValueError, "No label may be read"),
    "every domain a target": (lambda t: {"target_domain": ["source", "target"]}, ValueError, "No label may be read"),
    "text for numbers": (lambda t: {"X": [["a", "b"]] * 240}, ValueError, "could not convert string"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_one_sentence(case: str, toy: Toy) -> None:
    change, error, message = BAD[case]
    with pytest.raises(error, match=message) as raised:
        toy.fit(isthmus.LR(), **change(toy))
    if case != "text for numbers":  # scikit-learn's own
        assert "\n" not in str(raised.value)


def test_every_method_reads_its_arguments_with_the_same_function(method: str, toy: Toy) -> None:
    with pytest.raises(ValueError, match="target_domain names 'moon', which has no rows"):
        toy.fit(build(method), target_domain="moon")


@pytest.mark.parametrize(("dtype", "scale"), [(np.float32, 1e20), (np.float32, 1e-20), (float, 1e100), (float, 1e-160)])
def test_values_of_x_whose_squares_overflow_or_vanish_are_refused(dtype: Any, scale: float, toy: Toy) -> None:
    X = (toy.X * scale).astype(dtype)
    with pytest.raises(ValueError, match=r"The largest value of X is .*e.*, and sums of squares of such numbers"):
        toy.fit(isthmus.KMeans(), X=X)
    model = toy.fit(isthmus.KMeans(random_state=0), X=X / X.max())
    if scale < 1:
        assert np.isfinite(model.predict_proba(X)).all()
    else:
        with pytest.raises(ValueError, match="sums of squares of such numbers"):
            model.predict(X)


@pytest.mark.parametrize("name", ["TCL", "NMTF"])
def test_negative_values_are_refused_by_factorizations(name: str, toy: Toy) -> None:
    with pytest.raises(ValueError, match=f"Negative values in data passed to {name}: X holds -1, first in row 1"):
        toy.fit(build(name), X=with_value(toy.X, -1))
    model = toy.fit(build(name))
    with pytest.raises(ValueError, match="Negative values in data"):
        model.predict(with_value(toy.X, -1))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_topics": 0}, "'n_topics' parameter of TCL must be an int in the range"),
        ({"common_weight": 1.5}, "'common_weight' parameter of TCL must be a float in the range"),
        ({"max_iter": 2.5}, "'max_iter' parameter"),
        ({"tol": -1}, "'tol' parameter"),
        ({"start_C": 0}, "'start_C' parameter"),
        ({"callback": 3}, "'callback' parameter"),
    ],
)
def test_parameters_out_of_range_are_named(params: dict[str, Any], message: str, toy: Toy) -> None:
    with pytest.raises(ValueError, match=message):
        toy.fit(isthmus.TCL(**params))


def test_true_is_refused_where_a_whole_number_is_needed(method: str, toy: Toy) -> None:
    for name, rules in build(method)._parameter_constraints.items():
        if any(isinstance(rule, Interval) and rule.type is Integral for rule in rules):
            with pytest.raises(ValueError, match=f"'{name}' parameter of {method} must be an int in .* Got True"):
                toy.fit(METHODS[method](**{name: True}))


@pytest.mark.parametrize("widths", [(-1,), (np.nan,), (np.inf,), ("a",), [[1, 2]], (1, 0)])
def test_widths_are_positive_numbers(widths: Any, toy: Toy) -> None:
    with pytest.raises(ValueError, match=r"widths is .*: give positive numbers"):
        toy.fit(isthmus.DTMKL(widths=widths))


@pytest.mark.parametrize(
    ("estimator", "name"), [(isthmus.KDE(sharpness=1e6), "sharpness"), (isthmus.SGT(c=1e300), "c")]
)
def test_parameters_that_would_overflow_are_named(estimator: Any, name: str, toy: Toy) -> None:
    with pytest.raises(ValueError, match=f"'{name}' parameter of .* must be a float in the range"):
        toy.fit(estimator)


def test_a_class_of_one_document_is_warned_of(toy: Toy) -> None:
    y = toy.y.astype(object)
    y[np.flatnonzero(~toy.in_target)[0]] = "rare"
    with pytest.warns(SmallClassWarning, match="Class 'rare' has a single labeled document"):
        toy.fit(isthmus.LR(), y=y)


def test_a_class_of_empty_documents_is_named(toy: Toy) -> None:
    y, X = toy.y.astype(object), toy.X.toarray()
    rare = np.flatnonzero(~toy.in_target)[:2]
    y[rare], X[rare] = "rare", 0
    with pytest.raises(ValueError, match="Every labeled document of 'rare' is empty"):
        toy.fit(isthmus.LR(), X=X, y=y)


def test_problem_is_read_only_and_hides_the_targets_labels(toy: Toy) -> None:
    problem = make_problem(isthmus.TCL(), toy.X, toy.y, toy.domain, "target")
    target = problem.targets[0]
    assert not target.labels.any()
    assert not target.labeled.any()
    assert np.array_equal(np.sort(np.concatenate([d.rows for d in problem.domains])), np.arange(len(toy.y)))
    assert np.array_equal(target.matrix.toarray(), toy.X[target.rows].toarray())
    for array in (target.labels, target.rows, target.labeled, target.matrix.data, problem.known, problem.class_prior):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError):
        problem.domains = ()  # type: ignore[misc]  # that it cannot be set is the point


def test_labeled_documents_of_all_domains_are_stacked(toy: Toy) -> None:
    mask = ~toy.in_target
    mask[np.flatnonzero(toy.in_target)[:4]] = True
    problem = make_problem(isthmus.TCL(), toy.X, toy.y, toy.domain, "target", mask)
    X, numbers = problem.labeled
    rows = np.concatenate([d.rows[d.labeled] for d in problem.domains])
    assert np.array_equal(X.toarray(), toy.X[rows].toarray())
    assert np.array_equal(problem.classes[numbers], toy.y[rows])
    assert problem.class_prior.sum() == pytest.approx(1)


def test_entries_of_y_that_may_not_be_read_do_not_change_the_classes(toy: Toy) -> None:
    numbers = [int(name[-1]) for name in toy.y]
    for filler in ("?", None, 1.5):
        y = [filler if hidden else number for number, hidden in zip(numbers, toy.in_target, strict=True)]
        model = toy.fit(isthmus.LR(), y=y)
        assert model.classes_.dtype.kind == "i"
        assert model.classes_.tolist() == [0, 1]


@pytest.mark.parametrize("dtype", ["Int64", "boolean", "category", "string"])
@pytest.mark.parametrize("gaps", [True, False])
@pytest.mark.parametrize("container", [pd.Series, pd.array])
def test_labels_of_pandas_keep_their_type(dtype: str, gaps: bool, container: Any, toy: Toy) -> None:
    numbers = (toy.y == "class 1").astype(int)
    kinds: dict[str, list[Any]] = {"boolean": [False, True], "string": ["a", "b"]}
    classes = kinds.get(dtype, [0, 1])
    values = [pd.NA if gaps and hidden else classes[n] for n, hidden in zip(numbers, toy.in_target, strict=True)]
    model = toy.fit(isthmus.LR(), y=container(values, dtype=dtype))
    assert model.classes_.tolist() == classes
    assert [type(name) for name in model.classes_.tolist()] == [type(name) for name in classes]
    assert np.array_equal(model.transduction_ == classes[1], toy.fit(isthmus.LR()).transduction_ == "class 1")


def test_a_gap_in_labels_of_pandas_is_named(toy: Toy) -> None:
    values = [pd.NA, *(toy.y[1:] == "class 1").astype(int)]
    with pytest.raises(ValueError, match="y holds <NA> in a row whose label may be read"):
        toy.fit(isthmus.LR(), y=pd.Series(values, dtype="Int64"), sample_labeled=np.ones(240, dtype=bool))


# What is read alike


def same_problem(found: Any, expected: Any) -> bool:
    """Equal but for the names of classes and domains."""
    pairs = zip(found.domains, expected.domains, strict=True)
    return all(
        np.array_equal(one.matrix.toarray(), other.matrix.toarray())
        and np.array_equal(one.rows, other.rows)
        and np.array_equal(one.labels, other.labels)
        and np.array_equal(one.labeled, other.labeled)
        and one.is_target == other.is_target
        for one, other in pairs
    )


@pytest.mark.parametrize(("low", "high"), [(-1, 1), (0, 1), (1.0, 2.0), (False, True), ("a", "b")])
def test_labels_of_any_type_make_the_same_problem(low: Any, high: Any, toy: Toy) -> None:
    y = np.array([high if label == "class 1" else low for label in toy.y])
    problem = make_problem(isthmus.LR(), toy.X, y, toy.domain, "target")
    assert problem.classes.tolist() == [low, high]
    assert same_problem(problem, make_problem(isthmus.LR(), toy.X, toy.y, toy.domain, "target"))


@pytest.mark.parametrize("names", [("shop", "blog"), (1, 2), (("a", 1), ("b", 2)), (1, -1), (3, "3")])
def test_domain_names_of_any_type_make_the_same_problem(names: tuple[Any, Any], toy: Toy) -> None:
    of_rows = [names[1] if target else names[0] for target in toy.in_target]
    problem = make_problem(isthmus.LR(), toy.X, toy.y, of_rows, names[1])
    assert [domain.name for domain in problem.targets] == [names[1]]
    assert same_problem(problem, make_problem(isthmus.LR(), toy.X, toy.y, toy.domain, "target"))
    model = toy.fit(isthmus.LR(), sample_domain=of_rows, target_domain=names[1])
    expected = toy.fit(isthmus.LR()).predict_proba(toy.X, sample_domain=toy.domain)
    assert np.array_equal(model.predict_proba(toy.X, sample_domain=of_rows), expected)


def test_a_target_that_equals_a_name_is_that_domain(toy: Toy) -> None:
    """numpy's dates equal Python's, which lists of them hold, and have another hash: no target label may be read."""
    days = np.where(toy.in_target, np.datetime64("2024-01-01"), np.datetime64("2023-01-01"))
    for target in (days[toy.in_target][0], [np.datetime64("2024-01-01")]):
        problem = make_problem(isthmus.LR(), toy.X, toy.y, days, target)
        assert same_problem(problem, make_problem(isthmus.LR(), toy.X, toy.y, toy.domain, "target"))


def test_labels_and_domains_of_numpys_own_types(toy: Toy) -> None:
    """Strings of variable width, which scikit-learn does not know, and integers in a list."""
    plain = make_problem(LR(), toy.X, toy.y, toy.domain, "target")
    if hasattr(np.dtypes, "StringDType"):  # from numpy 2 on
        strings = make_problem(LR(), toy.X, np.array(toy.y, dtype=np.dtypes.StringDType()), toy.domain, "target")
        assert strings.classes.tolist() == plain.classes.tolist()
    numbers = list(np.where(toy.domain == "target", -1, 1))
    found = make_problem(LR(), toy.X, toy.y, numbers)
    assert [domain.is_target for domain in found.domains] == [domain.is_target for domain in plain.domains]


def test_negative_integers_are_targets(toy: Toy) -> None:
    problem = make_problem(isthmus.LR(), toy.X, toy.y, np.where(toy.in_target, -2, 1))
    assert [domain.name for domain in problem.targets] == [-2]


def test_domains_of_new_documents_may_be_a_tuple(toy: Toy) -> None:
    model = toy.fit(isthmus.LR())
    listed = model.predict_proba(toy.X, sample_domain=toy.domain.tolist())
    assert np.array_equal(model.predict_proba(toy.X, sample_domain=tuple(toy.domain.tolist())), listed)
    named = [("a", 1) if name == "source" else ("b", 2) for name in toy.domain]
    model.fit(toy.X, toy.y, sample_domain=named, target_domain=[("b", 2)])
    assert model.predict(toy.X[:3], sample_domain=("b", 2)).shape == (3,)


def test_a_domain_of_new_documents_that_was_not_there_is_named(toy: Toy) -> None:
    with pytest.raises(ValueError, match=r"sample_domain names 'moon'.*('source', 'target'|'target', 'source')"):
        toy.fit(isthmus.LR()).predict(toy.X, sample_domain="moon")


FORMATS = ("csr", "csc", "coo", "bsr", "lil", "dok")
CONTAINERS: dict[str, Any] = {
    **{f"{name}_array": getattr(sp, f"{name}_array") for name in FORMATS},
    **{f"{name}_matrix": getattr(sp, f"{name}_matrix") for name in FORMATS},
    "dense": lambda X: X.toarray(),
    "column order": lambda X: np.asfortranarray(X.toarray()),
    "DataFrame": lambda X: pd.DataFrame(X.toarray(), columns=[f"word{i}" for i in range(X.shape[1])]),
    "64-bit indices": lambda X: with_long_indices(X),
    "stored zeros": lambda X: with_stored_zeros(X),
    "32-bit numbers": lambda X: X.astype(np.float32),
}


def with_long_indices(X: Any) -> Any:
    parts = (X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64))
    return sp.csr_array(parts, shape=X.shape)


def with_stored_zeros(X: Any) -> Any:
    stored = X.tocoo()
    rows, columns = (np.concatenate([part, [0, 0]]) for part in stored.coords)
    return sp.csr_array(sp.coo_array((np.concatenate([stored.data, [0, 0]]), (rows, columns)), shape=X.shape))


@pytest.mark.parametrize("container", CONTAINERS)
def test_documents_in_any_container_make_the_same_problem(container: str, toy: Toy) -> None:
    X = CONTAINERS[container](toy.X)
    problem = make_problem(isthmus.LR(), X, toy.y, toy.domain, "target")
    for domain in problem.domains:
        found = domain.matrix.toarray() if sp.issparse(domain.matrix) else domain.matrix
        assert np.abs(found - toy.X[domain.rows].toarray()).max() <= (1e-6 if container == "32-bit numbers" else 0)
        if sp.issparse(domain.matrix):
            assert domain.matrix.format == "csr"
            assert domain.matrix.indices.dtype == np.int32
            assert domain.matrix.data.all()
        assert domain.matrix.dtype == (np.float32 if container == "32-bit numbers" else np.float64)


def test_x_with_stored_zeros_is_left_as_it_was(toy: Toy) -> None:
    messy = toy.X.copy()
    messy.data[::7] = 0
    kept = messy.copy()
    toy.fit(isthmus.LR(), X=messy)
    for part in ("data", "indices", "indptr"):
        assert np.array_equal(getattr(messy, part), getattr(kept, part))
        assert getattr(messy, part).flags.writeable


def test_documents_without_a_known_word_are_counted_in_a_warning(toy: Toy) -> None:
    X = toy.X.toarray()
    X[:5] = 0
    with pytest.warns(EmptyDocumentWarning, match="5 of 240 documents hold no known word"):
        model = toy.fit(isthmus.LR(), X=X)
    with pytest.warns(EmptyDocumentWarning, match="1 of 2 documents"):
        model.predict_proba(X[4:6])


def test_words_in_another_order_are_refused(toy: Toy) -> None:
    frame = CONTAINERS["DataFrame"](toy.X)
    model = toy.fit(isthmus.LR(), X=frame)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[frame.columns[::-1]])


@pytest.mark.parametrize("ends", [(0, 9, 30), (5, 12, 20, 30)])
def test_rows_that_are_neighbors_are_stacked_without_a_copy(toy: Toy, ends: tuple[int, ...]) -> None:
    parts = [rows_of(toy.X, first, last) for first, last in pairwise(ends)]
    found = stack(parts)
    assert (found != sp.vstack(parts)).nnz == 0
    assert found.has_canonical_format
    assert np.shares_memory(found.data, toy.X.data)
    for others in (parts[::-1], [*parts, parts[-1]], [parts[0], *(part.copy() for part in parts[1:])]):
        assert (stack(others) != sp.vstack(others)).nnz == 0
        assert not np.shares_memory(stack(others).data, toy.X.data)


def test_a_stack_of_what_may_not_be_written_to_may_not_be_either(toy: Toy) -> None:
    order = np.argsort(toy.in_target, kind="stable")
    problem = make_problem(isthmus.LR(), X := toy.X[order], toy.y[order], toy.domain[order], "target")
    assert np.shares_memory(problem.documents.stacked.data, X.data)
    assert not problem.documents.stacked.data.flags.writeable
    assert X.data.flags.writeable
