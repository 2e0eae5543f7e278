#include "codegen/emit_lines.h"

#include "codegen/llvm_versions.h"

#include <algorithm>
#include <string>

namespace tilery::codegen {
namespace {

/// The first location of the function that lies in a text.
SourceRange first_range(const Function& function) {
  for (const Location& location : function.locations) {
    if (location.range.is_valid() && !location.caller) {
      return location.range;
    }
  }
  return {};
}

}  // namespace

LineTable::LineTable(const Function& function, const SourceMap& sources, llvm::Module& module,
                     llvm::Function& kernel)
    : function_(function), sources_(sources), debug_(module) {
  const SourceRange range = first_range(function);
  if (!range.is_valid()) {
    return;
  }
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  llvm::DIFile* file = file_of(range.file);
  debug_.createCompileUnit(debug_language(), file, "tilery", true, "", 0, "",
                           llvm::DICompileUnit::DebugDirectivesOnly);
  const std::uint32_t line = sources.line_column(range.file, range.begin).line;
  kernel_ =
      debug_.createFunction(file, kernel.getName(), kernel.getName(), file, line,
                            debug_.createSubroutineType(debug_.getOrCreateTypeArray({})), line,
                            llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
  kernel.setSubprogram(kernel_);
  scopes_[range.file] = kernel_;
}

llvm::DIFile* LineTable::file_of(FileId id) {
  llvm::DIFile*& file = files_[id];
  if (file == nullptr) {
    // ptxas has no escape for a quotation mark
    std::string name = sources_.file(id).name;
    std::replace(name.begin(), name.end(), '"', '\'');
    file = debug_.createFile(name, "");
  }
  return file;
}

void LineTable::enter(llvm::IRBuilder<>& builder, LocId loc) {
  const SourceRange range = function_.range(loc);
  if (kernel_ == nullptr || !range.is_valid()) {
    return;
  }
  llvm::DIScope*& scope = scopes_[range.file];
  if (scope == nullptr) {
    scope = debug_.createLexicalBlockFile(kernel_, file_of(range.file));
  }
  const LineColumn at = sources_.line_column(range.file, range.begin);
  builder.SetCurrentDebugLocation(
      llvm::DILocation::get(builder.getContext(), at.line, at.column, scope));
}

}  // namespace tilery::codegen
