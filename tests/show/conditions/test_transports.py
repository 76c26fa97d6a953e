"""The way of messages as people and programs read it."""

from __future__ import annotations

from hockney.infer.analysis import Analysis
from hockney.records import PathRecord, PortCounters, Run, TcpBytes
from hockney.show.conditions.transport_lines import transport_lines
from hockney.show.one_run.run_lines import heading
from hockney.show.tables.as_json import run_json, transport_json
from samples import make_run

SIZE, MESSAGES = 1 << 20, 4


def run_over_tcp() -> Run:
    """Two hosts with a port each, and messages of two sizes over it."""
    run = make_run(lambda *_: [1000.0])
    for rank, host in enumerate(("a", "b")):
        for size in (8, SIZE):
            half = size * MESSAGES
            run.add(
                PathRecord(
                    launch=0,
                    reach="network",
                    bytes=size,
                    messages=MESSAGES,
                    peers=[rank, 1 - rank],
                    host=host,
                    tcp={"eth0": TcpBytes(sent=half, received=half, resent=0)},
                    ports=[],
                )
            )
        port = PortCounters(family="net", port="eth0", operstate="up", speed="25000", type="1")
        run.add(PathRecord(launch=0, reach="launch", peers=[rank], host=host, ports=[port]))
    return run


def test_the_heading_says_which_way_messages_took() -> None:
    assert "messages by TCP over eth0" in "\n".join(heading(Analysis(run_over_tcp())))


def test_a_run_without_ways_has_no_word_of_them() -> None:
    analysis = Analysis(make_run(lambda *_: [1000.0]))
    assert "messages by" not in "\n".join(heading(analysis))
    assert run_json(analysis)["transport"] is None


def test_doctor_lists_ports_and_sizes() -> None:
    transports = Analysis(run_over_tcp()).transports
    assert transports is not None
    assert list(transport_lines(transports)) == [
        "ports of a:",
        "  eth0  Ethernet, active, 25 Gb/s",
        "ports of b:",
        "  eth0  Ethernet, active, 25 Gb/s",
        "in a node:",
        "  not tried: no node had two ranks",
        "between nodes:",
        "  ranks 0 and 1 (a and b)",
        "    8 B .. 1 MiB        TCP over eth0 (1.00 times the bytes)",
    ]


def test_json_has_words_and_evidence() -> None:
    ways = transport_json(Analysis(run_over_tcp()).transports)
    assert ways is not None
    assert (ways["node"], ways["network"], ways["resent"]) == (None, "TCP over eth0", 0)
    assert [path["bytes"] for path in ways["paths"]] == [8, SIZE]
    assert list(ways["paths"][1]["carriers"]) == [{"kind": "TCP", "name": "eth0", "fraction": 1.0}]
