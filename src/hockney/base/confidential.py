"""Which variables, values and words may be in files that are published: known names with numbers
and known words. Everything else is left out; what looks like a credential is never stored."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Sequence

FAMILIES = (
    *("MPIR_CVAR_", "MPICH_", "MPIEXEC_", "HYDRA_", "MV2_", "MVP_", "PSP_", "MPI_DSM_", "I_MPI_"),
    *("OMPI_MCA_", "OMPI_", "PMIX_MCA_", "PRTE_MCA_"),
    *("UCX_", "FI_", "PSM2_", "PSM3_", "OMP_", "KMP_", "GOMP_"),
)
"""Prefixes of variables that control an MPI, its launcher, its network library or its threads."""
LAST_WORDS = re.compile(
    r"SIZE|BYTES|SZ|THRESH|THRESHOLD|LIMIT|NUM|COUNT|DEPTH|LEN|LENGTH|LEVEL|MAX|MIN|RATIO|FACTOR|"
    r"PRIORITY|TIMEOUT|INTERVAL|DELAY|LATENCY|BANDWIDTH|BW|OVERHEAD|RADIX|KVAL|SEGSIZE|PIN|VCIS|"
    r"ENABLE|ENABLED|DISABLE|DISABLED|DEBUG|VERBOSE|PROGRESS|COLLECTIVES|RULES|ROOT|"
    r"ALGORITHM|TLS|TL|ALLOC|NETMOD|SHM|DEVICE|DEVICES|PROVIDER|PROV|DOMAIN|FABRIC|FABRICS|TRANSPORT|"
    r"BTL|PML|MTL|COLL|OSC|RMA|BML|RCACHE|MPOOL|ALLOCATOR|TOPO|RAS|RMAPS|PLM|ESS|FBTL|FCOLL|"
    r"IFACE|INCLUDE|EXCLUDE|POLICY|PROTOS|PROTO|SCHEME|MODE|ORDER|CELL|LIST|BIND|BINDING|PLACES|"
    r"THREADS|DYNAMIC|NESTED|SCHEDULE|STACKSIZE|AFFINITY|TYPE|TOPOLIB|RMK|LAUNCHER|BOOTSTRAP|"
    r"COPY|CMA|KNEM|XPMEM|SRQ|EAGER|RNDV|RENDEZVOUS|HUGEPAGES|MEM|MEMORY|CACHE|SPIN|YIELD|VERSION|"
    r"MECHANISM|PROTOCOL|CELLS|PERHOST|PPN"
)
"""The last word of such a name, where the variable carries numbers or words of WORDS."""
NUMBER = re.compile(
    r"[+-]?\d{1,9}(\.\d{1,6})?([kmgt]i?b?|b|[num]?s|min|h|%)?|0x[0-9a-f]{1,4}|\d{1,5}-\d{1,5}", re.I
)
KNOWN_WORDS = """
    a adapt adaptive all allgather allgatherv allreduce alltoall alltoallv alltoallw am any
    auto avail available barrier basic bcast binary binding binomial block blocked bml bruck
    brucks bunch by cache ch3 ch4 chain clone close cm cma coll compact copy core core2 cores
    crossover cuda cxi dc default device disable disabled dissemination distance double
    direct doubling dynamic eager efa em emulated enable enabled exchange exclusive exscan false
    fixed flat fork ft full gather gatherv get guided halving han hcoll hierarchical hwloc hwthread
    hybrid ib in inf infinity inorder inplace inter intra k kary kmeans knary knem knomial
    l1cache l2 l2cache l3 l3cache leader libnbc linear local lock logp lru many map master md
    memory mlx mm mpi mxm nb nbc neighbor neighbors network no node nodes nonblocking
    noncommutative none nonoverlapping numa ob1 off ofi on once one onesided openib opx order
    package pair pairwise pcie permuted pinned pipeline pml posix pret primary proc protocol
    psm psm2 psm3 put r2 rabenseifner rc rcx rdm rdma rdmcm read recursive recv reduce
    reducescatter release remap remote rendezvous ring rma robin round rr rsh rxm scan scatter
    scatter2 scatterv sched segmented self send sendrecv sequential shm shmem short single
    slurm sm smhier smp socket sockets split spread ssh static strict sync sysv tcp thread
    threads throttled topology tree true try tsp tuned two ucx ud udp udx unit unordered usnic
    vader verbs wait write x xpmem y yes zcopy
