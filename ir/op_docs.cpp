#include "ir/op_docs.h"

#include "ir/op_table.h"

#include <fmt/format.h>

namespace tilery {
namespace {

constexpr std::string_view kIntroduction = R"(## Ops of the typed block IR

A signature reads `(operands) {regions} #attributes -> results`.

| written | means |
|---|---|
| `x: T[S...]` | a tile of element type `T` with any extents `S`; the same letter stands for the same type or extents everywhere in a row |
| `x?:`, `x*:` | an optional operand; a pack, which is any number of operands, and whose letters stand for something else in each |
| `T`, `A` | any element type |
| `N`, `I`, `F`, `P` | a number; an integer, `i1` included; a float (`f16`, `bf16`, `f32`, `f64`); a pointer |
| `*T`, `{i32,u32}` | a pointer to `T`; one of these types, the same everywhere in a row |
| `[M,K]`, `[]` | exactly these extents; a scalar |
| `{body: (I[]) -> T[S...]*}` | a region, with the arguments it gets and the values it yields |
| `#name:type=default` | a compile-time attribute |
)";

std::string_view family_title(OpFamily family) {
  switch (family) {
    case OpFamily::Program:
      return "Program and constants";
    case OpFamily::Shape:
      return "Shape";
    case OpFamily::Map:
      return "Element by element";
    case OpFamily::Memory:
      return "Memory";
    case OpFamily::Reduce:
      return "Reductions and scans";
    case OpFamily::Dot:
      return "Matrix product";
    case OpFamily::Control:
      return "Control flow";
    case OpFamily::Shared:
      return "Pipelined loops";
    case OpFamily::Debug:
      return "Hints and debugging";
  }
  return {};
}

std::string_view effects_phrase(OpEffects effects) {
  switch (effects) {
    case OpEffects::Pure:
      return "none";
    case OpEffects::Reads:
      return "reads memory";
    case OpEffects::Writes:
      return "writes memory";
    case OpEffects::ReadsWrites:
      return "reads and writes memory";
    case OpEffects::Regions:
      return "those of its regions";
    case OpEffects::Observes:
      return "is kept, in order";
    case OpEffects::Control:
      return "ends a region";
  }
  return {};
}

}  // namespace

std::string markdown_cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    escaped += c == '|' ? "\\|" : std::string(1, c);
  }
  return escaped;
}

std::string op_docs_markdown() {
  std::string page(kIntroduction);
  for (int i = 0; i <= static_cast<int>(OpFamily::Debug); ++i) {
    const auto family = static_cast<OpFamily>(i);
    page += fmt::format("\n### {}\n\n| op | signature | effects | computes |\n|---|---|---|---|\n",
                        family_title(family));
    for (const OpDef& def : all_ops()) {
      if (def.family == family) {
        page += fmt::format("| `{}` | `{}` | {} | {} |\n", def.id, markdown_cell(def.signature),
                            effects_phrase(def.effects), markdown_cell(def.summary));
      }
    }
  }
  return page;
}

}  // namespace tilery
