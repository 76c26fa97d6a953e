"""hockney tune: result files in, rules that the library reads out."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from collective_samples import collective_run
from conftest import RunHockney
from hockney.base.errors import UsageError
from hockney.records import Run
from hockney.run.mpis import Engine, Mpi
from hockney.tuning.rule_files import format_in
from hockney.tuning.rules_trial import reported_by, start
from samples import write_run

TIMES = {"default": 10e-6, "binomial": 5e-6, "other": 20e-6}
FORCED = {
    "openmpi": {
        "binomial": {"OMPI_MCA_coll_tuned_bcast_algorithm": "6"},
        "other": {"OMPI_MCA_coll_tuned_bcast_algorithm": "2"},
    },
    "mpich": {
        "binomial": {"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "binomial"},
        "other": {"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "scatter_ring_allgather"},
    },
}


def run_here(mpi: Mpi, engine: Engine, **scale: float) -> Run:
    """A run that looks as if measured with the library that is installed here."""
    _, here = start(mpi, engine, {})
    assert here is not None
    return collective_run(
        lambda _, name, ranks, size: TIMES[name] * scale.get(name, 1.0) * (1 + size / 1000) * ranks,
        algorithms={"default": {}, **FORCED[mpi.family]},
        ranks=(2, 3),
        sizes=(8, 64),
        launches=6,
        library=here.library or "",
        version=here.version or "",
    )


@pytest.fixture
def result(mpi: Mpi, engine: Engine, tmp_path: Path) -> Path:
    return write_run(run_here(mpi, engine), tmp_path / "run.jsonl")


def test_rules_are_written_and_seen_to_be_read(
    hockney: RunHockney, result: Path, tmp_path: Path
) -> None:
    done = hockney.ok("tune", str(result), "-o", "rules")
    assert "and reads all of it" in done.stderr
    rows = [line.split() for line in done.stdout.splitlines() if line.strip().startswith("bcast")]
    assert [row[1] for row in rows] == ["2", "3"]
    assert all("binomial" in row and row[-1] == "2.00" for row in rows)
    assert "2 rules with 100.0 % of the gain" in done.stdout
    exports = dict(re.findall(r"export (\w+)=(\S+)", done.stdout))
    assert str(tmp_path / "rules") in exports.values()
    assert (tmp_path / "rules").exists()


def test_rules_are_deployed_with_modules_and_system_files(
    hockney: RunHockney, result: Path, tmp_path: Path
) -> None:
    assert hockney("tune", str(result), "--deploy").status == 2, "beside what?"
    hockney.ok("tune", str(result), "-o", "rules", "--deploy")
    assert str(tmp_path / "rules") in (tmp_path / "rules.lua").read_text()
    assert (tmp_path / "rules.tcl").read_text().startswith("#%Module1.0")
    assert "to undo: unset" in (tmp_path / "rules.sh").read_text()
    assert hockney("tune", str(result), "-o", "rules", "--deploy").status == 2, "it exists"


def test_the_same_as_json_without_writing(
    hockney: RunHockney, result: Path, tmp_path: Path
) -> None:
    answer = hockney.ok("tune", str(result), "--json").json
    assert answer["rules"][0] == {
        "collective": "bcast",
        "ranks": 2,
        "nodes": None,
        "per_node": None,
        "from_bytes": 8,
        "to_bytes": 64,
        "algorithm": "binomial",
        "segment_bytes": None,
        "radix": None,
        "requests": None,
        "times_faster": pytest.approx(2.0, rel=0.01),
        "conditions": 1,
        "predicted": False,
    }
    assert answer["environment"] == {}
    assert list(tmp_path.iterdir()) == [result]


def test_where_the_library_decides_best_there_is_no_rule(
    hockney: RunHockney, mpi: Mpi, engine: Engine, tmp_path: Path
) -> None:
    write_run(run_here(mpi, engine, binomial=4.0), tmp_path / "run.jsonl")
    done = hockney.ok("tune", "run.jsonl", "-o", "rules")
    assert "no rule is justified" in done.stderr
    assert not (tmp_path / "rules").exists()


def test_algorithms_of_two_files_are_judged_by_the_memory(
    hockney: RunHockney, mpi: Mpi, engine: Engine, tmp_path: Path
) -> None:
    """The binomial is 5 % faster, which two runs that may differ do not show."""
    own = {"default": {}}
    forced = {"binomial": FORCED[mpi.family]["binomial"]}
    library = run_here(mpi, engine).launches[0].mpi
    (tmp_path / "past").mkdir()

    def write(name: str, algorithms: dict[str, dict[str, str]], label: str = "of two files") -> str:
        run = collective_run(
            lambda _, name, *__: 0.95e-5 if name == "binomial" else 1e-5,
            algorithms=algorithms,
            launches=8,
            spread=0.05,
            library=library.library or "",
            version=library.version or "",
        )
        run.header = msgspec.structs.replace(run.header, id=name, label=label)
        return str(write_run(run, tmp_path / f"{name}.jsonl"))

    files = [write("own", own), write("forced", forced)]
    for number in range(8):
        write(f"past/{number}", own | forced)
    assumed = hockney("tune", *files)
    assert "no rule is justified" in assumed.stderr
    write("past/another", own | forced, label="of another question")
    known = hockney.ok("tune", *files, "--memory", "past")
    assert "note: earlier runs left out: 1 of another question" in known.stderr
    assert "binomial" in known.stdout


def test_rules_of_another_version_are_refused(hockney: RunHockney, tmp_path: Path) -> None:
    run = collective_run(
        lambda _, name, *__: TIMES[name],
        algorithms={"default": {}, **FORCED["mpich"]},
        library="MPICH",
        version="0.0.1",
    )
    write_run(run, tmp_path / "run.jsonl")
    hockney.refused("tune", "run.jsonl", "-o", "rules", because="0.0.1")
    assert not (tmp_path / "rules").exists()


def test_a_wrapper_of_another_library_is_refused_before_anything_is_built(
    hockney: RunHockney, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = collective_run(
        lambda _, name, *__: TIMES[name],
        algorithms={"default": {}, **FORCED["mpich"]},
        library="MPICH",
        version="0.0.1",
    )
    run.launches[0].command = ["/opt/of/that/mpiexec\nok: rm", "-n", "2"]
    write_run(run, tmp_path / "run.jsonl")
    (tmp_path / "rules").write_text('{"collective=bcast": {}}')
    monkeypatch.setattr("hockney.tuning.rules_trial.reported_by", lambda _: ("MPICH", "9.9"))
    monkeypatch.setattr("hockney.tuning.rules_trial.mpi_of", lambda _: pytest.fail("it is built"))
    for words in (("--check", "run.jsonl", "rules"), ("run.jsonl", "-o", "new")):
        done = hockney.refused("tune", *words, because="is MPICH 9.9, the files are of MPICH 0.0.1")
        assert "--mpicc: it was started by /opt/of/that/mpiexec\\u000aok: rm" in done.stderr


def test_a_wrapper_says_what_it_is(mpi: Mpi, engine: Engine) -> None:
    _, here = start(mpi, engine, {})
    assert here is not None
    assert reported_by(mpi.mpicc) in (None, (here.library, here.version))


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("# x\nbtl_vader_eager_limit = 4096\n", "--settings btl_vader_eager_limit=4096"),
        ("MPIR_CVAR_CH4_CMA_ENABLE=0\n", "--settings MPIR_CVAR_CH4_CMA_ENABLE=0"),
        ("# x\nexport UCX_TLS=sm,self\n", "--settings UCX_TLS=sm,self"),
        ('whatis("x")\nsetenv("UCX_TLS", "sm")\n', "--settings UCX_TLS=sm"),
        ("#%Module1.0\nmodule-whatis {x}\nsetenv UCX_TLS sm\n", "--settings UCX_TLS=sm"),
        ("coll_tuned_dynamic_rules_filename = /a/rules\n", "that it names: /a/rules"),
    ],
)
def test_a_file_of_settings_is_no_file_of_rules(tmp_path: Path, text: str, advice: str) -> None:
    """As `tune --settings` and --deploy write them; numbers of Open MPI's rules are none."""
    file = tmp_path / "settings"
    file.write_text(text)
    with pytest.raises(UsageError, match="sets variables") as raised:
        format_in(file)
    assert advice in str(raised.value)
    file.write_text("1 # collectives\n7 # bcast\n1\n2 1\n0 6 0 0\n")
    assert format_in(file) == "openmpi"


