"""A model: every message takes the same time."""

import numpy as np

from hockney.infer.fitting.fit import new_fit, parameter

DATA = "any times"


def lacks(curve):
    """Why the model cannot be fitted to these points; None if it can."""
    return None if len(curve.median_s) else "there is no point"


def fit(curve, *, resamples=200):
    """`resampled` has a row of medians for each resample of the launches: none with `resamples=0`,
    as cross-validation asks, and none of fewer than five launches. `parameter` makes an interval
    of what each row gives, where there are any."""
    level = float(np.median(curve.median_s))
    levels = np.median(curve.resampled(resamples), axis=1)
    # The end of a parameter's name is its unit: _s, _bps, _s_per_B.
    found = {"level_s": parameter(level, levels, curve.launches)}
    return new_fit("guest", curve, lambda bytes_, *_: np.full(len(bytes_), level), found, {}, 1)
