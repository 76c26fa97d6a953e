"""Cells that nobody measured: sizes between the measured ones, and other numbers of ranks.

Each algorithm's time is interpolated between its measured neighbours, as a ratio to the time of its
schedule, walked with measured costs of messages where these are known. The error of a prediction
is that at measured cells which are left out: between sizes at the cells next to it, among ranks at
any cell. A predicted cell begins, ends or extends a rule only if the library would be faster by at
most LOSS, were each prediction wrong by its error. Elsewhere it ends a rule that its measured
neighbours would extend across it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from msgspec.structs import replace

from hockney.base.errors import UsageError
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.algorithms.best import TOLERANCE, CollectiveCell, Contender
from hockney.infer.estimate.differences import Judged, Verdict
from hockney.infer.estimate.interval import Interval
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.predict.collectives import scheduled, time
from hockney.infer.predict.parameters import Parameters
from hockney.plan.workloads.collective import DEFAULT
from hockney.tuning.sizes import middles_of

LOSS = 0.02
"""The largest loss that a predicted rule may cause, as a fraction of the library's own time."""
ERROR_QUANTILE = 0.95
"""The error of a prediction: this quantile of the errors at left-out cells."""
LEAST_ERRORS = 3
"""Fewest left-out cells from which an error is estimated."""
Where = Literal["sizes", "between", "above"]
"""The kind of prediction: a size between others, a number of ranks between others, or one above
all."""
Model = Callable[[PointEstimate, int, int], float | None]
"""The time of a point's algorithm with other ranks and bytes; None without a schedule."""


@dataclass
class _Curves:
    """One algorithm of a collective: logarithms of its times over the model's, by ranks and
    bytes."""

    point: PointEstimate
    """Any point of the algorithm."""
    model: Model
    logs: dict[int, dict[int, float]] = field(default_factory=dict)

    def base(self, ranks: int, size: int) -> float:
        """The logarithm of the model's time; 0 without a schedule."""
        seconds = self.model(self.point, ranks, size)
        return math.log(seconds) if seconds else 0.0

    def at(self, ranks: int, size: int) -> float | None:
        """The logarithm of the predicted time."""
        log = _between_ranks(self.logs, ranks, size)
        return None if log is None else log + self.base(ranks, size)

    def errors(self, where: Where) -> list[float]:
        """Errors of predictions, in logarithms, where measured cells are left out: a size, a number
        of ranks between others, or the largest one."""
        errors = []
        for ranks, curve in self.logs.items():
            without = {other: logs for other, logs in self.logs.items() if other != ranks}
            is_largest = ranks == max(self.logs)
            for size, log in curve.items():
                left = None
                if where == "sizes":
                    left = _between_sizes({s: x for s, x in curve.items() if s != size}, size)
                elif is_largest == (where == "above"):
                    left = _between_ranks(without, ranks, size)
                if left is not None:
                    errors.append(abs(left - log))
        return errors

    def error_near(self, ranks: int, size: int) -> float | None:
        """The error (of the logarithm) at a size between others, from the sizes next to it that can
        be left out: how smooth a curve is differs along it."""
        curve = self.logs.get(ranks, {})
        sizes = sorted(curve)
        if len(sizes) < LEAST_ERRORS or not sizes[0] <= size <= sizes[-1]:
            return None
        room, errors = _bend(sizes, size), []
        for near in _around(sizes[1:-1], size):
            others = {other: log for other, log in curve.items() if other != near}
            left = _between_sizes(others, near)
            if left is not None:
                errors.append(abs(left - curve[near]) * room / _bend(sorted(others), near))
        return max(errors, default=None)


def _between_sizes(curve: dict[int, float], size: int) -> float | None:
    """Interpolates linearly over the logarithm of the size; None outside of the measured sizes."""
    sizes = sorted(curve)
    if not sizes or not sizes[0] <= size <= sizes[-1]:
        return None
    logs = [curve[measured] for measured in sizes]
    return float(np.interp(math.log1p(size), np.log1p(sizes), logs))


