"""Recorded files give the numbers that they gave when answers.py wrote expected.json.zst."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from conftest import kept_short
from recorded.answers import answers_of, expected, files, name_of

RELATIVE = 1e-9
"""Sums in another order, and other versions of the numeric libraries, differ by less."""
OF_FITS = 1e-6
"""Relative tolerance of fits: OpenBLAS has other kernels for other processors, and where a jump is
the small difference of two lines, their rounding is seen at 1e-8 (OPENBLAS_CORETYPE=Prescott)."""
WORDS = frozenset({"verdict", "statistic", "model", "experiment", "operation", "algorithm"})
"""Text that is an answer; other text may be worded anew."""
LONG = frozenset(
    {
        "pingpong-refine",
        "osu_latency_gke_size128-pingpong",
        "nodecomm_maxrate_bluewaters-pairs",
        "osu_bcast_orfeo_THIN_alg_np_size-unknown",
        "osu_gce_2node_launch1-pingpong",
        "osu_gce_2node_launch2-pingpong",
        "collective-forced-again",
        "pingpong-mpich-again",
    }
)
"""Files of long tests, with many sizes or launches, or of a kind that another file has: the first
one's segments take longer to fit than those of all other files together."""
SHORT_FILES = [file for file in files() if name_of(file) not in LONG]
EVERY = expected()


def differences(old: Any, new: Any, where: str, key: str = "") -> list[str]:
    """Differences between two answers, each with its place."""
    if isinstance(old, dict) and isinstance(new, dict):
        missing = [f"{where}.{name} is missing" for name in old if name not in new]
        shared = [name for name in old if name in new]
        return missing + [
            d for name in shared for d in differences(old[name], new[name], f"{where}.{name}", name)
        ]
    if isinstance(old, list) and isinstance(new, list):
        if all(isinstance(entry, str) for entry in (*old, *new)):
            return []
        if len(old) == len(new):
            pairs = enumerate(zip(old, new, strict=True))
            return [d for i, (a, b) in pairs for d in differences(a, b, f"{where}[{i}]", key)]
    if isinstance(old, str) and isinstance(new, str) and key not in WORDS:
        return []
    return [] if _are_equal(old, new, where) else [f"{where}: {old} is {new} now"]


def _are_equal(old: Any, new: Any, where: str) -> bool:
    if isinstance(old, float | int) and isinstance(new, float | int):
        tolerance = OF_FITS if "fit" in where else RELATIVE
        return math.isclose(old, new, rel_tol=tolerance, abs_tol=1e-300)
    return bool(old == new)


@pytest.mark.parametrize("file", kept_short(files(), SHORT_FILES), ids=name_of)
def test_the_numbers_of_a_recorded_file_have_not_changed(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # no history of other tests
    changes = differences(EVERY[name_of(file)], answers_of(file), name_of(file))
    assert not changes, f"{len(changes)} differences:\n" + "\n".join(changes[:20])


def test_every_recorded_file_has_its_numbers() -> None:
    assert sorted(EVERY) == sorted(map(name_of, files()))
    assert len(EVERY) >= 40
    assert any(row["operation"] == "train" for row in EVERY["overheads-mpich"]["csv"])
