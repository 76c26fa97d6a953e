"""Bursts and roles are read as they are written, and whatever else is written is refused."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hockney.base.errors import UsageError
from hockney.plan.loads import Burst, Roles, parse_bursts, roles_of
from hockney.plan.workloads.congestion import Congestion

PHASES = st.integers(1, 10_000_000)
"""Microseconds, up to 10 s."""


@given(st.lists(st.none() | st.tuples(PHASES, PHASES), min_size=1, max_size=5, unique=True))
def test_bursts_are_read_as_written(bursts: list[tuple[int, int] | None]) -> None:
    text = ",".join(
        "steady" if phases is None else f"{phases[0]}us/{phases[1]}us" for phases in bursts
    )
    parsed_bursts = parse_bursts(text)
    assert len(parsed_bursts) == len(bursts)
    for burst, phases in zip(parsed_bursts, bursts, strict=True):
        length, gap = phases or (0, 0)
        assert burst.length_s == pytest.approx(length * 1e-6)
        assert burst.gap_s == pytest.approx(gap * 1e-6)
        assert burst.period_s == pytest.approx((length + gap) * 1e-6)


@given(st.text(max_size=20))
def test_other_bursts_are_refused_in_words(text: str) -> None:
    with contextlib.suppress(UsageError):
        assert parse_bursts(text)


@given(st.permutations(range(12)), st.integers(2, 8))
def test_a_file_names_the_roles(order: list[int], victims: int) -> None:
    ranks = order[:victims], order[victims:]
    listed = [",".join(map(str, each)) for each in ranks]
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "roles"
        path.write_text(f"# who\n\naggressors {listed[1]}  # the hub first\nvictims {listed[0]}\n")
        roles = roles_of(str(path), None)
    assert roles.listed == (tuple(ranks[0]), tuple(ranks[1]))
    assert (roles.victims, roles.aggressors_of(99)) == (victims, 12 - victims)
    assert roles.text == f"listed:{listed[0]}/{listed[1]}"


@given(st.text(max_size=60))
def test_any_other_file_is_refused_in_words(text: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "roles"
        path.write_text(text, encoding="utf-8", errors="replace")
        with contextlib.suppress(UsageError):
            roles = roles_of(str(path), None)
            assert roles.listed == ((), ())


def test_every_combination_is_one_load() -> None:
    workload = Congestion(
        sizes=(),
        aggressors=("incast", "ring"),
        load_sizes=(8, 1024),
        load_windows=(1, 4),
        bursts=(Burst(), Burst(1e-3, 5e-4)),
        roles=Roles(placing="blocks", victims=2),
    )
    (loads,) = [word for word in workload.arguments(8) if word.startswith("--loads=")]
    each = loads.removeprefix("--loads=").split(",")
    assert len(set(each)) == 2**4
    assert each[0] == "incast:8:1:0:0"
    assert each[-1] == "ring:1024:4:1000000:500000"


def test_memory_counts_every_message_in_flight() -> None:
    """Memory of an incast of 7 to 1 in windows of 4 messages, on 10 ranks; and of the victims'
    buffers."""
    workload = Congestion(sizes=(), aggressors=("incast",), load_sizes=(1000,), load_windows=(4,))
    assert workload.buffer_bytes(10) == 1000 + 8 * 4 * 1000 / 10
