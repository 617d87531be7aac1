"""Where data sets are looked for, and what they are."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

from isthmus.exceptions import MissingDataError


@dataclass(frozen=True)
class Dataset:
    """A data set as it is distributed."""

    file: str
    """The file, or a file of the folder, to look for."""
    title: str
    home: str
    """Where the public copy is described."""


DATASETS = {
    "20news": Dataset(
        "20news-bydate.tar.gz", "20 Newsgroups, split by date", "the 20 Newsgroups home page (J. Rennie)"
    ),
    "reuters": Dataset("reuters21578.tar.gz", "Reuters-21578", "David Lewis' page of test collections"),
    "reuters-crossdomain": Dataset(
        "reuters-crossdomain/org_vs_people_1.mat",
        "Reuters-21578 as matrices: orgs, people, places",
        "the data pages of transfer component analysis (Pan et al.) and GCMF (Long et al.)",
    ),
    "sraa": Dataset("sraa.tar.gz", "Simulated/Real/Aviation/Auto UseNet", "Andrew McCallum's data page"),
    "reviews": Dataset(
        "reviews/music.task.train.gz", "Product reviews of six domains (FDU-MTL)", "the FDU-MTL data page (Liu et al.)"
    ),
    "real": Dataset(
        "real/spam-sms.jsonl.gz", "Real domains of seven kinds", "the public data sets that it was made of"
    ),
    "glioma": Dataset("glioma/GSE4271.csv.gz", "Glioma gene expression, GSE4271 and GSE4412", "GEO and GlioVis"),
    "bci-iv-2a": Dataset(
        "bci-iv-2a/A01T.mat", "BCI Competition IV 2a, EEG of imagined movements", "BNCI Horizon 2020, set 001-2014"
    ),
}


def search_path(data: Path | None = None) -> list[Path]:
    """The folders to look in, in order: the one given, $ISTHMUS_DATA, the user's cache."""
    places = [data, os.environ.get("ISTHMUS_DATA"), user_cache_path("isthmus") / "data"]
    return [Path(place).expanduser() for place in places if place]


def find(file: str, data: Path | None = None) -> Path:
    """The first of the search path's folders that holds the file, or a sentence about how to get it."""
    folders = search_path(data)
    for folder in folders:
        if (folder / file).is_file():
            return folder / file
    known = next((d for d in DATASETS.values() if d.file.split("/")[0] == file.split("/")[0]), None)
    advice = f" Get it from {known.home}" if known else " Get it"
    looked = ", ".join(str(folder) for folder in folders)
    raise MissingDataError(f"{file} not found in {looked}.{advice} and put it there, or name its folder with data=.")
