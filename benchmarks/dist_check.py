"""Build the wheel and the sdist, install each into an empty environment, and use it there as a new user would.

python benchmarks/dist_check.py [--python PYTHON]
"""

from __future__ import annotations

import argparse
import csv
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
MESSAGES = ROOT / "src" / "isthmus" / "datasets" / "messages.csv"


def run(*command: str | Path, folder: Path) -> str:
    """What a command prints. It sees neither this repository nor this environment."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run([*map(str, command)], cwd=folder, env=clean, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def build(to: Path) -> list[Path]:
    """The wheel, which is built from the sdist, and the sdist."""
    print(f"building into {to}", flush=True)
    shutil.rmtree(to, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", to, ROOT, folder=ROOT)
    return [*to.glob("*.whl"), *to.glob("*.tar.gz")]


def write_files(folder: Path) -> None:
    """Two CSV files, as somebody's might be: one with labels and one without."""
    with MESSAGES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    first, *_, last = [row["domain"] for row in rows]
    for name, group, columns in (("labeled.csv", first, ["text", "label"]), ("unlabeled.csv", last, ["text"])):
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(row for row in rows if row["domain"] == group)


def try_out(package: Path, python: str, folder: Path) -> None:
    """Install ``package`` into an environment in ``folder``, and run the demo and a fit."""
    run(python, "-m", "venv", folder / "env", folder=folder)
    own = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
    run(own / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package, folder=folder)
    write_files(folder)
    isthmus = own / "isthmus"
    versions = [run(*asked, folder=folder).strip() for asked in ((isthmus, "--version"), (python, "-V"))]
    print(f"{package.name}: {', '.join(versions)}", flush=True)
    run(isthmus, "demo", folder=folder)
    asked = ("--source", "labeled.csv", "--target", "unlabeled.csv", "-o", "model.isthmus")
    said = run(isthmus, "fit", *asked, "--predictions", "labels.csv", "--report", "report.html", folder=folder)
    run(isthmus, "predict", "model.isthmus", "unlabeled.csv", "-o", "again.csv", folder=folder)
    for name in ("model.isthmus", "labels.csv", "report.html", "again.csv"):
        if not (folder / name).stat().st_size:
            raise SystemExit(f"{name} is empty.")
    print(next(line for line in said.splitlines() if "accuracy" in line.lower()))


def main(arguments: Sequence[str] | None = None) -> None:
    """Check both packages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="The Python of the empty environments.")
    given = parser.parse_args(arguments)
    for package in build(ROOT / "dist"):
        with tempfile.TemporaryDirectory() as folder:
            try_out(package, given.python, Path(folder))


if __name__ == "__main__":
    main()
