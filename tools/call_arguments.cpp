// Reading NAME=VALUE texts: what stands behind read_arguments.
#include "tilery/npy.h"
#include "tools/call.h"
#include "tools/fill.h"
#include "tools/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tilery::tools {

namespace {

Error wrong(std::string message) {
  return {ErrorKind::Usage, std::move(message), {}};
}

/// Turns parsed values into arguments. Arrays come into being in this order, so that each may use
/// what the earlier ones fix: files, fills, copies of shapes, views and tuples.
class ArgumentReader {
 public:
  ArgumentReader(const CallRequest& request, const Library& library, const Kernel& kernel)
      : request_(request), library_(library), kernel_(kernel) {}

  Result<CallArguments> read() {
    std::vector<Error> mistakes;
    for (const std::string& text : request_.values) {
      if (std::optional<Error> error = parse(text)) {
        mistakes.push_back(*std::move(error));
      }
    }
    if (!mistakes.empty()) {
      return together(mistakes);
    }
    collect_numbers();
    for (const auto step :
         {&ArgumentReader::load_file, &ArgumentReader::fill, &ArgumentReader::copy_shape}) {
      for (Entry& entry : entries_) {
        if (std::optional<Error> error = (this->*step)(entry)) {
          return in_value(entry, *error);
        }
      }
    }
    for (Entry& entry : entries_) {
      Result<Argument> argument = finish(entry.value, entry);
      if (!argument) {
        return in_value(entry, argument.error());
      }
      result_.arguments.emplace_back(entry.name, *std::move(argument));
    }
    return std::move(result_);
  }

 private:
  struct Entry {
    std::string name;
    std::string text;
    Value value;
  };

  static Error in_value(const Entry& entry, const Error& error) {
    return {error.kind, fmt::format("argument `{}`: {}", entry.name, error.message), {}};
  }

  std::optional<Error> parse(const std::string& text) {
    Result<std::pair<std::string, std::string>> pair = split_pair(text);
    if (!pair) {
      return pair.error();
    }
    Result<std::optional<Argument>> of_type = argument_of_type(pair->first, pair->second);
    if (!of_type) {
      return wrong(fmt::format("argument `{}`: {}", pair->first, of_type.error().message));
    }
    if (*of_type) {
      entries_.push_back({pair->first, pair->second, Value{**std::move(of_type)}});
      return std::nullopt;
    }
    Result<Value> value = parse_value(pair->second);
    if (!value) {
      return Error{ErrorKind::Usage,
                   fmt::format("argument `{}`: {}", pair->first, value.error().message),
                   {}};
    }
    entries_.push_back({pair->first, pair->second, *std::move(value)});
    return std::nullopt;
  }

  /// A value that stands for all of its type: `*f32` for any pointer, `*f32:16` for those aligned
  /// to 16 bytes, `i32` for any number. Nothing if the text is none or the parameter is
  /// compile-time.
  Result<std::optional<Argument>> argument_of_type(std::string_view name,
                                                   std::string_view text) const {
    if (!request_.allows_types) {
      return std::optional<Argument>();
    }
    if (text.starts_with('*')) {
      return is_constexpr(name)
                 ? wrong(fmt::format("`{}` is a type, but a compile-time parameter needs a value",
                                     text))
                 : pointer_of_type(text);
    }
    const std::optional<DType> dtype = dtype_named(text);
    if (!dtype || !is_parameter(name) || is_constexpr(name)) {
      return std::optional<Argument>();
    }
    // Neither 1 nor a multiple of 16.
    TypedScalar scalar{*dtype, 0};
    store_integer(*dtype, &scalar.bits, *dtype == DType::I1 ? 0 : 7);
    return std::optional(Argument(scalar));
  }

