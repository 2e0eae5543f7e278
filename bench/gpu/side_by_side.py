"""Tilery beside Triton, PyTorch and a copy of the same bytes, on one GPU, in one run.

    python3 bench/gpu/side_by_side.py path/to/tilery [case …]  > bench/results/gpu_speed.tsv

The kernels are those of kernels/*.tl: Triton gets the same text as a Python module. Tilery's PTX is launched here through the driver
in PyTorch's context, so that every contender is timed by the same code on the same tensors. Triton takes its best of 1 to 32
warps and of the block sizes listed; Tilery its own choice of warps unless a list is given. Each contender is timed `ROUNDS` times in
turn; the table has the medians and the ratio to Triton (above 1: Tilery is faster).
"""

import ctypes
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile

import torch
import triton
import triton.language as tl
from triton.testing import do_bench

ROUNDS = 3
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TILERY = sys.argv[1]
WANTED = sys.argv[2:]
DTYPES = {torch.float32: "f32", torch.bfloat16: "bf16", torch.float16: "f16", torch.int32: "i32"}
cuda = ctypes.CDLL("libcuda.so.1")


def check(code, call):
    if code != 0:
        text = ctypes.c_char_p()
        cuda.cuGetErrorName(code, ctypes.byref(text))
        raise RuntimeError(f"{call}: {text.value.decode()}")


class Kernel:
    """A kernel compiled by Tilery for a list of (name, value) arguments, loaded into PyTorch's context."""

    def __init__(self, file, args, constants, options):
        command = [TILERY, "emit", "--stage", "ptx", "--target", "sm_90a", "--json", os.path.join(ROOT, "kernels", file)]
        for name, value in args:
            if isinstance(value, torch.Tensor):
                command.append(f"{name}=empty:{DTYPES[value.dtype]}[{max(value.numel(), 1)}]")
            else:
                command.append(f"{name}={value}")
        command += [f"{k}={json.dumps(v) if isinstance(v, bool) else v}" for k, v in {**constants, **options}.items()]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        report = json.loads(done.stdout)
        facts = report["kernel"]
        ptx = next(t["text"] for t in report["texts"] if t["stage"] == "ptx")
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        check(cuda.cuModuleLoadData(ctypes.byref(module), ptx.encode()), f"cuModuleLoadData of {file}")
        check(cuda.cuModuleGetFunction(ctypes.byref(self.function), module, facts["entry"].encode()), "cuModuleGetFunction")
        self.threads, self.shared = 32 * facts["num_warps"], facts["shared_bytes"]
        if self.shared > 48 * 1024:
            check(cuda.cuFuncSetAttribute(self.function, 8, self.shared), "cuFuncSetAttribute")
        self.registers, self.spills = self.attribute(4), self.attribute(3)
        cells = []
        for (name, value), parameter in zip(args, facts["parameters"], strict=True):
            if isinstance(value, torch.Tensor):
                cells.append(ctypes.c_uint64(value.data_ptr()))
            elif isinstance(value, float):
                cells.append(ctypes.c_float(value))
            else:
                cells.append(ctypes.c_int64(value) if parameter["bytes"] == 8 else ctypes.c_int32(value))
        self.cells = cells
        self.pointers = (ctypes.c_void_p * len(cells))(*[ctypes.addressof(c) for c in cells])

    def attribute(self, number):
        value = ctypes.c_int()
        check(cuda.cuFuncGetAttribute(ctypes.byref(value), number, self.function), "cuFuncGetAttribute")
        return value.value

    def __call__(self, grid):
        x, y, z = (tuple(grid) + (1, 1))[:3]
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        check(cuda.cuLaunchKernel(self.function, x, y, z, self.threads, 1, 1, self.shared, stream, self.pointers, None), "cuLaunchKernel")


