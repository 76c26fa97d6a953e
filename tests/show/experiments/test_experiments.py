"""Output of show for pairs and cores, and the figures of both, on files of known numbers."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from conftest import RunHockney
from hockney import records
from hockney.infer.analysis import Analysis
from hockney.records import Place, Run, Start
from hockney.show.drawing.heatmap import heat_map
from hockney.show.experiments import halo
from hockney.show.one_run.run_lines import states_shown
from hockney.show.report.summary import cards
from overlap_samples import HALOS, halo_run
from samples import Pair, make_pairs_run, make_run, one_a_node, write_run


def pairs_run() -> Run:
    """Sixteen pairs, of which ten fill a link; 5 with 21 takes half as long again."""
    pairing = [(rank, rank + 16) for rank in range(16)]

    def ns(launch: int, pair: Pair, size: int, k: int) -> list[float]:
        return [(2000.0 + launch + 0.1 * size * max(1.0, k / 5)) * (1.5 if 5 in pair else 1.0)]

    at_once = [pairing[:k] for k in (1, 2, 4, 8, 16)]
    return make_pairs_run(ns, at_once, one_a_node(32), sizes=(0, 1 << 16, 1 << 20))


def cores_run() -> Run:
    places = [Place(rank=r, host=f"h{r // 4}", core=r % 4, pu=r % 4, l3=0) for r in range(8)]

    def ns(launch: int, pair: Pair, size: int, _: int) -> list[float]:
        return [(200.0 if pair[0] // 4 == pair[1] // 4 else 3000.0) + launch + 0.1 * size]

    at_once = [[pair] for pair in combinations(range(8), 2)]
    return make_pairs_run(ns, at_once, places, experiment="cores", sizes=(8, 1 << 20))


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    return write_run(pairs_run(), tmp_path / "pairs.jsonl")


@pytest.fixture
def cores(tmp_path: Path) -> Path:
    return write_run(cores_run(), tmp_path / "cores.jsonl")


def test_ranks_that_begin_apart_are_told(hockney: RunHockney, pairs: Path, tmp_path: Path) -> None:
    run = records.read(pairs)
    late = "late starts: the last rank of a visit started 54 us"
    for skew_s, complaint in ((2e-7, ""), (54e-6, late)):
        run.starts = [
            Start(launch=0, round=r, operation="pingpong", bytes=0, ranks=32, skew_s=skew_s)
            for r in range(3)
        ]
        done = hockney("show", str(write_run(run, tmp_path / "started.jsonl")), "--explain")
        assert "ranks started within" in done.stdout
        assert ("late starts" in done.stderr) == bool(complaint)
        assert complaint in done.stderr


def test_ranks_that_share_a_cpu_are_told(hockney: RunHockney, tmp_path: Path) -> None:
    places = [Place(rank=rank, host="here", pu=rank % 2, pinned=True) for rank in range(6)]
    run = make_pairs_run(lambda *_: [1000.0], [[(0, 3), (1, 4), (2, 5)]], places)
    path = str(write_run(run, tmp_path / "crowded.jsonl"))
    done = hockney("show", path)
    assert "oversubscribed: 6 ranks take turns on 2 CPUs of here: these times" in done.stderr
    assert done.stdout.startswith("oversubscribed: 6 ranks take turns on 2 CPUs of here\n8 B:")
    assert "not judged: too few pairs to compare: 5 are needed" in done.stdout
    gated = hockney("show", path, "--gate")
    fact = "oversubscribed: 6 ranks take turns on 2 CPUs of here"
    assert gated.stdout.startswith(f"gate: NOT JUDGED: {fact}; start no more ranks than CPUs")
    assert gated.status == 3


def test_a_gate_judges_by_its_exit_status(hockney: RunHockney, pairs: Path, cores: Path) -> None:
    failed, passed = (hockney("show", "--gate", str(path)) for path in (pairs, cores))
    assert failed.status == 1
    assert failed.stdout.startswith("gate: FAILED: pair rank 5 (n5), rank 21 (n21): ")
    assert (passed.status, passed.stdout.splitlines()[0]) == (0, "gate: passed")


def test_a_gate_that_judged_nothing_does_not_pass(hockney: RunHockney, tmp_path: Path) -> None:
    """One of four pairs is twice as slow: with so few nobody knows."""
    run = make_pairs_run(
        lambda _, pair, *__: [2000.0 if pair == (0, 4) else 1000.0],
        [[(rank, rank + 4) for rank in range(4)]],
        one_a_node(8),
    )
    path = write_run(run, tmp_path / "four.jsonl")
    done = hockney("show", "--gate", str(path))
    assert done.status == 3
    reason = "too few pairs to compare: 5 are needed; measure more of them"
    assert done.stdout.splitlines()[0] == f"gate: NOT JUDGED: {reason}"
    shown = hockney("show", "--gate", "--json", str(path)).json
    assert shown["gate"] == {"status": "not judged", "why": reason, "culprits": [], "note": ""}


def test_pairs_as_json(hockney: RunHockney, pairs: Path) -> None:
    shown = hockney("show", "--json", str(pairs)).json
    last = shown["contention"][-1]
    assert (last["bytes"], last["pairs"], last["worst"]["peers"]) == (1 << 20, 16, [5, 21])
    assert last["aggregate_Bps"] == pytest.approx(16 * 2**20 / last["last_s"])
    assert [knee["pairs"] for knee in shown["knees"]] == [
        None,
        pytest.approx(5.0, rel=0.01),
        pytest.approx(5.0, rel=0.01),
    ]
    (apart,) = shown["outliers"]
    assert (apart["what"], apart["ranks"]) == ("pair", [5, 21])
    assert shown["outlier_rule"]


@pytest.mark.parametrize(
    ("model", "parameter"), [("max-rate", "R_N_1_Bps"), ("multi-mode", "B_r_Bps")]
)
def test_models_of_pairs_are_fitted_from_the_command_line(
    hockney: RunHockney, tmp_path: Path, model: str, parameter: str
) -> None:
    """Times until the last of 1 to 4 pairs is done, with known repetitions, as pairs --multi."""
    pairing = [(rank, rank + 4) for rank in range(4)]
    run = make_pairs_run(
        lambda launch, _, size, k: [2000.0 + launch + size * max(1.0, k / 2)],
        [pairing[:k] for k in (1, 2, 3, 4)],
        one_a_node(8),
        sizes=[1 << power for power in range(10, 22)],
        repetitions=lambda size: min(1000, max(1, (40 << 20) // size)),
    )
    path = write_run(run, tmp_path / "multi.jsonl")
    done = hockney.ok("fit", "--model", model, "--json", str(path))
    parameters = done.json["fits"][0]["parameters"]
    assert parameter in parameters
    if model == "max-rate":
        assert parameters[parameter]["value"] == pytest.approx(2e9, rel=0.02)


def test_cores_as_json(hockney: RunHockney, cores: Path) -> None:
    shown = hockney("show", "--json", str(cores)).json
    assert [group["name"] for group in shown["by_places"]] == ["same L3", "different nodes"]
    near = shown["by_places"][0]
    assert near["times"][0].keys() == {"bytes", "pairs", "mean_s", "std_s", "ratio"}
    assert near["fit"]["parameters"]["beta_s_per_B"]["value"] == pytest.approx(1e-10, rel=1e-3)
    assert near["fit"]["derived"]["r_inf_Bps"]["value"] is None, "two sizes"
    assert shown["matrices"][0]["median_s"][0][0] is None
    assert shown["disagreeing"] == shown["outliers"] == []


@pytest.mark.parametrize("what", ["contention", "variability", "matrix"])
def test_figures_are_drawn(hockney: RunHockney, pairs: Path, tmp_path: Path, what: str) -> None:
    hockney.ok("plot", "--what", what, "-o", "figure.svg", str(pairs))
    assert (tmp_path / "figure.svg").stat().st_size > 10000
    hockney.refused(
        *("plot", "--what", what, "--bytes", "7", "-o", "other.svg", str(pairs)),
        because="--bytes 7 was not measured",
    )


def test_contention_needs_several_numbers_of_pairs(hockney: RunHockney, cores: Path) -> None:
    hockney.refused(
        "plot", "--what", "contention", "-o", "figure.svg", str(cores), because="--pairs-active"
    )


def test_a_heat_map_has_even_steps_of_log_time() -> None:
    seconds = np.array([[np.nan, 1e-6, 1e-5], [1e-6, np.nan, 1e-4], [1e-5, 1e-4, np.nan]])
    lines = heat_map(seconds, (0, 1, 2)).splitlines()
    assert lines[:3] == ["0  . 0 5", "1  0 . 9", "2  5 9 ."]
    assert lines[3].startswith("0 is 1 us, 9 is 100 us")


def test_a_large_heat_map_is_drawn_in_blocks() -> None:
    seconds = np.full((130, 130), 1e-6)
    seconds[3:6, 3:6] = 1e-5
    lines = heat_map(seconds, range(130)).splitlines()
    assert len(lines) == 44 + 1
    assert lines[1].split()[:3] == ["3", "0", "9"]
    assert "blocks of 3 x 3 ranks" in lines[-1]


def test_of_three_exchanges_the_fastest_is_marked() -> None:
    """Of two the reader sees it; what overlaps with computation is no rival."""
    three = {"waitall": 1.0, "sendrecv": 0.9, "neighbor": 1.25}
    for exchanges, marked in ((three, ["sendrecv"] * 2), (HALOS, [])):
        text = "\n\n".join(halo.parts(Analysis(halo_run(exchanges=exchanges)), False))
        lines = [line.split() for line in text.splitlines() if line.endswith("< fastest")]
        assert [line[0] for line in lines] == marked


def test_equal_times_look_equal_in_a_heat_map() -> None:
    """A tenth of a percent was drawn as the whole scale."""
    seconds = np.array([[np.nan, 2.01e-6, 2.05e-6], [2.01e-6, np.nan, 2.02e-6], [2.05e-6] * 3])
    *rows, scale = heat_map(seconds, (0, 1, 2)).splitlines()
    assert rows[0] == "0  . 0 2"
    assert scale == "0 is 2.01 us, 9 is 2.211 us, log scale; the slowest is 2.05 us"


def test_the_only_state_is_shown_where_another_run_may_have_another_one() -> None:
    """It explained a factor of three between runs of a virtual machine, and was not shown."""
    run = make_run(lambda *_: [1000.0], rounds=13, handover_ns=lambda *_: 53.0)
    assert states_shown(Analysis(run)) == []
    run.header = replace(run.header, environment={"hypervisor": True})
    (line,) = states_shown(Analysis(run))
    assert any(line in card.lines for card in cards(Analysis(run), True)), "on the page, too"
    assert line.startswith("state of the machine: core-to-core latency 53 ns")
    assert line.endswith("; another run may have another one")
