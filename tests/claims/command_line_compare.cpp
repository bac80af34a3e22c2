// `logdepth compare depth` from outside.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "learned/records/run_record.hpp"
#include "learned/word_problems/word_task.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/places.hpp"

namespace logdepth::command_line_compare_tests {
namespace {

using nlohmann::json;
using support::Finished;

class Compare : public support::CommandLine {
 protected:
  /// The record of a stack of `depth` layers on words, asked for 64 letters, which had plateaued.
  void run(const std::string& name, const std::string& monoid, std::uint32_t depth, int reach) {
    WordTaskConfig task;
    task.monoid = monoid;
    RunRecord record;
    record.config.task = task;
    record.config.model.initial = depth;
    record.config.model.repeated = 0;
    record.machine = {{"device", "cpu"}, {"processor", "a processor"}};
    record.training = {{"steps", 1500}, {"seconds", 60.0}, {"stopped", "steps"}};
    record.training["curve"] = {
        {"score", "n*"},
        {"points", {{{"steps", 750}, {"score", reach}}, {{"steps", 1500}, {"score", reach}}}}};
    record.result = {{"kind", "words"},
                     {"strict", reach},
                     {"loose", reach},
                     {"censored", reach >= 64},
                     {"length", 64}};
    std::filesystem::create_directories(folder.path() / name);
    write_run_record(record, folder.file(name) + "/" + kRecordFile);
  }
  /// Five depths that follow d = 2 log2 n* + 1, and one that is censored.
  void runs(const std::string& monoid) {
    run("runs/2", monoid, 3, 2);
    run("runs/4", monoid, 5, 4);
    run("runs/8", monoid, 7, 8);
    run("runs/16", monoid, 9, 16);
    run("runs/32", monoid, 11, 32);
    run("runs/64", monoid, 13, 64);
  }
  Finished compare(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"compare", "depth"});
    return logdepth(std::move(arguments));
  }
  static json problem(const json& out, const std::string& name) {
    for (const json& one : out["problems"])
      if (one["problem"] == name) return one;
    return json();
  }
};

