#include "runtime/cuda_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <string_view>
#include <utility>

namespace tilery {

namespace {

using cuda::Code;
using cuda::FunctionAttribute;
using cuda::JitOption;

constexpr int kWarpSize = 32;
/// Dynamic shared memory that a kernel gets without asking.
constexpr std::uint32_t kSharedBytesUnasked = 48 * 1024;
/// Blocks of one cluster that every GPU with clusters can run.
constexpr int kPortableClusterSize = 8;

/// One compilation by the driver, ended with the object.
class Linker {
 public:
  explicit Linker(const CudaApi& api) : api_(api) {}

  ~Linker() {
    if (state_ != nullptr) {
      (void)api_.cuLinkDestroy(state_);
    }
  }

  Linker(const Linker&) = delete;
  Linker& operator=(const Linker&) = delete;

  Code create() {
    // The driver wants numbers in the places of pointers here.
    std::array options = {JitOption::ErrorLogBuffer, JitOption::ErrorLogBufferBytes};
    std::array<void*, 2> values = {log_.data(), cuda::pointer_of(log_.size())};
    return api_.cuLinkCreate(options.size(), options.data(), values.data(), &state_);
  }

  Code add(std::string& ptx, const std::string& name) {
    // With the zero at its end, as the driver expects of text.
    return api_.cuLinkAddData(state_, cuda::JitInput::Ptx, ptx.data(), ptx.size() + 1, name.c_str(),
                              0, nullptr, nullptr);
  }

  Code complete(std::string_view& cubin) {
    void* data = nullptr;
    std::size_t size = 0;
    const Code code = api_.cuLinkComplete(state_, &data, &size);
    cubin = {static_cast<const char*>(data), code == Code::Success ? size : 0};
    return code;
  }

  /// What the driver's assembler had to say.
  [[nodiscard]] std::string_view log() const {
    std::string_view text(log_.data(), strnlen(log_.data(), log_.size()));
    while (!text.empty() && text.back() == '\n') {
      text.remove_suffix(1);
    }
    return text;
  }

 private:
  const CudaApi& api_;
  cuda::LinkState state_ = nullptr;
  std::array<char, 8192> log_{};
};

}  // namespace

Result<codegen::KernelBinary> assemble(const CudaContext& context, codegen::KernelBinary ptx,
                                       const std::string& kernel) {
  const CudaApi& api = context.device->api();
  const ContextScope scope(context);
  Linker linker(api);
  std::string_view cubin;
  const char* call = "cuLinkCreate";
  Code code = linker.create();
  if (code == Code::Success) {
    call = "cuLinkAddData";
    code = linker.add(ptx.code, kernel);
  }
  if (code == Code::Success) {
    call = "cuLinkComplete";
    code = linker.complete(cubin);
  }
  if (code != Code::Success) {
    Error error = api.failure(code, call,
                              fmt::format("the driver cannot compile kernel `{}` for {} ({})",
                                          kernel, context.device->full_name(), ptx.target));
    if (!linker.log().empty()) {
      error.message += fmt::format("\n{}", linker.log());
    }
    return error;
  }
  ptx.code = std::string(cubin);
  ptx.form = codegen::KernelBinary::Form::Cubin;
  return ptx;
}

bool is_whole_elf(std::string_view bytes) {
  Elf64_Ehdr head;
  if (bytes.size() < sizeof head) {
    return false;
  }
  std::memcpy(&head, bytes.data(), sizeof head);
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64) {
    return false;
  }
  const auto fits = [&](std::uint64_t offset, std::uint64_t size) {
    return offset <= bytes.size() && size <= bytes.size() - offset;
  };
  // Every row of a table of headers lies inside and describes bytes that do.
  const auto is_whole_table = [&]<class Row>(std::uint64_t offset, std::uint64_t count,
                                             std::uint64_t row_size, auto describes_inside) {
    if (count != 0 && (row_size != sizeof(Row) || !fits(offset, count * sizeof(Row)))) {
      return false;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      Row row;
      std::memcpy(&row, bytes.data() + offset + i * sizeof row, sizeof row);
      if (!describes_inside(row)) {
        return false;
      }
    }
    return true;
  };
  return is_whole_table.operator()<Elf64_Phdr>(
             head.e_phoff, head.e_phnum, head.e_phentsize,
             [&](const Elf64_Phdr& row) { return fits(row.p_offset, row.p_filesz); }) &&
         is_whole_table.operator()<Elf64_Shdr>(
             head.e_shoff, head.e_shnum, head.e_shentsize, [&](const Elf64_Shdr& row) {
               return row.sh_type == SHT_NOBITS || fits(row.sh_offset, row.sh_size);
             });
}

CudaKernel::CudaKernel(CudaContext& context, codegen::KernelBinary binary, std::string name)
    : context_(context), binary_(std::move(binary)), name_(std::move(name)) {}

