"""When fabric chooses rounds, and what it refuses."""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest

from conftest import RunHockney
from hockney import cli
from hockney.cli._verb import ask
from hockney.plan.workloads.fabric import Fabric


@pytest.mark.parametrize(
    ("words", "locates"),
    [
        ("-n 511", False),
        ("-n 512", True),
        ("-n 512 --all-pairs", False),
        ("-n 512 --serial", False),
        ("-n 512 --rounds 4", False),
        ("-n 16 --locate", True),
        ("-n 16 --locate --rounds 8", True),
    ],
)
def test_many_ranks_are_located_unless_something_else_is_asked(words: str, locates: bool) -> None:
    with click.Context(cli.cli):
        plan = ask(["fabric", *words.split(), "--platform", "cluster:512"]).plan
    assert isinstance(plan.first.workload, Fabric)
    assert plan.first.workload.locate == locates


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("-n 3 --locate", "3 ranks are too few to tell which one is slow"),
        ("-n 8 --locate --serial", "--locate chooses among rounds of all nodes"),
    ],
)
def test_what_cannot_be_located_is_refused(hockney: RunHockney, words: str, complaint: str) -> None:
    hockney.refused(
        "fabric", *words.split(), "--platform", "cluster:8", "-o", "run.jsonl", because=complaint
    )


def test_a_launch_has_its_rounds_counted_from_one() -> None:
    workload = Fabric(sizes=(), locate=True, chosen=(0, 6), visits=40)
    assert workload.arguments(8) == ["fabric", "--parallel", "--arrangements=1,7"]


TORUS = (
    '<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-15" speed="1Gf" '
    'bw="1GBps" lat="1us" topology="TORUS" topo_parameters="{}"/></platform>'
)


@pytest.mark.parametrize(
    ("words", "parameters", "complaint"),
    [
        ("--locate", "4,5", "the torus '4,5' has 20 nodes, and the radical '0-15' 16"),
        ("--all-pairs", "4,4", "the routes of a platform serve fabric --locate alone"),
    ],
)
def test_a_platform_that_serves_no_search_is_refused(
    hockney: RunHockney, tmp_path: Path, words: str, parameters: str, complaint: str
) -> None:
    (tmp_path / "torus.xml").write_text(TORUS.format(parameters))
    hockney.refused(
        *("fabric", "-n", "16", "--platform", "cluster:16", "--topology", "torus.xml"),
        *(words, "-o", "run.jsonl"),
        because=complaint,
    )


def test_nodes_that_a_platform_does_not_have_are_named(hockney: RunHockney, tmp_path: Path) -> None:
    (tmp_path / "torus.xml").write_text(TORUS.format("4,4"))
    words = ("fabric", "-n", "16", "--platform", "cluster:16", "--topology", "torus.xml")
    hockney.refused(
        *words,
        *("--locate", "-o", "run.jsonl"),
        because="torus.xml: the platform has no host node-0, node-1,",
    )


def test_routes_that_cannot_be_read_are_said(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with click.Context(cli.cli):
        Path("floyd.xml").write_text('<platform><zone id="z" routing="Floyd"/></platform>')
        plan = ask(["fabric", "--locate", "-n", "16", "--platform", "floyd.xml"]).plan
    assert plan.first.placement.network is None
    assert "note: floyd.xml: its routes are not read" in capsys.readouterr().err


def test_a_pipe_of_switches_is_read_once() -> None:
    end, start = os.pipe()
    os.write(start, b"leaf node-[0-3]\n")
    os.close(start)
    words = ["fabric", "--locate", "-n", "4", "--platform", "cluster:4"]
    with click.Context(cli.cli):
        plan = ask([*words, "--topology", f"/dev/fd/{end}"]).plan
    os.close(end)
    assert plan.first.placement.topology is not None
