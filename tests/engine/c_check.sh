#!/bin/sh
# The engine without a warning under every compiler and MPI given, then every experiment under the
# address and undefined-behaviour sanitizers. Wrappers: $HOCKNEY_CHECK_MPICC, default mpicc.
set -eu
here=$(cd "$(dirname "$0")/../../src/hockney/engine" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
flags='-std=c11 -D_GNU_SOURCE -DHOCKNEY_VERSION="check" -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror'

# The faults that tests inject are the same under every MPI.
faults=-DHOCKNEY_FAULTS
for wrapper in ${HOCKNEY_CHECK_MPICC:-mpicc}; do
    for compiler in gcc clang; do
        command -v "$compiler" >/dev/null 2>&1 || { echo "no $compiler here: not checked"; continue; }
        for define in '' $faults; do
            MPICH_CC=$compiler OMPI_CC=$compiler I_MPI_CC=$compiler \
                "$wrapper" -O2 $flags $define -o "$out/engine" "$here"/*.c "$here"/operations/*.c -lm
        done
        echo "no warnings: $wrapper with $compiler"
    done
    faults=
done

mpicc -g -O1 $flags -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer \
    -o "$out/engine" "$here"/*.c "$here"/operations/*.c -lm
# The MPI library keeps what it allocated until exit, which is none of the engine's business.
export ASAN_OPTIONS=detect_leaks=0

# clean RANKS EXPERIMENT OPTION...: what the sanitizers say is shown.
clean() {
    ranks=$1
    shift
    mpiexec -n "$ranks" "$out/engine" "$@" >"$out/records"
    echo "clean under the sanitizers: $* on $ranks ranks"
}

for options in '' '--every-iteration' '--verify' '--floor' '--floor --sizes 1..1MiB --seconds 2' '--buffers=cold' '--sweep --sizes 0@10+2,64KiB@3' \
    '--table --sizes 0,1..4KiB' '--mode=persistent' '--operation=exchange' '--operation=stream --window=1,8'; do
    # shellcheck disable=SC2086
    clean 3 pingpong --peers 0,2 --seconds 0.2 --sizes 0,1..64KiB $options
done
clean 3 overheads --peers 0,2 --seconds 0.3 --sizes 0,8,1KiB \
    --trains 0:900+0.5:0,16:0:0,16:900+0.5:0,16:0:900+0.5

quick='--seconds 0.1 --sizes 4,64,4KiB'
for ranks in 2 8; do
    for options in '--mode=nonblocking --every-iteration' '--pairing=random --mode=persistent --verify' \
        '--operation=stream --window=1,8 --buffers=cold' \
        '--operation=bidirectional --window=4 --verify --sync=messages'; do
        # shellcheck disable=SC2086
        clean "$ranks" pairs $quick $options
    done
done
for ranks in 2 3 8; do
    for options in 'cores --verify' 'cores --parallel --operation=exchange' 'cores --parallel --buffers=cold' \
        'collective bcast --root=rotate --buffers=cold' \
        'collective gatherv --root=rotate --verify' \
        'collective scatterv --root=rotate --verify --buffers=cold' \
        'collective allgatherv --verify --sync=messages' \
        'collective alltoallv --verify --buffers=cold' \
        'collective reduce_scatter_block --verify' \
        'collective scan --sync=barrier --table' \
        'collective ialltoall --overlap' \
        'collective ireduce --overlap --root=rotate --verify --buffers=cold'; do
        # shellcheck disable=SC2086
        clean "$ranks" $options $quick
    done
done
