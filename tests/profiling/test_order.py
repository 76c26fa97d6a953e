"""The order of calls: recorded, exported to be replayed, and walked through."""

from __future__ import annotations

import re
import subprocess
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from profile_samples import profile, rank

from conftest import RunHockney
from hockney.base.errors import UsageError
from hockney.infer.predict.costs import Costs
from hockney.infer.predict.program_run import walk
from hockney.profiling import kinds
from hockney.profiling.kinds import Acts
from hockney.profiling.order import Order, order_of
from hockney.run.mpis import Mpi, family_of
from starting import mpi_command

HERE = Path(__file__).parent
RANKS = 4


def acts(rank: int, *rows: tuple[int, ...], calls: tuple[str, ...] = ("MPI_Send",)) -> Acts:
    """Rows of what, before_ns, inside_ns, bytes, peer, tag, request, call, group."""
    names = ("what", "before_ns", "inside_ns", "bytes", "peer", "tag", "request", "call", "group")
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    return Acts(job=0, rank=rank, calls=calls, groups=(("a", 2),), **columns)


def order(*of: Acts, left_out: int = 0) -> Order:
    recorded = profile()
    recorded.acts = list(of)
    if left_out:
        recorded.acts = [
            kinds.msgspec.structs.replace(rank_acts, left_out=left_out) for rank_acts in of
        ]
    return order_of(recorded)


PINGPONG = (
    acts(0, (1, 1000, 0, 8, 1, 5, 0, 0, 0), (2, 0, 0, 8, 1, 5, 0, 0, 0)),
    acts(1, (2, 0, 0, 8, 0, 5, 0, 0, 0), (1, 500, 0, 8, 0, 5, 0, 0, 0)),
)


def none(_name: str, _ranks: int, _bytes: int) -> tuple[float, float]:
    return 0.0, 0.0


def test_a_pingpong_takes_its_computing_and_two_messages() -> None:
    costs = Costs(1e-6, 1e-9, 0.2e-6)
    added = np.array([0.0, 1e-6])
    ended = walk(order(*PINGPONG), lambda *_: costs, none, added)
    one_way = 1e-6 + 8e-9 + 0.2e-6
    assert ended[0] == pytest.approx([1.5e-6 + 2 * one_way, 1.5e-6 + 2 * one_way + 2e-6])


def test_latency_that_computing_hides_costs_nothing() -> None:
    """A receive that is started before 10 us of computing: 5 us more latency are not seen."""
    hidden = order(
        acts(0, (1, 0, 0, 8, 1, 0, 0, 0, 0)),
        acts(1, (4, 0, 0, 8, 0, 0, 7, 0, 0), (5, 10_000, 0, 8, 0, 0, 7, 0, 0)),
    )
    ended = walk(hidden, lambda *_: Costs(1e-6, 0.0), none, np.array([0.0, 5e-6, 20e-6]))
    assert ended[1] == pytest.approx([10e-6, 10e-6, 21e-6])


def test_what_has_no_other_end_is_left_out() -> None:
    lonely = acts(0, (1, 0, 0, 8, 1, 5, 0, 0, 0), (1, 0, 0, 8, 1, 9, 0, 0, 0))
    trace = order(lonely, acts(1, (2, 0, 0, 8, 0, 5, 0, 0, 0)))
    assert trace.left_out == 1
    assert [len(steps) for steps in trace.ranks] == [1, 1]


def test_a_number_of_ranks_is_believed_only_if_they_have_an_order() -> None:
    """The number comes from a file, and took as much memory as it said."""
    recorded = profile(ranks=2)
    recorded.acts = [*PINGPONG]
    recorded.ranks = [rank(number, ranks=1_000_000) for number in range(2)]
    tracemalloc.start()
    with pytest.raises(UsageError, match="the order of some ranks is missing"):
        order_of(recorded)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1_000_000


def test_messages_of_proc_null_are_not_left_out() -> None:
    to_nobody, from_nobody = (1, 0, 0, 0, -1, 5, 0, 0, 0), (4, 0, 0, 0, -1, 5, 7, 0, 0)
    completed = (5, 0, 0, 0, -1, 5, 7, 0, 0)
    trace = order(
        acts(0, to_nobody, from_nobody, completed, (1, 0, 0, 8, 1, 5, 0, 0, 0)),
        acts(1, (2, 0, 0, 8, 0, 5, 0, 0, 0)),
    )
    assert trace.left_out == 0
    assert [len(steps) for steps in trace.ranks] == [1, 1]


