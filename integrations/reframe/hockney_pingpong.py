"""ReFrame: latency and bandwidth between two ranks as performance variables.

Run it as it is to see the numbers, or derive a test with references of your system:
docs/howto/other-tools.md has both.
"""

import json
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
import reframe.utility.typecheck as types
from reframe.core.backends import getlauncher


class HockneyPingPong(rfm.RunOnlyRegressionTest):
    """Two ranks, one a node where `num_tasks_per_node` is 1."""

    budget = variable(str, value="20s")
    sizes = variable(str, value="8,4MiB")
    """The smallest gives the latency, the largest the bandwidth."""
    options = variable(types.List[str], value=[])
    """More of `hockney pingpong`: --place, --mpicc, --verify ..."""

    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    num_tasks = 2
    executable = "hockney"
    keep_files = ["pingpong.jsonl"]

    @run_before("run")
    def ask(self):
        self.executable_opts = [
            "pingpong",
            *("--sizes", self.sizes, "--budget", self.budget, "--json", "-o", "pingpong.jsonl"),
            *self.options,
        ]

    @run_before("run")
    def leave_starting_ranks_to_hockney(self):
        self.job.launcher = getlauncher("local")()

    @sanity_function
    def was_measured(self):
        return sn.assert_eq(self.job.exitcode, 0)

    @performance_function("us")
    def latency(self):
        return self._points()[0]["median_s"] * 1e6

    @performance_function("MiB/s")
    def bandwidth(self):
        return self._points()[-1]["bandwidth_Bps"] / 2**20

    def _points(self):
        """Of the headline state, by size; what hockney prints with --json."""
        printed = json.loads((Path(self.stagedir) / str(self.stdout)).read_text())
        return sorted(printed["points"], key=lambda point: point["bytes"])


@rfm.simple_test
class HockneyNumbers(HockneyPingPong):
    """The numbers, without references: for a first look."""
