// Loads and stores through plain pointers (semantics 3.2 and 3.3).
#include "frontend/sema/builtins.h"
#include "frontend/sema/tensor_ops.h"

#include <array>

namespace tilery::sema {
namespace {

constexpr auto kLoadCaches = std::to_array<std::string_view>({"", ".ca", ".cg", ".cs", ".cv"});
constexpr auto kStoreCaches = std::to_array<std::string_view>({"", ".wb", ".cg", ".cs", ".wt"});
constexpr auto kEvictions = std::to_array<std::string_view>({"", "evict_first", "evict_last"});

/// The pointer argument; anything else is reported.
MaybeTensor pointer_argument(Sema& sema, const ArgumentReader& reader) {
  const auto* tensor = reader.value(0).as<Tensor>();
  if (tensor == nullptr || !tensor->type.is_pointer()) {
    Diagnostic& diagnostic = sema.report(DiagId::NotAPointer, reader.range(0),
                                         reader.function_name(), describe(reader.value(0)));
    label_operand(sema, diagnostic, reader.range(0), reader.value(0));
    diagnostic.helped("add an offset to a pointer argument, as in `x + tl.arange(0, B)`");
    return {};
  }
  return *tensor;
}

/// A mask, value or other may be a block only if the pointer is one.
bool check_scalar(Sema& sema, const ArgumentReader& reader, const Tensor& pointer, const Tensor& x,
                  int i) {
  if (!pointer.type.is_scalar() || x.type.is_scalar()) {
    return true;
  }
  Diagnostic& diagnostic =
      sema.report(DiagId::BlockWithScalarPointer, reader.range(i), reader.parameter_name(i),
                  reader.function_name(), type_text(x.type));
  label_operand(sema, diagnostic, reader.range(0), reader.value(0));
  label_operand(sema, diagnostic, reader.range(i), reader.value(i));
  diagnostic.helped(fmt::format("make the pointer a block too: `{} + tl.arange(0, B)`",
                                operand_text(sema, reader.range(0))));
  return false;
}

/// The mask at position `i`, if one is given: `mask` stays empty for None and a literal True.
bool read_mask(Sema& sema, const ArgumentReader& reader, const Tensor& pointer, int i,
               MaybeTensor& mask) {
  const auto* flag = reader.value(i).as<bool>();
  if (reader.is_none(i) || (flag != nullptr && *flag)) {
    return true;
  }
  mask = reader.tensor(i);
  if (!mask) {
    return false;
  }
  if (!mask->type.element.is(Scalar::I1)) {
    Diagnostic& diagnostic = sema.report(DiagId::MaskNotBoolean, reader.range(i),
                                         reader.function_name(), type_text(mask->type));
    label_operand(sema, diagnostic, reader.range(i), reader.value(i));
    const std::string text = operand_text(sema, reader.range(i));
    const bool is_name = text.find_first_of(" +-*/%&|^<>=([,") == std::string::npos;
    diagnostic.helped(fmt::format("compare it: `mask={} != 0`", is_name ? text : "(" + text + ")"));
    return false;
  }
  return check_scalar(sema, reader, pointer, *mask, i);
}

/// `boundary_check` and `padding_option` are for block pointers.
bool check_no_boundary(Sema& sema, const ArgumentReader& reader, int i) {
  const auto* tuple = reader.value(i).as<TupleValue>();
  const auto* text = reader.value(i).as<std::string>();
  const bool is_empty = reader.is_none(i) || (tuple != nullptr && tuple->elements.empty()) ||
                        (text != nullptr && text->empty());
  if (is_empty) {
    return true;
  }
  sema.report(DiagId::BoundaryCheckOnPointer, reader.range(i), reader.parameter_name(i),
              reader.function_name(), describe(reader.value(0)))
      .helped("with plain pointers use `mask=`");
  return false;
}

struct LoadOperands {
  Tensor pointer;
  MaybeTensor mask;
  MaybeTensor other;
};

/// Pointer, mask and other in their common shape.
bool broadcast_load(Sema& sema, const ArgumentReader& reader, LoadOperands& operands) {
  if (operands.mask) {
    const auto pair = broadcast_pair(sema, operands.pointer, *operands.mask, reader.ranges(0, 1));
    if (!pair) {
      return false;
    }
    operands.pointer = pair->first;
    operands.mask = pair->second;
  }
  if (operands.other) {
    const auto pair = broadcast_pair(sema, operands.pointer, *operands.other, reader.ranges(0, 2),
                                     {nullptr, &reader.value(2)});
    if (!pair) {
      return false;
    }
    operands.pointer = pair->first;
    operands.other = pair->second;
  }
  if (operands.mask && operands.mask->type.shape != operands.pointer.type.shape) {
    operands.mask =
        broadcast_pair(sema, *operands.mask, operands.pointer, reader.ranges(1, 0))->first;
  }
  return true;
}

/// `other`, cast to the element type; it needs a mask.
bool read_other(Sema& sema, const ArgumentReader& reader, const Tensor& pointer,
                MaybeTensor& other) {
  if (reader.is_none(2)) {
    return true;
  }
  if (reader.is_none(1)) {
    sema.report(DiagId::OtherWithoutMask, reader.range(2))
        .helped("give the mask that says which elements are read: `mask=i < n`");
    return false;
  }
  const MaybeTensor value = reader.tensor(2);
  if (!value || !check_scalar(sema, reader, pointer, *value, 2)) {
    return false;
  }
  other = cast(sema, *value, pointer.type.element.pointee(), reader.range(2));
  return other.has_value();
}

Tensor emit_load(Sema& sema, const LoadOperands& operands, Attributes attributes) {
  InstSpec spec;
  spec.groups.push_back({operands.pointer.id});
  spec.groups.emplace_back();
  spec.groups.emplace_back();
  if (operands.mask) {
    spec.groups[1].push_back(operands.mask->id);
  }
  if (operands.other) {
    spec.groups[2].push_back(operands.other->id);
  }
  spec.attrs = std::move(attributes);
  return tensor_of(sema, sema.builder().value(Op::Load, std::move(spec)));
}

/// What is stored, in the pointee's type and the pointer's shape.
MaybeTensor stored_value(Sema& sema, const ArgumentReader& reader, const Tensor& pointer) {
  if (reader.is_none(1)) {
    reader.report_type(1, "a number or a tensor");
    return {};
  }
  const MaybeTensor value = reader.tensor(1);
  if (!value || !check_scalar(sema, reader, pointer, *value, 1)) {
    return {};
  }
  return cast(sema, *value, pointer.type.element.pointee(), reader.range(1));
}

/// Broadcasts to the pointer's shape, which must not grow.
MaybeTensor to_pointer_shape(Sema& sema, const ArgumentReader& reader, const Tensor& pointer,
                             const Tensor& x, int i) {
  const auto pair =
      broadcast_pair(sema, pointer, x, reader.ranges(0, i), {nullptr, &reader.value(i)});
  if (!pair) {
    return {};
  }
  if (pair->first.type.shape != pointer.type.shape) {
    Diagnostic& diagnostic = sema.report(DiagId::StorePointerTooSmall, reader.range(0),
                                         pair->first.type.shape.str(), pointer.type.shape.str());
    label_operands(sema, diagnostic, reader.value(0), reader.value(i), reader.ranges(0, i));
    diagnostic.helped("each element needs its own address: add the missing axis to the offsets");
    return {};
  }
  return pair->second;
}

bool check_writable(Sema& sema, const ArgumentReader& reader, const Tensor& pointer) {
  if (!pointer.type.element.is_const) {
    return true;
  }
  Diagnostic& diagnostic =
      sema.report(DiagId::StoreToConst, reader.range(0), type_text(pointer.type));
  diagnostic.helped("drop the `tl.const` annotation of the parameter");
  return false;
}

}  // namespace

namespace builtins {

MaybeValue load(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor pointer = pointer_argument(sema, reader);
  if (!pointer || !check_no_boundary(sema, reader, 3) || !check_no_boundary(sema, reader, 4)) {
    return {};
  }
  LoadOperands operands{*pointer, {}, {}};
  if (!read_mask(sema, reader, *pointer, 1, operands.mask) ||
      !read_other(sema, reader, *pointer, operands.other)) {
    return {};
  }
  const auto cache = reader.choice(5, kLoadCaches);
  const auto eviction = reader.choice(6, kEvictions);
  const auto is_volatile = reader.flag(7);
  if (!cache || !eviction || !is_volatile || !broadcast_load(sema, reader, operands)) {
    return {};
  }
  if (!operands.mask) {
    operands.other.reset();
  }
  return Value{emit_load(sema, operands,
                         {{"cache", *cache}, {"eviction", *eviction}, {"volatile", *is_volatile}})};
}

MaybeValue store(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor pointer = pointer_argument(sema, reader);
  if (!pointer || !check_writable(sema, reader, *pointer) || !check_no_boundary(sema, reader, 3)) {
    return {};
  }
  MaybeTensor mask;
  MaybeTensor value = stored_value(sema, reader, *pointer);
  const auto cache = reader.choice(4, kStoreCaches);
  const auto eviction = reader.choice(5, kEvictions);
  if (!value || !cache || !eviction || !read_mask(sema, reader, *pointer, 2, mask)) {
    return {};
  }
  value = to_pointer_shape(sema, reader, *pointer, *value, 1);
  if (value && mask) {
    mask = to_pointer_shape(sema, reader, *pointer, *mask, 2);
    if (!mask) {
      return {};
    }
  }
  if (!value) {
    return {};
  }
  InstSpec spec;
  spec.groups = {{pointer->id}, {value->id}, {}};
  if (mask) {
    spec.groups[2].push_back(mask->id);
  }
  spec.attrs = {{"cache", *cache}, {"eviction", *eviction}};
  sema.builder().create(Op::Store, std::move(spec));
  return Value{NoneValue()};
}

MaybeValue debug_barrier(Sema& sema, const BoundArguments& /*arguments*/) {
  sema.builder().create(Op::DebugBarrier, InstSpec());
  return Value{NoneValue()};
}

}  // namespace builtins
}  // namespace tilery::sema
