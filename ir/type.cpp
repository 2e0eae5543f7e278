#include "ir/type.h"

#include "ir/float_format.h"
#include "ir/support/check.h"
#include "ir/support/number.h"

#include <algorithm>
#include <limits>

namespace tilery {
namespace {

/// The columns of a float must agree.
constexpr bool is_consistent(const FloatFormat& format) {
  const std::uint64_t largest = format.sign_code() - 1;
  const std::uint64_t infinity = largest & ~format.mantissa_mask();
  switch (format.specials) {
    case Specials::Ieee:
      return format.max_code == infinity - 1 && format.nan_code > infinity &&
             format.nan_code <= largest;
    case Specials::TopIsNan:
      return format.saturates() && format.max_code == largest - 1 && format.nan_code == largest;
    case Specials::None:
      return format.saturates() && format.max_code <= largest && format.nan_code <= largest;
    case Specials::NegZeroIsNan:
      return format.saturates() && format.max_code == largest &&
             format.nan_code == format.sign_code();
  }
  return false;
}

#define TILERY_FLOAT(name, ...) static_assert(is_consistent(float_format(Scalar::name)), #name);
#include "ir/scalars.def"

/// Reads the text of a type from its front; each step says whether it found what it looks for.
class TypeReader {
 public:
  explicit TypeReader(std::string_view text) : text_(text) {}

  bool read(Type& type) {
    if (!read_element(type.element)) {
      return false;
    }
    type.shape = Shape();
    return text_.empty() || (read_shape(type.shape) && text_.empty());
  }

 private:
  bool accept(std::string_view token) {
    if (!text_.starts_with(token)) {
      return false;
    }
    text_.remove_prefix(token.size());
    return true;
  }

  void skip_blanks() {
    while (accept(" ")) {
    }
  }

  bool read_element(ElementType& element) {
    constexpr int kMaxDepth = 8;
    int depth = 0;
    bool is_const = false;
    while (accept("*")) {
      if (++depth > kMaxDepth) {
        return false;
      }
      if (accept("const ")) {
        if (depth != 1) {
          return false;
        }
        is_const = true;
        skip_blanks();
      }
    }
    Scalar scalar{};
    const std::size_t end = std::min(text_.find('['), text_.size());
    if (!parse_scalar(text_.substr(0, end), scalar)) {
      return false;
    }
    text_.remove_prefix(end);
    element = ElementType(scalar, depth, is_const);
    return true;
  }

  bool read_shape(Shape& shape) {
    accept("[");
    do {
      skip_blanks();
      const std::size_t digits = std::min(text_.find_first_not_of("0123456789"), text_.size());
      const auto extent = parse_number<std::int32_t>(text_.substr(0, digits));
      if (!extent || *extent < 1 || shape.rank() == Shape::kMaxRank) {
        return false;
      }
      text_.remove_prefix(digits);
      shape.push_back(*extent);
      skip_blanks();
    } while (accept(","));
    return accept("]");
  }

  std::string_view text_;
};

}  // namespace

std::string_view ir_name(Scalar s) {
  return scalar_facts(s).ir_name;
}

std::string_view language_name(Scalar s) {
  return scalar_facts(s).language_name;
}

std::string_view dtype_name(Scalar s) {
  return scalar_facts(s).dtype_name;
}

ElementType ElementType::pointee() const {
  TILERY_CHECK(is_pointer(), "the pointee of a number");
  return {scalar, pointer_depth - 1};
}

ElementType ElementType::pointer_to() const {
  return {scalar, pointer_depth + 1};
}

int ElementType::byte_size() const {
  return is_pointer() ? 8 : tilery::byte_size(scalar);
}

std::string ElementType::str() const {
  std::string text(pointer_depth, '*');
  if (is_const) {
    text.insert(1, "const ");
  }
  return text.append(ir_name(scalar));
}

Shape::Shape(std::initializer_list<std::int64_t> extents)
    : Shape(std::span<const std::int64_t>(extents.begin(), extents.size())) {}

Shape::Shape(std::span<const std::int64_t> extents) {
  for (const std::int64_t extent : extents) {
    push_back(extent);
  }
}

void Shape::push_back(std::int64_t extent) {
  insert(rank_, extent);
}

void Shape::insert(int axis, std::int64_t extent) {
  TILERY_CHECK(rank_ < kMaxRank && axis >= 0 && axis <= rank_, "a shape with too many axes");
  std::copy_backward(extents_.begin() + axis, extents_.begin() + rank_,
                     extents_.begin() + rank_ + 1);
  ++rank_;
  set(axis, extent);
}

void Shape::erase(int axis) {
  TILERY_CHECK(axis >= 0 && axis < rank_, "an axis that the shape does not have");
  std::copy(extents_.begin() + axis + 1, extents_.begin() + rank_, extents_.begin() + axis);
  --rank_;
}

std::int64_t Shape::numel() const {
  std::int64_t product = 1;
  for (const std::int32_t extent : *this) {
    if (__builtin_mul_overflow(product, std::int64_t{extent}, &product)) {
      return std::numeric_limits<std::int64_t>::max();
    }
  }
  return product;
}

std::string Shape::str() const {
  std::string text = "[";
  for (const std::int32_t extent : *this) {
    text.append(text.size() == 1 ? "" : ", ").append(std::to_string(extent));
  }
  return text + "]";
}

bool operator==(const Shape& a, const Shape& b) {
  return std::ranges::equal(a, b);
}

std::string Type::str() const {
  return is_scalar() ? element.str() : element.str() + shape.str();
}

bool parse_type(std::string_view text, Type& type) {
  Type read;
  if (!TypeReader(text).read(read)) {
    return false;
  }
  type = read;
  return true;
}

bool parse_scalar(std::string_view text, Scalar& scalar) {
  const auto* const found = std::ranges::find(kScalarFacts, text, &ScalarFacts::ir_name);
  if (found == std::end(kScalarFacts)) {
    return false;
  }
  scalar = static_cast<Scalar>(found - kScalarFacts);
  return true;
}

}  // namespace tilery