@pytest.mark.parametrize(
    ("run", "complaint"),
    [
        (collective_run(lambda *_: 1e-6, algorithms={"binomial": {}}), "own decision was not"),
        (collective_run(lambda *_: 1e-6, algorithms={"default": {}}, sizes=()), "no collectives"),
    ],
)
def test_files_that_tell_nothing_are_refused(
    hockney: RunHockney, tmp_path: Path, run: Run, complaint: str
) -> None:
    write_run(run, tmp_path / "run.jsonl")
    hockney.refused("tune", "run.jsonl", because=complaint)


def test_files_of_two_libraries_are_refused(hockney: RunHockney, tmp_path: Path) -> None:
    for name, version in (("a", "4.1.4"), ("b", "5.0.11")):
        run = collective_run(lambda *_: 1e-6, algorithms={"default": {}}, version=version)
        run.header = msgspec.structs.replace(run.header, id=name)
        write_run(run, tmp_path / f"{name}.jsonl")
    hockney.refused("tune", "a.jsonl", "b.jsonl", because="of different libraries")


def test_what_is_there_is_not_overwritten(
    hockney: RunHockney, result: Path, tmp_path: Path
) -> None:
    (tmp_path / "rules").write_text("precious")
    done = hockney("tune", str(result), "-o", "rules")
    assert done.status == 2
    assert (tmp_path / "rules").read_text() == "precious"


def test_check_without_rules_is_refused(hockney: RunHockney, result: Path) -> None:
    hockney.refused("tune", str(result), "rules", "--check", because="No such file")
