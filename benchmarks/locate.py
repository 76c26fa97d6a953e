"""How often, and in how many rounds, `hockney fabric --locate` names what is slow among thousands
of simulated nodes, and how often it names a sound one.

    python locate.py --nodes 4096 --machines 20
    python locate.py --nodes 256 --beside-all-pairs

Times are computed from the routes of each network (locate_networks.py) with noise of 3 %, of heavy
tails, and go to the search and its odds (infer/locate), which choose the rounds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import numpy as np
from claim import Rate
from locate_networks import NETWORKS, Machine, planted
from scipy.sparse import vstack

from hockney.infer.locate.design import all_rounds, round_pairs
from hockney.infer.locate.explanations import Explanations
from hockney.infer.locate.odds import RoundTimes, judge
from hockney.infer.locate.search import RoundSearch, most_rounds

FAULTS = ("none", "node", "cable", "two")


class Measured:
    """The times of the rounds made so far."""

    def __init__(self, machine: Machine, noise: float, tails: str, seed: int) -> None:
        self.machine, self.noise, self.tails = machine, noise, tails
        self.random = np.random.default_rng([seed, 7])
        self.logs: list[np.ndarray] = []
        self.weights: list = []
        self.levels: list[np.ndarray] = []

    def make(self, rounds: Sequence[int]) -> RoundTimes:
        for number in rounds:
            pairs = round_pairs(self.machine.nodes, number)
            passed = self.machine.network.passed(pairs)
            times = self.machine.seconds(passed)
            self.logs.append(np.log(times) + self.noise * self._noise(times.shape))
            self.weights.append(passed.weights)
            self.levels.append(passed.levels)
        levels = np.concatenate(self.levels)
        logs = np.concatenate(self.logs, axis=1)
        weights = vstack(self.weights).tocsr()
        return RoundTimes(logs, weights, np.stack([levels] * len(logs)))

    def _noise(self, shape: tuple[int, ...]) -> np.ndarray:
        """Of standard deviation 1 without the tails: normal, or Student's t with three degrees of
        freedom, of which one in a hundred is a disturbance of up to 30 times."""
        if self.tails == "normal":
            return self.random.normal(size=shape)
        noise = self.random.standard_t(3.0, size=shape) / 1.13
        hit = self.random.random(shape) < 0.01
        return np.where(hit, np.abs(noise) + self.random.exponential(10.0, shape), noise)


def located(
    machine: Machine, noise: float, tails: str, seed: int, most: int
) -> tuple[Explanations, int]:
    """What a search finds, and the number of its rounds."""
    network = machine.network
    search = RoundSearch(machine.nodes, most)
    measured = Measured(machine, noise, tails, seed)
    rounds = search.first()
    while rounds:
        times = measured.make(rounds)
        judged = judge(times, list(network.parts))
        rounds = search.next(network, times, judged)
    return judged, len(search.made)


def named(judged: Explanations) -> set[int]:
    return {explanation.part for explanation in judged.slow_parts}


def all_pairs(machine: Machine, noise: float, tails: str, seed: int) -> Explanations:
    measured = Measured(machine, noise, tails, seed)
    times = measured.make(range(all_rounds(machine.nodes)))
    return judge(times, list(machine.network.parts))


def cell(shape: str, fault: str, args: argparse.Namespace) -> None:
    right = false = same = 0
    rounds, seconds = [], []
    for seed in range(args.machines):
        machine = planted(shape, args.nodes, fault, args.slower, seed)
        began = time.perf_counter()
        most = args.most or most_rounds(machine.nodes)
        judged, made = located(machine, args.noise, args.tails, seed, most)
        seconds.append(time.perf_counter() - began)
        slow = named(judged)
        right += slow == set(machine.slow)
        false += bool(slow - set(machine.slow))
        rounds.append(made)
        if args.list and slow != set(machine.slow):
            parts = machine.network.parts
            print("   ", seed, [parts[i] for i in slow], "for", [parts[i] for i in machine.slow])
        if args.beside_all_pairs:
            whole = all_pairs(machine, args.noise, args.tails, seed)
            same += named(whole) == slow
    total = all_rounds(machine.nodes)
    beside = f"  as all pairs {Rate(same, args.machines)}" if args.beside_all_pairs else ""
    print(
        f"{shape:>10} {fault:>6} n={args.machines}  right {Rate(right, args.machines)}  "
        f"names a sound part {Rate(false, args.machines)}  rounds median "
        f"{np.median(rounds):.0f}, most {max(rounds)} ({100.0 * max(rounds) / total:.2f} % of "
        f"{total})  "
        f"{np.mean(seconds):.1f} s each{beside}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=4096)
    parser.add_argument("--machines", type=int, default=20)
    parser.add_argument("--shapes", nargs="*", default=list(NETWORKS))
    parser.add_argument("--faults", nargs="*", default=list(FAULTS))
    parser.add_argument("--slower", type=float, default=1.2, help="ratio of times")
    parser.add_argument("--noise", type=float, default=0.03)
    parser.add_argument("--tails", choices=["normal", "heavy"], default="heavy")
    parser.add_argument("--most", type=int, help="most rounds")
    parser.add_argument("--beside-all-pairs", action="store_true")
    parser.add_argument("--list", action="store_true", help="print each machine that is not right")
    args = parser.parse_args()
    for shape in args.shapes:
        for fault in args.faults:
            cell(shape, fault, args)


if __name__ == "__main__":
    main()
