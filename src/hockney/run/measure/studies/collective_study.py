"""Plans a study of collectives: a case for each collective, algorithm, number of ranks and value of
its parameters. Combinations that the library would replace by another algorithm are excluded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product

from msgspec.structs import replace

from hockney.base.errors import UsageError
from hockney.base.units import format_size, how_many
from hockney.plan import Case, Placement, Size
from hockney.plan.axes import algorithm_text
from hockney.plan.workloads.collective import (
    ADDED_BYTES,
    DEFAULT,
    INT_BYTES,
    NO_BYTES,
    NONBLOCKING,
    ONE_SIDED,
    PERSISTENT,
    REDUCTIONS,
    USUAL_ELEMENT,
    Collective,
    CollectiveForm,
    OwnForm,
    in_form,
)
from hockney.run.measure.machine.capacity import check_memory, check_slots
from hockney.run.measure.preparation.message_schedules import Phases
from hockney.run.measure.studies.algorithm_names import chosen
from hockney.run.measure.toolchain.features import check_persistent, features_of
from hockney.run.mpis import (
    OWN_PARAMETERS,
    Algorithm,
    Engine,
    Family,
    Forcing,
    Mpi,
    ParameterValues,
    Radix,
    Requests,
    family_of,
)


@dataclass(frozen=True)
class Study:
    named: Sequence[str]
    """Collectives, by the names of MPI's calls."""
    forms: Sequence[CollectiveForm]
    """The forms in which each collective is measured; empty for the form in its name."""
    algorithms: Sequence[str]
    """Names, `default` or `all`."""
    ranks: Sequence[int]
    segments: Sequence[int]
    """Segment sizes (bytes) of algorithms that segment; empty for the library's own."""
    radices: Sequence[int]
    """Radices of algorithms that have one; empty for the library's own."""
    requests: Sequence[int]
    """Limits of messages in flight of algorithms that have one; empty for the library's own."""
    phases: Sequence[str]
    """Schedules to make by messages, or ALL_SCHEDULES; empty for none."""
    workload: Collective
    """What all cases have in common: sizes, buffers, element type, groups, threads, arrivals."""

    @property
    def collectives(self) -> list[str]:
        """The blocking and nonblocking collectives, by the names of their calls."""
        own = [] if self.forms else self.named
        forms: tuple[CollectiveForm, ...] = ("blocking", "nonblocking")
        named = [self.in_form(form) for form in self.forms if form in forms]
        return list(dict.fromkeys([*own, *chain.from_iterable(named)]))

    @property
    def in_own_forms(self) -> list[tuple[str, OwnForm]]:
        """The collectives in forms that are not in their names."""
        forms: tuple[OwnForm, ...] = (PERSISTENT, *ONE_SIDED)
        return [(name, form) for form in forms if form in self.forms for name in self.in_form(form)]

    def in_form(self, form: CollectiveForm) -> list[str]:
        return list(dict.fromkeys(filter(None, (in_form(name, form) for name in self.named))))


def cases_of(
    study: Study, base: Placement, mpi: Mpi, engine: Engine
) -> tuple[list[Case], list[str]]:
    """The cases, placed as `base`, and a line for each combination that is excluded because the
    library would run another algorithm. Raises UsageError if no combination remains."""
    _check_applies(study)
    most = replace(base, ranks=max(study.ranks))
    check_slots(most, threads=max(study.workload.threads, default=1))
    family, element = family_of(mpi), study.workload.element
    cases: list[Case] = []
    phases = Phases(study.phases, study.collectives)
    left_out = [
        words
        for collective in dict.fromkeys(
            [*study.collectives, *(name for name, _ in study.in_own_forms)]
        )
        for words in _not_whole(collective, study)
    ]
    if any(form == PERSISTENT for _, form in study.in_own_forms):
        check_persistent(features_of(engine, base.platform is not None))
    for variant in _variants(study, family, mpi, engine):
        collective, form = variant.collective, variant.form
        segment = variant.parameters.segment_bytes
        forcing = family.forcing(collective, variant.algorithm, variant.parameters)
        for ranks in study.ranks:
            title = title_of(collective, forcing, ranks, form)
            if variant.algorithm and variant.algorithm.on_one_node and (base.node_count or 1) > 1:
                left_out.append(f"{title}: it is for the ranks of one node")
                continue
            replaced = _replaced(family, study, variant, ranks)
            left_out += [f"{title}, {words}" for words in _in_words(replaced)]
            sizes = tuple(size for size, by in replaced.items() if by is None)
            if sizes:
                may_overlap = collective in NONBLOCKING or form == PERSISTENT
                workload = replace(
                    study.workload,
                    collective=collective,
                    sizes=sizes,
                    algorithm=forcing.algorithm,
                    **forcing.parameters._asdict(),
                    element=element if collective in REDUCTIONS else USUAL_ELEMENT,
                    form=form,
                    overlap=study.workload.overlap and may_overlap,
                    phases=() if form else phases.of(collective, ranks, sizes, segment),
                )
                placement = forced(base, forcing, ranks)
                cases.append(Case(workload=workload, placement=placement, title=title))
    left_out += phases.left_out
    _check_one_skew(cases)
    if not cases:
        raise UsageError("none of these can be measured:\n  " + "\n  ".join(left_out))
    for case in cases:
        case.workload.check(case.placement.ranks)  # a size that MPI cannot count is another error
        check_memory(case)
    return cases, left_out


