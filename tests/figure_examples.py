"""A description of every figure, from the recorded runs."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from profile_samples import calls, profile, rank

from collective_samples import collective_run, phases_run
from congestion_samples import congestion_run
from fabric_samples import fabric_run
from hockney import records
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.compare import compare
from hockney.infer.analysis.history.histories import histories
from hockney.profiling.kinds import Blame, Profile
from hockney.profiling.summary import ProfileSummary
from hockney.show.comparison.comparison_figure import describe_ratio
from hockney.show.curves.curves import Options
from hockney.show.drawing.description import Figure
from hockney.show.figures import describe
from hockney.show.history.history_figure import describe_history
from hockney.show.profiles.figures import PROFILE_FIGURES, describe_profile
from one_sided_samples import one_sided_run, startup_run
from samples import past_run, varied_run

RECORDED = Path(__file__).parent / "recorded"
EXAMPLES: dict[str, tuple[tuple[str, ...], Options]] = {
    "time": (("pingpong-floor", "pingpong-mpich"), Options()),
    "bandwidth": (("pingpong-mpich",), Options()),
    "samples": (("pingpong-mpich",), Options(most_samples=40)),
    "models": (("pingpong-mpich",), Options()),
    "contention": (("pairs-four",), Options()),
    "matrix": (("cores-simulated",), Options()),
    "variability": (("pairs-every-iteration",), Options()),
    "multi-mode": (("pairs-multi",), Options()),
    "overheads": (("overheads-mpich",), Options()),
    "collective-sizes": (("collective-simulated", "collective-simulated-messages"), Options()),
    "collective-ranks": (("collective-simulated",), Options()),
    "arrivals": ((), Options()),
    "phases": ((), Options()),
    "collective-best": ((), Options()),
    "collective-model": (("collective-simulated", "collective-simulated-messages"), Options()),
    "ratio": (("pingpong-mpich", "pingpong-mpich-again"), Options()),
    "history": ((), Options()),
    "variants": ((), Options()),
    "one-sided": ((), Options()),
    "startup": ((), Options()),
    "startup in rows": ((), Options()),
    "fabric": ((), Options()),
    "published": (("pingpong-mpich",), Options()),
    "congestion": ((), Options()),
    **{name: ((), Options()) for name in PROFILE_FIGURES.built_in()},
    "time of pairs": (("pairs-four",), Options()),
    "models by the byte": (("pingpong-refine",), Options()),
    "matrix of equal times": (("cores",), Options()),
    "variability of one rank": (("preset-osu",), Options()),
    "collective-ranks with one other": (("collective-forced-again",), Options()),
    "history of a day": ((), Options()),
    "variants of paths": ((), Options()),
    "sizes of both sides": ((), Options()),
}
"""The recorded runs from which each figure is drawn, with its options; the first word is the
figure."""
SHORT_EXAMPLES = [name for name in list(EXAMPLES)[::2] if name != "models by the byte"]
"""Every second one that is drawn in a second: this one's run has hundreds of sizes to fit."""
PATHS = [
    f"mpicc=/opt/software/linux/gcc-14.2.0/mpich-{n}-ofi/bin/mpicc" for n in ("4.2.3", "5.0.2")
]


ARRIVALS: dict[str | None, dict[str, float]] = {
    "none": {},
    "ascending": {"binomial": 3.0, "chain": 0.3},
    "last-late": {"binomial": 2.1},
}


@cache
def recorded(name: str) -> Analysis:
    return Analysis(records.read(RECORDED / f"{name}.jsonl.zst"), name)


@cache
def example(name: str) -> Figure:
    names, options = EXAMPLES[name]
    analyses = [recorded(recording) for recording in names]
    if name == "history of a day":
        runs = [Analysis(past_run(hour / 24.0)).facts for hour in range(8)]
        return describe_history(histories([run for run in runs if run], 0.05))
    if name == "variants of paths":
        varied = varied_run(12, dict(zip(PATHS, (1.0, 1.05), strict=True)))
        return describe("variants", [Analysis(varied)], options)
    if name == "sizes of both sides":
        return describe_profile("sizes", ProfileSummary(stencil(8, "MPI_Irecv")))
    if analyses and " " in name:
        return describe(name.partition(" ")[0], analyses, options)
    if name == "ratio":
        return describe_ratio([compare(analyses[0], analyses[1], 0.03)], 0.03)
    if name == "history":
        runs = [Analysis(past_run(day, 1.3 if day > 6 else 1.0)).facts for day in range(12)]
        return describe_history(histories([run for run in runs if run], 0.05))
    if name == "variants":
        varied = varied_run(12, {"first": 1.0, "second": 1.05, "third": 1.0})
        return describe(name, [Analysis(varied)], options)
    if name == "one-sided":
        return describe(name, [Analysis(one_sided_run())], options)
    if name == "fabric":
        return describe(name, [Analysis(fabric_run(slow={(1, 4): 2.0}))], options)
    if name == "congestion":
        return describe(name, [Analysis(congestion_run(load_sizes=(1024, 65536)))], options)
    if name in PROFILE_FIGURES.built_in():
        return describe_profile(name, ProfileSummary(stencil(8)))
    if name == "phases":
        return describe(name, [Analysis(phases_run())], options)
    if name == "startup":
        return describe(name, [Analysis(startup_run())], options)
    if name == "startup in rows":
        return describe("startup", [Analysis(startup_run(rank_counts=[4]))], options)
    return describe(name, analyses or [winners(name == "arrivals")], options)


def winners(by_arrival: bool) -> Analysis:
    """A broadcast of which different algorithms are the best."""

    def seconds(_: str, name: str, ranks: int, size: int) -> float:
        slow = {"default": 2.0, "chain": 3.0}.get(name, 1.0)
        return 1e-6 * ranks * (size / 1e4 + 1.0) * (slow if ranks < 16 else 1.0 + 0.1 * slow)

    algorithms = {name: {} for name in ("default", "binomial", "chain")}
    return Analysis(
        collective_run(
            seconds,
            algorithms=algorithms,
            ranks=(2, 8, 16),
            sizes=(8, 1024, 65536),
            arrivals=ARRIVALS if by_arrival else {None: {}},
        )
    )


def stencil(ranks: int, *receives: str) -> Profile:
    """A ring of ranks on two nodes, each of which waits for the last, and sums; receives: calls of
    as many messages and bytes as MPI_Isend."""
    ring = profile(ranks=ranks)
    ring.ranks = [
        rank(number, ranks, host="ab"[number * 2 // ranks], cpus=str(number))
        for number in range(ranks)
    ]
    for number in range(ranks):
        late = 0.1 * (1.0 - number / ranks)
        for other in ((number + 1) % ranks, (number - 1) % ranks):
            sent = {"communicator_size": ranks, "peer": other, "time_s": 0.05, "seen": 10}
            ring.calls.append(calls(number, "MPI_Send", 1000, 65536, wait_s=0.02, **sent))
            for call in ("MPI_Isend", *receives):
                ring.calls.append(
                    calls(number, call, 50, 1024, datatype="strided", completion_s=0.1, **sent)
                )
        reduced = {"communicator_size": ranks, "time_s": 0.15 + late, "wait_s": late, "seen": 10}
        ring.calls.append(calls(number, "MPI_Allreduce", 4000, 8, **reduced))
        ring.calls.append(calls(number, "MPI_Barrier", 10, time_s=0.01, datatype=None))
        if number < ranks - 1:
            ring.blames.append(Blame(job=0, rank=number, for_rank=ranks - 1, seconds=late))
    return ring