def triton_kernel(file, name):
    """The same text as a Python module."""
    with open(os.path.join(ROOT, "kernels", file)) as source:
        text = "import triton\nimport triton.language as tl\n" + source.read()
    path = os.path.join(tempfile.mkdtemp(), name + "_module.py")
    with open(path, "w") as out:
        out.write(text)
    spec = importlib.util.spec_from_file_location(name + "_module", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def median(run):
    return do_bench(run, warmup=25, rep=150, return_mode="median")


class Case:
    """One comparison: how to launch it on each side, what it must compute, and what to divide the time into."""

    def __init__(self, name, file, kernel, args, configs, grid, expected, out, work, unit, tolerance, torch_run=None, copy_bytes=0):
        self.__dict__.update(locals())

    def tilery(self):
        best = None
        for config in self.configs:
            constants = dict(config)
            options = {}
            for key in ("num_warps", "num_stages"):
                if key in constants:
                    options[key] = constants.pop(key)
            for warps in ([options["num_warps"]] if "num_warps" in options else SWEEP):
                chosen = dict(options)
                if warps is not None:
                    chosen["num_warps"] = warps
                try:
                    kernel = Kernel(self.file, self.args, constants, chosen)
                except RuntimeError as problem:
                    print(f"# tilery {self.name} {config}: {str(problem)[-160:]!r}", flush=True)
                    continue
                grid = self.grid(constants)
                self.out.fill_(float("nan"))
                kernel(grid)
                torch.cuda.synchronize()
                error = relative_error(self.out, self.expected())
                if not error <= self.tolerance:
                    raise RuntimeError(f"{self.name}: Tilery is wrong by {error:.2e} with {config}")
                time = median(lambda: kernel(grid))
                note = f"{config} warps={kernel.threads // 32} registers={kernel.registers} local={kernel.spills} shared={kernel.shared}"
                print(f"# tilery {self.name}: {self.work / time:.1f} {self.unit} {note} error {error:.1e}", flush=True)
                if best is None or time < best[0]:
                    best = (time, lambda k=kernel, g=grid: k(g), note)
        return best

    def triton(self):
        kernel = triton_kernel(self.file, self.kernel)
        best = None
        for config in self.configs:
            constants = dict(config)
            fixed_warps = constants.pop("num_warps", None)
            for warps in [fixed_warps] if fixed_warps else [1, 2, 4, 8, 16, 32]:
                grid = self.grid({k: v for k, v in constants.items() if k != "num_stages"})
                values = [value for _, value in self.args]
                run = lambda k=kernel, g=grid, c=dict(constants), w=warps: k[g](*values, **c, num_warps=w)
                try:
                    run()
                    torch.cuda.synchronize()
                    time = median(run)
                except Exception as problem:
                    print(f"# triton {self.name} {config} warps={warps}: {str(problem)[:90]!r}", flush=True)
                    continue
                if best is None or time < best[0]:
                    best = (time, run, f"{config} warps={warps}")
        return best


# With TILERY_SWEEP=1 Tilery also takes its best of 1 to 32 warps, to see what its own choice costs.
SWEEP = [None, 1, 2, 4, 8, 16, 32] if os.environ.get("TILERY_SWEEP") else [None]


def relative_error(got, expected):
    got, expected = got.double(), expected.double()
    return float((got - expected).norm() / expected.norm())


def rows_case(name, file, kernel, m, n, dtype, reference, extra=()):
    x = torch.randn(m, n, device="cuda", dtype=dtype)
    out = torch.empty_like(x)
    args = [("x_ptr", x), *extra_args(extra, x), *out_args(kernel, out, x)]
    args += [("stride_row", n), ("N", n)] + ([("eps", 1e-5)] if kernel == "layernorm_kernel" else [])
    run = reference(x, dict(args))
    return Case(f"{name} {m}x{n} {DTYPES[dtype]}", file, kernel, args, [{"BLOCK_N": triton.next_power_of_2(n)}], lambda c: (m,),
                reference(x.double(), dict(args)), out,
                2 * x.numel() * x.element_size() / 1e6, "GB/s", 1e-5 if dtype == torch.float32 else 6e-3, run,
                2 * x.numel() * x.element_size())


def extra_args(names, x):
    return [(name, torch.randn(x.shape[1], device="cuda", dtype=x.dtype)) for name in names]


def out_args(kernel, out, x):
    args = [("out_ptr", out)]
    if kernel == "layernorm_kernel":
        args += [(name, torch.empty(x.shape[0], device="cuda")) for name in ("mean_ptr", "rstd_ptr")]
    return args


def softmax(x, args):
    return lambda: torch.softmax(x, 1)


def layernorm(x, args):
    return lambda: torch.nn.functional.layer_norm(x, (x.shape[1],), args["w_ptr"].to(x.dtype), args["b_ptr"].to(x.dtype))


def vector_add_case():
    n = 1 << 28
    x, y = (torch.randn(n, device="cuda") for _ in range(2))
    out = torch.empty_like(x)
    return Case("vector_add 2^28 f32", "vector_add.tl", "vector_add", [("x_ptr", x), ("y_ptr", y), ("out_ptr", out), ("n", n)],
                [{"BLOCK": b} for b in (1024, 2048, 4096)], lambda c: (triton.cdiv(n, c["BLOCK"]),), lambda: x + y, out,
                3 * n * 4 / 1e6, "GB/s", 0.0, lambda: torch.add(x, y, out=out), 3 * n * 4)


def matmul_case(size=4096):
    a, b = (torch.randn(size, size, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    c = torch.empty(size, size, device="cuda", dtype=torch.bfloat16)
    args = [("a_ptr", a), ("b_ptr", b), ("c_ptr", c), ("M", size), ("N", size), ("K", size), ("stride_am", size), ("stride_ak", 1),
            ("stride_bk", size), ("stride_bn", 1), ("stride_cm", size), ("stride_cn", 1)]
    configs = [dict(BLOCK_M=m, BLOCK_N=n, BLOCK_K=k, num_warps=w, num_stages=s)
               for m, n, k, w, s in ((128, 256, 64, 8, 3), (128, 128, 64, 8, 3), (128, 128, 32, 4, 4), (128, 128, 64, 4, 3), (128, 256, 32, 8, 4))]
    return Case(f"matmul {size}^3 bf16", "matmul.tl", "matmul_kernel", args, configs,
                lambda k: (triton.cdiv(size, k["BLOCK_M"]) * triton.cdiv(size, k["BLOCK_N"]),), lambda: a.float() @ b.float(), c,
                2 * size**3 / 1e9, "TFLOP/s", 6e-3, lambda: torch.mm(a, b, out=c))


def attention_case(causal):
    z, h, s, d = 4, 32, 4096, 128
    q, k, v = (torch.randn(z, h, s, d, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    out = torch.empty_like(q)
    lse = torch.empty(z * h, s, device="cuda")
    args = [("q_ptr", q), ("k_ptr", k), ("v_ptr", v), ("out_ptr", out), ("lse_ptr", lse), ("scale", d**-0.5), ("stride_z", h * s * d),
            ("stride_h", s * d), ("stride_s", d), ("H", h), ("S", s)]
    configs = [dict(D=d, BLOCK_M=m, BLOCK_N=n, CAUSAL=causal, num_warps=w, num_stages=st)
               for m, n, w, st in ((128, 64, 4, 3), (128, 64, 8, 3), (64, 64, 4, 3), (128, 32, 4, 3), (128, 128, 8, 2))]
    attend = lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    flops = 4 * z * h * s * s * d / 1e9 * (0.5 if causal else 1)
    return Case(f"attention {z}x{h}x{s}x{d} bf16{' causal' if causal else ''}", "flash_attention.tl", "flash_attention_kernel", args, configs,
                lambda c: (triton.cdiv(s, c["BLOCK_M"]), z * h), attend, out, flops, "TFLOP/s", 1e-2, attend)


def cases():
    yield "vector_add", vector_add_case
    for dtype in (torch.float32, torch.bfloat16):
        yield "softmax", lambda t=dtype: rows_case("stable_softmax", "stable_softmax.tl", "stable_softmax_kernel", 32768, 4096, t, softmax)
        yield "layernorm", lambda t=dtype: rows_case("layernorm", "layernorm.tl", "layernorm_kernel", 32768, 4096, t, layernorm, ("w_ptr", "b_ptr"))
    for m, n in ((131072, 256), (65536, 1024), (8192, 16384), (2048, 65536)):
        for dtype in (torch.float32, torch.bfloat16):
            yield "rows", lambda m=m, n=n, t=dtype: rows_case("stable_softmax", "stable_softmax.tl", "stable_softmax_kernel", m, n, t, softmax)
    yield "matmul", matmul_case
    yield "attention", lambda: attention_case(False)
    yield "attention", lambda: attention_case(True)


def main():
    print("case\tunit\ttilery\ttriton\tratio\ttorch\tcopy\ttilery's choice\ttriton's best")
    for group, make in cases():
        if WANTED and group not in WANTED:
            continue
        torch.manual_seed(0)
        case = make()
        try:
            contenders = {"tilery": case.tilery()}
        except RuntimeError as problem:
            print(f"{case.name}\tFAILED\t{problem}", flush=True)
            continue
        contenders["triton"] = case.triton()
        runs = {name: best[1] for name, best in contenders.items() if best is not None}
        runs["torch"] = case.torch_run
        if case.copy_bytes:
            source = torch.empty(case.copy_bytes // 8, device="cuda")
            target = torch.empty_like(source)
            runs["copy"] = lambda: target.copy_(source)
        times = {name: [] for name in runs}
        for _ in range(ROUNDS):
            for name, run in runs.items():
                times[name].append(median(run))
        rate = {name: case.work / statistics.median(values) for name, values in times.items()}
        ratio = rate["tilery"] / rate["triton"] if "triton" in rate else float("nan")
        print(f"{case.name}\t{case.unit}\t{rate['tilery']:.1f}\t{rate.get('triton', 0):.1f}\t{ratio:.3f}\t{rate['torch']:.1f}\t"
              f"{rate.get('copy', 0):.1f}\t{contenders['tilery'][2]}\t{contenders['triton'][2] if contenders['triton'] else ''}", flush=True)
        del case, runs, contenders
        torch.cuda.empty_cache()


print(f"# {torch.cuda.get_device_name()}, PyTorch {torch.__version__}, Triton {triton.__version__}")
main()