def title_of(collective: str, forcing: Forcing, ranks: int, form: OwnForm | None = None) -> str:
    label = form or algorithm_text(forcing.algorithm, *forcing.parameters)
    return f"{collective} {label}, {ranks} ranks"


def forced(base: Placement, forcing: Forcing, ranks: int) -> Placement:
    """The placement with the environment that makes the library run an algorithm."""
    return replace(
        base,
        ranks=ranks,
        env=dict(forcing.env),
        cfg=(*base.cfg, *forcing.cfg),
        controls=dict(forcing.controls),
    )


def _check_applies(study: Study) -> None:
    """Refuses options that apply to none of the collectives."""
    named, own = ", ".join(study.named), study.in_own_forms
    every = {*study.collectives, *(name for name, _ in own)}
    persistent = [name for name, form in own if form == PERSISTENT]
    if not every:
        raise UsageError(
            f"--form {','.join(study.forms)}: {named} has no such form", "leave it out"
        )
    if study.workload.overlap and not persistent and not NONBLOCKING & every:
        measured = ", ".join(sorted(every))
        raise UsageError(
            f"--overlap: none of {measured} is nonblocking or persistent", "leave it out"
        )
    if study.workload.groups > 1 and any(name != DEFAULT for name in study.algorithms):
        raise UsageError(
            "--groups: which algorithms a library replaces depends on the ranks of a group",
            "leave out --algorithm",
        )
    if own and any(name != DEFAULT for name in study.algorithms):
        raise UsageError(
            f"--form {own[0][1]}: libraries have no settings that force its algorithm",
            "leave out --algorithm, or measure the other forms",
        )


def _check_one_skew(cases: Sequence[Case]) -> None:
    """Algorithms that take different times would meet different skews under the same name."""
    by_ranks: dict[tuple[str, int], int] = {}
    for case in cases:
        workload = case.workload
        assert isinstance(workload, Collective)
        if workload.arrivals is not None and workload.arrivals.skew.times is not None:
            key = (workload.collective, case.placement.ranks)
            by_ranks[key] = by_ranks.get(key, 0) + 1
    if max(by_ranks.values(), default=0) > 1:
        raise UsageError(
            "--skew: as a multiple of what each algorithm takes, it would be another one for each",
            "give a time, such as --skew 100us",
        )


@dataclass(frozen=True)
class _Variant:
    collective: str
    algorithm: Algorithm | None
    parameters: ParameterValues = OWN_PARAMETERS
    form: OwnForm | None = None


def _variants(study: Study, family: Family, mpi: Mpi, engine: Engine) -> list[_Variant]:
    """Each combination of collective, algorithm, parameters and form."""
    names = [name for name in study.algorithms if name != DEFAULT]
    searches = study.radices or study.requests
    available = family.discover(mpi, engine, study.collectives) if names or searches else []
    variants = [
        _Variant(collective, algorithm, parameters)
        for collective in study.collectives
        for algorithm in chosen(available, collective, study.algorithms)
        for parameters in _parameters(study, family, algorithm)
    ]
    taken = [variant.parameters for variant in variants]
    if study.segments and all(parameters.segment_bytes is None for parameters in taken):
        raise UsageError(
            "--segment-size: this MPI library has no setting for it for these algorithms",
            "leave it out, or name an algorithm that segments",
        )
    if study.radices and all(parameters.radix is None for parameters in taken):
        raise _not_listed("--radix", [each.name for each in available if each.radix])
    if study.requests and all(parameters.requests is None for parameters in taken):
        raise _not_listed("--requests", [each.name for each in available if each.requests])
    own = [_Variant(collective, None, form=form) for collective, form in study.in_own_forms]
    return [*variants, *own]


