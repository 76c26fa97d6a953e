"""Topologies that are wrong are refused before anything starts, with the file and the line."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from conftest import RunHockney

FILES = {
    "good.txt": "left node-[0-1]\nright node-[2-3]\ncore left,right\n",
    "cycle.txt": "left node-[0-3]\na b\nb a\n",
    "unknown.conf": "SwitchName=a Nodes=node-[0-3]\nSwitchName=b Switches=a,c\n",
    "missing.txt": "left node-[0-2]\n",
    "twice.txt": "left node-[0-3]\nright node-3\n",
}
FOUR = ["-n", "4", "--platform", "cluster:4"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--topology", "cycle.txt"], "cycle.txt, line 2: a cycle: a is below b is below a"),
        (["--topology", "unknown.conf"], "unknown.conf, line 2: switch c has no line of its own"),
        (["--topology", "missing.txt"], "missing.txt: no switch has node node-3"),
        (
            ["--topology", "twice.txt"],
            "twice.txt, line 2: node node-3 is below both left and right",
        ),
        (["--topology", "nowhere.txt"], "nowhere.txt cannot be read: No such file"),
    ],
)
@pytest.mark.parametrize("verb", ["fabric", "pairs", "cores"])
def test_a_wrong_topology_starts_nothing(
    hockney: RunHockney, tmp_path: Path, verb: str, arguments: list[str], complaint: str
) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    done = hockney(verb, *FOUR, *arguments)
    assert (done.status, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert not list(tmp_path.glob("*.jsonl"))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([*FOUR, "--per-switch"], "the switches are unknown"),
        ([*FOUR, "--topology", "good.txt", "--per-switch", "--serial"], "leave out --serial"),
        ([*FOUR, "--vary", "env:A=1,2"], "a pass over all pairs has no variants"),
        ([*FOUR, "--rounds", "0"], "from 1 up"),
        (["-n", "1"], "at least two ranks"),
        (["--platform", "cluster:4"], "give it with -n"),
        (["-n", "2", "--topology", "good.txt"], "no switch has node"),
        (["-n", "2", "--hosts", "x,node-1", "--topology", "good.txt"], "no switch has node x"),
    ],
)
def test_bad_questions_start_nothing(
    hockney: RunHockney, tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    (tmp_path / "good.txt").write_text(FILES["good.txt"])
    done = hockney("fabric", *arguments)
    assert (done.status, done.stdout) == (2, "")
    assert complaint in done.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["pairs"], "the switches are unknown"),
        (["pairs", "--multi"], "leave out --multi"),
        (["pairs", "--pairing", "halves"], "leave out --pairing"),
        (["pairs", "--operation", "stream"], "leave out --operation"),
        (["cores"], "the switches are unknown"),
        (["cores", "--parallel"], "leave out --parallel"),
        (["cores", "--verify"], "leave out --verify"),
    ],
)
def test_pairs_per_switch_are_fixed(
    hockney: RunHockney, arguments: list[str], complaint: str
) -> None:
    done = hockney(*arguments, *FOUR, "--per-switch")
    assert (done.status, done.stdout) == (2, "")
    assert complaint in done.stderr


def test_what_slurm_does_not_know_is_said(
    hockney: RunHockney, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    scontrol = tmp_path / "scontrol"
    for script, words in (
        ("echo unreachable >&2; exit 1", "`scontrol show topology` failed: unreachable"),
        ("true", "`scontrol show topology` prints no switches"),
    ):
        scontrol.write_text(f"#!/bin/sh\n{script}\n")
        scontrol.chmod(scontrol.stat().st_mode | stat.S_IXUSR)
        done = hockney("fabric", *FOUR, "--topology", "slurm")
        assert (done.status, done.stdout) == (2, "")
        assert words in done.stderr


@pytest.mark.simgrid
def test_what_slurm_prints_is_taken(
    hockney: RunHockney, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scontrol that prints as Slurm's does."""
    scontrol = tmp_path / "scontrol"
    scontrol.write_text(
        '#!/bin/sh\n[ "$*" = "show topology" ] && cat <<END\n'
        "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=node-[0-1]\n"
        "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=node-[2-3]\n"
        "SwitchName=top Level=1 LinkSpeed=1 Nodes=node-[0-3] Switches=s[0-1]\n"
        "END\n"
    )
    scontrol.chmod(scontrol.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    done = hockney.ok("fabric", *FOUR, "--topology", "slurm", "-q")
    assert "2 switches by the topology" in done.stdout
    assert "same switch" in done.stdout
    assert "one hop" in done.stdout
