"""The mix of a profile: replayed on a simulated machine whose times are known, and predicted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from profile_samples import PROGRAM, calls, pingpong, profile, rank, written

from conftest import RunHockney
from hockney.base.errors import UsageError
from hockney.profiling.kinds import Profile
from hockney.profiling.mix import Item, mix_of
from hockney.run.measure.replay import words_of
from platforms import two_hosts

RECORDED = Path(__file__).parents[1] / "recorded"
LATENCY_S, BANDWIDTH_BPS, ENVELOPE_BYTES = 10e-6, 1e9, 16
EXACT = [
    word
    for setting in ("network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0")
    for word in ("--cfg", setting)
]


def message_s(bytes_: int) -> float:
    return LATENCY_S + (bytes_ + ENVELOPE_BYTES) / BANDWIDTH_BPS


def test_items_are_what_was_sent_and_what_all_took_part_in() -> None:
    mix = mix_of(
        profile(
            *pingpong(100, 8),
            calls(0, "MPI_Isend", 50, 16, peer=1),
            calls(1, "MPI_Irecv", 50, 16, peer=0),
            *(calls(r, "MPI_Ibcast", 7, 1024, peer=1) for r in (0, 1)),
            *(calls(r, "MPI_Alltoallv", 3, 80) for r in (0, 1)),
            *(calls(r, "MPI_Start", 9, 8, started="MPI_Allreduce_init") for r in (0, 1)),
            *(calls(r, "MPI_Comm_split", 1, time_s=0.5) for r in (0, 1)),
        )
    )
    assert set(mix.items) == {
        Item("message", 8, 100, (0, 1)),
        Item("message", 8, 100, (1, 0)),
        Item("message", 16, 50, (0, 1), is_blocking=False),
        Item("bcast", 1024, 7, (0, 1), root=1),
        Item("alltoall", 40, 3, (0, 1)),
        Item("allreduce", 8, 9, (0, 1)),
    }
    assert mix.turns == 100
    assert mix.left_out_s == pytest.approx(1.0)
    done = [item for turn in range(mix.turns) for item in mix.turn(turn)]
    assert {item: done.count(item) for item in mix.items} == {
        item: item.count for item in mix.items
    }


def test_the_time_of_what_cannot_be_replayed_is_left_out() -> None:
    """Of each rank: a collective whose other ranks are not known, one of an unknown group, messages
    to another MPI_COMM_WORLD and from it, and what completed a nonblocking operation of these."""
    left_out = [
        call
        for r in (0, 1)
        for call in (
            calls(r, "MPI_Allreduce", 9, 8, time_s=1.0, communicator_size=3, members="77"),
            calls(r, "MPI_Alltoall", 9, 8, time_s=2.0, communicator_size=None, members=None),
            calls(r, "MPI_Ibcast", 9, 8, time_s=0.0, completion_s=4.0, members=None),
            calls(r, "MPI_Send", 9, 8, time_s=8.0),
            calls(r, "MPI_Send", 9, 8, time_s=16.0, peer=2),
            calls(r, "MPI_Irecv", 9, 8, time_s=32.0),
        )
    ]
    waits = [calls(r, "MPI_Wait", 9, datatype=None, time_s=4.0) for r in (0, 1)]
    to_nobody = [calls(r, "MPI_Send", 9, datatype=None, time_s=0.25) for r in (0, 1)]
    mix = mix_of(profile(*pingpong(10, 8), *left_out, *waits, *to_nobody))
    assert {item.operation for item in mix.items} == {"message"}
    assert mix.left_out_s == pytest.approx(2 * 63.0)
    assert mix.time_s == pytest.approx(4 * 0.1 + 2 * 0.25)


def test_the_collective_that_one_rank_alone_called_is_left_out() -> None:
    uneven = [calls(r, "MPI_Barrier", 1 + r, time_s=1.0 + r) for r in (0, 1)]
    mix = mix_of(profile(*pingpong(10, 8), *uneven))
    assert [item.count for item in mix.items if item.operation == "barrier"] == [1]
    assert mix.left_out_s == pytest.approx(1.0)


def test_half_of_the_turns_has_half_of_the_rare_items() -> None:
    often = pingpong(40, 8)
    mix = mix_of(profile(*often, *(calls(0, "MPI_Send", 1, 100 + n, peer=1) for n in range(100))))
    rare = [item for turn in range(20) for item in mix.turn(turn) if item.count == 1]
    assert 45 <= len(rare) <= 55


def test_both_directions_of_an_exchange_take_the_same_turns() -> None:
    """MPI_Sendrecv sends both ways at once; a row of smaller messages must not part them."""
    both = [calls(r, "MPI_Sendrecv", 7, 2_000_000, peer=1 - r) for r in (0, 1)]
    mix = mix_of(profile(*pingpong(40, 8), *both))
    turns = [[item.ranks for item in mix.turn(n) if item.bytes > 8] for n in range(40)]
    assert [turn for turn in turns if turn] == 7 * [[(0, 1), (1, 0)]]


def test_messages_take_turns_of_as_many_buffers_as_in_the_program() -> None:
    """The number of buffers decides what lies in caches."""
    mix = mix_of(
        profile(
            calls(0, "MPI_Send", 10, 8, peer=1, buffers=3),
            calls(1, "MPI_Irecv", 10, 8, peer=0, buffers=2),
            *(calls(r, "MPI_Sendrecv", 5, 64, peer=1 - r, buffers=4) for r in (0, 1)),
            calls(0, "MPI_Send", 1, 16, peer=1),
        )
    )
    assert {(item.bytes, item.ranks): item.buffers for item in mix.items} == {
        (8, (0, 1)): (3, 2),
        (64, (0, 1)): (4, 4),
        (64, (1, 0)): (4, 4),
        (16, (0, 1)): (1, 1),
    }
    assert words_of(mix, 10, 1, None).splitlines()[3].endswith(" 3 2 2 0 1")
    assert words_of(mix, 10, 1, None, has_caches=False).splitlines()[3].endswith(" 0 0 2 0 1")


def cluster(latency: str, bandwidth: str) -> str:
    """SimGrid's XML of four hosts, each with one link to a switch."""
    return (
        "<?xml version='1.0'?>\n"
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        f'<platform version="4.1"><cluster id="c" prefix="n" radical="0-3" suffix="" speed="1Gf" '
        f'bw="{bandwidth}" lat="{latency}" sharing_policy="SPLITDUPLEX"/></platform>\n'
    )


