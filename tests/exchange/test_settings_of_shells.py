"""Settings that shells, launchers and programs show around tables keep these apart."""

from __future__ import annotations

import pytest
from reading import runs

ROWS = (
    "# Size          Latency (us)\n8                       {time}\n64                      2.51\n"
)
TABLE = "# OSU MPI Latency Test v5.9\n" + ROWS


def experiments(above_first: str, above_second: str, table: str = TABLE) -> int:
    """Number of experiments read from two tables whose times differ as launches do."""
    first, second = table.format(time="1.50"), table.format(time="1.53")
    return len(runs(f"{above_first}\n{first}\n{above_second}\n{second}"))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "module load openmpi/4.1.5\nmodule load ucx/1.15",
            "module load openmpi/5.0.3\nmodule load ucx/1.15",
        ),
        ("module load openmpi/4.1.5\nmodule load ucx/1.15", "module unload ucx"),
        ("module load openmpi/4.1.5", "module purge"),
        ("export UCX_TLS=tcp", "unset UCX_TLS"),
        (
            "[u@n1 ~]$ cd osu-ompi4\n[u@n1 ~]$ mpirun -n 2 ./osu_latency",
            "[u@n1 ~]$ cd osu-mpich\n[u@n1 ~]$ mpirun -n 2 ./osu_latency",
        ),
        ("[u@lynx ~]$ mpirun -n 2 osu_latency", "[u@hill ~]$ mpirun -n 2 osu_latency"),
        ("Host: frontier", "Host: lumi"),
        ("Running osu_latency with UCX_TLS=tcp", "Running osu_latency with UCX_TLS=rc,sm"),
    ],
)
def test_other_settings_are_other_experiments(first: str, second: str) -> None:
    assert experiments(first, second) == 2
    assert experiments(first, first) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("[u@nid001 ~]$ mpirun -n 2 osu_latency", "[u@nid002 ~]$ mpirun -n 2 osu_latency"),
        ("Host: node17.cluster", "Host: node18.cluster"),
        (
            "[u@n1 ~]$ cd run1\n[u@n1 ~]$ mpirun -n 2 ./osu_latency",
            "[u@n1 ~]$ cd run2\n[u@n1 ~]$ mpirun -n 2 ./osu_latency",
        ),
        (
            "[u@n1 ~]$ cd first\n[u@n1 ~]$ mpirun -n 2 osu_latency",
            "[u@n1 ~]$ cd second\n[u@n1 ~]$ mpirun -n 2 osu_latency",
        ),
    ],
)
def test_other_nodes_and_directories_of_launches_are_not(first: str, second: str) -> None:
    assert experiments(first, second) == 1


def test_another_version_of_the_program_is_another_experiment() -> None:
    older = TABLE.format(time="1.50")
    newer = TABLE.replace("v5.9", "v7.0").format(time="1.53")
    assert len(runs(f"{older}\n{newer}")) == 2


NCCL = """\
NCCL version {library}
# nThread 1 nGpus 1 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1
# Using devices
#  Rank  0 Group  0 Pid  12345 on      node1 device  0 [0x07] NVIDIA {device}
#  Rank  1 Group  0 Pid  12346 on      {host} device  1 [0x08] NVIDIA {device}
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
        1024           256     float     sum      -1    {time}    0.08    0.08      0    12.50    0.08    0.08      0
# Out of bounds values : 0 OK
"""  # noqa: E501
USUAL = {"library": "2.18.5+cuda12.2", "host": "node1", "device": "A100-SXM4"}


@pytest.mark.parametrize(
    "other", [{"library": "2.21.5+cuda12.4"}, {"host": "node2"}, {"device": "H100"}, {}]
)
def test_libraries_devices_and_nodes_of_nccl_tests_are_kept_apart(other: dict[str, str]) -> None:
    text = NCCL.format(time="12.50", **USUAL) + NCCL.format(time="12.60", **USUAL | other)
    assert len(runs(text)) == (2 if other else 1)
