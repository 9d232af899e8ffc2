"""Experiments: a workload with the options under which a published effect of idle states, or on
them, shows. What each document claims is in docs/claims.md."""

from collections.abc import Collection, Mapping
from typing import Any

from ...base.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Experiment:
    """A workload and options of `simulate`, by their names there; both of what is compared are
    among them."""

    workload: str
    text: str
    options: Mapping[str, Any]

    @property
    def words(self) -> list[str]:
        """The same as words of a command line."""
        found = [self.workload]
        for name, value in self.options.items():
            for one in value if isinstance(value, list) else [value]:
                found += [f"--{name}", str(one)]
        return found


def filled(word: str, given: Collection[str]) -> Mapping[str, Any]:
    """Returns option -> its words where an experiment's name is the workload: those that are not
    given. The workload's own stand for ""."""
    experiment = EXPERIMENTS.get(word)
    if experiment is None:
        return {}
    own = {*given, "table"} if "states" in given else given
    options = {name: value for name, value in experiment.options.items() if name not in own}
    return {"": experiment.workload, **options}


EXPERIMENTS: Mapping[str, Experiment] = {
    "recent-used-cpu": Experiment(
        "hand-off",
        "A task and the worker of its CPU hand work to each other, with the recently used CPU as a "
        "candidate and without (Linux 32e839dda3ba): over all CPUs in turn, or between two.",
        {
            "table": ["power9"],
            "topology": "cpus=8",
            "placement": ["recent_used_cpu=off", "recent_used_cpu=on"],
            "duration": "100ms",
            "sequence": 64,
        },
    ),
    "small-core": Experiment(
        "schbench:messages=1,workers=4,work=100us",
        "A partition of one fused core whose scheduler searches it as eight threads or as two "
        "halves of four (cpu_smt_mask): then more wake-ups come to a CPU in CEDE. With --disabled "
        "CEDE, less than half of the loss is left.",
        {
            "table": ["pseries-dedicated"],
            "topology": "smt8-fused",
            "placement": ["cpu_smt_mask=cpu_sibling_map", "cpu_smt_mask=cpu_smallcore_map"],
            "kernel": "5.9",
            "duration": "300ms",
            "sequence": 64,
        },
    ),
    "cluster": Experiment(
        "ebizzy:threads=6",
        "Six threads that compute nearly all the time on 24 CPUs in six clusters, the scheduler "
        "knowing these or not: one in each cluster, or side by side.",
        {
            "table": ["power9"],
            "topology": "clusters-24",
            "placement": ["sched_cluster=0", "sched_cluster=1"],
            "duration": "100ms",
            "sequence": 64,
        },
    ),
    "stop0-lite": Experiment(
        "ping-pong",
        "context_switch2 on POWER9 DD1 with stop0_lite at 200 ns / 2 us, and as corrected; each "
        "also with stop0_lite switched off, which leaves snooze with its time-out of 2 or 10 us.",
        {
            "table": ["power9-dd1@84368bbf8", "power9-dd1"],
            "without": ["stop0_lite"],
            "kernel": "4.11",
            "duration": "200ms",
        },
    ),
}
