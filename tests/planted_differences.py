"""Pairs of runs that differ by one planted cause, with what a run would have recorded of it, and by
things that change nothing."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hockney.plan import sizes_of
from hockney.plan.workloads.collective import Collective
from hockney.plan.workloads.pingpong import Pingpong
from hockney.records import (
    Place,
    Run,
)
from planted_runs import NETWORK, SHARED, SIZES, TCP, Planted, run_of


@dataclass(frozen=True)
class Seed:
    """A cause: A's run, B's run, and the names of which one must be named first."""

    base: Callable[[random.Random], Planted]
    other: Callable[[Planted, random.Random], Planted]
    names: tuple[str, ...]


def _plain(chance: random.Random) -> Planted:
    return Planted(
        latency_s=chance.uniform(3e-7, 2e-6),
        second_a_byte=1.0 / chance.uniform(3e9, 2e10),
        rendezvous_s=chance.uniform(5e-7, 3e-6),
    )


def _changed(**fields: Any) -> Callable[[Planted, random.Random], Planted]:
    return lambda planted, _: replace(planted, **fields)


def _slower(
    least: float, most: float, **fields: Any
) -> Callable[[Planted, random.Random], Planted]:
    """All times by a factor, with these records."""

    def change(planted: Planted, chance: random.Random) -> Planted:
        by = chance.uniform(least, most)
        return replace(
            _scaled(planted, by), **{k: v(by) if callable(v) else v for k, v in fields.items()}
        )

    return change


def _scaled(planted: Planted, by: float) -> Planted:
    return replace(
        planted,
        latency_s=by * planted.latency_s,
        second_a_byte=by * planted.second_a_byte,
        rendezvous_s=by * planted.rendezvous_s,
    )


def _per_byte(
    least: float, most: float, **fields: Any
) -> Callable[[Planted, random.Random], Planted]:
    def change(planted: Planted, chance: random.Random) -> Planted:
        slope = chance.uniform(least, most) * planted.second_a_byte
        return replace(planted, second_a_byte=slope, **fields)

    return change


def _latency(
    least: float, most: float, **fields: Any
) -> Callable[[Planted, random.Random], Planted]:
    def change(planted: Planted, chance: random.Random) -> Planted:
        return replace(planted, latency_s=chance.uniform(least, most) * planted.latency_s, **fields)

    return change


def _places(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[Place, ...]:
    base = {"host": "n1", "package": 0, "numa": 0, "l3": 0, "pinned": True}
    return Place(rank=0, **(base | first)), Place(rank=1, **(base | second))


FAR = _places(
    {"pu": 0, "core": 0, "l2": 0},
    {"pu": 32, "core": 0, "l2": 32, "l3": 32, "numa": 1, "package": 1},
)
ONE_CPU = _places({"pu": 0, "core": 0, "l2": 0}, {"pu": 0, "core": 0, "l2": 0})
APART = _places({"pu": 0, "core": 0, "l2": 0}, {"pu": 0, "core": 0, "l2": 0, "host": "n2"})
ELSEWHERE = _places({"pu": 2, "core": 2, "l2": 2}, {"pu": 3, "core": 3, "l2": 3})
EVERY = Pingpong(sizes=sizes_of(SIZES), every_iteration=True)
BCAST = Collective(sizes=sizes_of(SIZES), collective="bcast")


def _clock(planted: Planted, chance: random.Random) -> Planted:
    cost = chance.uniform(5e-7, 2e-6)
    return replace(
        planted,
        latency_s=planted.latency_s + cost - planted.clock_cost_s,
        clock_cost_s=cost,
        environment={"clock_source": "hpet"},
    )


def _library(planted: Planted, chance: random.Random) -> Planted:
    return replace(
        planted,
        latency_s=chance.uniform(1.3, 2.0) * planted.latency_s,
        second_a_byte=chance.uniform(1.2, 2.0) * planted.second_a_byte,
        switch_bytes=1 << chance.randrange(10, 17),
        version="5.0.11",
    )


def _other_library(planted: Planted, chance: random.Random) -> Planted:
    mpich = replace(_library(planted, chance), library="MPICH", version="5.0.2", abi="mpich")
    return replace(mpich, large=SHARED)


def _mpich(chance: random.Random) -> Planted:
    controls = {"MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD": "16384"}
    return replace(
        _plain(chance),
        library="MPICH",
        version="5.0.2",
        abi="mpich",
        controls=controls,
        env={"MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD": "16384"},
        switch_bytes=16384,
    )


def _named(**env: str) -> dict[str, Any]:
    return {"env": env}


SEEDS: dict[str, Seed] = {
    "eager threshold up": Seed(
        _plain,
        _changed(switch_bytes=65536, **_named(OMPI_MCA_btl_vader_eager_limit="65536")),
        ("OMPI_MCA_btl_vader_eager_limit",),
    ),
    "eager threshold down": Seed(
        _plain,
        _changed(switch_bytes=512, **_named(OMPI_MCA_btl_vader_eager_limit="512")),
        ("OMPI_MCA_btl_vader_eager_limit",),
    ),
    "threshold of copies": Seed(
        _mpich,
        _changed(
            switch_bytes=262144,
            controls={"MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD": "262144"},
            **_named(MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD="262144"),
        ),
        ("MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD",),
    ),
    "threshold of copies, not set before": Seed(
        lambda chance: replace(_mpich(chance), env={}, controls={}),
        _per_byte(
            1.5,
            3.0,
            large=SHARED,
            **_named(MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD="536870912"),
        ),
        ("MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD",),
    ),
    "no CMA": Seed(
        _plain,
        _per_byte(
            1.5, 3.0, large=SHARED, **_named(OMPI_MCA_btl_vader_single_copy_mechanism="none")
        ),
        ("OMPI_MCA_btl_vader_single_copy_mechanism",),
    ),
    "TCP": Seed(
        _plain,
        _slower(4.0, 12.0, small=TCP, large=TCP, env={"OMPI_MCA_btl": "self,tcp"}),
        ("OMPI_MCA_btl",),
    ),
    "transport without a setting": Seed(_plain, _per_byte(1.5, 3.0, large=SHARED), ("transport",)),
    "both ranks on one CPU": Seed(_plain, _latency(20.0, 2000.0, places=ONE_CPU), ("pinning",)),
    "other socket": Seed(_plain, _slower(1.5, 3.0, places=FAR), ("pinning",)),
    "version of the library": Seed(_plain, _library, ("library",)),
    "other library": Seed(_plain, _other_library, ("library",)),
    "cold buffers": Seed(
        _plain,
        _per_byte(
            1.4,
            3.0,
            workload=Pingpong(sizes=sizes_of(SIZES), buffers="cold"),
            axes={"buffers": "cold"},
        ),
        ("buffers",),
    ),
    "datatype": Seed(
        _plain,
        _per_byte(
            2.0,
            8.0,
            workload=Pingpong(sizes=sizes_of(SIZES), datatype="vector:8:16"),
            axes={"datatype": "vector:8:16"},
        ),
        ("datatype",),
    ),
    "threads": Seed(
        _plain,
        _latency(2.0, 6.0, axes={"threads": 4}),
        ("threads",),
    ),
    "mode": Seed(_plain, _latency(1.5, 3.0, axes={"mode": "synchronous"}), ("mode",)),
    "governor": Seed(
        _plain,
        _slower(
            1.2,
            2.0,
            compute_s=lambda by: 2.6e-6 * by,
            environment={"governor": "powersave"},
        ),
        ("governor",),
    ),
    "slow cores": Seed(
        _plain,
        _slower(1.2, 2.0, compute_s=lambda by: 2.6e-6 * by),
        ("speed of the cores", "governor"),
    ),
    "busy CPUs": Seed(
        _plain,
        _slower(1.3, 2.0, waited=lambda by: 1.0 - 1.0 / by),
        ("other programs on the CPUs",),
    ),
    "stolen time": Seed(
        _plain,
        _slower(1.3, 2.0, stolen=lambda by: 1.0 - 1.0 / by),
        ("time stolen by the hypervisor",),
    ),
    "quota": Seed(
        _plain,
        _slower(1.2, 2.0, throttled=lambda by: 1.0 - 1.0 / by),
        ("quota of CPU time",),
    ),
    "clock source": Seed(
        lambda chance: replace(_plain(chance), workload=EVERY, environment={"clock_source": "tsc"}),
        _clock,
        ("clock source",),
    ),
    "two nodes instead of one": Seed(
        _plain, _slower(2.0, 6.0, places=APART, small=NETWORK, large=NETWORK), ("node layout",)
    ),
    "slow port": Seed(
        lambda chance: replace(
            _plain(chance),
            places=APART,
            small=NETWORK,
            large=NETWORK,
            port_rate="200 Gb/sec (4X HDR)",
        ),
        _per_byte(2.0, 4.0, port_rate="100 Gb/sec (2X HDR)"),
        ("rate of the ports",),
    ),
    "collective algorithm": Seed(
        lambda chance: replace(_plain(chance), workload=BCAST, axes={"algorithm": "binomial"}),
        _latency(1.3, 3.0, axes={"algorithm": "ring"}),
        ("algorithm",),
    ),
}
"""Causes by name."""

UNRECORDED = {
    "every message": _latency(1.3, 3.0),
    "every byte": _per_byte(1.3, 3.0),
    "everything": _slower(1.2, 3.0),
    "a threshold": _changed(switch_bytes=65536),
}
"""Changes of which nothing is recorded: nobody may be named for them."""

DECOYS: Sequence[Callable[[Planted, random.Random], Planted]] = (
    lambda planted, _: _with(planted, kernel="6.9.0"),
    lambda planted, _: _with(planted, microcode="0xf"),
    lambda planted, _: _with(planted, transparent_hugepage="[always] never"),
    lambda planted, _: _with(
        planted, **({} if "governor" in planted.environment else {"governor": "schedutil"})
    ),
    lambda planted, _: (
        replace(planted, env={**planted.env, "OMPI_MCA_coll_tuned_bcast_algorithm": "3"})
        if isinstance(planted.workload, Pingpong)
        else planted
    ),
    lambda planted, _: (
        replace(planted, env={**planted.env, "I_MPI_EAGER_THRESHOLD": "1024"})
        if planted.abi == "ompi"
        else planted
    ),
    lambda planted, _: replace(planted, env={**planted.env, "OMPI_MCA_mpi_yield_verbose": "1"}),
    lambda planted, _: replace(planted, env={**planted.env, "UCX_TLS": "sm,self"}),
    lambda planted, _: (
        _with(planted, clock_source="acpi_pm") if planted.workload is not EVERY else planted
    ),
    lambda planted, _: (
        replace(planted, places=ELSEWHERE) if planted.places == Planted().places else planted
    ),
    lambda planted, _: replace(planted, compute_s=planted.compute_s * 1.02),
    lambda planted, _: replace(planted, waited=planted.waited + 0.03),
)
"""Differences that change nothing."""


def _with(planted: Planted, **environment: Any) -> Planted:
    return replace(planted, environment={**planted.environment, **environment})


def pair_of(
    base: Callable[[random.Random], Planted],
    other: Callable[[Planted, random.Random], Planted] | None,
    seed: int,
    noise: float = 0.02,
    decoys: int = 3,
) -> tuple[Run, Run]:
    """A and B, of which B has the change, and as many decoys."""
    chance = random.Random(seed)
    first = base(chance)
    second = other(first, chance) if other else first
    for decoy in chance.sample(DECOYS, decoys):
        second = decoy(second, chance)
    return run_of(first, 2 * seed, noise, "A"), run_of(second, 2 * seed + 1, noise, "B")
