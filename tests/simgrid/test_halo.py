"""Simulated halos take the time that their schedule takes by hand, and the predicted one."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import RunHockney
from platforms import cluster

pytestmark = pytest.mark.simgrid
EXACT = (
    "network/model:CM02",
    "network/TCP-gamma:0",
    "network/crosstraffic:0",
    "smpi/test:0",
    "smpi/grow-injected-times:no",
)
"""Links share what flows through them, and MPI_Waitsome tests messages at no cost."""
ALPHA_S, BETA_S_PER_B, ENVELOPE_BYTES = 10e-6, 1e-9, 16
SIZES = (1024, 1 << 20)


def posted(directions: int, size: int) -> float:
    """Everything at once: the messages share the links of their ranks, one way and the other."""
    return ALPHA_S + directions * (size + ENVELOPE_BYTES) * BETA_S_PER_B


def shifted(directions: int, size: int) -> float:
    """One direction after the other."""
    return directions * (ALPHA_S + (size + ENVELOPE_BYTES) * BETA_S_PER_B)


def halo(hockney: RunHockney, folder: Path, ranks: int, *words: str) -> list[dict[str, object]]:
    (folder / "cluster.xml").write_text(cluster(ranks, ALPHA_S / 2.0, 1.0 / BETA_S_PER_B))
    settings = [word for setting in EXACT for word in ("--cfg", setting)]
    done = hockney.ok(
        *("halo", "-n", str(ranks), "--platform", "cluster.xml"),
        *settings,
        *words,
        *("--json", "-q", "--sizes", ",".join(map(str, SIZES)), "-o", "halo.jsonl", "--force"),
    )
    predicted: list[dict[str, object]] = done.json["predicted"]
    return predicted


@pytest.mark.parametrize(
    ("ranks", "grid", "more", "directions"),
    [
        (64, "2d", (), 4),
        (64, "3d", (), 6),
        (64, "3d", ("--neighbors", "corners"), 26),
        (64, "2d", ("--open",), 4),
        pytest.param(64, "3d", ("--neighbors", "edges"), 18, marks=pytest.mark.long),
        pytest.param(1024, "2d", (), 4, marks=pytest.mark.long),
        pytest.param(1024, "3d", (), 6, marks=pytest.mark.long),
    ],
)
def test_it_takes_what_its_schedule_takes_by_hand(
    hockney: RunHockney,
    tmp_path: Path,
    ranks: int,
    grid: str,
    more: tuple[str, ...],
    directions: int,
) -> None:
    exchanges = "waitall,waitany,waitsome,persistent,sendrecv"
    points = halo(hockney, tmp_path, ranks, "--grid", grid, "--exchange", exchanges, *more)
    assert len(points) == len(SIZES) * 5
    for point in points:
        by_hand = shifted if point["exchange"] == "sendrecv" else posted
        size = point["bytes"]
        assert isinstance(size, int)
        assert point["median_s"] == pytest.approx(by_hand(directions, size), rel=0.05), point
        assert point["predicted_s"] == pytest.approx(point["median_s"], rel=0.05), point


@pytest.mark.long
def test_puts_of_neighbours_add_a_message_before_and_after_them(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """Post tells the neighbours that they may put, complete that all has been put."""
    points = halo(hockney, tmp_path, 64, "--grid", "3d", "--exchange", "put-pscw")
    assert len(points) == len(SIZES)
    for point in points:
        by_hand = posted(6, int(str(point["bytes"]))) + 2 * posted(6, 0)
        assert point["median_s"] == pytest.approx(by_hand, rel=0.02), point
