"""Logs of programs that measure no MPI are refused by name, with what to do instead."""

from __future__ import annotations

import pytest
from reading import tables

from hockney.base.errors import UsageError

LOGS = {
    "iperf3": "Connecting to host n2, port 5201\n[ ID] Interval           Transfer     Bitrate\n"
    "[  5]   0.00-2.00   sec  2.19 GBytes  9.40 Gbits/sec    0             sender\n",
    "iperf3 json": '{"start":{"version":"iperf 3.12","test_start":{"blksize":131072}},\n'
    '"end":{"sum_sent":{"seconds":2,"bits_per_second":9400000000}}}\n',
    "iperf3 newer": "- - - -\n[ ID] Interval           Transfer     Bitrate\n"
    "[  5]   0.00-2.00   sec  2.19 GBytes  9.40 Gbits/sec    0             sender\n",
    "iperf3 older": "Server listening on 5201\n[ ID] Interval           Transfer     Bandwidth\n"
    "[  5]   0.00-2.00   sec  2.19 GBytes  9.40 Gbits/sec    0             sender\n",
    "iperf client": "Client connecting to n2, TCP port 5001\n[ ID] Interval       Transfer     "
    "Bandwidth\n[  3]  0.0-10.0 sec  1.09 GBytes   937 Mbits/sec\n",
    "iperf server": "Server listening on UDP port 5001\n[ ID] Interval       Transfer     "
    "Bandwidth\n[  3]  0.0-10.0 sec  1.09 GBytes   937 Mbits/sec\n",
    "netperf": "MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 () port 0 AF_INET to n2 () port 0\n"
    "Socket Size   Request  Resp.   Elapsed  Trans.\n16384  131072 1        1       10.00    4e4\n",
    "sockperf": "sockperf: == version #3.7 == \nsockperf: Summary: Latency is 10.125 usec\n",
    "qperf": "tcp_lat:\n    latency   =  12.5 us\n    msg_size  =  1 bytes\n",
}


@pytest.mark.parametrize("name", LOGS)
def test_a_log_without_messages_of_mpi_is_refused_by_name(name: str) -> None:
    with pytest.raises(UsageError) as refused:
        tables(LOGS[name])
    program = name.partition(" ")[0]
    line = 2 if name in ("iperf client", "iperf server", "iperf3 newer") else 1
    assert f"some.log, line {line}: a log of {program}: " in str(refused.value)
    assert "hockney pingpong --hosts A,B" in str(refused.value)


def test_a_binary_file_of_linktest_is_refused_by_name() -> None:
    with pytest.raises(UsageError) as refused:
        tables("sion\x01\x00\x00\x00pingpong\n")
    assert "a log of SIONlib, as LinkTest writes them: it is binary" in str(refused.value)
    assert "write its matrix as text" in str(refused.value)
