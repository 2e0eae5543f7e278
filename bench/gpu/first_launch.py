"""How long a user waits for the first launch of a kernel: Triton against Tilery, in milliseconds.

    python3 bench/gpu/first_launch.py LOAD_BENCH KERNELS

Both compile the text of kernels/*.tl in their default math, with the same num_warps, num_stages and block sizes, in turn, ROUNDS times. The
table has the medians of the times and of the rounds' ratios: a shared host is now fast, now slow, for both. Triton compiles in this process,
which has launched kernels before; each time the text has another comment, so that neither cache knows it. Tilery: `load_bench`, text to
loaded kernel with an empty cache, the median of five.
"""

import importlib.util
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

LOAD_BENCH, KERNELS = sys.argv[1], sys.argv[2]
FOLDER = tempfile.mkdtemp()
ROUNDS = 15


def f32(n=1 << 16):
    return torch.zeros(n, device="cuda")


def bf16(n=1 << 20):
    return torch.zeros(n, device="cuda", dtype=torch.bfloat16)


def softmax(n, warps):
    return "stable_softmax.tl", [f32(), f32(), n, n], dict(BLOCK_N=n, num_warps=warps)


# By the names of bench/compile_cases.h. One program runs, over zeros.
CASES = {
    **{f"stable_softmax {n}, {w} warps, fast": lambda n=n, w=w: softmax(n, w)
       for n, w in ((1024, 1), (1024, 4), (4096, 4), (16384, 8), (65536, 32))},
    "vector_add 1024, 4 warps": lambda: ("vector_add.tl", [f32(), f32(), f32(), 65536], dict(BLOCK=1024, num_warps=4)),
    "layernorm 4096, 8 warps": lambda: ("layernorm.tl", [f32() for _ in range(6)] + [4096, 4096, 1e-5], dict(BLOCK_N=4096, num_warps=8)),
    "matmul 128x256x64, 8 warps": lambda: (
        "matmul.tl", [bf16(), bf16(), bf16(), 256, 256, 256, 256, 1, 256, 1, 256, 1],
        dict(BLOCK_M=128, BLOCK_N=256, BLOCK_K=64, num_warps=8, num_stages=3)),
    "flash_attention 128x64x128, 8 warps": lambda: (
        "flash_attention.tl", [bf16(), bf16(), bf16(), bf16(), f32(), 0.088, 524288, 16384, 128, 32, 128],
        dict(D=128, BLOCK_M=128, BLOCK_N=64, CAUSAL=False, num_warps=8, num_stages=3)),
}


def fresh_kernel(file, tag):
    """The jit function of a kernel file, with a comment in its body that no compilation has seen."""
    with open(os.path.join(KERNELS, file)) as source:
        text = source.read()
    name = re.search(r"@triton\.jit\ndef (\w+)", text).group(1)
    end_of_head = re.compile(r"@triton\.jit\ndef .*?\):\n", re.S).search(text).end()
    text = f"import triton\nimport triton.language as tl\n{text[:end_of_head]}    # {tag}\n{text[end_of_head:]}"
    path = os.path.join(FOLDER, f"{name}_{tag}.py")
    with open(path, "w") as out:
        out.write(text)
    spec = importlib.util.spec_from_file_location(f"{name}_{tag}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def triton_first(case, file, arguments, constants, number):
    kernel = fresh_kernel(file, f"{re.sub(r'[^a-z0-9]+', '_', case)}_{number}")
    torch.cuda.synchronize()
    start = time.perf_counter()
    kernel[(1,)](*arguments, **constants)
    torch.cuda.synchronize()
    return 1000 * (time.perf_counter() - start)


def tilery_first(case):
    printed = subprocess.run([LOAD_BENCH, KERNELS, "5", case], capture_output=True, text=True).stdout
    return float(re.search(re.escape(case) + r"\s+[\d.]+\s+[\d.]+\s+([\d.]+)", printed).group(1))


triton_first("warm-up", *CASES["vector_add 1024, 4 warps"](), 0)
print(f"{'':36} {'Triton':>8} {'Tilery':>8} {'ratio':>6}")
for case, make in CASES.items():
    made = make()
    times = [(triton_first(case, *made, number), tilery_first(case)) for number in range(ROUNDS)]
    theirs, ours = (statistics.median(column) for column in zip(*times))
    ratio = statistics.median(tilery / triton for triton, tilery in times)
    print(f"{case:36} {theirs:8.1f} {ours:8.1f} {ratio:6.2f}", flush=True)
