#!/usr/bin/env bash
# Checks the form (clang-format) and the code (clang-tidy) of our C++ sources.
#
#   scripts/lint.sh              the files that differ from the branch main, or are new
#   scripts/lint.sh --all        every file; hours on a small machine
#   scripts/lint.sh FILE…
#
# Needs clang-format-22 and clang-tidy-22 and a configured build/ci (scripts/test.sh, or `cmake --preset ci`).
# Prints what it finds; the exit code is 1 if there was anything. TIDY=0 checks the form only.
set -euo pipefail
cd "$(dirname "$0")/.."

sources() { git ls-files -- '*.cpp' '*.h'; }
if [ "${1:-}" = --all ]; then
  mapfile -t files < <(sources)
elif [ $# -gt 0 ]; then
  files=("$@")
else
  base=$(git merge-base HEAD main 2>/dev/null || git rev-parse HEAD)
  mapfile -t files < <({ git diff --name-only --diff-filter=d "$base" -- '*.cpp' '*.h'
                         git ls-files --others --exclude-standard -- '*.cpp' '*.h'; } | sort -u)
fi
[ ${#files[@]} -gt 0 ] || { echo "no files"; exit 0; }

failed=0
clang-format-22 --dry-run -Werror "${files[@]}" || failed=1
[ "${TIDY:-1}" = 1 ] || exit $failed

# Headers are checked with the sources that include them; what g++ alone understands is left out.
for file in "${files[@]}"; do
  [[ $file == *.cpp ]] || continue
  echo "$file"
  clang-tidy-22 --quiet -p build/ci --removed-arg=-fno-gnu-unique --removed-arg=-Wno-maybe-uninitialized \
    "$file" 2>/dev/null || failed=1
done
exit $failed