  /// `*f32` or `*f32:16`.
  static Result<std::optional<Argument>> pointer_of_type(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view element =
        text.substr(1, colon == std::string_view::npos ? colon : colon - 1);
    const std::optional<DType> dtype = dtype_named(element);
    if (!dtype) {
      return wrong(fmt::format("`{}`: {}", text, no_element_type(element)));
    }
    const std::string_view alignment =
        colon == std::string_view::npos ? std::string_view() : text.substr(colon);
    if (!alignment.empty() && alignment != ":16") {
      return wrong(
          fmt::format("`{}`: after a pointer's type only `:16` can stand, for one aligned to 16 "
                      "bytes; write *{} or *{}:16",
                      text, element, element));
    }
    const Result<Buffer> buffer = Buffer::zeros(*dtype, {2});
    if (!buffer) {
      return buffer.error();
    }
    return std::optional(Argument::pointer(*buffer, alignment.empty() ? 1 : 0));
  }

  bool is_constexpr(std::string_view name) const {
    const std::vector<Parameter>& parameters = kernel_.parameters();
    return std::ranges::any_of(
        parameters, [&](const Parameter& p) { return p.name == name && p.is_constexpr; });
  }

  void add_number(const std::string& name, const Argument& value) {
    if (const std::optional<std::int64_t> number = expression_number(value)) {
      result_.numbers.insert_or_assign(name, *number);
    }
  }

  /// Numbers that expressions can see: those given, and defaults of the kernel's parameters.
  void collect_numbers() {
    for (const Parameter& parameter : kernel_.parameters()) {
      if (parameter.has_default) {
        const Result<Value> value = parse_value(parameter.default_text);
        if (value && std::holds_alternative<Argument>(value->data)) {
          add_number(parameter.name, std::get<Argument>(value->data));
        }
      }
    }
    for (const Entry& entry : entries_) {
      const auto* constant = std::get_if<Argument>(&entry.value.data);
      if (constant != nullptr && !dtype_named(entry.text)) {
        add_number(entry.name, *constant);
      }
    }
  }

  void add_array(const Entry& entry, const Buffer& buffer) {
    result_.arrays.insert_or_assign(entry.name, buffer);
  }

  std::optional<Error> load_file(Entry& entry) {
    if (const auto* file = std::get_if<FileValue>(&entry.value.data)) {
      const Result<Buffer> buffer = load_npy(file->path, file->as);
      if (!buffer) {
        return buffer.error();
      }
      add_array(entry, *buffer);
    }
    return std::nullopt;
  }

  std::optional<Error> fill(Entry& entry) {
    const auto* fill = std::get_if<FillValue>(&entry.value.data);
    if (fill == nullptr) {
      return std::nullopt;
    }
    Extents shape;
    for (const std::string& extent : fill->extents) {
      const Result<std::int64_t> value = evaluate(extent, result_.names());
      if (!value) {
        return value.error();
      }
      shape.push_back(*value);
    }
    const Result<Buffer> buffer = make_array(*fill, shape, request_.seed, entry.name);
    if (!buffer) {
      return buffer.error();
    }
    add_array(entry, *buffer);
    return std::nullopt;
  }

  /// The array that an argument is, or that its `like(x)` or `x` leads to in the end.
  auto array_behind(std::string_view name) const
      -> decltype(CallArguments::arrays)::const_iterator {
    auto found = result_.arrays.find(name);
    // Each entry is passed once at most, or they lead round in a circle.
    for (std::size_t i = 0; i < entries_.size() && found == result_.arrays.end(); ++i) {
      const auto entry = std::ranges::find(entries_, name, &Entry::name);
      if (entry == entries_.end()) {
        break;
      }
      if (const auto* like = std::get_if<LikeValue>(&entry->value.data)) {
        name = like->name;
      } else if (const auto* other = std::get_if<NameValue>(&entry->value.data)) {
        name = other->name;
      }
      found = result_.arrays.find(name);
    }
    return found;
  }

  /// The argument that this one is like, or a view of; nothing if it stands by itself.
  std::optional<std::string_view> source_of(std::string_view name) const {
    const auto entry = std::ranges::find(entries_, name, &Entry::name);
    if (entry == entries_.end()) {
      return std::nullopt;
    }
    if (const auto* like = std::get_if<LikeValue>(&entry->value.data)) {
      return like->name;
    }
    const auto* other = std::get_if<NameValue>(&entry->value.data);
    return other != nullptr ? std::optional<std::string_view>(other->name) : std::nullopt;
  }

  /// True if what the arguments are like leads round without end.
  bool is_circle(std::string_view name) const {
    std::optional<std::string_view> at = name;
    for (std::size_t i = 0; i < entries_.size() && at; ++i) {
      at = source_of(*at);
    }
    return at && source_of(*at);
  }

