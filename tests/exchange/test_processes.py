"""The processes of a table are those that its command starts, or that a line above it says."""

from __future__ import annotations

import pytest
from reading import runs, tables

TABLE = "\n# OSU MPI Allreduce Latency Test v7.3\n# Size       Avg Latency(us)\n8  5.10\n64  7.20\n"


@pytest.mark.parametrize(
    ("command", "ranks"),
    [
        ("jsrun -n 4 -a 6 -c 42 -g 6 {}", 24),
        ("jsrun --nrs 8 --tasks_per_rs 4 {}", 32),
        ("jsrun -n8 -c4 {}", 8),
        ("jsrun -n 4 -p 12 {}", 12),
        ("nice -n 10 mpirun -np 64 {}", 64),
        ("nice -n 10 {}", None),
        ("ssh -n node01 mpirun -np 64 {}", 64),
        ("docker run --rm -n 3 mpirun -np 64 {}", 64),
        ("srun -n 1 mpirun -np 64 {}", 64),
        ("mpiexec -bootstrap srun -n 16 {}", 16),
        ("mpirun -np 32 {} : -np 16 {}", 48),
        ("mpirun -np 32 {} : {}", None),
        ("srun --job-name=osu_allreduce -N 2 -n 64 {}", 64),
        ("srun -J osu_allreduce -N 2 --ntasks-per-node=8 {}", 16),
        ("mpirun -hostfile osu_hosts -np 64 {}", 64),
        ("mpirun --output-filename osu_out -np 64 {}", 64),
        ("mpirun_rsh -np 64 node01 node02 {}", 64),
        ("mpirun -np 64 --mca pml ucx \\\n   -x UCX_TLS=rc {}", 64),
        ("flux submit -N2 -n64 {}", 64),
        ("mpirun -H a:32,b:32 {}", 64),
        ("mpirun --host node01.x:4,node02.x:8 --mca pml ucx {}", 12),
        ("mpirun -np 16 -H a:32,b:32 {}", 16),
        ("mpirun -H a,b {}", None),
        ("mpirun -H a:32,b {}", None),
        ("mpirun -map-by ppr:32:node {}", None),
        ("mpirun -H a:48,b:48 -map-by ppr:32:node {}", 64),
        ("mpirun --map-by ppr:4:node:PE=2 -H a,b,c {}", 12),
        ("mpirun -H a:48,b:48 --map-by ppr:1:socket {}", None),
        ("mpirun -np 8 --map-by ppr:4:node {}", 8),
        ("mpirun -H a:8,b:8 -npernode 1 {}", 2),
        ("mpirun -N 4 --host a:8,b:8 {}", 8),
        ("mpirun -H a:8,b:8 -c 2 {}", 2),
        ("mpirun -H a:8,b:8 --n 2 {}", 2),
        ("srun -c 2 {}", None),
        (">>> mpirun -np 64 {}", 64),
        ("Command: 'mpirun -np 64 {}'", 64),
    ],
)
def test_processes_are_those_of_the_launcher(command: str, ranks: int | None) -> None:
    for program in ("./osu_allreduce", "/opt/omb/osu_allreduce"):
        [table] = tables(command.replace("{}", program) + "\n" + TABLE)
        assert table.ranks == ranks


@pytest.mark.parametrize(
    "option",
    [
        *("--npersocket 1", "-pernode", "--pernode", "-perhost 1", "-ppn 1", "-hostfile hosts"),
        *("--cpus-per-proc 2", "--map-by slot:PE=2", "--map-by seq", "-rf ranks", "-H c:8"),
        *("--ntasks-per-node=1", "--mca rmaps_base_n_pernode 1", "--map-by ppr:1:socket"),
        *("--map-by ppr:2:l3cache:PE=4", "--use-hwthread-cpus", "--some-new-option"),
    ],
)
def test_slots_are_no_processes_where_another_option_may_say_how_many(option: str) -> None:
    for launcher in ("mpirun", "mpiexec"):
        command = f"{launcher} -H a:8,b:8 {option} ./osu_allreduce"
        assert [table.ranks for table in tables(f"{command}\n{TABLE}")] == [None]


