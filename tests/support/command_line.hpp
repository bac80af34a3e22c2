#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::support {

/// Runs the program that was built, in a temporary folder, as a user does.
class CommandLine : public testing::Test {
 protected:
  Finished logdepth(std::vector<std::string> arguments, const std::string& input = "") const {
    arguments.insert(arguments.begin(), support::program());
    return run_process(std::move(arguments), folder.path(), input);
  }

  /// Runs a command that has to end well and returns its standard output.
  std::string done(std::vector<std::string> arguments, const std::string& input = "") const {
    const Finished finished = logdepth(std::move(arguments), input);
    EXPECT_EQ(finished.status, 0) << finished.err;
    return finished.out;
  }

  /// Compiles a regular expression to NAME; more options may follow.
  void compile_regex(const std::string& expression, const std::string& name,
                     const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"compile", "regular", "--regex", expression, "-o", name};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(done(arguments), "");
  }

  static std::string example(const std::string& name) {
    return support::source_dir() + "/examples/" + name;
  }

  const TemporaryFolder folder;
};

}  // namespace logdepth::support
