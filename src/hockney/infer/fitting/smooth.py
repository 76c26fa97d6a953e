"""Smooth curves as the alternative to lines with breaks between them.

Three kinds bend without a break: alpha + beta b + sum c_k b^p_k bends everywhere; with
c sqrt(b^2 + k^2) or c b^2 / (b + k) instead of the powers one slope becomes another about k,
within some octaves or a decade. Where such a curve explains the times of several neighbouring lines
as well as these do, no change of protocol is shown between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from hockney.infer.arrays import Array
from hockney.infer.fitting.likelihood import deviance, rating, weights
from hockney.infer.fitting.line import LEAST_PREDICTED

POWERS = ((0.5,), (0.25, 0.5, 0.75), (0.2, 0.4, 0.6, 0.8, 1.25))
"""Exponents p_k beside 0 and 1, the simplest curve first. Over seven decades the last is within
0.3 % of a + b x^0.9 and of a + b x + c ln(1 + x), and several per cent off a jump or a bend that
takes less than an octave."""
CORNERS: dict[str, Callable[[Array, float], Array]] = {
    "narrow": np.hypot,
    "wide": lambda b, k: b**2 / (b + k),
}
MOST_CORNERS = 24
"""Sizes k that are tried before the best is refined between its neighbours."""
SHOWN = 0.0
"""Least difference by which the criterion of lines with a break must be below the curve's."""
_NEAR = 1e-3
_ROUNDS = 3
"""Rounds of weighting outliers less."""


@dataclass(frozen=True)
class CurveShape:
    """The terms of a curve beside alpha and beta b."""

    powers: tuple[float, ...] = ()
    corner: str | None = None
    corner_bytes: float = 0.0

    @property
    def free(self) -> int:
        """Number of fitted numbers."""
        return 2 + len(self.powers) + (0 if self.corner is None else 2)

    def terms(self, bytes_: Array) -> Array:
        """Values of the terms, shape (points, terms)."""
        terms = [bytes_**power for power in (0.0, 1.0, *self.powers)]
        if self.corner is not None:
            terms.append(CORNERS[self.corner](bytes_, self.corner_bytes))
        return np.stack(terms, axis=-1)


@dataclass(frozen=True)
class Curved:
    """A smooth curve through points of neighbouring sizes."""

    shape: CurveShape
    coefficients: Array
    """Coefficients in the order of the shape's terms."""

    def seconds(self, bytes_: Array, last_bytes: float) -> Array:
        """Times on the curve; above last_bytes on its tangent there."""
        inside = np.minimum(bytes_, last_bytes)
        times = self.shape.terms(inside) @ self.coefficients
        return np.asarray(times + self.slope(last_bytes) * (bytes_ - inside))

    def slope(self, at_bytes: float) -> float:
        """Seconds per byte at that size, from the size a thousandth below it; not below 0."""
        ends = np.array([(1.0 - _NEAR) * at_bytes, at_bytes])
        below, above = self.shape.terms(ends) @ self.coefficients
        return max(float(above - below), 0.0) / max(_NEAR * at_bytes, 1e-12)


@dataclass(frozen=True)
class Piece:
    """Points first to end, on a line or, where `curve` is given, on a curve."""

    first: int
    end: int
    ln_residuals: Array
    curve: Curved | None = None

    @property
    def free(self) -> int:
        """Number of fitted numbers."""
        return 2 if self.curve is None else self.curve.shape.free


