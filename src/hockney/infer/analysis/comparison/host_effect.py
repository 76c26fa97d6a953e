"""What other hosts did to times, where one run had launches on both."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from hockney.infer.analysis.comparison.effects import Limits
from hockney.infer.analysis.conditions.traces import hosts_of
from hockney.infer.estimate.differences import Judged, two_samples
from hockney.infer.estimate.shifts import LEVEL

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis

Hosts = tuple[str, ...]


def host_limits(analysis: Analysis, before: Hosts, after: Hosts) -> Limits:
    """The log ratios that moving from the hosts `before` to those `after` may have, by the launches
    of one run. Without limits where too few were on either, or where at any point those on one take
    longer."""
    ranks = analysis.run.taking_part
    hosts = {launch.launch: hosts_of(launch, ranks) for launch in analysis.run.launches}
    if not {before, after} <= set(hosts.values()):
        return Limits()
    of_launches: dict[int, list[float]] = defaultdict(list)
    chances = []
    for point in analysis.of_every_launch.own():
        logs = {
            launch: math.log(median_s / point.typical_s)
            for launch, median_s in point.by_launch.items()
            if min(median_s, point.typical_s) > 0.0 and hosts.get(launch) in (before, after)
        }
        chances.append(_over_hosts(logs, hosts, before, after).p)
        for launch, log in logs.items():
            of_launches[launch].append(log)
    means = {launch: float(np.mean(logs)) for launch, logs in of_launches.items()}
    interval = _over_hosts(means, hosts, before, after).interval
    known = [p for p in chances if p is not None]
    if interval is None or min(known, default=0.0) < LEVEL / len(chances):
        return Limits()
    return Limits(min(math.log(interval.low), 0.0), max(math.log(interval.high), 0.0))


def _over_hosts(
    logs: Mapping[int, float], hosts: Mapping[int, Hosts], before: Hosts, after: Hosts
) -> Judged:
    sides = [[log for launch, log in logs.items() if hosts[launch] == on] for on in (before, after)]
    return two_samples(np.array(sides[0]), np.array(sides[1]), 0.0)
