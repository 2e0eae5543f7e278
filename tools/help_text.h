// What `--help` says beside the options: examples, and the forms of values.
#pragma once

namespace tilery::tools {

inline constexpr const char* kTopFooter = R"(
Examples:
  tilery run add.tl x=randn:f32[1000] y=ones:f32[1000] out=zeros:f32[1000] n=1000 BLOCK=128 \
             --grid 'cdiv(n, BLOCK)' --print out
  tilery list add.tl
  tilery emit add.tl x=zeros:f32[4] y=zeros:f32[4] out=zeros:f32[4] n=4 BLOCK=4 --stage ir

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
  f16:0.5  i64:3           a number of a given type
  '"text"' tl.float16 (1,2)
                           for tl.constexpr parameters: a string (the outer quotes are for the
                           shell), a type, a tuple
Types are i1 i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 f8e4nv f8e5 f8e4b15 f8e4b8 f8e5b16.
An extent may be an expression over other arguments: zeros:f32[M,N//2]. Launch options are written
like arguments: num_warps=8 num_stages=2 enable_fp_fusion=false debug=true; a parameter of that name wins.)";

inline constexpr const char* kRunFooter = R"(
Examples:
  tilery run softmax.tl x=@x.npy out='like(x)' stride_row=256 N=256 BLOCK_N=256 \
             --grid 'x.shape[0]' --out out=y.npy
  tilery run add.tl::add x=arange:f32[100] y=ones:f32[100] out=empty:f32[100] n=100 BLOCK=64 \
             --grid 'cdiv(n, BLOCK)' --print out

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
  tilery compare softmax.tl x=randn:f32[64,1000] out=empty:f32[64,1000] stride=1000 N=1000 \
      BLOCK=1024 --grid 64 --runs 3)";

inline constexpr const char* kEmitFooter = R"(
Examples:
  tilery emit softmax.tl --stage ast
  tilery emit softmax.tl x=zeros:f32[4,64] out=zeros:f32[4,64] stride=64 N=64 BLOCK=64 --stage ir
  tilery emit softmax.tl ... --stage ptx --target sm_80 num_warps=8
  tilery emit softmax.tl ... --dump-after contract_fma --dump-after cse

With TILERY_DUMP_DIR=dir, run and lint write the syntax tree and the IR after every pass into files
there.)";

inline constexpr const char* kExplainFooter = R"(
Shows the type of every expression, how wide each load and store is and what keeps it from 16 bytes,
what reductions, conversions, dots and loops become, and the instructions that each line has in the
PTX. Registers and occupancy come from ptxas where the CUDA toolkit is installed, or with --on cuda
from the driver. No GPU is needed. Addresses count as they are given: a view such as x+1 is not
aligned to 16 bytes.

Examples:
  tilery explain softmax.tl x=zeros:f32[64,1000] out='like(x)' stride=1000 N=1000 BLOCK=1024
  tilery explain softmax.tl ... --target sm_80 num_warps=8 --json)";

inline constexpr const char* kBenchFooter = R"(
Runs on the GPU unless --on interpret is given. A launch is timed between two CUDA events, after
memory that fills the L2 cache was written; shown are the median and the times that a fifth and four
fifths of the launches do not exceed, GB/s, and what share that is of the GPU's own copies, measured
in the same run. Any number, type or word may be a list: each combination is a row.

Examples:
  tilery bench softmax.tl x=randn:f32[32768,4096] out='like(x)' stride=4096 N=4096 BLOCK=4096 \
      --grid 32768 --warps 1,2,4,8,16,32
  tilery bench matmul.tl ... --flops '2*M*N*K' BLOCK_M=64,128 num_warps=4,8 --grid 'cdiv(M, BLOCK_M)')";

inline constexpr const char* kTypeHelp = R"(
An argument may be a type, which stands for every value of it:
  *f32  *f32:16            a pointer; one aligned to 16 bytes, for which wider loads are made
  i32   i32:16   i32:1     a number; a multiple of 16 other than 0; always 1)";

inline constexpr const char* kBuildFooter = R"(
The header needs neither the CUDA toolkit nor Tilery; it has NAME_load, NAME_launch, NAME_unload and
NAME_check. What the code was compiled for (alignment, multiples of 16, 1) is checked at each launch.

Examples:
  tilery build add.tl x='*f32:16' y='*f32:16' out='*f32:16' n=i32 BLOCK=1024 --out build/add
  tilery build gemm.tl::matmul ... --target sm_80 --format cubin --out gemm_sm80 --name gemm)";

}  // namespace tilery::tools
