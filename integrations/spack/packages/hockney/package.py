"""Spack: spack repo add integrations/spack; spack install hockney ^openmpi"""

from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import *


class Hockney(PythonPackage):
    """Measure how MPI communicates, explain it by models, and put the answer to use."""

    pypi = "hockney/hockney-0.2.0.tar.gz"

    license("BSD-3-Clause")

    version("0.2.0")

    variant("parquet", default=False, description="Write Parquet")
    variant("pandas", default=False, description="Data frames in notebooks")

    depends_on("python@3.10:", type=("build", "run"))
    depends_on("py-hatchling", type="build")

    # The MPI to be measured: the engine is built by its wrapper when it is first used.
    depends_on("mpi", type="run")

    depends_on("py-click@8.1:", type=("build", "run"))
    depends_on("py-jinja2@3.1:", type=("build", "run"))
    depends_on("py-matplotlib@3.7:", type=("build", "run"))
    depends_on("py-msgspec@0.18:", type=("build", "run"))
    depends_on("py-numpy@1.24:", type=("build", "run"))
    depends_on("py-plotext@5.2:", type=("build", "run"))
    depends_on("py-scipy@1.10:", type=("build", "run"))
    depends_on("py-tomli@2:", type=("build", "run"), when="^python@:3.10")
    depends_on("py-zstandard@0.21:", type=("build", "run"))
    depends_on("py-pandas@2:", type=("build", "run"), when="+pandas")
    depends_on("py-pyarrow@14:", type=("build", "run"), when="+parquet")

    def setup_run_environment(self, env: EnvironmentModifications) -> None:
        env.set("MPICC", self.spec["mpi"].mpicc)
