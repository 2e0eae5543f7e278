#!/usr/bin/env bash
# Installs what is missing, builds everything with warnings as errors, and runs every test.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/packages.sh

# shellcheck disable=SC2086
ensure_packages $BUILD_PACKAGES $TEST_PACKAGES
cmake --preset ci
cmake --build --preset ci
ctest --test-dir build/ci --output-on-failure -j "$(nproc)"
