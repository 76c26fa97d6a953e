"""ReFrame's reports in JSON, as its versions write them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from reading import NAME, runs

from excerpts_of_networks import REFRAME_REPORT
from hockney.base.errors import UsageError
from hockney.foreign.exchange import reading
from hockney.foreign.logs.log import log_of
from hockney.foreign.logs.table import LogTable

SITE = """
import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class Echo(rfm.RunOnlyRegressionTest):
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    size = parameter([8, 1024])
    executable = "echo"
    executable_opts = ["latency: 1.25", "rate: 900.5"]

    @sanity_function
    def prints(self):
        return sn.assert_found("latency", self.stdout)

    @performance_function("us")
    def latency(self):
        return sn.extractsingle(r"latency: (\\S+)", self.stdout, 1, float)

    @performance_function("MB/s")
    def bandwidth_1MiB(self):
        return sn.extractsingle(r"rate: (\\S+)", self.stdout, 1, float)
"""


def tables(text: str) -> list[LogTable]:
    read = log_of(text, Path(NAME))
    assert reading.recognise(read) == "reframe-reports"
    return reading.read(read, "reframe-reports")


def test_a_test_case_is_a_launch() -> None:
    latency, bandwidth = runs(REFRAME_REPORT)
    assert [s.value_s for s in latency.summaries] == [1.15e-6, 1.25e-6]
    assert [s.value_Bps for s in bandwidth.summaries] == [11500.5e6, 11400.25e6]
    assert [len(run.launches) for run in (latency, bandwidth)] == [2, 2]
    assert {s.bytes for s in latency.summaries} == {1024}


def test_a_failed_test_case_is_said() -> None:
    notes = [note for table in tables(REFRAME_REPORT) for note in table.notes]
    assert [note.partition(": ")[2] for note in notes] == [
        "the test failed by its own references; read as printed"
    ] * 2


@pytest.mark.long
def test_what_reframe_itself_writes_is_read(tmp_path: Path) -> None:
    (tmp_path / "site.py").write_text(SITE)
    subprocess.run(
        [Path(sys.executable).parent / "reframe", "-c", "site.py", "-r", "--report-file=r.json"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    log_tables = tables((tmp_path / "r.json").read_text())
    rows = {
        (table.experiment, row.bytes, row.statistic) for table in log_tables for row in table.rows
    }
    assert rows == {
        ("Echo-latency", 8, "mean"),
        ("Echo-latency", 1024, "mean"),
        ("Echo-bandwidth_1MiB", 1 << 20, "bandwidth"),
    }


def test_a_list_of_variables_as_older_versions_write_it() -> None:
    variable = {"name": "latency", "reference": 1.2, "thres_lower": None, "thres_upper": 0.1}
    case = {
        **{"name": "osu_latency", "environment": "gnu", "system": "hill:compute"},
        **{"jobid": "7", "result": "success", "check_params": {"osu.msg_size": 4096}},
        "perfvars": [{**variable, "unit": "us", "value": 1.5}, {**variable, "value": None}],
    }
    report = {"session_info": {"version": "3.12.0"}, "runs": [{"testcases": [case]}]}
    [table] = tables(json.dumps(report))
    assert [(row.bytes, row.value_s) for row in table.rows] == [(4096, 1.5e-6)]
    assert table.version == "3.12.0"
    assert table.options["partition"] == "compute"


def test_a_report_that_was_cut_gives_no_number() -> None:
    with pytest.raises(UsageError, match="the report is not whole, or no JSON: nothing is read"):
        tables(REFRAME_REPORT[:-40])


def test_a_report_in_one_long_line_is_read() -> None:
    report = json.dumps(json.loads(REFRAME_REPORT) | {"more": "x" * 10_000})
    assert len(tables(report)) == 4
