// addptr, load, store, debug_barrier.
//
// A thread moves as many elements at once as addresses, mask and layout allow, up to 16 bytes. An
// access without mask and hints is LLVM's own; the others are inline assembly with a predicate,
// which unlike `llvm.masked.load` makes no branch. A lane that is off keeps `other`: the outputs of
// the assembly are tied to it.
#include "codegen/access_plan.h"
#include "codegen/emit.h"
#include "codegen/emit_access.h"
#include "codegen/emit_cells.h"
#include "ir/attributes.h"
#include "ir/operands.h"

#include <fmt/format.h>
#include <llvm/IR/InlineAsm.h>

#include <algorithm>

namespace tilery::codegen {
namespace {

/// How one access is cut into pieces.
struct Access {
  ElementType element;  ///< of the elements in memory
  int elements = 1;     ///< consecutive registers that move at once
  llvm::Value* owner =
      nullptr;  ///< stores: only this thread of those that hold the same elements; null for all
  std::string modifiers;  ///< ".volatile", ".cg", ".L1::evict_first"; empty for an ordinary access
};

/// The qualifier of an access's hints. A cache operator and an eviction priority exclude each other
/// in PTX; the operator wins.
std::string hint_text(const std::string& cache, const std::string& eviction) {
  if (!cache.empty()) {
    return cache.starts_with('.') ? cache : "." + cache;
  }
  return eviction.empty() ? "" : ".L1::" + eviction;
}

// ---- words: a piece as 16-, 32- or 64-bit numbers, which is what PTX moves ----

struct WordKind {
  int bits = 32;
  int count = 1;
  char constraint = 'r';
};

WordKind word_kind(int piece_bits, int element_bits) {
  if (piece_bits <= 16) {
    return {16, 1, 'h'};
  }
  if (element_bits == 64) {
    return {64, piece_bits / 64, 'l'};
  }
  return {32, piece_bits / 32, 'r'};
}

/// The element in a memory cell. A bool there is true for any byte but 0, unlike what to_cell makes
/// of one.
llvm::Value* element_of_cell(EmitContext& context, llvm::Value* cell, ElementType element) {
  auto& builder = context.builder();
  llvm::Type* const type = context.llvm_type(element);
  if (type->isPointerTy()) {
    return builder.CreateIntToPtr(cell, type);
  }
  return element.is(Scalar::I1) ? builder.CreateIsNotNull(cell) : builder.CreateBitCast(cell, type);
}

Registers pack_words(EmitContext& context, std::span<llvm::Value* const> values,
                     ElementType element) {
  auto& builder = context.builder();
  const int element_bits = element.byte_size() * 8;
  const WordKind kind = word_kind(element_bits * static_cast<int>(values.size()), element_bits);
  llvm::Type* const word_type = builder.getIntNTy(static_cast<unsigned>(kind.bits));
  Registers words;
  if (element_bits >= kind.bits || values.size() == 1) {
    for (llvm::Value* value : values) {
      words.push_back(builder.CreateZExt(to_cell(builder, value), word_type));
    }
    return words;
  }
  const auto per_word = static_cast<std::size_t>(kind.bits / element_bits);
  for (std::size_t first = 0; first < values.size(); first += per_word) {
    words.push_back(packed(builder, values.subspan(first, per_word)));
  }
  return words;
}

Registers unpack_words(EmitContext& context, std::span<llvm::Value* const> words,
                       ElementType element, int count) {
  auto& builder = context.builder();
  const int element_bits = element.byte_size() * 8;
  llvm::Type* const cell = builder.getIntNTy(static_cast<unsigned>(element_bits));
  Registers values;
  for (llvm::Value* word : words) {
    const int word_bits = static_cast<int>(word->getType()->getIntegerBitWidth());
    if (word_bits == element_bits || count == 1) {
      values.push_back(element_of_cell(context, builder.CreateTrunc(word, cell), element));
      continue;
    }
    for (int shift = 0; shift < word_bits; shift += element_bits) {
      llvm::Value* const shifted = builder.CreateLShr(word, static_cast<std::uint64_t>(shift));
      values.push_back(element_of_cell(context, builder.CreateTrunc(shifted, cell), element));
    }
  }
  return values;
}

/// "ld.global.cg.v4.b32" without what comes before the width.
std::string width_text(const WordKind& kind, int piece_bits) {
  const std::string vector = kind.count == 1 ? "" : fmt::format(".v{}", kind.count);
  return fmt::format("{}.b{}", vector, std::min(piece_bits, kind.bits));
}

std::string register_list(int count, int first) {
  std::string list;
  for (int i = 0; i < count; ++i) {
    list += fmt::format("{}${}", i == 0 ? "" : ", ", first + i);
  }
  return count == 1 ? list : "{" + list + "}";
}

// ---- load ----

Registers load_plain(EmitContext& context, const Access& access, llvm::Value* pointer,
                     bool is_volatile) {
  auto& builder = context.builder();
  llvm::Type* const cell = builder.getIntNTy(static_cast<unsigned>(access.element.byte_size()) * 8);
  const llvm::Align align(static_cast<std::uint64_t>(access.element.byte_size() * access.elements));
  if (access.elements == 1) {
    return {element_of_cell(context, builder.CreateAlignedLoad(cell, pointer, align, is_volatile),
                            access.element)};
  }
  auto* const type = llvm::FixedVectorType::get(cell, static_cast<unsigned>(access.elements));
  llvm::Value* const loaded = builder.CreateAlignedLoad(type, pointer, align, is_volatile);
  Registers values;
  for (int i = 0; i < access.elements; ++i) {
    values.push_back(element_of_cell(
        context, builder.CreateExtractElement(loaded, static_cast<std::uint64_t>(i)),
        access.element));
  }
  return values;
}

/// `predicate` may be null.
Registers load_assembly(EmitContext& context, const Access& access, llvm::Value* pointer,
                        llvm::Value* predicate, std::span<llvm::Value* const> other) {
  auto& builder = context.builder();
  const int element_bits = access.element.byte_size() * 8;
  const int piece_bits = element_bits * access.elements;
  const WordKind kind = word_kind(piece_bits, element_bits);
  const Registers defaults = pack_words(context, other, access.element);
  std::vector<llvm::Value*> operands(defaults.begin(), defaults.end());
  operands.push_back(pointer);
  std::string constraints;
  for (int i = 0; i < kind.count; ++i) {
    constraints += fmt::format("={},", kind.constraint);
  }
  for (int i = 0; i < kind.count; ++i) {
    constraints += fmt::format("{},", i);
  }
  constraints += "l";
  std::string guard;
  if (predicate != nullptr) {
    operands.push_back(predicate);
    constraints += ",b";
    guard = fmt::format("@${} ", 2 * kind.count + 1);
  }
  const std::string text =
      fmt::format("{}ld{}{}{} {}, [${}];", guard,
                  access.modifiers == ".volatile" ? ".volatile.global" : ".global",
                  access.modifiers == ".volatile" ? "" : access.modifiers,
                  width_text(kind, piece_bits), register_list(kind.count, 0), 2 * kind.count);
  std::vector<llvm::Type*> types;
  for (llvm::Value* operand : operands) {
    types.push_back(operand->getType());
  }
  llvm::Type* const word = builder.getIntNTy(static_cast<unsigned>(kind.bits));
  llvm::Type* const result_type =
      kind.count == 1
          ? word
          : llvm::StructType::get(context.llvm(), std::vector<llvm::Type*>(
                                                      static_cast<std::size_t>(kind.count), word));
  auto* const assembly = llvm::InlineAsm::get(llvm::FunctionType::get(result_type, types, false),
                                              text, constraints + ",~{memory}", true);
  llvm::Value* const result = builder.CreateCall(assembly, operands);
  Registers words;
  for (int i = 0; i < kind.count; ++i) {
    words.push_back(kind.count == 1 ? result
                                    : builder.CreateExtractValue(result, static_cast<unsigned>(i)));
  }
  return unpack_words(context, words, access.element, access.elements);
}

// ---- store ----

void store_plain(EmitContext& context, const Access& access, llvm::Value* pointer,
                 std::span<llvm::Value* const> values) {
  auto& builder = context.builder();
  const llvm::Align align(static_cast<std::uint64_t>(access.element.byte_size() * access.elements));
  builder.CreateAlignedStore(packed_vector(builder, values), pointer, align);
}

void store_assembly(EmitContext& context, const Access& access, llvm::Value* pointer,
                    llvm::Value* predicate, std::span<llvm::Value* const> values) {
  auto& builder = context.builder();
  const int element_bits = access.element.byte_size() * 8;
  const int piece_bits = element_bits * access.elements;
  const WordKind kind = word_kind(piece_bits, element_bits);
  std::vector<llvm::Value*> operands = pack_words(context, values, access.element);
  operands.push_back(pointer);
  std::string constraints;
  for (int i = 0; i < kind.count; ++i) {
    constraints += fmt::format("{},", kind.constraint);
  }
  constraints += "l";
  std::string guard;
  if (predicate != nullptr) {
    operands.push_back(predicate);
    constraints += ",b";
    guard = fmt::format("@${} ", kind.count + 1);
  }
  const std::string text =
      fmt::format("{}st.global{}{} [${}], {};", guard, access.modifiers,
                  width_text(kind, piece_bits), kind.count, register_list(kind.count, 0));
  std::vector<llvm::Type*> types;
  for (llvm::Value* operand : operands) {
    types.push_back(operand->getType());
  }
  auto* const assembly =
      llvm::InlineAsm::get(llvm::FunctionType::get(builder.getVoidTy(), types, false), text,
                           constraints + ",~{memory}", true);
  builder.CreateCall(assembly, operands);
}

bool is_constant(const llvm::Value* value, bool truth) {
  const auto* constant = llvm::dyn_cast_or_null<llvm::ConstantInt>(value);
  return constant != nullptr && constant->isOne() == truth;
}

/// Mask and owner together; null if both let every lane through.
llvm::Value* store_predicate(EmitContext& context, llvm::Value* mask, llvm::Value* owner) {
  if (mask == nullptr || is_constant(mask, true)) {
    return owner;
  }
  return owner == nullptr ? mask : context.builder().CreateAnd(mask, owner);
}

/// True if lanes that are off read 0.
bool reads_zeros(EmitContext& context, ValueId other) {
  return !other || context.function().constant_bits(other) == std::uint64_t{0};
}

}  // namespace

int access_width(EmitContext& context, InstId id, const Layout& layout, ElementType element) {
  return plan_access(context.axes(), context.function(), id, layout, element).elements;
}

bool is_async_load(EmitContext& context, InstId id) {
  const Inst& load = context.inst(id);
  const auto uses = context.uses().of(load.result());
  if (uses.size() != 1 || context.inst(uses[0].user).op != Op::RingInsert ||
      !reads_zeros(context, operand<"other">(load)) || bool_attr<"volatile">(load)) {
    return false;
  }
  const ElementType element = context.type(load.result()).element;
  const int bytes =
      access_width(context, id, context.layout(load.result()), element) * element.byte_size();
  return !element.is(Scalar::I1) && bytes >= 4;
}

void emit_addptr(EmitContext& context, InstId id) {
  const Inst& inst = context.inst(id);
  auto& builder = context.builder();
  const Registers& pointers = context.registers(operand<"ptr">(inst));
  const Registers& offsets = context.registers(operand<"offset">(inst));
  const ElementType pointee = context.type(operand<"ptr">(inst)).element.pointee();
  const bool is_signed = is_signed_integer(context.type(operand<"offset">(inst)).element.scalar);
  llvm::Type* const cell = builder.getIntNTy(static_cast<unsigned>(pointee.byte_size()) * 8);
  Registers result;
  for (std::size_t reg = 0; reg < pointers.size(); ++reg) {
    llvm::Value* const offset =
        builder.CreateIntCast(offsets[reg], builder.getInt64Ty(), is_signed);
    result.push_back(builder.CreateGEP(cell, pointers[reg], offset));
  }
  context.set(inst.result(), std::move(result));
}

void emit_load(EmitContext& context, InstId id) {
  if (is_async_load(context, id)) {
    return;
  }
  const Inst& inst = context.inst(id);
  const ValueId mask = operand<"mask">(inst);
  const ValueId other = operand<"other">(inst);
  const Layout& layout = context.layout(inst.result());
  const bool is_volatile = bool_attr<"volatile">(inst);
  Access access;
  access.element = context.type(inst.result()).element;
  access.elements = access_width(context, id, layout, access.element);
  access.modifiers = is_volatile
                         ? ".volatile"
                         : hint_text(string_attr<"cache">(inst), string_attr<"eviction">(inst));
  const Registers pointers = context.registers(operand<"ptr">(inst));
  const Registers masks = mask ? context.registers(mask) : Registers{};
  llvm::Constant* const zero = context.constant(access.element, 0);
  const Registers others = other ? context.registers(other) : Registers(pointers.size(), zero);
  Registers result;
  const auto step = static_cast<std::size_t>(access.elements);
  for (std::size_t reg = 0; reg < pointers.size(); reg += step) {
    llvm::Value* const predicate =
        masks.empty() || is_constant(masks[reg], true) ? nullptr : masks[reg];
    const auto defaults = std::span(others).subspan(reg, step);
    Registers piece;
    if (is_constant(predicate, false)) {
      piece.assign(defaults.begin(), defaults.end());
    } else if (predicate == nullptr && (access.modifiers.empty() || is_volatile)) {
      piece = load_plain(context, access, pointers[reg], is_volatile);
    } else {
      piece = load_assembly(context, access, pointers[reg], predicate, defaults);
    }
    result.insert(result.end(), piece.begin(), piece.end());
  }
  context.set(inst.result(), std::move(result));
}

void emit_store(EmitContext& context, InstId id) {
  const Inst& inst = context.inst(id);
  const ValueId mask = operand<"mask">(inst);
  const Layout& layout = context.layout(operand<"value">(inst));
  Access access;
  access.element = context.type(operand<"value">(inst)).element;
  access.elements = access_width(context, id, layout, access.element);
  access.owner = context.owner_predicate(layout);
  access.modifiers = hint_text(string_attr<"cache">(inst), string_attr<"eviction">(inst));
  const Registers pointers = context.registers(operand<"ptr">(inst));
  const Registers values = context.registers(operand<"value">(inst));
  const Registers masks = mask ? context.registers(mask) : Registers{};
  const auto step = static_cast<std::size_t>(access.elements);
  for (std::size_t reg = 0; reg < pointers.size(); reg += step) {
    llvm::Value* const predicate =
        store_predicate(context, masks.empty() ? nullptr : masks[reg], access.owner);
    if (is_constant(predicate, false)) {
      continue;
    }
    const auto piece = std::span(values).subspan(reg, step);
    if (predicate == nullptr && access.modifiers.empty()) {
      store_plain(context, access, pointers[reg], piece);
    } else {
      store_assembly(context, access, pointers[reg], predicate, piece);
    }
  }
}

void emit_debug_barrier(EmitContext& context, InstId id) {
  (void)id;
  context.barrier();
}

}  // namespace tilery::codegen
