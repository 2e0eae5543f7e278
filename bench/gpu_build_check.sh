#!/usr/bin/env bash
# Builds vector_add and stable_softmax ahead of time, as PTX and as machine code, compiles a C program with their headers, runs it on the
# GPU and compares with the same in C. One line a kernel; exit code 1 if one differs or does not build.
#
#     bench/gpu_build_check.sh [FOLDER [TARGET]]      FOLDER has the command: build/ci/tools; TARGET: sm_90a; CC: gcc; CFLAGS are added
set -u
tilery=tilery
if [ $# -gt 0 ]; then
  tilery=$(cd "$1" && pwd)/tilery || exit 2
fi
target=${2:-sm_90a}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
status=0

for format in ptx cubin; do
  echo "== format=$format"
  options=(--target "$target" --format "$format")
  # shellcheck disable=SC2086
  "$tilery" build "$here/../kernels/vector_add.tl" x_ptr='*f32:16' y_ptr='*f32:16' out_ptr='*f32:16' n=i32 BLOCK=1024 "${options[@]}" \
    --out "$work/vadd" >"$work/log" 2>&1 &&
    "$tilery" build "$here/../kernels/stable_softmax.tl" x_ptr='*f32:16' out_ptr='*f32:16' stride_row=i32 N=i32 BLOCK_N=1024 \
      "${options[@]}" --out "$work/soft" >>"$work/log" 2>&1 &&
    "${CC:-gcc}" -std=c99 -Wall -Wextra -pedantic ${CFLAGS:-} -I"$work" "$here/gpu_build_check.c" -o "$work/check" -ldl -lpthread -lm \
      >>"$work/log" 2>&1
  if [ $? -ne 0 ]; then
    cat "$work/log"
    echo "FAIL cannot build as $format"
    status=1
  elif ! "$work/check"; then
    status=1
  fi
done
exit "$status"