  static Error circular(std::string_view text) {
    return wrong(
        fmt::format("`{}` leads back to itself: the arguments refer to one another in a circle; "
                    "give one of them an array, such as zeros:f32[8]",
                    text));
  }

  std::optional<Error> copy_shape(Entry& entry) {
    const auto* like = std::get_if<LikeValue>(&entry.value.data);
    if (like == nullptr) {
      return std::nullopt;
    }
    const auto found = array_behind(like->name);
    if (found == result_.arrays.end() && is_circle(like->name)) {
      return circular(entry.text);
    }
    if (found == result_.arrays.end()) {
      return wrong(fmt::format("there is no array argument `{}` to be like", like->name));
    }
    const Result<Buffer> buffer = Buffer::zeros(found->second.dtype(), found->second.shape());
    if (!buffer) {
      return buffer.error();
    }
    add_array(entry, *buffer);
    return std::nullopt;
  }

  Result<Argument> finish(const Value& value, const Entry& entry) {
    if (const auto* constant = std::get_if<Argument>(&value.data)) {
      return *constant;
    }
    if (const auto* name = std::get_if<NameValue>(&value.data)) {
      return finish_name(*name, entry);
    }
    if (const auto* tuple = std::get_if<TupleValue>(&value.data)) {
      return finish_tuple(*tuple, entry);
    }
    const auto found = result_.arrays.find(entry.name);
    if (&value != &entry.value || found == result_.arrays.end()) {
      return wrong("arrays in a tuple are written by the name of an argument, as in (x, y+4)");
    }
    return Argument(found->second);
  }

  Result<Argument> finish_tuple(const TupleValue& tuple, const Entry& entry) {
    Argument::Tuple elements;
    for (const Value& value : tuple.elements) {
      Result<Argument> element = finish(value, entry);
      if (!element) {
        return element;
      }
      elements.elements.push_back(*std::move(element));
    }
    return Argument(std::move(elements));
  }

  /// Through the views that the name stands for to an array: the offsets add up.
  NameValue resolved(NameValue name) const {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const auto entry = std::ranges::find(entries_, name.name, &Entry::name);
      const auto* const next =
          entry == entries_.end() ? nullptr : std::get_if<NameValue>(&entry->value.data);
      if (next == nullptr) {
        break;
      }
      name.name = next->name;
      name.offset += next->offset;
    }
    return name;
  }

  Result<Argument> finish_name(const NameValue& name, const Entry& entry) {
    const NameValue place = resolved(name);
    const auto found = result_.arrays.find(place.name);
    if (found != result_.arrays.end()) {
      const Buffer buffer = found->second;
      add_array(entry, buffer);
      return Argument::pointer(buffer, place.offset);
    }
    if (is_circle(name.name)) {
      return circular(entry.text);
    }
    if (name.has_offset) {
      return wrong(fmt::format("`{}` is no array among the arguments", name.name));
    }
    const std::vector<Kernel> functions = library_.kernels();
    if (std::ranges::any_of(functions, [&](const Kernel& f) { return f.name() == name.name; })) {
      return Argument(FunctionName{name.name});
    }
    // Launch options take words, `math=fast`; what is neither is reported by the launch.
    if (!is_parameter(entry.name)) {
      return Argument(name.name);
    }
    return wrong(
        fmt::format("`{0}` is neither an array argument nor a function of the file; a "
                    "string needs quotes: '{1}=\"{0}\"'",
                    name.name, entry.name));
  }

  bool is_parameter(std::string_view name) const {
    const std::vector<Parameter>& parameters = kernel_.parameters();
    return std::ranges::any_of(parameters, [&](const Parameter& p) { return p.name == name; });
  }

  const CallRequest& request_;
  const Library& library_;
  const Kernel& kernel_;
  std::vector<Entry> entries_;
  CallArguments result_;
};

}  // namespace

Result<CallArguments> read_arguments(const CallRequest& request, const Library& library,
                                     const Kernel& kernel) {
  return ArgumentReader(request, library, kernel).read();
}

}  // namespace tilery::tools