def _not_listed(option: str, names: Sequence[str]) -> UsageError:
    return UsageError(
        f"{option}: this MPI library lists no control variable for it for these algorithms",
        f"leave it out, or name {' or '.join(dict.fromkeys(names))}"
        if names
        else "leave it out, or name other collectives",
    )


def _parameters(
    study: Study, family: Family, algorithm: Algorithm | None
) -> Iterator[ParameterValues]:
    """Each combination of parameters with which an algorithm is measured."""
    own: tuple[None, ...] = (None,)
    if algorithm is None:
        yield OWN_PARAMETERS
        return
    for values in product(
        (study.segments if family.is_segmented(algorithm) else ()) or own,
        (study.radices if algorithm.radix else ()) or own,
        (study.requests if algorithm.requests else ()) or own,
    ):
        yield ParameterValues(*values)


def _replaced(
    family: Family, study: Study, variant: _Variant, ranks: int
) -> dict[Size, str | None]:
    """What the library would run instead, by size; None where it runs the algorithm."""
    sizes, algorithm = _sizes(variant.collective, study), variant.algorithm
    if algorithm is None:
        return dict.fromkeys(sizes)
    width = ADDED_BYTES[study.workload.element] if variant.collective in REDUCTIONS else INT_BYTES
    segment = variant.parameters.segment_bytes

    def in_ints(bytes_: int) -> int:
        """Libraries count elements, here of INT_BYTES."""
        return bytes_ * INT_BYTES // width

    parameters = variant.parameters._replace(segment_bytes=segment and in_ints(segment))
    replacements = {
        size: replaced_by_another(family, algorithm, ranks, in_ints(size.bytes), parameters)
        for size in sizes
    }
    return {size: f"the library {by}" if by else None for size, by in replacements.items()}


def replaced_by_another(
    family: Family,
    algorithm: Algorithm,
    ranks: int,
    bytes_: int,
    parameters: ParameterValues,
) -> str | None:
    """What the library would run instead, and why; None where it runs the algorithm so."""
    by = family.replaced_by(algorithm, ranks, bytes_, parameters.segment_bytes)
    if algorithm.radix and parameters.radix is not None:
        by = by or _same_as(algorithm.radix, parameters.radix, ranks)
    if algorithm.requests and parameters.requests is not None:
        by = by or _unlimited(algorithm.requests, parameters, ranks, bytes_)
    return by


def _unlimited(of: Requests, parameters: ParameterValues, ranks: int, bytes_: int) -> str | None:
    """What the library does under a limit without effect, and why; None if it has one."""
    most, segment = parameters.requests or 0, parameters.segment_bytes or bytes_
    messages = -(-bytes_ // segment) if of.of_segments and bytes_ else ranks - 1
    if most < of.least:
        return f"takes {most} for no limit: it must be {of.least} or more"
    if of.of_segments and messages < 2:
        return "does the same without a limit: a message has one segment"
    if most > messages:
        return f"does the same with {how_many(messages, 'request')}: there are no more messages"
    return None


def _same_as(of: Radix, radix: int, ranks: int) -> str | None:
    """The smaller radix that does the same, and why; None if this one differs."""
    if of.most is not None and radix > of.most:
        return f"runs it with radix {of.most}, the largest that it takes"
    if radix > ranks:
        return f"does the same with radix {ranks}: there are no more ranks"
    return None


def _sizes(collective: str, study: Study) -> list[Size]:
    """The sizes that are valid for the collective."""
    if collective in NO_BYTES:
        return [Size(0)]
    step = ADDED_BYTES[study.workload.element] if collective in REDUCTIONS else 1
    return [size for size in study.workload.sizes if size.bytes % step == 0]


def _not_whole(collective: str, study: Study) -> list[str]:
    whole = _sizes(collective, study) if collective in REDUCTIONS else study.workload.sizes
    left, element = set(study.workload.sizes) - set(whole), study.workload.element
    words = ", ".join(format_size(size) for size in sorted(size.bytes for size in left))
    why = f"not whole elements of {ADDED_BYTES[element]} B ({element})"
    return [f"{collective}, {words}: {why}"] if left else []


def _in_words(replaced: dict[Size, str | None]) -> list[str]:
    """Each reason, with the sizes to which it applies."""
    lines = []
    for reason in dict.fromkeys(replaced.values()):
        if reason is not None:
            sizes = [size.bytes for size, by in replaced.items() if by == reason]
            words = [format_size(size) for size in (min(sizes), max(sizes))]
            lines.append(f"{' to '.join(dict.fromkeys(words))}: {reason}")
    return lines
