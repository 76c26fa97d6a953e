"""Runs whose messages cost what is planted, with what a run would have recorded of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np

from hockney.plan import Placement, Sampling, single, sizes_of, stored
from hockney.plan.workloads import Workload
from hockney.plan.workloads.pingpong import Pingpong
from hockney.records import (
    Clock,
    End,
    LaunchRecord,
    MpiFacts,
    Noise,
    PathRecord,
    Place,
    PortCounters,
    Run,
    Samples,
    TcpBytes,
)
from samples import HEADER

SIZES = (0, *(1 << power for power in range(3, 23)))
LAUNCHES = 18
SHARED, CMA, TCP, NETWORK = "shared", "cma", "tcp", "network"


@dataclass(frozen=True)
class Planted:
    """A run: what its messages cost, and what was recorded."""

    latency_s: float = 5e-7
    second_a_byte: float = 1e-10
    """Seconds for each byte of a message."""
    switch_bytes: int = 4096
    """Largest eager message; larger ones take `rendezvous_s` more."""
    rendezvous_s: float = 8e-7
    small: str = SHARED
    large: str = CMA
    library: str = "Open MPI"
    version: str = "4.1.4"
    abi: str = "ompi"
    env: Mapping[str, str] = field(default_factory=dict)
    controls: Mapping[str, str | None] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)
    places: tuple[Place, ...] = (
        Place(rank=0, host="n1", package=0, numa=0, l3=0, l2=0, core=0, pu=0, pinned=True),
        Place(rank=1, host="n1", package=0, numa=0, l3=0, l2=1, core=1, pu=1, pinned=True),
    )
    compute_s: float = 2.6e-6
    waited: float = 0.0
    stolen: float = 0.0
    throttled: float = 0.0
    clock_cost_s: float = 2e-8
    workload: Workload = field(default_factory=lambda: Pingpong(sizes=sizes_of(SIZES)))
    axes: Mapping[str, Any] = field(default_factory=dict)
    placement: Placement = field(default_factory=Placement)
    port_rate: str | None = None
    handover_ns: float = 60.0

    def time_s(self, size: int) -> float:
        slow = self.rendezvous_s if size > self.switch_bytes else 0.0
        return self.latency_s + self.second_a_byte * size + slow


def run_of(planted: Planted, seed: int, noise: float = 0.02, name: str = "A") -> Run:
    """The run. noise: standard deviation of the logarithms of launches' times; of the run as a
    whole, half of it."""
    numbers = np.random.default_rng(seed)
    workload = planted.workload
    header = msgspec.structs.replace(
        HEADER,
        id=f"{name}-{seed}",
        experiment=workload.experiment,
        options=stored(single(workload, planted.placement, Sampling())),
        environment={"host": "n1", **planted.environment, "env": dict(planted.env)},
    )
    run = Run(header)
    whole = numbers.normal(0.0, noise / 2.0)
    operation = "pingpong" if isinstance(workload, Pingpong) else "bcast"
    axes = {"operation": operation, "ranks": 2, **planted.axes}
    if operation == "pingpong":
        axes |= {"mode": "standard", "peers": (0, 1)} | dict(planted.axes)
    for launch in range(LAUNCHES):
        run.add(
            LaunchRecord(
                launch=launch,
                places=list(planted.places),
                definition="batch over 2k",
                mpi=MpiFacts(library=planted.library, version=planted.version, abi=planted.abi),
                clock=Clock(name="CLOCK_MONOTONIC", cost_s=planted.clock_cost_s),
                batch_s=2e-5,
                controls=dict(planted.controls),
                probe="handover",
            )
        )
        for path in _paths(planted, launch):
            run.add(path)
        for size in SIZES:
            log = np.log(planted.time_s(size)) + whole + numbers.normal(0.0, noise)
            ns = (1e9 * np.exp(log + numbers.normal(0.0, noise / 4.0, 6))).tolist()
            run.add(Samples(launch=launch, round=0, bytes=size, repetitions=10, ns=ns, **axes))
        for rank in (0, 1):
            run.add(
                Noise(
                    launch=launch,
                    rank=rank,
                    wall_s=1.0,
                    cpu_s=1.0 - planted.waited,
                    waited_s=planted.waited,
                    steal_s=planted.stolen,
                    throttled_s=planted.throttled,
                    migrations=0.0,
                    probe_s=planted.compute_s * float(np.exp(numbers.normal(0.0, 0.005))),
                )
            )
        run.add(End(launch=launch, reason="precision", wall_s=1.0))
    return run


def _paths(planted: Planted, launch: int) -> list[PathRecord]:
    """What was seen of messages of 1 B and of 1 MiB."""
    paths = []
    hosts = [place.host for place in planted.places[:2]]
    reach = "node" if hosts[0] == hosts[1] else "network"
    port = None
    if planted.port_rate is not None:
        port = PortCounters(family="infiniband", port="mlx5_0/ports/1", rate=planted.port_rate)
    for size, messages, way in ((1, 64, planted.small), (1 << 20, 64, planted.large)):
        total = 2 * size * messages
        for rank in (0, 1):
            tcp = {"lo": TcpBytes(sent=total // 2, received=total // 2, resent=0)}
            counters = {"port_xmit_data": (0, total // 8), "port_rcv_data": (0, total // 8)}
            ports = None
            if port is not None and rank == 0:
                ports = [msgspec.structs.replace(port, counters=counters)]
            paths.append(
                PathRecord(
                    launch=launch,
                    reach=reach,
                    bytes=size,
                    messages=messages,
                    peers=[rank, 1 - rank],
                    host=hosts[rank],
                    copied=total // 2 if way == CMA else 0,
                    copies=messages if way == CMA else 0,
                    tcp=tcp if way == TCP else {},
                    ports=ports,
                )
            )
    ports = None
    if port is not None:
        counters = {"port_xmit_data": (0, 10**6), "port_rcv_data": (0, 10**6)}
        ports = [msgspec.structs.replace(port, counters=counters)]
    paths += [
        PathRecord(launch=launch, reach="launch", peers=[0], host=host, segments=1, ports=ports)
        for host in dict.fromkeys(hosts)
    ]
    return paths
