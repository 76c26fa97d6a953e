"""Logs as administrators, pages and spreadsheets keep them, and what is printed below rows."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from reading import numbers, tables

import excerpts as logs
import excerpts_of_networks as networks
from excerpts import EXCERPTS
from hockney.base.errors import UsageError

OSU = "# OSU MPI Latency Test v7.4\n# Size          Latency (us)\n8  1.25\n16  2.50\n32  3.75\n"
OF_OSU = numbers(tables(OSU)[0])


def ansible(text: str) -> str:
    lines = ",\n".join(f"        {json.dumps(line)}" for line in text.splitlines())
    return f'ok: [n1] => {{\n    "job.stdout_lines": [\n{lines}\n    ]\n}}\n'


@pytest.mark.parametrize(
    "kept",
    [ansible, "<pre><code>{}</code></pre>\n".format, '<pre class="log">{}</pre>'.format],
    ids=["ansible", "page", "page with a class"],
)
def test_a_log_is_read_as_tools_and_pages_keep_it(kept: Callable[[str], str]) -> None:
    [table] = tables(kept(OSU))
    assert numbers(table) == OF_OSU
    assert table.notes == []


@pytest.mark.parametrize(
    "below",
    [
        "0.45user 0.21system 0:02.51elapsed 26%CPU (0avgtext+0avgdata 14328maxresident)k\n"
        "0inputs+0outputs (0major+2500minor)pagefaults 0swaps\n",
        "\nreal\t0m2.123s\nuser\t0m1.500s\nsys\t0m0.200s\n",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.\n",
    ],
)
def test_what_a_shell_or_a_launcher_prints_below_rows_is_no_row(below: str) -> None:
    [table] = tables(OSU + below)
    assert (numbers(table), table.notes) == (OF_OSU, [])


def test_a_row_that_is_left_out_has_one_warning() -> None:
    [table] = tables(f"{OSU}64  nan\n")
    assert table.notes == ["line 6: mean is nan: it is left out"]


def test_a_spreadsheet_may_keep_the_title_of_the_log() -> None:
    text = OSU.replace("# Size          ", "# Size,").replace("  ", ",").replace("v7.4", "v7.4,")
    [table] = tables(text)
    assert numbers(table) == OF_OSU


def test_lines_of_several_ranks_are_refused_with_what_to_do() -> None:
    text = "".join(f"{rank}: {line}\n" for line in logs.NCCL.splitlines() for rank in (0, 1))
    with pytest.raises(UsageError, match="take the lines that begin so") as refused:
        tables(text)
    assert "sed -n 's/^0: //p' some.log | hockney import -" in str(refused.value)


def test_a_matrix_of_receivers_that_is_cut_below_its_heading_is_said() -> None:
    text = networks.MPIGRAPH[: networks.MPIGRAPH.index("node-1:0 from")]
    [table] = tables(text)
    assert "no receive bandwidth of rank 0, 1, 2: the matrix lacks these rows" in table.notes


def test_a_hole_whose_other_direction_is_measured_is_said() -> None:
    [table] = tables(networks.MATRIX.replace("900.5", "nan"))
    assert any("1 hole, without a number: node-1 to node-2" in note for note in table.notes)


def test_the_rule_below_the_rows_of_julia_ends_no_row() -> None:
    every = tables(EXCERPTS["julia"][1])
    assert [table.cut for table in every] == [None] * len(every)


@pytest.mark.parametrize(
    "text",
    [
        "message_size_bytes,latency_us\n8,1.25\n16,2.50\n32,3.75\n",
        json.dumps(
            {
                "host": "n1",
                "runs": [{"size": 8 << n, "latency_us": 1.25 * (n + 1)} for n in range(3)],
            }
        ),
    ],
    ids=["size in bytes", "list in a document"],
)
def test_tables_with_names_of_their_own_are_read(text: str) -> None:
    [table] = tables(text)
    assert numbers(table) == pytest.approx(OF_OSU)


def test_columns_of_json_are_refused_with_what_to_do() -> None:
    with pytest.raises(UsageError, match="it has lists: write an object for each row"):
        tables('{"size": [8, 16], "latency_us": [1.25, 1.5]}\n')


@pytest.mark.parametrize("gutter", ["{:4d}  {}\n", "{:4d} | {}\n", "{} {}\n", "{}\t{}\n"])
def test_the_line_numbers_of_an_editor_are_no_sizes(gutter: str) -> None:
    text = "".join(gutter.format(n, line) for n, line in enumerate(OSU.splitlines(), 1))
    [table] = tables(text)
    assert (numbers(table), table.notes) == (OF_OSU, [])


def test_sizes_below_each_other_with_their_times_are_not_read_as_times() -> None:
    cells = OSU.replace("Size  ", "Size\n").replace("  ", "\n").replace("\n\n", "\n")
    with pytest.raises(UsageError, match="several rows, and none has a size"):
        tables("".join(f"{line.strip()}\n" for line in cells.splitlines() if line.strip()))


def test_a_table_that_lost_its_title_is_read_by_its_heading() -> None:
    rows = OSU.partition("\n")[2].replace("Latency (us)", "Avg Latency(us)")
    [table] = tables(rows)
    assert numbers(table) == OF_OSU
