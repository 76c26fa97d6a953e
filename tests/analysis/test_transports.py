"""What carried messages, and which way was not the best, from records with planted counters."""

from __future__ import annotations

from typing import Any

import pytest

from hockney.infer.analysis.conditions.detours import detours
from hockney.infer.analysis.conditions.ports import port_of
from hockney.infer.analysis.conditions.transports import transports_of
from hockney.records import LaunchRecord, PathRecord, PortCounters, Run, TcpBytes
from samples import HEADER

SIZE, MESSAGES = 1 << 20, 4
TOTAL = 2 * SIZE * MESSAGES
WORDS = TOTAL // 2 // 4
"""Half of the bytes, in the words of InfiniBand."""

ETH = PortCounters(family="net", port="eth0", operstate="up", speed="1000", type="1")
FAST = PortCounters(family="net", port="eth1", operstate="up", speed="25000", type="1")
LO = PortCounters(family="net", port="lo", operstate="unknown", type="772")
HCA, SECOND_HCA = (
    PortCounters(
        family="infiniband",
        port=f"mlx5_{i}/ports/1",
        state="4: ACTIVE",
        rate="200 Gb/sec (4X HDR)",
        link_layer="InfiniBand",
    )
    for i in range(2)
)
CXI = PortCounters(family="cxi", port="cxi0")


def counted(port: PortCounters, **counters: Any) -> PortCounters:
    """The port with these counters, each by its increase or by both values."""
    pairs = {k: v if isinstance(v, tuple) else (100, 100 + v) for k, v in counters.items()}
    port_counters: PortCounters = type(port)(
        **{name: getattr(port, name) for name in port.__struct_fields__} | {"counters": pairs}
    )
    return port_counters


def whole(host: str, *ports: PortCounters, **others: Any) -> PathRecord:
    return PathRecord(
        launch=0, reach="launch", peers=[0], host=host, segments=1, ports=list(ports), **others
    )


def ends(
    reach: str,
    hosts: tuple[str, str],
    ports: list[PortCounters] | None = None,
    size: int = SIZE,
    **others: Any,
) -> list[PathRecord]:
    return [
        PathRecord(
            launch=0,
            reach=reach,
            bytes=size,
            messages=MESSAGES,
            peers=[rank, 1 - rank],
            host=hosts[rank],
            ports=ports if rank == 0 else None,
            **others,
        )
        for rank in (0, 1)
    ]


def found_in(*records: PathRecord) -> Any:
    run = Run(HEADER)
    for record in records:
        run.add(record)
    return transports_of(run)


