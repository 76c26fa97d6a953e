"""All but figures in files works where matplotlib is not installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conftest import first_of

RECORDED = Path(__file__).parents[1] / "recorded"
FIRST, SECOND = RECORDED / "pingpong-mpich.jsonl.zst", RECORDED / "pingpong-mpich-again.jsonl.zst"
WITHOUT = "import sys; sys.modules['matplotlib'] = None; from hockney import cli; cli.main()"


def without_matplotlib(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT, *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=600)


VERBS = {
    "history": (FIRST, SECOND),
    "plot": (FIRST,),
    "show": (FIRST,),
    "compare": (FIRST, SECOND),
    "explain": (FIRST, SECOND),
    "fit": (FIRST,),
    "report": (FIRST, "-o", "report.html"),
    "export": (FIRST, "--to", "csv", "-o", "points.csv"),
}


@pytest.mark.parametrize("verb", first_of(VERBS))
def test_a_verb_that_draws_no_file_needs_none(verb: str, tmp_path: Path) -> None:
    done = without_matplotlib(verb, *map(str, VERBS[verb]), cwd=tmp_path)
    assert "matplotlib" not in done.stderr
    assert done.returncode in (0, 1, 3), done.stderr
    assert done.stdout or (tmp_path / str(VERBS[verb][-1])).stat().st_size


@pytest.mark.parametrize("verb", first_of(["plot", "compare"]))
def test_a_figure_in_a_file_names_what_to_install(verb: str, tmp_path: Path) -> None:
    done = without_matplotlib(verb, *map(str, VERBS[verb]), "-o", "figure.png", cwd=tmp_path)
    assert done.returncode == 2
    assert "needs matplotlib" in done.stderr
    assert "pip install 'hockney[plot]'" in done.stderr
    assert not list(tmp_path.iterdir())
