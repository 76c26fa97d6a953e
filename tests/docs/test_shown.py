"""Pages show the commands' real output: the tutorial's with short budgets, in order, in one empty
directory, and that of all pages which is the same on every machine."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from record import DOCS, TUTORIAL, repeatable, run, shortened, steps

from conftest import TEST_TIMEOUT_S

VERDICTS = ("hockney doctor", "hockney compare", "hockney history")
"""Commands that may find a busy machine bad, or slower: exit status 1, as the tutorial says."""
CHANGED = "the machine was in different states"
"""Two runs between which the machine changed its state are not compared: there is no table."""
BUDGET = "--budget 4s"
"""Of the tutorial's measurements here: its tables have the same headings."""
PAGES = sorted(page for page in DOCS.rglob("*.md") if [*repeatable(page.read_text())])


def _lines(text: str) -> set[str]:
    return {" ".join(line.split()) for line in text.splitlines()}


def _forms(text: str) -> set[str]:
    """Lines without their numbers, whose last digits and counts depend on how fast SimGrid runs."""
    return {re.sub(r"-?[\d.]+(e[+-]\d+)?", "#", line) for line in _lines(text)}


def _headings(lines: list[str]) -> set[str]:
    """Headings of tables: the same on every machine, as numbers and sentences are not, but for the
    columns that take many launches or samples."""
    columns = (re.sub(r"\d+ % interval|p99|launches", "", line) for line in lines if line != "...")
    words = (" ".join(line.split()) for line in columns)
    return {line for line in words if line and not re.search(r"[\d;:]", line)}


@pytest.mark.long
def test_commands_run_and_print_what_the_tutorial_shows(tmp_path: Path) -> None:
    commands = steps(TUTORIAL.read_text())
    assert len(commands) > 8
    for step in commands:
        done = run(re.sub(r"--budget \d+s", BUDGET, step.command), tmp_path, TEST_TIMEOUT_S)
        printed = f"$ {step.command}\n{done.stdout}{done.stderr}"
        assert done.returncode in ((0, 1, 3) if step.command.startswith(VERDICTS) else (0,)), (
            printed
        )
        assert "Traceback" not in printed
        seen = _headings(printed.splitlines())
        assert CHANGED in printed or _headings(step.shown) <= seen, printed


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_what_is_the_same_everywhere_is_what_pages_show(page: Path, tmp_path: Path) -> None:
    for step in repeatable(page.read_text()):
        done = run(step.command, tmp_path, TEST_TIMEOUT_S)
        assert done.returncode == 0, f"$ {step.command}\n{done.stdout}{done.stderr}"
        shown = _forms("\n".join(line for line in step.shown if line != "..."))
        assert shown <= _forms(done.stdout), f"python docs/record.py docs/{page.relative_to(DOCS)}"


COURSE = DOCS / "course.md"
LONG, SHORT = "--budget 30s", "--budget 1s"
"""Budget of the page's measurements on the laptop, and the one used here."""


@pytest.mark.long
@pytest.mark.simgrid
def test_the_course_runs_as_it_stands(tmp_path: Path) -> None:
    """The commands run, and the simulated part gives the times of the course's answers."""
    page = COURSE.read_text()
    shutil.copy(DOCS / "two-nodes.xml", tmp_path)
    commands = re.findall(r"^ {4}(hockney .*)$", page, re.MULTILINE)
    assert len(commands) == 16
    assert sum(LONG in command for command in commands) == 1
    printed = {}
    for command in commands:
        done = run(command.replace(LONG, SHORT), tmp_path, TEST_TIMEOUT_S)
        allowed = (0, 1, 3) if command.startswith(VERDICTS) else (0,)
        assert done.returncode in allowed, f"$ {command}\n{done.stdout}{done.stderr}"
        printed[command] = done.stdout
    shown = "\n".join(printed.values())
    for fields in re.findall(r"^\| (?:same socket|other \w+) \| (0\.\d.*|1\.\d.*) \|$", page, re.M):
        for field in fields.split(" | "):
            assert re.search(rf" {re.escape(field)}\d* ", shown), field


def test_pages_with_such_commands_are_found() -> None:
    assert len(PAGES) > 4


def test_an_output_keeps_the_paragraphs_that_the_page_shows() -> None:
    printed = "a\nb\n\nc\n\nd\n"
    assert shortened(printed, []) == []
    assert shortened(printed, ["old"]) == ["a", "b", "", "c", "", "d"]
    assert shortened(printed, ["old", "..."]) == ["a", "b", "..."]
    assert shortened(printed, ["old", "", "older", "..."]) == ["a", "b", "", "c", "..."]
    assert shortened(printed, ["...", "", "old", "..."]) == ["...", "", "c", "..."]
