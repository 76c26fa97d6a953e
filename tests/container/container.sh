#!/bin/sh
# Builds the image of integrations/container where no base can be pulled, and measures in it: the base
# is made of Debian's packages. For any user with subordinate ids (/etc/subuid), or root. Arguments go
# to buildah bud: where packages come by a proxy with a certificate of its own,
#   --volume /etc/ssl/certs:/etc/ssl/certs:ro
set -eu
cd "$(dirname "$0")/../.."

for tool in buildah mmdebstrap; do
    command -v $tool >/dev/null || {
        echo "container: there is no $tool here: apt-get install buildah mmdebstrap uidmap" >&2
        exit 1
    }
done
# Neither needs a mount or a file system that a container or a virtual machine may not have.
export STORAGE_DRIVER="${STORAGE_DRIVER:-vfs}" BUILDAH_ISOLATION="${BUILDAH_ISOLATION:-chroot}"

here=$PWD/build/container
mkdir -p "$here"
results=$(mktemp -d)
chmod a+rwx "$results"
container=
finish() {
    # What was written belongs to a subordinate id of this user's, who cannot remove it.
    if [ -n "$(ls -A "$results")" ]; then
        buildah run --user 0 --volume "$results:/results" "$container" -- \
            find /results -mindepth 1 -delete
    fi
    if [ -n "$container" ]; then buildah rm "$container" >/dev/null; fi
    rm -rf "$results"
}
trap finish EXIT

if [ ! -e "$here/base.tar" ]; then
    mmdebstrap --variant=apt --include=python3,python3-venv,ca-certificates bookworm "$here/new.tar"
    mv "$here/new.tar" "$here/base.tar"
fi
container=$(buildah from scratch)
buildah add --quiet "$container" "$here/base.tar" / >/dev/null
buildah commit --quiet "$container" hockney-base >/dev/null
buildah rm "$container" >/dev/null
container=

buildah bud --pull-never --build-arg BASE=localhost/hockney-base \
    --file integrations/container/Containerfile --tag hockney "$@" .

container=$(buildah from --pull-never localhost/hockney)
in_image() { buildah run --volume "$results:/results" "$container" -- "$@"; }
so() { test "$@" || { echo "container: not so: $*" >&2; exit 1; }; }
so "$(in_image id -u)" = 1000
so "$(buildah inspect --format '{{.OCIv1.Config.Entrypoint}}' "$container")" = '[hockney]'
in_image hockney pingpong --budget 5s -o pingpong.jsonl
in_image hockney plot pingpong.jsonl -o pingpong.svg
so -s "$results/pingpong.jsonl"
so -s "$results/pingpong.svg"
echo "container: built, and measured in as user 1000"