@pytest.mark.simgrid
@pytest.mark.long
@pytest.mark.parametrize(
    ("latency", "bandwidth"), [("1us", "10GBps"), ("10us", "1GBps"), ("0.5us", "25GBps")]
)
def test_the_prediction_is_within_a_tenth_of_the_replay(
    hockney: RunHockney, tmp_path: Path, latency: str, bandwidth: str
) -> None:
    """Messages of four ranks at once, some of them rare, and collectives among them."""
    of_all = {"communicator_size": 4}
    made = [calls(r, "MPI_Allreduce", 50, 8, **of_all) for r in range(4)]
    for r in range(4):
        for to in {(r + 1) % 4, (r + 2) % 4}:
            made += [
                calls(r, "MPI_Isend", 400, 4096, peer=to, **of_all),
                calls(r, "MPI_Send", 300, 7000, peer=to, **of_all),
                calls(r, "MPI_Send", 20, 8 + to, peer=to, **of_all),
                calls(r, "MPI_Isend", 3, 1_000_000, peer=to, **of_all),
            ]
    written(tmp_path / "p.jsonl", profile(*made, ranks=4))
    platform = tmp_path / "platform.xml"
    platform.write_text(cluster(latency, bandwidth))
    # As real libraries do, small messages are sent whether they are expected or not.
    where = ("--platform", str(platform), "--cfg", "smpi/async-small-thresh:65536")
    sizes = ("--sizes", "0,8,4096,7000,32768,65536,1000000,4MiB")
    assert hockney("pingpong", *sizes, *where, "-q", "-o", "m.jsonl").status == 0
    of_it = ("allreduce", "-n", "4", "--sizes", "8")
    assert hockney("collective", *of_it, *where, "-q", "-o", "c.jsonl").status == 0
    replayed = hockney.ok("replay", "p.jsonl", *where, "--json").json["seconds"]
    on = ("--on", "m.jsonl", "--on", "c.jsonl")
    done = hockney("predict", "--profile", "p.jsonl", *on, "--json")
    assert done.json["seconds"] == pytest.approx(replayed, rel=0.1)


