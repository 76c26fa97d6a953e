"""How soon a loss could be seen at all, in the noise of claims_watch.py.

    python watch_bound.py

Whoever knew the noise, the usual level and the loss would have this much evidence after so many
looks: half of loss² times the information of a step (the inverse covariance of all looks, those of
a week before it too, summed over the step). `evidence` is the time until that reaches the limit of
the watch; `tolerance` is the time until the loss lies as far beyond the tolerance as the interval
of its size is wide. A detector that must learn all of this is later.
"""

from __future__ import annotations

import argparse
import math

import numpy as np
from claims_watch import LIMIT, LOOK_S, TOLERANCE
from scipy.linalg import solve_toeplitz

from hockney.infer.estimate.noise_models import SIZE_LEVEL

NOISE, BEFORE, MOST = 0.01, 336, 400


def information(correlation: float, looks: int) -> float:
    """The information of a step that began so many looks ago, over its size squared."""
    covariance = 0.5 * correlation ** np.arange(BEFORE + looks)
    covariance[0] = 1.0
    step = np.concatenate([np.zeros(BEFORE), np.ones(looks)])
    return float(step @ solve_toeplitz(NOISE**2 * covariance, step))


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    for correlation in (0.0, 0.5, 0.9):
        for loss in (0.02, 0.1):
            size = math.log1p(loss)
            over = size - math.log1p(TOLERANCE)
            evidence = tolerance = math.inf
            for looks in range(MOST, 0, -1):
                known = information(correlation, looks)
                normal = math.sqrt(2.0 * math.log(math.sqrt(1.0 + looks) / SIZE_LEVEL))
                if 0.5 * size**2 * known >= math.log(LIMIT):
                    evidence = looks * LOOK_S / 3600.0
                if over * math.sqrt(known) >= normal:
                    tolerance = looks * LOOK_S / 3600.0
            print(
                f"correlation {correlation}, loss of {100 * loss:.0f} %: "
                f"evidence {evidence:.1f} h, tolerance {tolerance:.1f} h"
            )


if __name__ == "__main__":
    main()
