"""Ramble's results, in text and JSON, with repeats, sizes and IMB's swapped columns."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from reading import NAME

from hockney.base.errors import UsageError
from hockney.foreign.exchange import reading
from hockney.foreign.logs.log import log_of
from hockney.foreign.logs.runs import runs_of
from hockney.records import Run

TEXT = """\
From Workspace: osu (hash: 0123)
Experiment osu-micro-benchmarks.osu_latency.two_nodes figures of merit:
  Status = SUCCESS
  default (null) context figures of merit:
    OMB Version = v7.3
  Message Size: 8 figures of merit:
    Latency = 1.25 us
    P99 Tail Latency = 2.5 us
  Message Size: 1024 figures of merit:
    Latency = 2.25 us
Experiment osu-micro-benchmarks.osu_latency.one_node figures of merit:
  Status = FAILED
  Message Size: 8 figures of merit:
    Latency = 0.25 us
Experiment osu-micro-benchmarks.osu_mbw_mr.two_nodes figures of merit:
  Status = SUCCESS
  Message Size: 8 figures of merit:
    Bandwidth = 100.5 MB/s
    Message Rate = 12562500.0 Messages/s
"""
REPEATS = "From Workspace: osu (hash: 0123)\n" + "".join(
    f"""\
Experiment osu-micro-benchmarks.osu_bw.night{end} figures of merit:
  Status = SUCCESS
  Message Size: 8 figures of merit:
{figures}"""
    for end, figures in (
        ("", "    Bandwidth:\n      summary::min = 90.5 MB/s\n      summary::mean = 95.5 MB/s\n"),
        (".1", "    Bandwidth = 100.5 MB/s\n"),
        (".2", "    Bandwidth = 90.5 MB/s\n"),
    )
)


def ramble(text: str) -> list[Run]:
    read = log_of(text, Path(NAME))
    format = reading.recognise(read)
    assert format == "ramble"
    return runs_of([(read, table) for table in reading.read(read, format)], format)


def values(run: Run) -> set[tuple[int, str, float | None]]:
    return {
        (s.bytes, s.statistic, s.value_s or s.value_Bps or s.value_per_s) for s in run.summaries
    }


def as_json(text: str) -> str:
    """The same results as Ramble's JSON has them."""
    experiments: list[dict[str, object]] = []
    for line in text.splitlines()[1:]:
        words = line.split()
        if line.startswith("Experiment"):
            experiments.append({"name": words[1], "RAMBLE_VARIABLES": {"n_ranks": 4}})
            contexts: list[dict[str, object]] = []
            experiments[-1]["CONTEXTS"] = contexts
        elif "Status" in line:
            experiments[-1]["RAMBLE_STATUS"] = words[2]
        elif line.endswith("figures of merit:"):
            foms: list[dict[str, object]] = []
            shown = line.strip().removesuffix(" figures of merit:")
            contexts.append({"name": "x", "display_name": shown, "foms": foms})
        elif " = " in line:
            name, _, rest = line.strip().partition(" = ")
            number, _, unit = rest.partition(" ")
            foms.append(
                {"name": name, "value": number, "units": unit, "origin_type": "application"}
            )
    return json.dumps({"workspace_hash": "0123", "experiments": experiments})


@pytest.mark.parametrize("text", [TEXT, as_json(TEXT)], ids=["text", "json"])
def test_each_experiment_is_one_with_its_sizes(text: str) -> None:
    two_nodes, one_node, rate = ramble(text)
    assert values(two_nodes) == {(8, "mean", 1.25e-6), (8, "p99", 2.5e-6), (1024, "mean", 2.25e-6)}
    assert values(one_node) == {(8, "mean", 0.25e-6)}
    assert values(rate) == {(8, "bandwidth", 100.5e6), (8, "message rate", 12562500.0)}
    assert [run.summaries[0].operation for run in (two_nodes, rate)] == [
        "pingpong",
        "multi-bandwidth",
    ]
    assert {s.ranks for s in two_nodes.summaries} == {4 if text.startswith("{") else None}
    assert one_node.header.source is not None
    assert "one_node has the status FAILED" in one_node.header.source.notes[0]


def test_repeats_are_launches_and_their_summary_is_not_another() -> None:
    [run] = ramble(REPEATS)
    assert [(s.launch, s.value_Bps) for s in run.summaries] == [(0, 100.5e6), (1, 90.5e6)]


def test_a_summary_alone_is_read() -> None:
    [run] = ramble(REPEATS.partition("Experiment osu-micro-benchmarks.osu_bw.night.1")[0])
    assert values(run) == {(8, "bandwidth", 95.5e6), (8, "bandwidth, min over repeats", 90.5e6)}


def test_swapped_columns_of_imb_are_put_right() -> None:
    """Ramble's pattern reads IMB's t_max as the average, and its t_avg as the maximum."""
    [run] = ramble(
        """\
Experiment intel-mpi-benchmarks.collective.a figures of merit:
  Status = SUCCESS
  Bytes: 64 (Latency) figures of merit:
    Latency min = 1.5 usec
    Latency avg = 4.5 usec
    Latency max = 3.5 usec
"""
    )
    assert values(run) == {
        (64, "least rank mean", 1.5e-6),
        (64, "largest rank mean", 4.5e-6),
        (64, "mean", 3.5e-6),
    }
    assert run.header.source is not None
    assert "takes IMB's columns for each other" in " ".join(run.header.source.notes)


def test_figures_without_a_size_are_said() -> None:
    [run] = ramble(
        TEXT.replace("v7.3", "v7.3\n    Total = 12.5 s").partition(
            "Experiment osu-micro-benchmarks.osu_latency.one"
        )[0]
    )
    assert run.header.source is not None
    assert "1 figures of" in run.header.source.notes[0]
    with pytest.raises(UsageError, match="without a message size are not read"):
        ramble(TEXT.partition("  Message")[0] + "    Total = 12.5 s\n")


@pytest.mark.parametrize("as_format", [str, as_json], ids=["text", "json"])
def test_a_message_size_has_the_unit_that_follows_it(as_format: Callable[[str], str]) -> None:
    text = TEXT.replace("Size: 1024", "Size: 4 MiB").replace("Size: 8", "transfer size = 2 KiB")
    two, _, _ = ramble(as_format(text))
    assert {(size, seconds) for size, _, seconds in values(two)} == {
        (2048, 1.25e-6),
        (2048, 2.5e-6),
        (4 << 20, 2.25e-6),
    }


def test_a_message_size_whose_unit_is_not_settled_is_left_out() -> None:
    two, _, _ = ramble(TEXT.replace("Size: 1024", "Size: 1 KB"))
    assert {size for size, _, _ in values(two)} == {8}
    assert two.header.source is not None
    [note] = two.header.source.notes
    assert "1 figures of" in note
    assert "'KB' may be of 1000 or 1024: write bytes, KiB, MiB or GiB" in note


def test_yaml_is_refused_with_what_to_do() -> None:
    with pytest.raises(UsageError, match="YAML is not read: ramble workspace analyze -f json"):
        ramble("experiments:\n- name: a.b.c\n  RAMBLE_STATUS: SUCCESS\n")
