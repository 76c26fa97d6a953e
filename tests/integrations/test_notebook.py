"""examples/notebook.ipynb runs from its first cell to its last."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from conftest import TEST_TIMEOUT_S

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook.ipynb"


@pytest.mark.long
def test_notebook_runs_and_every_result_shows_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(
        notebook, timeout=TEST_TIMEOUT_S, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    first, *shown = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not first.outputs
    for cell in shown:
        data = cell.outputs[-1]["data"]
        assert {"text/html", "image/png"} & set(data), cell.source
    assert all(not cell.get("outputs") for cell in nbformat.read(NOTEBOOK, as_version=4).cells)
