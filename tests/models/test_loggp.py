"""LogGP's numbers are given back: by formulas, with noise, and by a simulated machine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import RunHockney
from hockney.base.errors import UsageError
from hockney.base.units import format_size
from hockney.infer.arrays import Array
from hockney.infer.fitting.fit import Curve, curve_of_arrays
from hockney.infer.models import fit_model, hockney, loggp
from hockney.plan.trains import Train, delay_s
from hockney.run.measure.studies.trains import LONGER, delay_for
from platforms import two_hosts

SIZES = (1.0, 8.0, 64.0, 512.0, 4096.0, 16384.0)
MESSAGES = 16


@dataclass(frozen=True)
class Delay:
    """An overhead, or a delay: a constant and a slope over the size."""

    seconds: float
    s_per_B: float = 0.0

    def at(self, bytes_: float) -> float:
        return self.seconds + self.s_per_B * bytes_


def prtt(
    train: Train, size: float, L: float, send: float, receive: float, g: float, G: float
) -> float:
    """A rank that waits decides; else the slowest of o_s, o_r and the gap."""
    after, before = delay_s(train.send_delay, size), delay_s(train.receive_delay, size)
    if not train.messages:
        return after
    rest = (train.messages - 1) * max(send + after, receive + before, g + G * (size - 1.0))
    if after or before:
        return send + receive + max(after, before) + rest
    return 2.0 * (send + L + (size - 1.0) * G + receive) + rest


def truth(
    L: float, send: Delay, receive: Delay, g: float, G: float, noise: float = 0.0, launches: int = 1
) -> Curve:
    """All trains of SIZES by the formula."""
    one_way = np.array([L + send.at(s) + receive.at(s) + (s - 1.0) * G for s in SIZES])
    trains = loggp.trains_with(MESSAGES, delay_for(np.array(SIZES), 2.0 * one_way))
    points = [(size, train) for size in SIZES for train in trains]
    times = np.array([prtt(train, s, L, send.at(s), receive.at(s), g, G) for s, train in points])
    chance = np.random.default_rng(3).standard_normal((launches, len(times)))
    return Curve(
        np.array([size for size, _ in points]),
        times * np.exp(noise * chance),
        trains=tuple(train for _, train in points),
    )


def values(curve: Curve) -> dict[str, float | None]:
    return {name: parameter.value for name, parameter in loggp.fit(curve).parameters.items()}


@given(
    L=st.floats(1e-7, 1e-4),
    send=st.floats(1e-8, 1e-6),
    receive=st.floats(1e-8, 1e-6),
    factor=st.floats(1.2, 2.0),
    rate=st.floats(1e9, 1e11),
)
@settings(max_examples=40, deadline=None)
def test_numbers_without_noise_are_given_back(
    L: float, send: float, receive: float, factor: float, rate: float
) -> None:
    g, G = factor * max(send, receive), 1.0 / rate
    curve = truth(L, Delay(send), Delay(receive), g, G)
    fit = loggp.fit(curve)
    wanted = {"L_s": L, "o_send_s": send, "o_receive_s": receive, "g_s": g, "G_s_per_B": G}
    assert {name: parameter.value for name, parameter in fit.parameters.items()} == pytest.approx(
        wanted, rel=1e-3
    )
    assert fit.error_max < 1e-3
    assert list(fit.predict(np.array([1.0]))) == [pytest.approx(L + send + receive, rel=1e-3)]


def test_overheads_that_grow_are_lines() -> None:
    parameters = values(truth(1e-6, Delay(1e-7, 5e-11), Delay(2e-7), 1e-6, 4e-10))
    assert parameters["o_send_s_per_B"] == pytest.approx(5e-11, rel=0.01)
    assert "o_receive_s_per_B" not in parameters


def test_noise_stays_inside_the_intervals() -> None:
    """1 % on trains of 16 delays, over 10 launches."""
    curve = truth(1e-6, Delay(3e-7), Delay(4e-7, 1e-10), 8e-7, 4e-10, noise=0.01, launches=10)
    fit = loggp.fit(curve)
    for name, wanted in (
        ("L_s", 1e-6),
        ("o_send_s", 3e-7),
        ("o_receive_s", 4e-7),
        ("g_s", 8e-7),
        ("G_s_per_B", 4e-10),
    ):
        parameter = fit.parameters[name]
        assert parameter.value == pytest.approx(wanted, rel=0.12)
        assert parameter.interval is not None
        assert parameter.interval.low * 0.97 <= wanted <= parameter.interval.high * 1.03


def test_a_gap_of_two_protocols_has_no_line_and_no_interval() -> None:
    """From 4 KiB on each message waits for a handshake."""
    small, large = (
        truth(1e-6, Delay(2e-7), Delay(3e-7), gap, 1e-10, 0.002, 9) for gap in (5e-7, 4e-6)
    )
    seconds = np.where(small.bytes < 4096.0, small.seconds, large.seconds)
    fit = loggp.fit(replace(small, seconds=seconds))
    assert "the gap is not a line over the size: use sizes of one protocol (--sizes)" in fit.notes
    assert fit.parameters["G_s_per_B"].interval is None
    assert fit.derived["r_inf_Bps"].interval is None
    assert fit.parameters["L_s"].interval is not None
    assert not any("the gap is not a line" in note for note in loggp.fit(small).notes)


def test_a_gap_that_is_all_o_is_not_known() -> None:
    fit = loggp.fit(truth(1e-6, Delay(1e-6), Delay(4e-7), 0.0, 1e-12))
    assert fit.parameters["g_s"].value is None
    assert any("g does not show" in note for note in fit.notes)


@pytest.mark.parametrize(("g", "G", "n_half"), [(8e-7, 4e-11, 2e4), (0.0, 4e-11, 42500.0)])
def test_no_bandwidth_is_extrapolated(g: float, G: float, n_half: float) -> None:
    """16 KiB take less than what any size takes: g in a train, or L and the overheads."""
    fit = loggp.fit(truth(1e-6, Delay(3e-7), Delay(4e-7), g, G))
    assert fit.parameters["G_s_per_B"].value == pytest.approx(G, rel=0.01)
    assert fit.derived["r_inf_Bps"].value is None
    (note,) = (note for note in fit.notes if note.startswith("r_inf is not known: "))
    assert f"is below the n_half of {format_size(round(n_half))} " in note


def test_two_sizes_of_trains_show_no_bandwidth() -> None:
    curve = truth(1e-6, Delay(3e-7), Delay(4e-7), 8e-7, 4e-10)
    fit = loggp.fit(curve.at((curve.bytes == 1.0) | (curve.bytes == 16384.0)))
    assert fit.derived["r_inf_Bps"].value is None
    assert "r_inf is not known: a line goes through any two sizes" in fit.notes


def test_a_latency_that_does_not_show_is_on_its_bound_and_said() -> None:
    fit = loggp.fit(truth(-2e-7, Delay(3e-7), Delay(4e-7), 8e-7, 4e-10))
    assert fit.parameters["L_s"].value == 0.0
    assert any("L is at its bound 0" in note for note in fit.notes)


def test_a_transfer_that_begins_when_the_receive_is_posted_is_not_called_an_overhead() -> None:
    """All of the message is in o_r then: what is left for L and G is rounding."""
    fit = loggp.fit(truth(5e-9, Delay(1e-9), Delay(10.2e-6, 1e-10), 0.0, 1e-26))
    assert any("L and o_receive cannot be separated" in note for note in fit.notes)
    assert fit.parameters["G_s_per_B"].value is None
    assert fit.derived["r_inf_Bps"].value is None
    assert any("G does not show" in note for note in fit.notes)


def test_a_latency_beside_overheads_is_told_from_them() -> None:
    fit = loggp.fit(truth(1e-6, Delay(3e-7), Delay(4e-7), 8e-7, 4e-10))
    assert not any("separated" in note or "G does" in note for note in fit.notes)


def test_delays_that_do_not_decide_are_told() -> None:
    fit = loggp.fit(truth(1e-7, Delay(1e-7), Delay(1e-7), 9e-6, 4e-10))
    assert any("delays are shorter than the gap" in note for note in fit.notes)


def test_a_launch_without_trains_is_no_launch() -> None:
    curve = truth(1e-6, Delay(3e-7), Delay(4e-7), 8e-7, 4e-10, noise=0.001, launches=5)
    first = np.where([train == Train(1) for train in curve.trains or ()], curve.seconds[0], np.nan)
    more = Curve(curve.bytes, np.vstack((first, curve.seconds)), trains=curve.trains)
    assert loggp.overheads(more) == loggp.overheads(curve)


def test_what_is_lacking_is_said() -> None:
    single = curve_of_arrays(SIZES, [1e-6] * 6)
    with pytest.raises(UsageError, match="these times are of single messages"):
        fit_model("loggp", single)
    trains = truth(1e-6, Delay(3e-7), Delay(4e-7), 8e-7, 4e-10)
    for keep, complaint in ((trains.bytes < 2.0, "there is 1"), (_no_delays(trains), "are none")):
        with pytest.raises(UsageError, match=complaint):
            fit_model("loggp", trains.at(keep))
    with pytest.raises(UsageError, match="these times are of trains"):
        hockney.fit(trains)


def _no_delays(curve: Curve) -> np.ndarray:  # type: ignore[type-arg]
    return np.array([train.send_delay == (0.0, 0.0) for train in curve.trains or ()])


@given(st.lists(st.floats(1e-7, 1e-2), min_size=2, max_size=6))
def test_a_delay_is_never_shorter_than_the_round_trip(seconds: list[float]) -> None:
    bytes_: Array = np.array(SIZES[: len(seconds)])
    delay = delay_for(bytes_, np.array(seconds))
    for size, time in zip(bytes_, seconds, strict=True):
        assert delay_s(delay, size) >= 0.999 * LONGER * time


@pytest.mark.long
@pytest.mark.simgrid
def test_a_simulated_machine_gives_its_settings_back(hockney: RunHockney, tmp_path: Path) -> None:
    (tmp_path / "platform.xml").write_text(two_hosts(1e-5, 1.25e9))
    settings = (
        "network/model:CM02",
        "network/TCP-gamma:0",
        "network/crosstraffic:0",
        "smpi/async-small-thresh:65536",
        "smpi/os:0:2e-6:1e-10",
        "smpi/or:0:1e-6:0",
    )
    words = [word for setting in settings for word in ("--cfg", setting)]
    result = hockney.ok("overheads", "--platform", "platform.xml", *words, "--json", "-q").json
    parameters = {
        name: parameter["value"] for name, parameter in result["fits"][0]["parameters"].items()
    }
    assert parameters["o_send_s"] == pytest.approx(2e-6, rel=0.01)
    assert parameters["o_send_s_per_B"] == pytest.approx(1e-10, rel=0.01)
    assert parameters["o_receive_s"] == pytest.approx(1e-6, rel=0.01)
    # An envelope of 16 bytes goes with each message.
    assert parameters["L_s"] == pytest.approx(1e-5 + 17 / 1.25e9, rel=0.01)
    assert parameters["G_s_per_B"] == pytest.approx(1 / 1.25e9, rel=0.01)
    assert len(result["overheads"]) == 7


@pytest.mark.long
def test_overheads_of_this_machine_are_measured(hockney: RunHockney) -> None:
    done = hockney.ok("overheads", "--sizes", "8,1KiB", "--launches", "2", "--budget", "3s")
    assert "RuntimeWarning" not in done.stderr
    for word in ("o_s", "o_r", "gap", "loggp", "L", "o_send", "o_receive"):
        assert word in done.stdout


def test_one_size_is_too_few(hockney: RunHockney) -> None:
    hockney.refused("overheads", "--sizes", "8", because="at least two sizes")


@pytest.mark.long
@pytest.mark.simgrid
def test_a_shape_in_words_is_a_machine_for_every_step(hockney: RunHockney) -> None:
    """The trains of the second step run on the platform that was written for the first."""
    result = hockney.ok(
        "overheads", "--platform", "cluster:2", "--sizes", "1,8,64", "--json", "-q"
    ).json
    assert len(result["overheads"]) == 3
    assert any("L and o_receive cannot be separated" in note for note in result["fits"][0]["notes"])
    assert result["fits"][0]["derived"]["r_inf_Bps"]["value"] is None


@pytest.mark.parametrize("overhead", [5e-8, 3e-7])
def test_noise_is_not_taken_for_several_protocols(overhead: float) -> None:
    """Constant overheads, and trains whose scatter exceeds them."""
    curve = truth(1e-6, Delay(overhead), Delay(overhead), 2.5 * overhead, 1e-10, 0.03, 8)
    notes = loggp.fit(curve).notes
    assert not any("use sizes of one protocol" in note for note in notes)
    if overhead < 1e-7:
        assert any("o_send of single sizes is lost in the noise" in note for note in notes)


def test_overheads_of_two_protocols_are_no_line() -> None:
    small, large = (truth(1e-6, Delay(o), Delay(3e-7), 3e-6, 1e-10, 0.002, 9) for o in (2e-7, 2e-6))
    seconds = np.where(np.isin(small.bytes, SIZES[1::2]), small.seconds, large.seconds)
    notes = loggp.fit(replace(small, seconds=seconds)).notes
    assert any(note.startswith("o_send is not") for note in notes)


def test_launches_that_follow_each_other_make_overheads_less_sure() -> None:
    """The same launches, from the fastest to the slowest and by turns."""
    curve = truth(8e-7, Delay(1.5e-7), Delay(2.5e-7), 6e-7, 1e-10, launches=20)
    factors = np.exp(np.linspace(-0.05, 0.05, 20))
    widths = []
    for order in (np.arange(20), np.arange(20) * 7 % 20):
        drifting = replace(curve, seconds=curve.seconds * factors[order, None])
        interval = loggp.overheads(drifting)[0].one_way_s.interval
        assert interval is not None
        widths.append(interval.half_width)
    assert widths[0] > 1.5 * widths[1]


def test_a_gap_shorter_than_the_overhead_after_a_pause_is_g() -> None:
    """g was a line through the two largest sizes, above the gap of the small ones."""
    after_pause = truth(1e-7, Delay(3e-7), Delay(1e-7), 1.5e-7, 5e-11)
    in_a_row = truth(3e-7, Delay(1e-7), Delay(1e-7), 1.5e-7, 5e-11)
    assert in_a_row.trains is not None
    has_none = [not any((*train.send_delay, *train.receive_delay)) for train in in_a_row.trains]
    seconds = np.where(has_none, in_a_row.seconds, after_pause.seconds)
    fit = loggp.fit(replace(after_pause, seconds=seconds))
    assert fit.parameters["g_s"].value == pytest.approx(1.5e-7, rel=0.05)
    assert any("follow each other sooner than o_send" in note for note in fit.notes)


def test_no_overhead_takes_less_than_no_time() -> None:
    """An interval of o_r reached down to -0.8 us, as overheads are differences of noisy times."""
    curve = truth(1e-6, Delay(2e-7), Delay(1e-8), 8e-7, 4e-10, noise=0.02, launches=9)
    for row in loggp.overheads(curve):
        for known in (row.o_send_s, row.o_receive_s, row.gap_s):
            assert known.interval is not None
            assert known.value is not None
            assert 0.0 <= known.interval.low <= known.value


def test_an_overhead_that_no_resample_shows_is_said_to_be_hidden() -> None:
    """It was 0 without an interval and without a word."""
    curve = truth(1e-6, Delay(2e-7), Delay(1e-7), 8e-7, 4e-10, noise=0.001, launches=9)
    assert curve.trains is not None
    waits = np.array([any(train.receive_delay) for train in curve.trains])
    is_short = np.array([train.messages == 1 for train in curve.trains]) & (curve.bytes == 64.0)
    hidden = np.where(waits & is_short, 2.0 * curve.seconds, curve.seconds)
    row = loggp.overheads(replace(curve, seconds=hidden))[SIZES.index(64.0)]
    assert (row.o_receive_s.value, row.o_receive_s.interval) == (0.0, None)
    (note,) = [
        note for note in loggp.fit(replace(curve, seconds=hidden)).notes if "resample" in note
    ]
    assert note.startswith("o_receive at 64 B is above 0 in no resample of the launches")
    assert not any("resample" in note for note in loggp.fit(curve).notes)


def test_a_gap_is_what_was_measured() -> None:
    """Only overheads are no less than 0: a gap below it was 0 without an interval."""
    curve = truth(1e-6, Delay(2e-7), Delay(1e-7), 8e-7, 4e-10, noise=0.01, launches=9)
    assert curve.trains is not None
    waits = [any((*train.send_delay, *train.receive_delay)) for train in curve.trains]
    is_long = [train.messages > 1 for train in curve.trains] & ~np.array(waits)
    seconds = np.where(is_long, 0.1 * curve.seconds, curve.seconds)
    for row in loggp.overheads(replace(curve, seconds=seconds)):
        assert row.gap_s.interval is not None
        assert row.gap_s.interval.high < 0.0
