"""The fewest rules that carry the gain, and none where the library would be slowed down."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hockney.infer.analysis.algorithms.best import Arrived, CollectiveCell, Contender
from hockney.infer.estimate.differences import Judged
from hockney.infer.estimate.interval import Interval
from hockney.infer.estimate.points import PointEstimate
from hockney.plan.axes import AXES
from hockney.run.mpis import ONE_FOR_ALL_SIZES
from hockney.show.tuning.rules import rule_lines
from hockney.tuning.rules import SHARE, Reduction, Tuned, UnmeasuredGap, reduce_to_rules

NAMES = ("a", "b", "c")
Ratios = dict[str, tuple[float, str]]
"""An algorithm's time over the library's own, and its verdict, by name."""

verdicts = st.sampled_from(
    [
        (0.25, "faster"),
        (0.5, "faster"),
        (0.9, "faster"),
        (0.97, "unknown"),
        (1.0, "same"),
        (1.2, "unknown"),
        (1.5, "slower"),
        (3.0, "slower"),
    ]
)
grids = st.lists(
    st.dictionaries(st.sampled_from(NAMES), verdicts, min_size=1), min_size=1, max_size=5
)


IN_STEP = Arrived(None, None, None)


def point(
    collective: str, name: str | None, ranks: int, size: int, seconds: float
) -> PointEstimate:
    own = [name for name in PointEstimate.__struct_fields__ if name not in AXES]
    return PointEstimate(
        **{
            **dict.fromkeys(own),
            "operation": collective,
            "algorithm": name,
            "ranks": ranks,
            "bytes": size,
            "typical_s": seconds,
            "launches": 5,
        }  # type: ignore[arg-type]
    )


def cell(collective: str, ranks: int, size: int, ratios: Ratios) -> CollectiveCell:
    contenders = [
        Contender(
            point(collective, name, ranks, size, 1e-6 * ratio),
            Judged(ratio, Interval(ratio, ratio), 0.001, verdict, verdict == "same", None),
        )
        for name, (ratio, verdict) in sorted(ratios.items(), key=lambda item: item[1])
    ]
    return CollectiveCell(
        collective,
        ranks,
        size,
        IN_STEP,
        point(collective, None, ranks, size, 1e-6),
        tuple(contenders),
    )


def cells_of_grids(
    collective: str, grids_by_ranks: dict[int, list[Ratios]]
) -> list[CollectiveCell]:
    return [
        cell(collective, ranks, 8**number, ratios)
        for ranks, grid in grids_by_ranks.items()
        for number, ratios in enumerate(grid)
    ]


def reduced(cells: list[CollectiveCell], share: float = SHARE) -> Reduction:
    return reduce_to_rules(cells, lambda *key: {"which": str(key)}, share)


def algorithm_at(reduction: Reduction, cell: CollectiveCell) -> str | None:
    algorithms = [
        rule.algorithm
        for rule in reduction.rules
        if (rule.collective, rule.ranks) == (cell.collective, cell.ranks)
        and rule.from_bytes <= cell.bytes
        and (rule.to_bytes is None or cell.bytes <= rule.to_bytes)
    ]
    assert len(algorithms) <= 1, "two rules for one cell"
    return algorithms[0] if algorithms else None


@settings(max_examples=150, deadline=None)
@given(
    collective=st.sampled_from(["bcast", "allgather", "scatter", "barrier"]),
    found=st.dictionaries(st.sampled_from([2, 3, 6, 12]), grids, min_size=1),
)
@example(
    collective="bcast",  # three rules gain more than one, two do not
    found={
        2: [
            {"a": (0.25, "faster")},
            {"a": (0.5, "faster"), "b": (0.25, "faster")},
            {"a": (0.25, "faster")},
        ]
    },
)
def test_no_rule_slows_the_library_down_and_together_they_have_the_gain(
    collective: str, found: dict[int, list[Ratios]]
) -> None:
    cells = cells_of_grids(collective, found)
    reduction = reduced(cells)
    gain = 0.0
    for grid_cell in cells:
        name = algorithm_at(reduction, grid_cell)
        if name is not None:
            [contender] = [each for each in grid_cell.contenders if each.name == name]
            assert contender.is_harmless
            gain += -math.log(contender.difference.ratio) if contender.is_faster else 0.0
    assert gain == pytest.approx(reduction.gain)
    assert reduction.gain >= SHARE * reduction.possible * (1 - 1e-9)
    if collective not in ONE_FOR_ALL_SIZES:
        best = [
            min([c.difference.ratio for c in grid_cell.contenders if c.is_faster], default=1.0)
            for grid_cell in cells
        ]
        assert reduction.possible == pytest.approx(-sum(map(math.log, best)))


def fewest(grid: list[Ratios], least: float) -> int:
    """The fewest rules with enough gain, of all choices of an algorithm, or none, for each size."""
    counts = []
    for choice in itertools.product((None, *NAMES), repeat=len(grid)):
        gain, ok = 0.0, True
        for name, ratios in zip(choice, grid, strict=True):
            if name is None:
                continue
            ratio, verdict = ratios.get(name, (9.0, "slower"))
            ok &= verdict in ("faster", "same") or (verdict == "unknown" and ratio <= 1.0)
            gain -= math.log(ratio) if verdict == "faster" else 0.0
        if ok and gain >= least - 1e-12:
            groups = [name for name, _ in itertools.groupby(choice) if name is not None]
            counts.append(len(groups))
    return min(counts)


@settings(max_examples=60, deadline=None)
@given(grid=grids, share=st.sampled_from([0.5, 0.9, 0.99, 1.0]))
def test_fewer_rules_would_not_do(grid: list[Ratios], share: float) -> None:
    reduction = reduced(cells_of_grids("bcast", {4: grid}), share)
    assert len(reduction.rules) == fewest(grid, share * reduction.possible)


def test_a_rule_holds_where_it_was_measured() -> None:
    fast: Ratios = {"a": (0.5, "faster")}
    slow: Ratios = {"a": (1.5, "slower")}
    [rule] = reduced(cells_of_grids("bcast", {4: [slow, fast, fast, slow]})).rules
    assert (rule.ranks, rule.from_bytes, rule.to_bytes, rule.algorithm) == (4, 8, 64, "a")
    assert rule.setting("which") == "('bcast', 4, 'a')"


@pytest.mark.parametrize(
    ("at_one", "at_eight", "limits"),
    [
        ("slower", "same", [(1, 7), (8, 8)]),
        ("same", "same", [(1, 7), (8, 8)]),
        ("same", "slower", [(1, 1), (2, 8)]),
        ("slower", "slower", [(1, 1), (8, 8)]),
    ],
)
def test_between_neighbouring_rules_holds_what_is_harmless_on_both_sides(
    at_one: str, at_eight: str, limits: list[tuple[int, int]]
) -> None:
    """Verdicts: of b where a is the best, and of a where b is."""
    ratios = {"same": 1.0, "slower": 1.5}
    grid: list[Ratios] = [
        {"a": (0.5, "faster"), "b": (ratios[at_one], at_one)},
        {"a": (ratios[at_eight], at_eight), "b": (0.5, "faster")},
    ]
    rules = reduced(cells_of_grids("bcast", {4: grid})).rules
    assert [(rule.from_bytes, rule.to_bytes) for rule in rules] == limits


@pytest.mark.parametrize(
    ("neighbour", "limits"),
    [
        ((1.0, "same"), (2, 511)),
        ((1.5, "slower"), (8, 64)),
        ((0.97, "unknown"), (8, 64)),
        (None, (8, 64)),
    ],
)
def test_a_rule_reaches_to_where_it_is_shown_to_be_as_fast_as_the_library(
    neighbour: tuple[float, str] | None, limits: tuple[int, int]
) -> None:
    """The library changes its decision somewhere between two measured sizes. That an algorithm was
    not measured, or may be slower, does not show that it is as good on the other side."""
    beside: Ratios = {"a": neighbour} if neighbour else {"b": (1.0, "same")}
    fast: Ratios = {"a": (0.5, "faster")}
    [rule] = reduced(cells_of_grids("bcast", {4: [beside, fast, fast, beside]})).rules
    assert (rule.from_bytes, rule.to_bytes) == limits


def test_a_rule_that_gains_next_to_nothing_is_left_out() -> None:
    big: Ratios = {"a": (0.01, "faster")}
    small: Ratios = {"b": (0.99, "faster")}
    none: Ratios = {"a": (2.0, "slower")}
    rules = reduced(cells_of_grids("bcast", {4: [big, none, small]})).rules
    assert [rule.algorithm for rule in rules] == ["a"]


def test_scatter_has_one_rule_for_all_sizes_or_none() -> None:
    """Its ranks may see different sizes; two algorithms would wait for each other for ever."""
    helps: list[Ratios] = [{"a": (0.5, "faster")}, {"a": (1.0, "same")}]
    harms: list[Ratios] = [{"a": (0.5, "faster")}, {"a": (1.5, "slower")}]
    [rule] = reduced(cells_of_grids("scatter", {3: helps, 6: harms})).rules
    assert (rule.ranks, rule.from_bytes, rule.to_bytes) == (3, 0, None)


def test_without_a_default_there_is_no_rule() -> None:
    with_default = cell("bcast", 4, 8, {"a": (0.5, "faster")})
    assert (
        reduced([CollectiveCell("bcast", 4, 8, IN_STEP, None, with_default.contenders)]).rules == ()
    )


def test_ranks_that_arrive_apart_have_no_rule() -> None:
    in_step = cell("bcast", 4, 8, {"a": (0.5, "faster")})
    assert reduced([in_step]).rules
    apart = replace(in_step, arrived=Arrived("ascending", 1e-4, None))
    assert reduced([apart]).rules == ()


def test_no_rule_reaches_over_sizes_that_nobody_measured() -> None:
    """A gap of more than 8 times separates rules, and is reported."""
    fast: Ratios = {"a": (0.5, "faster")}
    cells = [cell("bcast", 4, size, fast) for size in (8, 64, 1024, 2048)]
    reduction = reduced(cells)
    limits = [(rule.from_bytes, rule.to_bytes) for rule in reduction.rules]
    assert limits == [(8, 64), (1024, 2048)]
    assert reduction.gaps == [UnmeasuredGap("bcast", 4, 64, 1024)]
    assert [rule.to_bytes for rule in reduced(cells[:2]).rules] == [64]
    assert reduced(cells[:2]).gaps == []


def test_no_rule_reaches_into_a_gap() -> None:
    """Not even where its algorithm is as fast as the library beyond it."""
    fast: Ratios = {"a": (0.5, "faster")}
    alike: Ratios = {"a": (1.0, "same")}
    cells = [cell("bcast", 4, 8, alike), cell("bcast", 4, 72, fast), cell("bcast", 4, 640, alike)]
    [rule] = reduced(cells).rules
    assert (rule.from_bytes, rule.to_bytes) == (72, 72)


def test_sizes_that_were_measured_and_have_no_rule_are_no_gap() -> None:
    fast: Ratios = {"a": (0.5, "faster")}
    cells = [cell("bcast", 4, 8, fast), cell("bcast", 4, 64, {"a": (2.0, "slower")})]
    assert reduced([*cells, cell("bcast", 4, 512, fast)]).gaps == []


def test_a_rule_for_all_sizes_names_those_that_were_measured() -> None:
    fast: Ratios = {"a": (0.5, "faster")}
    cells = [cell("gather", 4, 8, fast), cell("barrier", 4, 0, fast), cell("bcast", 4, 8, fast)]
    *_, line = rule_lines(Tuned((reduced(cells),)))
    assert "gather, 4 ranks: the rule holds for all sizes" in line
    assert "measured at 8 B alone, so its effect on other sizes is unknown" in line
    wide = reduced([cell("gather", 4, size, fast) for size in (8, 4096)])
    assert "measured from 8 B to 4 KiB" in rule_lines(Tuned((wide,)))[-1]
    none = reduced([cell("bcast", 4, 8, fast)])
    assert "all sizes" not in "\n".join(rule_lines(Tuned((none,))))


def predicted(of: CollectiveCell) -> CollectiveCell:
    assert of.default is not None
    return replace(
        of,
        default=msgspec.structs.replace(of.default, launches=0),
        contenders=tuple(
            replace(contender, point=msgspec.structs.replace(contender.point, launches=0))
            for contender in of.contenders
        ),
    )


def test_a_predicted_cell_carries_a_rule_over_a_gap_and_shows_no_gain() -> None:
    fast: Ratios = {"a": (0.5, "faster")}
    guessed = predicted(cell("bcast", 4, 128, {"a": (0.1, "faster")}))
    reduction = reduced([cell("bcast", 4, 8, fast), guessed, cell("bcast", 4, 2048, fast)])
    [rule] = reduction.rules
    assert (rule.from_bytes, rule.to_bytes) == (8, 2048)
    assert reduction.times_faster(rule) == pytest.approx(2.0), "that of the measured cells"
    alone = reduced([guessed])
    assert alone.times_faster(alone.rules[0]) == pytest.approx(10.0)


def test_a_rule_for_all_sizes_does_not_mind_gaps() -> None:
    fast: Ratios = {"a": (0.5, "faster")}
    [rule] = reduced([cell("scatter", 4, size, fast) for size in (8, 4096)]).rules
    assert (rule.from_bytes, rule.to_bytes) == (0, None)
