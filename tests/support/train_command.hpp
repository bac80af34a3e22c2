#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/command_line.hpp"

namespace logdepth::support {

/// The program `logdepth train` from outside, as far as it needs no libtorch: plans and refusals.
class TrainCommand : public CommandLine {
 protected:
  nlohmann::json plan(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "train");
    arguments.insert(arguments.end(), {"--write-plan", "plan.json"});
    EXPECT_EQ(done(arguments), "");
    return nlohmann::json::parse(folder.read("plan.json"));
  }
  void refuses(std::vector<std::string> arguments, const std::string& reason) const {
    arguments.insert(arguments.begin(), "train");
    const auto names = folder.names();
    const Finished finished = logdepth(arguments);
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(lines(finished.err).size(), 1u) << finished.err;
    EXPECT_NE(finished.err.find(reason), std::string::npos) << finished.err << "lacks " << reason;
    EXPECT_EQ(folder.names(), names);
  }
};

inline std::vector<std::string> names_of(const nlohmann::json& plan) {
  std::vector<std::string> names;
  for (const nlohmann::json& run : plan["runs"]) names.push_back(run["name"]);
  return names;
}

}  // namespace logdepth::support
