"""integrations/reframe, run by ReFrame itself on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import TEST_TIMEOUT_S, run_here
from hockney.run.mpis import Engine
from networks import with_slow_fabric
from platforms import EXACT

pytestmark = pytest.mark.long

CHECKS = Path(__file__).parents[2] / "integrations" / "reframe"
SITE = """
import reframe as rfm
from hockney_pingpong import HockneyPingPong


@rfm.simple_test
class OfOurs(HockneyPingPong):
    budget = "1s"
    sizes = "0,8,64KiB"
    reference = {{"*": {{"latency": {latency}, "bandwidth": {bandwidth}}}}}
"""
ANY_LATENCY, ANY_BANDWIDTH = (1.0, None, 1e7, "us"), (1e7, -1.0, None, "MiB/s")


POINTS = """
import reframe as rfm
import references
from hockney_points import HockneyCollective


@rfm.simple_test
class OfOurs(HockneyCollective):
    budget = "1s"
    verb = ["collective", "bcast", "--sizes", "8,1KiB"]
    reference = references.reference
"""


def _run(tmp_path: Path, latency: tuple[object, ...]) -> tuple[int, dict[str, object]]:
    return _reframe(tmp_path, SITE.format(latency=latency, bandwidth=ANY_BANDWIDTH))


def _reframe(tmp_path: Path, site: str) -> tuple[int, dict[str, object]]:
    (tmp_path / "site.py").write_text(site)
    here = Path(sys.executable).parent
    search = f"{CHECKS}:{tmp_path}:{os.environ.get('PYTHONPATH', '')}"
    done = subprocess.run(
        [here / "reframe", "-c", "site.py", "-r", "--report-file=report.json"],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{here}:{os.environ['PATH']}", "PYTHONPATH": search},
        capture_output=True,
        text=True,
        timeout=TEST_TIMEOUT_S,
    )
    assert (tmp_path / "report.json").exists(), done.stdout + done.stderr
    case = json.loads((tmp_path / "report.json").read_text())["runs"][0]["testcases"][0]
    return done.returncode, case


@pytest.mark.usefixtures("engine")
def test_performance_variables_are_measured_within_their_references(tmp_path: Path) -> None:
    status, case = _run(tmp_path, ANY_LATENCY)
    assert (status, case["result"]) == (0, "pass"), case
    values = case["perfvalues"]
    assert isinstance(values, dict)
    assert {name.rsplit(":")[-1] for name in values} == {"latency", "bandwidth"}
    assert all(value[0] > 0 for value in values.values())


def test_a_latency_beyond_its_reference_fails(tmp_path: Path, engine: Engine) -> None:
    assert engine.path.exists()
    status, case = _run(tmp_path, (1e-6, None, 0.05, "us"))
    assert status != 0
    assert (case["result"], case["fail_phase"]) == ("fail", "performance")


@pytest.fixture(scope="module")
def exported(
    engine: Engine,  # noqa: ARG001
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, tuple[float, float, float, str]]:
    """References of two points, from one run for all tests of them. Five launches in one state of
    the machine make an interval."""
    run = tmp_path_factory.mktemp("exported") / "run.jsonl"
    words = ("collective", "bcast", "--sizes", "8,1KiB", "-n", "2", "--budget", "6s")
    done = run_here([*words, "--launches", "24", "-q", "-o", str(run)])
    assert done.status == 0, done.stderr
    done = run_here(["export", str(run), "--to", "reframe-references"])
    assert done.status == 0, done.stderr
    module: dict[str, dict[str, dict[str, tuple[float, float, float, str]]]] = {}
    exec(done.stdout, module)
    return module["reference"]["*"]


@pytest.mark.parametrize(
    ("factor", "upper", "result"),
    # On a busy machine ranks wait for their CPU, a thousand times as long as a message takes.
    [(1.0, 1e6, "pass"), (1e-6, 20.0, "fail")],
)
def test_exported_references_are_those_of_the_points(
    exported: dict[str, tuple[float, float, float, str]],
    tmp_path: Path,
    factor: float,
    upper: float,
    result: str,
) -> None:
    """References of a millionth of the times make everything too slow."""
    loose = {
        name: (factor * value, -1.0, upper, unit) for name, (value, _, _, unit) in exported.items()
    }
    (tmp_path / "references.py").write_text(f"reference = {{'*': {loose!r}}}\n")
    _, case = _reframe(tmp_path, POINTS)
    assert case["result"] == result, case
    values = case["perfvalues"]
    assert isinstance(values, dict)
    assert set(loose) == {"bcast_default_8B_2ranks", "bcast_default_1024B_2ranks"}
    assert {name.rsplit(":")[-1] for name in values} == set(loose)


ANY = """
import reframe as rfm
from hockney_points import {name}


@rfm.simple_test
class OfOurs({name}):
    budget = "1s"
"""


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("HockneyRma", "put_flush_allocate"),
        ("HockneyHalo", "halo_waitall"),
        ("HockneyCores", "0_1"),
    ],
)
def test_every_point_of_an_experiment_is_a_variable(
    tmp_path: Path, name: str, variable: str
) -> None:
    status, case = _reframe(tmp_path, ANY.format(name=name))
    assert (status, case["result"]) == (0, "pass"), case
    values = case["perfvalues"]
    assert isinstance(values, dict)
    assert any(variable in key for key in values), list(values)
    assert all(value[0] > 0.0 and value[-2] == "us" for value in values.values())


SWITCHES = """
import reframe as rfm
from hockney_switches import HockneySwitches


@rfm.simple_test
class OfOurs(HockneySwitches):
    num_tasks = {nodes}
    topology = "{here}/topology.conf"
    options = ["--platform", "{here}/platform.xml", {exact}]
"""


@pytest.mark.simgrid
@pytest.mark.parametrize(("fault", "result"), [("none", "pass"), ("cable", "fail")])
def test_a_slow_cable_of_a_simulated_network_fails_the_test_by_name(
    tmp_path: Path, fault: str, result: str
) -> None:
    fabric, names = with_slow_fabric(0, fault)
    (tmp_path / "platform.xml").write_text(fabric.xml)
    (tmp_path / "topology.conf").write_text(fabric.topology)
    exact = ", ".join(json.dumps(word) for word in EXACT)
    _, case = _reframe(
        tmp_path, SWITCHES.format(nodes=len(fabric.hosts), here=tmp_path, exact=exact)
    )
    assert case["result"] == result, case
    if fault == "cable":
        assert case["fail_phase"] == "sanity"
        assert f"the cable between switches {names[0]} and {names[1]} is slow" in str(case)
        return
    values = case["perfvalues"]
    assert isinstance(values, dict)
    assert {name.rsplit(":")[-1] for name in values} >= {
        "same_switch_8B_median",
        "same_switch_1048576B_max",
    }
    assert all(value[0] > 0.0 and value[-2] == "us" for value in values.values())
