"""The commands of every page run, in order, in one directory: short, and with simulated nodes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from record import repeatable
from shown_commands import PAGES, ROOT, here, shown, why_not_run, written
from stand_ins import provide

from conftest import RunHockney

OWN_TESTS = ("tutorial.md", "course.md", "coverage.md")
"""Pages whose commands tests/docs/test_shown.py and test_coverage.py run. The former
also runs those of other pages whose output is the same everywhere."""
VERDICTS = ("compare", "history")
"""Commands that end with status 1 where something is slower."""
FAULTY = "slow-node.xml"
"""A platform with a fault, which every command on it finds."""
RUN = [page for page in PAGES if page.name not in OWN_TESTS and any(map(here, shown(page)))]
FIRST = {tuple(here(command).words): page for page in reversed(RUN) for command in shown(page)}
"""The page whose command is run, where several show the same."""


@pytest.mark.long
@pytest.mark.simgrid
@pytest.mark.parametrize("page", RUN, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_shows_runs(page: Path, hockney: RunHockney, tmp_path: Path) -> None:
    for platform in (ROOT / "docs").glob("*.xml"):
        shutil.copy(platform, tmp_path)
    others = {" ".join(step.command.split()) for step in repeatable(page.read_text())}
    for command in shown(page):
        it = here(command)
        is_run = not why_not_run(command) and FIRST[tuple(it.words)] == page
        if not is_run or " ".join(command.split()) in others:
            for name in written(command.split()):
                (tmp_path / name).unlink(missing_ok=True)  # later commands read a stand-in
            continue
        for name in it.reads:
            provide(name, command, tmp_path)
        done = hockney(*it.words)
        allowed = (0, 1, 3) if it.words[0] in VERDICTS else (0,)
        if FAULTY in it.words:
            allowed = (1,)
        assert done.status in allowed, f"{command}\n{it.words}\n{done.stdout}{done.stderr}"
