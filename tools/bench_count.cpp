// What `tilery bench` varies and counts.
#include "tools/bench.h"
#include "tools/value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tilery::tools {

namespace {

constexpr std::size_t kMostChoices = 256;
constexpr std::array<std::string_view, 6> kWarpCounts = {"1", "2", "4", "8", "16", "32"};

Error wrong(std::string message) {
  return {ErrorKind::Usage, std::move(message), {}};
}

/// Sets or adds the argument, and its number for expressions.
void set_argument(CallArguments& arguments, const std::string& name, const Argument& value) {
  if (const std::optional<std::int64_t> number = expression_number(value)) {
    arguments.numbers.insert_or_assign(name, *number);
  } else {
    arguments.numbers.erase(name);
  }
  for (NamedArgument& argument : arguments.arguments) {
    if (argument.name == name) {
      argument.value = value;
      return;
    }
  }
  arguments.arguments.emplace_back(name, value);
}

/// Adds a role of an array to the sum, unless it was counted under another name.
class ByteCounter {
 public:
  explicit ByteCounter(const CallArguments& arguments) : arguments_(arguments) {}

  void add(const ExplainedArgument& argument) {
    const auto array = arguments_.arrays.find(argument.name);
    if (array == arguments_.arrays.end() || (!argument.is_read && !argument.is_written)) {
      return;
    }
    const bool is_new_read = argument.is_read && is_new(read_, array->second);
    const bool is_new_write = argument.is_written && is_new(written_, array->second);
    const auto bytes = static_cast<std::int64_t>(array->second.bytes());
    counted_.bytes += bytes * (static_cast<int>(is_new_read) + static_cast<int>(is_new_write));
    if (is_new_read || is_new_write) {
      parts_.push_back(fmt::format("{} {}", argument.name,
                                   !is_new_write  ? "read"
                                   : !is_new_read ? "written"
                                                  : "read and written"));
    }
  }

  CountedBytes finish() {
    counted_.how = parts_.empty()
                       ? "the kernel touches no array"
                       : fmt::format("{}: each array once and whole", fmt::join(parts_, ", "));
    return std::move(counted_);
  }

 private:
  static bool is_new(std::vector<Buffer>& seen, const Buffer& buffer) {
    if (std::ranges::find(seen, buffer) != seen.end()) {
      return false;
    }
    seen.push_back(buffer);
    return true;
  }

  const CallArguments& arguments_;
  std::vector<Buffer> read_;
  std::vector<Buffer> written_;
  std::vector<std::string> parts_;
  CountedBytes counted_;
};

}  // namespace

Result<SweptValues> take_sweeps(const BenchRequest& request) {
  SweptValues swept;
  std::vector<std::string> values = request.call.values;
  if (!request.warps.empty()) {
    for (const std::string& word : split_top_level(request.warps)) {
      if (std::ranges::find(kWarpCounts, word) == kWarpCounts.end()) {
        return wrong(fmt::format("--warps {}: `{}` is no number of warps; write a list of {}",
                                 request.warps, word, fmt::join(kWarpCounts, ", ")));
      }
    }
    values.push_back("num_warps=" + request.warps);
  }
  std::size_t choices = 1;
  for (const std::string& text : values) {
    const Result<std::pair<std::string, std::string>> pair = split_pair(text);
    if (!pair) {
      return pair.error();
    }
    std::vector<std::string> parts = split_top_level(pair->second);
    if (parts.size() < 2) {
      swept.values.push_back(text);
      continue;
    }
    swept.values.push_back(pair->first + "=" + parts.front());
    choices *= parts.size();
    if (choices > kMostChoices) {
      return wrong(
          fmt::format("the lists make more than {} combinations; shorten them", kMostChoices));
    }
    swept.sweeps.push_back({pair->first, std::move(parts)});
  }
  return swept;
}

std::vector<Choice> choices_of(const std::vector<Sweep>& sweeps) {
  std::vector<Choice> choices{{}};
  for (const Sweep& sweep : sweeps) {
    std::vector<Choice> longer;
    for (const Choice& choice : choices) {
      for (const std::string& value : sweep.values) {
        longer.push_back(choice);
        longer.back().emplace_back(sweep.name, value);
      }
    }
    choices = std::move(longer);
  }
  return choices;
}

Result<CallArguments> with_choice(const CallArguments& arguments, const Choice& choice) {
  CallArguments changed = arguments;
  for (const auto& [name, text] : choice) {
    const Result<Value> value = parse_value(text);
    if (!value) {
      return wrong(fmt::format("argument `{}`: {}", name, value.error().message));
    }
    if (const auto* plain = std::get_if<Argument>(&value->data)) {
      set_argument(changed, name, *plain);
    } else if (const auto* word = std::get_if<NameValue>(&value->data);
               word != nullptr && !word->has_offset) {
      // Launch options take words, `math=fast,reproducible`.
      set_argument(changed, name, Argument(word->name));
    } else {
      return wrong(fmt::format(
          "argument `{}`: a list holds numbers, types and words, and `{}` is none", name, text));
    }
  }
  return changed;
}

CountedBytes count_bytes(const KernelExplanation& explanation, const CallArguments& arguments) {
  ByteCounter counter(arguments);
  for (const ExplainedArgument& argument : explanation.arguments) {
    counter.add(argument);
  }
  return counter.finish();
}

}  // namespace tilery::tools
