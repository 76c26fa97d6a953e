"""A knob is one row: what comes from it, and what one more costs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click
import pytest

import hockney
from hockney.cli._knobs import with_knobs
from hockney.plan import Placement, Sampling, engine_rows, single, sizes_of
from hockney.plan.axes import AXES
from hockney.plan.knobs import knobs_of
from hockney.plan.workloads import WORKLOADS, workload_type
from hockney.plan.workloads.cores import Cores
from hockney.run.mpis import Mpi

SOURCE = Path(hockney.__file__).parent
ROW = """    any_source: Annotated[
"""
NEW_ROW = """    twice: Annotated[
        bool, Knob("Send all twice.", Axis(lambda _: "sent twice", is_method=True))
    ] = False
    paint: Annotated[
        Literal["red", "blue"], Knob("Paint all.", Axis(lambda word: f"in {word}", is_method=True))
    ] = "red"
    stretch: Annotated[
        int, Knob("Stretch all.", Axis(str), metavar="N", read=int)
    ] = 0
"""
USE = "    first->source = "
NEW_USE = "    first->tag += launch->options->twice + launch->options->paint;\n"


def test_options_of_the_engine_are_those_of_the_rows() -> None:
    options = (SOURCE / "engine" / "options.def").read_text()
    assert options == engine_rows.text(), (
        "python -m hockney.plan.engine_rows > src/hockney/engine/options.def"
    )


@pytest.mark.parametrize("experiment", WORKLOADS.names())
def test_every_axis_of_a_knob_is_an_axis_of_points(experiment: str) -> None:
    knobs = knobs_of(workload_type(experiment))
    assert {name for name, knob in knobs.items() if knob.axis is not None} <= AXES.keys()


def test_a_knob_that_the_experiment_lacks_is_refused() -> None:
    plan = single(Cores(sizes=sizes_of([8])), Placement(ranks=4), Sampling())
    with pytest.raises(click.UsageError, match="cores does not take --any-source"):
        with_knobs(plan, {"any_source": True})


def changed(before: Path, after: Path) -> list[str]:
    return sorted(
        str(file.relative_to(after))
        for file in after.rglob("*")
        if file.suffix in (".py", ".c", ".h", ".def")
        and file.read_bytes() != (before / file.relative_to(after)).read_bytes()
    )


def insert_before(file: Path, mark: str, text: str) -> None:
    content = file.read_text()
    assert mark in content
    file.write_text(content.replace(mark, text + mark, 1))


@pytest.mark.long
def test_a_new_knob_costs_its_row_and_its_use(mpi: Mpi, tmp_path: Path) -> None:
    """Options, acceptance, usage, records, axis and texts come from the row of a flag, a word and a
    number."""
    copy = tmp_path / "src" / "hockney"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__", "objects"))
    rows = copy / "plan" / "workloads" / "_messages.py"
    insert_before(rows, ROW, NEW_ROW)
    insert_before(rows, "import Annotated", "import Literal\nfrom typing ")
    insert_before(copy / "engine" / "threads.c", USE, NEW_USE)
    env = {
        **os.environ,
        "PYTHONPATH": str(copy.parent),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "HOCKNEY_CFLAGS": "-O0",
    }

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words], env=env, cwd=tmp_path, capture_output=True, text=True
        )

    made = run("-m", "hockney.plan.engine_rows")
    assert made.returncode == 0, made.stderr
    (copy / "engine" / "options.def").write_text(made.stdout)
    assert changed(SOURCE, copy) == [
        "engine/options.def",  # made of the rows
        "engine/threads.c",
        "plan/workloads/_messages.py",
    ]

    def measure(verb: str, *words: str) -> subprocess.CompletedProcess[str]:
        few = ("--sizes", "8", "--budget", "1s", "--launches", "2", "-o", f"{verb}.jsonl")
        return run("-m", "hockney", verb, *words, *few, "--force", "--mpicc", str(mpi.mpicc))

    done = measure("pairs", "-n", "2", "--twice", "--paint", "blue", "--stretch", "3")
    assert done.returncode == 0, done.stderr
    shown = json.loads(run("-m", "hockney", "show", "--json", "pairs.jsonl").stdout)
    knobs = [(point["twice"], point["paint"], point["stretch"]) for point in shown["points"]]
    assert knobs == [(True, "blue", 3)]
    help = run("-m", "hockney", "pingpong", "--help-all").stdout
    assert all(
        words in help
        for words in ("Send all twice.", "--paint NAME", "One of red, blue", "--stretch N")
    )
    assert_refused(measure("pairs", "-n", "2", "--paint", "green"), ["green", "red"])
    assert_refused(measure("cores", "--twice"), ["--twice"])


def assert_refused(done: subprocess.CompletedProcess[str], words: Sequence[str]) -> None:
    assert done.returncode == 2, done.stdout
    assert all(word in done.stderr for word in words), done.stderr
