"""How often `hockney explain` names the cause first, and how often it names something else.

Three sources: planted records (tests/planted_differences.py), real runs in SimGrid, and real runs
of the MPIs that are here. Each pair differs by one cause; planted ones also by things that change
nothing. Equal pairs, and changes of which nothing is recorded, must name nothing.

    python benchmarks/explained.py --planted 20
    python benchmarks/explained.py --simulated
    python benchmarks/explained.py --openmpi mpicc.openmpi --mpich mpicc.mpich --newer MPICC
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from claim import Rate

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.explanation import ENOUGH, explanation
from planted_differences import SEEDS, UNRECORDED, pair_of
from platforms import cluster, two_hosts, two_switches

HOCKNEY = (sys.executable, "-m", "hockney")
TOLERANCE = 0.03
NOTHING: tuple[str, ...] = ()
DECOYS = 3


@dataclass
class Score:
    pairs: int = 0
    first: int = 0
    """Pairs whose cause was named first."""
    named_wrongly: int = 0
    """Pairs in which something else was named."""
    left: int = 0
    """Pairs with a named cause, less than 90 % of whose difference was explained."""
    lines: list[str] = field(default_factory=list)

    def add(
        self, name: str, wanted: Sequence[str], named: Sequence[str], unexplained: float
    ) -> None:
        self.pairs += 1
        self.first += bool(named) and named[0] in wanted
        others = [cause for cause in named if cause not in wanted]
        self.named_wrongly += bool(others)
        self.left += bool(named) and unexplained > 1.0 - ENOUGH
        if others or (wanted and (not named or named[0] not in wanted)):
            self.lines.append(f"  {name}: named {', '.join(named) or 'nobody'}")

    def show(self, what: str, has_cause: bool) -> None:
        words = f"{what}: n = {self.pairs}"
        if has_cause:
            words += f", named first in {Rate(self.first, self.pairs)}"
        words += f", named wrongly in {Rate(self.named_wrongly, self.pairs)}"
        if has_cause:
            words += f", less than 90 % explained in {self.left}"
        print("\n".join([words, *self.lines]))


def planted(seeds: int, noise: float) -> None:
    with_cause, unrecorded, equal = Score(), Score(), Score()
    for name, seed in SEEDS.items():
        for number in range(seeds):
            runs = pair_of(seed.base, seed.other, number, noise, DECOYS)
            answer = explanation(*map(Analysis, runs), TOLERANCE)
            names = [cause.factor.name for cause in answer.causes]
            with_cause.add(f"{name} ({number})", seed.names, names, answer.unexplained)
    bases = list(SEEDS.values())
    for number in range(seeds * len(UNRECORDED)):
        name = list(UNRECORDED)[number % len(UNRECORDED)]
        runs = pair_of(bases[0].base, UNRECORDED[name], number, noise, DECOYS)
        answer = explanation(*map(Analysis, runs), TOLERANCE)
        unrecorded.add(name, NOTHING, [cause.factor.name for cause in answer.causes], 0.0)
    for number in range(seeds * len(UNRECORDED)):
        base = bases[number % len(bases)].base
        runs = pair_of(base, None, number, noise, DECOYS)
        answer = explanation(*map(Analysis, runs), TOLERANCE)
        equal.add(f"equal ({number})", NOTHING, [c.factor.name for c in answer.causes], 0.0)
    print(f"planted, noise {100.0 * noise:g} %, 18 launches, {DECOYS} decoys a pair")
    with_cause.show(f"{len(SEEDS)} causes", has_cause=True)
    unrecorded.show("changes without a record", has_cause=False)
    equal.show("equal runs", has_cause=False)


@dataclass(frozen=True)
class Command:
    """A run: the words of a command, and variables."""

    words: tuple[str, ...]
    env: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Pair:
    name: str
    base: Command
    other: Command
    names: tuple[str, ...]
    """What may be named first; empty for equal runs."""


def simulated(directory: Path) -> Iterator[Pair]:
    files = {
        "ok.xml": two_hosts(1e-6, 1e10),
        "slow.xml": two_hosts(1e-6, 1e9),
        "far.xml": two_hosts(5e-6, 1e10),
        "tree.xml": two_switches(4, 1e10, 2e9, 1e-6)[1],
        "cluster.xml": cluster(16, 1e-6, 1e10),
    }
    for name, text in files.items():
        (directory / name).write_text(text)

    def pingpong(platform: str, *more: str) -> Command:
        return Command(("pingpong", "--platform", str(directory / platform), *more))

    def bcast(*more: str) -> Command:
        where = ("--platform", str(directory / "cluster.xml"), "--sizes", "8,1KiB,64KiB,1MiB")
        return Command(("collective", "bcast", *where, *more))

    ok, settings = pingpong("ok.xml"), ("simulator's settings",)
    yield Pair("slow link", ok, pingpong("slow.xml"), ("platform",))
    yield Pair("long link", ok, pingpong("far.xml"), ("platform",))
    yield Pair("link mended", pingpong("slow.xml"), ok, ("platform",))
    low, high = (
        pingpong("ok.xml", "--cfg", f"smpi/lat-factor:0:1;{at}:10") for at in (4096, 65536)
    )
    yield Pair("threshold up", low, high, settings)
    yield Pair("threshold down", high, low, settings)
    binomial = bcast("-n", "8", "--algorithm", "binomial")
    yield Pair("algorithm", binomial, bcast("-n", "8", "--algorithm", "pipeline"), ("algorithm",))
    yield Pair("more ranks", binomial, bcast("-n", "16", "--algorithm", "binomial"), ("ranks",))
    near, far = (pingpong("tree.xml", "-n", "8", "--peers", f"0,{peer}") for peer in (1, 7))
    yield Pair("other hosts", near, far, ("hosts of the ranks",))
    for name, run in (
        ("two hosts", ok),
        ("slow link", pingpong("slow.xml")),
        ("bcast", binomial),
        ("tree", far),
    ):
        yield Pair(f"equal: {name}", run, run, NOTHING)


SHORT = ("--sizes", "8,1KiB,4KiB,16KiB,64KiB,256KiB,1MiB", "--launches", "18", "--budget", "8s")
OPENMPI_SETTINGS = (
    ("OMPI_MCA_btl", "self,tcp"),
    ("OMPI_MCA_btl_vader_single_copy_mechanism", "none"),
    ("OMPI_MCA_btl_vader_eager_limit", "65536"),
    ("OMPI_MCA_btl_vader_eager_limit", "512"),
    ("OMPI_MCA_btl_vader_fbox_max", "0"),
)
NEWER_SETTINGS = (
    ("MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD", "1048577"),
    ("MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD", "1024"),
)


def real(openmpi: str | None, mpich: str | None, newer: str | None) -> Iterator[Pair]:
    def pingpong(mpicc: str, *more: str, **env: str) -> Command:
        words = ("pingpong", "--mpicc", mpicc, "--oversubscribe", *SHORT, *more)
        return Command(words, tuple(env.items()))

    libraries = [mpicc for mpicc in (openmpi, mpich, newer) if mpicc]
    for library in libraries:
        plain = pingpong(library)
        yield Pair(f"one CPU, {library}", plain, pingpong(library, "--cpus", "0,0"), ("pinning",))
        cold = pingpong(library, "--buffers", "cold")
        yield Pair(f"cold buffers, {library}", plain, cold, ("buffers",))
        for number in range(5):
            yield Pair(f"equal, {library} ({number})", plain, plain, NOTHING)
    for older, other in itertools.pairwise(libraries):
        yield Pair(f"library, {other}", pingpong(older), pingpong(other), ("library",))
    for mpicc, settings in ((openmpi, OPENMPI_SETTINGS), (newer, NEWER_SETTINGS)):
        for name, value in settings if mpicc else ():
            assert mpicc is not None
            changed = pingpong(mpicc, **{name: value})
            yield Pair(f"{name}={value}, {mpicc}", pingpong(mpicc), changed, (name,))
    for mpicc, collective, *algorithms in (
        (openmpi, "alltoall", "linear_sync", "bruck"),
        (openmpi, "bcast", "basic_linear", "scatter_allgather"),
        (mpich, "allreduce", "recursive_doubling", "rabenseifner"),
    ):
        if mpicc:
            command = ("collective", collective, "--mpicc", mpicc, "-n", "2", *SHORT, "--algorithm")
            first, second = (Command((*command, algorithm)) for algorithm in algorithms)
            yield Pair(f"{collective}, {' and '.join(algorithms)}", first, second, ("algorithm",))


def measured(run: Command, file: Path) -> None:
    command = [*HOCKNEY, *run.words, "-q", "-o", str(file)]
    env = {**os.environ, **dict(run.env)}
    subprocess.run(command, capture_output=True, check=False, env=env)


def explained(pairs: Iterator[Pair], directory: Path, what: str) -> None:
    with_cause, equal = Score(), Score()
    for number, pair in enumerate(pairs):
        # In a directory each: other runs beside them would count as runs of the same question.
        place = directory / str(number)
        place.mkdir()
        files = [place / "a.jsonl", place / "b.jsonl"]
        for run, file in zip((pair.base, pair.other), files, strict=True):
            measured(run, file)
        command = [*HOCKNEY, "explain", "--json", *map(str, files)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"  {pair.name}: {(done.stderr or done.stdout).strip()[:200]}")
            continue
        shown = json.loads(done.stdout)
        names = [cause["name"] for cause in shown["causes"]]
        score = with_cause if pair.names else equal
        score.add(pair.name, pair.names, names, shown["unexplained"] or 0.0)
        print(f"  {pair.name}: {shown['answer']}", flush=True)
    if with_cause.pairs:
        with_cause.show(f"{what}, with a cause", has_cause=True)
    if equal.pairs:
        equal.show(f"{what}, equal", has_cause=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--planted", type=int, metavar="N", help="pairs of each cause")
    parser.add_argument("--noise", type=float, default=0.02)
    parser.add_argument("--simulated", action="store_true")
    parser.add_argument("--openmpi", metavar="MPICC")
    parser.add_argument("--mpich", metavar="MPICC")
    parser.add_argument("--newer", metavar="MPICC", help="a newer MPICH")
    args = parser.parse_args()
    if args.planted:
        planted(args.planted, args.noise)
    with tempfile.TemporaryDirectory() as directory:
        if args.simulated:
            explained(simulated(Path(directory)), Path(directory), "simulated")
        if args.openmpi or args.mpich or args.newer:
            explained(real(args.openmpi, args.mpich, args.newer), Path(directory), "real")


if __name__ == "__main__":
    main()
