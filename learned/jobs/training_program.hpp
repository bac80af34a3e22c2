#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace logdepth::inline learned_jobs {

/// logdepth-train in a process of its own.
struct StartedProgram {
  pid_t pid = -1;
  int pipe = -1;  ///< its standard output, to be read; its standard error is ours
};

/// Errors: InputError where logdepth-train does not stand beside this program.
void expect_training_program();
/// Beside the standard streams it has the descriptors `kept`. Errors: as above.
StartedProgram start_training_program(std::vector<std::string> arguments,
                                      const std::vector<int>& kept = {});
/// Waits for its end. The exit status, as a shell has it; where the system did not let the program
/// say why it ended, this one says it, and it is one of those that commands end with.
int finish(const StartedProgram& program);

/// What the program said, and how it ended.
struct ProgramOutput {
  std::string text;
  int status = 0;
};
/// Starts it and reads all of its standard output. Lines that say how far it is, "DONE TOTAL", are
/// given to `progress` instead, where there is one. Errors: as above.
ProgramOutput output_of_training_program(
    std::vector<std::string> arguments,
    const std::function<void(std::size_t done, std::size_t total)>& progress = nullptr);

}  // namespace logdepth::inline learned_jobs
