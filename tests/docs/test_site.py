"""The documentation site builds without a warning: no page left out, no link or anchor broken."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
OFFLINE = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}


def test_site_builds_strictly_and_fetches_nothing(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        env=OFFLINE,
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    pages = list(tmp_path.rglob("*.html"))
    assert tmp_path / "tutorial" / "index.html" in pages
    for page in pages:
        fetched = re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)', page.read_text())
        assert not fetched, page


def test_links_outside_the_site_lead_to_files() -> None:
    """The README's, and those of pages to files that are not in docs/."""
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page}: {target}"
