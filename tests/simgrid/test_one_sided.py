"""Put and get on a simulated machine whose latency and bandwidth are known: SimGrid makes each of
them one message of the data and its envelope, and completes it at the target."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import RunHockney
from platforms import EXACT, two_hosts
from simgrid.test_truth import ENVELOPE_BYTES

pytestmark = pytest.mark.simgrid
LATENCY_S, BANDWIDTH_BPS = 1e-5, 1e9
SIZES = (8, 1024, 65536, 2**20)
CLOCK = 0.002
"""Two readings of a clock of 10 ns stand in a batch of 20 us or more, and so do lock and unlock."""


def alone_s(size: int) -> float:
    return LATENCY_S + (size + ENVELOPE_BYTES) / BANDWIDTH_BPS


@pytest.fixture
def platform(tmp_path: Path) -> Path:
    path = tmp_path / "platform.xml"
    path.write_text(two_hosts(LATENCY_S, BANDWIDTH_BPS))
    return path


@pytest.mark.parametrize("operation", ["put", "get"])
def test_the_time_is_that_of_one_message(
    hockney: RunHockney, platform: Path, operation: str
) -> None:
    sizes = ",".join(map(str, SIZES))
    points = hockney.ok(
        *("rma", operation, "--platform", str(platform), *EXACT, "--sync", "flush,lock"),
        *("--sizes", sizes, "--json", "-q", "-o", "run.jsonl"),
    ).json["points"]
    own = [point for point in points if point["operation"] == operation]
    assert {point["synchronization"] for point in own} == {"flush", "lock"}
    for point in own:
        assert point["median_s"] == pytest.approx(alone_s(point["bytes"]), rel=CLOCK)

    for model in ("hockney", "segmented"):
        fits = hockney.ok("fit", "run.jsonl", "--model", model, "--json").json["fits"]
        of_flush = next(fit for fit in fits if fit["synchronization"] == "flush")
        assert of_flush["operation"] == operation
        assert of_flush["error"]["max"] < CLOCK
        if model == "hockney":
            parameters = of_flush["parameters"]
            assert parameters["alpha_s"]["value"] == pytest.approx(alone_s(0), rel=0.01)
            assert parameters["beta_s_per_B"]["value"] == pytest.approx(1 / BANDWIDTH_BPS, rel=0.01)


def test_a_simulated_target_need_not_help(hockney: RunHockney, platform: Path) -> None:
    helped = hockney.ok(
        *("rma", "put", "--platform", str(platform), *EXACT, "--overlap"),
        *("--sizes", "8,64KiB", "--json", "-q"),
    ).json["helped"]
    assert len(helped) == 2
    for point in helped:
        assert point["ratio"] == pytest.approx(1.0, abs=CLOCK)


def test_post_and_start_cost_a_message_more(hockney: RunHockney, platform: Path) -> None:
    """An origin waits for the target's post, an empty message; the target for the data."""
    done = hockney.ok(
        *("rma", "put", "--platform", str(platform), *EXACT, "--sync", "pscw"),
        *("--sizes", "8,1KiB", "--json", "-q"),
    )
    for point in done.json["points"]:
        if point["synchronization"] == "pscw":
            expected_s = alone_s(0) + alone_s(point["bytes"])
            assert point["median_s"] == pytest.approx(expected_s, rel=0.01)


def test_first_messages_cost_what_later_ones_do(hockney: RunHockney, platform: Path) -> None:
    """A simulated MPI has no connections to set up, and its MPI_Init takes no time."""
    done = hockney.ok("startup", "--platform", str(platform), *EXACT, "--json", "-q")
    points = done.json["points"]
    assert {point["operation"] for point in points} == {
        *("contact", "comm-dup", "comm-split", "window")
    }
    for point in points:
        if point["operation"] == "contact":
            assert point["median_s"] == pytest.approx(alone_s(8), rel=0.01)
