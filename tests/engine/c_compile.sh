#!/bin/sh
# One compilation of c_check.sh, which makes as many at once as there are CPUs:
# c_compile.sh OUTPUT WRAPPER COMPILER PRODUCT OPTION... Of "objects" the compiler is the system that zig
# compiles for; there is no MPI of it to link with, and MPICH's header is the same everywhere.
set -eu
output=$1 wrapper=$2 compiler=$3 product=$4
shift 4
here=$(cd "$(dirname "$0")/../../src/hockney" && pwd)
case $product in
    engine) set -- "$@" "$here"/engine/*.c "$here"/engine/*/*.c -lm -ldl ;;
    recorder) set -- "$@" -shared -fPIC -fvisibility=hidden "$here"/profiling/recorder/*.c ;;
    replayer) set -- "$@" "$here"/profiling/replayer/*.c ;;
    addresses)
        # The address of what is gone, which compilers do not see where a caller keeps it.
        set -- --analyze --analyzer-output text --analyzer-no-default-checks -Xclang -analyzer-werror \
            -Xclang -analyzer-checker=core.StackAddressEscape -Xclang -analyzer-config -Xclang max-nodes=5000 \
            "$@" "$here"/engine/*.c \
            "$here"/engine/operations/*.c "$here"/profiling/recorder/*.c "$here"/profiling/replayer/*.c
        output=
        ;;
    objects)
        mkdir "$output"
        cd "$output"
        set -- -target "$compiler" -c "$here"/engine/*.c "$here"/engine/*/*.c
        product="objects for $compiler" compiler="${HOCKNEY_CHECK_ZIG:-zig} cc" output=
        ;;
esac
MPICH_CC=$compiler OMPI_CC=$compiler I_MPI_CC=$compiler "$wrapper" -std=c11 -pthread -D_GNU_SOURCE \
    '-DHOCKNEY_VERSION="check"' -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion \
    -Werror -Wno-unused-command-line-argument ${output:+-o "$output"} "$@"
echo "no warnings: $product, $wrapper with $compiler"
