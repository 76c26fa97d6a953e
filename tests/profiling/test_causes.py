"""Causes of a program's time: planted ones, in profiles and in programs."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profile_samples import calls, pingpong, profile, rank
from profiled_programs import build

from conftest import RunHockney, first_of
from hockney.base.allowed import allowed_set
from hockney.profiling.causes import (
    BANDWIDTH,
    BUSY,
    CONTENTION,
    COPYING,
    FARTHER,
    LATE,
    LATENCY,
    MESSAGES,
    OTHER,
    UNEXPLAINED,
    spent_in,
)
from hockney.profiling.expected import MessageTimes, model_of
from hockney.profiling.findings import ProfileFinding, findings_of
from hockney.profiling.kinds import Blame, Calls, MessagesAlone, Profile
from hockney.profiling.summary import ProfileSummary
from hockney.run.mpis import Mpi
from hockney.show.profiles.profile_findings import finding_text

MACHINE = MessagesAlone(
    messages=((8, 1e-6), (1024, 2e-6), (1 << 20, 1e-4)),
    scattered=((8, 2e-6), (4096, 1e-5), (1 << 20, 2e-3)),
)
PLANTED = {
    "late-sender": (LATE, "receives"),
    "late-receiver": (LATE, "sends"),
    "imbalance": (LATE, "collectives"),
    "small": (LATENCY, None),
    "large": (BANDWIDTH, None),
    "scattered": (COPYING, None),
}


def decided(made: Profile) -> dict[str, object]:
    made.machine = MACHINE
    [facts] = [
        finding.facts for finding in findings_of(ProfileSummary(made)) if finding.kind == "decides"
    ]
    return facts


def both(call: str, count: int, bytes_: int, **fields: object) -> list[Calls]:
    return [calls(r, call, count, bytes_, peer=1 - r, **fields) for r in (0, 1)]


@pytest.mark.parametrize(
    ("of", "cause"),
    [
        (both("MPI_Send", 1000, 8, time_s=1.1e-3, wait_s=0.0, seen=9), LATENCY),
        (both("MPI_Send", 1000, 1 << 20, time_s=0.11, wait_s=0.0, seen=9), BANDWIDTH),
        (both("MPI_Send", 1000, 1 << 20, time_s=0.5, wait_s=0.0, seen=9), CONTENTION),
        (both("MPI_Recv", 1000, 8, time_s=0.5, wait_s=0.49, seen=9), LATE),
        (both("MPI_Allreduce", 1000, 8, time_s=0.5, wait_s=0.49, seen=9), LATE),
        (both("MPI_Send", 1000, 1 << 20, time_s=0.5, datatype="strided"), COPYING),
        (both("MPI_Send", 1000, 8, time_s=0.5, wait_s=0.0, seen=9, memory="pinned"), CONTENTION),
        (both("MPI_Send", 1000, 8, time_s=0.5, wait_s=0.0, seen=9, memory="device"), MESSAGES),
    ],
)
def test_a_planted_cause_is_found(of: list[Calls], cause: str) -> None:
    made = profile(*of)
    assert decided(made)["cause"] == cause


def test_waiting_for_a_rank_that_moves_messages_itself_is_for_messages() -> None:
    """Two ranks that do nothing but send forth and back."""
    made = profile(*both("MPI_Send", 1000, 8, time_s=1e-3, wait_s=0.0, seen=9))
    made.calls += both("MPI_Recv", 1000, 8, time_s=2e-3, wait_s=1e-3, seen=9)
    made.ranks = [rank(number, wall_s=3.1e-3) for number in (0, 1)]
    made.blames += [Blame(job=0, rank=r, for_rank=1 - r, seconds=1e-3) for r in (0, 1)]
    assert decided(made)["cause"] == LATENCY


@pytest.mark.parametrize(
    ("cpu_wait_s", "cause"), [(0.0, CONTENTION), (0.9, BUSY), (None, CONTENTION)]
)
def test_a_rank_without_its_cpu_is_no_contention(cpu_wait_s: float | None, cause: str) -> None:
    made = profile(*both("MPI_Send", 1000, 8, time_s=0.95, wait_s=0.0, seen=9))
    made.ranks = [rank(number, cpu_wait_s=cpu_wait_s) for number in (0, 1)]
    assert decided(made)["cause"] == cause


@pytest.mark.parametrize(
    ("fields", "cause"),
    [
        ({}, CONTENTION),
        ({"cpus": "64", "cache": "64-95"}, FARTHER),
        ({"cpus": "0-95"}, FARTHER),
        ({"cache": ""}, FARTHER),
    ],
)
@pytest.mark.parametrize("call", ["MPI_Send", "MPI_Allreduce"])
def test_only_ranks_that_share_a_cache_are_known_to_slow_each_other_down(
    call: str, fields: dict[str, str], cause: str
) -> None:
    """Messages were measured between two cores, the nearest ones perhaps."""
    made = profile(*both(call, 100_000, 8, time_s=0.5, wait_s=0.0, seen=9))
    made.ranks[1] = rank(1, **fields)
    facts = decided(made)
    assert (facts["cause"], facts["call"], facts["times"]) == (cause, call, pytest.approx(5.0))
    text = finding_text(ProfileFinding("decides", facts))
    assert ("is not known" in text) == (cause == FARTHER)


def test_collectives_with_ranks_that_left_no_record_may_be_far() -> None:
    wide = {"communicator_size": 3, "time_s": 0.5, "wait_s": 0.0, "seen": 9}
    assert decided(profile(*both("MPI_Allreduce", 1000, 8, **wide)))["cause"] == FARTHER


@pytest.mark.parametrize(
    ("call", "fields", "cause"),
    [
        ("MPI_Allreduce", {"communicator_size": None, "members": None}, MESSAGES),
        ("MPI_Allreduce", {"communicator_size": 1}, OTHER),
        ("MPI_Send", {"peer": 0}, OTHER),
        ("MPI_Send", {"peer": 1}, CONTENTION),
    ],
)
def test_nobody_contends_with_itself_or_with_unknown_ranks(
    call: str, fields: dict[str, object], cause: str
) -> None:
    usual = {"time_s": 0.5, "wait_s": 0.0, "seen": 9}
    made = profile(calls(0, call, 1000, 8, **{**usual, **fields}))
    made.machine = MACHINE
    assert ProfileSummary(made).causes.seconds[cause] > 0.49


def test_rounded_sizes_are_those_of_their_mean() -> None:
    """A size that is an upper limit made the messages explain more time than they take."""
    rounded = calls(0, "MPI_Send", 1000, 1 << 20, peer=1, is_coarse=True, wait_s=0.0, seen=9)
    made = profile(msgspec.structs.replace(rounded, bytes_sum=1000 * (1 << 19)))
    made.machine = MACHINE
    alone = 1000 * MessageTimes(MACHINE.messages).message_s(1 << 19)
    assert ProfileSummary(made).causes.seconds[CONTENTION] == pytest.approx(0.1 - alone)


def test_copying_takes_at_most_what_it_takes_alone() -> None:
    """Seconds of a few columns are not for copying, whatever else they are for."""
    made = profile(
        *both("MPI_Send", 1000, 4096, time_s=0.5, wait_s=0.0, seen=9, datatype="strided")
    )
    made.machine = MACHINE
    seconds = ProfileSummary(made).causes.seconds
    assert seconds[COPYING] < 2 * 1000 * 1e-5
    assert seconds[UNEXPLAINED] > 0.9
    made.machine = MessagesAlone(messages=MACHINE.messages)  # an older profile
    assert ProfileSummary(made).causes.seconds[COPYING] == 0.0


@pytest.mark.parametrize(
    ("call", "fields"),
    [
        ("MPI_Send", {"datatype": "strided"}),
        ("MPI_Comm_split", {"datatype": None, "peer": None}),
    ],
)
def test_a_rank_without_its_cpu_neither_copies_nor_sets_up(
    call: str, fields: dict[str, object]
) -> None:
    usual = {"time_s": 0.5, "wait_s": 0.0, "seen": 9, "peer": 0}
    made = profile(*(calls(r, call, 1000, 4096, **usual | fields) for r in (0, 1)))
    made.ranks = [rank(number, cpu_wait_s=0.99) for number in (0, 1)]
    facts = decided(made)
    assert facts["cause"] == BUSY
    assert float(str(facts["fraction"])) > 0.9


def test_the_causes_of_calls_are_those_of_their_rank() -> None:
    """Of the time off a CPU, too, which is first taken off what is beyond the model."""
    made = profile(*both("MPI_Send", 1000, 4096, time_s=0.3, wait_s=0.0, seen=9))
    made.calls += both("MPI_Isend", 9, 8, time_s=0.1)
    made.calls += both("MPI_Comm_split", 1, 0, time_s=0.1, datatype=None)
    made.machine, made.ranks = MACHINE, [rank(number, cpu_wait_s=0.7) for number in (0, 1)]
    causes = ProfileSummary(made).causes
    of_calls = [causes.of(call) for call in made.calls]
    for name, seconds in causes.seconds.items():
        assert sum(by_cause[name] for by_cause in of_calls) == pytest.approx(seconds)


def test_a_far_rank_without_its_cpu_is_busy() -> None:
    made = profile(*both("MPI_Send", 1000, 8, time_s=0.95, wait_s=0.0, seen=9))
    made.ranks = [rank(number, cpu_wait_s=0.9, cache=str(number)) for number in (0, 1)]
    assert decided(made)["cause"] == BUSY


def test_a_rank_that_waits_for_its_cpu_is_no_late_partner() -> None:
    """Rank 1 waits 0.4 s for rank 0, which was ready to run for 0.38 s of them."""
    made = profile(calls(1, "MPI_Recv", 9, 8, peer=0, time_s=0.4, wait_s=0.4, seen=9))
    made.ranks = [rank(0, wall_s=0.4, cpu_wait_s=0.38), rank(1, wall_s=0.4, cpu_wait_s=0.0)]
    made.blames += [Blame(job=0, rank=1, for_rank=0, seconds=0.4)]
    assert decided(made)["cause"] == BUSY


def test_what_cannot_be_told_is_not() -> None:
    hidden = profile(calls(0, "MPI_Isend", 9, 8, time_s=0.4, wait_s=0.0, seen=9))
    hidden.machine = MACHINE
    assert ProfileSummary(hidden).causes.seconds[UNEXPLAINED] > 0.39
    assert not [
        finding for finding in findings_of(ProfileSummary(hidden)) if finding.kind == "decides"
    ]
    unmeasured = profile(*pingpong(100, 8))
    seconds = ProfileSummary(unmeasured).causes.seconds
    assert seconds[MESSAGES] == pytest.approx(0.4)
    apart = profile(*pingpong(100, 8))
    apart.ranks, apart.machine = [rank(0), rank(1, host="b")], MACHINE
    assert ProfileSummary(apart).causes.model is None


@pytest.mark.parametrize(
    ("call", "larger", "words"),
    [
        ("MPI_File_write", OTHER, "calls that send nothing between ranks take more, 80 %"),
        ("MPI_Isend", UNEXPLAINED, "a larger part, 80 %, is unexplained"),
    ],
)
def test_a_cause_takes_not_most_where_other_time_is_larger(
    call: str, larger: str, words: str
) -> None:
    made = profile(*both(call, 1, 8, time_s=0.8))
    made.calls += both("MPI_Send", 200_000, 8, time_s=0.2, wait_s=0.0, seen=9)
    facts = decided(made)
    assert (facts["cause"], facts["larger"]) == (LATENCY, larger)
    text = finding_text(ProfileFinding("decides", facts))
    assert text.startswith("latency, with bandwidth, takes 20 % of the time in MPI: ")
    assert text.endswith(words)
    made.calls = made.calls[2:]
    assert decided(made)["larger"] is None


@given(
    st.lists(
        st.builds(
            lambda r, name, count, size, time_s, wait: calls(
                r, name, count, size, time_s=time_s, wait_s=wait, seen=1, peer=1 - r
            ),
            st.integers(0, 1),
            st.sampled_from(["MPI_Send", "MPI_Isend", "MPI_Allreduce", "MPI_Barrier", "MPI_Bcast"]),
            st.integers(1, 10**6),
            st.integers(0, 1 << 30),
            st.floats(0.0, 1e3),
            st.none() | st.floats(0.0, 1e3),
        ),
        min_size=1,
        max_size=8,
    ),
    st.none() | st.floats(0.0, 1e3),
)
def test_causes_add_up_to_the_time(of: list[Calls], cpu_wait_s: float | None) -> None:
    made = profile(*of)
    made.machine = MACHINE
    made.ranks = [rank(r, cpu_wait_s=cpu_wait_s) for r in (0, 1)]
    causes = ProfileSummary(made).causes
    for call in of:
        by_cause = causes.of(call)
        assert min(by_cause.values()) >= 0.0
        assert sum(by_cause.values()) == pytest.approx(spent_in(call)[0], rel=1e-6, abs=1e-9)
    spent = sum(spent_in(call)[0] for call in of)
    assert sum(causes.seconds.values()) == pytest.approx(spent, rel=1e-6, abs=1e-9)
    assert causes.seconds[OTHER] == 0.0


@given(st.integers(0, 1 << 40))
def test_larger_messages_take_longer(size: int) -> None:
    model = MessageTimes(MACHINE.messages)
    assert model.latency_s <= model.message_s(size) <= model.message_s(size + 1 + size // 8)


@pytest.mark.parametrize("zeros", [("messages",), ("scattered",), ("messages", "scattered")])
def test_times_of_0_are_no_times_of_messages(zeros: tuple[str, ...]) -> None:
    machine = msgspec.structs.replace(MACHINE, **dict.fromkeys(zeros, ((8, 0.0), (1024, 0.0))))
    model = model_of(machine, ["n1"])
    if "messages" in zeros:
        assert model is None
    else:
        assert model is not None
        assert model.scattered is None


@pytest.fixture(scope="module")
def program(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = Path(__file__).with_name("planted.c")
    return build(mpi, tmp_path_factory.mktemp("planted"), source)


def shown_of(hockney: RunHockney, mpi: Mpi, *command: str) -> list[dict[str, object]]:
    words = ("profile", "-q", "--force", "-o", "p.jsonl", "--mpicc", str(mpi.mpicc), "--", *command)
    hockney.ok(*words)
    findings: list[dict[str, object]] = hockney("show", "--json", "p.jsonl").json["findings"]
    return findings


@pytest.mark.parametrize("name", first_of(PLANTED))
def test_the_cause_of_a_program_is_found(
    hockney: RunHockney, mpi: Mpi, program: Path, name: str
) -> None:
    """On a machine so busy that ranks lose their CPU, that is the cause, and is reported. One
    slower than when its messages were measured shows contention, but not three times."""
    seen = []
    for _ in range(3):
        findings = shown_of(hockney, mpi, str(mpi.mpiexec), "-n", "2", str(program), name)
        decides = next((finding for finding in findings if finding["kind"] == "decides"), {})
        if decides.get("cause") == BUSY:
            assert any(finding["kind"] == "cpus-busy" for finding in findings)
            return
        seen.append((decides.get("cause"), decides.get("where")))
        if seen[-1] == PLANTED[name]:
            return
    raise AssertionError(seen)


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("taskset"), reason="no taskset, which puts ranks on one CPU")
def test_ranks_on_one_cpu_wait_for_it(hockney: RunHockney, mpi: Mpi, program: Path) -> None:
    cpu = str(min(allowed_set()))
    launch = ("taskset", "-c", cpu, str(mpi.mpiexec), "-n", "2", str(program), "busy")
    findings = shown_of(hockney, mpi, *launch)
    kinds = {finding["kind"]: finding for finding in findings}
    assert "cpus-busy" in kinds
    assert kinds["decides"]["cause"] == BUSY, findings
