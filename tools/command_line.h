// argv → a request → an exit code.
#pragma once

namespace tilery::tools {

/// Reads the command line and runs what it asks for. Wrong usage is told on standard error and
/// gives 2.
int run_command_line(int argc, char** argv);

}  // namespace tilery::tools