def without_bends(bytes_: Array, seconds: Array, pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces, with neighbouring ones joined to one curve wherever that does not raise the
    criterion of the whole by more than SHOWN: the breaks that are left are jumps or changes of
    slope that no smooth curve explains. bytes_ (ascending), seconds: shape (points,)."""

    @cache
    def curves(first: int, end: int) -> list[Piece]:
        return _curves(bytes_, seconds, first, end)

    whole = list(pieces)
    while len(whole) > 1:
        joined = [
            [*whole[:i], piece, *whole[j:]]
            for i, j in combinations(range(len(whole) + 1), 2)
            if j - i > 1
            for piece in curves(whole[i].first, whole[j - 1].end)
        ]
        best = min(joined, key=_criterion, default=whole)
        if best is whole or _criterion(best) > _criterion(whole) + SHOWN:
            break
        whole = best
    return whole


def _criterion(pieces: Sequence[Piece]) -> float:
    free = sum(piece.free for piece in pieces) + len(pieces) - 1
    return rating(np.concatenate([piece.ln_residuals for piece in pieces]), free)


def least_criterion(bytes_: Array, seconds: Array) -> float:
    """The least criterion of one smooth curve through all points; infinite without one."""
    whole = _curves(bytes_, seconds, 0, len(bytes_))
    return min((_criterion([piece]) for piece in whole), default=np.inf)


def _curves(bytes_: Array, seconds: Array, first: int, end: int) -> list[Piece]:
    """Points first to end on one curve of each kind, as far as there are sizes enough."""
    b, t = bytes_[first:end], seconds[first:end]
    candidates = [fitted(b, t, CurveShape(powers)) for powers in POWERS]
    candidates += [_with_corner(b, t, corner) for corner in CORNERS]
    known = [curved for curved in candidates if curved is not None]
    return [Piece(first, end, off(curved, b, t), curved) for curved in known]


def off(curve: Curved, bytes_: Array, seconds: Array) -> Array:
    """ln residuals of the curve at points that it was fitted to."""
    return np.asarray(np.log(seconds / (curve.shape.terms(bytes_) @ curve.coefficients)))


def _with_corner(bytes_: Array, seconds: Array, corner: str) -> Curved | None:
    """The best curve with this corner inside the range."""
    from scipy.optimize import minimize_scalar

    inside = np.unique(bytes_[bytes_ > 0.0])[1:-1]
    if len(inside) > MOST_CORNERS:
        inside = np.geomspace(inside[0], inside[-1], MOST_CORNERS)

    def at(ln_corner: float) -> float:
        curved = fitted(bytes_, seconds, CurveShape((), corner, float(np.exp(ln_corner))), rounds=1)
        return np.inf if curved is None else deviance(off(curved, bytes_, seconds))

    tried = np.log(inside)
    deviances = np.array([at(ln_corner) for ln_corner in tried])
    if not np.isfinite(deviances).any():
        return None
    best = int(deviances.argmin())
    limits = tried[max(best - 1, 0)], tried[min(best + 1, len(tried) - 1)]
    if limits[0] == limits[1]:
        return fitted(bytes_, seconds, CurveShape((), corner, float(inside[best])))
    refined = minimize_scalar(at, bounds=limits, method="bounded", options={"maxiter": 20}).x
    return fitted(bytes_, seconds, CurveShape((), corner, float(np.exp(refined))))


def fitted(
    bytes_: Array, seconds: Array, shape: CurveShape, rounds: int = _ROUNDS
) -> Curved | None:
    """The curve of least squares of relative residuals, in which outliers count less; None from
    too few sizes, and where it is not positive at each of them."""
    if len(np.unique(bytes_)) <= shape.free:
        return None
    terms, weight = shape.terms(bytes_) / seconds[:, None], np.ones_like(seconds)
    for left in reversed(range(rounds)):
        coefficients = _least_squares(terms, weight)
        ratio = terms @ coefficients
        if not (ratio > LEAST_PREDICTED).all():
            return None
        if left:
            weight = weights(-np.log(ratio))
    return Curved(shape, coefficients)


def _least_squares(terms: Array, weight: Array) -> Array:
    """The coefficients for which the terms sum to about 1."""
    root = np.sqrt(weight)
    scaled = terms * root[:, None]
    size = np.maximum(np.abs(scaled).max(axis=0), 1e-300)
    return np.asarray(np.linalg.lstsq(scaled / size, root, rcond=1e-12)[0] / size)
