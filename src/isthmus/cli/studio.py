"""isthmus studio."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isthmus.cli import options as o

if TYPE_CHECKING:
    from isthmus.cli.gathering import Reading
    from isthmus.studio import Loaded


def studio(
    project: Annotated[
        Path, typer.Argument(metavar="PROJECT", help="The project file; it is made if it is not there.")
    ] = Path("studio.isthmus-project"),
    source: Annotated[
        list[str] | None, typer.Option("--source", metavar="FILE", help="Labeled documents; repeatable.")
    ] = None,
    target: Annotated[str | None, typer.Option("--target", metavar="FILE", help="The documents to label.")] = None,
    text: o.Text = None,
    label: o.Label = None,
    id_column: o.Id = None,
    target_text: o.TargetText = None,
    form: o.InputFormat = None,
    encoding: o.Encoding = None,
    target_encoding: o.TargetEncoding = None,
    max_document: o.MaxDocument = o.LONGEST,
    allow_label: o.AllowLabels = None,
    method: o.Method = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="By default any that is free.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
    force: o.Force = False,
) -> None:
    """Label in the browser: learn from two files, label a few documents, measure, learn again.

    The page is on this machine alone (127.0.0.1). Every label is stored in the
    project file as it is given; start again with the same file to go on.

    Exit codes: 0 ended (130 with Ctrl-C), 1 could not be done (one sentence says
    why), 2 wrong usage.
    """
    from isthmus._api import DEFAULT_METHOD, read_method
    from isthmus.cli.gathering import Reading
    from isthmus.exceptions import DataError
    from isthmus.extras import require_extra

    require_extra("studio", "starlette", "uvicorn", "python_multipart")
    try:
        read_method(method or DEFAULT_METHOD)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--method") from None
    if bool(source) != bool(target):
        raise typer.BadParameter("--source and --target go together: give both, or none, and choose them in the page.")
    if source and project.exists() and not force:
        raise DataError(
            f"{project} exists: leave --source and --target out to go on with it, name another project, or add "
            "--force to begin anew."
        )
    how_read = (form, encoding, max_document, target_text, None, target_encoding)
    reading = Reading(text, label, id_column, None, *how_read, allow_labels=allow_label or ())
    loaded = read_pair(source, target, reading) if source and target else None
    _run(project, loaded, reading, method or DEFAULT_METHOD, port, browser)


def _run(project: Path, loaded: Loaded | None, reading: Reading, method: str, port: int, browser: bool) -> None:
    import secrets
    import threading
    import webbrowser

    from isthmus.cli.console import output
    from isthmus.studio import Project, Session, studio_app
    from isthmus.web import Guard, free_socket, own_names, run_server

    token = secrets.token_urlsafe(16)
    with free_socket("127.0.0.1", port) as listening:  # first: where the port is taken, no project is made
        session = Session(Project(project), method)
        if loaded is not None:
            session.begin(loaded.documents, loaded.meta, force=True)
        number = listening.getsockname()[1]
        app = Guard(
            studio_app(session, lambda one, other, told: read_uploaded(one, other, told, reading)),
            hosts=own_names("127.0.0.1", number),
            token=token,
            remedy="Open this with the address that was printed when it started: it holds a token.",
        )
        address = f"http://127.0.0.1:{number}/?token={token}"
        output().print(f"The studio is at {address}", markup=False, soft_wrap=True)
        output().print(f"Labels go to {project}. Press Ctrl-C to end.", markup=False, soft_wrap=True)
        if browser:
            threading.Timer(0.5, webbrowser.open, [address]).start()
        run_server(app, listening)


def read_pair(source: list[str], target: str, reading: Reading) -> Loaded:
    """Two files as a project takes them; rows that cannot be read are left out, and told."""
    from isthmus.cli.bad_rows import BadRows
    from isthmus.cli.console import as_options
    from isthmus.cli.gathering import check_files, domain_names, gather_files
    from isthmus.cli.stages import Stages
    from isthmus.exceptions import DataError, collected
    from isthmus.studio import Loaded, ProjectDocuments

    with BadRows() as bad, Stages() as stages, collected() as warned:
        files = gather_files(source, target, reading, stages, bad)
        if not all(file.texts for file in (*files.sources, files.target)):
            bad.refuse(may_skip=False)
    try:
        check_files(files, reading, use_target_labels=False)
    except DataError as error:  # rows that were left out may be why
        raise DataError(" ".join([str(error), *(f"Left out: {one}" for one in bad.sentences)])) from error
    names = domain_names([file.path for file in files.sources])
    domains = [name for name, file in zip(names, files.sources, strict=True) for _ in file.texts]
    documents = ProjectDocuments(
        [text for file in files.sources for text in file.texts],
        [str(label) for file in files.sources for label in file.labels],
        domains,
        files.target.ids,
        files.target.texts,
    )
    paths = {file.path: Path(file.path).name for file in (*files.sources, files.target)}
    sentences = [
        *warned,
        *(f"Left out: {one}" for one in bad.sentences),
        *(finding.message for finding in files.findings()),
    ]
    meta: dict[str, Any] = {
        "source": " and ".join(paths[file.path] for file in files.sources),
        "target": paths[files.target.path],
        "n_source": len(documents.source_texts),
        "n_target": len(documents.ids),
        "classes": {label: documents.source_labels.count(label) for label in files.classes},
        "findings": [as_options(_short(sentence, paths)) for sentence in sentences],
    }
    return Loaded(documents, meta)


def read_uploaded(source: str, target: str, told: dict[str, Any], reading: Reading) -> Loaded:
    """Two files of the page, which may tell how to read them; what is wrong with them is said in its words."""
    from dataclasses import replace

    from isthmus.cli.console import as_options
    from isthmus.exceptions import DataError

    try:
        loaded = read_pair([source], target, replace(reading, **told))
    except DataError as error:
        sentence = _short(str(error), {path: Path(path).name for path in (source, target)})
        raise DataError(as_options(_as_fields(sentence))) from error
    loaded.meta["findings"] = [_as_fields(sentence) for sentence in loaded.meta["findings"]]
    return loaded


def _as_fields(sentence: str) -> str:
    """What a sentence asks for, by the names of the page's fields."""
    import re

    names = r"(?:--(text|label|encoding)(?![\w-])|\b(text|label|encoding)=)"
    return re.sub(names, lambda found: f"“{(found[1] or found[2]).capitalize()}”", sentence)


def _short(sentence: str, paths: dict[str, str]) -> str:
    """Without the folders of files, which may be temporary ones."""
    for path, name in paths.items():
        sentence = sentence.replace(path, name)
    return sentence
