#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace logdepth::inline oracle {

/// A program in a process of its own that is asked by lines and answers each with a line. It reads
/// them from its standard input; its standard output is a pseudo-terminal, because programs write
/// whole lines to a terminal and large blocks to a pipe, and would otherwise keep their answers to
/// themselves. Its standard error is ours. It and what it starts are one group of processes, which is
/// told to end, and after a second killed, when we are done.
class LineProgram {
 public:
  /// `command` is read by the shell: `./oracle.py --slow`. What is wrong with it shows when it is
  /// asked first.
  explicit LineProgram(std::string command);
  ~LineProgram();
  LineProgram(const LineProgram&) = delete;
  LineProgram& operator=(const LineProgram&) = delete;

  const std::string& command() const { return command_; }
  /// Its answer, without the end of the line. Errors: InputError naming the command and the question
  /// when it ends before it answers, answers nothing for a minute, or has written more lines than
  /// there were questions.
  std::string ask(const std::string& question);

 private:
  [[noreturn]] void refuse(const std::string& question, const std::string& found) const;
  [[noreturn]] void refuse_end(const std::string& question);
  /// Adds to `read_` what there is, waiting so long for it; false where there is nothing.
  bool read_more(int milliseconds, const std::string& question);
  void stop();
  /// How it ended, if it does in that time.
  std::optional<int> status_within(int milliseconds);

  std::string command_;
  pid_t pid_ = -1;
  int questions_ = -1, answers_ = -1;
  std::string read_;  ///< and not yet an answer
};

/// Kills the programs that run: for handlers of signals, which leave no time for anything else.
void kill_line_programs() noexcept;

}  // namespace logdepth::inline oracle
