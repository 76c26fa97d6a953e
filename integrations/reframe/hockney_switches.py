"""ReFrame: every switch of a network and every cable between two, in one test.

It fails where a node, a switch or a cable is slower than the others of its kind, and names it; the
times by level (same switch, one hop, ...) are performance variables in us. An example is in
docs/howto/other-tools.md.
"""

import json
import re
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
import reframe.utility.typecheck as types
from reframe.core.backends import getlauncher


class HockneySwitches(rfm.RunOnlyRegressionTest):
    """One rank a node: the pairs of each switch, and then node by node of every two switches."""

    topology = variable(str)
    """A file that says which nodes are on which switch, or "slurm"; a file's path is absolute."""
    sizes = variable(str, value="8,1MiB")
    budget = variable(str, value="60s")
    options = variable(types.List[str], value=[])
    """More of `hockney fabric`, such as --hosts or, to try it out, --platform."""

    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    num_tasks_per_node = 1
    executable = "hockney"
    keep_files = ["run.jsonl"]

    @run_before("run")
    def ask(self):
        nodes = str(self.num_tasks)
        simulated = "--platform" in self.options
        self.executable_opts = [
            *("fabric", "-n", nodes, *([] if simulated else ["--nodes", nodes])),
            *("--topology", self.topology, "--per-switch", "--sizes", self.sizes),
            *("--budget", self.budget, "--json", "-o", "run.jsonl", *self.options),
        ]

    @run_before("run")
    def leave_starting_ranks_to_hockney(self):
        self.job.launcher = getlauncher("local")()

    @sanity_function
    def nothing_is_slow(self):
        shown = self._shown()
        return sn.all(
            [
                sn.assert_eq(self.job.exitcode, 0),
                sn.assert_false(shown["suspects"], msg="; ".join(shown["verdict"])),
            ]
        )

    @run_before("performance")
    def take_every_level(self):
        self.perf_variables = {
            _name(level, what): sn.make_performance_function(
                sn.defer(level[f"{what}_s"] * 1e6), "us"
            )
            for level in self._shown()["levels"]
            for what in ("median", "max")
        }

    def _shown(self):
        return json.loads((Path(self.stagedir) / str(self.stdout)).read_text())


def _name(level, what):
    """Such as same_switch_8B_median."""
    return re.sub(r"\W+", "_", f"{level['level']}_{level['bytes']}B_{what}")
