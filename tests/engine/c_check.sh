#!/bin/sh
# The engine without a warning under every compiler and MPI given, then every experiment under the
# address and undefined-behaviour sanitizers. Wrappers: $HOCKNEY_CHECK_MPICC, default mpicc. The compiler
# for macOS and FreeBSD: $HOCKNEY_CHECK_ZIG, default zig.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# What is compiled, a line each: a file, wrapper, compiler, product and options. Compilations take
# most of the time, and one uses one CPU: as many are made at once as there are. xargs ends with an
# error where one did.
compilations() {
    echo "$out/sanitized mpicc gcc engine -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all" \
        -fno-omit-frame-pointer
    echo "$out/threads mpicc gcc engine -g -O1 -fsanitize=thread -fno-sanitize-recover=all"
    # Other systems: another C library, and what is left where the Linux parts are switched off.
    echo "$out/portable mpicc gcc engine -O1 -U__linux__"
    if command -v clang >/dev/null 2>&1; then
        echo "$out/addresses mpicc clang addresses"
    fi
    if command -v musl-gcc >/dev/null 2>&1; then
        echo "$out/syntax mpicc musl-gcc engine -fsyntax-only"
    else
        echo "no musl-gcc here: not checked" >&2
    fi
    if ${HOCKNEY_CHECK_ZIG:-zig} version >/dev/null 2>&1; then
        for target in aarch64-macos x86_64-freebsd; do
            echo "$out/$target mpicc $target objects"
        done
    else
        echo "no zig here: not checked for macOS and FreeBSD" >&2
    fi
    number=0
    # The faults that tests inject are the same under every MPI.
    faults=-DHOCKNEY_FAULTS how=-O2
    for wrapper in ${HOCKNEY_CHECK_MPICC:-mpicc}; do
        for compiler in gcc clang; do
            command -v "$compiler" >/dev/null 2>&1 || { echo "no $compiler here: not checked" >&2; continue; }
            for product in engine ${faults:+"engine $faults"} recorder replayer; do
                number=$((number + 1))
                echo "$out/$number $wrapper $compiler $product $how"
            done
        done
        # What the optimizer warns of is found under the first MPI; under others it is the headers that
        # differ, and to read the sources takes a tenth of the time. The tests link with these.
        faults= how=-fsyntax-only
    done
}
compilations | xargs -P "$(nproc)" -L 1 sh "$here/c_compile.sh"

mpiexec -n 2 "$out/portable" pingpong --verify --seconds 0.1 --sizes 8 | grep -q '"reason":"budget"'
mpiexec -n 2 "$out/portable" pingpong --seconds 0.1 --sizes 8 | grep '"kind":"launch"' | grep -q '"pinned":false'
echo "runs without the Linux parts, and reports that nothing is pinned"

engine=$out/sanitized
# The MPI library keeps what it allocated until exit, which is none of the engine's business.
export ASAN_OPTIONS=detect_leaks=0

# clean RANKS EXPERIMENT OPTION...: what the sanitizers say is shown.
clean() {
    ranks=$1
    shift
    mpiexec -n "$ranks" "$engine" "$@" --oversubscribe >"$out/records"
    echo "clean under the sanitizers: $* on $ranks ranks"
}

for options in '' '--every-iteration' '--verify' '--floor' '--floor --sizes 1..1MiB --seconds 2' '--buffers=cold' '--sweep --sizes 0@10+2,64KiB@3' \
    '--table --sizes 0,1..4KiB' '--mode=persistent' '--operation=exchange' '--operation=stream --window=1,8'; do
    # shellcheck disable=SC2086
    clean 3 pingpong --peers 0,2 --seconds 0.2 --sizes 0,1..64KiB $options
done
clean 3 overheads --peers 0,2 --seconds 0.3 --sizes 0,8,1KiB \
    --trains 0:900+0.5:0,16:0:0,16:900+0.5:0,16:0:900+0.5

every='--synchronization=fence,pscw,lock,lock-all,flush,flush-local --window-kind=allocate,create,dynamic,shared'
for options in 'put --sizes 1,64KiB --direction=one-way --window=1,8 --buffers=cold' 'get --sizes 8 --overlap' \
    'get-accumulate --sizes 8,4KiB --verify --direction=both-ways --window=4' 'compare-and-swap --sizes 8 --verify'; do
    # shellcheck disable=SC2086
    clean 3 rma $options $every --peers 0,2 --seconds 0.1
done
clean 4 startup --sizes 8
for victim in pingpong 'stream --window=4' allreduce; do
    # shellcheck disable=SC2086
    clean 4 congestion $victim --sizes 8 --seconds 0.5 --roles=random:2 \
        --loads=incast:1024:2:0:0,outcast:64:1:0:0,all-to-all:64:3:1e5:1e5,permutation:8:4:0:0
