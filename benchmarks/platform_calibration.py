"""The segmented fit beside SimGrid's published calibrations, on the same raw times.

    python benchmarks/platform_calibration.py REPOSITORY

REPOSITORY is a clone of Ezibenroc/platform-calibration: for each platform, how long every call of a
ping-pong lasted, breakpoints that somebody read off a plot, and the platform that a script in R
made of both (a line by least squares through all round trips of a range, so through their means).
Theirs has seen all sizes. Ours is fitted to the median of each size, or its mean, but every third,
and finds its breakpoints itself.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hockney.base.units import format_seconds, format_size
from hockney.foreign.exchange.calibration import held_out
from hockney.infer.fitting.fit import curve_of_arrays
from hockney.infer.models import segmented

Array = NDArray[np.float64]
MOST_SIZES = 300
"""Most sizes for which the fit searches all partitions; of more, every n-th is taken."""


class Published:
    """A directory of the repository: its raw round trips, and the platform made of them."""

    def __init__(self, repository: Path, times: str) -> None:
        self.repository, self.directory = repository, times.rpartition("/")[0]
        self.name = self.directory.removeprefix("data/").removesuffix("/calibration")
        prefix = times.removesuffix("_PingPong.csv")
        self.times = self._text(times)
        self.platform = self._text(f"{prefix}_output.xml")
        configs = git(
            repository, "grep", "-l", "expected_latency", "HEAD", "--", f"{self.directory}/*.xml"
        )
        self.config = self._text(configs.split()[0].removeprefix("HEAD:"))

    def _text(self, path: str) -> str:
        return git(self.repository, "show", f"HEAD:{path}")

    def round_trips(self) -> dict[int, list[float]]:
        """Round trips by size: a send and the receive after it."""
        trips: dict[int, list[float]] = defaultdict(list)
        sent = 0.0
        for line in self.times.splitlines():
            call, size, _, seconds = line.split(",")
            if call == "MPI_Send":
                sent = float(seconds)
            else:
                trips[int(size)].append(sent + float(seconds))
        return trips

    def one_way(self) -> tuple[Array, Callable[[Array], Array]]:
        """Starts of its ranges, and its one-way time: their delay, and half of the time in a
        receive, which their script takes from the round trip before it halves the rest."""
        starts, latency = self._sections("lat-factor", 1)
        _, bandwidth = self._sections("bw-factor", 1)
        _, receive = self._sections("or", 2)
        expected_s, expected_Bps = (
            float(re.search(rf'expected_{what} value="([^"]+)"', self.config)[1])  # type: ignore[index]
            for what in ("latency", "bandwidth")
        )

        def at(sizes: Array) -> Array:
            of = np.searchsorted(starts, sizes, side="right") - 1
            delay = latency[of, 0] * expected_s + sizes / (bandwidth[of, 0] * expected_Bps)
            return np.asarray(delay + (receive[of, 0] + receive[of, 1] * sizes) / 2.0)

        return starts, at

    def _sections(self, name: str, numbers: int) -> tuple[Array, Array]:
        match = re.search(rf'id="smpi/{name}" value="([^"]+)"', self.platform)
        assert match is not None, f"{self.directory}: no smpi/{name}"
        rows = np.array([[float(n) for n in row.split(":")] for row in match[1].split(";")])
        assert rows.shape[1] == 1 + numbers
        return rows[:, 0], rows[:, 1:]


def git(repository: Path, *words: str) -> str:
    return subprocess.run(
        ["git", "-C", repository, *words], check=True, capture_output=True, text=True
    ).stdout


def published(repository: Path) -> Iterator[Published]:
    names = git(repository, "ls-tree", "-r", "--name-only", "HEAD", "data").splitlines()
    for times in names:
        prefix = times.removesuffix("_PingPong.csv")
        if prefix != times and f"{prefix}_output.xml" in names and "/calibration/" in times:
            yield Published(repository, times)


def errors(predicted: Array, measured: Array) -> str:
    """Median, 90th percentile and largest, as percentages."""
    off = np.expm1(np.abs(np.log(predicted / measured)))
    return " ".join(f"{value:7.1%}" for value in (*np.quantile(off, (0.5, 0.9)), off.max()))


def compare(platform: Published) -> None:
    trips = platform.round_trips()
    sizes = np.array(sorted(trips), dtype=np.float64)
    sizes = sizes[:: -(-len(sizes) // MOST_SIZES)]
    median, mean = (
        np.array([statistic(trips[int(size)]) for size in sizes]) / 2.0
        for statistic in (np.median, np.mean)
    )
    left_out = np.isin(sizes, held_out([int(size) for size in sizes]))
    starts, theirs = platform.one_way()
    print(f"\n{platform.name}: {len(sizes)} of {len(trips)} sizes, {left_out.sum()} held out")
    print("  their ranges from", ", ".join(format_size(int(start)) for start in starts))
    for name, times in (("medians", median), ("means", mean)):
        curve = curve_of_arrays(sizes[~left_out], times[~left_out])
        ours = segmented.fit(curve, resamples=0)
        print(f"  ours, of {name}")
        for segment in ours.segments:
            beta = segment.beta_s_per_B
            print(
                f"    {format_size(segment.from_bytes):>9} .. {format_size(segment.to_bytes):>9}"
                f"  alpha {format_seconds(segment.alpha_s):>9}"
                f"  1/beta {1e-6 / beta if beta else np.inf:8.0f} MB/s"
            )
        print(f"  errors at {name} of sizes held out: median, 90 %, largest")
        for who, predict in (("theirs", theirs), ("ours", ours.predict)):
            print(f"    {who:6} {errors(predict(sizes[left_out]), times[left_out])}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("repository", type=Path, help="clone of Ezibenroc/platform-calibration")
    for platform in published(parser.parse_args().repository):
        compare(platform)


if __name__ == "__main__":
    main()
