"""Rules where nobody measured: right where the curves are known, none where they could be wrong."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from collective_samples import collective_run
from conftest import RunHockney
from hockney.infer.analysis.algorithms.best import CollectiveCell, cells_of
from hockney.infer.estimate import estimate
from hockney.infer.estimate.interval import high_of, low_of
from hockney.run.mpis import Rule
from hockney.tuning.beyond import LOSS, predicted_cells
from hockney.tuning.groups import CellGroup
from hockney.tuning.rules import for_group
from samples import write_run

SIZES = (64, 256, 1024, 4096, 16384, 65536)
Seconds = Callable[[str, int, int], float]


def cells(
    seconds: Seconds, ranks: tuple[int, ...] = (4, 16, 64), sizes: tuple[int, ...] = SIZES
) -> list[CollectiveCell]:
    run = collective_run(
        lambda _, name, count, size: seconds(name, count, size),
        algorithms={"default": {}, "binomial": {}, "chain": {}},
        ranks=ranks,
        sizes=sizes,
        spread=0.001,
    )
    return cells_of(estimate(run).headline)


def straight(name: str, ranks: int, size: int) -> float:
    """Powers of ranks and sizes: a straight line when interpolated in logarithms."""
    factor = {"default": 2.0, "binomial": 1.0, "chain": 2.0}[name]
    return factor * 1e-6 * (1.0 + size) ** 0.5 * ranks**0.3


def nothing(*_: object) -> None:
    """A model without schedules."""


def test_between_sizes_and_ranks_a_straight_line_is_predicted_exactly() -> None:
    predictions = predicted_cells(cells(straight), (8, 32), nothing)
    assert {cell.ranks for cell in predictions} == {4, 8, 16, 32, 64}
    assert {cell.bytes for cell in predictions if cell.ranks == 4} == {128, 512, 2048, 8192, 32768}
    for cell in predictions:
        assert cell.default is not None
        assert cell.launches == 0
        assert cell.default.typical_s == pytest.approx(
            straight("default", cell.ranks, cell.bytes), rel=0.01
        )
        [binomial] = [contender for contender in cell.contenders if contender.name == "binomial"]
        assert binomial.is_faster
        assert binomial.difference is not None
        assert binomial.difference.ratio == pytest.approx(0.5, rel=0.01)


def test_where_the_library_may_switch_a_gain_must_be_sure() -> None:
    """The library runs the chain below 4 KiB and binomial above: between, it may run either."""

    def switching(name: str, ranks: int, size: int) -> float:
        chain = straight("chain", ranks, size)
        binomial = 0.7 * chain
        own = chain if size < 4096 else binomial
        return {"default": own, "chain": chain, "binomial": binomial}[name]

    by_size = {cell.bytes: cell for cell in predicted_cells(cells(switching, (4,)), (), nothing)}
    sure, open_ = by_size[512], by_size[2048]
    [before] = [contender for contender in sure.contenders if contender.name == "binomial"]
    [at] = [contender for contender in open_.contenders if contender.name == "binomial"]
    assert before.is_faster
    assert not at.is_faster
    assert at.difference is not None
    assert (high_of(at.difference.interval) or math.inf) <= 1.0 + LOSS, "no loss, whichever it runs"


def test_curves_that_jump_give_no_rule() -> None:
    def jumping(name: str, ranks: int, size: int) -> float:
        place = SIZES.index(size)
        factor = 3.0 if (name == "binomial") == bool(place % 2) else 1.0
        return factor * straight("chain", ranks, size)

    for cell in predicted_cells(cells(jumping, (4,)), (), nothing):
        assert not any(contender.is_faster for contender in cell.contenders)


def rules(measured: list[CollectiveCell], ranks: tuple[int, ...] = ()) -> list[Rule]:
    predicted = predicted_cells(measured, ranks, nothing)
    reduction = for_group(CellGroup(tuple(measured)), lambda *_: {}, predicted)
    return list(reduction.rules)


def test_no_rule_of_predicted_ranks_spans_a_gap_of_sizes() -> None:
    """Between 4 KiB and 256 KiB nothing was measured, nor predicted for 8 ranks."""
    all_rules = rules(cells(straight, sizes=(1024, 4096, 2**18, 2**20)), (8,))
    limits = [(rule.from_bytes, rule.to_bytes) for rule in all_rules if rule.ranks == 8]
    assert limits == [(1024, 4096), (2**18, 2**20)]


def test_ranks_are_predicted_only_as_far_as_the_error_is_known() -> None:
    """2 and 4 ranks tell about 8 ranks, not about 1,024."""
    all_rules = rules(cells(straight, (2, 4)), (8, 1024))
    assert {rule.ranks for rule in all_rules} == {2, 4, 8}
    assert not predicted_cells([], (8,), nothing)


def test_sizes_that_an_algorithm_was_not_measured_at_are_not_those_of_other_ranks() -> None:
    """With 16 ranks binomial was measured up to 1 KiB: what it does beyond is not known."""
    small = [
        replace(cell, contenders=()) if cell.ranks == 16 and cell.bytes > 1024 else cell
        for cell in cells(straight)
    ]
    rules_for_16 = [rule for rule in rules(small) if rule.ranks == 16]
    assert [rule.to_bytes for rule in rules_for_16] == [1024]


def test_the_error_in_a_wide_gap_is_larger_than_next_to_it() -> None:
    """A curve that bends at 1 KiB, next to a gap of 1,024 times."""
    sizes = (64, 256, 1024, 2**20, 2**22)

    def bent(name: str, ranks: int, size: int) -> float:
        return straight(name, ranks, size) * max(size / 1024, 1.0) ** 0.5

    wide = {cell.bytes: cell for cell in predicted_cells(cells(bent, (4,), sizes), (), nothing)}
    [binomial] = [contender for contender in wide[2**15].contenders if contender.name == "binomial"]
    assert binomial.difference is not None
    bend = 0.5 * math.log(2**5) / 2.0  # what a line misses of such a bend in its middle
    least = math.log(0.5) - bend
    assert math.log(low_of(binomial.difference.interval) or math.inf) == pytest.approx(least)


def test_above_the_largest_number_of_ranks_the_model_speaks() -> None:
    """Times that follow the model exactly are predicted exactly, four times beyond."""

    def modelled(_: object, ranks: int, size: int) -> float:
        return 1e-6 * math.log2(ranks) * (1.0 + size / 1000.0)

    def seconds(name: str, ranks: int, size: int) -> float:
        return {"default": 3.0, "binomial": 1.0, "chain": 3.0}[name] * modelled(0, ranks, size)

    predictions = [
        cell
        for cell in predicted_cells(cells(seconds), (256,), modelled)
        if (cell.ranks, cell.bytes) == (256, 4096)
    ]
    [binomial] = [
        contender for contender in predictions[0].contenders if contender.name == "binomial"
    ]
    assert binomial.point.typical_s == pytest.approx(seconds("binomial", 256, 4096), rel=0.01)
    assert binomial.is_faster


def test_predicted_rules_are_marked_and_can_be_left_out(
    hockney: RunHockney, tmp_path: Path
) -> None:
    run = collective_run(
        lambda _, name, count, size: straight(name, count, size),
        algorithms={
            "default": {},
            "binomial": {"OMPI_MCA_coll_tuned_bcast_algorithm": "6"},
            "chain": {"OMPI_MCA_coll_tuned_bcast_algorithm": "2"},
        },
        ranks=(4, 16, 64),
        sizes=SIZES,
    )
    file = str(write_run(run, tmp_path / "run.jsonl"))
    plain = hockney("tune", file, "--json").json["rules"]
    beyond = hockney("tune", file, "--json", "--beyond=32").json["rules"]
    assert {rule["ranks"] for rule in plain} == {4, 16, 64}
    assert not any(rule["predicted"] for rule in plain)
    assert [rule["predicted"] for rule in beyond if rule["ranks"] == 32] == [True]
    assert "6 predicted" in hockney("tune", file, "--beyond=32").stdout
    assert "--beyond 4096: nothing is predicted" in hockney("tune", file, "--beyond=4096").stderr
    refused = hockney("tune", file, "--beyond=many")
    assert refused.status == 2