done

quick='--seconds 0.1 --sizes 4,64,4KiB'
for ranks in 2 8; do
    for options in '--mode=nonblocking --every-iteration' '--pairing=random --mode=persistent --verify' \
        '--operation=stream --window=1,8 --buffers=cold' \
        '--operation=put --synchronization=flush,fence --verify' \
        '--operation=bidirectional --window=4 --verify --sync=messages'; do
        # shellcheck disable=SC2086
        clean "$ranks" pairs $quick $options
    done
done
for options in '--threads=1,3 --thread-comms=own' '--threads=2:3 --any-source' \
    '--threads=2 --operation=stream --mode=persistent --window=1,8' \
    '--operation=exchange --mode=replace' '--operation=exchange --mode=nonblocking --threads=2' \
    '--mode=partitioned --partitions=1,4 --stagger=500'; do
    # shellcheck disable=SC2086
    clean 2 pairs --seconds 0.1 --sizes 4,64,4KiB --verify $options
done
for layout in vector:4:8:24 indexed:8@8:8@0:16@20 struct:double@0:int@8:20xchar@12 \
    subarray:4x4x4:2x2x1:1x2x0; do
    clean 2 pairs --seconds 0.1 --sizes 32,3200 --verify --datatype=$layout \
        --packing=datatype,pack,hand --threads=2
    clean 2 pingpong --seconds 0.1 --sizes 32,3200 --datatype=$layout --buffers=cold \
        --operation=bidirectional --window=3
done
# Who is paired with whom, whose root it is and whose clock is right depend on how many ranks there are;
# the buffers of the collectives below do not, and eight ranks on two cores take long.
for ranks in 2 3 8; do
    for options in 'cores --verify' 'cores --parallel --operation=exchange' 'cores --parallel --buffers=cold' \
        'collective gatherv --root=rotate --verify' \
        'collective allgatherv --verify --sync=messages' \
        'collective scan --sync=barrier --table'; do
        # shellcheck disable=SC2086
        clean "$ranks" $options $quick
    done
done
for options in 'bcast --root=rotate --buffers=cold' \
    'scatterv --root=rotate --verify --buffers=cold' \
    'alltoallv --verify --buffers=cold' \
    'reduce_scatter_block --verify' \
    'ialltoall --overlap' \
    'ireduce --overlap --root=rotate --verify --buffers=cold' \
    'ialltoallw --overlap --verify' \
    'reduce_scatter --form=persistent --overlap --verify' \
    'scatter --form=put-flush --verify --root=rotate' \
    'alltoall --form=get-fence --verify' \
    'exscan --verify --buffers=cold'; do
    # shellcheck disable=SC2086
    clean 3 collective $options $quick
done
clean 2 overlap --verify $quick
every=waitall,waitany,waitsome,sendrecv,persistent,put-fence,put-pscw,put-flush,get-fence,get-flush
every=$every,neighbor,neighborv,neighborw,neighbor-allgather,neighbor-allgatherv
# Computation beside an exchange takes minutes where six ranks share two cores.
for options in '6 halo --grid=3x2 --neighbors=corners --open' '3 halo --grid=3 --overlap' \
    '6 halo --grid=1x3x2 --neighbors=edges --reorder'; do
    # shellcheck disable=SC2086
    clean $options --exchange=$every --form=blocking,nonblocking,persistent \
        --columns=none,hand,datatype --verify --rounds=1:2 --seconds 0.1 --sizes 0,64,4KiB
done
clean 4 halo --grid=2x2 --exchange=waitall,neighborv --columns=hand,datatype --buffers=cold --seconds 0.1 --sizes 64,4KiB

# Threads under the thread sanitizer. What the MPI library does is not seen: it is not instrumented, and
# that one message is there before it is read is what --verify shows. No report is suppressed.
engine=$out/threads
export TSAN_OPTIONS=exitcode=66
export UCX_MEM_EVENTS=n # UCX would replace malloc beneath the sanitizer, which does
for options in '--threads=1,2,4,8' '--threads=2:3 --any-source' \
    '--threads=2 --thread-comms=own --operation=stream --window=4' \
    '--threads=2 --datatype=vector:4:8:24 --packing=datatype,pack,hand' \
    '--mode=partitioned --partitions=1,2,4,8 --stagger=500'; do
    # shellcheck disable=SC2086
    clean 2 pairs --seconds 0.1 --sizes 32,3200 --verify $options
done
clean 2 collective alltoall --seconds 0.1 --sizes 8,4KiB --verify --threads=1,2,4,8 --thread-comms=own
