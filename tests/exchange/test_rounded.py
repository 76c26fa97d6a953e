"""Rounded times: intervals are as wide as the rounding, and near times are not told apart."""

from __future__ import annotations

from pathlib import Path

from conftest import RunHockney

LOG = """# OSU MPI Latency Test v5.9
# Size          Latency (us)
0                       {time}
1                       {time}
2                       {time}
4                       {time}
"""


def joined(hockney: RunHockney, folder: Path, name: str, time: str) -> str:
    """Eight launches whose times are all printed so."""
    logs = []
    for launch in range(8):
        logs.append(f"{name}{launch}.log")
        (folder / logs[-1]).write_text(LOG.format(time=time))
    done = hockney("import", "--join", *logs, "-o", f"{name}.jsonl")
    assert done.status == 0, done.stderr
    return f"{name}.jsonl"


def test_times_that_print_as_neighbours_are_not_told_apart(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """0.1449 and 0.1451 us print as 0.14 and 0.15."""
    files = [joined(hockney, tmp_path, name, time) for name, time in (("a", "0.14"), ("b", "0.15"))]
    done = hockney("compare", *files)
    assert done.status == 0
    assert "unknown (ratio 1.071, 95 % interval 0.973 .. 1.180)" in done.stdout
    assert "latency 140 ns ±3.6 % at 0 B" in hockney("show", files[0]).stdout


def test_times_that_print_further_apart_are(hockney: RunHockney, tmp_path: Path) -> None:
    files = [joined(hockney, tmp_path, name, time) for name, time in (("a", "0.14"), ("b", "0.17"))]
    assert hockney("compare", *files).status == 1
