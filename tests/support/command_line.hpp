#pragma once

#include <gtest/gtest.h>

#include <random>
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

  /// A command that ends with one sentence on standard error, nothing on standard output, and no file
  /// more or less.
  Finished refuses(const std::vector<std::string>& arguments, const std::string& reason,
                   int status = 2) const {
    std::string text;
    for (const std::string& argument : arguments) text += " " + argument;
    SCOPED_TRACE(text);
    const auto names = folder.names();
    const Finished finished = logdepth(arguments);
    EXPECT_EQ(finished.status, status) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(lines(finished.err).size(), 1u) << finished.err;
    EXPECT_NE(finished.err.find(reason), std::string::npos) << finished.err << "lacks " << reason;
    EXPECT_EQ(folder.names(), names) << "something was written";
    return finished;
  }

  /// Compiles a regular expression to NAME; more options may follow.
  void compile_regex(const std::string& expression, const std::string& name,
                     const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"compile", "regular", "--regex", expression, "-o", name};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(done(arguments), "");
  }

  void compile_a5(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"compile", "regular", "--group", "A5", "-o", "a5.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    done(arguments);
  }

  /// A random word of a and b.
  static std::string random_text(std::size_t letters, unsigned seed) {
    std::mt19937_64 random(seed);
    std::string text;
    for (std::size_t i = 0; i < letters; ++i) text += random() % 2 == 0 ? 'a' : 'b';
    return text;
  }

  static std::string example(const std::string& name) {
    return support::source_dir() + "/examples/" + name;
  }

  const TemporaryFolder folder;
};

}  // namespace logdepth::support
