#!/usr/bin/env bash
# The kernel library on the GPU against the interpreter, three runs each: the same bits, but for dots on tensor cores, which get a tolerance.
#
#     bench/gpu_kernels.sh [TILERY [COMMAND …]]      COMMAND stands before each call: compute-sanitizer --tool racecheck
set -u
tilery=${1:-tilery}
shift
cd "$(dirname "$0")/../kernels"
status=0

check() {
  local output
  if output=$("${before[@]}" "$tilery" compare "$@" --runs 3 2>&1); then
    echo "same    $*"
  else
    echo "DIFFERS $*"
    echo "$output" | tail -20
    status=1
  fi
}
before=("$@")

for warps in 1 4 16; do
  w="num_warps=$warps"
  check vector_add.tl x_ptr=randn:f32[5000] y_ptr=randn:f32[5000] out_ptr=empty:f32[5000] n=5000 BLOCK=1024 --grid 5 "$w"
  for t in f32 bf16; do
    for n in 1000 1024 781; do
      rows="stride_row=$n N=$n BLOCK_N=1024 --grid 7 $w"
      # shellcheck disable=SC2086
      check stable_softmax.tl "x_ptr=randn:$t[7,$n]" "out_ptr=empty:$t[7,$n]" $rows
      # shellcheck disable=SC2086
      check layernorm.tl "x_ptr=randn:$t[7,$n]" "w_ptr=randn:$t[$n]" "b_ptr=randn:$t[$n]" "out_ptr=empty:$t[7,$n]" \
        mean_ptr=empty:f32[7] rstd_ptr=empty:f32[7] eps=1e-5 $rows
    done
  done
  check matmul.tl a_ptr=randn:f16[100,72] b_ptr=randn:f16[72,90] c_ptr=empty:f32[100,90] M=100 N=90 K=72 stride_am=72 stride_ak=1 \
    stride_bk=90 stride_bn=1 stride_cm=90 stride_cn=1 BLOCK_M=64 BLOCK_N=32 BLOCK_K=32 --grid 6 --rtol 1e-4 --atol 1e-4 "$w"
  check matmul.tl a_ptr=randn:f32[40,30] b_ptr=randn:f32[30,50] c_ptr=empty:f32[40,50] M=40 N=50 K=30 stride_am=30 stride_ak=1 \
    stride_bk=50 stride_bn=1 stride_cm=50 stride_cn=1 BLOCK_M=32 BLOCK_N=32 BLOCK_K=16 PRECISION='"ieee"' --grid 4 "$w"
  for causal in true false; do
    check flash_attention.tl q_ptr=randn:f16[1,2,100,64] k_ptr=randn:f16[1,2,100,64] v_ptr=randn:f16[1,2,100,64] out_ptr=empty:f16[1,2,100,64] \
      lse_ptr=empty:f32[2,100] scale=0.125 stride_z=12800 stride_h=6400 stride_s=64 H=2 S=100 D=64 BLOCK_M=32 BLOCK_N=32 CAUSAL=$causal \
      --grid 4,2 --rtol 2e-3 --atol 2e-3 "$w"
  done
done
exit "$status"
