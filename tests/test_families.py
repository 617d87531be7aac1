"""The tasks that the automatic choice is judged on."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from isthmus.bench.families import (
    CATEGORIES,
    auto_tasks,
    four_classes,
    is_for_development,
    newsgroup_splits,
    unrelated_tasks,
)
from isthmus.bench.task import Task
from isthmus.bench.tasks import Library, load_table
from isthmus.datasets.reviews import REVIEW_DOMAINS, load_reviews
from isthmus.exceptions import DataError


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    """A folder like the real one, with three reviews in each file."""
    (tmp_path / "reviews").mkdir()
    for domain in REVIEW_DOMAINS:
        for part in ("train", "test"):
            lines = f"1\tgood {domain}, very good\n0\tbad {domain}\n1\tfine\tgood\n"
            (tmp_path / "reviews" / f"{domain}.task.{part}.gz").write_bytes(gzip.compress(lines.encode("latin-1")))
    return tmp_path


def test_reviews_are_read_with_their_opinions(reviews: Path) -> None:
    corpus = load_reviews(reviews)
    assert len(corpus) == 6 * 2 * 3
    assert corpus.texts[:3] == ["good apparel, very good", "bad apparel", "fine\tgood"]
    assert corpus.groups[:2].tolist() == ["apparel/positive", "apparel/negative"]


def test_a_broken_file_of_reviews_is_named(reviews: Path) -> None:
    broken = reviews / "reviews" / "music.task.test.gz"
    broken.write_bytes(gzip.compress(b"1\tgood\nno label here\n"))
    with pytest.raises(DataError, match=r"music\.task\.test\.gz starts line 2 with 'no label here'"):
        load_reviews(reviews)
    broken.write_bytes(broken.read_bytes()[:-9])
    with pytest.raises(DataError, match="cannot be read"):
        load_reviews(reviews)


def test_all_ways_to_divide_a_pair_of_categories() -> None:
    every = newsgroup_splits(every=True)
    assert len(every) == 6 * 36
    assert len({(str(task.source), str(task.target)) for task in every}) == len(every)
    few = newsgroup_splits()
    assert len(few) == 36
    assert {task.name for task in few} <= {task.name for task in every}
    for task in [*every, *four_classes()]:
        for label in task.source:
            assert sorted([*task.source[label], *task.target[label]]) == sorted(CATEGORIES[label])


def test_no_task_comes_twice_and_both_halves_have_some_of_every_family() -> None:
    tasks = auto_tasks(load_table("tcl").tasks)
    assert len({task.name for task in tasks}) == len(tasks)
    divided = [(str(task.source), str(task.target), task.file, str(task.target_prior)) for task in tasks]
    assert len(set(divided)) == len(tasks)
    for family in {task.family for task in tasks}:
        assert {is_for_development(task) for task in tasks if task.family == family} == {True, False}


def test_unrelated_tasks_share_no_group_between_source_and_target() -> None:
    for task in unrelated_tasks():
        source = {group for groups in task.source.values() for group in groups}
        assert not source & {group for groups in task.target.values() for group in groups}
        assert len(task.target) == 2


def test_a_thinned_target_has_the_prior_that_it_was_given(reviews: Path) -> None:
    opinions = {domain: {o: [f"{domain}/{o}"] for o in ("negative", "positive")} for domain in ("music", "video")}
    prior = {"negative": 0.5, "positive": 0.5}
    task = Task("music to video", "reviews", opinions["music"], opinions["video"], target_prior=prior)
    data = Library(reviews).load(load_table("auto"), task)
    assert np.sum(data.in_target & (data.y == "positive")) == np.sum(data.in_target & (data.y == "negative")) == 2
    assert np.sum(~data.in_target) == 6
