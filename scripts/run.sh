#!/usr/bin/env bash
# Installs what is missing, builds the release, and runs the main job: the four kernels of the reduction chapter in
# interpret mode, from .tl files, on .npy arrays, their rows next to a float64 reference; then a kernel with a planted bug.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/packages.sh

# shellcheck disable=SC2086
ensure_packages $BUILD_PACKAGES
cmake --preset release >build-configure.log 2>&1 || { cat build-configure.log; exit 3; }
rm -f build-configure.log
cmake --build --preset release
python3 scripts/chapter.py build/release/tools/tilery
