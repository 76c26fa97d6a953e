"""Going on with a run: every launch is of the case that it measured, whatever version wrote it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from conftest import RunHockney, run_here
from hockney import records
from hockney.plan import plan_of
from hockney.run.mpis import Engine, Mpi

STUDY = (
    "collective",
    "bcast",
    "--algorithm",
    "default,binomial",
    "--sizes",
    "8,64",
    "-n",
    "2",
    "--budget",
    "1s",
    "-q",
    "-o",
    "run.jsonl",
)


def launches_of_cases(path: Path) -> list[int]:
    """Number of launches of each case of a run."""
    run = records.read(path)
    plan = plan_of(run.header.options)
    assert plan is not None
    return [
        len({samples.launch for samples in run.samples if case.is_measured_by(samples)})
        for case in plan.cases
    ]


@pytest.fixture(scope="module")
def measured_study(mpi: Mpi, engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: ARG001
    directory = tmp_path_factory.mktemp("study")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        done = run_here([*STUDY, "--launches", "2"])
    assert done.status == 0, done.stderr
    return directory / "run.jsonl"


@pytest.fixture
def study(measured_study: Path, tmp_path: Path) -> Path:
    """Two launches of each of two cases."""
    return Path(shutil.copy(measured_study, tmp_path / "run.jsonl"))


@pytest.mark.long
def test_no_launch_of_a_study_is_measured_twice(hockney: RunHockney, study: Path) -> None:
    assert launches_of_cases(study) == [2, 2]
    hockney.ok(*STUDY, "--launches", "3", "--resume")
    assert launches_of_cases(study) == [3, 3]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--sizes", "8"), "sizes was 8,64, and is 8 now"),
        (("--algorithm", "default"), "it had 2 combinations, and has 1 now"),
        (("--place", "none"), "place was core, and is none now"),
        (("--buffers", "cold"), "buffers was None, and is cold now"),
    ],
)
def test_another_plan_is_refused(
    hockney: RunHockney, study: Path, options: tuple[str, ...], complaint: str
) -> None:
    before = study.read_bytes()
    hockney.refused(*STUDY, *options, "--resume", because=complaint)
    assert study.read_bytes() == before


def test_a_file_that_does_not_say_what_it_measured_is_refused(
    hockney: RunHockney, study: Path
) -> None:
    first, *lines = study.read_text().splitlines()
    header = json.loads(first)
    header["options"] = {"window": "64"}
    study.write_text("\n".join([json.dumps(header), *lines]) + "\n")
    hockney.refused(*STUDY, "--resume", because="does not record its plan")


@pytest.mark.parametrize(
    "words",
    [
        ("pingpong", "--sizes", "8,1KiB", "--launches", "2", "--budget", "0.6s"),
        *(
            pytest.param(words, marks=pytest.mark.long)
            for words in (
                ("overheads", "--sizes", "8,64", "--budget", "1s"),
                ("pingpong", "--sizes", "8,1KiB", "--budget", "1s"),
                ("pingpong", "--sizes", "8..64KiB", "--refine", "--budget", "1s"),
            )
        ),
    ],
)
def test_a_finished_run_is_not_measured_again(
    hockney: RunHockney, tmp_path: Path, words: tuple[str, ...]
) -> None:
    path = tmp_path / "run.jsonl"
    assert hockney(*words, "-q", "-o", "run.jsonl").status == 0
    before = path.read_bytes()
    done = hockney.ok(*words, "-o", "run.jsonl", "--resume")
    assert "nothing was measured: run.jsonl was finished before" in done.stderr
    assert path.read_bytes() == before


def test_overheads_that_were_cut_go_on_and_end(hockney: RunHockney, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    words = ("overheads", "--sizes", "8,64", "--budget", "1s", "-q", "-o", "run.jsonl")
    assert hockney(*words).status == 0
    *lines, last = path.read_bytes().splitlines(keepends=True)
    assert b'"kind":"finish"' in last
    path.write_bytes(b"".join(lines))
    launches = len(records.read(path).launches)
    hockney.ok(*words, "--resume")
    run = records.read(path)
    assert run.finish is not None
    assert run.finish.reason in ("budget", "precision")
    assert len(run.launches) < launches + 10


@pytest.mark.long
def test_delays_that_outlast_the_timeout_are_refused(hockney: RunHockney, tmp_path: Path) -> None:
    """Round trips on CPUs that others held give such delays: the next launch would be ended as
    silent."""
    path = tmp_path / "run.jsonl"
    words = ("overheads", "--sizes", "8,64", "--budget", "1s", "-q", "-o", "run.jsonl")
    assert hockney(*words).status == 0
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    kept = [record for record in lines if record["kind"] == "run" or record.get("launch") == 0]
    for record in kept:
        if record["kind"] == "samples":
            record["ns"] = [3e7 for _ in record["ns"]]
    path.write_text("".join(json.dumps(record) + "\n" for record in kept))
    done = hockney(*words, "--resume", "--timeout", "20s")
    assert done.status == 1
    assert "round trips took up to 30 ms" in done.stderr
    assert "with a longer --timeout" in done.stderr
    assert len(records.read(path).launches) == 1
