"""hockney collective --phases: what is refused, and real ranks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import RunHockney


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("bcast", "--phases", "binominal"), "no schedule of that name for bcast"),
        (("alltoall", "--phases", "all"), "none of alltoall is made by messages"),
        (("ibcast", "--phases", "all"), "none of ibcast is made by messages"),
        (("bcast", "--phases", "all", "--root", "rotate"), "--phases does not work with --root"),
        (("bcast", "--phases", "all", "--sync", "barrier"), "--phases does not work with --root"),
        (("bcast", "--phases", "all", "--arrival", "none"), "--phases does not work with --root"),
    ],
)
def test_refused(
    hockney: RunHockney, tmp_path: Path, words: tuple[str, ...], complaint: str
) -> None:
    done = hockney.refused("collective", *words, "-n", "2", because=complaint)
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.glob("*.jsonl"))


def test_real_ranks(hockney: RunHockney, tmp_path: Path) -> None:
    """Phases add up in every repetition, beside the library's own time in the same launches."""
    words = ("bcast", "-n", "2", "--phases", "scatter_allgather,chain", "--sizes", "8,64KiB")
    rows = hockney.ok(
        *("collective", *words, "--budget", "1s", "--launches", "2", "--json", "-q"),
        *("-o", "run.jsonl"),
    ).json["phases"]
    assert {(row["algorithm"], row["bytes"]) for row in rows} == {
        (name, size) for name in ("scatter_allgather", "chain") for size in (8, 65536)
    }
    for row in rows:
        assert row["library_algorithm"] == "default"
        assert row["library_s"] > 0.0
        assert row["predicted_s"] > 0.0
    visits = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    by_visit: dict[tuple[int, int, int], dict[str, list[float]]] = {}
    for visit in visits:
        if visit["kind"] == "samples" and visit.get("phase") and visit["algorithm"] != "chain":
            key = (visit["launch"], visit["round"], visit["bytes"])
            by_visit.setdefault(key, {})[visit["phase"]] = visit["ns"]
    assert by_visit
    for phases in by_visit.values():
        assert set(phases) == {"all", "scatter", "allgather"}
        both = zip(phases["scatter"], phases["allgather"], strict=True)
        assert [sum(parts) for parts in both] == pytest.approx(phases["all"], rel=1e-5)
