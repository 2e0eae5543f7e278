// Reading a ring piece by piece. Private to codegen; includes LLVM.
#pragma once

#include "codegen/emit.h"
#include "codegen/ring_layout.h"

#include <memory>

namespace tilery::codegen {

/// The registers of a ring_read, loaded when they are first asked for: a product then holds the
/// fragments of one step of k at a time and not of all.
class RingReader {
 public:
  /// The slot's address is computed here, the loads are emitted where `at` is called.
  RingReader(EmitContext& context, InstId ring_read);
  ~RingReader();
  RingReader(RingReader&&) noexcept;

  [[nodiscard]] llvm::Value* at(int reg);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The ring_read that a dot's operand comes from, itself or transposed, if nothing else uses it:
/// then the dot reads it and ring_read (and trans) emit nothing. None otherwise.
[[nodiscard]] InstId deferred_read(EmitContext& context, ValueId value);

}  // namespace tilery::codegen
