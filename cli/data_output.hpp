#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "cli/answers.hpp"
#include "cli/commands.hpp"
#include "cli/validators.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline cli {

/// Where a command of `data` writes: the file of `-o`, which is whole or not there at all, or
/// standard output.
class DataOutput {
 public:
  void add(CLI::App& command) {
    given_ = command.add_option("-o,--output", file_, "file to write (default: standard output)")
                 ->check(kInAFolder);
  }
  /// `inputs`: files that were read. Returns the exit status. Errors: InputError naming the option or the file.
  int write(const std::function<void(std::ostream&)>& content,
            const std::vector<std::string>& inputs = {}) const {
    if (*given_ && file_.empty()) throw InputError("--output: expected the name of a file");
    if (file_.empty()) {
      print_by_lines();
      content(std::cout);
      return kDone;
    }
    refuse_overwriting(file_, inputs);
    OutputFile file(file_);
    content(file.stream());
    file.commit();
    return kDone;
  }

 private:
  std::string file_;
  CLI::Option* given_ = nullptr;
};

}  // namespace logdepth::inline cli
