"""A watch of a simulated network, whose times have no noise at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families as prometheus

from conftest import RunHockney
from hockney.cli._watcher import Watcher
from platforms import EXACT, star

pytestmark = pytest.mark.simgrid
FABRIC = ("--", "fabric", "-n", "8", "--platform", "now.xml", "--sizes", "1MiB", *EXACT)


def test_a_node_that_looks_by_themselves_show_to_be_slow_raises_an_alarm_at_the_third(
    hockney: RunHockney, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No sound look before it is needed, and it is named while it lasts."""
    monkeypatch.setattr(Watcher, "rest_s", lambda _: 0.0)
    statuses, lines = [], []
    for slow in (None, 3, 3, 3, 3, None, 3):
        (tmp_path / "now.xml").write_text(star(8, slow, 1.9))
        words = ("watch", "--dir", "w", "--once", "--duty", "100%", "--prometheus", "w.prom")
        alarm = ("--on-alarm", 'echo "$HOCKNEY_WHAT $HOCKNEY_RATIO" >> alarms.txt')
        done = hockney(*words, *alarm, *FABRIC)
        statuses.append(done.status)
        lines.append(done.stdout)
    assert statuses == [3, 3, 3, 1, 3, 3, 3], "learning, but for the third in a row"
    assert [text.count("OUTLIER: node h3 is slow: 1.9") for text in lines] == [0, 0, 0, 1, 0, 0, 0]
    assert [text.count("node h3 is slow beside its peers, for") for text in lines] == [
        *(0, 1, 1, 1, 1, 0, 1)
    ]
    assert "for 3 looks; learning what is usual" in lines[3]
    assert (tmp_path / "alarms.txt").read_text().startswith("node h3 is slow 1.8")
    assert (tmp_path / "alarms.txt").read_text().count("\n") == 1
    assert "h0 and 7 more" in (tmp_path / "w.prom").read_text()
    assert "h1 and h2" not in (tmp_path / "w.prom").read_text() + "".join(lines)
    families = {family.name: family for family in prometheus((tmp_path / "w.prom").read_text())}
    assert [sample.value for sample in families["hockney_watch_outliers"].samples] == [1]
