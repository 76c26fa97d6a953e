"""A minute of what `python tests/soak.py --hours 8` does."""

from __future__ import annotations

from pathlib import Path

import pytest

import soak
from cluster.conftest import Cluster

pytestmark = pytest.mark.long

SECONDS, SEED = 60.0, 20


def test_whatever_happens_nothing_is_left_and_nothing_lost(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (soak.MARK, soak.TEMPORARY):
        monkeypatch.setenv(name, "")
    assert soak.soak(SECONDS, SEED, tmp_path, cluster) == []