@pytest.mark.parametrize("launcher", ["mpiexec.hydra", "srun", "aprun", "jsrun"])
def test_only_launchers_of_open_mpi_fill_slots(launcher: str) -> None:
    [table] = tables(f"{launcher} -host a:8 ./osu_allreduce\n{TABLE}")
    assert table.ranks is None


@pytest.mark.parametrize(
    "options",
    [
        "--mca pml ucx -x UCX_TLS=rc -x LD_LIBRARY_PATH --bind-to core --report-bindings",
        "--map-by node:span --rank-by slot --oversubscribe --tag-output --allow-run-as-root",
    ],
)
def test_slots_are_processes_beside_options_that_change_no_number(options: str) -> None:
    [table] = tables(f"mpirun {options} -H a:8,b:8 ./osu_allreduce\n{TABLE}")
    assert table.ranks == 16


@pytest.mark.parametrize(
    "line",
    [
        "SLURM_NTASKS={}",
        "export SLURM_NPROCS={}",
        "Number of processes: {}",
        "# Number of MPI ranks = {}",
        "Running with {} ranks",
        "Running osu_allreduce on {} processes on 2 nodes",
        "Launching {} MPI tasks...",
        "=== {} ranks ===",
    ],
)
def test_a_line_says_the_processes(line: str) -> None:
    [run] = runs("".join(line.format(n) + "\n" + TABLE for n in (64, 128)))
    assert {row.ranks for row in run.summaries} == {64, 128}
    assert len(run.launches) == 1


@pytest.mark.parametrize(
    "line", ["Running with 64 ranks per node", "64 processes/node", "Process 64 started on a node"]
)
def test_a_line_of_other_numbers_does_not(line: str) -> None:
    [table] = tables(f"{line}\n{TABLE}")
    assert table.ranks is None


def test_a_line_is_of_all_tables_below_it_and_a_command_of_one() -> None:
    said = "=== 64 ranks ===\n" + 2 * TABLE + "\n=== 128 ranks ===\n" + TABLE
    assert [table.ranks for table in tables(said)] == [64, 64, 128]
    command = "mpirun -np 32 ./osu_allreduce\n" + 2 * TABLE
    assert [table.ranks for table in tables(said + command)] == [64, 64, 128, 32, None]


@pytest.mark.parametrize(
    ("other", "is_said"),
    [
        ("mpirun -np 128 --mca pml ob1 --mca btl tcp,self ./osu_allreduce", True),
        ("srun -n 128 ./osu_allreduce", True),
        ("mpirun -np 128 -H a,b --mca pml ucx ./osu_allreduce -m 8:64 > 128.log", False),
        ("mpirun -H a:64,b:64 -map-by ppr:64:node --mca pml ucx ./osu_allreduce", False),
    ],
)
def test_other_processes_of_another_setting_are_said(other: str, is_said: bool) -> None:
    first = "mpirun -np 64 --mca pml ucx ./osu_allreduce"
    [run] = runs(f"{first}\n{TABLE}\n{other}\n{TABLE}")
    assert {row.ranks for row in run.summaries} == {64, 128}
    assert run.header.source is not None
    said = [note for note in run.header.source.notes if "is another setting than" in note]
    assert len(said) == is_said


@pytest.mark.parametrize(
    ("command", "ranks"),
    [
        ("jsrun -n 2 -a 6 {} -b 1M -g 1", 12),
        ("mpirun -n 4 {} -g 1 : -n 4 {} -g 1", 8),
        ("nice -n 10 mpirun -np 16 {} -g 1 -n 20", 16),
    ],
)
def test_processes_of_nccl_tests_are_those_of_the_launcher(command: str, ranks: int) -> None:
    log = (
        f"{command.replace('{}', './build/all_reduce_perf')}\n"
        "# nThread 1 nGpus 1 minBytes 1048576 maxBytes 2097152 step: 2(factor) warmup iters: 5\n"
        "#       size         count      type   redop    root     time   algbw   busbw #wrong"
        "     time   algbw   busbw #wrong\n"
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)       "
        "     (us)  (GB/s)  (GB/s)\n"
        "     1048576        262144     float     sum      -1    354.9    2.95    5.76      0"
        "    345.7    3.03    5.92      0\n"
    )
    assert {table.ranks for table in tables(log)} == {ranks}
