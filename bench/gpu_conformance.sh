#!/usr/bin/env bash
# The written-down cases on the GPU: one line a case and a total, first with the hardware's approximations, which are the default, then
# reproducibly. Exit code 1 if a case fails, 3 if there is no GPU.
#
#     bench/gpu_conformance.sh [FOLDER [OPTION …]]      FOLDER has the command: build/ci/tools; OPTIONs are those of `tilery case`
set -u
tilery=tilery
if [ $# -gt 0 ]; then
  tilery=$(cd "$1" && pwd)/tilery || exit 2
  shift
fi
cd "$(dirname "$0")/.." || exit 2
status=0
for math in fast reproducible; do
  echo "== math=$math"
  "$tilery" case --on cuda --math "$math" "$@" tests/conformance/*.json
  code=$?
  [ "$code" -gt "$status" ] && status=$code
done
exit "$status"
