"""Patterns take what their messages take."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from line_runs import ALPHA_NS, NS_PER_B, SIZES, line_ns, points_of

from conftest import RunHockney
from hockney.base.errors import UsageError
from hockney.cli.predict import parse_factors
from hockney.infer.fitting.bootstrap import expansion
from hockney.infer.predict.answers import answers_of
from hockney.infer.predict.channel import Channel
from hockney.infer.predict.costs import Costs
from hockney.infer.predict.fitted_channel import channel_of
from hockney.infer.predict.halo_exchange import halo_schedule
from hockney.infer.predict.parameters import Level, Machine, Parameters
from hockney.infer.predict.patterns import (
    FARTHEST,
    PATTERNS,
    Pattern,
    grid,
    parse_pattern,
    predict,
)
from hockney.infer.predict.simulation import simulate
from hockney.show.profiles.predictions import prediction_json, prediction_lines
from samples import Pair, make_pairs_run, make_run, one_a_node, write_run


@pytest.fixture
def channel() -> Channel:
    return channel_of(points_of(line_ns))


@pytest.mark.parametrize(
    ("pattern", "latencies", "blocks"),
    [
        (Pattern("message", 1024), 1, 1),
        (Pattern("ring", 1024, 16), 16, 16),
        (Pattern("halo2d", 1024, 64), 1, 4),
        (Pattern("halo3d", 1024, 4096), 1, 6),
        (Pattern("halo3d", 1024, 2), 1, 2),
        (Pattern("alltoall", 1024, 64), 63, 63),
    ],
)
def test_messages_of_a_rank_follow_one_another(
    channel: Channel, pattern: Pattern, latencies: int, blocks: int
) -> None:
    """Those of a halo exchange, which are all posted at once, through its port."""
    whole = 1e-9 * (latencies * ALPHA_NS + blocks * NS_PER_B * pattern.bytes)
    prediction = predict(channel, pattern)
    assert prediction.seconds.value == pytest.approx(whole, rel=1e-3)
    assert prediction.seconds.interval is not None
    assert prediction.seconds.interval.low < whole < prediction.seconds.interval.high
    wider = 1.0 if prediction.measured else expansion(5)
    assert prediction.seconds.interval.low == pytest.approx(whole * 0.98**wider, rel=0.01)


@pytest.mark.parametrize("bytes_", [8, 65536])
def test_a_halo_takes_what_its_messages_do_one_by_one(channel: Channel, bytes_: int) -> None:
    """The model with which `hockney halo` compares its times."""
    level = Level(1e-9 * ALPHA_NS, 1e-9 * NS_PER_B)
    schedule = halo_schedule("waitall", (8, 8), "faces", True, bytes_)
    simulated = simulate(Machine(Parameters(network=level), 64, None, 0), schedule).max()
    prediction = predict(channel, Pattern("halo2d", bytes_, 64))
    assert prediction.seconds.value == pytest.approx(simulated, rel=1e-3)
    assert "cost it nothing here" in (prediction.note or "")


def test_small_messages_at_once_share_the_wire() -> None:
    """One message by itself reaches half of the bandwidth; four at once fill the link."""
    costs = Costs(1e-6, 2e-9, shared_s_per_B=1e-9)
    assert costs.at_once_s(4, 1000) == pytest.approx(3e-6 + 3 * 1e-6)
    assert costs.scaled({"bandwidth": 0.5}).at_once_s(4, 1000) == pytest.approx(5e-6 + 3 * 2e-6)


@pytest.mark.parametrize(("alpha_s", "s_per_B"), [(1e-6, 1e-9), (-1e-6, 1e-9), (2e-6, -1e-9)])
@pytest.mark.parametrize("bytes_", [0, 1500])
def test_no_term_of_a_message_is_below_0(alpha_s: float, s_per_B: float, bytes_: int) -> None:
    """A steep line's latency is below 0: halving it made messages longer."""
    costs = Costs.of_line(alpha_s, s_per_B, bytes_)
    assert min(costs.latency_s, costs.s_per_B) >= 0.0
    assert costs.message_s(bytes_) == pytest.approx(max(alpha_s + bytes_ * s_per_B, 0.0))


