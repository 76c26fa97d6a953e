#!/bin/sh
# One compilation of c_check.sh, which makes as many at once as there are CPUs:
# c_compile.sh OUTPUT WRAPPER COMPILER PRODUCT OPTION...
set -eu
output=$1 wrapper=$2 compiler=$3 product=$4
shift 4
here=$(cd "$(dirname "$0")/../../src/hockney" && pwd)
case $product in
    engine) set -- "$@" "$here"/engine/*.c "$here"/engine/operations/*.c -lm ;;
    recorder) set -- "$@" -shared -fPIC -fvisibility=hidden "$here"/recorder/*.c ;;
    replayer) set -- "$@" "$here"/replayer/*.c ;;
esac
MPICH_CC=$compiler OMPI_CC=$compiler I_MPI_CC=$compiler "$wrapper" -std=c11 -pthread -D_GNU_SOURCE \
    '-DHOCKNEY_VERSION="check"' -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion \
    -Werror -o "$output" "$@"
echo "no warnings: $product, $wrapper with $compiler"