@pytest.mark.simgrid
@pytest.mark.long
def test_replay_and_prediction_take_the_time_of_the_messages(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """1000 messages of 8 B and back; and 250 of 64 KiB both ways at once, which share the wire."""
    exchanges = [
        calls(r, f"MPI_{name}", 250, 65536, peer=1 - r)
        for r in (0, 1)
        for name in ("Isend", "Irecv")
    ]
    written(tmp_path / "there.jsonl", profile(*pingpong(1000, 8)))
    written(tmp_path / "both.jsonl", profile(*exchanges))
    platform = tmp_path / "platform.xml"
    platform.write_text(two_hosts(LATENCY_S, BANDWIDTH_BPS))
    where = ("--platform", str(platform), *EXACT)
    assert hockney("pingpong", *where, "-q", "-o", "m.jsonl").status == 0

    def replayed(name: str) -> float:
        done = hockney.ok("replay", name, *where, "--json")
        return float(done.json["seconds"])

    def predicted(name: str) -> tuple[float, float]:
        shown = hockney("predict", "--profile", name, "--on", "m.jsonl", "--json").json
        return shown["seconds"], shown["more_latency"]["seconds"]

    assert replayed("there.jsonl") == pytest.approx(2000 * message_s(8), rel=0.01)
    seconds, more = predicted("there.jsonl")
    assert seconds == pytest.approx(2000 * message_s(8), rel=0.01)
    assert more - seconds == pytest.approx(2000e-6, rel=0.01)
    one_way = 250 * message_s(65536)
    assert one_way < replayed("both.jsonl") < 2.1 * one_way
    seconds, more = predicted("both.jsonl")
    assert seconds == pytest.approx(one_way, rel=0.01)
    assert more - seconds == pytest.approx(250e-6, rel=0.01)


@pytest.mark.simgrid
@pytest.mark.long
def test_a_root_leaves_its_broadcasts_before_the_others(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """Collectives alone: roots of some come early or late to those in which all depend on all.
    With all ranks leaving at the end of each, the prediction was 28 % too long."""
    made = [("Bcast", 4, 48), ("Bcast", 4096, 30), ("Reduce", 8, 60), ("Allreduce", 8, 60)]
    made += [("Barrier", 0, 20), ("Alltoall", 512, 20), ("Reduce", 4096, 20)]
    of_all = [
        calls(r, f"MPI_{name}", count, bytes_, communicator_size=4,
              peer=place % 4 if name in ("Bcast", "Reduce") else None)
        for place, (name, bytes_, count) in enumerate(made)
        for r in range(4)
    ]  # fmt: skip
    written(tmp_path / "p.jsonl", profile(*of_all, ranks=4))
    (tmp_path / "platform.xml").write_text(cluster("10us", "1GBps"))
    where = ("--platform", "platform.xml", "--cfg", "smpi/async-small-thresh:65536")
    assert (
        hockney("pingpong", *where, "--sizes", "0,8,4096,64KiB", "-q", "-o", "m.jsonl").status == 0
    )
    on = ["--on", "m.jsonl"]
    for name in sorted({name.lower() for name, _, _ in made}):
        sizes = () if name == "barrier" else ("--sizes", "4,8,512,4096")
        of_it = ("collective", name, "-n", "4", *sizes, *where, "-q", "-o", f"{name}.jsonl")
        assert hockney(*of_it).status == 0
        on += ["--on", f"{name}.jsonl"]
    replayed = hockney("replay", "p.jsonl", *where, "--json").json["seconds"]
    predicted = hockney("predict", "--profile", "p.jsonl", *on, "--json").json
    assert predicted["collectives"] == "measured"
    assert predicted["seconds"] == pytest.approx(replayed, rel=0.1)


@pytest.mark.simgrid
@pytest.mark.long
@pytest.mark.parametrize("name", ["gather", "scatter"])
def test_rows_of_small_collectives_of_one_root_are_predicted(
    hockney: RunHockney, tmp_path: Path, name: str
) -> None:
    """The root sends or receives for all, and the others do not wait: a single one takes as long as
    hundreds, until the root's link is full. In the replay, all ranks begin at one moment; they left
    a barrier one after the other, which took as long."""
    (tmp_path / "platform.xml").write_text(cluster("10us", "1GBps"))
    where = ("--platform", "platform.xml", "--cfg", "smpi/async-small-thresh:65536")
    sizes = ("--sizes", "0,8,4096,64KiB")
    assert hockney("pingpong", *where, *sizes, "-q", "-o", "m.jsonl").status == 0
    of_it = ("collective", name, "-n", "4", "--sizes", "8", *where, "-q", "-o", "c.jsonl")
    assert hockney(*of_it).status == 0
    for count in (1, 100, 1000):
        call = f"MPI_{name.capitalize()}"
        of_all = [calls(r, call, count, 8, communicator_size=4, peer=0) for r in range(4)]
        written(tmp_path / "p.jsonl", profile(*of_all, ranks=4))
        replayed = hockney("replay", "p.jsonl", *where, "--json").json["seconds"]
        on = ("--on", "m.jsonl", "--on", "c.jsonl")
        done = hockney("predict", "--profile", "p.jsonl", *on, "--json")
        assert done.json["seconds"] == pytest.approx(replayed, rel=0.1), count


@pytest.mark.simgrid
def test_measured_collectives_are_preferred(hockney: RunHockney, tmp_path: Path) -> None:
    of_both = [calls(r, "MPI_Allreduce", 200, 1024) for r in (0, 1)]
    written(tmp_path / "p.jsonl", profile(*of_both))
    platform = tmp_path / "platform.xml"
    platform.write_text(two_hosts(LATENCY_S, BANDWIDTH_BPS))
    where = ("--platform", str(platform), *EXACT)
    assert hockney("pingpong", *where, "-q", "-o", "m.jsonl").status == 0
    of_it = ("allreduce", "-n", "2", "--sizes", "1KiB")
    assert hockney("collective", *of_it, *where, "-q", "-o", "c.jsonl").status == 0
    replayed = hockney("replay", "p.jsonl", *where, "--json").json["seconds"]
    predicted = hockney(
        *("predict", "--profile", "p.jsonl", "--on", "m.jsonl", "--on", "c.jsonl", "--json")
    ).json
    assert predicted["collectives"] == "measured"
    assert predicted["seconds"] == pytest.approx(replayed, rel=0.1)


def test_a_replay_under_a_real_mpi(hockney: RunHockney, tmp_path: Path) -> None:
    every = [
        calls(r, f"MPI_{name}", 20, 64)
        for r in (0, 1)
        for name in (
            *("Barrier", "Bcast", "Scatter", "Gather", "Reduce", "Allreduce", "Allgather"),
            *("Alltoall", "Reduce_scatter_block", "Scan", "Exscan"),
        )
    ]
    # More buffers than the replayer has room for; it takes fewer.
    both = [calls(r, "MPI_Sendrecv", 5, 100_000, peer=1 - r, buffers=2000) for r in (0, 1)]
    written(tmp_path / "p.jsonl", profile(*pingpong(50, 100_000), *every, *both))
    shown = hockney.ok("replay", "p.jsonl", "--launches", "2", "--delays", "--json").json
    assert len(shown["launches"]) == 2
    assert all(seconds > 0.0 for seconds in shown["launches"])


def test_times_of_one_buffer_are_called_too_short_for_several(
    hockney: RunHockney, tmp_path: Path
) -> None:
    both_ways = [calls(r, "MPI_Sendrecv", 500, 65536, peer=1 - r, buffers=4) for r in (0, 1)]
    written(tmp_path / "p.jsonl", profile(*both_ways))
    words = "measure --on with pingpong --buffers separate"
    for buffers, is_said in (("returned", True), ("separate", False)):
        options = ("--sizes", "8,65536", "--budget", "300ms", "--buffers", buffers)
        assert hockney("pingpong", *options, "-q", "--force", "-o", "m.jsonl").status == 0
        on = ("predict", "--profile", "p.jsonl", "--on", "m.jsonl")
        shown, as_json = hockney(*on), hockney(*on, "--json")
        assert (words in shown.stderr) == is_said
        assert (words in "".join(json.loads(as_json.stdout)["warnings"])) == is_said


def test_messages_of_two_libraries_are_not_mixed(hockney: RunHockney, tmp_path: Path) -> None:
    written(tmp_path / "p.jsonl", profile(*pingpong(10, 8)))
    both = [f"--on={RECORDED}/pingpong-{name}.jsonl.zst" for name in ("openmpi", "mpich")]
    done = hockney("predict", "--profile", "p.jsonl", *both)
    assert (done.status, "twice" in done.stderr) == (2, True), done.stderr
    assert hockney("predict", "--profile", "p.jsonl", both[0]).status == 0


def test_programs_after_the_first_are_not_left_out_in_silence(
    hockney: RunHockney, tmp_path: Path
) -> None:
    one = profile(*pingpong(10, 8))
    also = [replace(rank(number, 3), job=1) for number in range(3)]
    written(tmp_path / "p.jsonl", Profile(PROGRAM, [*one.ranks, *also], one.calls))
    on = ("predict", "--profile", "p.jsonl", "--on", f"{RECORDED}/pingpong-openmpi.jsonl.zst")
    words = "the profile has 2 MPI_COMM_WORLDs: this is the first alone, of 2 ranks"
    assert words in hockney(*on).stderr
    assert hockney(*on, "--json").json["warnings"] == [words]
    hockney.ok("plot", "--what", "traffic", "p.jsonl", "-o", "traffic.svg")
    assert "2 MPI_COMM_WORLDs" in (tmp_path / "traffic.svg").read_text()
    assert one.first_alone is None


def test_what_cannot_be_replayed_is_refused(hockney: RunHockney, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no messages between ranks"):
        mix_of(profile(calls(0, "MPI_Put", 10, 8, peer=1)))
    with pytest.raises(UsageError, match="1 of 2 ranks left no record"):
        mix_of(Profile(PROGRAM, [rank(0)], pingpong(1, 8)))
    written(tmp_path / "p.jsonl", profile(*pingpong(1, 8)))
    assert hockney("predict", "--profile", "p.jsonl").status == 2
    assert hockney("predict").status == 2
    done = hockney("predict", "--profile", "p.jsonl", "--on", "p.jsonl")
    assert (done.status, "Traceback" in done.stderr) == (2, False)


@pytest.mark.simgrid
def test_ranks_compute_in_simulated_time(hockney: RunHockney, tmp_path: Path) -> None:
    """Each rank has 0.8 s outside MPI; a clock that it looked at would make minutes of it."""
    written(tmp_path / "p.jsonl", profile(*pingpong(10, 8)))
    words = ("replay", "p.jsonl", "--platform", "cluster:2", "--delays", "-q")
    done = hockney.ok(*words, "--json", "-o", "r.jsonl")
    assert done.json["seconds"] == pytest.approx(0.8, rel=1e-3)
    shown = hockney("show", "r.jsonl").stdout
    assert shown.startswith("the whole mix takes 800")
    assert "ranks at" not in shown
    assert "one-way" not in shown + hockney("show", "r.jsonl", "--explain").stdout


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--cfg", "network/model:CM02"), "--cfg is a setting of the simulator"),
        (("--platform", "cluster:2", "--hosts", "a,b"), "--hosts applies to this machine"),
        (("--hosts=-x",), "'-x' is not a host name"),
    ],
)
def test_options_of_the_other_kind_of_machine_are_refused(
    hockney: RunHockney, tmp_path: Path, options: tuple[str, ...], complaint: str
) -> None:
    written(tmp_path / "p.jsonl", profile(*pingpong(10, 8)))
    done = hockney("replay", "p.jsonl", *options, "-o", "r.jsonl")
    assert (done.status, complaint in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "r.jsonl").exists()


def test_settings_of_a_simulator_need_one(hockney: RunHockney) -> None:
    done = hockney("pingpong", "--cfg", "network/model:CM02", "-n", "2")
    assert (done.status, "nothing is simulated" in done.stderr) == (2, True), done.stderr
