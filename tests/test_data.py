"""Loaders on archives: small ones made here, hostile ones, and the real ones where they are."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from isthmus.bench.splits import development_splits, divided_categories
from isthmus.bench.task import Task
from isthmus.bench.tasks import TABLES, Library, TaskData, load_table
from isthmus.datasets import load_glioma, load_newsgroups, load_reuters_pair, load_reuters_stories, load_sraa
from isthmus.datasets.archives import read_gzip
from isthmus.exceptions import DataError, MissingDataError
from isthmus.methods import METHODS
from isthmus.text import LogTfidf


def write_tar(path: Path, members: Mapping[str, bytes | tarfile.TarInfo]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            if isinstance(content, tarfile.TarInfo):
                archive.addfile(content)
                continue
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


@pytest.fixture(autouse=True)
def no_data_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ISTHMUS_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_newsgroups(tmp_path: Path) -> None:
    posts = {"20news-bydate-train/sci.med/1": b"caf\xe9", "20news-bydate-test/rec.autos/2": b"a car"}
    write_tar(tmp_path / "20news-bydate.tar.gz", posts)
    corpus = load_newsgroups(tmp_path)
    assert corpus.texts == ["café", "a car"]
    assert corpus.groups.tolist() == ["sci.med", "rec.autos"]


def test_sraa(tmp_path: Path) -> None:
    groups = ["realauto", "realaviation", "simauto", "simaviation"]
    articles = {f"sraa/{group}/part{i}/{i}": f"{group} {i}".encode() for group in groups for i in range(2)}
    write_tar(tmp_path / "sraa.tar.gz", {"sraa/README": b"about", **articles})
    corpus = load_sraa(tmp_path)
    assert len(corpus) == 8
    assert all(text.startswith(group) for text, group in zip(corpus.texts, corpus.groups, strict=True))
    write_tar(tmp_path / "sraa.tar.gz", {"sraa/realauto/1": b"x"})
    with pytest.raises(DataError, match="no articles in realaviation, simauto, simaviation"):
        load_sraa(tmp_path)


def test_sraa_task_from_archive_to_labels(tmp_path: Path) -> None:
    """The tasks that cannot be run here, run on an archive of their shape."""
    rng = np.random.default_rng(0)
    words = {"auto": ["engine", "wheel", "brake", "gear"], "aviation": ["wing", "flap", "altitude", "runway"]}
    own = {"real": ["garage", "price", "repair"], "sim": ["joystick", "screen", "level"]}
    articles = {}
    for kind in own:
        for vehicle in words:
            for i in range(30):
                text = " ".join([*rng.choice(words[vehicle], 15), *rng.choice(own[kind], 8)])
                articles[f"sraa/{kind}{vehicle}/{i}"] = text.encode()
    write_tar(tmp_path / "sraa.tar.gz", articles)
    table = load_table("tcl")
    task = next(task for task in table.tasks if task.name == "auto vs aviation")
    data = Library(tmp_path).load(table, task)
    assert data.X.shape[0] == 120
    model = METHODS["TCL"](random_state=0).fit(data.X, data.y, sample_domain=data.sample_domain, target_domain="target")
    assert np.mean((model.transduction_ == data.y)[data.in_target]) > 0.95


STORY = b"""<!DOCTYPE lewis SYSTEM "lewis.dtd">
<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" OLDID="5544" NEWID="7">
<TOPICS><D>cocoa</D><D>tea</D></TOPICS><PLACES><D>usa</D></PLACES><PEOPLE></PEOPLE><ORGS><D>ec</D></ORGS>
<TEXT>&#2;<TITLE>RAIN &amp; SUN</TITLE><BODY>Prices &lt;rose&gt;.</BODY></TEXT>
</REUTERS>
"""


def test_reuters_stories(tmp_path: Path) -> None:
    write_tar(tmp_path / "reuters21578.tar.gz", {"README.txt": b"", "reut2-000.sgm": STORY})
    (story,) = load_reuters_stories(tmp_path)
    assert (story.id, story.split, story.title, story.body) == (7, "TRAIN", "RAIN & SUN", "Prices <rose>.")
    assert (story.topics, story.places, story.people, story.orgs) == (("cocoa", "tea"), ("usa",), (), ("ec",))
    write_tar(tmp_path / "reuters21578.tar.gz", {"reut2-000.sgm": STORY.replace(b"</REUTERS>", b"")})
    with pytest.raises(DataError, match="stories that do not end"):
        load_reuters_stories(tmp_path)


def test_reuters_matrices(tmp_path: Path) -> None:
    folder = tmp_path / "reuters-crossdomain"
    folder.mkdir()
    Xs, Xt = sp.csc_matrix(np.eye(4)[:, :3]), sp.csc_matrix(np.eye(4)[:, 1:])
    content = {"Xs": Xs, "Ys": sp.csc_matrix([[1.0], [-1], [1]]), "Xt": Xt, "Yt": sp.csc_matrix([[-1.0], [1], [1]])}
    scipy.io.savemat(folder / "org_vs_people_1.mat", content)
    pair = load_reuters_pair("org_vs_people_1.mat", tmp_path)
    assert pair.X_source.shape == (3, 4)
    assert pair.y_source.tolist() == [1, -1, 1]
    assert pair.y_target.tolist() == [-1, 1, 1]
    scipy.io.savemat(folder / "org_vs_people_1.mat", {**content, "Yt": sp.csc_matrix([[1.0]])})
    with pytest.raises(DataError, match="more documents than labels, or fewer"):
        load_reuters_pair("org_vs_people_1.mat", tmp_path)
    (folder / "org_vs_people_1.mat").write_bytes(b"junk" * 100)
    with pytest.raises(DataError, match=r"is not a \.mat file"):
        load_reuters_pair("org_vs_people_1.mat", tmp_path)


def test_glioma(tmp_path: Path) -> None:
    (tmp_path / "glioma").mkdir()
    file = tmp_path / "glioma" / "GSE4271.csv.gz"
    file.write_bytes(gzip.compress(b"sample,grade,histology,A,B\ns1,IV,GBM,1.5,2\ns2,III,AA,3,4\n"))
    found = load_glioma("GSE4271", tmp_path)
    assert found.X.tolist() == [[1.5, 2], [3, 4]]
    assert found.grades.tolist() == ["IV", "III"]
    assert found.genes == ["A", "B"]
    file.write_bytes(gzip.compress(b"sample,grade,histology,A,B\ns1,IV,GBM,1.5\n"))
    with pytest.raises(DataError, match="longer or shorter than its header"):
        load_glioma("GSE4271", tmp_path)


def link(name: str, target: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = tarfile.SYMTYPE, target
    return info


HOSTILE: dict[str, tuple[Mapping[str, bytes | tarfile.TarInfo], str]] = {
    "path escape": ({"../../evil/x/1": b"x"}, "path outside the archive"),
    "absolute path": ({"/etc/x/1": b"x"}, "path outside the archive"),
    "link": ({"a/b/c": link("a/b/c", "/etc/passwd")}, "a link or device"),
    "other layout": ({"a/b": b"x"}, "part/group/number is expected"),
    "nothing": ({}, "holds no posts"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_archives(case: str, tmp_path: Path) -> None:
    members, message = HOSTILE[case]
    write_tar(tmp_path / "data" / "20news-bydate.tar.gz", members)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(DataError, match=message):
        load_newsgroups(tmp_path / "data")
    assert sorted(tmp_path.rglob("*")) == before


def test_broken_archives(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    members = {f"train/group/{i}": rng.bytes(2000) for i in range(50)}
    path = write_tar(tmp_path / "20news-bydate.tar.gz", members)
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0xFF
    for broken in (whole[: len(whole) // 2], whole[:5], b"not an archive", b"", bytes(flipped)):
        path.write_bytes(broken)
        with pytest.raises(DataError, match=r"cannot be read|holds"):
            load_newsgroups(tmp_path)


@pytest.mark.parametrize("broken", [b"", b"not gzip", gzip.compress(b"text" * 99, mtime=0)[:-9]])
def test_broken_files_of_one_corpus(broken: bytes, tmp_path: Path) -> None:
    path = tmp_path / "one.gz"
    path.write_bytes(broken)
    with pytest.raises(DataError, match=r"one\.gz cannot be read .*: fetch it again"):
        read_gzip(path)
    path.write_bytes(gzip.compress(b"text"))
    assert read_gzip(path) == b"text"
    with pytest.raises(DataError, match="cannot be read"):  # a folder
        read_gzip(tmp_path)


def test_missing_data_are_named_with_home_and_places(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"sraa\.tar\.gz not found in .*data.*McCallum"):
        load_sraa(tmp_path)


def test_places_are_searched_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place, text in (("given", b"given"), ("variable", b"variable"), ("cache/isthmus/data", b"cache")):
        write_tar(tmp_path / place / "20news-bydate.tar.gz", {"train/group/1": text})
    monkeypatch.setenv("ISTHMUS_DATA", str(tmp_path / "variable"))
    assert load_newsgroups(tmp_path / "given").texts == ["given"]
    assert load_newsgroups(tmp_path / "elsewhere").texts == ["variable"]
    monkeypatch.delenv("ISTHMUS_DATA")
    assert load_newsgroups().texts == ["cache"]


@pytest.mark.parametrize("name", TABLES)
def test_tables_name_what_the_papers_printed(name: str) -> None:
    from isthmus.bench import load_published

    table, published = load_table(name), load_published(name)
    ours = ("(reversed)", "(stories)")
    reported = {task.name for task in table.tasks if not (task.name.endswith(ours) or task.corpus == "bci")}
    if name != "auto":  # not a paper's
        assert reported == {task for task, _ in published}
    assert {column.get("method", name) for name, column in table.columns.items()} <= {"Auto", *METHODS}
    for task in table.tasks:
        source, target = task.sides
        assert source.keys() == target.keys() or task.family in ("missing class", "new class")
        if name != "domtrans-nmf":
            for label in source:
                assert not set(source[label]) & set(target.get(label, ()))


def sides(task: Task) -> list[dict[str, set[str]]]:
    """The groups of source and target by class, without the one that splits leave out."""
    return [{label: set(names) - {"comp.windows.x"} for label, names in side.items()} for side in task.sides]


def test_splits_are_all_there_are_once() -> None:
    splits = divided_categories()
    assert len({task.name for task in splits}) == 54
    seen = []
    for task in splits:
        source, target = sides(task)
        assert all(len(source[label]) == len(target[label]) == 2 for label in source)
        assert all(len(source[label] | target[label]) == 4 for label in source)
        assert all(name.startswith(f"{label}.") for side in (source, target) for label in side for name in side[label])
        assert [source, target] not in seen
        seen += [[source, target], [target, source]]
    papers = [sides(task) for task in load_table("tcl").tasks if task.corpus == "20news"]
    assert len(papers) == 6
    assert all(task in seen for task in papers)


@pytest.mark.parametrize("name", ["tcl", "dtlm", "cci", "cdsc"])
def test_settings_are_not_chosen_on_the_tables_tasks(name: str) -> None:
    """Nor on the same tasks with source and target, or the halves of one class, exchanged."""
    developed = [sides(task) for task in development_splits()]
    assert len(developed) == 12
    for task in load_table(name).tasks:
        if task.corpus == "20news":
            source, target = sides(task)
            (one, other) = source
            swapped = {one: source[one], other: target[other]}, {one: target[one], other: source[other]}
            for first, second in ((source, target), swapped):
                assert [first, second] not in developed
                assert [second, first] not in developed


def test_drawing_takes_as_many_of_each_class() -> None:
    data = TaskData(
        X=sp.csr_array(np.eye(40)), y=np.repeat(["a", "b"], 20), sample_domain=np.tile(["source", "target"], 20)
    )
    drawn = data.drawn({"source": 8, "target": 4}, seed=1)
    for domain, size in (("source", 4), ("target", 2)):
        for label in ("a", "b"):
            assert np.sum((drawn.sample_domain == domain) & (drawn.y == label)) == size
    assert not np.array_equal(drawn.X.toarray(), data.drawn({"source": 8, "target": 4}, seed=2).X.toarray())


def test_words_can_be_weighed_by_the_documents_drawn() -> None:
    rng = np.random.default_rng(0)
    y, domains = np.repeat(["a", "b"], 20), np.tile(["source", "target"], 20)
    data = TaskData(sp.csr_array(rng.poisson(0.2, size=(40, 30))), y, domains, least=3)
    for sample in ({}, {"source": 8, "target": 8}):
        counts = replace(data, least=0).drawn(sample, seed=1).X
        often = np.flatnonzero((counts > 0).sum(axis=0) >= 3)
        assert 0 < len(often) < 30
        assert data.drawn(sample, seed=1).X.toarray() == pytest.approx(
            LogTfidf().fit_transform(counts[:, often]).toarray()
        )


def test_a_group_that_is_not_there_is_named(tmp_path: Path) -> None:
    write_tar(tmp_path / "20news-bydate.tar.gz", {f"train/g/{i}": b"some words here" for i in range(40)})
    task = Task("x", "20news", {"a": ["g"], "b": ["nowhere"]}, {"a": ["g"], "b": ["g"]})
    with pytest.raises(DataError, match="no documents in nowhere, which 'x' needs"):
        Library(tmp_path).load(load_table("tcl"), task)


def test_real_archives(data_folder: Path) -> None:
    corpus = load_newsgroups(data_folder)
    assert len(corpus) == 18_846
    assert len(set(corpus.groups)) == 20
    stories = load_reuters_stories(data_folder)
    assert len(stories) == 21_578
    assert sum("usa" in story.places for story in stories) > 10_000
    assert all(story.body for story in stories[:100])
    pair = load_reuters_pair("org_vs_people_1.mat", data_folder)
    assert pair.X_source.shape == (1237, 4771)
    assert load_glioma("GSE4271", data_folder).X.shape[0] == 100
    assert load_glioma("GSE4412", data_folder).X.shape[0] == 85
