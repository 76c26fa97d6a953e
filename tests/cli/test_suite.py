from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import click
import msgspec
import numpy as np
import pytest

from conftest import TEST_TIMEOUT_S, RunHockney
from hockney import records
from hockney.base.errors import UsageError
from hockney.base.toml_file import parsed_toml
from hockney.cli import suite
from hockney.cli._memory import NAME as MEMORY_NAME
from hockney.cli._suite_runs import _words_of, request_of
from hockney.infer.analysis.decision import decision_of
from hockney.infer.analysis.gate import FAILED, NOT_JUDGED
from hockney.plan import Plan, plan_of
from hockney.records import Finish, Run
from hockney.run.measure.journal import Journal
from hockney.run.measure.sessions.answer import Problem
from hockney.run.measure.suite import READY, _expand, read_suite
from samples import make_run, past_run, write_run

PLAN = """
name = "two by two"

[[run]]
label = "a plan's label"
verb = "pingpong"
sizes = "0,8"
budget = "0.4s"
launches = "2"
matrix.place = ["core", "none"]
matrix.buffers = ["separate", "returned"]
"""


def test_a_matrix_is_measured_whole_and_never_twice(hockney: RunHockney, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN)
    done = hockney.ok("suite", "plan.toml", "-o", "results", "--", "--precision", "50%")
    files = sorted((tmp_path / "results").glob("*-*.jsonl"))
    runs = [records.read(file) for file in files]
    plans = [plan_of(run.header.options) for run in runs]
    combinations = [
        (plan.first.placement.place, plan.first.workload.buffers) for plan in plans if plan
    ]
    assert combinations == [
        (place, buffers) for place in ("core", "none") for buffers in ("separate", "returned")
    ]
    assert {plan.sampling.precision for plan in plans if plan} == {0.5}
    assert {run.header.label for run in runs} >= {"a plan's label place=core buffers=separate"}
    assert "1 of 4" in done.stderr
    assert "two by two" in (tmp_path / "results" / "report.html").read_text()
    before = [file.read_bytes() for file in files]
    files[1].unlink()
    hockney.ok("suite", "plan.toml", "-o", "results", "--resume", "--", "--precision", "50%")
    after = [file.read_bytes() for file in files]
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, False, True, True]
    hockney.refused(
        "suite", "plan.toml", "-o", "results", "--resume", because="the suite has changed"
    )


@pytest.mark.simgrid
def test_networks_are_loaded_and_passed_over_in_a_suite(
    hockney: RunHockney, tmp_path: Path
) -> None:
    (tmp_path / "plan.toml").write_text(
        '[[run]]\nverb = "congestion"\nranks = 6\nplatform = "cluster:6"\n'
        'matrix.aggressor = ["incast", "ring"]\n'
        '[[run]]\nverb = "fabric"\nn = 6\nplatform = "cluster:6"\nsizes = "8"\n'
    )
    hockney.ok("suite", "plan.toml", "-o", "results", "-q")
    files = sorted((tmp_path / "results").glob("*.jsonl"))
    runs = [records.read(file) for file in files if file.name[0].isdecimal()]
    assert [run.header.experiment for run in runs] == ["congestion", "congestion", "fabric"]
    hockney.ok("suite", "plan.toml", "-o", "results", "-q", "--resume")


@pytest.mark.simgrid
def test_a_gate_judges_all_runs_of_a_suite(hockney: RunHockney, tmp_path: Path) -> None:
    """Runs without pairs have no say, unless no run has any."""
    pingpong = '[[run]]\nverb = "pingpong"\nplatform = "cluster:2"\nsizes = "8"\n'
    fabric = '[[run]]\nverb = "fabric"\nn = 6\nplatform = "cluster:6"\nsizes = "8"\n'
    (tmp_path / "plan.toml").write_text(pingpong + fabric)
    (tmp_path / "alone.toml").write_text(pingpong + "gate = true\n")
    passed = hockney("suite", "plan.toml", "-o", "a", "-q", "--", "--gate")
    assert (passed.status, passed.stdout.splitlines()[0]) == (0, "gate: passed"), passed.stderr
    unknown = hockney("suite", "alone.toml", "-o", "b", "-q")
    assert unknown.status == 3
    assert unknown.stdout.startswith("gate: NOT JUDGED: no run measured several pairs; ")


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "in the middle of a line": lambda whole: whole[: len(whole) // 2],
    "after a whole line": lambda whole: whole[: whole.index(b'{"kind":"finish"')],
    "a line in the middle": lambda whole: whole.replace(b'{"kind":"end"', b"?", 1),
    "all": lambda _: b"",
}


