"""The notebooks of examples/ run from their first cell to their last."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from conftest import TEST_TIMEOUT_S

ROOT = Path(__file__).parents[2]
NOTEBOOK, COURSE = (ROOT / "examples" / f"{name}.ipynb" for name in ("notebook", "course"))


def executed(path: Path, directory: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The cells of code with their outputs; the notebook itself has none."""
    assert all(not cell.get("outputs") for cell in nbformat.read(path, as_version=4).cells)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    monkeypatch.setenv("IPYTHONDIR", str(directory))
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook, timeout=TEST_TIMEOUT_S, resources={"metadata": {"path": str(directory)}}
    ).execute()
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.long
def test_notebook_runs_and_every_result_shows_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *shown = executed(NOTEBOOK, tmp_path, monkeypatch)
    assert not first.outputs
    for cell in shown:
        data = cell.outputs[-1]["data"]
        assert {"text/html", "image/png"} & set(data), cell.source


def ratios(cell: Any) -> list[float]:
    """The numbers of the last column of a table."""
    text = cell.outputs[-1]["data"]["text/plain"]
    return [float(line.split()[-1]) for line in text.splitlines() if re.search(r"\d$", line)]


@pytest.mark.long
@pytest.mark.simgrid
def test_the_course_finds_what_its_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Times by placement as docs/course.md has them, and theory within a few per cent."""
    shutil.copy(ROOT / "docs" / "two-nodes.xml", tmp_path)
    _, placed, fit, figure, _, theory, large = executed(COURSE, tmp_path, monkeypatch)
    assert "segments" in str(fit.outputs)
    assert "image/png" in figure.outputs[-1]["data"]
    page = (ROOT / "docs" / "course.md").read_text()
    for place, fields in re.findall(r"^\| (same socket|other \w+) \| (0?\d.*?) \|$", page, re.M):
        last = float(fields.split("|")[-1])
        [row] = [
            line
            for line in placed.outputs[-1]["data"]["text/plain"].splitlines()
            if line.startswith("1048576")
        ]
        column = ["same socket", "other socket", "other node"].index(place)
        assert float(row.split()[1 + column]) == pytest.approx(last, rel=0.01)
    assert ratios(theory) == pytest.approx([1.0] * 3, rel=0.03)
    measured, expected = ratios(large)
    assert measured == pytest.approx(expected, rel=0.03)