def test_a_cut_order_ends_where_all_met() -> None:
    calls = ("MPI_Barrier",)
    rows = [(6, 0, 0, 0, -1, 0, 0, 0, 0)]
    trace = order(acts(0, *rows * 3, calls=calls), acts(1, *rows * 2, calls=calls), left_out=3)
    assert trace.is_cut
    assert [len(steps) for steps in trace.ranks] == [2, 2]


@pytest.fixture
def traced(mpi: Mpi, hockney: RunHockney, tmp_path: Path) -> Path:
    """A profile with the order of the calls of ordered_calls.c, without what it computed."""
    program = tmp_path / "ordered_calls"
    source = HERE / "ordered_calls.c"
    subprocess.run([mpi.mpicc, "-O1", "-w", "-o", program, source], check=True)
    command = mpi_command(mpi, RANKS, [str(program)])
    env = {"MPICC": str(mpi.mpicc), **family_of(mpi).environment(mpi)}
    hockney.ok("profile", "--trace", "-o", "p.jsonl", "--", *command, env=env)
    path = tmp_path / "p.jsonl"
    recorded = kinds.read(path)
    recorded.acts = [
        kinds.msgspec.structs.replace(rank_acts, before_ns=(0,) * len(rank_acts.what))
        for rank_acts in recorded.acts
    ]
    for rank_acts in recorded.acts:
        assert rank_acts.left_out == 0
    quiet = tmp_path / "quiet.jsonl"
    quiet.write_bytes(kinds.encode(recorded))
    return quiet


@pytest.mark.long
@pytest.mark.simgrid
def test_the_exported_trace_takes_as_long_as_the_program(
    traced: Path, hockney: RunHockney, tmp_path: Path
) -> None:
    """SimGrid's time of the trace is that of the program itself, simulated on the same platform."""
    hockney.ok("export", str(traced), "--to", "simgrid-trace", "-o", "ti.txt")
    (tmp_path / "cluster.xml").write_text(CLUSTER)
    (tmp_path / "hosts").write_text("".join(f"n{rank}\n" for rank in range(RANKS)))
    program = tmp_path / "simulated"
    subprocess.run(["smpicc", "-O1", "-w", "-o", program, HERE / "ordered_calls.c"], check=True)
    itself = simulated(tmp_path, str(program))
    replayed = simulated(tmp_path, "-replay", "ti.txt")
    assert replayed == pytest.approx(itself, rel=0.01)


CLUSTER = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="5us"/>
</platform>
"""


def simulated(directory: Path, *words: str) -> float:
    """Seconds of simulated time."""
    usual = ["-np", str(RANKS), "-platform", "cluster.xml", "-hostfile", "hosts"]
    settings = ("smpi/simulate-computation:no", "smpi/display-timing:yes", "smpi/wtime:0")
    command = ["smpirun", *usual, *(f"--cfg={setting}" for setting in settings), *words]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    match = re.search(r"[Ss]imulated time: ([\d.e+-]+) sec", done.stderr + done.stdout)
    assert match is not None, done.stdout + done.stderr
    return float(match[1])


def test_goal_has_as_many_sends_as_receives(
    traced: Path, hockney: RunHockney, tmp_path: Path
) -> None:
    assert hockney("export", str(traced), "--to", "goal", "-o", "p.goal").status == 0
    text = (tmp_path / "p.goal").read_text()
    assert text.startswith(f"num_ranks {RANKS}\n")
    sent, received = set(), set()
    rank = -1
    for line in text.splitlines():
        if line.startswith("rank "):
            rank = int(line.split()[1])
        if match := re.match(r"l\d+: (send|recv) (\d+)b (?:to|from) (\d+) tag (\d+)", line):
            word, bytes_, other, tag = match[1], *map(int, match.groups()[1:])
            if word == "send":
                sent.add((rank, other, bytes_, tag))
            else:
                received.add((other, rank, bytes_, tag))
    assert sent
    assert sent == received
    for block in text.split("rank ")[1:]:
        labels = set(re.findall(r"^l(\d+):", block, re.MULTILINE))
        required = {
            label for pair in re.findall(r"l(\d+) requires l(\d+)", block) for label in pair
        }
        assert required <= labels


def test_the_order_is_bounded_and_shown_as_missing(hockney: RunHockney, tmp_path: Path) -> None:
    done = hockney("export", "none.jsonl", "--to", "goal", "-o", "x.goal")
    assert done.status == 2
    without = profile()
    (tmp_path / "p.jsonl").write_bytes(kinds.encode(without))
    hockney.refused("export", "p.jsonl", "--to", "goal", "-o", "x.goal", because="--trace")
    assert hockney("show", "p.jsonl", "--json").json["calls"] == []