def _bend(sizes: Sequence[int], size: int) -> float:
    """What a straight line between the sizes around this one misses of a bend at it, for a change
    of the slope by 1: half as much where they are half as far."""
    below = max(measured for measured in sizes if measured <= size)
    above = min(measured for measured in sizes if measured >= size)
    to_below = math.log1p(size) - math.log1p(below)
    to_above = math.log1p(above) - math.log1p(size)
    return to_below * to_above / (to_below + to_above) if to_below + to_above else 0.0


def _between_ranks(logs: dict[int, dict[int, float]], ranks: int, size: int) -> float | None:
    """Interpolates linearly over the logarithm of ranks; the value of the largest number above it,
    None below the smallest."""
    at = {
        count: log
        for count, curve in logs.items()
        if (log := _between_sizes(curve, size)) is not None
    }
    if not at or ranks < min(at):
        return None
    counts = sorted(at)
    return float(np.interp(math.log(ranks), np.log(counts), [at[count] for count in counts]))


def model_of(analyses: Sequence[Analysis]) -> Model:
    """A model of collectives: schedules with the costs of messages of the first file that has
    ping-pong times."""
    parameters = next(filter(None, map(_message_costs, analyses)), None)

    def seconds(point: PointEstimate, ranks: int, size: int) -> float | None:
        if parameters is None:
            return None
        how = (point.operation, scheduled(point), ranks, size, point.segment_bytes or None)
        try:
            return time(parameters, *how)
        except UsageError:  # no such schedule, or not for so many ranks
            return None

    return seconds


def _message_costs(analysis: Analysis) -> Parameters | None:
    try:
        return analysis.message_costs
    except UsageError:
        return None


def predicted_cells(
    cells: Sequence[CollectiveCell], ranks: Sequence[int], model: Model
) -> list[CollectiveCell]:
    """Cells between the measured sizes, and at all sizes of these numbers of ranks."""
    predicted = []
    for collective in dict.fromkeys(cell.collective for cell in cells):
        of_it = [cell for cell in cells if cell.collective == collective and cell.default]
        predicted += _of_collective(of_it, ranks, model)
    return predicted


def _of_collective(
    cells: Sequence[CollectiveCell], ranks: Sequence[int], model: Model
) -> list[CollectiveCell]:
    curves = _curves(cells, model)
    measured = {(cell.ranks, cell.bytes) for cell in cells}
    between = [(count, size) for count in _ranks(cells) for size in _gaps(cells, count)]
    sizes = sorted({cell.bytes for cell in cells})
    most = _most_ranks(_ranks(cells))
    new = [count for count in ranks if count not in _ranks(cells) and count <= most]
    others = [(count, size) for count in new for size in sizes]
    spread = {
        where: {name: _spread(algorithm.errors(where)) for name, algorithm in curves.items()}
        for where in get_args(Where)
    }
    predicted = []
    for count, size in dict.fromkeys([*between, *others]):
        if (count, size) not in measured:
            where = _where(_ranks(cells), count)
            errors = spread[where]
            if where == "sizes":
                errors = {
                    name: algorithm.error_near(count, size) for name, algorithm in curves.items()
                }
            cell = _cell(cells, curves, errors, count, size)
            predicted += [cell] if cell else []
    return predicted


def _where(measured: Sequence[int], ranks: int) -> Where:
    if ranks in measured:
        return "sizes"
    return "above" if ranks > measured[-1] else "between"


def _ranks(cells: Iterable[CollectiveCell]) -> list[int]:
    return sorted({cell.ranks for cell in cells})


def _most_ranks(measured: Sequence[int]) -> float:
    """The most ranks for which anything can be predicted: as much above the largest number as that
    is above the one before it, from which the error is known."""
    return measured[-1] ** 2 / measured[-2] if len(measured) > 1 else 0.0


def _gaps(cells: Sequence[CollectiveCell], ranks: int) -> list[int]:
    """A size in the middle of each gap."""
    sizes = sorted({cell.bytes for cell in cells if cell.ranks == ranks})
    return middles_of(cells[0].collective, sizes)