def test_what_if_shows_the_time_without_it(channel: Channel) -> None:
    points = points_of(line_ns)
    answers = answers_of(points, [Pattern("ring", 1024, 16)], factors={"latency": 0.5})
    _, heading, row, *_ = prediction_lines(answers)
    assert heading.split()[-3:] == ["without", "--what-if", "ratio"]
    assert row.split()[-3:] == ["24.19", "us", "0.67"]
    json = prediction_json(None, answers.predictions[0])
    assert json["unchanged_s"] == pytest.approx(24.19e-6, rel=1e-3)
    assert json["ratio"] == pytest.approx(0.669, rel=1e-2)
    assert prediction_json(None, predict(channel, Pattern("ring", 8, 4)))["ratio"] is None


def test_the_term_that_dominates_is_named(channel: Channel) -> None:
    assert predict(channel, Pattern("message", 8)).dominant == "latency"
    large = predict(channel, Pattern("message", 1048576))
    assert large.dominant == "bandwidth"
    assert large.share == pytest.approx(1048576 / (1048576 + 2000), rel=1e-3)


def test_sizes_beyond_the_measured_ones_are_told(channel: Channel) -> None:
    beyond = predict(channel, Pattern("message", 2**30))
    assert "largest size that was measured" in (beyond.note or "")
    assert predict(channel, Pattern("message", 2**20)).note is None


def test_pairs_with_times_of_their_own_are_no_channel() -> None:
    points = points_of(line_ns)
    with pytest.raises(UsageError, match="algorithms or pairs"):
        channel_of([*points, *(msgspec.structs.replace(point, peers=(2, 3)) for point in points)])


@pytest.mark.parametrize(
    ("axes", "named"),
    [
        ({"operation": "bcast", "ranks": 8}, "bcast"),
        ({"operation": "iallgatherv", "ranks": 8}, "iallgatherv"),
        ({"operation": "halo", "exchange": "sendrecv"}, "halo"),
        ({"operation": "MPI_Init", "occurrence": "first"}, "MPI_Init"),
    ],
)
def test_times_of_all_ranks_are_not_taken_for_those_of_a_message(
    axes: dict[str, object], named: str
) -> None:
    points = points_of(line_ns)
    others = [msgspec.structs.replace(point, peers=(), **axes) for point in points]
    for size in (0, 8, 3):
        with pytest.raises(UsageError, match=f"times of {named}"):
            answers_of(others, [Pattern("message", size)])


def test_a_barrier_has_no_bytes() -> None:
    pattern = parse_pattern("barrier:tree,ranks=8")
    assert (pattern.bytes, pattern.words) == (0, "barrier tree, 8 ranks")
    assert parse_pattern("barrier:tree,ranks=8,bytes=0") == pattern
    with pytest.raises(UsageError, match="a barrier has no bytes"):
        parse_pattern("barrier:tree,ranks=8,bytes=8KiB")


@pytest.mark.parametrize("text", ["ring:", "bcast:binomial", "bcast:", "barrier:tree", "barrier:"])
def test_what_an_error_advises_to_write_is_a_pattern(text: str) -> None:
    with pytest.raises(UsageError) as wrong:
        parse_pattern(text)
    assert wrong.value.advice is not None
    assert parse_pattern(wrong.value.advice.removeprefix("write ")).ranks == 64


def test_a_term_is_changed_once() -> None:
    with pytest.raises(UsageError, match="latency is given twice"):
        parse_factors("latency=2x,bandwidth=2x,latency=3x")


def test_what_if_scales_the_parameters(channel: Channel) -> None:
    scaled = channel.scaled({"latency": 0.5, "bandwidth": 2.0})
    for size in SIZES:
        whole = predict(channel, Pattern("message", size)).seconds.value
        half = predict(scaled, Pattern("message", size)).seconds.value
        assert whole is not None
        assert half == pytest.approx(whole / 2.0)


@pytest.mark.parametrize("term", ["overhead", "gap"])
def test_a_term_that_the_model_does_not_have_is_refused(channel: Channel, term: str) -> None:
    with pytest.raises(UsageError, match=f"has no {term}"):
        channel.scaled({term: 2.0})


