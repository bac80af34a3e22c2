// The probes of a trained network by the command line.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/command_line.hpp"
#include "tests/support/places.hpp"

namespace logdepth::command_line_probe_tests {
namespace {

using nlohmann::json;
using support::Finished;

class ProbeCommand : public support::CommandLine {
 protected:
  /// The folder of a run of a few steps.
  std::string trained(const std::string& method) const {
    const std::string out = "runs-" + method;
    const Finished finished =
        logdepth({"train", "latent-reasoning", "--method", method, "--steps", "3", "--set",
                  "task.validation=3", "--set", "model.width=16", "--out", out});
    EXPECT_EQ(finished.status, 0) << finished.err;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.file(out)))
      if (entry.path().filename() == "record.json")
        return std::filesystem::relative(entry.path().parent_path(), folder.path());
    ADD_FAILURE() << "no record in " << out;
    return out;
  }
  std::string probed(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"report", "latent-reasoning"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return done(arguments);
  }
  void refused(const std::vector<std::string>& more, const std::string& expected,
               const std::string& paper = "latent-reasoning") const {
    std::vector<std::string> arguments = {"report", paper};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished finished = logdepth(arguments);
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_NE(finished.err.find(expected), std::string::npos) << finished.err;
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  }
};

TEST_F(ProbeCommand, ARunIsProbedAsAPageAsJsonAndAsFiles) {
  const std::string run = trained("discrete");
  const std::string page = probed({"--probe", run});
  for (const char* part : {"## Heads", "## Frequencies of the addition", "(a, a)",
                           "## Where errors come from", "published"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  const json measured = json::parse(probed({"--probe", run, "--json"}));
  EXPECT_EQ(measured["run"], run);
  EXPECT_EQ(measured["layers"].size(), 2u);
  EXPECT_EQ(measured["fourier"].size(), 4u);
  EXPECT_EQ(probed({"--probe", run, "--out", "pages"}), "");
  EXPECT_EQ(folder.read("pages/latent-reasoning-probe.md"), page);
  EXPECT_EQ(json::parse(folder.read("pages/latent-reasoning-probe.json")), measured);
  EXPECT_EQ(folder.read("pages/latent-reasoning-probe.svg").rfind("<svg", 0), 0u);
}

TEST_F(ProbeCommand, WhatCannotBeProbedIsRefusedInOneSentence) {
  refused({"--probe", "nowhere"}, "nowhere/record.json");
  refused({}, "expected either RUNS");
  refused({"nowhere", "--probe", "nowhere"}, "expected either RUNS");
  refused({"--probe", "nowhere", "--constructed", "c.json"}, "--constructed");
  const std::string other = trained("continuous");
  refused({"--probe", other}, "expected latent-steps");
  const std::string run = trained("discrete");
  std::filesystem::remove(folder.file(run + "/model.safetensors"));
  refused({"--probe", run}, "model.safetensors");
  folder.write(run + "/record.json", "{}");
  refused({"--probe", run}, "expected the record of a training run");
}

TEST_F(ProbeCommand, WithoutTheNetworkOfARunThereIsNoRecursionToProbe) {
  const std::string results = support::source_dir() + "/bench/results/runs";
  std::filesystem::create_directory(folder.file("empty"));
  refused({"--probe", "empty"}, "empty/record.json", "relit");
  refused({"--probe", results + "/Z2/stack-1/seed-1"}, "model.safetensors", "relit");
}

}  // namespace
}  // namespace logdepth::command_line_probe_tests
