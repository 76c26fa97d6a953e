"""What scripts, people and libraries print of a setting keeps tables apart; what tells of one
launch does not."""

from __future__ import annotations

import pytest
from reading import log, runs

import excerpts as logs
from hockney.foreign.exchange import reading
from hockney.foreign.logs.commands import starts_program
from hockney.foreign.logs.runs import runs_of

TABLE = "\n# OSU MPI Allreduce Latency Test v7.3\n# Size       Avg Latency(us)\n8  5.10\n64  7.20\n"


def experiments(first: str, second: str, repeats: int = 1) -> list[int]:
    """Launches of each experiment of two tables; the first comes `repeats` times."""
    return [len(run.launches) for run in runs(f"{first}\n{TABLE * repeats}\n{second}\n{TABLE}")]


COMMAND = "mpirun -np 64 --mca pml {} ./osu_allreduce"


@pytest.mark.parametrize(
    "line",
    [
        "Executing {}",
        "Running {} ...",
        "Command: '{}'",
        "command: {}",
        "cmd = {}",
        ">>> {}",
        "INFO: {}",
        "echo 'Running: {}'",
        "➜  ~ {}",
        "kubectl exec launcher -- {}",
        "[12:00:01] (job 3) {}",
    ],
)
def test_a_command_behind_other_words_keeps_tables_apart(line: str) -> None:
    first, second = (line.format(COMMAND.format(pml)) for pml in ("ucx", "ob1"))
    two_runs = runs(f"{first}\n{TABLE}\n{second}\n{TABLE}")
    assert [run.header.options["command"] for run in two_runs] == [
        "mpirun --mca pml ucx ./osu_allreduce",
        "mpirun --mca pml ob1 ./osu_allreduce",
    ]
    assert experiments(first, first) == [2]


def test_another_number_of_nodes_of_flux_is_another_setting() -> None:
    line = "flux submit -N{} -n64 ./osu_allreduce"
    assert experiments(line.format(2), line.format(4)) == [1, 1]


@pytest.mark.parametrize(
    "line",
    [
        "Use mpirun to start the program osu_latency",
        "mpirun noticed that process rank 3 with PID 17 exited",
        "You can run mpirun -np 2 ./osu_latency to see this",
        "it was started by srun with osu_latency",
    ],
)
def test_a_sentence_about_a_launcher_is_no_command(line: str) -> None:
    assert not starts_program(line)


KEYS = [
    ("MPI: openmpi/4.1.5", "MPI: mpich/4.1.2"),
    ("MPI library: Open MPI v4.1.5", "MPI library: MVAPICH 3.0"),
    ("MPI VERSION    : CRAY MPICH version 8.1.25", "MPI VERSION    : CRAY MPICH version 8.1.29"),
    ("Algorithm: ring", "Algorithm: rabenseifner"),
    ("[INFO] algorithm=ring", "[INFO] algorithm=tree"),
    ("PPN: 32", "PPN: 64"),
    ("# ppn=32", "# ppn=64"),
    ("algo: 3", "algo: 4"),
    ("Eager threshold: 8192", "Eager threshold: 65536"),
    ("Kernel: 5.14", "Kernel: 6.1"),
    ("spack load openmpi@4", "spack load openmpi@5"),
    ("2 nodes x 32 ppn", "4 nodes x 32 ppn"),
    ("OMP_NUM_THREADS: 1", "OMP_NUM_THREADS: 8"),
    ("Environment: UCX_TLS=rc_x", "Environment: UCX_TLS=tcp"),
    ("SLURM_JOB_NUM_NODES: 2", "SLURM_JOB_NUM_NODES: 4"),
    ("SLURM_NNODES=2", "SLURM_NNODES=4"),
    ('declare -x UCX_TLS="rc"', 'declare -x UCX_TLS="ud"'),
    ("Loading openmpi/4.1.5", "Loading mpich/4.1"),
    ("Loading gcc/12.2\nLoading openmpi/4.1.5", "Loading gcc/12.2\nLoading openmpi/5.0.3"),
    ("Using openmpi/4.1.5", "Using mvapich2/2.3.7"),
    (
        "Currently Loaded Modules:\n  1) gcc/12.2.0   2) ucx/1.15\n  3) openmpi/4.1.5",
        "Currently Loaded Modules:\n  1) gcc/12.2.0   2) ucx/1.16\n  3) openmpi/4.1.5",
    ),
    ("Open MPI 4.1.5", "MVAPICH2 2.3.7"),
    ("Intra-socket", "Inter-socket"),
    ("Allreduce algorithm 3", "Allreduce algorithm 4"),
    ("System: DGX-1", "System: DGX-2"),
    ("=== Run 2 nodes ===", "=== Run 4 nodes ==="),
    ("PE 0: MPICH_SMP_SINGLE_COPY_MODE    = XPMEM", "PE 0: MPICH_SMP_SINGLE_COPY_MODE    = CMA"),
    (
        "[1.2] [cn2:32:0] parser.c:20 UCX INFO UCX_* env variables: UCX_LOG_LEVEL=info UCX_TLS=rc",
        "[9.2] [cn2:39:0] parser.c:20 UCX INFO UCX_* env variables: UCX_LOG_LEVEL=warn UCX_TLS=ud",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), KEYS, ids=[second[:30] for _, second in KEYS])
