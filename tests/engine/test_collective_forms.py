"""Collectives by put and get, and by several threads: what arrives, what is refused."""

from __future__ import annotations

import pytest

from conftest import RunEngine, first_of
from hockney.plan.workloads.collective import IN_FORMS, IN_WINDOWS, NO_BYTES, ONE_SIDED, ROOTED
from hockney.run.mpis import Engine

QUICK = ("--verify", "--seconds=0.02", "--sizes=8,64,4KiB")
BY_PUT = [
    *[("bcast", "put-flush"), ("scatter", "get-fence"), ("gather", "get-flush")],
    *[("alltoall", "put-fence")],
]
"""Each collective that differs in its roles, and each form, once."""
ALL_BY_PUT = [
    *BY_PUT,
    *((name, form) for name in IN_WINDOWS for form in ONE_SIDED if (name, form) not in BY_PUT),
]
BY_THREADS = sorted(
    (name for name in IN_FORMS if name not in NO_BYTES),
    key=lambda name: name not in ("allreduce", "bcast"),
)


@pytest.mark.parametrize(("name", "form"), first_of(ALL_BY_PUT, 2))
def test_what_is_put_and_got_arrives(run_engine: RunEngine, name: str, form: str) -> None:
    others = ["--root=rotate"] if name in ROOTED else []
    done = run_engine.ok("collective", name, f"--form={form}", *QUICK, *others, ranks=3)
    assert {s["bytes"] for s in done.of("start")} == {8, 64, 4096}
    assert {(s["operation"], s["form"]) for s in done.of("samples")} <= {(name, form)}
    assert all("train" not in s for s in done.of("samples"))


@pytest.mark.parametrize(
    ("name", "form"), first_of([("gather", "put-fence"), ("bcast", "get-flush")])
)
def test_a_damaged_byte_is_found(
    run_engine: RunEngine, faulty_engine: Engine, name: str, form: str
) -> None:
    done = run_engine(
        *("collective", name, f"--form={form}", *QUICK),
        ranks=3,
        path=faulty_engine.path,
        env={"HOCKNEY_FAULT_CORRUPT": "1"},
    )
    assert done.status != 0
    assert "data check: " in done.stderr


@pytest.mark.parametrize("name", first_of(BY_THREADS, 2))
def test_threads_make_a_collective_at_once(run_engine: RunEngine, name: str) -> None:
    """Each thread has buffers and a communicator of its own, and all data are checked."""
    others = ["--root=rotate"] if name in ROOTED else []
    done = run_engine.ok(
        "collective", name, "--threads=1,2", "--thread-comms=own", *QUICK, *others, ranks=2
    )
    threads = {s["threads"] for s in done.of("samples")}
    assert threads <= {1, 2}
    assert len(done.of("start")) % 6 == 0  # each round: three sizes by one thread and by two


def test_a_damaged_byte_of_a_thread_is_found(run_engine: RunEngine, faulty_engine: Engine) -> None:
    done = run_engine(
        *("collective", "alltoall", "--threads=2", "--thread-comms=own", *QUICK),
        path=faulty_engine.path,
        env={"HOCKNEY_FAULT_CORRUPT": "1"},
    )
    assert done.status != 0
    assert "data check: " in done.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["reduce", "--form=put-fence"], "no such collective"),
        (["bcast", "--form=push"], "no such collective"),
        (["bcast", "--form=put-fence", "--overlap"], "takes no --overlap"),
        (["bcast", "--form=put-fence", "--buffers=cold"], "takes no --buffers cold"),
        (["bcast", "--threads=2"], "only one collective may be made at a time"),
        (["bcast", "--form=put-fence", "--threads=2", "--thread-comms=own"], "takes no --overlap"),
        (["bcast", "--groups=2", "--threads=2", "--thread-comms=own"], "takes no --overlap"),
        (["bcast", "--threads=2:1", "--thread-comms=own"], "more threads on one side"),
    ],
)
def test_what_does_not_go_together_is_refused(
    run_alone: RunEngine, arguments: list[str], complaint: str
) -> None:
    done = run_alone.refused("collective", *arguments, "--sizes=8", because=complaint)
    assert done.of("samples") == []
