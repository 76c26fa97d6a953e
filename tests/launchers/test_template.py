"""--launch: the user writes the launcher's command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import RunHockney
from hockney.base.errors import UsageError
from hockney.plan import Case, Placement
from hockney.run.measure.launches.trial import EMPTY_MESSAGES
from hockney.run.measure.machine.checks import check_case
from hockney.run.mpis import Mpi
from hockney.run.schedulers import find_starter
from starting import mpi_command

RUN = ("pingpong", "--sizes", "8", "--launches", "1", "--budget", "0.2s", "-q", "-o", "run.jsonl")
ENGINE = ["the engine", "-x"]


def words_of(mpi: Mpi, template: str, **options: object) -> list[str]:
    placement = Placement(launch=template, **options)  # type: ignore[arg-type]
    case = Case(workload=EMPTY_MESSAGES, placement=placement)
    return find_starter(mpi, placement).command(mpi, case, ENGINE)


@pytest.mark.parametrize(
    ("template", "options", "words"),
    [
        ("sh -n {ranks} {command}", {"ranks": 4}, ["sh", "-n", "4", *ENGINE]),
        (
            "sh -N {nodes} --ppn={ranks_per_node} -w {hosts} {command}",
            {"ranks": 4, "hosts": ("a", "b")},
            ["sh", "-N", "2", "--ppn=2", "-w", "a,b", *ENGINE],
        ),
        ("sh --ppn {ranks_per_node} {command}", {"ranks": 4}, ["sh", "--ppn", "4", *ENGINE]),
        ("sh -c 'x; exec {command}'", {}, ["sh", "-c", "x; exec 'the engine' -x"]),
        ("sh {{}} {command}", {}, ["sh", "{}", *ENGINE]),
    ],
)
def test_placeholders_are_filled_in(
    mpi: Mpi, template: str, options: dict[str, object], words: list[str]
) -> None:
    assert words_of(mpi, template, **options) == words


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("", "has no {command}"),
        ("sh -n {ranks}", "has no {command}"),
        ("sh {rank} {command}", "there is no placeholder {rank}"),
        ("sh {} {command}", "there is no placeholder {}"),
        ("sh {ranks:3} {command}", "takes no format"),
        ("sh {ranks {command}", "--launch"),
        ("sh } {command}", "--launch"),
        ("sh '{command}", "No closing quotation"),
        ("sh {hosts} {command}", "no hosts are known"),
        ("no-such-launcher {command}", "no-such-launcher: no such command"),
        ("{ranks} {command}", "no such command"),
        ("sh --password=hunter2 {command}", "looks like a credential"),
    ],
)
def test_what_cannot_be_a_launcher_is_refused(template: str, why: str) -> None:
    case = Case(workload=EMPTY_MESSAGES, placement=Placement(launch=template))
    with pytest.raises(UsageError) as refusal:
        check_case(case)
    assert why in str(refusal.value)


@pytest.mark.parametrize("options", [{"launcher": "mpiexec"}, {"platform": "cluster:2"}])
def test_two_launchers_are_refused(options: dict[str, str]) -> None:
    placement = Placement(launch="sh {command}", **options)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="--launch"):
        check_case(Case(workload=EMPTY_MESSAGES, placement=placement))


def template_of(mpi: Mpi) -> str:
    """Starts ranks as the MPI's own launcher does."""
    return " ".join(mpi_command(mpi, 2, ["{command}"])).replace(" 2 ", " {ranks} ")


def launches_of(path: Path) -> list[dict[str, object]]:
    lines = path.read_text().splitlines()
    return [json.loads(line) for line in lines if line.startswith('{"kind":"launch"')]


@pytest.mark.long
def test_a_template_measures_and_is_recorded(hockney: RunHockney, mpi: Mpi, tmp_path: Path) -> None:
    mpicc, template = ("--mpicc", str(mpi.mpicc)), template_of(mpi)
    assert hockney(*RUN, *mpicc, "--launch", template).status == 0
    header, *_ = map(json.loads, (tmp_path / "run.jsonl").read_text().splitlines())
    assert header["options"]["cases"][0]["placement"]["launch"] == template
    env = {"HOCKNEY_LAUNCH": template}
    assert hockney(*RUN, *mpicc, "--force", env=env).status == 0
    assert launches_of(tmp_path / "run.jsonl")[0]["launcher"] == template.split()[0]
    assert hockney(*RUN, *mpicc, "--force", "--launcher", "mpiexec", env=env).status == 0
    assert launches_of(tmp_path / "run.jsonl")[0]["launcher"] != template.split()[0]


@pytest.mark.parametrize(
    ("around", "status", "why"),
    [
        ("sh -c 'echo TACC: Starting up; {inner}; status=$?; echo done; exit $status'", 0, ""),
        ("sh -c '{inner} >/dev/null; exit 0'", 1, "no rank reported its end"),
        ("sh -c 'exit 0'", 1, "no rank reported its end"),
        pytest.param("sh -c 'sleep 60'", 1, "reported nothing for", marks=pytest.mark.long),
    ],
    ids=["banner", "swallowed", "nothing", "hangs"],
)
def test_a_launcher_that_misbehaves_is_told(
    hockney: RunHockney, mpi: Mpi, around: str, status: int, why: str
) -> None:
    template = around.replace("{inner}", template_of(mpi))
    if "{command}" not in template:
        template += " {command}"
    timeout_s = "4" if "sleep" in around else "60"
    words = (*RUN, "--mpicc", str(mpi.mpicc), "--timeout", timeout_s, "--launch", template)
    done = hockney(*words)
    assert (done.status, "Traceback" in done.stderr) == (status, False), done.stderr
    assert why in done.stderr


def test_another_number_of_ranks_than_asked_for_is_told(hockney: RunHockney, mpi: Mpi) -> None:
    template = template_of(mpi).replace("{ranks}", "1")
    done = hockney(*RUN, "--mpicc", str(mpi.mpicc), "--launch", template)
    assert done.status == 1
    assert "a world of 1 rank where 2 were asked for" in done.stderr


def test_a_job_script_has_the_template(hockney: RunHockney, mpi: Mpi) -> None:
    template = "sh -c 'exec {command}'"
    words = ("--launch", template, "--mpicc", str(mpi.mpicc), "-o", "run.jsonl")
    done = hockney.ok("job", "slurm", "--", "pingpong", *words)
    assert "sh -c 'exec " in done.stdout
    assert "srun" not in done.stdout


def test_nodes_without_hosts_are_refused_at_once(
    hockney: RunHockney, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("SLURM_JOB_ID", "FLUX_URI", "PBS_NODEFILE", "LSB_JOBID"):
        monkeypatch.delenv(name, raising=False)
    hockney.refused("pingpong", "--nodes", "2", because="no hosts are named")
    (tmp_path / "bin").mkdir()
    for tool in ("sh", "mpicc", "mpiexec"):
        (tmp_path / "bin" / tool).symlink_to("/bin/true")
    env = {"SLURM_JOB_ID": "7", "PATH": str(tmp_path / "bin")}
    hockney.refused(
        "pingpong", "--nodes", "2", env=env, because="SLURM_JOB_ID is set, but there is no srun"
    )


@pytest.mark.parametrize("variable", ["SLURM_STEP_NUM_TASKS", "JSM_NAMESPACE_SIZE", "PMI_SIZE"])
def test_hockney_as_a_rank_is_refused(hockney: RunHockney, variable: str, tmp_path: Path) -> None:
    hockney.refused(*RUN, env={variable: "2"}, because="hockney starts MPI itself")
    assert not (tmp_path / "run.jsonl").exists()
