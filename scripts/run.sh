#!/usr/bin/env bash
# Installs what is missing, builds the release, and runs row sums and maxima and three softmaxes of kernels/ in
# interpret mode, on .npy arrays, their rows next to a float64 reference; then a kernel with a planted bug.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/packages.sh

# shellcheck disable=SC2086
ensure_packages $BUILD_PACKAGES
configured=$(cmake --preset release 2>&1) || { echo "$configured" >&2; exit 3; }
cmake --build --preset release
python3 scripts/chapter.py build/release/tools/tilery
echo "the command is $PWD/build/release/tools/tilery"