def tcp(name: str, nbytes: int = TOTAL) -> dict[str, TcpBytes]:
    return {name: TcpBytes(sent=nbytes // 2, received=nbytes // 2, resent=0)}


INSIDE, BETWEEN = ("a", "a"), ("a", "b")
WAYS = {
    "shared memory": (ends("node", INSIDE, []), [LO]),
    "CMA": (ends("node", INSIDE, [], copies=4, copied=TOTAL // 2), [LO]),
    "TCP over lo": (ends("node", INSIDE, [], tcp=tcp("lo")), [LO]),
    "TCP over eth0": (ends("network", BETWEEN, [], tcp=tcp("eth0")), [ETH]),
    "InfiniBand over mlx5_0:1": (
        ends(
            "network",
            BETWEEN,
            [counted(HCA, port_xmit_data=WORDS, port_rcv_data=WORDS, port_xmit_packets=2100)],
        ),
        [HCA],
    ),
    "InfiniBand over mlx5_0:1, InfiniBand over mlx5_1:1": (
        ends(
            "network",
            BETWEEN,
            [
                counted(HCA, port_xmit_data=WORDS // 2, port_rcv_data=WORDS // 2),
                counted(SECOND_HCA, port_xmit_data=WORDS // 2, port_rcv_data=WORDS // 2),
            ],
        ),
        [HCA, SECOND_HCA],
    ),
    "Slingshot over cxi0": (
        ends(
            "network",
            BETWEEN,
            [counted(CXI, hni_sts_tx_ok_octets=TOTAL // 2, hni_sts_rx_ok_octets=TOTAL // 2)],
        ),
        [CXI],
    ),
    "Ethernet over eth0": (
        ends(
            "network",
            BETWEEN,
            [counted(ETH, tx_bytes=TOTAL // 2, rx_bytes=TOTAL // 2, tx_packets=90)],
        ),
        [ETH],
    ),
    # A full counter tells nothing.
    "unknown": (
        ends("network", BETWEEN, [counted(HCA, port_xmit_data=(2**32 - 1, 2**32 - 1))]),
        [HCA],
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_way_is_what_counted_the_bytes(way: str) -> None:
    records, ports = WAYS[way]
    transports = found_in(*records, whole("a", *ports), whole("b", *ports))
    assert transports.text == way
    fractions = [
        carrier.fraction for carrier in transports.paths[0].carriers if carrier.fraction is not None
    ]
    assert all(fraction == pytest.approx(1.0 / len(fractions), rel=0.03) for fraction in fractions)


def test_devices_that_copy_memory_are_named_as_possible() -> None:
    records = ends("node", INSIDE, [])
    transports = found_in(*records, whole("a", LO, devices=["/dev/xpmem"]))
    assert transports.text == "shared memory or XPMEM"


def test_sizes_are_told_apart_from_the_smallest_on() -> None:
    small = ends("node", INSIDE, [], size=8)
    large = ends("node", INSIDE, [], copies=4, copied=TOTAL)
    assert found_in(*large, *small, whole("a", LO)).text == "shared memory, CMA"


def test_others_traffic_on_an_interface_is_no_carrier_of_small_messages() -> None:
    noise = counted(ETH, tx_bytes=5000, rx_bytes=5000, tx_packets=90)
    transports = found_in(*ends("node", INSIDE, [noise], size=8), whole("a", ETH))
    assert transports.text == "shared memory"


def both(*ports: PortCounters) -> list[PathRecord]:
    return [whole(host, *ports) for host in BETWEEN]


IB = WAYS["InfiniBand over mlx5_0:1"][0]
DETOURS = {
    "network in a node": [*WAYS["TCP over lo"][0], whole("a", LO)],
    "loopback": [*ends("network", BETWEEN, [], tcp=tcp("lo")), *both(LO)],
    "sockets beside a fabric": [*WAYS["TCP over eth0"][0], *both(ETH, HCA)],
    "slower interface": [*WAYS["TCP over eth0"][0], *both(ETH, FAST)],
    "idle rail": [*IB, *both(HCA, SECOND_HCA)],
    "faults of a port": [*IB, *both(counted(HCA, symbol_error=3))],
    "congestion of a port": [*IB, *both(counted(HCA, port_xmit_wait=9000))],
    "resent": [
        *WAYS["TCP over eth0"][0],
        whole("a", ETH, tcp={"eth0": TcpBytes(sent=9, received=9, resent=500)}),
    ],
}


@pytest.mark.parametrize("kind", DETOURS)
def test_a_way_that_is_not_the_best_is_called_out(kind: str) -> None:
    all_detours = list(detours(found_in(*DETOURS[kind])))
    assert {detour.kind for detour in all_detours} == {kind}


HEALTHY = [
    [*WAYS["shared memory"][0], whole("a", LO, ETH)],
    [*WAYS["CMA"][0], whole("a", LO, ETH, HCA)],
    [*WAYS["TCP over eth0"][0], *both(LO, ETH)],
    [*ends("network", BETWEEN, [], tcp=tcp("eth1")), *both(LO, ETH, FAST)],
    [*IB, *both(LO, ETH, HCA)],
    [*WAYS["InfiniBand over mlx5_0:1, InfiniBand over mlx5_1:1"][0], *both(HCA, SECOND_HCA)],
    [*WAYS["unknown"][0], *both(HCA)],
    [],
]


@pytest.mark.parametrize("records", HEALTHY)
def test_the_best_way_there_is_is_not_called_out(records: list[PathRecord]) -> None:
    assert list(detours(found_in(*records))) == []


def test_a_pair_of_nodes_that_goes_another_way_is_named() -> None:
    hosts = [f"n{i}" for i in range(8)]
    records = []
    for i in range(0, 8, 2):
        pair = (hosts[i], hosts[i + 1])
        way = [counted(HCA, port_xmit_data=WORDS, port_rcv_data=WORDS)]
        pair_records = (
            ends("network", pair, way) if i else ends("network", pair, [], tcp=tcp("eth0"))
        )
        for record in pair_records:
            record.peers = [peer + i for peer in record.peers]
        records += pair_records
    transports = found_in(*records, *(whole(host, ETH, HCA) for host in hosts))
    uneven = [detour.text for detour in detours(transports) if detour.kind == "uneven nodes"]
    assert len(uneven) == 1
    assert "by TCP over eth0 at n0-n1" in uneven[0]


def test_variants_that_go_different_ways_are_no_uneven_nodes() -> None:
    run = Run(HEADER)
    for launch in range(3):
        run.add(LaunchRecord(launch=launch, variant="tcp" if launch == 2 else f"sm {launch}"))
        ways = ends("node", INSIDE, [], tcp=tcp("lo") if launch == 2 else {})
        for record in (*ways, whole("a", LO)):
            record.launch = launch
            run.add(record)
    transports = transports_of(run)
    assert transports is not None
    assert transports.text == "sm 0: shared memory; sm 1: shared memory; tcp: TCP over lo"
    assert "uneven nodes" not in {detour.kind for detour in detours(transports)}


PORTS = [
    (counted(HCA, port_xmit_data=10), "InfiniBand", 40.0),
    (counted(HCA, port_xmit_data=(0, 2**32 - 1)), "InfiniBand", None),
    (counted(HCA, port_rcv_data=(90, 20)), "InfiniBand", None),
    (
        PortCounters(
            family="infiniband",
            port="mlx5_0/ports/1",
            link_layer="Ethernet",
            counters={"port_xmit_data": (0, 5)},
        ),
        "RoCE",
        20.0,
    ),
    (
        PortCounters(family="infiniband", port="rdmap0s6/ports/1", counters={"tx_bytes": (1, 8)}),
        "EFA",
        7.0,
    ),
    (
        PortCounters(
            family="infiniband", port="hfi1_0/ports/1", counters={"port_rcv_data": (0, 2)}
        ),
        "Omni-Path",
        8.0,
    ),
    (
        PortCounters(family="net", port="ib0", type="32", counters={"tx_bytes": (0, 9)}),
        "IP over InfiniBand",
        9.0,
    ),
    (LO, "loopback", 0.0),
]


@pytest.mark.parametrize(("record", "fabric", "carried"), PORTS)
def test_ports_are_known_by_their_class_and_counted_in_their_units(
    record: PortCounters, fabric: str, carried: float | None
) -> None:
    port = port_of(record)
    assert (port.fabric, port.carried) == (fabric, carried)


def test_headers_are_not_payload() -> None:
    port = port_of(counted(ETH, tx_bytes=1514 * 10, tx_packets=10))
    assert port.payload == 1448 * 10
