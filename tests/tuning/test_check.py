"""Rules of anybody against the library's own decisions, by blocks of launches."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from rule_samples import mpich_rule, openmpi_rule

from collective_samples import collective_run, header, places_of
from conftest import RunHockney
from hockney import records
from hockney.infer.analysis.comparison.variant_verdicts import VariantStudy
from hockney.plan.axes import Point
from hockney.plan.held_rules import SINGLE_NODE, HeldRule
from hockney.records import LaunchRecord, Run
from hockney.run.mpis import Engine, Mpi, Rule, format_named
from hockney.tuning.check import (
    Check,
    Checked,
    CheckedSizes,
    check_of,
    needed_for,
    targets_of,
    unjudged,
)
from hockney.tuning.rules_trial import start
from samples import write_run

SLOW_FROM, SLOW_TO = 65536, 131072


def test_cells_between_and_at_limits_are_checked_too() -> None:
    rule = HeldRule("allreduce", (2, 4), (100, 5000), "3", 1)
    cells = [("allreduce", 4, 64), ("allreduce", 4, 4096), ("allreduce", 8, 64)]
    two, eight = targets_of(cells, [rule])
    assert two.measured == (64, 4096)
    assert two.others == (96, 100, 512, 5000, 5004)
    assert eight.sizes == (64,), "no rule for 8 ranks"


def test_a_limit_within_an_element_is_checked_on_both_sides() -> None:
    """100 B and more: 96 B was not checked, and no size of a rule up to 99 B."""
    rules = [HeldRule("allreduce", (2, 4), limits, "3", 1) for limits in ((0, 99), (100, None))]
    cells = [("allreduce", 4, 64), ("allreduce", 4, 256)]
    [target] = targets_of(cells, rules)
    assert target.others == (96, 100, 128)


def test_the_limits_of_rules_that_count_all_blocks() -> None:
    rule = HeldRule("allgather", (4, 4), (400, 803), "3", 1, of_all_ranks=True)
    [target] = targets_of([("allgather", 4, 64), ("allgather", 4, 256)], [rule])
    assert target.others == (99, 100, 128, 200, 201)


def test_so_many_blocks_can_show_a_difference() -> None:
    [target] = targets_of([("bcast", 2, 8)], [])
    assert needed_for([target]) == 8
    many = targets_of([("bcast", 2, 2**n) for n in range(20)], [])
    level = 0.05 / 2 / 39
    assert 2.0 * 0.5 ** needed_for(many) < level


def study_of(*sizes: int, ranks: int = 8) -> VariantStudy:
    ratios = [
        SimpleNamespace(
            point=Point(operation="bcast", ranks=ranks, bytes=size),
            blocks=8,
            judged=SimpleNamespace(is_slower=False),
        )
        for size in sizes
    ]
    return SimpleNamespace(ratios=ratios)  # type: ignore[return-value]


def run_on(nodes: int, ranks: int = 8) -> Run:
    run = Run(header())
    run.add(LaunchRecord(launch=0, places=places_of(ranks, nodes=ranks // nodes)))
    return run


def test_a_rule_for_another_layout_does_not_hold() -> None:
    """The first rule was named, whatever it is for and however the ranks of the check lay."""
    single = HeldRule("bcast", (8, 8), (0, None), "2", 1, layout=SINGLE_NODE)
    rest = HeldRule("bcast", (8, 8), (0, None), "2", 1, layout=SINGLE_NODE, is_own=True)
    every = HeldRule("bcast", (8, 8), (0, None), "6", 2)
    target = [CheckedSizes("bcast", 8, (8,), ())]
    for nodes, held in ((1, single), (2, every)):
        [cell] = check_of(study_of(8), run_on(nodes), target, [single, rest, every]).cells
        assert cell.rule == held
    [cell] = check_of(study_of(8), run_on(1), target, [rest, every]).cells
    assert cell.rule is None, "its section decides, though none of its rules fits"


def test_cells_that_could_not_be_measured_are_no_success() -> None:
    check = check_of(study_of(8), run_on(1), [CheckedSizes("bcast", 8, (8, 64), (16,))], [])
    assert check.missing == (("bcast", 8, 16), ("bcast", 8, 64))
    gate = unjudged(replace(check, needed=8))
    assert gate is not None
    assert gate.exit_status == 3
    assert re.search(r"2 cells were not measured .* bcast with 8 ranks", gate.why)


def test_too_few_blocks_are_not_judged() -> None:
    check = check_of(study_of(8), run_on(1), [CheckedSizes("bcast", 8, (8,), ())], [])
    gate = unjudged(replace(check, needed=9))
    assert gate is not None
    assert gate.exit_status == 3
    assert "8 blocks of launches cannot show a difference in 1 cell: 9 are needed" in gate.why
    assert unjudged(replace(check, needed=8)) is None


def test_rules_for_other_ranks_are_no_success() -> None:
    """Nothing was slower, as they did nothing."""
    target = [CheckedSizes("bcast", 8, (8,), ())]
    for ranks, status in ((16, 3), (8, None)):
        rules = [HeldRule("bcast", (ranks, ranks), (0, None), "2", 1)]
        gate = unjudged(replace(check_of(study_of(8), run_on(1), target, rules), needed=8))
        assert (gate and gate.exit_status) == status
        assert gate is None or gate.why.startswith("the file's 1 rule is for other ")


def test_what_rules_cost_where_none_holds() -> None:
    def cell(base_s: float, time_s: float, verdict: str, rule: HeldRule | None) -> Checked:
        judged = SimpleNamespace(is_slower=verdict == "slower")
        ratio = SimpleNamespace(base_s=base_s, time_s=time_s, judged=judged)
        return Checked("bcast", 2, 8, ratio, rule, True)  # type: ignore[arg-type]

    rule = HeldRule("bcast", (2, 2), (8, 8), "2", 1)
    slow = cell(1e-6, 3e-6, "slower", rule)
    bare = [cell(1e-6, 1e-6 + cost, "slower", None) for cost in (10e-9, 20e-9, 40e-9)]
    same = cell(1e-6, 1.5e-6, "same", None)
    cost_s = Check((slow, *bare, same), 8, 8).cost_without_rule_s
    assert cost_s == pytest.approx(20e-9)
    assert Check((slow, same), 8, 8).cost_without_rule_s is None


def slow_rule(mpi: Mpi) -> Rule:
    """A pipeline of 64 B segments: a thousand messages instead of one."""
    if mpi.family == "openmpi":
        return openmpi_rule("bcast", 2, SLOW_FROM, SLOW_TO, 3, 64)
    rule = mpich_rule("bcast", 2, SLOW_FROM, SLOW_TO, "pipelined_tree")
    chunk = ("MPIR_CVAR_BCAST_TREE_PIPELINE_CHUNK_SIZE", "64")
    return Rule("bcast", 2, SLOW_FROM, SLOW_TO, "slow", (*rule.settings, chunk))


def prepared(mpi: Mpi, engine: Engine, rule: Rule, directory: Path) -> tuple[Path, Path]:
    """A result file of the library that is here, and a file with the rule."""
    _, here = start(mpi, engine, {})
    assert here is not None
    run = collective_run(
        lambda *_: 1e-6,
        algorithms={"default": {}},
        ranks=(2,),
        sizes=(SLOW_FROM // 2, SLOW_FROM),
        library=here.library or "",
        version=here.version or "",
    )
    rules = directory / "rules"
    form = format_named("openmpi" if mpi.family == "openmpi" else "mpich")
    for suffix, text in form.render([rule], engine).items():
        rules.with_name(rules.name + suffix).write_text(text)
    return write_run(run, directory / "run.jsonl"), rules


@pytest.mark.long
def test_a_rule_that_is_slow_on_purpose_is_found(
    hockney: RunHockney, mpi: Mpi, engine: Engine, tmp_path: Path
) -> None:
    result, rules = prepared(mpi, engine, slow_rule(mpi), tmp_path)
    options = ("--launches", "16", "--budget", "2s", "-o", "checked.jsonl", "--json", "-q")
    done = hockney("tune", "--check", str(result), str(rules), *options)
    assert done.status == 1, done.stderr
    answer = done.json
    slower = {cell["bytes"] for cell in answer["cells"] if cell["slower"]}
    assert {SLOW_FROM, SLOW_TO} <= slower
    assert not slower & {SLOW_FROM // 2, SLOW_FROM - 1}, "no rule holds there"
    run = records.read(tmp_path / "checked.jsonl")
    for launch in run.launches:
        has_rules = any(str(rules) in value for value in launch.env.values())
        assert has_rules == (launch.variant == "tuned")
    shown = hockney("show", "checked.jsonl")
    assert "tuned: slower" in shown.stdout


@pytest.mark.long
def test_a_check_that_cannot_find_anything_is_not_judged(
    hockney: RunHockney, mpi: Mpi, engine: Engine, tmp_path: Path
) -> None:
    result, rules = prepared(mpi, engine, slow_rule(mpi), tmp_path)
    options = ("--launches", "2", "--budget", "1s", "-o", "checked.jsonl", "-q")
    done = hockney("tune", "--check", str(result), str(rules), *options)
    assert done.status == 3
    assert "not judged: 2 blocks of launches cannot show a difference" in done.stderr


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("1 7 1 2 1 8 6 0 0", "rules:1: the first size is 8"),
        ('{"collectives": {}}', "which MPICH"),
        ("export I_MPI_ADJUST_BCAST=1", "does not read"),
    ],
)
def test_bad_rules_are_refused_before_anything_starts(
    hockney: RunHockney, mpi: Mpi, engine: Engine, tmp_path: Path, content: str, complaint: str
) -> None:
    result, rules = prepared(mpi, engine, slow_rule(mpi), tmp_path)
    rules.write_text(content)
    done = hockney("tune", "--check", str(result), str(rules), "-q")
    assert done.status == 2
    assert complaint in done.stderr or "does not read" in done.stderr
    assert not list(tmp_path.glob("tune-check*"))
