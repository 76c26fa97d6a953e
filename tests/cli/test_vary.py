"""--vary: variants side by side in one run, on SimGrid for truth and on the real MPI."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hockney as package
from conftest import FAULTY, RunHockney
from hockney.run.mpis import Mpi
from samples import varied_run, write_run

TWO_LATENCIES = "platform=cluster:2,lat=1us;cluster:2,lat=1.5us"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--vary", "windw=1,2"], "not a key that can be varied"),
        (["--vary", "precision=1%,2%"], "not a key that can be varied"),
        (["--vary", "sizes=8,16"], "not a key that can be varied"),
        (["--vary", "gate=1%,2%"], "not a key that can be varied"),
        (["--vary", "tolerance=1%,2%"], "not a key that can be varied"),
        (["--vary", "vary=window=1;window=2"], "not a key that can be varied"),
        (["--vary", "env:2X=1,2"], "not a name of an environment variable"),
        (["--vary", "mode"], "not KEY=VALUE,VALUE"),
        (["--vary", "mode=standard"], "one variant only"),
        (["--vary", "mode=standard,standard"], "is given twice"),
        (["--vary", "mode=standard,loud"], "loud"),
        (["--vary", "floor=on,perhaps"], "a switch is on or off"),
        (["--vary", "env:A=1,2", "--vary", "env:A=3,4"], "is varied twice"),
        (["--vary", "env:A=1,2", "--budget", "0.5s"], "need 8 launches each"),
        (["--vary", "env:A=1,2", "--refine"], "decides after each launch"),
        (["--vary", "@no.toml"], "no.toml"),
        (["--vary", "@flat.toml"], "no variants"),
        (["--vary", "@/dev/zero"], "longer than 1 MiB"),
        (["--vary", "@wrong.toml"], "wrong.toml"),
        (["--vary", "@list.toml"], "--vary @list.toml, one: env:A is no single value"),
        (["--gate", "2%"], "name them with --vary"),
        (["--vary", "env:A=1,2", "--gate", "much"], "much"),
    ],
)
def test_what_cannot_be_varied_starts_nothing(
    hockney: RunHockney, tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    (tmp_path / "flat.toml").write_text("window = 1\n")
    (tmp_path / "wrong.toml").write_text("[one\n")
    (tmp_path / "list.toml").write_text("[one]\nenv.A = [1, 2]\n[two]\nenv.A = 3\n")
    hockney.refused(
        "pairs" if "mode" in arguments[1] else "pingpong", *arguments, because=complaint
    )
    assert not list(tmp_path.glob("*.jsonl"))


@pytest.mark.simgrid
def test_the_best_algorithm_is_that_of_the_first_variant(hockney: RunHockney) -> None:
    hockney.ok(
        *("collective", "bcast", "-n", "4", "--algorithm", "binomial,basic_linear"),
        *("--vary", TWO_LATENCIES.replace("cluster:2", "cluster:4"), "--sizes", "8,1KiB"),
        *("--launches", "1", "-q", "-o", "out.jsonl"),
    )
    for words in (
        ["report", "-o", "out.html"],
        ["plot", "--what", "collective-best", "-o", "a.svg"],
    ):
        hockney.ok(words[0], "out.jsonl", *words[1:])


@pytest.mark.simgrid
def test_simulated_variants_have_exact_ratios(hockney: RunHockney) -> None:
    variants = hockney.ok(
        "pingpong", "--vary", TWO_LATENCIES, "--sizes", "8,1KiB", "--json", "-o", "out.jsonl"
    ).json["variants"]
    whole, *points = variants["ratios"]
    assert whole["point"] is None
    assert len(points) == 2
    assert {ratio["verdict"] for ratio in variants["ratios"]} == {"slower"}
    # Two links and the switch add latency; sending the bytes takes the same.
    assert points[0]["ratio"] == pytest.approx(1.5, rel=0.01)
    assert points[0]["low"] == points[0]["high"] == points[0]["ratio"]
    judged = hockney("compare", "out.jsonl", "--tolerance", "5%")
    assert judged.status == 1
    assert "slower" in judged.stdout
    assert hockney("compare", "out.jsonl", "--tolerance", "60%").status == 0
    assert hockney("show", "out.jsonl").stdout.count("exact") >= 2
    again = hockney.ok(
        "pingpong", "--vary", TWO_LATENCIES, "--sizes", "8,1KiB", "-o", "out.jsonl", "--resume"
    )
    assert "nothing was measured" in again.stderr
    hockney.refused(
        *("pingpong", "--vary", "platform=cluster:2;cluster:2,lat=2us", "--sizes", "8"),
        *("-o", "out.jsonl", "--resume"),
        because="its variants were",
    )


@pytest.mark.simgrid
def test_an_algorithm_may_be_varied(hockney: RunHockney) -> None:
    done = hockney(
        *("collective", "bcast", "-n", "8", "--platform", "fat-tree:8", "--sizes", "8,1MiB"),
        *("--vary", "algorithm=binomial_tree,flattree", "--gate", "10%", "-o", "out.jsonl"),
    )
    assert done.status == 1, done.stderr  # the flat tree is slower for large messages
    analysis = package.load(Path("out.jsonl"))
    assert analysis.variants is not None
    by_size = {ratio.point.bytes: ratio for ratio in analysis.variants.ratios if ratio.point}
    assert by_size[8].judged.verdict == "faster"
    assert by_size[1 << 20].judged.verdict == "slower"
    assert all(point.variant for point in analysis.estimates.points)


def test_real_launches_alternate_in_blocks(hockney: RunHockney, tmp_path: Path) -> None:
    (tmp_path / "sets.toml").write_text('[one]\nenv.HOCKNEY_A = 1\n[two]\n"env:HOCKNEY_A" = 2\n')
    hockney.ok(
        *("pingpong", "--vary", "@sets.toml", "--sizes", "8,64KiB", "--launches", "6"),
        *("--budget", "2s", "-o", "out.jsonl"),
    )
    lines = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    launches = [line for line in lines if line["kind"] == "launch"]
    assert [launch["block"] for launch in launches] == [n // 2 for n in range(12)]
    assert all(
        {launches[n]["variant"], launches[n + 1]["variant"]} == {"one", "two"}
        for n in range(0, 12, 2)
    )
    assert all(
        launch["env"]["HOCKNEY_A"] == {"one": "1", "two": "2"}[launch["variant"]]
        for launch in launches
    )
    assert lines[-1]["looks"][-1] == 1.0
    analysis = package.load(Path("out.jsonl"))
    assert analysis.variants is not None
    assert analysis.variants.blocks == 6
    # Six blocks are too few for any verdict at this level.
    assert {ratio.judged.verdict for ratio in analysis.variants.ratios} == {"unknown"}
    for verb in (
        ["plot", "out.jsonl", "--what", "variants", "-o", "ratio.svg"],
        ["report", "out.jsonl", "-o", "page.html"],
        ["export", "out.jsonl", "--to", "csv", "-o", "points.csv"],
    ):
        assert hockney(*verb).status == 0
    assert "Variants: Ping-pong" in Path("page.html").read_text()
    assert "variant" in Path("points.csv").read_text().splitlines()[0]


@pytest.mark.long
def test_a_large_difference_ends_the_run_early(hockney: RunHockney) -> None:
    done = hockney.ok(
        *("pairs", "--operation", "stream", "--vary", "window=1,64", "--sizes", "1KiB", "-n", "2"),
        *("--budget", "180s", "--precision", "50%", "-o", "out.jsonl"),
    )
    assert "the comparison is conclusive" in done.stderr
    [ratio] = (package.load(Path("out.jsonl")).variants or pytest.fail("no variants")).ratios
    assert ratio.judged.verdict == "faster"
    assert ratio.blocks >= 8


@pytest.mark.long
def test_a_variant_that_cannot_start_is_named_and_the_others_go_on(
    hockney: RunHockney, tmp_path: Path
) -> None:
    (tmp_path / "sets.toml").write_text(
        '[one]\nenv.HOCKNEY_A = 1\n[broken]\nmpicc = "no-such-mpicc"\n[two]\nenv.HOCKNEY_A = 2\n'
    )
    words = [
        "pingpong",
        "--vary",
        "@sets.toml",
        "--sizes",
        "8",
        "--launches",
        "2",
        "--budget",
        "2s",
        "-o",
        "out.jsonl",
    ]
    done = hockney(*words)
    assert done.status == 1
    assert "broken: " in done.stderr
    assert "no-such-mpicc" in done.stderr
    assert "broken: not measured" in done.stdout
    study = package.load(Path("out.jsonl")).variants
    assert study is not None
    assert {ratio.variant for ratio in study.ratios} == {"two"}


NEVER, AT_ONCE = "1000000", "0"
"""Rounds in which a faulty engine dies."""


def dying(*rounds: str) -> list[str]:
    """A run of variants that die in these rounds."""
    vary = f"env:HOCKNEY_FAULT_DIE={','.join(rounds)}"
    words = ["--launches", "2", "--budget", "3s", "-o", "out.jsonl"]
    return ["pingpong", "--vary", vary, "--sizes", "8", *words]


@pytest.mark.long
def test_a_variant_that_dies_is_named_and_the_others_go_on(
    hockney: RunHockney, tmp_path: Path
) -> None:
    words = dying(NEVER, AT_ONCE, "2" + NEVER)
    done = hockney(*words, env={"HOCKNEY_CFLAGS": FAULTY})
    assert done.status == 1
    assert f"HOCKNEY_FAULT_DIE={AT_ONCE}: launch" in done.stderr
    assert "budget was spent" not in done.stderr
    study = package.load(tmp_path / "out.jsonl").variants
    assert study is not None
    assert {ratio.variant for ratio in study.ratios} == {f"HOCKNEY_FAULT_DIE=2{NEVER}"}


def test_without_two_variants_that_start_nothing_is_compared(hockney: RunHockney) -> None:
    done = hockney(*dying(AT_ONCE, NEVER), env={"HOCKNEY_CFLAGS": FAULTY})
    assert done.status == 1
    assert "budget was spent" not in done.stderr
    assert f"HOCKNEY_FAULT_DIE={AT_ONCE}: launch" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.long
def test_a_file_without_a_complete_block_is_shown_refused_and_continued(
    hockney: RunHockney, tmp_path: Path
) -> None:
    words = ["pingpong", "--vary", "env:A=1,2", "--launches", "2", "--sizes", "8"]
    words += ["--budget", "1s", "-q", "-o", "out.jsonl"]
    assert hockney(*words).status == 0
    file = tmp_path / "out.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    ends = [number for number, line in enumerate(lines) if '"kind":"end"' in line]
    for kept in (2, ends[0] + 1):
        file.write_text("".join(lines[:kept]))
        for other in (
            ["show", "out.jsonl", "--diagnose", "--plot", "--all-states", "--gate"],
            ["show", "out.jsonl", "--json"],
            ["compare", "out.jsonl", "-o", "ratio.svg"],
            ["plot", "--what", "variants", "out.jsonl", "-o", "ratio.svg"],
        ):
            done = hockney(*other)
            assert done.status in (1, 2), other
            assert "no block is complete" in done.stderr
            assert "Traceback" not in done.stderr
    assert hockney(*words, "--resume").status == 0
    assert hockney("compare", "out.jsonl").status == 0


@pytest.mark.long
def test_one_working_variant_has_nothing_to_be_compared_with(hockney: RunHockney) -> None:
    hockney.refused(
        *("pingpong", "--vary", "mpicc=mpicc,no-such-mpicc", "--sizes", "8", "--budget", "3s"),
        because="one variant alone is left",
    )


@pytest.mark.long
def test_a_variable_that_the_library_does_not_have_is_said(hockney: RunHockney, mpi: Mpi) -> None:
    name = "OMPI_MCA_no_such_thing" if mpi.family == "openmpi" else "MPIR_CVAR_NO_SUCH_THING"
    done = hockney.ok(
        *("pingpong", "--vary", f"env:{name}=1,2", "--sizes", "8", "--launches", "2"),
        *("--budget", "2s", "-o", "out.jsonl"),
    )
    if "MPIR_CVAR_CH4_NETMOD" in done.stdout:
        pytest.fail("unexpected")
    study = package.load(Path("out.jsonl")).variants
    assert study is not None
    if package.load(Path("out.jsonl")).run.launches[0].mpi.library == "MPICH":
        assert "lists no such variable by MPI_T" in done.stdout


def test_a_mistyped_control_variable_is_refused_before_the_run(
    hockney: RunHockney, mpi: Mpi, tmp_path: Path
) -> None:
    right = {
        "mpich": "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM",
        "openmpi": "OMPI_MCA_coll_tuned_allreduce_algorithm",
    }.get(mpi.family)
    if right is None:
        pytest.skip("this MPI lists no control variables")
    variable = right[:-2] + right[-1]
    hockney.refused(
        *("pingpong", "--vary", f"env:{variable}=1,2", "--sizes", "8"),
        because=f"did you mean env:{right}?",
    )
    assert not list(tmp_path.glob("*.jsonl"))


def test_a_setting_of_another_library_is_refused_before_the_run(
    hockney: RunHockney, mpi: Mpi, tmp_path: Path
) -> None:
    foreign = {"mpich": "OMPI_MCA_btl", "openmpi": "MPIR_CVAR_ENABLE_FT"}.get(mpi.family)
    if foreign is None:
        pytest.skip("this MPI lists no control variables")
    hockney.refused(
        *("pingpong", "--vary", f"env:{foreign}=1,2", "--sizes", "8"),
        because=f", which {mpi.family} does not read",
    )
    assert not list(tmp_path.glob("*.jsonl"))


def test_a_job_cannot_compare_variants(hockney: RunHockney) -> None:
    hockney.refused(
        "job", "slurm", "--", "pingpong", "--vary", "env:A=1,2", because="which variant"
    )


def test_compare_judges_variants_by_the_tolerance_that_it_states(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """The ratio of b is 0.995 to 1.020, that of c 1.04 to 1.07; the plan's tolerance is 1 %."""
    write_run(varied_run(40, {"a": 1.0, "b": 1.0, "c": 1.05}, (8,)), tmp_path / "of.jsonl")
    for words, tolerance, verdicts, status in (
        ([], 0.01, ["unknown", "slower"], 1),
        (["--tolerance", "2%"], 0.02, ["same", "slower"], 1),
        (["--tolerance", "10%"], 0.1, ["same", "slower"], 0),
    ):
        done = hockney("compare", "of.jsonl", "--json", *words)
        study = done.json["variants"]
        assert study["tolerance"] == tolerance
        assert [ratio["verdict"] for ratio in study["ratios"]] == verdicts
        assert study["ratios"][1]["within_tolerance"] is (status == 0)
        assert done.status == status
    assert "b: the same, within 2 %" in hockney("compare", "of.jsonl", "--tolerance", "2%").stdout


def test_what_a_variant_leaves_unset_is_read_back_as_well(
    hockney: RunHockney, mpi: Mpi, tmp_path: Path
) -> None:
    setting = {
        "mpich": 'MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM = "auto"',
        "openmpi": 'OMPI_MCA_coll_basic_priority = "11"',
    }.get(mpi.family)
    if setting is None:
        pytest.skip("this MPI lists no control variables")
    (tmp_path / "sets.toml").write_text(f"[default]\nenv.HOCKNEY_A = 1\n[set]\nenv.{setting}\n")
    words = ["--launches", "2", "--sizes", "8", "--budget", "1s", "-o", "out.jsonl"]
    hockney("pingpong", "--vary", "@sets.toml", *words)
    launches = package.load(Path("out.jsonl")).run.launches
    read = {launch.variant: launch.controls for launch in launches}
    assert read["default"].keys() == read["set"].keys() != set()