TEST_F(Compare, WithoutRunsTheConstructionsStandBesideWhatWasPublished) {
  const Finished finished = compare({"--up-to", "16", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const json out = json::parse(finished.out);
  EXPECT_EQ(out["schema"], "logdepth/compare-depth/1");
  EXPECT_EQ(out["runs"], 0);
  std::vector<std::string> names;
  for (const json& one : out["problems"]) {
    names.push_back(one["problem"]);
    EXPECT_EQ(one["learned"], json::array());
    for (const json& form : one["constructed"]) {
      const std::string said = form["verification"];
      EXPECT_TRUE(form["form"] == "theorem as claimed"
                      ? said == "claimed (not built)"
                      : said.find("verified: every") != std::string::npos)
          << form;
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"Z2", "S3", "A4", "A5", "S5", "reachability"}));
  const json a5 = problem(out, "A5");
  EXPECT_EQ(a5["published"]["a"], 4.8);
  EXPECT_EQ(problem(out, "S3")["published"], json());
  for (const json& form : a5["constructed"])
    if (form["construction"] == "tree") {
      EXPECT_EQ(form["depths"].back(), (json{{"size", 16}, {"depth", 12}}));
      EXPECT_NEAR(form["slope"].get<double>(), 2, 1e-9);
    }
}

TEST_F(Compare, RunsBecomeATableAPageAndAFigure) {
  runs("S3");
  const Finished finished = compare({"runs", "--out", "out", "--up-to", "16"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(finished.err,
            "wrote depth.md, depth.html, depth.json, depth.svg, depth-S3.svg and depth-A5.svg to "
            "out\n");
  const std::string markdown = folder.read("out/depth.md");
  EXPECT_NE(markdown.find("`logdepth compare depth runs --up-to 16`"), std::string::npos);
  EXPECT_NE(markdown.find("d = 2.00 log2 n\\* + 1.00, r2 = 1.00; 1 of 6 depths censored"),
            std::string::npos)
      << markdown;
  EXPECT_NE(markdown.find("(depth-S3.svg)"), std::string::npos);
  const std::string svg = folder.read("out/depth-S3.svg");
  EXPECT_NE(folder.read("out/depth.html").find(svg), std::string::npos);
  const json s3 = problem(json::parse(folder.read("out/depth.json")), "S3");
  EXPECT_EQ(s3["learned"][0]["status"], "measured");
  EXPECT_NEAR(s3["learned"][0]["best"]["logarithmic"]["a"].get<double>(), 2, 1e-9);

  // The same runs give the same bytes, also where their folders are named twice.
  const Finished again = compare({"runs", "runs/4", "--up-to", "16", "--json"});
  ASSERT_EQ(again.status, 0) << again.err;
  const json twice = json::parse(again.out);
  EXPECT_EQ(twice["runs"], 6);
  EXPECT_EQ(problem(twice, "S3"), s3);
}

TEST_F(Compare, AGroupOfTheRunsIsConstructedToo) {
  run("runs/1", "Z3", 1, 3);
  const Finished finished = compare({"runs", "--up-to", "8", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const json z3 = problem(json::parse(finished.out), "Z3");
  EXPECT_EQ(z3["constructed"].size(), 8u);
  EXPECT_EQ(z3["learned"][0]["status"], "not fitted");
}

TEST_F(Compare, AFolderInTheWayIsRefusedBeforeAnythingIsWritten) {
  std::filesystem::create_directories(folder.path() / "out/depth-A5.svg");
  const Finished finished = compare({"--out", "out", "--up-to", "4"});
  EXPECT_EQ(finished.status, 2) << finished.err;
  EXPECT_NE(
      finished.err.find("out/depth-A5.svg: is a directory; expected a file name for the report"),
      std::string::npos)
      << finished.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "out/depth.md"));
}

TEST_F(Compare, OfTheStoredRunsIsTheStoredOne) {
  const std::filesystem::path root = support::source_dir();
  // The command as the page names it, so that the page is the same.
  std::filesystem::create_directories(folder.path() / "bench/results");
  std::filesystem::create_directory_symlink(root / "bench/results/runs",
                                            folder.path() / "bench/results/runs");
  const Finished finished = compare({"bench/results/runs", "--out", "made"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(root / "bench/results/depth")) {
    const std::string name = entry.path().filename();
    EXPECT_EQ(folder.read("made/" + name), read_whole_file(entry.path())) << name;
    ++files;
  }
  const auto made = std::filesystem::directory_iterator(folder.path() / "made");
  EXPECT_EQ(std::distance(begin(made), end(made)), static_cast<std::ptrdiff_t>(files));
  EXPECT_GE(files, 6u);
}

TEST_F(Compare, TheStoredPageOfNeedIsThatOfItsRecords) {
  const std::filesystem::path root = support::source_dir();
  std::filesystem::create_directories(folder.path() / "bench/results/need");
  std::filesystem::create_directory_symlink(root / "bench/results/need/runs",
                                            folder.path() / "bench/results/need/runs");
  const Finished finished = compare({"bench/results/need/runs", "--need", "--out", "made"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  for (const char* name : {"need.md", "need.json", "need.svg"})
    EXPECT_EQ(folder.read(std::string("made/") + name),
              read_whole_file((root / "bench/results/need" / name).string()))
        << name;
}

TEST_F(Compare, WhatCannotBeReadIsRefusedInOneSentence) {
  run("runs/1", "S3", 1, 3);
  folder.write("runs/1/record.json", "{}");
  std::filesystem::create_directories(folder.path() / "empty");
  folder.write("file", "");
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& said) {
    const Finished finished = compare(arguments);
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_NE(finished.err.find(said), std::string::npos) << finished.err;
    EXPECT_EQ(support::lines(finished.err).size(), 1u) << finished.err;
  };
  refused({"runs"}, "runs/1/record.json: expected the record of a training run");
  refused({"nowhere"}, "nowhere: expected a folder of training runs");
  refused({"empty"}, "empty: expected a folder of training runs, found no record.json");
  refused({"--up-to", "3"}, "--up-to: expected at least 4");
  refused({"--out", "file"},
          "file: expected the name of a folder that can be made: Not a directory");
  refused({"--out", ""}, "--out: expected the name of a folder");
}

}  // namespace
}  // namespace logdepth::command_line_compare_tests
