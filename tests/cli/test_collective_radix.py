"""hockney collective --radix, as a user types it."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import RunHockney
from hockney import records
from hockney.run.mpis import Mpi

TREES = {"openmpi": "chain", "mpich": "tree"}
"""An algorithm of bcast with a radix, by family."""
SHORT = ("--launches", "1", "--budget", "3s", "--sizes", "8", "-q")


@pytest.fixture
def tree(mpi: Mpi) -> str:
    if mpi.family not in TREES:
        pytest.skip("no radix can be set")
    return TREES[mpi.family]


@pytest.mark.long
def test_each_radix_is_measured_and_proved(hockney: RunHockney, tmp_path: Path, tree: str) -> None:
    words = ("--algorithm", f"{tree},binomial,default", "--radix", "2,3,8", "-n", "2,4")
    done = hockney.ok(
        "collective", "bcast", *words, "--oversubscribe", "--verify", "-o", "run.jsonl", *SHORT
    )
    run = records.read(tmp_path / "run.jsonl")
    ran = {s.launch: (s.algorithm, s.radix, s.ranks) for s in run.samples}
    assert set(ran.values()) == {
        (tree, 2, 2),
        (tree, 2, 4),
        (tree, 3, 4),
        *(("binomial", None, ranks) for ranks in (2, 4)),
        *(("default", None, ranks) for ranks in (2, 4)),
    }
    for launch in run.launches:
        _, radix, _ = ran[launch.launch]
        read = [v for k, v in launch.controls.items() if k.endswith(("_KVAL", "_chain_fanout"))]
        assert read == ([] if radix is None else [str(radix)])
    assert f"{tree}, radix 3" in done.stdout
    assert f"left out: bcast {tree}, radix 8, 4 ranks, 8 B: the library does the same with" in (
        done.stdout
    )
    shown = hockney("show", "run.jsonl", "--all-states", "--json").json
    assert {(p["algorithm"], p["radix"]) for p in shown["points"]} >= {
        (tree, 2),
        (tree, 3),
        ("binomial", None),
    }


def measured_in(run: records.Run) -> dict[int, tuple[str, int | None, int | None]]:
    return {s.launch: (s.algorithm, s.segment_bytes, s.radix) for s in run.samples}


@pytest.mark.long
def test_auto_measures_the_radix_between_coarse_ones_in_a_second_step(
    hockney: RunHockney, tmp_path: Path, tree: str
) -> None:
    words = ("--algorithm", f"{tree},default", "--radix", "auto", "-n", "4", "--oversubscribe")
    done = hockney.ok("collective", "bcast", *words, "-o", "run.jsonl", *SHORT[:-1])
    run = records.read(tmp_path / "run.jsonl")
    ran = list(measured_in(run).values())
    default, coarse = ("default", None, None), [(tree, None, 2), (tree, None, 4)]
    # Open MPI's chain has no segments where none are asked for.
    bare = [(name, None, radix) for name, _, radix in ran]
    assert set(bare[:3]) == {default, *coarse}
    assert default in bare[3:], "the new radix is compared with launches of its own time"
    assert (tree, None, 3) in bare[3:]
    assert set(bare[3:]) <= {default, *coarse, (tree, None, 3)}
    [last] = {n for n, (_, _, radix) in measured_in(run).items() if radix == 3}
    controls = run.launches[last].controls
    assert "3" in [v for k, v in controls.items() if k.endswith(("_KVAL", "_chain_fanout"))]
    assert f"{tree}, radix 3, 4 ranks: measured around the best coarse value" in done.stderr
    assert run.header.options["searched"] == ["radix"]


@pytest.mark.long
def test_auto_halves_and_doubles_the_best_segment(
    hockney: RunHockney, tmp_path: Path, tree: str
) -> None:
    name = {"tree": "pipelined_tree"}.get(tree, tree)
    words = ("--algorithm", name, "--segment-size", "auto", "-n", "2", "--sizes", "8,256KiB")
    hockney.ok("collective", "bcast", *words, "-o", "run.jsonl", "--launches", "1", "-q")
    run = records.read(tmp_path / "run.jsonl")
    segments = [segment for _, segment, _ in measured_in(run).values()]
    assert sorted(segments[:3]) == [1024, 8192, 65536]
    [best] = set(segments[3:]) & set(segments[:3])
    assert set(segments[3:]) == {best, best // 2, 2 * best}
    assert {s.bytes for s in run.samples if s.segment_bytes == best // 2} == {2**18}, (
        "8 B have no segments"
    )


def test_a_search_is_no_job_and_not_varied(hockney: RunHockney, tree: str) -> None:
    words = ("collective", "bcast", "--algorithm", tree, "--radix", "auto", "-n", "2")
    hockney.refused(*words, "--vary", "env:A=1,2", because="decides after each launch")
    hockney.refused("job", "slurm", "--", *words, because="auto")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--radix", "1"], "a radix is 2 or more"),
        (["--radix", "two"], "not a list of radices"),
        (["--algorithm", "binomial", "--radix", "auto"], "lists no control variable"),
        (["--algorithm", "binomial", "--radix", "4"], "lists no control variable"),
        (["--radix", "4"], "or name "),
        (["--algorithm", "TREE", "--radix", "4,8", "-n", "2"], "there are no more ranks"),
    ],
)
def test_asked_wrongly_starts_nothing(
    hockney: RunHockney, tmp_path: Path, tree: str, words: list[str], complaint: str
) -> None:
    hockney.refused(
        "collective",
        "bcast",
        *(tree if word == "TREE" else word for word in words),
        because=complaint,
    )
    assert not list(tmp_path.iterdir())


def test_algorithms_that_take_a_radix_are_listed(hockney: RunHockney, tree: str) -> None:
    done = hockney("algorithms", "--collective", "bcast", "--json")
    listed = {each["algorithm"]: each for each in done.json["algorithms"]}
    assert listed["binomial"]["radix"] is None
    assert listed[tree]["radix"].endswith(("BCAST_TREE_KVAL", "bcast_algorithm_chain_fanout"))
