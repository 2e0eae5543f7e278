"""How long the command takes from source to PTX: median of 15 starts of the process, in milliseconds.

    python3 bench/gpu/compile_time.py path/to/tilery
"""

import os
import statistics
import subprocess
import sys
import time

KERNELS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "kernels")
ROWS = ["x_ptr=empty:f32[16]", "out_ptr=empty:f32[16]"]
MATMUL = ["a_ptr=empty:bf16[16]", "b_ptr=empty:bf16[16]", "c_ptr=empty:bf16[16]", "M=4096", "N=4096", "K=4096", "stride_am=4096", "stride_ak=1",
          "stride_bk=4096", "stride_bn=1", "stride_cm=4096", "stride_cn=1"]


def rows(n, warps, chunks=None):
    block = [f"BLOCK_N={n}"] if chunks is None else [f"BLOCK_N={n // chunks}", f"NUM_CHUNKS={chunks}"]
    return [*ROWS, f"stride_row={n}", f"N={n}", *block, f"num_warps={warps}"]


CASES = [("start, ast only", "stable_softmax.tl", ["--stage", "ast"])]
for math in ("fast", "reproducible"):
    for n, warps in ((1024, 1), (4096, 4), (8192, 4), (65536, 32)):
        CASES.append((f"stable_softmax {n} {n // warps // 32} a thread {math}", "stable_softmax.tl", [*rows(n, warps), f"math={math}"]))
    CASES.append((f"online_softmax 16384 32 a thread {math}", "online_softmax.tl", [*rows(16384, 4, 4), f"math={math}"]))
for m, n, k, w, s in ((128, 128, 32, 4, 4), (128, 256, 64, 8, 3)):
    CASES.append((f"matmul {m}x{n}x{k}", "matmul.tl", [*MATMUL, f"BLOCK_M={m}", f"BLOCK_N={n}", f"BLOCK_K={k}", f"num_warps={w}", f"num_stages={s}"]))

for name, file, arguments in CASES:
    stage = [] if "--stage" in arguments else ["--stage", "ptx"]
    command = [sys.argv[1], "emit", os.path.join(KERNELS, file), *arguments, *stage]
    times = []
    for _ in range(15):
        start = time.perf_counter()
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        times.append(1000 * (time.perf_counter() - start))
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{done.stderr.decode()}")
    print(f"{name}\t{statistics.median(times):.1f}", flush=True)
