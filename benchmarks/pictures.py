"""Take the pictures of the docs: the report and the studio, in a browser that nobody sees.

python benchmarks/pictures.py
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from dist_check import write_files
from isthmus.datasets import load_messages

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
WIDTH, HEIGHT = 1180, 760


def take_report(page: Any, folder: Path) -> None:
    """The report of the demo, from its top."""
    subprocess.run(
        [sys.executable, "-m", "isthmus", "demo", "--report", folder / "demo.html"], check=True, capture_output=True
    )
    page.goto((folder / "demo.html").as_uri())
    page.wait_for_selector(".item")
    page.screenshot(path=PICTURES / "report.png")


def take_studio(page: Any, folder: Path) -> None:
    """A document that waits for its label, after the first fit and twelve answers."""
    messages = load_messages()
    names = sorted(set(messages.labels))
    truth = [names.index(label) + 1 for label in messages.labels[messages.groups == "bicycles"]]
    asked = ["studio", folder / "demo.isthmus-project", "--source", "labeled.csv", "--target", "unlabeled.csv"]
    command = [sys.executable, "-u", "-m", "isthmus", *map(str, asked), "--no-browser"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as studio:
        try:
            assert studio.stdout is not None
            found = re.search(r"http://\S+", studio.stdout.readline())
            assert found is not None
            page.goto(found[0])
            page.click("#start")
            page.wait_for_selector("#labeling:not([hidden])", timeout=300_000)
            for _ in range(12):
                document = page.inner_text("#document-id")
                page.keyboard.press(str(truth[int(document.split()[-1]) - 1]))
                page.wait_for_function(
                    "one => document.getElementById('document-id').textContent !== one", arg=document
                )
            page.screenshot(path=PICTURES / "studio.png")
        finally:
            studio.terminate()


def main() -> None:
    """Both pictures."""
    from playwright.sync_api import sync_playwright

    browser_path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser_path is None:
        raise SystemExit("There is no browser: install chromium (on Debian: apt-get install chromium).")
    PICTURES.mkdir(exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as name:
        write_files(Path(name))
        root = hasattr(os, "getuid") and os.getuid() == 0  # chromium has no sandbox then
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"] if root else [])
        for take in (take_report, take_studio):
            take(browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, reduced_motion="reduce"), Path(name))
        browser.close()
    print(*sorted(PICTURES.glob("*.png")), sep="\n")


if __name__ == "__main__":
    main()
