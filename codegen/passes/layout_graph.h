// Who must agree with whom about layouts.
//
// A *node* is what has one layout: a tile value, or an instruction that takes all its tiles in one
// layout (a store, a reduction). A carried value of a loop, its argument and its result are one
// node. An *edge* leads from the node of a value to the node that uses it and says which layout
// the user wants the value in:
//
//     %m = reduce %x axis=1            x ──same──> reduce ──slice──> m
//     %e = expand_dims %m axis=1       m ──expand──> e          (m wanted in the slice of e)
//     %b = broadcast %e                e ──broadcast──> b
//     %y = sub %x, %b                  x ──same──> y,  b ──same──> y
//
// Values that are cheap to make again (arange, splat, constants, index arithmetic, masks, made of
// nothing but such) have no node: every user gets its own copy in its own layout. They are most of
// what a kernel's addresses and masks consist of. Scalars are in every thread and have no node
// either; nor do rings (ring_layout.h), which are in shared memory: what is read of them may have
// any layout, and what is put into them.
#pragma once

#include "codegen/target.h"
#include "ir/function.h"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tilery::codegen {

/// How the layout of a user's node gives that of the value it uses.
enum class Relation : std::uint8_t {
  Same,
  Expand,     ///< the user is expand_dims
  Broadcast,  ///< the user is broadcast
  Trans,      ///< the user is trans
  Reshape,    ///< the user is reshape
  Slice,      ///< the "user" is the result of the reduction that is the other node: never converted
};

struct LayoutEdge {
  int from = -1;  ///< node of the value
  int to = -1;    ///< node of the user
  Relation relation = Relation::Same;
  InstId user;             ///< has the axis or order of the relation
  int element_bytes = 4;   ///< of the value
  std::int64_t times = 1;  ///< how often the value is made, for a guess of 8 iterations a loop
  std::int64_t bytes = 0;  ///< that a conversion would move, all iterations together
};

struct LayoutNode {
  Shape shape;
  std::int64_t times = 1;
  /// The load or store whose addresses, mask and value have this layout.
  InstId access;
  /// The result of a reduction: its layout follows from the operand's and from nothing else.
  bool is_result_of_reduction = false;
  std::vector<int> edges;
};

/// The nodes and edges of one function; a snapshot.
class LayoutGraph {
 public:
  std::vector<LayoutNode> nodes;
  std::vector<LayoutEdge> edges;
  /// In program order.
  std::vector<InstId> dots;

  /// The node of a value; -1 for scalars and for what is cheap to make again.
  [[nodiscard]] int node_of(ValueId value) const {
    return value.index < value_nodes_.size() ? value_nodes_[value.index] : -1;
  }

  /// Whether threads hold the elements of this value: it is neither a scalar nor a ring.
  [[nodiscard]] bool is_tile(const Function& function, ValueId value) const {
    const bool is_ring = value.index < is_ring_.size() && is_ring_[value.index];
    return !is_ring && !function.type(value).is_scalar();
  }

  /// The node of a store, reduction, scan or assertion; -1 for others.
  [[nodiscard]] int node_of(InstId inst) const;
  /// The node that stands for operand 0 or 1 of a dot on tensor cores; -1 if it is cheap.
  [[nodiscard]] int node_of_dot_operand(InstId dot, int operand) const;

 private:
  friend class LayoutGraphBuilder;
  std::vector<int> value_nodes_;
  std::vector<bool> is_ring_;
  std::unordered_map<std::uint32_t, int> inst_nodes_;
  std::unordered_map<std::uint32_t, std::array<int, 2>> dot_operand_nodes_;
};

[[nodiscard]] LayoutGraph build_layout_graph(const Function& function, const Target& target);

/// The relation between an instruction and its operands.
[[nodiscard]] Relation relation_of(Op op);

}  // namespace tilery::codegen
