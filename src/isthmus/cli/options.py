"""The options of the commands, each written down once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

LONGEST = 1 << 24
"""What readers of documents allow for, too; importing it from there would take a second."""
READING, METHOD, WRITING = "Reading", "Method", "Writing"
"""The headings that options stand under in the help."""


class Format(StrEnum):
    """Formats of files of labels."""

    csv = "csv"
    tsv = "tsv"
    jsonl = "jsonl"
    parquet = "parquet"


class ReadFormat(StrEnum):
    """Formats of files of documents."""

    csv = "csv"
    tsv = "tsv"
    jsonl = "jsonl"
    parquet = "parquet"
    xlsx = "xlsx"


class TaskFormat(StrEnum):
    """Formats of documents to label."""

    csv = "csv"
    tsv = "tsv"
    jsonl = "jsonl"
    label_studio = "label-studio"
    argilla = "argilla"


class SuggestKind(StrEnum):
    """Why documents are suggested."""

    both = "both"
    random = "random"
    teaching = "teaching"


class OnBadRows(StrEnum):
    """What becomes of rows that cannot be read."""

    stop = "stop"
    skip = "skip"


def _option(*names: str, panel: str | None = None, **options: Any) -> Any:
    return typer.Option(*names, rich_help_panel=panel, **options)


def _column(name: str, what: str) -> Any:
    return _option(f"--{name}", metavar="COLUMN", help=f"The column that holds {what}.", panel=READING)


Sources = Annotated[
    list[str],
    _option("--source", metavar="FILE", help="Labeled documents: a file, a folder, or - (standard input); repeatable."),
]
Target = Annotated[str, _option("--target", metavar="FILE", help="The documents to label: a file, a folder, or -.")]
Text = Annotated[str | None, _column("text", "the text")]
Label = Annotated[str | None, _column("label", "the label")]
Id = Annotated[str | None, _column("id", "the ids")]
TargetText = Annotated[str | None, _column("target-text", "the target's text, if it has another name there")]
TargetLabel = Annotated[str | None, _column("target-label", "the target's labels, if it has another name there")]
AllowLabels = Annotated[
    list[str] | None,
    _option(
        "--allow-label",
        metavar="LABEL",
        help="A class, though it looks like a placeholder (none, -, N/A) or a slip; repeatable.",
        panel=READING,
    ),
]
BadRowsStop = Annotated[
    OnBadRows, _option("--on-bad-rows", help="Stop at rows that cannot be read, or skip them.", panel=READING)
]
BadRowsSkip = Annotated[
    OnBadRows, _option("--on-bad-rows", help="Skip rows that cannot be read, or stop at the first.", panel=READING)
]
Skipped = Annotated[
    Path | None,
    _option("--skipped", metavar="FILE", help="The skipped rows and why; by default beside the output.", panel=WRITING),
]
Truth = Annotated[
    str | None,
    _option("--truth", metavar="COLUMN", help="True labels in the target, for scoring alone.", panel=READING),
]
InputFormat = Annotated[
    ReadFormat | None,
    _option(
        "--format",
        metavar="FORMAT",
        help="csv, tsv, jsonl (also for a JSON array), parquet or xlsx, if neither name nor first bytes say it.",
        panel=READING,
    ),
]
Encoding = Annotated[
    str | None,
    _option(
        "--encoding",
        metavar="NAME",
        help="By default what a byte-order mark says, UTF-8, or Windows-1252.",
        panel=READING,
    ),
]
TargetEncoding = Annotated[
    str | None,
    _option("--target-encoding", metavar="NAME", help="The target's encoding, if it is another.", panel=READING),
]
LabelsEncoding = Annotated[
    str | None,
    _option("--labels-encoding", metavar="NAME", help="The encoding of --labels, if it is not UTF-8.", panel=READING),
]
MaxDocument = Annotated[
    int,
    _option(
        "--max-document",
        min=1,
        metavar="CHARACTERS",
        help="Longest document, with all columns of its row, that is read.",
        panel=READING,
    ),
]
Method = Annotated[
    str | None, _option("--method", metavar="NAME", help="Auto (the default), TCL, CDSC, LR and others.", panel=METHOD)
]
Preset = Annotated[
    str | None,
    _option(
        "--preset",
        metavar="NAME",
        help="From text to words as a paper does: tcl, cci, dtlm, cdsc; default, opinions, short (else by length).",
        panel=METHOD,
    ),
]
Encoder = Annotated[
    str | None,
    _option(
        "--encoder",
        metavar="MODEL",
        help="Sentence embeddings by this model, which Auto reads beside words, and others instead: static, a name or "
        "folder, or package:attribute.",
        panel=METHOD,
    ),
]
UseTargetLabels = Annotated[
    bool,
    _option(
        "--use-target-labels",
        help="Learn from the labels that a few target documents have (semi-supervised).",
        panel=METHOD,
    ),
]
LabelFiles = Annotated[
    list[Path] | None,
    _option(
        "--labels",
        metavar="FILE",
        help="Labels for target documents, by id: what isthmus suggest wrote, filled in, or an export of Label "
        "Studio or Argilla; repeatable, the last one wins.",
        panel=METHOD,
    ),
]
TargetPrior = Annotated[
    str | None,
    _option(
        "--target-prior",
        metavar="PRIOR",
        help='Class prior of the target: auto (found), source (no label shift), unknown, or "yes=0.3,no=0.7".',
        panel=METHOD,
    ),
]
Cluster = Annotated[
    str | None,
    _option(
        "--cluster",
        metavar="ADDRESS",
        help="A Dask scheduler (tcp://HOST:8786) whose workers pass over the documents, or local for one here.",
    ),
]
PredictCluster = Annotated[
    str | None,
    _option(
        "--cluster",
        metavar="ADDRESS",
        help="A Dask scheduler (tcp://HOST:8786) whose workers label the files of a folder, or local for one here.",
    ),
]
MaxTime = Annotated[
    float | None,
    _option(
        "--max-time",
        min=0,
        metavar="SECONDS",
        help="About the time to learn in: Auto leaves out what would take longer, other methods stop.",
        panel=METHOD,
    ),
]
RandomState = Annotated[
    int, _option("--random-state", min=0, metavar="NUMBER", help="For random starts.", panel=METHOD)
]
Settings = Annotated[
    list[str] | None,
    _option(
        "--set", metavar="NAME=VALUE", help="A parameter of the method, such as n_topics=20; repeatable.", panel=METHOD
    ),
]
ModelOutput = Annotated[
    Path | None, _option("-o", "--output", metavar="FILE", help="The model, for isthmus predict.", panel=WRITING)
]
Predictions = Annotated[
    Path | None,
    _option(
        "--predictions", metavar="FILE", help="The labels: .csv, .tsv, .jsonl, .parquet; .gz, .zst.", panel=WRITING
    ),
]
Report = Annotated[
    Path | None, _option("--report", metavar="FILE", help="A page to look at: report.html.", panel=WRITING)
]
LabelOutput = Annotated[
    str,
    _option(
        "-o",
        "--output",
        metavar="FILE",
        help="The labels: .csv, .tsv, .jsonl, .parquet; .gz, .zst; or - (standard output).",
        panel=WRITING,
    ),
]
OutputFormat = Annotated[
    Format, _option("--output-format", metavar="FORMAT", help="Of standard output.", panel=WRITING)
]
AsJson = Annotated[bool, _option("--json", help="Print one JSON object, for scripts.", panel=WRITING)]
FailOnDrift = Annotated[
    bool, _option("--fail-on-drift", help="End with code 3 if documents do not look like the target of the fit.")
]
DRIFTED = 3
"""The exit code of a command that was told to fail on drift."""
Force = Annotated[bool, _option("--force", help="Replace files that exist.", panel=WRITING)]
Blocks = Annotated[
    bool | None,
    _option(
        "--blocks/--no-blocks",
        help="Read in blocks, and keep each until all is done: little memory, and what was killed goes on. By default "
        "for files of 200 MB and more.",
        panel=READING,
    ),
]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model that isthmus fit wrote.")]
Documents = Annotated[
    str, typer.Argument(metavar="FILE", help="The documents to label: a file, a folder, or - for standard input.")
]
