"""GOAL becomes a profile with an order: for predict and replay, and back."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from conftest import RunHockney
from hockney.base.errors import UsageError
from hockney.foreign.programs import profile_in
from hockney.foreign.programs.goal import write_order
from hockney.profiling.kinds import Profile
from hockney.profiling.mix import mix_of
from hockney.profiling.order import order_of
from hockney.run.measure.replay import Replayed

GOAL = """\
num_ranks 2

// made up
rank 0 {
l1: calc 1000
l2: send 1024b to 1 tag 7 cpu 0 nic 0
l2 requires l1
l3: recv 2048b from 1 tag 8 cpu 0
l4: calc 5000 cpu 0
l4 requires l2
l5: calc 100
l5 requires l3
l6: send 8b to 1 tag 4294967295
l6 requires l5
l6 irequires l4
}
rank 1 {
l1: recv 1024b from 0 tag 7
l2: send 2048b to 0 tag 8
l2 requires l1
l3: recv 8b from 0 tag 4294967295
}
"""
TIMES = "bytes,time (us)\n8,1\n1024,1.5\n2048,2\n65536,10\n"


def read(tmp_path: Path, text: str = GOAL) -> tuple[Profile, list[str]]:
    path = tmp_path / "a.goal"
    path.write_text(text)
    profile_and_notes = profile_in(path)
    assert profile_and_notes is not None
    return profile_and_notes


def test_messages_are_counted_by_sender_receiver_and_size(tmp_path: Path) -> None:
    profile, notes = read(tmp_path)
    items = {(message.ranks, message.bytes, message.count) for message in mix_of(profile).items}
    assert items == {((0, 1), 1024, 1), ((1, 0), 2048, 1), ((0, 1), 8, 1)}
    assert notes == []


def test_operations_wait_for_what_they_require(tmp_path: Path) -> None:
    """Rank 0 computes 5 us beside its receive, and sends when both have ended."""
    order = order_of(read(tmp_path)[0])
    assert order.left_out == 0
    assert [(call.what, round(call.before_s * 1e9)) for call in order.ranks[0]] == [
        (3, 1000),
        (4, 0),
        (5, 0),
        (5, 5000),
        (1, 100),
    ]


def test_what_is_exported_is_read_back(tmp_path: Path) -> None:
    order = order_of(read(tmp_path)[0])
    [(_, text)] = write_order(order, "b.goal")
    again = order_of(read(tmp_path, text)[0])
    assert (again.steps, again.left_out) == (order.steps, 0)
    [(_, second)] = write_order(again, "b.goal")
    assert second == text


def test_a_trace_is_predicted(hockney: RunHockney, tmp_path: Path) -> None:
    """1 us, a message of 1.5 us and its answer of 2 us; 5 us beside them; 0.1 us, and 1 us."""
    (tmp_path / "a.goal.gz").write_bytes(gzip.compress(GOAL.encode()))
    (tmp_path / "on.csv").write_text(TIMES)
    done = hockney("import", "a.goal.gz")
    assert done.stdout == (
        "a-profile.jsonl: profile of 2 ranks, 3 messages; for predict and replay\n"
    )
    hockney("import", "on.csv", "--operation", "pingpong", "-o", "on.jsonl")
    shown = hockney("predict", "--profile", "a-profile.jsonl", "--on", "on.jsonl").stdout
    _, _, ordered = shown.partition("the run, in the order")
    assert "of that computing       6.1 us" in ordered
    assert "messages in a row       1" in ordered


@pytest.mark.parametrize("more", ["b.goal", "on.csv"])
def test_one_file_does_not_take_two(hockney: RunHockney, tmp_path: Path, more: str) -> None:
    for name in ("a.goal", "b.goal"):
        (tmp_path / name).write_text(GOAL)
    (tmp_path / "on.csv").write_text(TIMES)
    for force in ([], ["--force"]):
        done = hockney("import", "a.goal", more, "-o", "p.jsonl", *force)
        assert (done.status, "there are 2 experiments" in done.stderr) == (2, True)
        assert not (tmp_path / "p.jsonl").exists()


def test_programs_of_the_same_name_are_numbered(hockney: RunHockney, tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.goal").write_text(GOAL)
    (tmp_path / "a-profile-2.jsonl").write_text("mine")
    done = hockney("import", "x/a.goal", "y/a.goal")
    assert (done.status, "a-profile-2.jsonl exists" in done.stderr) == (2, True)
    assert not (tmp_path / "a-profile.jsonl").exists()
    assert hockney("import", "x/a.goal", "y/a.goal", "--force").status == 0
    assert (tmp_path / "a-profile.jsonl").read_text() == (
        tmp_path / "a-profile-2.jsonl"
    ).read_text()


@pytest.mark.parametrize("words", [("--label", "x"), ("--join",), ("--bytes", "8")])
def test_options_of_logs_are_not_dropped(
    hockney: RunHockney, tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "a.goal").write_text(GOAL)
    done = hockney("import", "a.goal", *words)
    assert (done.status, f"{words[0]} has no effect on programs" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("l5 requires l3", "l5 requires l9", "line 12: no operation above is called l9"),
        ("to 1 tag 7", "to 2 tag 7", "rank 0: no rank 2"),
        ("l3: recv 8b", "l3: get 8b", "line 21: not GOAL: l3: get 8b"),
        ("l4: calc 5000", "l3: calc 5000", "line 9: another operation of rank 0 is called l3"),
        ("rank 1 {", "rank 0 {", "line 17: rank 0 is given twice"),
        ("rank 1 {", "rank 4 {", "line 17: rank 4 is not below num_ranks, 2"),
        (
            "l2 requires l1\nl3: recv 2",
            "l2 requires l1\nl1 requires l2\nl3: recv 2",
            "wait in a ring",
        ),
        ("tag 4294967295\n}\n", "tag 4294967295\n", "rank 1 ends early, without }"),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    text = new.join(GOAL.rsplit(old, 1)) if old.endswith("}\n") else GOAL.replace(old, new)
    with pytest.raises(UsageError) as raised:
        read(tmp_path, text)
    assert words in str(raised.value)


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    text = GOAL.replace("l3: recv 8b from 0 tag 4294967295\n", "l4: calc 70 cpu 2\nl5: calc 9\n")
    notes = read(tmp_path, text)[1]
    assert notes == [
        "calculations on several CPUs of a rank follow each other here",
        "1 message has no other end: left out of the order of calls",
    ]
    assert read(tmp_path, GOAL.partition("rank 1")[0])[1][0] == "without operations: 1 of 2 ranks"
    late = GOAL.replace("l6 irequires l4\n", "l6 irequires l4\nl7: calc 5\nl7 requires l6\n")
    assert read(tmp_path, late)[1] == ["what ranks compute after their last message is left out"]


def test_other_files_are_no_goal(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("# OSU MPI Latency Test v7.4\n# Size  Latency (us)\n8  1.75\n")
    assert profile_in(path) is None
    assert profile_in(tmp_path / "absent") is None


def test_what_a_schedule_does_not_hold_is_unknown(hockney: RunHockney, tmp_path: Path) -> None:
    """No time in MPI, no wall time, no nodes: none of them is 0."""
    (tmp_path / "a.goal").write_text(GOAL)
    (tmp_path / "on.csv").write_text(TIMES)
    hockney("import", "a.goal")
    hockney("import", "on.csv", "--operation", "pingpong", "-o", "on.jsonl")
    shown = hockney("show", "a-profile.jsonl").stdout
    assert shown.startswith("a.goal, 2 ranks: GOAL, which holds no times in MPI and no nodes\n")
    assert "wall" not in shown
    assert "node " not in shown
    content = json.loads(hockney("show", "a-profile.jsonl", "--json").stdout)
    assert content["program"]["source"] == "GOAL"
    assert content["time_s"] is content["fraction"] is content["program"]["wall_s"] is None
    assert {call["spent_s"] for call in content["calls"]} == {None}
    predicted = hockney("predict", "--profile", "a-profile.jsonl", "--on", "on.jsonl").stdout
    assert predicted.count("in the profile          -  (it holds no times in MPI)") == 2
    assert "- of the time in MPI" not in predicted


def test_ranks_compute_in_a_replay_as_long_as_in_the_schedule(
    hockney: RunHockney, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed = []

    def replayed(*arguments: object) -> Replayed:
        computed.append(arguments[4])
        return Replayed([1e-3], 1.0)

    monkeypatch.setattr("hockney.run.measure.replay.replay", replayed)
    (tmp_path / "a.goal").write_text(GOAL)
    hockney("import", "a.goal")
    done = hockney("replay", "a-profile.jsonl", "--delays", "--oversubscribe")
    assert done.status == 0, done.stderr
    assert computed == [pytest.approx([6.1e-6, 0.0])]


def test_an_order_in_which_ranks_wait_for_each_other_names_them(
    hockney: RunHockney, tmp_path: Path
) -> None:
    waits = "l1: recv 8b from {0}\nl2: send 8b to {0}\nl2 requires l1\n"
    ranks = [f"rank {rank} {{\n{waits.format(1 - rank)}}}\n" for rank in (0, 1)]
    (tmp_path / "a.goal").write_text("num_ranks 2\n" + "".join(ranks))
    (tmp_path / "on.csv").write_text(TIMES)
    hockney("import", "a.goal")
    hockney("import", "on.csv", "--operation", "pingpong", "-o", "on.jsonl")
    done = hockney("predict", "--profile", "a-profile.jsonl", "--on", "on.jsonl")
    assert done.status == 2
    assert "rank 0 waits for a message from rank 1 (call 1); rank 1 waits" in done.stderr
