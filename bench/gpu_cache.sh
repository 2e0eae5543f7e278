#!/usr/bin/env bash
# The kernel cache on a real GPU: processes that share one, killed writers, no room, no home, damaged files. One line a check; exit code 1 if one
# fails.
#
#     bench/gpu_cache.sh [FOLDER]      FOLDER has the command: build/ci/tools
set -u
tilery=tilery
if [ $# -gt 0 ]; then
  tilery=$(cd "$1" && pwd)/tilery || exit 2
fi
kernels=$(cd "$(dirname "$0")/../kernels" && pwd)
work=$(mktemp -d) || exit 2
trap 'umount "$work/small" 2>/dev/null; rm -rf "$work"' EXIT
status=0

# softmax NAME [N]: the result goes to $work/NAME.npy
softmax() {
  local n=${2:-1000}
  "$tilery" run "$kernels/stable_softmax.tl" "x_ptr=randn:f32[3,$n]" "out_ptr=empty:f32[3,$n]" "stride_row=$n" "N=$n" BLOCK_N=1024 --grid 3 \
    --on cuda --out "out_ptr=$work/$1.npy" >"$work/$1.log" 2>&1
}

report() {
  if [ "$2" -eq 0 ]; then
    echo "ok   $1"
  else
    echo "FAIL $1"
    cat "$work"/*.log | tail -20
    status=1
  fi
}

# same NAME: the result is that of the first run
same() { cmp -s "$work/right.npy" "$work/$1.npy"; }

export TILERY_CACHE_DIR=$work/cache
softmax right || { cat "$work/right.log"; exit 3; }

rm -rf "$TILERY_CACHE_DIR"
for i in $(seq 16); do
  softmax "many$i" &
  pids[i]=$!
done
bad=0
for i in $(seq 16); do
  wait "${pids[i]}" && same "many$i" || bad=1
done
report "16 processes at once, one cache" $bad
[ "$(find "$TILERY_CACHE_DIR" -type f -size +0 | wc -l)" -ge 1 ] && [ -z "$(find "$TILERY_CACHE_DIR" -name '*tmp*')" ]
report "one kernel is kept, and no unfinished file" $?

bad=0
for i in $(seq 20); do
  rm -rf "$TILERY_CACHE_DIR"
  softmax killed 2>/dev/null &
  pid=$!
  sleep "0.$((20 + i))"
  pkill -9 -P $pid 2>/dev/null
  wait $pid 2>/dev/null
  softmax after && same after || bad=1
done
report "after writers killed at 20 moments" $bad

bad=0
file=$(find "$TILERY_CACHE_DIR" -type f -size +64c | head -1)
cp "$file" "$work/whole"
size=$(stat -c %s "$file")
damage() {
  softmax after && same after || { bad=1; echo "     $1"; }
  cp "$work/whole" "$file"
}
: >"$file" && damage "empty"
head -c $((size / 2)) "$work/whole" >"$file" && damage "half"
head -c $((size - 1)) "$work/whole" >"$file" && damage "one byte short"
{ cat "$work/whole"; echo more; } >"$file" && damage "longer"
head -c "$size" /dev/urandom >"$file" && damage "noise"
for offset in 0 8 40 100 $((size / 3)) $((size / 2)) $((size - 1)); do
  printf '\377' | dd of="$file" bs=1 seek="$offset" conv=notrunc status=none
  damage "byte $offset"
done
rm "$file" && mkdir "$file" && { softmax after && same after || { bad=1; echo "     a folder"; }; rmdir "$file"; }
report "damaged files" $bad

mkdir "$work/small"
if mount -t tmpfs -o size=4k tmpfs "$work/small" 2>/dev/null; then
  TILERY_CACHE_DIR=$work/small softmax full && same full
  report "a disk without room" $?
else
  (ulimit -f 0; TILERY_CACHE_DIR=$work/nothing "$tilery" run "$kernels/stable_softmax.tl" "x_ptr=randn:f32[3,1000]" "out_ptr=empty:f32[3,1000]" \
    stride_row=1000 N=1000 BLOCK_N=1024 --grid 3 --on cuda | tail -3 >/dev/null)
  report "files may not grow" $?
fi
TILERY_CACHE_DIR=/proc/tilery softmax proc && same proc
report "a folder that cannot be made" $?
(unset TILERY_CACHE_DIR XDG_CACHE_HOME HOME; softmax homeless && same homeless)
report "no home" $?
HOME=/nonexistent/home XDG_CACHE_HOME='' TILERY_CACHE_DIR='' softmax nowhere && same nowhere
report "a home that is not there" $?
exit $status
