// What `--help` says beside the options: examples, and the forms of values.
#pragma once

namespace tilery::tools {

inline constexpr const char* kTopFooter = R"(
Examples:
  tilery run kernels/vector_add.tl x_ptr=randn:f32[5000] y_ptr=ones:f32[5000] \
      out_ptr=empty:f32[5000] n=5000 BLOCK=1024 --grid 'cdiv(n, BLOCK)' --print out_ptr
  tilery list kernels/vector_add.tl
  tilery emit kernels/vector_add.tl 'x_ptr=*f32' 'y_ptr=*f32' 'out_ptr=*f32' n=i32 BLOCK=4

`tilery SUBCOMMAND --help` tells more. Exit codes: 0 good, 1 the kernel is at fault, 2 wrong usage,
3 the machine is at fault.)";

inline constexpr const char* kValueHelp = R"(
VALUE is one of
  @x.npy                   the array in a NumPy file; bf16:@x.npy, f8e5:@x.npy say what raw bits are
  zeros:f32[4,6]           an array made on the spot; also ones: empty: rand: randn: arange:
  full(2.5):f16[8]         one full of a number
  randint(0,9):i32[8]      one of whole numbers from 0 to 8
  like(x)                  zeros of x's type and shape
  x, x+4                   the array of argument x, from its element 4 on
  7  -1.5  true  none      numbers, bools, None; inf and nan too
  f16:0.5  i64:3           a number of a given type; for a number as a pattern (i32:16, a multiple
                           of 16) see lint, emit, explain and build
  '"text"' tl.float16 (1,2)
                           for tl.constexpr parameters: a string (the outer quotes are for the
                           shell), a type, a tuple
Types are i1 i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 f8e4nv f8e5 f8e4b15 f8e4b8 f8e5b16.
An extent may be an expression over other arguments: zeros:f32[M,N//2]. Launch options are written
like arguments: num_warps=8 num_stages=2 enable_fp_fusion=false debug=true; a parameter of that name wins.)";

inline constexpr const char* kRunFooter = R"(
Examples:
  tilery run kernels/stable_softmax.tl x_ptr=@x.npy 'out_ptr=like(x_ptr)' stride_row=200 N=200 \
      BLOCK_N=256 --grid 'x_ptr.shape[0]' --out out_ptr=y.npy
  tilery run kernels/vector_add.tl::vector_add x_ptr=arange:f32[100] y_ptr=ones:f32[100] \
      out_ptr=empty:f32[100] n=100 BLOCK=64 --grid 'cdiv(n, BLOCK)' --print out_ptr

--grid takes one to three extents, x first: whole numbers or expressions of + - * // % cdiv()
min() max() next_power_of_2() over arguments, x.shape[0] and x.numel().)";

inline constexpr const char* kCaseFooter = R"(
A case is a kernel, its inputs and the expected outcome, written down as JSON; docs/cases.md has the
format. Each gets a line: pass, FAIL with what differs, `waits` for an operation that this version
lacks, or `manual`. What a GPU cannot show, such as the findings of a checked run, is named as not
applicable.

Examples:
  tilery case tests/conformance/*.json
  tilery case --on cuda tests/conformance/*.json
  tilery case --mode frontend tests/conformance/C080.json)";

inline constexpr const char* kCompareFooter = R"(
Mathematical functions are computed reproducibly, so that the bits are the same, unless math=fast
is given. A dot on tensor cores sums in another order: give it --rtol.

Examples:
  tilery compare kernels/stable_softmax.tl x_ptr=randn:f32[64,1000] 'out_ptr=like(x_ptr)' \
      stride_row=1000 N=1000 BLOCK_N=1024 --grid 64 --runs 3)";

inline constexpr const char* kEmitFooter = R"(
Examples:
  tilery emit kernels/stable_softmax.tl --stage ast
  tilery emit kernels/stable_softmax.tl 'x_ptr=*f32:16' 'out_ptr=*f32:16' stride_row=i32:16 \
      N=i32 BLOCK_N=1024 --stage ir
  tilery emit ...the same... --stage ptx --target sm_80 num_warps=8
  tilery emit ...the same... --dump-after contract_fma --dump-after cse

With TILERY_DUMP_DIR=dir, run and lint write the syntax tree and the IR after every pass into files
there.)";

inline constexpr const char* kExplainFooter = R"(
Shows the type of every expression, how wide each load and store is and what keeps it from 16 bytes,
what reductions, conversions, dots and loops become, and the instructions that each line has in the
PTX. Registers and occupancy come from ptxas where the CUDA toolkit is installed, or with --on cuda
from the driver. No GPU is needed. Addresses count as they are given: a view such as x+1 is not
aligned to 16 bytes.

Examples:
  tilery explain kernels/stable_softmax.tl x_ptr=zeros:f32[64,1000] 'out_ptr=like(x_ptr)' \
      stride_row=1000 N=1000 BLOCK_N=1024
  tilery explain ...the same... --target sm_80 num_warps=8 --json)";

inline constexpr const char* kBenchFooter = R"(
Runs on the GPU unless --on interpret is given. A launch is timed between two CUDA events, after
memory that fills the L2 cache was written; shown are the median and the times that a fifth and four
fifths of the launches do not exceed, GB/s, and what share that is of the GPU's own copies, measured
in the same run. Any number, type or word may be a list: each combination is a row.

Examples:
  tilery bench kernels/stable_softmax.tl x_ptr=randn:f32[32768,4096] 'out_ptr=like(x_ptr)' \
      stride_row=4096 N=4096 BLOCK_N=4096 --grid 32768 --warps 1,2,4,8,16,32
  tilery bench kernels/matmul.tl ... BLOCK_M=64,128 BLOCK_N=64 num_warps=4,8 --flops '2*M*N*K' \
      --grid 'cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)')";

inline constexpr const char* kTypeHelp = R"(
An argument may be a type, which stands for every value of it:
  *f32  *f32:16            a pointer; one aligned to 16 bytes, for which wider loads are made
  i32   i32:16   i32:1     a number; a multiple of 16 other than 0; always 1
Where something runs (run, compare, bench), `i32:16` is the number 16 alone.)";

inline constexpr const char* kBuildFooter = R"(
The header needs neither the CUDA toolkit nor Tilery; it has NAME_load, NAME_launch, NAME_unload and
NAME_check. What the code was compiled for (alignment, multiples of 16, 1) is checked at each launch.

Examples:
  tilery build kernels/vector_add.tl 'x_ptr=*f32:16' 'y_ptr=*f32:16' 'out_ptr=*f32:16' n=i32 \
      BLOCK=1024 --out build/add
  tilery build gemm.tl::matmul ... --target sm_80 --format cubin --out gemm_sm80 --name gemm)";

}  // namespace tilery::tools
