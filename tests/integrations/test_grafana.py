"""integrations/grafana: the dashboard asks for metrics and labels that history prints."""

from __future__ import annotations

import json
import re
from pathlib import Path

from prometheus_client.openmetrics.parser import text_string_to_metric_families

from conftest import RunHockney
from samples import night_run, past_run, write_run

DASHBOARD = Path(__file__).parents[2] / "integrations" / "grafana" / "hockney.json"


def test_every_panel_asks_for_what_there_is(hockney: RunHockney, tmp_path: Path) -> None:
    for day in range(3):
        write_run(past_run(day), tmp_path / f"{day}.jsonl")
    write_run(night_run(0, 6), tmp_path / "network.jsonl")
    text = hockney("history", str(tmp_path), "--openmetrics").stdout
    families = text_string_to_metric_families(text)
    samples = [sample for family in families for sample in family.samples]
    labels = {
        name: {key for s in samples if s.name == name for key in s.labels}
        for name in {sample.name for sample in samples}
    }
    dashboard = json.loads(DASHBOARD.read_text())
    variables = {variable["name"] for variable in dashboard["templating"]["list"]}
    metrics = set()
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            selectors = re.findall(r"\b(hockney_\w+)\{(.*?)\}", target["expr"])
            assert selectors, panel["title"]
            for name, selector in selectors:
                assert set(re.findall(r"(\w+)=", selector)) <= labels[name], target["expr"]
                assert set(re.findall(r"\$(\w+)", selector)) <= variables
                metrics.add(name)
            assert set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) <= labels[name]
    assert metrics == set(labels)
    places = [tuple(panel["gridPos"].values()) for panel in dashboard["panels"]]
    assert len(set(places)) == len(places)
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(places)