"""
WORDS = frozenset(KNOWN_WORDS.split())
DEVICE = re.compile(
    r"(eth|en[opsx]|ib|ibp|lo|mlx[45]_|hfi1_|hsn|cxi|bond|bnxt_re|irdma|efa_|roce|docker|virbr)"
    r"\d{0,4}(n?[a-z]\d{1,3}){0,3}(:\d)?|\d{1,3}(\.\d{1,3}){3}(/\d\d?)?"
)
"""A network device and its port, or addresses of a network."""
JOB = frozenset(
    {
        *("SLURM_JOB_ID", "SLURM_JOB_PARTITION", "SLURM_JOB_NUM_NODES", "SLURM_JOB_NODELIST"),
        *("SLURM_JOB_CPUS_PER_NODE", "SLURM_CPUS_PER_TASK", "SLURM_NTASKS", "SLURM_TASKS_PER_NODE"),
        *("SLURM_NTASKS_PER_NODE", "SLURM_CPU_BIND", "SLURM_DISTRIBUTION", "SLURM_MPI_TYPE"),
        *("SLURM_CLUSTER_NAME", "SLURM_CPU_FREQ_REQ", "SLURM_EXACT", "SLURM_OVERLAP"),
        *("SLURM_HINT", "SLURM_THREADS_PER_CORE", "SLURM_CONF", "SLURM_NETWORK"),
        *("PBS_JOBID", "PBS_QUEUE", "PBS_NODEFILE", "PBS_NUM_NODES", "PBS_NUM_PPN", "PBS_NP"),
        *("LSB_JOBID", "LSB_QUEUE", "LSB_MCPU_HOSTS", "LSB_DJOB_NUMPROC", "LSB_AFFINITY_HOSTFILE"),
        *("FLUX_JOB_ID", "FLUX_JOB_NNODES", "FLUX_JOB_SIZE"),
        *("MPICC", "OMPI_CC", "MPICH_CC", "OMPI_ALLOW_RUN_AS_ROOT"),
    }
)
"""Variables of jobs and compilers whose values are names that a site chose."""
SECRET_NAME = re.compile(
    r"TOKEN|SECRET|PASSW|PASSPHRASE|PASSCODE|(?:^|[_-])PASS(?:$|[_-])|PWD|CREDENTIAL|COOKIE|JWT|"
    r"AUTH(?!OR)|LOGIN|BEARER|SIGNATURE|PRIVATE|APIKEY|(?:^|[_-])KEY(?:$|[_-])|KEY$",
    re.I,
)
"""Part of a name whose value is a credential, in upper or lower case."""
IN_URL = re.compile(r"(?<=://)[^/\s@]+@")
CREDENTIAL = re.compile(
    r"eyJ[\w-]{8,}[\w.-]*|-----BEGIN[^-]*PRIVATE|\b(gh[pousr]_|github_pat_|glpat-|xox[abp]-|AKIA|sk-|"
    r"hf_|npm_|pypi-)\w{8,}|\b(Bearer|Basic)\s+\S{8,}|\b[0-9a-f]{32,}\b",
    re.I,
)
LONG_RANDOM = re.compile(
    r"(?<![\w/.+=-])(?=[^/]*[a-z])(?=[^/]*[A-Z])(?=[^/]*\d)[\w+=-]{24,}(?![\w/.])"
)
"""Letters of both cases and digits, as in keys that machines make."""
HIDDEN = "***"
MOST_PIECES = 64
"""Most numbers and words of one value: no setting has more."""


def may_be_stored(name: str, value: str) -> bool:
    """Whether a variable of the environment may be stored with its value."""
    upper = name.upper()
    if SECRET_NAME.search(name) or is_credential(value):
        return False
    if upper in JOB:
        return True
    family = next((prefix for prefix in FAMILIES if upper.startswith(prefix)), None)
    last = "ALGORITHM" if upper.startswith("I_MPI_ADJUST_") else upper.rpartition("_")[2]
    if family is None or not LAST_WORDS.fullmatch(last):
        return False
    pieces = [piece for piece in re.split(r"[,:;^=\s+{}*]+", value) if piece]
    return len(pieces) <= MOST_PIECES and all(
        _is_known(piece) or DEVICE.fullmatch(piece) for piece in (*pieces, *value.split(","))
    )


def _is_known(piece: str) -> bool:
    words = [word for word in re.split(r"[_,:;^=\s+{}*-]+", piece.lower()) if word]
    return all(word in WORDS or NUMBER.fullmatch(word) for word in words)


def is_credential(value: str) -> bool:
    """Whether a value looks like a password, a key or an address with one."""
    match = IN_URL.search(value) or CREDENTIAL.search(value) or LONG_RANDOM.search(value)
    return match is not None


def is_secret_name(name: str) -> bool:
    return SECRET_NAME.search(name) is not None


def without_credentials(text: str) -> str:
    """The text with *** in place of what looks like a credential."""
    return CREDENTIAL.sub(HIDDEN, IN_URL.sub(f"{HIDDEN}@", text))


LAUNCHERS = re.compile(
    r"(mpiexec|mpirun|orterun|prterun|srun|jsrun|lrun|aprun|prun|ibrun)([.-][\w.-]+)?"
    r"|mpirun_rsh|mpiexec_mpt"
)
"""Commands that start another program on the ranks."""


COUNTS = re.compile(r"-(n|np|N|c|ppn|perhost|-np|-ntasks|-nodes|-ntasks-per-node|-cpus-per-task)")
"""Options of launchers whose value is a number of ranks, nodes or CPUs."""


def programs_of(words: Sequence[str]) -> list[str]:
    """The programs that a command names, without their arguments: the launcher with its numbers of
    ranks and nodes, and the first word after it that can be run."""
    first, *rest = words
    if not LAUNCHERS.fullmatch(first.rpartition("/")[2]):
        return [first]
    programs, before = [first], ""
    for word in rest:
        option, _, number = word.partition("=")
        if COUNTS.fullmatch(before) and word.isdigit():
            programs += [before, word]
        elif COUNTS.fullmatch(option) and number.isdigit():
            programs.append(word)
        elif shutil.which(word):
            return [*programs, word]
        before = word
    return programs


def redacted(words: Iterable[str]) -> list[str]:
    """The words of a command, without the values of options and variables whose names are those of
    credentials, and without what looks like one."""
    shown: list[str] = []
    is_value = False
    for word in words:
        name, equals, _ = word.partition("=")
        if is_value and not word.startswith("-"):
            shown.append(HIDDEN)
        elif equals and is_secret_name(name):
            shown.append(f"{name}={HIDDEN}")
        else:
            shown.append(without_credentials(word))
        is_value = not equals and is_secret_name(word) and "/" not in word
    return shown
