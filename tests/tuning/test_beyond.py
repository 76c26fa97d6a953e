"""Rules where nobody measured: right where the curves are known, none where they could be wrong."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest

from collective_samples import collective_run
from conftest import RunHockney
from hockney.infer.analysis.best import CollectiveCell, cells_of
from hockney.infer.estimate import estimate
from hockney.infer.estimate.interval import high_of
from hockney.tuning.beyond import LOSS, predicted_cells
from samples import write_run

SIZES = (64, 256, 1024, 4096, 16384, 65536)
Seconds = Callable[[str, int, int], float]


def cells(seconds: Seconds, ranks: tuple[int, ...] = (4, 16, 64)) -> list[CollectiveCell]:
    run = collective_run(
        lambda _, name, count, size: seconds(name, count, size),
        algorithms={"default": {}, "binomial": {}, "chain": {}},
        ranks=ranks,
        sizes=SIZES,
        spread=0.001,
    )
    return cells_of(estimate(run).headline)


def straight(name: str, ranks: int, size: int) -> float:
    """Powers of ranks and sizes: a straight line for whoever interpolates logarithms."""
    factor = {"default": 2.0, "binomial": 1.0, "chain": 2.0}[name]
    return factor * 1e-6 * (1.0 + size) ** 0.5 * ranks**0.3


def nothing(*_: object) -> None:
    """A model without schedules."""


def test_between_sizes_and_ranks_a_straight_line_is_predicted_exactly() -> None:
    found = predicted_cells(cells(straight), (8, 32), nothing)
    assert {cell.ranks for cell in found} == {4, 8, 16, 32, 64}
    assert {cell.bytes for cell in found if cell.ranks == 4} == {128, 512, 2048, 8192, 32768}
    for cell in found:
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

    found = {cell.bytes: cell for cell in predicted_cells(cells(switching, (4,)), (), nothing)}
    sure, open_ = found[512], found[2048]
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


def test_above_the_largest_number_of_ranks_the_model_speaks() -> None:
    """Times that follow the model exactly are predicted exactly, four times beyond."""

    def modelled(_: object, ranks: int, size: int) -> float:
        return 1e-6 * math.log2(ranks) * (1.0 + size / 1000.0)

    def seconds(name: str, ranks: int, size: int) -> float:
        return {"default": 3.0, "binomial": 1.0, "chain": 3.0}[name] * modelled(0, ranks, size)

    found = [
        cell
        for cell in predicted_cells(cells(seconds), (256,), modelled)
        if (cell.ranks, cell.bytes) == (256, 4096)
    ]
    [binomial] = [contender for contender in found[0].contenders if contender.name == "binomial"]
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
    plain = json.loads(hockney("tune", file, "--json").stdout)["rules"]
    beyond = json.loads(hockney("tune", file, "--json", "--beyond=32").stdout)["rules"]
    assert {rule["ranks"] for rule in plain} == {4, 16, 64}
    assert not any(rule["predicted"] for rule in plain)
    assert [rule["predicted"] for rule in beyond if rule["ranks"] == 32] == [True]
    assert "6 predicted" in hockney("tune", file, "--beyond=32").stdout
    refused = hockney("tune", file, "--beyond=many")
    assert refused.status == 2
