"""ReFrame's performance logs in the layouts that sites choose."""

from __future__ import annotations

from pathlib import Path

from reading import NAME, runs

from hockney.foreign.exchange import reading
from hockney.foreign.logs.log import log_of
from hockney.foreign.logs.table import LogTable


def unhelped(text: str) -> list[LogTable]:
    read = log_of(text, Path(NAME))
    return reading.read(read, reading.recognise(read))


def test_variables_of_a_line_each_are_no_launches_of_each_other() -> None:
    """perflog_compat names the variable in a column."""
    text = """\
job_completion_time|version|display_name|system|partition|environ|jobid|perf_var|perf_value|perf_unit|perf_ref|perf_lower_thres|perf_upper_thres
2025-02-10T03:00:12|4.7.1|osu %size=8|lynx|compute|gnu|90121|latency|1.25|us|1.2|null|0.1
2025-02-10T03:00:12|4.7.1|osu %size=8|lynx|compute|gnu|90121|bandwidth|11.5|MB/s|11|-0.1|null
2025-02-11T03:00:12|4.7.1|osu %size=8|lynx|compute|gnu|90188|latency|1.5|us|1.2|null|0.1
"""
    latency, bandwidth = runs(text)
    assert [len(run.launches) for run in (latency, bandwidth)] == [2, 1]
    assert [s.value_s for s in latency.summaries] == [1.25e-6, 1.5e-6]
    assert [s.value_Bps for s in bandwidth.summaries] == [11.5e6]


def test_sizes_are_in_columns_and_in_names_of_variables() -> None:
    columns = """\
result,job_completion_time,name,system,partition,environ,jobid,message_size,num_tasks,latency_value,latency_unit,latency_ref
pass,2025-02-10T03:00:12,osu_1,lynx,compute,gnu,90121,4096,2,2.25,us,null
pass,2025-02-10T03:00:12,osu_2,lynx,compute,gnu,90122,8192,2,3.25,us,null
"""
    assert [table.rows[0].bytes for table in unhelped(columns)] == [4096, 8192]
    names = """\
name|jobid|latency_8B_value|latency_8B_unit|bandwidth_4MiB_value|bandwidth_4MiB_unit
osu|1|1.25|us|11500|MB/s
"""
    assert [table.rows[0].bytes for table in unhelped(names)] == [8, 4 << 20]


def test_parameters_with_blanks_keep_tests_apart() -> None:
    heading = "display_name|jobid|latency_value|latency_unit\n"
    rows = (
        "osu %size=8 %what=('pt2pt', 'osu_latency')|1|1.25|us\n"
        "osu %size=8 %what=('pt2pt', 'osu_multi_lat')|2|1.5|us\n"
    )
    first, second = runs(heading + rows)
    assert first.header.options["what"] == "('pt2pt', 'osu_latency')"
    assert second.header.options["what"] == "('pt2pt', 'osu_multi_lat')"


def test_a_size_in_the_name_of_a_test_has_the_unit_that_follows_it() -> None:
    text = """\
display_name|jobid|latency_value|latency_unit
osu %size=4 MiB %what=a|1|1.25|us
osu %size=8KiB|1|1.25|us
osu %what=b %size=4 MB|1|1.25|us
"""
    log_tables = unhelped(text)
    assert [row.bytes for table in log_tables for row in table.rows] == [4 << 20, 8192]
    assert "'MB' may be of 1000 or 1024: write bytes, KiB, MiB or GiB" in log_tables[2].notes[0]
    column = text.replace("|jobid", "|jobid|message_size").replace("|1|1", "|1|4000000|1")
    assert unhelped(column)[2].rows[0].bytes == 4000000


def test_version_3_has_other_fields_between() -> None:
    text = "".join(
        f"2022-05-03T10:11:12|reframe 3.10.1|OsuLatency on lynx:compute using gnu|jobid={job}|"
        f"num_tasks=2|num_tasks_per_node={each}|latency={value}|ref=1.2 (l=null, u=0.1)|us\n"
        for job, each, value in ((1, 1, 1.25), (2, 2, 0.25))
    )
    between, within = runs(text)
    assert between.header.options["num_tasks_per_node"] == "1"
    assert [(s.ranks, s.value_s) for s in within.summaries] == [(2, 0.25e-6)]


def test_a_variable_that_failed_alone_is_said() -> None:
    text = """\
name|jobid|latency_value|latency_unit|latency_result
osu|1|1.25|us|fail
"""
    [run] = runs(text)
    assert run.header.source is not None
    assert "the test failed by its own references" in run.header.source.notes[0]
