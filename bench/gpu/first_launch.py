"""How long a user waits for the first launch of a kernel: Triton against Tilery, in milliseconds.

    python3 bench/gpu/first_launch.py LOAD_BENCH KERNELS

Triton: median of 7 compilations of the chapter's stable softmax from this process, which has launched kernels before and whose launch code is
compiled (each time the kernel has another constant, so that neither cache knows it). Tilery: `load_bench`, text to loaded kernel with an empty cache.
Both compile in their default math and with the same num_warps.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
os.environ["CUDA_CACHE_DISABLE"] = "1"
import torch  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402


@triton.jit
def stable_softmax(x_ptr, out_ptr, stride_row, N, BLOCK_N: tl.constexpr, ROUND: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK_N)
    mask = columns < N
    x = tl.load(x_ptr + row * stride_row + columns, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * stride_row + columns, e / tl.sum(e, axis=0), mask=mask)


def triton_first(n, warps):
    x = torch.randn(1, n, device="cuda")
    out = torch.empty_like(x)
    times = []
    for i in range(8):
        torch.cuda.synchronize()
        start = time.perf_counter()
        stable_softmax[(1,)](x, out, n, n, BLOCK_N=n, ROUND=i, num_warps=warps)
        torch.cuda.synchronize()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times[1:])


printed = subprocess.run([sys.argv[1], sys.argv[2]], capture_output=True, text=True).stdout
print(printed)
ours = {(int(n), int(w)): float(first) for n, w, first in
        re.findall(r"stable_softmax (\d+), (\d+) warps, fast\s+[\d.]+\s+[\d.]+\s+([\d.]+)", printed)}
print(f"{'row':>6} {'warps':>5} {'Triton':>8} {'Tilery':>8} {'ratio':>6}")
for (n, warps), first in ours.items():
    theirs = triton_first(n, warps)
    print(f"{n:6} {warps:5} {theirs:8.1f} {first:8.1f} {first / theirs:6.2f}", flush=True)
