"""Programs whose logs are recognised but not read, as most have no times of MPI's messages, and
what to do instead."""

from __future__ import annotations

import re
from typing import NamedTuple

from hockney.base.errors import UsageError
from hockney.foreign.logs.log import Log


class NotRead(NamedTuple):
    program: str
    mark: re.Pattern[str]
    """What only a log of this program has."""
    why: str
    advice: str = (
        "measure between the same hosts: hockney pingpong --hosts A,B; or write a table of its "
        "times as CSV, with a heading such as bytes,latency (us)"
    )


STREAMS = "rates of a stream, whose messages have no size and no time"
SOCKETS = "times of sockets, not of MPI's messages"
RDMA = "times of sockets or of RDMA, not of MPI's messages"
_IPERF3 = (
    r"^Connecting to host \S{1,99}, port \d|^Server listening on \d"
    r'|^\s*\[ *ID\] Interval\s+Transfer\s+Bitrate|"iperf 3|"version":\s*"iperf'
)
"""Older versions have the heading of iperf 2."""
KNOWN = (
    NotRead("iperf3", re.compile(_IPERF3), STREAMS),
    NotRead("iperf", re.compile(r"^\[ *ID\] Interval\s+Transfer\s+Bandwidth"), STREAMS),
    NotRead("netperf", re.compile(r"\b(?:TCP|UDP|OMNI|SCTP)\b.{0,40}\bTEST from \S"), SOCKETS),
    NotRead("sockperf", re.compile(r"^sockperf: "), SOCKETS),
    NotRead(
        "SIONlib, as LinkTest writes them",
        re.compile("^sion\N{REPLACEMENT CHARACTER}"),  # of the control characters after it
        "it is binary",
        "write its matrix as text: a line of names, a row for each sender, the message size and "
        "the unit in comments above (pair-matrix)",
    ),
    NotRead("qperf", re.compile(r"^(?:tcp|udp|sctp|sdp|rc|uc|ud|rds|ver)_\w{2,30}:$"), RDMA),
)


def refusal(log: Log) -> UsageError | None:
    """Why a log of one of these programs is not read; None if it is another's."""
    for program, mark, why, advice in KNOWN:
        line = log.find(mark)
        if line is not None:
            return UsageError(f"{log.at(line)}: a log of {program}: {why}", advice)
    return None
