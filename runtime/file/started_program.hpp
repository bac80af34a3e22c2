#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace logdepth { inline namespace runtime_file {

/// Another program, in a process of its own that does not outlive this one.
struct StartedProgram {
  pid_t pid = -1;
  int pipe = -1;  ///< its standard output, to be read; its standard error is ours
};

/// What a program ends with that is missing or cannot be loaded, as in a shell.
inline constexpr int kNotLoaded = 127;

/// Where what it says on standard error goes: where ours goes, through the pipe, or nowhere.
enum class ProgramErrors { ours, pipe, dropped };

/// The first word is its path, or a name to be looked for in PATH. Beside the standard streams it
/// has the descriptors `kept`. Errors: InputError where the system starts no process.
StartedProgram start_program(std::vector<std::string> command, const std::vector<int>& kept = {},
                             ProgramErrors errors = ProgramErrors::ours);

/// All that it prints. What an interruption throws ends the program.
std::string read_to_end(const StartedProgram& program);

/// Waits for its end. The exit status, as a shell has it.
int wait_for_end(const StartedProgram& program);

}}  // namespace logdepth::runtime_file
