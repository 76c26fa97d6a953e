"""Real programs, counted by the recorder and by another one in the same run."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from conftest import RunHockney
from hockney.profiling import kinds
from hockney.run.measure.toolchain.mpi import find_mpi
from hockney.run.mpis import family_of

HERE = Path(__file__).parent
LAMMPS = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 8 0 8 0 8
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
{how}
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
thermo 50
run 100
"""
INPUTS = {"brick": "", "tiled": "comm_style tiled\nfix 2 all balance 50 1.05 rcb"}
COUNTED = tuple[int, str, int, int]
"""Rank, call, partner (-1: none) and bytes."""


def second(path: Path) -> Counter[COUNTED]:
    """Calls that the other recorder counted on each rank."""
    counts: Counter[COUNTED] = Counter()
    for file in path.parent.glob(f"{path.name}.*"):
        for line in file.read_text().splitlines():
            call, peer, bytes_, count = line.split()
            counts[int(file.suffix[1:]), call, int(peer), int(bytes_)] += int(count)
    return counts


@pytest.mark.long
@pytest.mark.parametrize("name", [*INPUTS, "hpcc"])
def test_two_recorders_count_the_same(hockney: RunHockney, tmp_path: Path, name: str) -> None:
    program = shutil.which("hpcc" if name == "hpcc" else "lmp")
    if program is None or shutil.which("mpicc.openmpi") is None:
        pytest.skip("needs lammps, hpcc and the MPI that Debian built them with")
    mpi = find_mpi("mpicc.openmpi")
    counter = tmp_path / "counter.so"
    words = [mpi.mpicc, "-w", "-O1", "-fPIC", "-shared", "-o", counter, HERE / "counter.c"]
    subprocess.run(words, check=True)
    arguments: tuple[str, ...] = ()
    if name == "hpcc":
        example = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt").read_text()
        lines = example.splitlines()
        lines[5], lines[10], lines[11] = "200 Ns", "1 Ps", "2 Qs"
        (tmp_path / "hpccinf.txt").write_text("\n".join(lines) + "\n")
    else:
        (tmp_path / "in.lj").write_text(LAMMPS.format(how=INPUTS[name]))
        arguments = ("-in", "in.lj", "-log", "none")
    counted = tmp_path / "counted"
    more = {"LD_PRELOAD": str(counter), "COUNTED": str(counted)}
    env = {**family_of(mpi).environment(mpi), **more}
    command = (str(mpi.mpiexec), "-n", "2", program, *arguments)
    hockney.ok("profile", "-o", "p.jsonl", "--", *command, env=env)
    theirs = second(counted)
    names = {call for _, call, _, _ in theirs}
    ours: Counter[COUNTED] = Counter()
    for row in kinds.read(tmp_path / "p.jsonl").calls:
        if row.call in names:
            ours[row.rank, row.call, -1 if row.peer is None else row.peer, row.bytes] += row.count
    assert sum(theirs.values()) > 1000
    assert ours == theirs


NWCHEM = """start h2o
geometry
 O 0 0 0
 H 0 0.757 0.587
 H 0 -0.757 0.587
end
basis
 * library 6-31g
end
task scf energy
"""
ENERGY = "Total SCF energy ="


@pytest.mark.long
def test_one_sided_calls_of_nwchem(hockney: RunHockney, tmp_path: Path) -> None:
    """Global Arrays over ARMCI-MPI: the energy is that of a run without the recorder, and what was
    put and accumulated has its ranks."""
    program = shutil.which("nwchem.openmpi")
    if program is None or shutil.which("mpicc.openmpi") is None:
        pytest.skip("needs nwchem-openmpi and its MPI")
    mpi = find_mpi("mpicc.openmpi")
    (tmp_path / "h2o.nw").write_text(NWCHEM)
    library = {"NWCHEM_BASIS_LIBRARY": "/usr/share/nwchem/libraries/"}
    env = {**family_of(mpi).environment(mpi), **library}
    command = [str(mpi.mpiexec), "-n", "2", program, "h2o.nw"]
    plain = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, **env}, capture_output=True, text=True, check=True
    )
    done = hockney.ok("profile", "-o", "p.jsonl", "--", *command, env=env)
    energies = [
        line for out in (plain.stdout, done.stdout) for line in out.splitlines() if ENERGY in line
    ]
    assert len(energies) == 2
    assert energies[0] == energies[1]
    profile = kinds.read(tmp_path / "p.jsonl")
    assert [(rank.end, rank.lost_calls) for rank in profile.ranks] == 2 * [("finalized", 0)]
    sent = [call for call in profile.calls if call.call in ("MPI_Accumulate", "MPI_Get_accumulate")]
    assert {(call.rank, call.peer) for call in sent} == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert sum(call.count for call in sent) > 1000
    assert all(call.communicator_size == 2 for call in sent)
