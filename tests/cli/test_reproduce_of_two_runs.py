"""Claims about two measurements: each file is the one that it stands for, and ratios are as wide as
equal runs differ."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec

from conftest import RunHockney
from hockney.plan import Placement, Sampling, single, sizes_of, stored
from hockney.plan.workloads.pingpong import Pingpong
from hockney.records import Place
from samples import make_run, write_run

SIZES = (8, 1024, 65536)
CLAIM = """
claim = "B takes 3 % longer than A."
source = "A test"
at_least = 1.01

[[measure]]
name = "A"
command = "hockney pingpong --sizes 8,1KiB,64KiB"

[[measure]]
name = "B"
command = "hockney pingpong --sizes 8,1KiB,64KiB"

[quantity]
what = "ratio"
of = {measure = "B", bytes = 8}
over = {measure = "A", bytes = 8}
"""


def measured(
    path: Path, seconds_a_byte: float = 1e-10, hosts: tuple[str, ...] = ("n0",), factor: float = 1.0
) -> Path:
    """A ping-pong of 24 launches between ranks on these hosts; its plan asks for as many."""
    sizes = sorted({1, *(1 << power for power in range(21)), *SIZES})
    source = random.Random(path.name)
    scatter = [factor * (1.0 + 0.005 * source.gauss(0.0, 1.0)) for _ in range(24)]
    run = make_run(
        lambda launch, _, size: [(1000.0 + 1e9 * seconds_a_byte * size) * scatter[launch]] * 2,
        launches=24,
        rounds=3,
        sizes=sizes,
    )
    placement = Placement(nodes=len(hosts))
    plan = single(Pingpong(sizes=sizes_of(sizes)), placement, Sampling())
    run.header = msgspec.structs.replace(run.header, id=path.name, options=stored(plan))
    places = [Place(rank=r, host=hosts[-r % len(hosts)], pu=r, pinned=True) for r in (0, 1)]
    run.launches[:] = [msgspec.structs.replace(launch, places=places) for launch in run.launches]
    return write_run(run, path)


def test_a_claim_about_nodes_in_and_between_is_confirmed(
    hockney: RunHockney, tmp_path: Path
) -> None:
    within = str(measured(tmp_path / "within"))
    between = str(measured(tmp_path / "between", 1.51e-10, ("n0", "n1")))
    command = ("reproduce", "pintus-between-nodes", "--from")
    hockney.ok(*command, within, "--from", between)
    swapped = hockney(*command, between, "--from", within)
    assert swapped.status == 3
    assert "its ranks were on 2 nodes, not 1" in swapped.stdout
    hockney.refused(*command, between, "--from", between, because="from one run")


def test_a_ratio_of_two_runs_is_no_surer_than_their_comparison(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """Equal runs may differ by more than their launches show; compare says so, too."""
    (tmp_path / "claim.toml").write_text(CLAIM)
    files = [str(measured(tmp_path / name, factor=f)) for name, f in (("a", 1.0), ("b", 1.02))]
    done = hockney("reproduce", "claim.toml", "--from", files[0], "--from", files[1])
    assert done.status == 3, done.stdout


def test_a_time_over_a_bandwidth_is_no_ratio(hockney: RunHockney, tmp_path: Path) -> None:
    (tmp_path / "claim.toml").write_text(
        CLAIM.replace(
            '{measure = "A", bytes = 8}', '{measure = "A", bytes = 8, what = "bandwidth"}'
        )
    )
    hockney.refused(
        "reproduce", "claim.toml", because="of is in s and over in B/s, which have no ratio"
    )


def test_a_claimed_number_has_its_unit(hockney: RunHockney, tmp_path: Path) -> None:
    text = CLAIM.split("[[measure]]")[0].replace("at_least = 1.01", "at_most = 2")
    text += '[[measure]]\ncommand = "pingpong --sizes 8"\n[quantity]\nwhat = "time"\nbytes = 8\n'
    (tmp_path / "claim.toml").write_text(text)
    done = hockney("reproduce", "claim.toml", "--from", str(measured(tmp_path / "a")))
    assert "claimed: at most 2 s" in done.stdout
