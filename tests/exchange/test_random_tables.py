"""Tables of random numbers, as each program writes them, are read back to the last digit."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st
from reading import runs, value_of

US, MIB, MB, GB = Decimal("1e-6"), Decimal(2**20), Decimal(10**6), Decimal(10**9)
Wanted = list[tuple[int, str, float, tuple[int, ...]]]
Case = tuple[str, Wanted]
"""A log, and each number in it: bytes, statistic, value, ranks."""


def decimals(places: int, most: int = 99_999) -> st.SearchStrategy[str]:
    numbers = st.decimals(Decimal(1).scaleb(-places), most, places=places)
    return numbers.map(lambda number: f"{number:.{places}f}")


TWO, THREE, ONE = decimals(2), decimals(3), decimals(1)
SIZES = st.lists(
    st.integers(0, 40).map(lambda power: 1 << power), min_size=1, max_size=5, unique=True
)
HOSTS = st.from_regex(r"[a-z]{1,4}-?[0-9]{1,3}", fullmatch=True)


def value(text: str, factor: Decimal) -> float:
    return float(Decimal(text) * factor)


@st.composite
def ucx(draw: st.DrawFn) -> Case:
    text, wanted = "", Wanted()
    for size in draw(SIZES):
        typical, mean, rate, messages = draw(THREE), draw(THREE), draw(TWO), draw(decimals(0))
        text += (
            f"$ ucx_perftest there -t tag_lat -s {size} -n 1000\n"
            f"| Test:         tag match latency                 |\n| Message size: {size:<60} |\n"
            "|    Stage     | # iterations | 50.0%ile | average | overall |  average |  overall |\n"
            f"[thread 0]  500  1.000 1.000 1.000 1.00 1.00 1 1\n"
            f"Final:      {1000:18d} {typical:>10} {'7.777':>9} {mean:>9} {'7.77':>11} {rate:>10} "
            f"{'7':>11} {messages:>11}\n"
        )
        figures = ("median", typical, US), ("mean", mean, US), ("bandwidth", rate, MIB)
        wanted += [(size, name, value(number, factor), ()) for name, number, factor in figures]
        wanted.append((size, "message rate", value(messages, Decimal(1)), ()))
    return text, wanted


def scaled(size: int) -> str:
    """The size as fabtests prints it."""
    for name, power in (("g", 30), ("m", 20), ("k", 10)):
        if size >= 1 << power:
            return f"{size >> power}{name}"
    return str(size)


@st.composite
def fabtests(draw: st.DrawFn) -> Case:
    text = "$ fi_rdm_tagged_pingpong -p verbs there\n" + (
        f"{'bytes':8}{'iters':8}{'total':8}{'time':>8} {'MB/sec':>10}{'usec/xfer':>13}"
        f"{'Mxfers/sec':>13}\n"
    )
    wanted = Wanted()
    for size in draw(SIZES):
        rate, time, messages = draw(TWO), draw(TWO), draw(TWO)
        text += f"{scaled(size):8}{'1k':8}{'5m':8}{0.01:8.2f}s{rate:>10}{time:>11}{messages:>11}\n"
        figures = ("bandwidth", rate, MB), ("mean", time, US), ("message rate", messages, MB)
        wanted += [(size, name, value(number, factor), ()) for name, number, factor in figures]
    return text, wanted


@st.composite
def gpcnet(draw: st.DrawFn) -> Case:
    name, size = draw(st.sampled_from(["RR Two-sided Lat", "Multiple Alltoall"])), draw(SIZES)[0]
    unit, factor, kind = draw(
        st.sampled_from([("usec", US, "{}"), ("MiB/s/rank", MIB, "{} bandwidth")])
    )
    numbers = [draw(ONE) for _ in range(6)]
    titles = ("Min", "Max", "Avg", "Avg(Worst)", "99%", "99.9%")
    names = ("min", "max", "mean", "worst mean", "p99", "p99.9")
    row = "".join(f" {number:>12} |" for number in numbers)
    text = (
        "NetworkLoad Tests v1.3\n  Test with 8 MPI ranks (4 nodes)\n"
        f"| {'Isolated Network Tests':^136} |\n"
        f"| {'Name':>31} |{''.join(f' {title:>12} |' for title in titles)} {'Units':>12} |\n"
        f"| {f'{name} ({size} B)':>31} |{row} {unit:>12} |\n"
    )
    called = [kind.format(statistic).replace("mean bandwidth", "bandwidth") for statistic in names]
    called[3] = kind.format("worst mean")
    return text, [
        (size, statistic, value(number, factor), ())
        for statistic, number in zip(called, numbers, strict=True)
    ]


@st.composite
def hpcc(draw: st.DrawFn) -> Case:
    small, large = draw(st.integers(1, 64)), draw(st.integers(10**5, 10**7))
    times, rates = [draw(decimals(6, 9)) for _ in range(5)], [draw(THREE) for _ in range(5)]
    text = (
        "Latency-Bandwidth-Benchmark R1.5.1 (c) HLRS, University of Stuttgart\n"
        "Detailed benchmark results:\nPing Pong:\n"
        f"Latency   min / avg / max: {times[0]:>10} / {times[1]:>10} / {times[2]:>10} msecs\n"
        f"Bandwidth min / avg / max: {rates[0]:>10} / {rates[1]:>10} / {rates[2]:>10} MByte/s\n"
        "Ring:\n"
        f"On naturally ordered ring: latency= {times[3]:>10} msec, bandwidth= {rates[3]:>10} MB/s\n"
        f"On randomly  ordered ring: latency= {times[4]:>10} msec, bandwidth= {rates[4]:>10} MB/s\n"
        f" The latency   measurements were done with {small:8d} bytes\n"
        f" The bandwidth measurements were done with {large:8d} bytes\n"
    )
    statistics = ("min", "mean", "max", "mean", "mean")
    rated = ("min bandwidth", "bandwidth", "max bandwidth", "bandwidth", "bandwidth")
    ms = Decimal("1e-3")
    wanted = [(small, s, value(t, ms), ()) for s, t in zip(statistics, times, strict=True)]
    return text, wanted + [(large, s, value(t, MB), ()) for s, t in zip(rated, rates, strict=True)]


@st.composite
def mpigraph(draw: st.DrawFn) -> Case:
    hosts, size = draw(st.lists(HOSTS, min_size=2, max_size=5)), draw(SIZES)[0]
    text, wanted = f"START mpiGraph v1.5\nMsgSize\t{size}\nTimes\t5\nWindow\t4\n\n", Wanted()
    for side, way in (("Send", "to"), ("Recv", "from")):
        text += f"\n{side}\t" + "".join(f"{h}:{n}\t" for n, h in enumerate(hosts)) + "\n"
        for rank, host in enumerate(hosts):
            text += f"{host}:{rank} {way}\t"
            for other in range(len(hosts)):
                number = draw(THREE) if other != rank else "0.000"
                text += f"{number}\t"
                peers = (rank, other) if way == "to" else (other, rank)
                name = "bandwidth" if way == "to" else "receive bandwidth"
                if other != rank:
                    wanted.append((size, name, value(number, MIB), peers))
            text += "\n"
    return text, wanted


@st.composite
def matrix(draw: st.DrawFn) -> Case:
    hosts, size = draw(st.lists(HOSTS, min_size=2, max_size=5)), draw(SIZES)[0]
    unit, factor, name = draw(
        st.sampled_from(
            [("usec", US, "mean"), ("nsec", Decimal("1e-9"), "mean"), ("MB/s", MB, "bandwidth")]
        )
    )
    is_symmetric, wanted = draw(st.booleans()), Wanted()
    cells = [[draw(THREE) for _ in hosts] for _ in hosts]
    # A symmetric matrix by chance would be read as one.
    cells[0][1], cells[1][0] = "1.000", "2.000"
    for row in range(len(hosts)):
        cells[row][row] = "0.000"
        for other in range(row):
            cells[row][other] = cells[other][row] if is_symmetric else cells[row][other]
    text = f"# pairs of {len(hosts)} tasks, message size {size} B, in {unit}\n"
    text += f"# task {' '.join(hosts)}\n"
    for rank, host in enumerate(hosts):
        text += f"{host} {' '.join(cells[rank])}\n"
        others = [n for n in range(len(hosts)) if n > rank or (n < rank and not is_symmetric)]
        wanted += [(size, name, value(cells[rank][n], factor), (rank, n)) for n in others]
    return text, wanted


@st.composite
def mpibench(draw: st.DrawFn) -> Case:
    text, wanted = "START mpiBench v1.2\n", Wanted()
    for size in draw(SIZES):
        mean, least, most = (draw(decimals(4)) for _ in range(3))
        text += (
            f"{'Allgather':<20}\tBytes:\t{size:8d}\tIters:\t{100:7d}\tAvg:\t{mean:>8}\tMin:\t"
            f"{least:>8}\tMax:\t{most:>8}\tComm: MPI_COMM_WORLD\tRanks: 16\n"
        )
        for name, number in (
            ("mean", mean),
            ("least rank mean", least),
            ("largest rank mean", most),
        ):
            wanted.append((size, name, value(number, US), ()))
    return text, wanted


@st.composite
def reframe(draw: st.DrawFn) -> Case:
    separator, rows = draw(st.sampled_from("|,")), draw(st.integers(1, 5))
    names = ["job_completion_time", "version", "display_name", "system", "jobid", "result"]
    names += [f"{name}_{part}" for name in ("lat", "bw") for part in ("value", "unit", "ref")]
    text, wanted = separator.join(names) + "\n", Wanted()
    for row in range(rows):
        time, rate = draw(THREE), draw(TWO)
        cells = ["2025-02-10T03:00:12", "4.7.1", "osu %size=64", "hill", f"{row}", "pass"]
        text += separator.join([*cells, time, "us", "1", rate, "GB/s", "null"]) + "\n"
        wanted += [(64, "mean", value(time, US), ()), (64, "bandwidth", value(rate, GB), ())]
    return text, wanted


def check(text: str, wanted: Wanted, format: str) -> None:
    experiments = runs(text)
    assert {run.header.source.format for run in experiments if run.header.source} == {format}
    rows = [row for run in experiments for row in run.summaries]
    read = [(row.bytes, row.statistic, value_of(row), row.peers) for row in rows]
    assert sorted(read) == sorted(wanted)


def is_read(format: str, case: Callable[[], st.SearchStrategy[Case]]) -> Callable[[], None]:
    @settings(max_examples=25, deadline=None)
    @given(case())
    def test(drawn_case: Case) -> None:
        check(*drawn_case, format)

    return test


test_ucx_perftest = is_read("ucx-perftest", ucx)
test_fabtests = is_read("fabtests", fabtests)
test_gpcnet = is_read("gpcnet", gpcnet)
test_hpcc = is_read("hpcc", hpcc)
test_mpigraph = is_read("mpigraph", mpigraph)
test_a_matrix_of_pairs = is_read("pair-matrix", matrix)
test_mpibench = is_read("mpibench", mpibench)
test_perflogs_of_reframe = is_read("reframe-perflogs", reframe)
