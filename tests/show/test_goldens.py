"""The whole output of `hockney show` for a run of each experiment, as goldens/ has it.

HOCKNEY_TEST_RENEW_GOLDENS=1 writes the files anew: look at what git shows of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from difflib import unified_diff
from pathlib import Path

import pytest

from analysis.test_side_by_side import BY_DATATYPE, BY_HAND, CONTIGUOUS, run_of
from collective_samples import collective_run, phases_run
from congestion_samples import congestion_run
from fabric_samples import fabric_run
from figure_examples import ARRIVALS, RECORDED
from hockney import records
from hockney.cli import _present
from hockney.infer.analysis import Analysis
from hockney.records import Run
from one_sided_samples import one_sided_run, startup_run
from overlap_samples import halo_run, overlap_run
from samples import EVERY_ITERATION, make_pairs_run, make_run, one_a_node, varied_run
from show.experiments.test_collective_view import study
from show.experiments.test_experiments import cores_run, pairs_run

GOLDENS = Path(__file__).parent / "goldens"


def every_iteration_run() -> Run:
    return make_pairs_run(
        lambda launch, pair, *_: [100.0 + pair[0] + launch] * 9 + [900.0],
        [[(rank, (rank + 4) % 8) for rank in range(8)]],
        one_a_node(8),
        options=EVERY_ITERATION,
    )


def states_run() -> Run:
    """A run whose machine changes its state after half of the rounds."""
    return make_run(
        lambda launch, round_, size: [1000.0 + launch + 300 * (round_ > 5) + 0.1 * size],
        sizes=(0, 8, 65536),
        handover_ns=lambda _, round_: 50.0 if round_ <= 5 else 150.0,
    )


def arrivals_run() -> Run:
    return collective_run(
        lambda _, name, *__: {"default": 2e-6, "chain": 3e-6}.get(name, 1e-6),
        algorithms={name: {} for name in ("default", "binomial", "chain")},
        arrivals=ARRIVALS,
    )


def recorded(name: str) -> Callable[[], Run]:
    return lambda: records.read(RECORDED / f"{name}.jsonl.zst")


RUNS: dict[str, Callable[[], Run]] = {
    "arrivals": arrivals_run,
    "collective": lambda: study(["ring", "chain"], [2, 3]),
    "congestion": lambda: congestion_run(load_sizes=(1024, 65536), most_factor=1.5),
    "cores": cores_run,
    "datatypes": lambda: run_of([(CONTIGUOUS, 1.0), (BY_DATATYPE, 1.5), (BY_HAND, 1.2)]),
    "every-iteration": every_iteration_run,
    "fabric": lambda: fabric_run(slow={(1, 4): 2.0}),
    "floor": recorded("pingpong-floor"),
    "halo": halo_run,
    "imported": recorded("osu_suite_gke_size16-get-latency"),
    "overheads": recorded("overheads-simulated"),
    "overlap": overlap_run,
    "pairs": pairs_run,
    "phases": phases_run,
    "rma": one_sided_run,
    "startup": startup_run,
    "states": states_run,
    "variants": lambda: varied_run(12, {"first": 1.0, "second": 1.05, "third": 1.0}),
}


@pytest.mark.parametrize("name", RUNS)
def test_the_output_is_the_golden_one(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    run = RUNS[name]()
    run.path = Path(f"{name}.jsonl")
    analysis = Analysis(run)
    _present.show_run(analysis, all_states=True)
    _present.show_positions(analysis, ())
    text = "".join(f"{line.rstrip()}\n" for line in "".join(capsys.readouterr()).splitlines())
    golden = GOLDENS / f"{name}.txt"
    if os.environ.get("HOCKNEY_TEST_RENEW_GOLDENS"):
        golden.write_text(text, encoding="utf-8")
    known = golden.read_text(encoding="utf-8") if golden.exists() else ""
    changes = list(
        unified_diff(known.splitlines(), text.splitlines(), golden.name, "now", lineterm="")
    )
    assert not changes, "\n".join(changes)


def test_every_golden_has_its_run() -> None:
    assert sorted(path.stem for path in GOLDENS.iterdir()) == sorted(RUNS)
