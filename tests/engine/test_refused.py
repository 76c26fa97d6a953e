"""Options that an experiment or operation cannot honour are refused by their names, before MPI
starts."""

from __future__ import annotations

import subprocess

import pytest

from conftest import kept_short
from hockney.plan.engine_options import EVERY, ROWS
from hockney.plan.engine_rows import of_knobs
from hockney.plan.option_row import OptionKind, OptionRow
from hockney.run.mpis import Engine

OPERATION = {"collective": "allreduce", "congestion": "pingpong", "rma": "put"}
"""The second word of experiments that need one."""
BY_HAND = {
    **{"peers": "3,1", "trains": "1:0:0", "window": "8", "pairs-active": "1", "threads": "2"},
    **{"thread-comms": "own", "datatype": "vector:4:8:16", "receive-datatype": "vector:4:8:16"},
    **{"packing": "hand", "partitions": "2", "synchronization": "fence", "window-kind": "create"},
    **{"direction": "one-way", "element": "int32", "reduction": "sum", "schedules": "@file"},
    **{"grid": "2x2", "neighbors": "faces", "columns": "none", "arrival": "none", "skew-ns": "1"},
    **{"skew-times": "1", "fractions": "0,1", "loads": "incast:65536:8:0:0", "roles": "random:2"},
    "operation": "pingpong",
    **{"from": "1", "visits": "1", "arrangements": "1", "rounds": "1:2", "mode": "persistent"},
}
"""A value of each option that the engine reads by hand, or looks up."""
VALUE = {OptionKind.COUNT: "1", OptionKind.NUMBER: "1", OptionKind.TEXT: "x"}


def asked(row: OptionRow) -> str:
    """A row's option with a value."""
    if not row.metavar:
        return f"--{row.name}"
    word = row.metavar.partition("|")[0] if row.kind is OptionKind.WORD else VALUE.get(row.kind)
    return f"--{row.name}={BY_HAND.get(row.name, word)}"


COMMON = ("collective", "pairs", "pingpong")


def refusal_of(engine: Engine, *words: str) -> str:
    """The error of a single process, which no launcher started: MPI would count the ranks first."""
    done = subprocess.run(
        [engine.path, *words], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2, done.stderr
    assert '"reason":"failed"' in done.stdout
    return done.stderr.removeprefix("hockney-engine: ").strip()


@pytest.mark.parametrize("experiment", kept_short(sorted(EVERY), COMMON))
def test_an_option_of_other_experiments(engine: Engine, experiment: str) -> None:
    """Each that the rows do not give to this one."""
    words = [experiment, *([OPERATION[experiment]] if experiment in OPERATION else [])]
    others = [row for row in (*ROWS, *of_knobs()) if experiment not in row.experiments]
    if experiment == "rma":  # its operations are looked up with their mode before
        others = [row for row in others if row.name != "mode"]
    assert len(others) > 10
    for row in others:
        assert refusal_of(engine, *words, asked(row)) == f"{experiment} takes no --{row.name}"


@pytest.mark.parametrize(
    ("asked", "refusal"),
    [
        ("pingpong --trains=1:0:0", "pingpong takes no --trains"),
        ("collective bcast --arrival=random --skew-times=1001", "a skew is at most"),
        ("collective bcast --arrival=random --skew-ns=1.1e11", "a skew is at most"),
        ("pingpong --window=8", "pingpong takes no --window"),
        ("pingpong --operation=exchange --window=8", "exchange takes no --window"),
        ("pingpong --operation=stream --mode=synchronous", "stream takes no --mode"),
        ("pingpong --operation=exchange --mode=synchronous", "exchange takes no --mode"),
        ("pingpong --operation=late --trains=1:0:0 --verify", "late takes no --verify"),
        ("pingpong --operation=late --trains=1:0:0 --table", "late takes no --table"),
        ("pingpong --operation=stream --buffers=returned", "stream takes no --buffers returned"),
        (
            "pingpong --mode=persistent --buffers=cold",
            "persistent pingpong takes no --buffers cold",
        ),
        ("pairs --mode=persistent --buffers=cold", "persistent pingpong takes no --buffers cold"),
        ("pairs --operation=stream --buffers=returned", "stream takes no --buffers returned"),
        ("pairs --sync=barrier", "--sync barrier is for collectives only"),
        ("cores --sync=barrier", "--sync barrier is for collectives only"),
        ("collective bcast --buffers=returned", "bcast takes no --buffers returned"),
        ("collective alltoall --buffers=returned", "alltoall takes no --buffers returned"),
        ("collective barrier --verify --sizes=0", "barrier takes no --verify"),
        ("collective ibarrier --verify --sizes=0", "ibarrier takes no --verify"),
        ("collective allreduce --root=rotate", "allreduce takes no --root rotate"),
        ("collective alltoallv --root=rotate", "alltoallv takes no --root rotate"),
        ("collective barrier --root=rotate --sizes=0", "barrier takes no --root rotate"),
        ("collective bcast --overlap", "bcast takes no --overlap"),
        ("collective bcast --arrival=up", "--arrival up: unknown; there are none, ascending"),
        ("collective bcast --arrival=random", "--arrival needs one of --skew-ns and --skew-times"),
        ("collective bcast --arrival=none --skew-ns=5", "--arrival needs one of --skew-ns"),
        ("collective bcast --arrival=listed --skew-ns=5", "--arrival listed needs --fractions"),
        ("collective bcast --arrival=random --skew-ns=5 --verify", "--arrival takes no --sync"),
        ("collective bcast --verify --sync=barrier", "--verify needs --sync clock"),
        ("pingpong --verify --buffers=returned", "--verify needs --buffers separate or cold"),
        ("pairs --verify --buffers=returned", "--verify needs --buffers separate or cold"),
        ("pingpong --sizes=8@10", "--sizes 8@10: counts need --sweep"),
        ("overheads --trains=1:0:0 --sizes=8@10", "--sizes 8@10: counts need --sweep"),
        ("collective bcast --sizes=8@10", "--sizes 8@10: counts need --sweep"),
        ("pairs --sizes=8@2147483648", "8@2147483648: a number that is too large"),
        ("pingpong --sweep --sizes=8@10,16", "--sweep needs counts"),
        ("pingpong --seconds-a-size=1", "--seconds-a-size needs --sweep"),
        ("pingpong --tails --sweep --sizes=8@10", "--tails takes no --sweep"),
        ("congestion", "name one victim"),
        ("congestion juggling", "juggling: no such operation"),
        ("congestion pingpong", "congestion needs --loads"),
        ("congestion pingpong --loads=ring:8:1:0:0", "congestion needs --roles"),
        ("congestion pingpong --loads=knot:8:1:0:0", "--loads knot:8:1:0:0: expected"),
        ("congestion pingpong --loads=ring:0:1:0:0", "--loads ring:0:1:0:0: expected"),
        ("congestion pingpong --loads=ring:8:0:0:0", "--loads ring:8:0:0:0: expected"),
        ("congestion pingpong --loads=ring:8:1:5:0", "--loads ring:8:1:5:0: expected"),
        ("congestion pingpong --loads=ring:8:1:0:0,", "--loads : expected"),
        ("congestion pingpong --roles=random", "--roles random: expected"),
        ("congestion pingpong --roles=blocks:1", "--roles blocks:1: expected"),
        (
            "congestion stream --window=1,2 --loads=ring:8:1:0:0 --roles=random:2",
            "congestion takes one --window",
        ),
    ],
)
def test_an_option_of_other_operations(engine: Engine, asked: str, refusal: str) -> None:
    assert refusal_of(engine, *asked.split()).startswith(refusal)
