// Launch options by their keywords.
#pragma once

#include "ir/support/diagnostic.h"
#include "tilery/argument.h"
#include "tilery/launch.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilery {

/// All keywords, for "did you mean".
[[nodiscard]] const std::vector<std::string>& launch_option_names();
[[nodiscard]] bool is_launch_option(std::string_view name);

/// Sets the option and returns true, or reports (LaunchOptionUnknown, LaunchOptionValue).
bool set_option(LaunchOptions& options, std::string_view name, const Argument& value,
                Diagnostics& diagnostics);

/// Adds a sentence if the option was set to something that changes nothing here: by keyword, for
/// those that LaunchOptions does not keep, or among the options.
void note_if_without_effect(std::string_view name, const Argument& value,
                            std::vector<std::string>& notes);
void note_if_without_effect(const LaunchOptions& options, std::vector<std::string>& notes);

/// Checks the values of options that were set as plain members.
void check_options(const LaunchOptions& options, Diagnostics& diagnostics);

}  // namespace tilery
