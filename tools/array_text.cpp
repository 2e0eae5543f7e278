#include "tools/array_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tilery::tools {

namespace {

constexpr std::int64_t kSummaryThreshold = 1000;
constexpr std::int64_t kEdge = 3;
constexpr std::size_t kLineWidth = 80;

/// The shortest decimal that rounds to `v` in the given type; whole numbers are written out.
std::string shortest_float(DType dtype, double v) {
  if (dtype == DType::F64) {
    return fmt::format("{}", v);
  }
  if (dtype == DType::F32) {
    return fmt::format("{}", static_cast<float>(v));
  }
  constexpr double kExact = 1e6;
  if (v == std::trunc(v) && std::abs(v) < kExact) {
    return fmt::format("{}", v);
  }
  for (int digits = 1; digits < 17; ++digits) {
    const double rounded = std::stod(fmt::format("{:.{}g}", v, digits));
    std::uint64_t bits = 0;
    store_number(dtype, &bits, rounded);
    if (load_number(dtype, &bits) == v) {
      return fmt::format("{}", rounded);
    }
  }
  return fmt::format("{}", v);
}

std::string float_text(DType dtype, double v) {
  if (std::isnan(v)) {
    return "nan";
  }
  if (std::isinf(v)) {
    return v < 0 ? "-inf" : "inf";
  }
  std::string text = shortest_float(dtype, v);
  // A whole number still shows that it is a float: `3.`, as in NumPy.
  if (text.find_first_not_of("-0123456789") == std::string::npos) {
    text += '.';
  }
  return text;
}

/// Writes nested brackets; `shown` gives an element's padded text.
class ArrayWriter {
 public:
  explicit ArrayWriter(const Buffer& buffer)
      : buffer_(buffer), shape_(buffer.shape()), summarised_(buffer.numel() > kSummaryThreshold) {
    strides_.assign(shape_.size(), 1);
    for (std::size_t axis = shape_.size(); axis-- > 1;) {
      strides_[axis - 1] = strides_[axis] * shape_[axis];
    }
  }

  std::string write() {
    if (shape_.empty()) {
      return text_of(0);
    }
    if (buffer_.numel() == 0) {
      return "[]";
    }
    measure(0, 0);
    axis_text(0, 0);
    return std::move(out_);
  }

 private:
  /// Positions along an axis that are shown; -1 stands for the dots.
  std::vector<std::int64_t> shown(std::size_t axis) const {
    std::vector<std::int64_t> list;
    const std::int64_t n = shape_[axis];
    const bool has_dots = summarised_ && n > 2 * kEdge + 1;
    for (std::int64_t i = 0; i < n; ++i) {
      if (has_dots && i == kEdge) {
        list.push_back(-1);
        i = n - kEdge;
      }
      list.push_back(i);
    }
    return list;
  }

  std::string text_of(std::int64_t index) const {
    return buffer_.is_defined(index) ? element_text(buffer_, index) : "?";
  }

  void measure(std::size_t axis, std::int64_t base) {
    if (axis == shape_.size()) {
      width_ = std::max(width_, text_of(base).size());
      return;
    }
    for (const std::int64_t i : shown(axis)) {
      if (i >= 0) {
        measure(axis + 1, base + i * strides_[axis]);
      }
    }
  }

  void axis_text(std::size_t axis, std::int64_t base) {
    out_ += '[';
    if (axis + 1 == shape_.size()) {
      row_text(axis, base);
    } else {
      bool is_first = true;
      for (const std::int64_t i : shown(axis)) {
        if (!is_first) {
          // One line feed between rows, one more for each further axis that starts anew.
          out_.append(shape_.size() - 1 - axis, '\n');
          out_.append(axis + 1, ' ');
        }
        is_first = false;
        if (i < 0) {
          out_ += "...";
        } else {
          axis_text(axis + 1, base + i * strides_[axis]);
        }
      }
    }
    out_ += ']';
  }

  void row_text(std::size_t axis, std::int64_t base) {
    const std::size_t indent = axis + 1;
    std::size_t column = indent;
    bool is_first = true;
    for (const std::int64_t i : shown(axis)) {
      std::string text = i < 0 ? "..." : text_of(base + i * strides_[axis]);
      if (i >= 0) {
        text.insert(0, width_ - std::min(width_, text.size()), ' ');
      }
      if (!is_first && column + 1 + text.size() > kLineWidth) {
        out_ += '\n';
        out_.append(indent, ' ');
        column = indent;
      } else if (!is_first) {
        out_ += ' ';
        ++column;
      }
      is_first = false;
      column += text.size();
      out_ += text;
    }
  }

  const Buffer& buffer_;
  const Extents& shape_;
  bool summarised_;
  std::vector<std::int64_t> strides_;
  std::size_t width_ = 0;
  std::string out_;
};

}  // namespace

std::string element_text(DType dtype, const void* element) {
  if (dtype == DType::I1) {
    return load_integer(dtype, element) != 0 ? "True" : "False";
  }
  if (is_float(dtype)) {
    return float_text(dtype, load_number(dtype, element));
  }
  const std::int64_t v = load_integer(dtype, element);
  return dtype == DType::U64 ? fmt::format("{}", static_cast<std::uint64_t>(v))
                             : fmt::format("{}", v);
}

std::string element_text(const Buffer& buffer, std::int64_t index) {
  const auto size = static_cast<std::int64_t>(byte_size(buffer.dtype()));
  return element_text(buffer.dtype(), static_cast<const std::byte*>(buffer.data()) + index * size);
}

std::string array_text(const Buffer& buffer) {
  return ArrayWriter(buffer).write();
}

std::string array_type_text(const Buffer& buffer) {
  return fmt::format("{}[{}]", name(buffer.dtype()), fmt::join(buffer.shape(), ", "));
}

}  // namespace tilery::tools
