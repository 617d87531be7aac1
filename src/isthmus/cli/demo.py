"""isthmus demo."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isthmus.cli.console import output
from isthmus.inspection.tables import plain_table

if TYPE_CHECKING:
    from isthmus import Result

NEXT = "isthmus fit --source labeled.csv --target unlabeled.csv -o model.isthmus --report report.html"


def demo(
    report: Annotated[
        Path, typer.Option("--report", metavar="FILE", help="Where the report goes; it is replaced if it is there.")
    ] = Path("isthmus-demo.html"),
    show: Annotated[bool, typer.Option("--open", help="Open the report in the browser.")] = False,
) -> None:
    """Label messages to a bicycle-rental service with labels from a photo-sharing app."""
    import webbrowser
    from time import perf_counter

    import numpy as np

    from isthmus import transfer
    from isthmus.cli.outputs import check_outputs
    from isthmus.datasets import load_messages
    from isthmus.datasets.messages import SOURCE, TARGET

    check_outputs({"--report": report}, True, [])
    console = output()
    messages = load_messages()
    in_source, in_target = messages.groups == SOURCE, messages.groups == TARGET
    texts = np.array(messages.texts, dtype=object)
    truth = messages.labels[in_target]
    console.print(
        f"{in_source.sum()} labeled messages to a photo-sharing app, {in_target.sum()} to a bicycle-rental service "
        f"whose labels are kept for scoring alone.\nClasses: {', '.join(np.unique(messages.labels))}.\n",
        highlight=False,
    )

    results, accuracy, scores = {}, {}, []
    for method, description in (
        ("LR", "LR, the source-only baseline"),
        ("TCL", "TCL, domain adaptation by topics"),
        ("Auto", "Auto, model selection without target labels"),
    ):
        began = perf_counter()
        results[method] = transfer(
            list(texts[in_source]), list(messages.labels[in_source]), list(texts[in_target]), method=method
        )
        seconds = perf_counter() - began
        accuracy[method] = float(np.mean(results[method].labels == truth))
        scores.append([description, f"{accuracy[method]:.1%}", f"{seconds:.2f}"])
    titles = ["method", "accuracy in the target", "seconds"]
    console.print(plain_table(titles, scores, right=titles[1:]))
    console.print(f"\n{_verdict(accuracy)}\n")

    result = results["Auto"]
    _show_choice(result.estimator, accuracy["Auto"])

    console.print("\n[bold]Topics of TCL[/bold]: the words that its labels crossed by")
    console.print(results["TCL"].topics(n_words=7).table())

    _show_some(result, truth, texts[in_target])

    page = result.report(report, truth=list(truth), names=("photos", "bicycles"), force=True).resolve()
    console.print(f"\nThe report on all {len(truth)}: {page}", markup=False, highlight=False, soft_wrap=True)
    console.print(f"Next, your own two files: {NEXT}", markup=False, highlight=False, soft_wrap=True)
    if show:
        webbrowser.open(page.as_uri())


def _show_choice(auto: Any, accuracy: float) -> None:
    console = output()
    console.print("[bold]How Auto chose[/bold], without a label of the target")
    console.print(auto.leaderboard_.table())
    console.print(f"Estimated accuracy: {auto.estimated_accuracy_}; in truth it is {accuracy:.0%}.")
    for caution in auto.warnings_:
        console.print(caution.message, style="yellow", markup=False)


def _show_some(result: Result, truth: Sequence[str], texts: Sequence[str]) -> None:
    """Eight messages, from the surest label to the most doubtful."""
    import numpy as np

    console = output()
    console.print("\n[bold]A few messages to the bicycle service[/bold], as Auto labels them")
    confidence = result.probabilities.max(axis=1)
    order = np.argsort(confidence)
    some = order[np.linspace(0, len(order) - 1, 8).astype(int)][::-1]
    rows = [[result.labels[row], f"{confidence[row]:.2f}", truth[row], texts[row]] for row in some]
    console.print(plain_table(["label", "probability", "true label", "message"], rows))


def _verdict(accuracy: dict[str, float]) -> str:
    """Large gains are real, and so is negative transfer."""
    gain, topics = (100 * (accuracy[method] - accuracy["LR"]) for method in ("Auto", "TCL"))
    said = f"Here, the automatic choice {'gains' if gain > 0 else 'loses'} {abs(gain):.1f} points over the baseline"
    if topics >= 0:
        return f"{said}, and TCL gains {topics:.1f}."
    return (
        f"{said}, and TCL loses {-topics:.1f} (negative transfer):\n"
        "it reads what documents are about, and these classes are rather what the writer wants.\n"
        "On newsgroups, whose classes are topics, it gains much: see isthmus bench tcl."
    )
