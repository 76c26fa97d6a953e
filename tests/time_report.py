"""Reports the time of a test run by file, with tests that are over their budget
(CONTRIBUTING.md)."""

from __future__ import annotations

from collections import Counter

import pytest

FILE_BUDGET_S = 10.0
TEST_BUDGET_S = 2.0
"""Longest test (s), so that `make test` answers in six minutes on two slow cores. Longer ones are
reported and never asserted: a busy machine is no fault."""
SLOWEST = 10


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Printed where the slowest tests are (--durations)."""
    if not config.option.durations:
        return
    reports = [
        report
        for some in terminalreporter.stats.values()
        for report in some
        if isinstance(report, pytest.TestReport)
    ]
    files, tests = seconds_of(reports)
    terminalreporter.section(f"slowest {SLOWEST} files, of {files.total():.0f} s in all")
    for line in lines(files, tests):
        terminalreporter.write_line(line)


def seconds_of(reports: list[pytest.TestReport]) -> tuple[Counter[str], Counter[str]]:
    """Seconds by file and by test, with what sets them up; a test that was run twice counts
    twice."""
    files: Counter[str] = Counter()
    tests: Counter[str] = Counter()
    for report in reports:
        files[report.nodeid.partition("::")[0]] += report.duration
        tests[report.nodeid] += report.duration
    return files, tests


def lines(files: Counter[str], tests: Counter[str]) -> list[str]:
    """The slowest files, then the tests that are over their budget."""
    rows = []
    for name, seconds in files.most_common(SLOWEST):
        over = f"  over its budget of {FILE_BUDGET_S:.0f} s" if seconds > FILE_BUDGET_S else ""
        rows.append(f"{seconds:6.1f} s  {name}{over}")
    for name, seconds in tests.most_common():
        if seconds > TEST_BUDGET_S:
            rows.append(f"{seconds:6.1f} s  {name}  over a test's budget of {TEST_BUDGET_S:.0f} s")
    return rows