def test_a_gap_lets_messages_follow_sooner() -> None:
    costs = Costs(5e-6, 1e-9, overhead_s=1e-6, gap_s=0.5e-6)
    assert costs.row_s(1, 100) == pytest.approx(6.1e-6)
    assert costs.row_s(11, 100) == pytest.approx(6.1e-6 + 10 * 1e-6)
    assert costs.row_s(11, 10000) == pytest.approx(16e-6 + 10 * 10.5e-6)
    assert costs.scaled({"bandwidth": np.inf}).row_s(1, 100) == pytest.approx(6e-6)


@given(st.integers(2, 5000), st.integers(1, 3))
def test_a_grid_holds_every_rank(ranks: int, dimensions: int) -> None:
    sides = grid(ranks, dimensions)
    assert len(sides) == dimensions
    assert np.prod(sides) == ranks


def test_grids_are_as_cubic_as_they_can_be() -> None:
    assert sorted(grid(4096, 3)) == [16, 16, 16]
    assert sorted(grid(24, 3)) == [2, 3, 4]
    assert sorted(grid(7, 2)) == [1, 7]


def test_patterns_are_read() -> None:
    assert parse_pattern("halo3d:ranks=4096,bytes=64KiB") == Pattern("halo3d", 65536, 4096)
    assert parse_pattern(" ring: bytes=8, ranks=2 ") == Pattern("ring", 8, 2)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("halo4d:ranks=8,bytes=8", "no pattern called 'halo4d'"),
        ("", "no pattern called ''"),
        ("ring", "ranks and bytes missing"),
        ("ring:ranks=8", "bytes missing"),
        ("ring:ranks=1,bytes=8", "not a number of ranks from 2 up"),
        ("ring:ranks=many,bytes=8", "not a number of ranks"),
        ("ring:ranks=8,bytes=8Kb", "unknown unit"),
        ("ring:ranks=8,bytes=8,root=3", "'root=3' is unknown"),
        ("ring:ranks=8,ranks=9,bytes=8", "'ranks=9' is unknown"),
        ("ring:binomial,ranks=8,bytes=8", "ring has no algorithms"),
        ("ring:ranks=8,bytes=8,per-node=2", "do not all send at once in ring"),
        ("halo2d:ranks=8,bytes=8,per-node=9", "per-node is from 1 to the 8 ranks"),
        ("halo2d:ranks=8,bytes=8,per-node=x", "per-node is from 1 to the 8 ranks"),
    ],
)
def test_patterns_that_do_not_exist_are_told(text: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        parse_pattern(text)


@given(st.text(max_size=30))
def test_any_text_is_a_pattern_or_asked_wrongly(text: str) -> None:
    with suppress(UsageError):
        assert parse_pattern(text).name in PATTERNS


def test_collectives_are_walked_through(channel: Channel) -> None:
    prediction = predict(channel, parse_pattern("bcast:binomial,ranks=8,bytes=8"))
    assert prediction.seconds.value == pytest.approx(3 * 1.004e-6, rel=0.05)
    assert prediction.dominant == "latency"


def test_the_command_predicts(hockney: RunHockney, tmp_path: Path) -> None:
    write_run(make_run(line_ns, sizes=SIZES), tmp_path / "run.jsonl")
    words = ("predict", "run.jsonl", "--bytes", "8,64KiB", "--pattern", "ring:ranks=4,bytes=8")
    done = hockney.ok(*words)
    for word in ("by segmented", "64 KiB", "ring, 4 ranks, 8 B", "latency", "bandwidth"):
        assert word in done.stdout
    rows = hockney(*words, "--json", "--what-if", "latency=2x").json["predictions"]
    assert [row["name"] for row in rows] == ["message", "message", "ring"]
    assert rows[0]["seconds"] == pytest.approx(2.004e-6, rel=1e-3)
    assert rows[0]["low_s"] < rows[0]["seconds"] < rows[0]["high_s"]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ([], "nothing to predict"),
        (["--bytes", "8", "--what-if", "speed=2x"], "unknown term 'speed'"),
        (["--bytes", "8", "--what-if", "latency=0x"], "not a factor above 0"),
        (["--bytes", "8", "--what-if", "latency"], "unknown term 'latency'"),
        (["--bytes", "8", "--model", "loggp"], "loggp needs times of trains"),
        (["--bytes", "8", "--model", "multi-mode"], "multi-mode"),
    ],
)
def test_what_does_not_exist_is_told(
    hockney: RunHockney, tmp_path: Path, options: list[str], complaint: str
) -> None:
    write_run(make_run(line_ns, sizes=SIZES), tmp_path / "run.jsonl")
    hockney.refused("predict", "run.jsonl", *options, because=complaint)