def test_a_value_that_differs_keeps_tables_apart(first: str, second: str) -> None:
    assert experiments(first, second) == [1, 1]
    assert experiments(first, first) == [2]
    if not first.startswith(("PE", "[1.2]")):  # a library prints it at each start
        assert experiments(first, second, repeats=3) == [3, 1]


def test_the_value_is_an_option_of_the_experiment() -> None:
    two_runs = runs(f"MPI: a\nOpen MPI\n{TABLE}\nMPI: b\nMPICH\n{TABLE}")
    assert [run.header.options for run in two_runs] == [
        {"heading": "Open MPI", "settings": "mpi=a"},
        {"heading": "MPICH", "settings": "mpi=b"},
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Run 1", "Run 2"),
        ("Run number 1", "Run number 2"),
        ("Attempt no. 1", "Attempt no. 2"),
        ("first run", "second run"),
        ("i=1", "i=2"),
        ("retry=1", "retry=2"),
        ("Total time 5", "Total time 6"),
        ("Today is 27.11.2026", "Today is 28.11.2026"),
        ("iteration 3", "iteration 4"),
        ("trial 2 of 5", "trial 3 of 5"),
        ("Test 1: allreduce", "Test 2: allreduce"),
        ("Started: Mon Nov 25 15:11:28 2024", "Started: Mon Nov 25 15:12:28 2024"),
        ("Launched at 15:11:28", "Launched at 15:12:28"),
        ("Submitted batch job 123456", "Submitted batch job 123457"),
        ("srun: job 123 queued", "srun: job 124 queued"),
        ("SLURM_JOB_ID=1234567", "SLURM_JOB_ID=1234568"),
        ("Job: 17", "Job: 18"),
        ("Working on node017", "Working on node018"),
        ("Running between node01 and node02", "Running between node03 and node04"),
        ("SLURM_JOB_NODELIST=n[1-2]", "SLURM_JOB_NODELIST=n[3-4]"),
        ("real\t0m2.453s", "real\t0m2.511s"),
        ("Elapsed: 12.5 s", "Elapsed: 13.5 s"),
        ("Output: run_a.out", "Output: run_b.out"),
        ("Peak: 11.93", "Peak: 12.93"),
        ("Status: OK", "Status: FAILED"),
        ("", "some words of the scheduler"),
        ("", "Algorithm: ring"),
        ("n1:17:17 [0] NCCL INFO NET/Plugin: none", "n1:18:18 [0] NCCL INFO NET/Plugin: x"),
        ("[n1:17] UCX  WARN  unexpected", "WARNING: something else"),
        ("osu-iter-3", "osu-iter-4"),
    ],
)
def test_what_tells_of_one_launch_keeps_nothing_apart(first: str, second: str) -> None:
    assert experiments(first, second) == [2]


def test_results_of_a_script_below_a_table_are_not_of_the_next() -> None:
    below = "Saved run.json\nPeak: 12.5\nAll done\n"
    assert [len(run.launches) for run in runs((TABLE + below) * 3)] == [3]


NCCL = "n1:{pid}:{pid} [{rank}] NCCL INFO NCCL_ALGO set by environment to {algorithm}\n"


def nccl(algorithm: str, is_late: bool) -> str:
    """A table whose library prints its setting above it, or between its heading and its rows."""
    text = logs.NCCL
    said = "".join(NCCL.format(pid=17 + n, rank=n, algorithm=algorithm) for n in range(2))
    heading = "(us)"
    place = text.index("\n", text.index(heading)) + 1 if is_late else 0
    return text[:place] + said + text[place:]


@pytest.mark.parametrize("is_late", [False, True])
def test_settings_that_a_library_prints_are_of_its_table(is_late: bool) -> None:
    text = "".join(nccl(algorithm, is_late) for algorithm in ("Ring", "Tree", "Ring"))
    read = log(text)
    two_runs = runs_of([(read, table) for table in reading.read(read, "nccl-tests")], "nccl-tests")
    assert {run.header.options["settings"]: len(run.launches) for run in two_runs} == {
        "NCCL_ALGO=Ring": 2,
        "NCCL_ALGO=Tree": 1,
    }


IMB = """\
[0] MPI startup(): libfabric provider: {provider}
[0] MPI startup(): 0       {pid}    node01     {{0}}
#    Intel(R) MPI Benchmarks 2021.5, MPI-1 part
# Date                  : Wed Nov 25 15:11:{pid} 2023
# MPI Version           : {version}
# Benchmarking PingPong
# #processes = 2
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         1.30         0.00
         1024         1000         2.00       512.00

"""


@pytest.mark.parametrize("other", [{"provider": "verbs;ofi_rxm"}, {"version": "4.0"}, {}])
def test_libraries_of_imb_keep_its_tables_apart(other: dict[str, str]) -> None:
    usual = {"provider": "mlx", "version": "3.1"}
    text = IMB.format(pid=11, **usual) + IMB.format(pid=12, **usual | other)
    assert [len(run.launches) for run in runs(text)] == ([1, 1] if other else [2])
