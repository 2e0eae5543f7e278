// Definitions of the Builder's member templates, for its own .cpp files only.
#pragma once

#include "frontend/grammar/builder.h"

#include <utility>

namespace tilery::grammar {

template <class T>
ast::ExprId Builder::add(T node, std::uint32_t begin, std::uint32_t end,
                         std::uint32_t child_depth) {
  const ast::ExprId id{static_cast<std::uint32_t>(module_.exprs.size())};
  module_.exprs.push_back({{file_, begin, end}, std::move(node)});
  expr_depth_.push_back(checked_depth(child_depth, begin));
  return id;
}

template <class T>
void Builder::push(T node, std::uint32_t begin, std::uint32_t end, std::uint32_t child_depth) {
  operands_.push_back({add(std::move(node), begin, end, child_depth), begin, end});
}

}  // namespace tilery::grammar
