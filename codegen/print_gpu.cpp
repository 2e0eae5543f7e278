// The text of `emit --stage layout`: the IR with the number of each tile's layout behind it, and
// the layouts.
#include "codegen/codegen.h"
#include "ir/printer.h"
#include "ir/support/plural.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tilery::codegen {
namespace {

/// The distinct layouts in the order of the text.
class Legend {
 public:
  explicit Legend(const GpuFunction& gpu) : gpu_(gpu) {}

  /// "#0" for a tile, nothing for a scalar.
  std::string note(ValueId value) {
    const Type& type = gpu_.function.type(value);
    if (type.is_scalar() || !gpu_.layouts.has(value)) {
      return {};
    }
    const Layout& layout = gpu_.layouts.of(value);
    const auto found =
        std::ranges::find_if(layouts_, [&](const Layout* other) { return *other == layout; });
    const auto number = found - layouts_.begin();
    if (found == layouts_.end()) {
      layouts_.push_back(&layout);
    }
    return fmt::format("#{}", number);
  }

  [[nodiscard]] std::string text() const {
    std::string text;
    for (std::size_t i = 0; i < layouts_.size(); ++i) {
      text += fmt::format("// #{} = {} {}\n", i, layouts_[i]->shape().str(), layouts_[i]->str());
    }
    return text;
  }

 private:
  const GpuFunction& gpu_;
  std::vector<const Layout*> layouts_;
};

std::string header(const GpuFunction& gpu) {
  std::string text = fmt::format("// {}, {}, {} bytes of shared memory\n", gpu.target.name(),
                                 plural(gpu.num_warps, "warp"), gpu.shared_bytes);
  for (const std::string& note : gpu.notes) {
    text += fmt::format("// {}\n", note);
  }
  return text;
}

}  // namespace

std::string print_gpu(const GpuFunction& gpu, const SourceMap* sources) {
  Legend legend(gpu);
  PrintOptions options;
  options.sources = sources;
  options.note = [&](ValueId value) { return legend.note(value); };
  std::string body = print(gpu.function, options);
  return header(gpu) + body + legend.text();
}

}  // namespace tilery::codegen
