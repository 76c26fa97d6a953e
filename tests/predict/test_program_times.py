"""A program's messages and collectives take what was measured, wherever their size was."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import RunHockney
from hockney import records
from hockney.base.errors import UsageError
from hockney.foreign.programs import profile_in
from hockney.infer.analysis import Analysis
from hockney.infer.estimate.estimating import estimate_point
from hockney.infer.estimate.interval import Interval
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.predict.channel import Channel
from hockney.infer.predict.costs import Costs, Through
from hockney.infer.predict.expansion import expanded
from hockney.infer.predict.fitted_channel import channel_of
from hockney.infer.predict.patterns import Pattern, predict
from hockney.infer.predict.program_collectives import ProgramCollectives
from hockney.infer.predict.program_mix import beyond_measured, predict_mix
from hockney.infer.predict.program_run import NONE, predict_order, walk
from hockney.plan.axes import Point
from hockney.profiling.mix import Item, Mix, mix_of
from hockney.profiling.order import Order, TraceStep, order_of
from hockney.run.measure.replay import Replayed
from hockney.show.profiles.mix_lines import mix_json, mix_lines, replayed_lines
from hockney.show.profiles.order_lines import order_json, order_lines
from samples import make_run

TIMES_US = {8: 1.0, 64: 1.1, 1024: 1.5, 4096: 2.0, 8192: 12.0, 65536: 20.0, 1048576: 120.0}
"""A handshake from 8 KiB on, and twice the bandwidth in the largest messages."""
GOAL = "num_ranks 2\nrank 0 {\nl1: send %db to 1 tag 0\n}\nrank 1 {\nl1: recv %db from 0 tag 0\n}\n"


@pytest.fixture(scope="module")
def channel() -> Channel:
    """With few resamples, for the sake of time: its launches are alike."""
    run = make_run(lambda _launch, _round, size: [1e3 * TIMES_US[size]] * 3, sizes=TIMES_US)
    whole = channel_of(Analysis(run).points_to_fit)
    return replace(whole, resampled=whole.resampled[:2])


def order(tmp_path: Path, size: int, text: str | None = None) -> Order:
    (tmp_path / "a.goal").write_text(text or GOAL % (size, size))
    profile = profile_in(tmp_path / "a.goal")
    assert profile is not None
    return order_of(profile[0])


@pytest.mark.parametrize("size", TIMES_US)
def test_a_message_of_a_measured_size_takes_what_was_measured(
    channel: Channel, tmp_path: Path, size: int
) -> None:
    wanted = pytest.approx(1e-6 * TIMES_US[size], rel=1e-6)
    trace = order(tmp_path, size)
    assert predict_order(trace, channel).seconds.value == wanted
    profile = profile_in(tmp_path / "a.goal")
    assert profile is not None
    assert predict_mix(mix_of(profile[0]), channel).seconds.value == wanted
    assert predict(channel, Pattern("ring", size, 2)).seconds.value == pytest.approx(
        2e-6 * TIMES_US[size], rel=1e-6
    )


@pytest.mark.parametrize("size", [8, 8192, 1048576])
def test_a_factor_of_1_changes_nothing(channel: Channel, size: int) -> None:
    same = channel.scaled({"latency": 1.0})
    seconds = predict(same, Pattern("message", size)).seconds.value
    assert seconds == pytest.approx(1e-6 * TIMES_US[size], rel=1e-6)


def test_half_the_bandwidth_of_large_messages_is_twice_their_time(
    channel: Channel, tmp_path: Path
) -> None:
    half = channel.scaled({"bandwidth": 0.5})
    ended = walk(order(tmp_path, 1048576), half.best, lambda *_: (0.0, 0.0), NONE)
    assert float(ended.max()) == pytest.approx(240e-6, rel=0.02)


def test_a_port_takes_in_one_message_after_the_other(channel: Channel, tmp_path: Path) -> None:
    """Two of a megabyte to one rank at the same time: both come through its port."""
    sends = "".join(f"rank {sender} {{\nl1: send 1048576b to 0\n}}\n" for sender in (1, 2))
    receives = "".join(f"l{sender}: recv 1048576b from {sender}\n" for sender in (1, 2))
    incast = order(tmp_path, 0, f"num_ranks 3\nrank 0 {{\n{receives}}}\n{sends}")
    seconds = predict_order(incast, channel).seconds.value
    assert seconds == pytest.approx(240e-6, rel=0.02)


def test_a_message_that_was_there_is_not_delayed_by_a_later_one(
    channel: Channel, tmp_path: Path
) -> None:
    """The one received second came while the first's sender still computed."""
    late = "rank 1 {\nl1: calc 1000000\nl2: send 1048576b to 0\nl2 requires l1\n}\n"
    early = "rank 2 {\nl1: send 1048576b to 0\n}\n"
    takes = "rank 0 {\nl1: recv 1048576b from 1\nl2: recv 1048576b from 2\nl2 requires l1\n}\n"
    trace = order(tmp_path, 0, f"num_ranks 3\n{takes}{late}{early}")
    seconds = predict_order(trace, channel).seconds.value
    assert seconds == pytest.approx(1120e-6, rel=0.02)