@pytest.mark.simgrid
def test_a_finished_run_whose_file_is_damaged_is_measured_again(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """What is left of it stays beside it, under a name that no verb takes for a result file."""
    (tmp_path / "plan.toml").write_text(
        '[[run]]\nverb = "fabric"\nn = 4\nplatform = "cluster:4"\nsizes = "8"\n'
    )
    first = hockney.ok("suite", "plan.toml", "-o", "results", "-q")
    (file,) = (tmp_path / "results").glob("01-*.jsonl")
    for number, damage in enumerate(DAMAGES.values(), 1):
        left = damage(file.read_bytes())
        file.write_bytes(left)
        done = hockney.ok("suite", "plan.toml", "-o", "results", "-q", "--resume")
        assert f"{file.name} is not whole" in done.stderr
        run = records.read(file)
        assert (run.cut, run.finish is not None) == (None, True)
        assert (tmp_path / "results" / f"{file.name}.damaged-{number}").read_bytes() == left
        assert done.stdout.splitlines()[:1] == first.stdout.splitlines()[:1]


def test_a_suite_is_not_judged_against_a_file_that_is_not_whole(
    hockney: RunHockney, tmp_path: Path
) -> None:
    (tmp_path / "plan.toml").write_text(
        '[[run]]\nlabel = "night"\nverb = "pingpong"\nsizes = "8"\nbudget = "0.2s"\n'
    )
    assert hockney("suite", "plan.toml", "-o", "tonight", "-q").status == 0
    (file,) = (tmp_path / "tonight").glob("01-*.jsonl")
    write_run(night(10), file)
    (tmp_path / "good").mkdir()
    good = write_run(night(11, 2.0), tmp_path / "good" / file.name)
    again = ["suite", "plan.toml", "-o", "tonight", "-q", "--resume", "--against", "good"]
    assert hockney(*again).status == 0
    whole = good.read_bytes()
    for left in (whole[:-20], b""):
        good.write_bytes(left)
        done = hockney(*again)
        assert done.status == 3, done.stderr
        assert done.stdout.startswith("gate: NOT JUDGED: ")
        assert str(Path("good") / file.name) in done.stdout.splitlines()[0]


def night(number: int, factor: float = 1.0) -> Run:
    """A run whose launches and runs scatter by 1 %, under a label that no other test has."""
    rng = np.random.default_rng(number)
    levels = factor * rng.lognormal(sigma=0.01) * rng.lognormal(sigma=0.01, size=10)
    run = make_run(lambda launch, _, size: [levels[launch] * (1e3 + size)] * 3, launches=10)
    run.header = msgspec.structs.replace(run.header, id=f"night {number}", label="held against")
    run.finish = Finish(reason="budget", spent_s=1.0, sampling={})
    return run


def test_a_suite_is_held_against_an_earlier_one_by_the_memory(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """The journal of a measured run, with numbers that are made up."""
    (tmp_path / "past").mkdir()
    for number in range(5):
        write_run(night(number), tmp_path / "past" / f"{number}.jsonl")
    (tmp_path / "plan.toml").write_text(
        '[[run]]\nlabel = "night"\nverb = "pingpong"\nsizes = "8"\nbudget = "0.2s"\n'
    )
    assert hockney("suite", "plan.toml", "-o", "tonight", "-q").status == 0
    (file,) = (tmp_path / "tonight").glob("01-*.jsonl")
    (tmp_path / "good").mkdir()
    again = ["suite", "plan.toml", "-o", "tonight", "-q", "--resume", "--against", "good"]
    for none in ("better", "tonight"):
        refused = hockney(*again[:-1], none)
        assert (refused.status, "no directory of earlier" in refused.stderr) == (2, True)
    alone = hockney(*again)
    assert alone.status == 3
    assert f"gate: NOT JUDGED: good has no {file.name}; " in alone.stdout
    write_run(night(10), tmp_path / "good" / file.name)
    write_run(night(11, 1.03), file)
    assumed = hockney(*again)
    assert assumed.status == 3, assumed.stderr
    assert '"held against" may take up to 1.1 times as long as before' in assumed.stdout
    assert "assumed" in assumed.stdout
    known = hockney(*again, "--memory", "past")
    assert known.status == 1
    assert known.stdout.startswith('gate: FAILED: "held against" takes 1.0')
    assert "from 6 runs" in known.stdout
    assert "hockney explain good" in known.stdout
    assert "takes 1.0" in (file.parent / "report.html").read_text()
    assert hockney(*again, "--memory", "past", "--tolerance", "50%").status == 0
    past = tmp_path / "past" / MEMORY_NAME
    for run in (tmp_path / "past").glob("*.jsonl"):
        run.unlink()
    past.write_bytes(past.read_bytes()[:-30])
    hockney.refused(*again, "--memory", "past", because="is damaged")
    assert hockney(*again[:-2], "--memory", "past").status == 2


@pytest.mark.long
def test_a_suite_that_is_cut_short_goes_on(hockney: RunHockney, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN.replace('"0.4s"', '"2s"').replace('"2"', '"3"'))
    process = subprocess.Popen(
        [sys.executable, "-m", "hockney", "suite", "plan.toml", "-o", "results"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ,
    )
    second = "results/02-*.jsonl"
    while process.poll() is None and not list(tmp_path.glob(second)):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert "continue with --resume" in process.communicate(timeout=TEST_TIMEOUT_S)[1]
    assert process.returncode == 130
    kept = {file: file.read_bytes() for file in sorted(tmp_path.glob("results/0*.jsonl"))}
    hockney.ok("suite", "plan.toml", "-o", "results", "--resume")
    files = sorted(tmp_path.glob("results/0*.jsonl"))
    assert len(files) == 4
    assert all(file.read_bytes().startswith(before) for file, before in kept.items())
    assert files[0].read_bytes() == kept[files[0]]
    assert all(records.read(file).cut is None for file in files)


BETWEEN = """
import os, signal, sys
from hockney.cli import _measure
_measure.measured = lambda *_: os.kill(os.getpid(), signal.SIGINT)
sys.argv = ["hockney", "suite", "plan.toml", "-o", "results"]
from hockney.__main__ import main
main()
"""


def test_a_signal_between_two_runs_says_how_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN)
    words = [sys.executable, "-c", BETWEEN]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert "hockney: interrupted by SIGINT" in done.stderr
    assert "continue with --resume -o results" in done.stderr


def test_a_signal_at_the_end_of_a_run_ends_the_suite(
    hockney: RunHockney, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run is whole, and no other follows."""

    def done_and_stopped(*_: object) -> bool:
        signal.raise_signal(signal.SIGINT)
        return True

    monkeypatch.setattr("hockney.run.measure.sessions.measuring._is_done", done_and_stopped)
    (tmp_path / "plan.toml").write_text(PLAN)
    done = hockney("suite", "plan.toml", "-o", "results")
    assert done.status == 130
    assert "continue with --resume" in done.stderr
    [file] = (tmp_path / "results").glob("0*.jsonl")
    finish = records.read(file).finish
    assert finish is not None
    assert finish.reason != "interrupted"


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("sizes =", "szies =", "unknown key 'szies'\n  did you mean sizes?"),
        ("name =", "nmae =", "unknown key 'nmae'\n  did you mean name?"),
        ("matrix.place", "matrix.palce", "did you mean place?"),
        ('verb = "pingpong"', 'verb = "show"', "show is not a verb that measures"),
        (
            'verb = "pingpong"',
            'verb = "pingpon"',
            "label place=core buffers=separate: pingpon is not a verb that measures",
        ),
        ('verb = "pingpong"', 'verb = "pingpon"', "\n  did you mean pingpong?"),
        ('verb = "pingpong"', "", "no verb"),
        ('"0,8"', '"8QB"', "unknown unit"),
        ('["core", "none"]', '"core"', "the matrix must have a list"),
        ('["core", "none"]', '["attic"]', "attic"),
        ("budget", "place", "is in the run and in its matrix"),
        ("[[run]]", "[[run", "plan.toml"),
        ("sizes =", "output =", "unknown key 'output'"),
        ('"0,8"', '["0", "8"]', 'sizes is a list\n  write one text, such as sizes = "0,8"'),
        ('"0,8"', "[]", "sizes is a list"),
        ('"0,8"', "false", "--sizes is true or false"),
        ('"0,8"', "true", "--sizes is true or false"),
        ("sizes =", "verify =", "verify = '0,8'\n  it has no value: write verify = true"),
        ('["core", "none"]', "[]", "the matrix must have a list"),
    ],
)
def test_a_wrong_plan_is_told_before_anything_is_measured(
    hockney: RunHockney, tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    assert old in PLAN
    (tmp_path / "plan.toml").write_text(PLAN.replace(old, new, 1))
    hockney.refused("suite", "plan.toml", because=complaint)
    assert [file.name for file in tmp_path.iterdir()] == ["plan.toml"]


def requested(text: str, *more: str) -> Plan:
    """The plan of a suite's only run."""
    path = Path("plan.toml")
    [run] = _expand(path, 1, parsed_toml(path, text))
    with click.Context(suite.command):
        return request_of("plan.toml", _words_of("plan.toml", run, more)).plan


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """A suite of one run that is whole, and one that failed before it measured anything."""
    with closing(Journal(tmp_path / "now", resume=False)) as journal:
        write_run(past_run(0), journal.directory / "01-whole.jsonl")
        plan = requested('verb = "pingpong"\nsizes = "8"\n')
        journal.note("01-whole.jsonl", "whole", plan, "launches")
        journal.note("02-broken.jsonl", "broken", plan, "failed")
        yield journal


def test_runs_that_an_earlier_suite_lacks_are_in_the_verdict(
    journal: Journal, tmp_path: Path
) -> None:
    (tmp_path / "before").mkdir()
    judged = suite._compared(journal, tmp_path / "before", 0.03, None)
    assert judged.gate is not None
    decision = decision_of([], against=judged.findings)
    assert decision is not None
    assert decision.status == judged.gate.status == NOT_JUDGED
    (finding,) = decision.findings
    assert finding.number == f"{tmp_path / 'before'} has no 01-whole.jsonl"
    assert finding.action == suite.MEASURE_THERE


def test_a_run_that_failed_is_in_the_verdict(journal: Journal) -> None:
    problem = Problem("launch 0 failed: no memory", printed=("Aborted",))
    judged = suite._unfinished(journal, {"01-whole.jsonl": [], "02-broken.jsonl": [problem]})
    assert judged.gate is not None
    assert judged.gate.line == 'gate: FAILED: "broken" failed: launch 0 failed: no memory'
    (finding,) = judged.findings
    assert (finding.status, finding.run) == (FAILED, "broken")
    assert finding.number == "launch 0 failed: no memory"
    assert suite._unfinished(journal, {}).gate is None


def test_a_flag_that_is_false_is_its_opposite() -> None:
    text = 'verb = "fabric"\nn = 8\nlocate = '
    located = [requested(text + word).first.workload for word in ("true", "false")]
    assert [workload.locate for workload in located] == [True, False]  # type: ignore[attr-defined]


def test_arguments_of_a_run_are_not_values_of_its_options() -> None:
    text = 'verb = "collective"\nmemory = "host"\nbroadcast = true\ncollectives = "bcast"\n'
    first = requested(text, "--broadcast").first
    assert (first.workload.collective, first.placement.broadcast) == ("bcast", "/tmp")  # type: ignore[attr-defined]


def test_options_behind_a_plan_go_before_those_in_it() -> None:
    text = 'verb = "pingpong"\nbudget = "20s"\nmatrix.place = ["core"]\n'
    assert requested(text, "--budget", "3s").sampling.budget_s == 3.0
    assert requested(text).sampling.budget_s == 20.0
    with pytest.raises(UsageError, match="--place is given, and place is in the run's matrix"):
        requested(text, "--place=none")


@pytest.mark.parametrize("plan", READY)
def test_ready_plans_ask_what_can_be_answered(hockney: RunHockney, plan: str) -> None:
    """The check has one launch and only time to start it."""
    assert read_suite(plan).runs
    quick = ("--", "--budget", "0.1s", "--mpicc", "nonesuch")
    hockney.refused("suite", plan, "-o", "results", *quick, because="nonesuch: no such command")


def test_a_file_without_an_end_is_no_plan(hockney: RunHockney) -> None:
    hockney.refused("suite", "/dev/zero", because="longer than 1 MiB: no plan is")
