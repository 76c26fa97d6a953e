"""A platform that is exported and measured again takes as long as what it was made from."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import RunHockney
from hockney import records
from hockney.base.errors import UsageError
from hockney.foreign.programs import simgrid
from hockney.infer.analysis import Analysis
from hockney.infer.estimate import estimate
from hockney.records import Run, Samples, Switch
from samples import make_run

WITHIN = 0.05


def protocols_ns(launch: int, round_: int, size: int) -> list[float]:  # noqa: ARG001
    """Eager below 4 KiB, rendezvous from there on, slower beyond 256 KiB."""
    if size < 4096:
        return [8000.0 + 2.0 * size]
    return [40000.0 + (0.8 if size <= 262144 else 3.0) * size]


def again(hockney: RunHockney, run: Run, *arguments: str) -> dict[str, object]:
    """The JSON of a run on the exported platform."""
    platform = (run.path or Path("run")).with_suffix(".xml")
    platform.write_bytes(simgrid.write(Analysis(run)))
    done = hockney(*arguments, "--platform", str(platform), "--json", "-q")
    assert done.status == 0, done.stderr
    result: dict[str, object] = json.loads(done.stdout)
    return result


def assert_same_medians(hockney: RunHockney, run: Run) -> None:
    measured = {p.bytes: p.median_s for p in estimate(run).headline}
    sizes = ",".join(str(size) for size in measured)
    points = again(hockney, run, "pingpong", "--sizes", sizes)["points"]
    assert isinstance(points, list)
    simulated = {point["bytes"]: point["median_s"] for point in points}
    assert simulated == {size: pytest.approx(t, rel=WITHIN) for size, t in measured.items()}


@pytest.mark.long
@pytest.mark.simgrid
def test_regimes_with_jumps_are_simulated(hockney: RunHockney, tmp_path: Path) -> None:
    run = make_run(protocols_ns, sizes=[0, *(2**power for power in range(23))])
    run.path = tmp_path / "run.jsonl"
    run.add(Switch(low_bytes=4095, high_bytes=4096, below="eager", above="rendezvous", evidence=""))
    assert_same_medians(hockney, run)
    platform = run.path.with_suffix(".xml").read_text()
    assert 'id="smpi/send-is-detached-thresh" value="4096"' in platform


@pytest.mark.long
@pytest.mark.simgrid
def test_what_this_machine_was_measured_to_be_is_simulated(
    hockney: RunHockney, measured: Path, tmp_path: Path
) -> None:
    run = records.read(measured)
    run.path = tmp_path / "run.jsonl"
    assert_same_medians(hockney, run)


@pytest.mark.long
@pytest.mark.simgrid
def test_overheads_are_simulated(hockney: RunHockney, tmp_path: Path) -> None:
    # Beside other work a launch may have overheads that no machine has.
    assert any(_simulates_overheads(hockney, tmp_path / f"{n}.jsonl") for n in range(8))


def _simulates_overheads(hockney: RunHockney, path: Path) -> bool:
    words = ("overheads", "--sizes", "8,4KiB", "--messages", "4", "--budget", "5s")
    done = hockney(*words, "-o", str(path), "--json", "-q")
    assert done.status == 0, done.stderr
    simulations = again(hockney, records.read(path), *words)["overheads"]
    assert isinstance(simulations, list)
    agree = []
    for simulated, real in zip(simulations, json.loads(done.stdout)["overheads"], strict=True):
        of = {name: real[name]["value"] for name in ("one_way_s", "o_send_s", "o_receive_s")}
        # SimGrid's clock has steps of 1 ns.
        one_way = simulated["one_way_s"]["value"]
        agree.append(one_way == pytest.approx(of["one_way_s"], rel=WITHIN, abs=3e-9))
        if of["o_send_s"] + of["o_receive_s"] < of["one_way_s"]:
            for name in ("o_send_s", "o_receive_s"):
                wanted = max(of[name], 0.0)
                approximate = pytest.approx(wanted, rel=WITHIN, abs=5e-9)
                agree.append(simulated[name]["value"] == approximate)
    return all(agree)


@given(
    st.lists(
        st.tuples(st.integers(16, 2**30), st.floats(1e-7, 1.0)),
        min_size=1,
        max_size=30,
        unique_by=lambda point: point[0],
    )
)
def test_any_times_are_met_by_some_sections(points: list[tuple[int, float]]) -> None:
    wire, seconds = np.array(sorted(points), dtype=np.float64).T
    sections = simgrid.sections_of(wire, seconds)
    last = np.array([section.last_bytes for section in sections])
    assert (np.diff(last) > 0).all()
    for size, time in zip(wire, seconds, strict=True):
        section = sections[int(np.searchsorted(last, size, side="left"))]
        assert section.alpha_s >= 0.0
        assert section.beta_s_per_B > 0.0
        predicted = section.alpha_s + section.beta_s_per_B * size
        assert predicted == pytest.approx(time, rel=1.01 * simgrid.CLOSE)


def test_a_label_cannot_end_the_comment() -> None:
    run = make_run(protocols_ns, sizes=[8, 64])
    run.header.label = "a --> b\n<config>"
    text = simgrid.write(Analysis(run)).decode()
    run.header.label = None
    assert text.count("-->") == 1
    assert text.count("<config>") == 2


def test_what_makes_no_link_is_told() -> None:
    with pytest.raises(UsageError, match="at least two sizes"):
        simgrid.write(Analysis(make_run(protocols_ns, sizes=[8])))
    run = make_run(protocols_ns, sizes=[8, 64])
    for samples in list(run.samples):
        run.add(
            Samples(
                launch=samples.launch,
                round=samples.round,
                operation="pingpong",
                bytes=samples.bytes,
                ranks=2,
                peers=(2, 3),
                repetitions=1,
                ns=samples.ns,
            )
        )
    with pytest.raises(UsageError, match="do not describe one link"):
        simgrid.write(Analysis(run))


def test_what_is_below_the_precision_of_simgrid_is_no_overhead() -> None:
    """SimGrid prints a line whenever it is to wait for less."""
    sizes = np.array([8.0, 64.0, 512.0])
    times = simgrid.WireTimes(
        sizes, np.array([1e-6, 1.1e-6, 2e-6]), np.full(3, 2e-10), np.array([2e-9, 0.0, 9e-10])
    )
    run = make_run(lambda _launch, _round, _size: [1000.0])
    platform = simgrid.platform_of(run, times, True).decode()
    assert 'id="smpi/os" value="0:0:0"' in platform
    overhead = re.search(r'id="smpi/or" value="([^"]*)"', platform)
    assert overhead
    assert overhead[1].startswith("0:2e-09:0;8:")
    assert overhead[1].endswith(";512:0:0")
