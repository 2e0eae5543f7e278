#include "frontend/sema/scope.h"

#include <algorithm>

namespace tilery::sema {

const Variable* Scope::find(std::string_view name) const {
  const auto found = std::ranges::find(variables_, name, &Variable::name);
  return found != variables_.end() ? &*found : nullptr;
}

Variable* Scope::find(std::string_view name) {
  const auto found = std::ranges::find(variables_, name, &Variable::name);
  return found != variables_.end() ? &*found : nullptr;
}

Variable& Scope::add(std::string_view name) {
  Variable* known = find(name);
  if (known != nullptr) {
    return *known;
  }
  variables_.push_back({});
  variables_.back().name = name;
  return variables_.back();
}

void Scope::remove(std::string_view name) {
  std::erase_if(variables_, [name](const Variable& variable) { return variable.name == name; });
}

Reach reach(const Exits& exits) {
  Reach result = Reach::Always;
  for (const Value* flag : {&exits.returned, &exits.broke, &exits.continued}) {
    const bool* known = flag->as<bool>();
    if (known != nullptr && *known) {
      return Reach::Never;
    }
    if (known == nullptr) {
      result = Reach::Sometimes;
    }
  }
  return result;
}

}  // namespace tilery::sema