def _curves(cells: Sequence[CollectiveCell], model: Model) -> dict[str, _Curves]:
    curves: dict[str, _Curves] = {}
    for cell in cells:
        own = [(DEFAULT, cell.default)] if cell.default else []
        for name, point in [
            *own,
            *((contender.name, contender.point) for contender in cell.contenders),
        ]:
            algorithm = curves.setdefault(name, _Curves(point, model))
            log = math.log(point.typical_s) - algorithm.base(cell.ranks, cell.bytes)
            algorithm.logs.setdefault(cell.ranks, {})[cell.bytes] = log
    return curves


def _spread(errors: Sequence[float]) -> float | None:
    if len(errors) < LEAST_ERRORS:
        return None
    return float(np.quantile(errors, ERROR_QUANTILE, method="higher"))


def _cell(
    cells: Sequence[CollectiveCell],
    curves: dict[str, _Curves],
    errors: dict[str, float | None],
    ranks: int,
    size: int,
) -> CollectiveCell | None:
    """A predicted cell, whose points have no launches; None where nothing can be predicted."""
    logs = {name: algorithm.at(ranks, size) for name, algorithm in curves.items()}
    own = logs[DEFAULT]
    fastest = _fastest_own(cells, logs, errors, ranks, size)
    if own is None or fastest is None:
        return None
    default = _point(curves[DEFAULT].point, ranks, size, own)
    contenders = []
    for name, log in logs.items():
        error = errors[name]
        if name == DEFAULT or log is None or error is None:
            continue
        judged = _judged(log - own, log + error - fastest, log - error - own)
        contenders.append(Contender(_point(curves[name].point, ranks, size, log), judged))
    contenders.sort(key=lambda contender: contender.point.typical_s)
    near = cells[0]
    return CollectiveCell(near.collective, ranks, size, near.arrived, default, tuple(contenders))


def _fastest_own(
    cells: Sequence[CollectiveCell],
    logs: dict[str, float | None],
    errors: dict[str, float | None],
    ranks: int,
    size: int,
) -> float | None:
    """The logarithm of the least time that the library's own decision may take: it runs one of the
    algorithms that it runs in the measured cells around; an unknown one may be any of them."""
    around = [cell for cell in cells if _is_near(cells, cell, ranks, size)]
    names: set[str] = set()
    for cell in around:
        names |= {each.name for each in as_fast_as_own(cell)[:1] or cell.contenders}
    lows = [
        log - error
        for name in names | {DEFAULT}
        if (log := logs.get(name)) is not None and (error := errors.get(name)) is not None
    ]
    return min(lows, default=None)


def _is_near(cells: Sequence[CollectiveCell], cell: CollectiveCell, ranks: int, size: int) -> bool:
    """Whether a cell has the nearest measured number of ranks, and size, on either side."""
    counts, sizes = _ranks(cells), sorted({c.bytes for c in cells if c.ranks == cell.ranks})
    return cell.ranks in _around(counts, ranks) and cell.bytes in _around(sizes, size)


def _around(values: Sequence[int], value: int) -> set[int]:
    below = [measured for measured in values if measured <= value]
    above = [measured for measured in values if measured >= value]
    return {*below[-1:], *above[:1]}


def as_fast_as_own(cell: CollectiveCell) -> list[Contender]:
    """The algorithms whose times equal that of the library's own decision within the tolerance, the
    nearest first: that one it probably runs."""
    near = [
        (abs(contender.difference.ratio - 1.0), contender.name, contender)
        for contender in cell.contenders
        if contender.difference is not None
    ]
    near.sort(key=lambda each: each[:2])
    return [contender for distance, _, contender in near if distance <= TOLERANCE]


def _judged(log_ratio: float, worst: float, best: float) -> Judged:
    """The verdict on a predicted algorithm; worst: the log ratio if both predictions were wrong by
    their errors. Where that loses more than LOSS it counts as slower, so that no rule covers it."""
    ratio, high, low = math.exp(log_ratio), math.exp(worst), math.exp(best)
    verdict: Verdict = "slower"
    if high < 1.0:
        verdict = "faster"
    elif high <= 1.0 + LOSS:
        verdict = "same"
    interval = Interval(low, high).including(ratio, ratio)
    return Judged(ratio, interval, None, verdict, verdict == "same", None)


def _point(point: PointEstimate, ranks: int, size: int, log: float) -> PointEstimate:
    return replace(point, ranks=ranks, bytes=size, typical_s=math.exp(log), launches=0)
