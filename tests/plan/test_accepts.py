"""Options that an operation cannot honour are refused with exit status 2 before MPI starts."""

from __future__ import annotations

import click
import pytest
from msgspec.structs import replace

from conftest import RunHockney
from hockney.base.errors import UsageError
from hockney.cli import cli
from hockney.cli._options import HOW_MUCH, REST
from hockney.cli._verb import MeasuringVerb
from hockney.plan import sizes_of
from hockney.plan.accepts import check_accepted
from hockney.plan.knobs import option_of
from hockney.plan.workloads import WORKLOADS, Workload, workload_type
from hockney.plan.workloads.collective import Collective
from hockney.plan.workloads.pairs import Pairs
from hockney.plan.workloads.pingpong import Pingpong

EIGHT = sizes_of([8])
MADE = {
    "pingpong": {"keep_clock_cost", "sweep", "seconds_a_size", "reduce"},  # by --preset
    "overheads": {"trains"},  # by what was measured before
    "fabric": {"chosen"},  # likewise
    "collective": {"collective"},  # an argument
    "rma": {"operation"},
}
"""Fields that no option sets."""


def pairs(**fields: object) -> Pairs:
    return Pairs(sizes=EIGHT, pairing=((0, 1),), active=(1,), **fields)  # type: ignore[arg-type]


