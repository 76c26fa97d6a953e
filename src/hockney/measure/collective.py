"""A study of collectives: a question for each collective, algorithm, segment size and number of
ranks, and what of it the library would not answer as asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hockney.errors import AskedWronglyError
from hockney.measure.algorithms import INT_BYTES, Algorithm, Family, Forcing, chosen, family_of
from hockney.measure.build import Engine
from hockney.measure.checks import allowed_cpus, available_memory, nodes
from hockney.measure.mpi import Mpi
from hockney.measure.question import Question, Size
from hockney.units import format_size

NO_BYTES = frozenset({"barrier", "ibarrier"})
REDUCTIONS = frozenset(
    {"reduce", "allreduce", "reduce_scatter_block", "scan", "ireduce", "iallreduce"}
)
"""These add up integers, so that their sizes are whole ones of them."""
IN_PLACE = NO_BYTES | {"bcast", "ibcast"}
"""These send from the buffer that they receive into."""
WHOLE = NO_BYTES | (REDUCTIONS - {"reduce_scatter_block"}) | {"bcast", "ibcast"}
"""Their bytes are the whole buffer; of all others a rank's block, and a buffer has one for each."""
MOST_BYTES = 2**31 - 1
"""MPI counts in int."""


@dataclass(frozen=True)
class Study:
    collectives: Sequence[str]
    algorithms: Sequence[str]
    """Names, `default` or `all`."""
    ranks: Sequence[int]
    segments: Sequence[int]
    """Bytes, for algorithms that segment; empty: the library's own."""
    root: str
    sync: str
    oversubscribe: bool
    overlap: bool
    """Nonblocking ones also while computing."""


def questions_of(
    study: Study, base: Question, mpi: Mpi, engine: Engine
) -> tuple[list[Question], list[str]]:
    """Variations of `base`, and in words what is left out because the library would run something
    else there. Raises AskedWronglyError where it cannot be answered at all."""
    if base.platform is None and base.node_count is None:
        _check_slots(study)
    _check_memory(study, base)
    family = family_of(mpi)
    questions: list[Question] = []
    left_out = [words for collective in study.collectives for words in _not_whole(collective, base)]
    for collective, algorithm, segment in _variants(study, family, mpi, engine):
        forcing = family.forcing(collective, algorithm, segment)
        for ranks in study.ranks:
            title = f"{collective} {forcing.label}, {ranks} ranks"
            replaced = _replaced(family, base, collective, algorithm, segment, ranks)
            left_out += [f"{title}, {words}" for words in _in_words(replaced)]
            sizes = tuple(size for size, by in replaced.items() if by is None)
            if sizes:
                own = [collective, f"--root={study.root}", f"--sync={study.sync}"]
                own += ["--overlap"] if study.overlap else []
                question = replace(base, sizes=sizes, ranks=ranks, title=title)
                questions.append(_forced(question, own, forcing))
    if not questions:
        raise AskedWronglyError("nothing is left to be measured:\n  " + "\n  ".join(left_out))
    return questions, left_out


def _forced(question: Question, own: Sequence[str], forcing: Forcing) -> Question:
    return replace(
        question,
        arguments=(*own, f"--algorithm={forcing.label}"),
        env=forcing.env,
        cfg=(*question.cfg, *forcing.cfg),
        controls=forcing.controls,
    )


def _variants(
    study: Study, family: Family, mpi: Mpi, engine: Engine
) -> Iterator[tuple[str, Algorithm | None, int | None]]:
    """Collective, algorithm and segment size of each."""
    asked = [name for name in study.algorithms if name != "default"]
    available = family.discover(mpi, engine, study.collectives) if asked else []
    segmented = False
    for collective in study.collectives:
        for algorithm in chosen(available, collective, study.algorithms):
            segments: Sequence[int | None] = (None,)
            if study.segments and algorithm is not None and family.is_segmented(algorithm):
                segments, segmented = study.segments, True
            for segment in segments:
                yield collective, algorithm, segment
    if study.segments and not segmented:
        raise AskedWronglyError(
            "--segment-size: this MPI library cannot be told one for any of these algorithms",
            "leave it out, or name an algorithm that segments",
        )


def _replaced(
    family: Family,
    base: Question,
    collective: str,
    algorithm: Algorithm | None,
    segment: int | None,
    ranks: int,
) -> dict[Size, str | None]:
    """Each size with what it would be replaced by, None where it is answered as asked."""
    found: dict[Size, str | None] = {}
    for size in _sizes(collective, base):
        by = algorithm and family.replaced_by(algorithm, ranks, size.bytes, segment)
        found[size] = f"the library {by}" if by else None
    return found


def _sizes(collective: str, base: Question) -> list[Size]:
    """Those that the collective can have."""
    if collective in NO_BYTES:
        return [Size(0)]
    step = INT_BYTES if collective in REDUCTIONS else 1
    return [size for size in base.sizes if size.bytes % step == 0]


def _not_whole(collective: str, base: Question) -> list[str]:
    left = set(base.sizes) - set(_sizes(collective, base)) if collective in REDUCTIONS else set()
    words = ", ".join(format_size(size) for size in sorted(size.bytes for size in left))
    return [f"{collective}, {words}: not whole integers of {INT_BYTES} B"] if left else []


def _in_words(replaced: dict[Size, str | None]) -> list[str]:
    """A line a reason."""
    lines = []
    for reason in dict.fromkeys(replaced.values()):
        if reason is not None:
            sizes = [size.bytes for size, by in replaced.items() if by == reason]
            words = [format_size(size) for size in (min(sizes), max(sizes))]
            lines.append(f"{' to '.join(dict.fromkeys(words))}: {reason}")
    return lines


def _check_slots(study: Study) -> None:
    most = max(study.ranks)
    if most > allowed_cpus() and not study.oversubscribe:
        raise AskedWronglyError(
            f"--ranks {most}: there are {allowed_cpus()} CPUs, so ranks would take turns",
            "ask for fewer, or add --oversubscribe and read the times as the scheduler's",
        )


def _check_memory(study: Study, base: Question) -> None:
    """Of the ranks of this node; of a simulation all are."""
    largest, ranks = max(size.bytes for size in base.sizes), max(study.ranks)
    here = ranks if base.platform is not None else -(-ranks // nodes())
    if largest > MOST_BYTES:
        raise AskedWronglyError(
            f"--sizes: {format_size(largest)} is more than MPI counts in an int",
            "leave out sizes of 2 GiB and more",
        )
    available = available_memory()
    for collective in study.collectives:
        needed = here * buffer_bytes(collective, ranks, largest)
        if available is not None and needed > available:
            raise AskedWronglyError(
                f"{collective} of {format_size(largest)} by {ranks} ranks takes "
                f"{needed / 2**30:.1f} GiB here, where {available / 2**30:.1f} GiB are free",
                "leave out the largest sizes, or ask for fewer ranks",
            )


def buffer_bytes(collective: str, ranks: int, bytes_: int) -> int:
    """Of a rank, to send and to receive."""
    buffers = 1 if collective in IN_PLACE else 2
    return buffers * bytes_ * (1 if collective in WHOLE else ranks)