def test_beyond_the_largest_size_the_measured_bandwidth_goes_on(channel: Channel) -> None:
    message = Pattern("message", 4 << 20)
    seconds = predict(channel, message).seconds.value
    assert seconds == pytest.approx(4 * 120e-6, rel=0.02)


def test_what_is_beyond_the_model_is_of_all_terms_above_the_largest_size() -> None:
    """Half the model's bandwidth stays half: no latency that grows with the size."""
    times, model = {(8, 1): 1e-6, (1024, 1): 4e-6}, {(8, 1): 1e-6, (1024, 1): 2e-6}
    costs = Through(times, model).costs(lambda _bytes, _senders: Costs(1e-6, 1e-9))
    assert costs(4096, 1) == Costs(2e-6, 2e-9)
    assert costs(1024, 1) == Costs(3e-6, 1e-9)


def test_a_collective_beyond_its_measured_sizes_is_not_taken_for_the_largest(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """Measured up to 64 bytes; a megabyte takes as many times longer as its messages do."""
    table = "bytes,time (us),operation,ranks\n8,3,bcast,4\n64,3.3,bcast,4\n"
    (tmp_path / "bcast.csv").write_text(table)
    hockney("import", "bcast.csv", "-o", "bcast.jsonl")
    points = Analysis(records.read(tmp_path / "bcast.jsonl")).points_to_fit
    run = make_run(lambda _launch, _round, size: [1e3 * TIMES_US[size]] * 3, sizes=TIMES_US)
    messages = channel_of(Analysis(run).points_to_fit)
    seconds_of = ProgramCollectives(points).with_latencies(messages.best, messages.best)
    assert seconds_of("bcast", 4, 64)[0] == pytest.approx(3.3e-6)
    assert seconds_of("bcast", 4, 8 << 17)[0] > 100e-6
    assert np.isfinite(seconds_of("bcast", 4, 1)[0])
    small = Mix(4, (Item("bcast", 1, 1, (0, 1, 2, 3)),), 1, 0.0, 0.0)
    (warning,) = beyond_measured(small, messages, points)
    assert "no bcast smaller than 8 B" in warning


def test_what_is_extrapolated_is_said(hockney: RunHockney, tmp_path: Path) -> None:
    (tmp_path / "a.goal").write_text(GOAL % (1 << 20, 1 << 20))
    (tmp_path / "on.csv").write_text("bytes,time (us)\n8,1\n64,1.1\n1024,1.5\n")
    hockney("import", "a.goal")
    hockney("import", "on.csv", "--operation", "pingpong", "-o", "on.jsonl")
    done = hockney("predict", "--profile", "a-profile.jsonl", "--on", "on.jsonl")
    assert "--on has no message larger than 1 KiB: the time of those of 1 MiB" in done.stderr


def measured_allreduce(hockney: RunHockney, where: Path) -> list[PointEstimate]:
    """8 bytes on 8 ranks in 15 us."""
    (where / "c.csv").write_text("bytes,time (us),operation,ranks\n8,15,allreduce,8\n")
    hockney("import", "c.csv", "-o", "c.jsonl")
    return list(Analysis(records.read(where / "c.jsonl")).points_to_fit)


ALLREDUCE = Mix(8, (Item("allreduce", 8, 1, tuple(range(8))),), 1, 0.0, 0.0)


@pytest.mark.parametrize(
    ("factors", "us"), [({"latency": 0.5}, 7.5), ({"latency": 2.0}, 30.0), ({"bandwidth": 2.0}, 15)]
)
def test_measured_collectives_change_with_the_machine(
    channel: Channel, hockney: RunHockney, tmp_path: Path, factors: dict[str, float], us: float
) -> None:
    points = measured_allreduce(hockney, tmp_path)
    prediction = predict_mix(ALLREDUCE, channel.scaled(factors), points)
    assert prediction.seconds.value == pytest.approx(1e-6 * us, rel=0.02)
    assert prediction.before is not None
    assert prediction.before.value == pytest.approx(15e-6)
    assert prediction.assumed == (("allreduce", "recursive_doubling"),)
    by = ProgramCollectives(points).with_latencies(channel.scaled(factors).best, channel.best)
    seconds, latencies = by("allreduce", 8, 8)
    assert seconds == pytest.approx(1e-6 * us, rel=0.02)
    assert latencies == pytest.approx(3.0)


@pytest.mark.parametrize("operation", ["gather", "reduce", "allreduce"])
def test_the_time_of_a_measured_collective_is_what_was_measured(
    operation: str, hockney: RunHockney, tmp_path: Path
) -> None:
    """Also where messages wait for each other at the root: no pair of ranks takes that long, if one
    of them comes late."""
    (tmp_path / "c.csv").write_text(f"bytes,time (us),operation,ranks\n16384,90,{operation},16\n")
    hockney("import", "c.csv", "-o", "c.jsonl")
    points = Analysis(records.read(tmp_path / "c.jsonl")).points_to_fit
    costs = Costs(1e-6, 1e-10, 2e-7, gap_s=5e-7)

    def costs_of(_bytes: int, _senders: int) -> Costs:
        return costs

    timed = ProgramCollectives(points).with_latencies(costs_of, costs_of)
    seconds, _ = timed(operation, 16, 16384)
    assert seconds == pytest.approx(90e-6)


def test_no_algorithm_wins_as_it_is_not_known_what_a_message_costs_its_ranks(
    channel: Channel,
) -> None:
    """A linear one has two messages after one another, and a rank that takes in 7."""
    prediction = predict_mix(ALLREDUCE, channel)
    assert prediction.assumed == (("allreduce", "recursive_doubling"),)
    assert prediction.seconds.value == pytest.approx(3e-6, rel=0.02)
    shown = "\n".join(mix_lines(ALLREDUCE, "hockney", prediction))
    assert "allreduce by recursive_doubling" in shown
    assert "what a message costs its ranks was not measured" in shown
    assert prediction.before is None
    assert mix_json(ALLREDUCE, "hockney", prediction, [])["ratio"] is None


def test_what_if_shows_a_program_without_it(channel: Channel) -> None:
    prediction = predict_mix(ALLREDUCE, channel.scaled({"latency": 0.5}))
    shown = "\n".join(mix_lines(ALLREDUCE, "hockney", prediction))
    assert re.search(r"without --what-if +3\S* us  \(predicted: 0.5\d* times\)", shown)
    json = mix_json(ALLREDUCE, "hockney", prediction, [])
    assert json["ratio"] == pytest.approx(0.5, rel=0.02)
    assert json["unchanged_s"] == pytest.approx(3e-6, rel=0.02)


@pytest.mark.parametrize(("part", "is_scaled"), [(0.067, True), (1.0, False)])
def test_a_replay_of_a_part_is_scaled(part: float, is_scaled: bool) -> None:
    shown = "\n".join(replayed_lines(ALLREDUCE, Replayed([1.0, 2.0], part)))
    assert ("6.7 % of the mix was replayed, times are scaled to all" in shown) == is_scaled


def test_messages_of_a_rank_share_its_port_in_their_order(tmp_path: Path) -> None:
    """One message by itself reaches half of the bandwidth: two follow at once."""
    receives = "".join(f"rank {receiver} {{\nl1: recv 1000b from 0\n}}\n" for receiver in (1, 2))
    sends = "".join(f"l{receiver}: send 1000b to {receiver}\n" for receiver in (1, 2))
    trace = order(tmp_path, 0, f"num_ranks 3\nrank 0 {{\n{sends}}}\n{receives}")

    def seconds(costs: Costs) -> float:
        return float(walk(trace, lambda *_: costs, lambda *_: (0.0, 0.0), NONE).max())

    alone = seconds(Costs(1e-6, 2e-9))
    shared = seconds(Costs(1e-6, 2e-9, shared_s_per_B=1e-9))
    assert alone == pytest.approx(1e-6 + 2 * 2e-6)
    assert shared == pytest.approx(1e-6 + 2e-6 + 1e-6)


def test_the_messages_of_an_algorithm_take_the_time_of_their_own_sizes(channel: Channel) -> None:
    """Of 64 KiB on 64 ranks: its half, the half of that ..., and 63 pieces of 1 KiB, which need no
    handshake."""

    def seconds(name: str, size: int, algorithm: str | None = None) -> float:
        return predict(channel, Pattern(name, size, 64, algorithm)).seconds.value or 0.0

    wanted = sum(seconds("message", 1024 << power) for power in range(6))
    wanted += 63 * seconds("message", 1024)
    assert seconds("bcast", 65536, "scatter_allgather_ring") == pytest.approx(wanted)
    program = Mix(64, (Item("bcast", 65536, 1, tuple(range(64))),), 1, 0.0, 0.0)
    prediction = predict_mix(program, channel)
    ((name, algorithm),) = prediction.assumed
    assert prediction.seconds.value == pytest.approx(seconds(name, 65536, algorithm), rel=0.01)


def test_what_if_shows_a_run_without_it(channel: Channel, tmp_path: Path) -> None:
    trace = order(tmp_path, 8)
    prediction = predict_order(trace, channel.scaled({"latency": 0.5}))
    assert prediction.before is not None
    assert prediction.before.value == pytest.approx(1e-6, rel=0.01)
    json = order_json(trace, prediction)
    assert json["ratio"] == pytest.approx(0.5, rel=0.02)
    assert "  without --what-if       1" in "\n".join(order_lines(trace, prediction))


def noisy() -> Channel:
    """Each size scatters by 5 % from launch to launch, without regard to the others."""

    def ns(launch: int, _: int, size: int) -> list[float]:
        chance = np.random.default_rng([launch, size])
        return [(1e3 + size) * (1.0 + 0.05 * chance.normal())]

    run = make_run(ns, launches=20, rounds=1, sizes=[1 << power for power in range(21)])
    return channel_of(Analysis(run).points_to_fit)


def width(interval: Interval | None) -> float:
    assert interval is not None
    return interval.high - interval.low


def test_a_program_is_as_uncertain_as_its_messages_are(tmp_path: Path) -> None:
    """Not as little as a line through the messages of all sizes."""
    known = noisy()
    message = width(predict(known, Pattern("message", 1024)).seconds.interval)
    mix = Mix(2, (Item("message", 1024, 1, (0, 1)),), 1, 0.0, 0.0)
    assert width(predict_mix(mix, known).seconds.interval) > 0.5 * message
    assert width(predict_order(order(tmp_path, 1024), known).seconds.interval) > 0.5 * message


def allreduce(us: float, launches: int = 9, **axes: Any) -> PointEstimate:
    """Its launches differ by 10 %."""
    key = Point(operation="allreduce", bytes=8, ranks=8, **axes)
    each = {n: np.array([us * 1e-6 * (1 + 0.1 * (n - launches // 2))]) for n in range(launches)}
    return estimate_point(key, 0, each)


def test_measured_collectives_are_as_uncertain_as_their_launches(
    channel: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hockney.infer.predict.program_run.MOST_RESAMPLES", 8)
    known = replace(channel, resampled=(channel.best,) * 8)
    assert width(predict_mix(ALLREDUCE, known, [allreduce(15)]).seconds.interval) > 3e-6
    assert predict_mix(ALLREDUCE, known, [allreduce(15, launches=4)]).seconds.interval is None
    step = TraceStep(6, 0.0, 0.0, 8, -1, 0, 0, name="allreduce", match=0)
    together = Order(((step,),) * 8, (tuple(range(8)),), False, 0, None)
    assert width(predict_order(together, known, [allreduce(15)]).seconds.interval) > 3e-6
    assert predict_order(together, known, [allreduce(15, launches=4)]).seconds.interval is None


@pytest.mark.parametrize(
    "axes",
    [
        {"arrival": "ascending", "skew_s": 1e-3},
        {"aggressor": "incast"},
        {"form": "persistent"},
        {"groups": 4},
        {"overlap": True},
        {"memory": "cuda"},
        {"threads": 2},
    ],
    ids=str,
)
def test_a_collective_that_was_measured_otherwise_is_not_the_program_s(
    axes: dict[str, Any],
) -> None:
    usual, other = allreduce(15), allreduce(500, **axes)
    assert ProgramCollectives([other, usual, other]).measured == {("allreduce", 8): {8: usual}}
    assert ProgramCollectives([other]).measured == {}


def test_a_collective_that_was_measured_in_two_ways_is_refused() -> None:
    usual, again, other = allreduce(15), allreduce(16), allreduce(16, element="double")
    with pytest.raises(UsageError, match=r"allreduce of 8 ranks and 8 B twice: .*double"):
        assert ProgramCollectives([usual, other]).measured
    assert ProgramCollectives([usual, again]).measured == {("allreduce", 8): {8: usual}}


@pytest.mark.parametrize("size", [8, 10000])
def test_messages_in_a_row_follow_each_other_by_their_gap(channel: Channel, size: int) -> None:
    """Ten to ten ranks, as in the pattern of a halo: g + (b - 1) G apart."""
    costs = Costs(1e-6, 1e-10, 0.4e-6, gap_s=0.5e-6)
    wanted = pytest.approx(costs.message_s(size) + 9 * (0.5e-6 + size * 1e-10))

    def steps(what: int, peers: Iterable[int], first: int) -> tuple[TraceStep, ...]:
        return tuple(
            TraceStep(what, 0.0, 0.0, size, peer, 0, number, match=number)
            for number, peer in enumerate(peers, first)
        )

    receives = [steps(2, [0], number) for number in range(10)]
    sends = Order((steps(3, range(1, 11), 0), *receives), (), False, 0, None)
    assert walk(sends, lambda *_: costs, lambda *_: (0.0, 0.0), NONE).max() == wanted
    items = tuple(Item("message", size, 1, (0, to), 0, False) for to in range(1, 11))
    known = replace(channel, best=lambda *_: costs, resampled=())
    assert predict_mix(Mix(11, items, 1, 0.0, 0.0), known).seconds.value == wanted


def test_an_exclusive_scan_has_the_messages_of_an_inclusive_one() -> None:
    assert expanded("exscan", 8, 64) == expanded("scan", 8, 64)
