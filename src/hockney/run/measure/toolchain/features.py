"""Features of an MPI library beyond MPI 3.0, as the engine built with it reports them."""

from __future__ import annotations

import subprocess

import msgspec

from hockney.base.errors import HockneyError, UsageError
from hockney.run.mpis import Engine, ask_command


class Features(msgspec.Struct, kw_only=True):
    library: str | None = None
    version: str | None = None
    persistent_collectives: bool = False
    neighbor_collectives: bool = True
    partitioned: bool = False

    @property
    def name(self) -> str:
        """The library with its version."""
        return " ".join(filter(None, (self.library, self.version))) or "this MPI library"


SIMULATED = Features(library="SimGrid", neighbor_collectives=False)
"""Features of SMPI, which cannot be asked: its programs run under smpirun alone."""


def features_of(engine: Engine, simulated: bool) -> Features:
    """The features of the library that an engine was built with. Starts no MPI program."""
    if simulated:
        return SIMULATED
    try:
        done = ask_command(engine.path, "features", env=engine.env)
        return msgspec.json.decode(done.stdout, type=Features)
    except (OSError, subprocess.TimeoutExpired, msgspec.DecodeError) as error:
        raise HockneyError(f"{engine.path} cannot be run: {error}") from error


def check_persistent(features: Features) -> None:
    """Raises UsageError if the library has no persistent collectives."""
    if not features.persistent_collectives:
        raise _before_mpi_4(features, "--form persistent", "persistent collectives")


def check_partitioned(features: Features) -> None:
    """Raises UsageError if the library has no partitioned communication."""
    if not features.partitioned:
        raise _before_mpi_4(features, "--exchange partitioned", "partitioned communication")


def _before_mpi_4(features: Features, option: str, what: str) -> UsageError:
    return UsageError(
        f"{option}: {features.name} has no {what}, which came with MPI 4.0",
        "leave it out, or name another MPI library with --mpicc",
    )


def check_neighborhood(features: Features) -> None:
    """Raises UsageError if the library has no neighbourhood collectives."""
    if not features.neighbor_collectives:
        raise UsageError(
            f"{features.name} has no neighbourhood collectives",
            "leave them out of --exchange: waitall and others are messages between two ranks",
        )
