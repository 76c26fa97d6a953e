"""integrations/reframe, run by ReFrame itself on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import TEST_TIMEOUT_S
from hockney.mpis import Engine

pytestmark = pytest.mark.long

CHECKS = Path(__file__).parents[2] / "integrations" / "reframe"
SITE = """
import reframe as rfm
from hockney_pingpong import HockneyPingPong


@rfm.simple_test
class OfOurs(HockneyPingPong):
    budget = "2s"
    sizes = "0,8,64KiB"
    reference = {{"*": {{"latency": {latency}, "bandwidth": {bandwidth}}}}}
"""
ANY_LATENCY, ANY_BANDWIDTH = (1.0, None, 1e7, "us"), (1e7, -1.0, None, "MiB/s")


def _run(tmp_path: Path, latency: tuple[object, ...]) -> tuple[int, dict[str, object]]:
    (tmp_path / "site.py").write_text(SITE.format(latency=latency, bandwidth=ANY_BANDWIDTH))
    here = Path(sys.executable).parent
    search = f"{CHECKS}:{os.environ.get('PYTHONPATH', '')}"
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
