"""The file of a host's memory, and which runs belong to a comparison."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from hockney.base.errors import UsageError
from hockney.infer.analysis import Analysis
from hockney.infer.memory.host import (
    DamagedError,
    EarlierRun,
    earlier_run,
    encoded,
    read_memory,
    sorted_by_question,
)
from hockney.infer.memory.question import OTHER_HOSTS, OTHER_MPI, OTHER_QUESTION, question_of
from hockney.records import MpiFacts, Place, Run
from samples import make_run, past_run


def remembered(run: Run) -> EarlierRun:
    analysis = Analysis(run)
    return earlier_run(run, analysis.of_every_launch)


def written(path: Path, *runs: Run) -> bytes:
    content = encoded([remembered(run) for run in runs])
    path.write_bytes(content)
    return content


def test_a_file_gives_back_what_was_kept(tmp_path: Path) -> None:
    states = make_run(
        lambda launch, *_: [1000.0 + launch],
        launches=6,
        sizes=(0, 8),
        handover_ns=lambda launch, _: 53.0 if launch < 4 else 245.0,
    )
    runs = [past_run(0), past_run(1, label="another"), states]
    file = tmp_path / "memory.json"
    written(file, *runs)
    assert read_memory(file) == [remembered(run) for run in runs]
    assert len(read_memory(file)[2].states) == 2


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b'"hockney_memory":1', b'"hockney_memory":2', "version 2, and this hockney knows 1"),
        (b'"digest":"', b'"digest":"0', "digest"),
        (b"]]", b"]", "damaged"),
        (b'"bytes":8', b'"bytes":9', "digest"),
    ],
)
def test_damage_and_other_versions_are_said(
    tmp_path: Path, old: bytes, new: bytes, reason: str
) -> None:
    file = tmp_path / "memory.json"
    content = written(file, past_run(0))
    assert old in content
    file.write_bytes(content.replace(old, new, 1))
    with pytest.raises(DamagedError, match=reason):
        read_memory(file)


def test_a_cut_memory_is_damaged_wherever_it_ends(tmp_path: Path) -> None:
    file = tmp_path / "memory.json"
    content = written(file, past_run(0))
    for end in range(20, len(content) - 1, 37):
        file.write_bytes(content[:end])
        with pytest.raises(DamagedError):
            read_memory(file)


def test_another_file_is_no_memory(tmp_path: Path) -> None:
    for text in ("", "no result\n", '{"kind":"run"}\n'):
        file = tmp_path / "other"
        file.write_text(text)
        with pytest.raises(UsageError, match="no memory of hockney"):
            read_memory(file)
    with pytest.raises(UsageError, match="cannot be read"):
        read_memory(tmp_path / "nowhere")


def test_only_runs_of_the_same_question_belong_and_others_are_counted() -> None:
    base, alike = past_run(0), past_run(1)
    elsewhere, updated, labelled = past_run(2), past_run(3), past_run(4, label="another")
    elsewhere.launches[0].places = [Place(rank=0, host="there")]
    updated.launches[0].mpi = MpiFacts(library="MPICH", version="5")
    experiment = past_run(5)
    experiment.header = msgspec.structs.replace(experiment.header, experiment="exchange")
    planned = past_run(6)
    planned.header = msgspec.structs.replace(planned.header, options={"other": 1})
    known = [remembered(run) for run in (base, alike, elsewhere, updated, labelled)]
    known += [remembered(run) for run in (experiment, planned, alike)]
    sorted_runs = sorted_by_question([question_of(base)] * 2, known, [base.header.id])
    assert [run.id for run in sorted_runs.sides[0]] == ["run 1"]
    assert sorted_runs.sides[1] == []
    assert sorted_runs.left_out == {OTHER_HOSTS: 1, OTHER_MPI: 1, OTHER_QUESTION: 3}


def test_a_run_is_counted_by_how_it_differs_from_the_side_that_it_is_most_like() -> None:
    labels = [question_of(past_run(0, label=label)) for label in "AB"]
    updated = past_run(1, label="B")
    updated.launches[0].mpi = MpiFacts(library="MPICH", version="5")
    for questions in (labels, labels[::-1]):
        sorted_runs = sorted_by_question(questions, [remembered(updated)], [])
        assert sorted_runs.left_out == {OTHER_MPI: 1}


def test_each_side_has_the_runs_of_its_own_question() -> None:
    first, second = past_run(0, label="A"), past_run(1, label="B")
    known = [remembered(past_run(day, label="AB"[day % 2])) for day in range(2, 7)]
    sorted_runs = sorted_by_question([question_of(first), question_of(second)], known, [])
    assert [[run.id for run in side] for side in sorted_runs.sides] == [
        ["run 2", "run 4", "run 6"],
        ["run 3", "run 5"],
    ]
