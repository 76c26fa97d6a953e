"""Draws docs/figures/report.png: the top of the report of result files, in the Chromium on PATH.

python docs/report_picture.py FILE...
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).parent / "figures" / "report.png"
WIDTH, HEIGHT = 1100, 970
"""CSS pixels of the part that is shown."""
COLOURS = 128
"""Enough for lines and text, and a quarter of the bytes."""


def draw(files: list[str]) -> None:
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as playwright:
        page_path = Path(directory) / "report.html"
        command = [sys.executable, "-m", "hockney", "report", *files, "-o", str(page_path)]
        subprocess.run(command, check=True)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(
            viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=1.5
        )
        page.goto(page_path.as_uri())
        page.screenshot(path=PICTURE)
        browser.close()
    with Image.open(PICTURE) as picture:
        picture.convert("P", palette=Image.Palette.ADAPTIVE, colors=COLOURS).save(
            PICTURE, optimize=True
        )


if __name__ == "__main__":
    draw(sys.argv[1:])