def collective(name: str, **fields: object) -> Collective:
    sizes = sizes_of([0]) if "barrier" in name else EIGHT
    return Collective(sizes=sizes, collective=name, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("workload", "complaint"),
    [
        (pairs(operation="exchange", mode="synchronous"), "exchange does not take --mode"),
        (pairs(operation="stream", buffers="returned"), "stream does not take --buffers returned"),
        (pairs(windows=(8,)), "pingpong does not take --window"),
        (pairs(mode="persistent", buffers="cold"), "--mode persistent"),
        (pairs(operation="telepathy"), "no operation 'telepathy'"),
        (collective("alltoall", root="rotate"), "alltoall does not take --root"),
        (collective("reduce_local", form="persistent"), "reduce_local does not take --form"),
        (collective("bcast", buffers="returned"), "bcast does not take --buffers returned"),
        (collective("barrier", verify=True), "barrier does not take --verify"),
        (Collective(sizes=EIGHT, collective="barrier"), "barrier sends no message"),
    ],
)
def test_what_an_operation_has_no_use_for_is_refused(workload: Workload, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        check_accepted(workload)


@pytest.mark.parametrize(
    "workload",
    [
        pairs(operation="stream", windows=(8,), buffers="cold"),
        pairs(mode="persistent", buffers="separate"),
        collective("ibcast", root="rotate", overlap=True),
        collective("barrier"),
    ],
)
def test_what_it_has_a_use_for_is_not(workload: Workload) -> None:
    check_accepted(workload)


@pytest.mark.parametrize(
    ("workload", "complaint"),
    [
        (collective("bcast", overlap=True), "bcast does not take --overlap: its calls block"),
        (collective("bcast", form="persistent", root="rotate"), "keeps its root"),
        (collective("bcast", form="persistent", buffers="cold"), "one buffer"),
        (collective("bcast", form="put-fence", buffers="cold"), "one buffer"),
        (collective("bcast", form="get-flush", overlap=True), "its origins wait"),
        (collective("bcast", form="put-flush", threads=(2,)), "--threads does not work with"),
        (collective("ibcast", threads=(2,), overlap=True), "--threads does not work with"),
        (collective("bcast", threads=(2048,)), "1 to 1024 threads"),
        (replace(collective("alltoallw"), sizes=sizes_of([2**30])), "displacements as bytes"),
    ],
)
def test_what_a_collective_cannot_do_is_refused(workload: Workload, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        workload.check(2)


def test_a_pattern_of_its_own_is_not_overwritten() -> None:
    with pytest.raises(UsageError, match="--buffers returned overwrites"):
        Pingpong(sizes=EIGHT, verify=True, buffers="returned").check(2)


def test_the_table_names_fields_that_there_are() -> None:
    for experiment in WORKLOADS.names():
        kind = workload_type(experiment)
        rows = kind.rows()
        assert rows
        for row in rows.values():
            assert row.fields is None or row.fields <= set(kind.__struct_fields__)


@pytest.mark.parametrize("experiment", sorted(set(WORKLOADS.names()) - {"late"}))
def test_verbs_have_an_option_for_each_field_and_no_other(experiment: str) -> None:
    verb = cli.get_command(click.Context(cli), experiment)
    assert isinstance(verb, MeasuringVerb)
    offered = {name for param in verb.params for name in param.opts}
    kind = workload_type(experiment)
    wanted = {
        option_of(field) for field in set(kind.__struct_fields__) - MADE.get(experiment, set())
    }
    assert wanted <= offered
    assert len(verb.params) > len((*HOW_MUCH, *REST))


@pytest.mark.parametrize(
    "command",
    [
        "pairs --operation exchange --mode synchronous",
        "pairs --operation stream --buffers returned",
        "pairs --window 8",
        "pairs --msgs-per-sample 10",
        "cores --floor",
        "overheads --sizes 8",
        "collective alltoall --root rotate",
        "collective bcast --overlap",
        "collective bcast --form blocking --overlap",
        "collective bcast --form telepathic",
        "collective bcast --form persistent --algorithm all",
        "collective bcast --form persistent --root rotate",
        "collective bcast --form persistent --buffers cold",
        "collective reduce_local --form nonblocking",
        "collective reduce --form put-fence",
        "collective bcast --form put-fence --algorithm all",
        "collective bcast --threads 0",
        "collective bcast --threads 2,x",
        "collective bcast --threads 2 --platform cluster:2 -n 2",
        "collective bcast --groups 2 -n 2",
        "collective neighbor_alltoall -n 2",
        "collective bcast --groups 2 -n 4 --algorithm all --oversubscribe",
        "collective bcast --form persistent --platform fat-tree:2 -n 2",
        "collective bcast --stragglers -n 4 --oversubscribe",
        "collective bcast --stragglers -n 6 --groups 2 --oversubscribe",
        "collective bcast --stragglers -n 6 --sync barrier --oversubscribe",
        "collective ibcast --stragglers -n 6 --overlap --oversubscribe",
        "collective bcast --stragglers -n 6 --arrival random --skew 1us --oversubscribe",
        "collective bcast --buffers returned",
        "pingpong --verify --buffers returned",
        "pingpong --preset osu --buffers cold",
        "pingpong --buffers warm",
        "rma put --element int8",
        "rma accumulate --element byte",
        "rma accumulate --element double --reduction bor",
        "rma compare-and-swap --element float",
        "rma compare-and-swap --reduction max",
        "rma fetch-and-op --sizes 16",
        "rma accumulate --sizes 12",
        "rma put --sizes 0,8",
        "rma put --window 8",
        "rma put --buffers returned",
        "rma put --sync flush,flush",
        "rma put --sync barrier",
        "rma put --overlap --sync fence,pscw",
        "rma put --overlap --direction both-ways",
        "rma put --overlap --pairs-active 1",
        "rma put --window-kind huge",
        "rma put --pairing neighbours",
        "rma put --pairs-active 2",
        "rma put --peers 0,2",
        "rma put --pairs-active 1 --peers 0,1",
        "startup --sizes 8,16",
        "startup --sizes 0",
        "startup --sizes 2GiB",
        "startup --buffers separate",
        "startup -n 1",
    ],
)
def test_the_command_line_refuses_it(hockney: RunHockney, command: str) -> None:
    done = hockney(*command.split(), "-o", "run.jsonl")
    assert done.status == 2
    assert done.stdout == ""