CudaKernel::~CudaKernel() {
  if (module_ != nullptr) {
    const ContextScope scope(context_);
    // A context that is lost has taken its modules with it.
    (void)context_.device->api().cuModuleUnload(module_);
  }
}

Result<std::shared_ptr<const CudaKernel>> CudaKernel::load(CudaContext& context,
                                                           const codegen::KernelBinary& binary,
                                                           const std::string& kernel,
                                                           bool is_from_cache) {
  codegen::KernelBinary facts = binary;
  facts.code.clear();
  facts.code.shrink_to_fit();
  const std::shared_ptr<CudaKernel> loaded(new CudaKernel(context, std::move(facts), kernel));
  loaded->facts_.is_from_cache = is_from_cache;
  const ContextScope scope(context);
  if (const Status status = loaded->load_module(binary.code); !status) {
    return status.error();
  }
  if (const Status status = loaded->set_shared_memory(); !status) {
    return status.error();
  }
  if (const Status status = loaded->read_facts(); !status) {
    return status.error();
  }
  return std::shared_ptr<const CudaKernel>(loaded);
}

Error CudaKernel::failure(Code code, const char* call, const std::string& what) const {
  return context_.device->api().failure(
      code, call, fmt::format("kernel `{}` on {}: {}", name_, context_.device->full_name(), what));
}

Status CudaKernel::load_module(const std::string& code_bytes) {
  const CudaApi& api = context_.device->api();
  Code code = api.cuModuleLoadData(&module_, code_bytes.c_str());
  if (code != Code::Success) {
    module_ = nullptr;
    return failure(code, "cuModuleLoadData",
                   fmt::format("cannot load {} bytes of code", grouped(code_bytes.size())));
  }
  code = api.cuModuleGetFunction(&handle_, module_, binary_.entry.c_str());
  if (code != Code::Success) {
    return failure(code, "cuModuleGetFunction",
                   fmt::format("its code has no entry `{}`", binary_.entry));
  }
  return Ok{};
}

Status CudaKernel::set_shared_memory() {
  const CudaApi& api = context_.device->api();
  const auto limit = static_cast<std::uint32_t>(context_.device->info().shared_bytes_per_block);
  if (binary_.shared_bytes > limit) {
    return Error{ErrorKind::Usage,
                 fmt::format("kernel `{}` on {}: shared memory: {} bytes needed, {} on this GPU; "
                             "smaller blocks or a lower num_stages need less",
                             name_, context_.device->full_name(), grouped(binary_.shared_bytes),
                             grouped(limit)),
                 {}};
  }
  if (binary_.shared_bytes > kSharedBytesUnasked) {
    const Code code = api.cuFuncSetAttribute(handle_, FunctionAttribute::MaxDynamicSharedBytes,
                                             static_cast<int>(binary_.shared_bytes));
    if (code != Code::Success) {
      return failure(code, "cuFuncSetAttribute",
                     fmt::format("shared memory: {} bytes needed, {} on this GPU",
                                 grouped(binary_.shared_bytes), grouped(limit)));
    }
  }
  if (binary_.num_ctas > kPortableClusterSize) {
    const Code code =
        api.cuFuncSetAttribute(handle_, FunctionAttribute::NonPortableClusterSizeAllowed, 1);
    if (code != Code::Success) {
      return failure(code, "cuFuncSetAttribute",
                     fmt::format("clusters of {} blocks", binary_.num_ctas));
    }
  }
  return Ok{};
}

Status CudaKernel::read_facts() {
  const CudaApi& api = context_.device->api();
  facts_.target = binary_.target;
  facts_.num_warps = binary_.num_warps;
  facts_.num_ctas = binary_.num_ctas;
  facts_.programs_per_block = binary_.programs_per_block;
  facts_.notes = binary_.notes;
  int static_bytes = 0;
  for (const auto& [attribute, value] :
       {std::pair(FunctionAttribute::Registers, &facts_.registers),
        std::pair(FunctionAttribute::LocalBytes, &facts_.local_bytes),
        std::pair(FunctionAttribute::StaticSharedBytes, &static_bytes)}) {
    if (const Code code = api.cuFuncGetAttribute(value, attribute, handle_);
        code != Code::Success) {
      return failure(code, "cuFuncGetAttribute", "cannot ask for its properties");
    }
  }
  facts_.shared_bytes = binary_.shared_bytes + static_cast<std::size_t>(static_bytes);
  const Code code = api.cuOccupancyMaxActiveBlocksPerMultiprocessor(
      &facts_.blocks_per_multiprocessor, handle_, binary_.num_warps * kWarpSize,
      binary_.shared_bytes);
  if (code != Code::Success) {
    return failure(code, "cuOccupancyMaxActiveBlocksPerMultiprocessor",
                   "cannot ask for its properties");
  }
  return Ok{};
}

}  // namespace tilery
