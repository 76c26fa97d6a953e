"""Libraries of accelerators without an accelerator: fakes/ has their sources and modes."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from hockney.run.mpis import Mpi

FAKES = Path(__file__).parent / "fakes"
NAMES = {
    "cuda": "libcuda.so.1",
    "hip": "libamdhip64.so.6",
    "level_zero": "libze_loader.so.1",
}
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wno-sign-conversion")
FLAGS = ("-std=c11", "-pthread", "-D_GNU_SOURCE", "-O1", *WARNINGS, "-Werror")


@dataclass(frozen=True)
class FakeLibrary:
    """A fake that is built: alone in its directory, under the name of the real library."""

    interface: str
    path: Path

    def environment(
        self, mpi: Mpi, mode: str = "plain", *, use: bool = True, ipc: bool = False
    ) -> dict[str, str]:
        """Variables for ranks that shall find it and have such devices; an MPI that can use it is
        asked to, unless `use` is off."""
        before = os.environ.get("LD_LIBRARY_PATH")
        variables = {
            "LD_LIBRARY_PATH": f"{self.path.parent}:{before}" if before else str(self.path.parent),
            f"HOCKNEY_FAKE_{self.interface.upper()}": mode,
        }
        if use and mpi.family == "intel" and self.interface == "cuda":
            variables |= {
                "I_MPI_OFFLOAD": "1",
                "I_MPI_OFFLOAD_MODE": "cuda",
                "I_MPI_OFFLOAD_CUDA_LIBRARY": str(self.path),
                "I_MPI_OFFLOAD_IPC": str(int(ipc)),
            }
        return variables


def build_fake(interface: str) -> FakeLibrary:
    """The fake of "cuda", "hip" or "level_zero"; built once for all tests that share a cache."""
    sources = [*sorted(FAKES.glob(f"fake_{interface}*.c")), FAKES / "fake.c"]
    read = hashlib.sha256(" ".join(FLAGS).encode())
    for source in (*sources, *sorted(FAKES.glob("fake*.h"))):
        read.update(source.read_bytes())
    directory = Path(os.environ["XDG_CACHE_HOME"]) / "fakes" / read.hexdigest()[:16] / interface
    directory.mkdir(parents=True, exist_ok=True)
    library = directory / NAMES[interface]
    with FileLock(directory.with_name(f"{interface}.lock")):
        if not library.exists():
            unfinished = library.with_suffix(".unfinished")
            kind = ("-shared", "-fPIC", "-fvisibility=hidden", f"-Wl,-soname,{library.name}")
            command = ["cc", *FLAGS, *kind, "-o", str(unfinished), *map(str, sources), "-ldl"]
            subprocess.run(command, check=True)
            unfinished.rename(library)
    return FakeLibrary(interface, library)


def can_fake() -> bool:
    """Whether this system has what the fakes are made of (memfd_create, /proc)."""
    return sys.platform == "linux"
