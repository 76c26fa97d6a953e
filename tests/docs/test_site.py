"""The documentation site builds without a warning: no page left out, no link or anchor broken."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FETCHED = re.compile(r'<(?:script|link|img)[^>]+(?:src|href)="https?:')
QUIET = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}


def test_site_builds_strictly_and_fetches_nothing(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        env=QUIET,
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    pages = list(tmp_path.rglob("*.html"))
    assert tmp_path / "tutorial" / "index.html" in pages
    for page in pages:
        assert not FETCHED.search(page.read_text()), page


def test_links_of_the_readme_lead_to_files() -> None:
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page}: {target}"


def test_pages_that_messages_name_are_there() -> None:
    for source in (ROOT / "src").rglob("*.py"):
        for page in re.findall(r"docs/[\w/-]+\.md", source.read_text()):
            assert (ROOT / page).exists(), f"{source}: {page}"
