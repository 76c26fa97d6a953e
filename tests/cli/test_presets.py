"""The classic programs' grids, repetitions and tables; short, by restricting the sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import RunHockney
from hockney import records
from hockney.foreign.programs import preset_named


def counts(preset: str) -> dict[int, tuple[int | None, int]]:
    return {size.bytes: (size.repetitions, size.warmup) for size in preset_named(preset).sizes}


def test_grids_and_repetitions_are_the_originals() -> None:
    durham = preset_named("durham")
    assert [size.bytes for size in durham.sizes] == [2**i for i in range(27)]
    assert durham.seconds_a_size == 3.0
    assert counts("tacc") == {1024 * 2**i: (3, 0) for i in range(16)}
    assert counts("itmo") == {0: (10, 0), **{4 * 10**i: (10, 0) for i in range(7)}}
    osu = counts("osu")
    assert list(osu) == [2**i for i in range(23)]
    assert (osu[8192], osu[16384]) == ((10000, 100), (1000, 10))
    imb = counts("imb")
    assert list(imb) == [0, *(2**i for i in range(23))]
    assert (imb[0], imb[65536], imb[4194304]) == ((1000, 100), (640, 64), (10, 10))


def measured(hockney: RunHockney, preset: str, *arguments: str) -> tuple[str, dict, records.Run]:  # type: ignore[type-arg]
    done = hockney.ok("pingpong", "--preset", preset, "-q", "-o", "run.jsonl", *arguments)
    shown = hockney("show", "run.jsonl", "--json").json
    return done.stdout, shown, records.read(Path("run.jsonl"))


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_tacc(hockney: RunHockney) -> None:
    table, shown, run = measured(hockney, "tacc", "--to", "4KiB", "--from", "1KiB")
    assert "first rank, clock cost subtracted" in (run.launches[0].definition or "")
    assert [len(samples.ns) for samples in run.samples] == [3, 3, 3]
    lines = table.splitlines()
    assert lines[0].split() == ["RUNS", "BYTES", "RATE(MB/s)", "TIME(sec)"]
    for line, point in zip(lines[2:], shown["points"], strict=True):
        runs, size, slow, _, mean, _, fast, longest, *_ = line.split()
        assert (int(runs), int(size)) == (3, point["bytes"])
        mib = 2 * point["bytes"] / 2**20
        assert float(fast) == pytest.approx(mib / (2 * point["min_s"]), abs=1e-4)
        assert float(mean) == pytest.approx(mib / (2 * point["mean_s"]), abs=1e-4)
        assert float(slow) == pytest.approx(mib / (2 * point["max_s"]), abs=1e-4)
        assert float(longest) == pytest.approx(2 * point["max_s"], abs=1e-6)


def test_itmo(hockney: RunHockney) -> None:
    table, shown, run = measured(hockney, "itmo", "--sizes", "0,4,40,400000")
    assert {samples.repetitions for samples in run.samples} == {10}
    for line, point in zip(table.splitlines(), shown["points"], strict=True):
        fields = dict(word.split("=") for word in line.split())
        assert int(fields["L(bytes)"]) == point["bytes"] == 4 * int(fields["len"])
        total_us = float(fields["T(us)"])
        assert total_us == pytest.approx(20 * point["median_s"] * 1e6, rel=1e-4)
        assert float(fields["s[latency](us)"]) == pytest.approx(total_us / 20, rel=1e-4)
        rate = 2 * point["bytes"] * 10 / (total_us * 1e-6) / 2**20
        assert float(fields["R[bandwidth](MB/s)"]) == pytest.approx(rate, rel=1e-4)


def test_osu(hockney: RunHockney) -> None:
    table, shown, run = measured(hockney, "osu", "--sizes", "1,16KiB")
    assert "clock cost included" in (run.launches[0].definition or "")
    assert [sum(len(s.ns) for s in run.samples if s.bytes == b) for b in (1, 16384)] == [
        10000,
        1000,
    ]
    lines = table.splitlines()
    assert lines[1] == "# OSU MPI Latency Test v7.4"
    assert lines[3] == "# Size       Avg Latency(us)"
    for line, point in zip(lines[4:], shown["points"], strict=True):
        assert line == f"{point['bytes']:<10d}{point['mean_s'] * 1e6:18.2f}"


def test_imb(hockney: RunHockney) -> None:
    table, shown, run = measured(hockney, "imb", "--sizes", "0,1KiB,1MiB")
    assert [samples.repetitions for samples in run.samples] == [1000, 1000, 40]
    rows = [line.split() for line in table.splitlines() if not line.lstrip().startswith("#")]
    for row, point in zip(rows, shown["points"], strict=True):
        assert int(row[0]) == point["bytes"]
        assert float(row[2]) == pytest.approx(point["median_s"] * 1e6, abs=0.006)
        assert float(row[3]) == pytest.approx(point["bytes"] / point["median_s"] / 1e6, abs=0.006)


@pytest.mark.long
def test_durham(hockney: RunHockney) -> None:
    table, shown, run = measured(hockney, "durham", "--sizes", "1MiB")
    (line,), (point,), (samples,) = table.splitlines(), shown["points"], run.samples
    size, repetitions, seconds = line.split()
    assert (int(size), int(repetitions)) == (1 << 20, samples.repetitions)
    assert float(seconds) == pytest.approx(point["median_s"], rel=1e-5)
    assert 1 < samples.repetitions <= 3_000_000


def test_durham_statistics(hockney: RunHockney) -> None:
    done = hockney(
        *("pingpong", "--every-iteration", "--sizes", "8", "--format", "durham", "-q"),
        *("--budget", "0.5s", "--launches", "1"),
    )
    words = done.stdout.replace(",", "").split()
    assert words[::3] == ["mean", "stdv", "max", "min"]
    mean, deviation, largest, smallest = (float(word) for word in words[2::3])
    assert smallest <= mean <= largest
    assert deviation > 0.0
