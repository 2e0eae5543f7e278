#!/usr/bin/env bash
# Element-wise operations on the GPU against the interpreter, bit for bit: all values of 8- and 16-bit types, samples of
# 32 and 64 bits (gpu_exhaustive.tl says which). Reproducible math, since that is what promises identical bits.
#
#     bench/gpu_exhaustive.sh [TILERY]      the command, `tilery` if it is not given; some two minutes
#
# Prints a line for each kernel and type; exits with 1 if any differs.
set -u
cd "$(dirname "$0")"
tilery=${1:-tilery}
status=0

# compare KERNEL ROWS N TYPE UINT
compare() {
  local output
  if output=$("$tilery" compare "gpu_exhaustive.tl::$1" "o=full(-2):i64[$2,$3]" "N=$3" "TYPE=tl.$4" "UINT=tl.$5" BLOCK=1024 \
      math=reproducible --grid "$(($3 / 1024))" --check none 2>&1); then
    echo "same    $1 $4"
  else
    echo "DIFFERS $1 $4"
    echo "$output"
    status=1
  fi
}

all_16=65536
samples=1048576

for type in int1 int8 uint8; do compare casts 13 1024 "$type" uint8; done
for type in int16 uint16 float16 bfloat16; do compare casts 13 "$all_16" "$type" uint16; done
for width in 32 64; do
  for type in int uint float; do compare casts 13 "$samples" "$type$width" "uint$width"; done
  compare casts_toward_zero 3 "$samples" "float$width" "uint$width"
  compare functions 11 "$samples" "float$width" "uint$width"
done
for type in int8 uint8; do compare operators 24 "$all_16" "$type" uint8; done
for type in int16 uint16 float16 bfloat16; do compare operators 24 "$samples" "$type" uint16; done
for width in 32 64; do
  for type in int uint float; do compare operators 24 "$samples" "$type$width" "uint$width"; done
done
exit "$status"