@pytest.fixture(scope="module")
def shared_link(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 1 to 4 pairs between two nodes with one link of 1 GB/s each, made up."""
    path = tmp_path_factory.mktemp("pairs") / "pairs.jsonl"

    def ns(launch: int, _: Pair, size: int, pairs: int) -> list[float]:
        """A pair moves half of what the node does."""
        return [(2000.0 + size * max(2.0, pairs)) * (1.0 + 0.01 * (launch - 2))] * 3

    pairing = [(rank, rank + 4) for rank in range(4)]
    at_once = [pairing[:k] for k in (1, 2, 4)]
    return write_run(make_pairs_run(ns, at_once, one_a_node(8), sizes=SIZES), path)


@pytest.mark.long
@pytest.mark.parametrize(("per_node", "ns_per_B"), [(1, 2.0), (2, 2.0), (4, 4.0), (32, 32.0)])
def test_ranks_of_a_node_share_what_it_has(
    hockney: RunHockney, shared_link: Path, per_node: int, ns_per_B: float
) -> None:
    pattern = f"halo3d:ranks=512,bytes=64KiB,per-node={per_node}"
    done = hockney.ok("predict", str(shared_link), "--pattern", pattern, "--json")
    (prediction,) = done.json["predictions"]
    expected = 2e-6 + 6.0 * 65536 * ns_per_B * 1e-9  # posted at once, through one port
    assert prediction["model"] == "max-rate"
    assert prediction["seconds"] == pytest.approx(expected, rel=0.01)
    is_beyond = per_node > FARTHEST * 4
    low_s = None if is_beyond else pytest.approx(expected * 0.98 ** expansion(5), rel=0.01)
    assert prediction["low_s"] == low_s
    assert (prediction["note"] or "").startswith("4 pairs at once") == is_beyond
    assert prediction["dominant"] == "bandwidth"


def test_who_knows_nothing_of_nodes_says_so(hockney: RunHockney, tmp_path: Path) -> None:
    write_run(make_run(line_ns, sizes=SIZES), tmp_path / "run.jsonl")
    done = hockney.refused(
        *("predict", "run.jsonl", "--pattern", "halo3d:ranks=64,bytes=8,per-node=8"),
        because="does not describe what ranks of a node share",
    )
    assert "--pairs-active" in done.stderr


def test_what_was_measured_is_no_answer_for_another_machine(channel: Channel) -> None:
    assert predict(channel, Pattern("message", 8)).measured
    assert not predict(channel.scaled({"latency": 0.5}), Pattern("message", 8)).measured


def test_which_algorithm_lists_them() -> None:
    with pytest.raises(UsageError, match=r"There are .*recursive_doubling"):
        parse_pattern("allreduce:ranks=64,bytes=8")


@pytest.mark.long
@pytest.mark.simgrid
def test_a_simulated_halo_takes_what_is_predicted(hockney: RunHockney) -> None:
    """Whole messages one after the other would take up to four times as long."""
    where = ("--platform", "cluster:16", "-q")
    assert hockney("pingpong", *where, "-n", "2", "-o", "m.jsonl").status == 0
    sizes = ("--sizes", "8,64KiB")
    done = hockney("halo", "-n", "16", "--grid", "2d", *where, *sizes, "-o", "h.jsonl", "--json")
    measured = {row["bytes"]: row["median_s"] for row in done.json["predicted"]}
    patterns = [f"--pattern=halo2d:ranks=16,bytes={size}" for size in measured]
    predictions = hockney("predict", "m.jsonl", *patterns, "--json").json["predictions"]
    predicted = {row["bytes"]: row["seconds"] for row in predictions}
    assert predicted == pytest.approx(measured, rel=0.1)
