"""Times of messages on this machine, which profiles are compared with: when they are measured."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from hockney.profiling.kinds import MessagesAlone
from hockney.run.measure import baseline
from hockney.run.mpis import Mpi


def test_messages_are_measured_once_for_each_transport(
    mpi: Mpi, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A program that uses TCP must not be compared with messages in shared memory."""
    measured: list[MessagesAlone] = []

    def measure(*_: object) -> MessagesAlone:
        measured.append(MessagesAlone(messages=((8, 1e-6 * (1 + len(measured))),)))
        return measured[-1]

    monkeypatch.setattr(baseline, "_measured", measure)
    monkeypatch.setattr(baseline, "build_engine", lambda _: SimpleNamespace(path=tmp_path / "own"))
    machines = []
    for transport in ("posix,self", "tcp,self", "posix,self"):
        monkeypatch.setenv("UCX_TLS", transport)
        machines.append(baseline.machine_of(mpi))
    assert len(measured) == 2
    assert machines == [measured[0], measured[1], measured[0]]
