// `logdepth train etd` from outside, as far as it needs no libtorch: its runs and its refusals.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "learned/encode_think_decode/presets.hpp"
#include "tests/support/plain_run.hpp"
#include "tests/support/train_command.hpp"

namespace logdepth::command_line_train_etd_tests {
namespace {

using nlohmann::json;
using support::names_of;
using Arguments = std::vector<std::string>;
using TrainEtd = support::TrainCommand;

/// A base of eight layers that was never trained, in "base".
void write_base(const support::TemporaryFolder& folder) {
  RunConfig config = etd_base(EtdSize::small);
  config.model.width = config.model.hidden = 8;
  support::write_plain_run(config, folder.file("base"));
}

TEST_F(TrainEtd, TheBaseOfEncodeThinkDecodeIsAPlainModelOfTheOwnCorpus) {
  const json base = plan({"etd", "--pretrain"})["runs"];
  ASSERT_EQ(base.size(), 1u);
  EXPECT_EQ(base[0]["name"], "base/seed-1");
  EXPECT_EQ(base[0]["config"]["preset"], "etd-base");
  EXPECT_EQ(base[0]["config"]["task"]["phase"], "base");
  EXPECT_EQ(base[0]["config"]["model"]["initial"], 8);
  EXPECT_EQ(base[0]["config"]["model"]["width"], 96);
  EXPECT_EQ(base[0]["config"]["model"]["norm_place"], "after");
  EXPECT_EQ(base[0]["config"]["model"]["query_key_norm_over"], "all-heads");
  const json large = plan({"etd", "--pretrain", "--size", "large"})["runs"][0]["config"];
  EXPECT_EQ(large["model"]["initial"], 12);
  EXPECT_EQ(large["training"]["precision"], "bfloat16");
}

TEST_F(TrainEtd, ShapesOfEncodeThinkDecodeGoOnFromTheBase) {
  write_base(folder);
  const auto shapes = [&](Arguments more) {
    more.insert(more.begin(), {"etd", "--base", "base"});
    return plan(more);
  };
  // 7-4-5 of 16 layers, scaled and rounded.
  EXPECT_EQ(names_of(shapes({})),
            (std::vector<std::string>{"4-1x1-3/seed-1", "4-1x2-3/seed-1", "4-1x3-3/seed-1"}));
  const json runs = shapes({"--cut", "3-2-3", "--loops", "1,2", "--series", "untied", "--router",
                            "mixture", "--shape", "0-8*2-0", "--seeds", "4,5", "--steps", "9"});
  EXPECT_EQ(names_of(runs),
            (std::vector<std::string>{"0-8x2-0/seed-4", "0-8x2-0/seed-5", "3-2x1-3/seed-4",
                                      "3-2x1-3/seed-5", "3-2x2-3/seed-4", "3-2x2-3/seed-5",
                                      "3-2-3-mixture/seed-4", "3-2-3-mixture/seed-5",
                                      "3-2+2-3/seed-4", "3-2+2-3/seed-5"}));
  for (const json& run : runs["runs"]) {
    EXPECT_EQ(run["config"]["preset"], "etd");
    EXPECT_EQ(run["config"]["initial_weights"], "base");
    EXPECT_EQ(run["config"]["task"], runs["runs"][0]["config"]["task"]);
    EXPECT_EQ(run["config"]["training"], runs["runs"][0]["config"]["training"]);
    EXPECT_EQ(run["config"]["training"]["steps"], 9);
    EXPECT_EQ(run["config"]["task"]["phase"], "middle");
    EXPECT_EQ(run["config"]["model"]["width"], 8);
  }
  EXPECT_EQ(runs["runs"][6]["config"]["model"]["router"], "mixture");
  EXPECT_EQ(runs["runs"][8]["config"]["initial_layers"], json({0, 1, 2, 3, 4, 3, 4, 5, 6, 7}));
}

TEST_F(TrainEtd, WrongOptionsOfEncodeThinkDecodeAreRefusedInOneSentence) {
  write_base(folder);
  folder.write("lines.jsonl", R"({"question": "is", "answer": ""})"
                              "\n");
  const auto with = [&](const Arguments& more, const std::string& reason) {
    Arguments all = {"etd", "--out", "runs"};
    all.insert(all.end(), more.begin(), more.end());
    refuses(all, reason);
  };
  with({}, "--base: expected the model to go on from, or --pretrain");
  for (const char* option : {"--base", "--shape", "--cut", "--text"})
    with({"--pretrain", option, "3-2-3"}, std::string(option) + ": expected without --pretrain");
  with({"--pretrain", "--loops", "2"}, "--loops: expected without --pretrain");
  with({"--pretrain", "--router", "mixture"}, "--router: expected without --pretrain");
  with({"--pretrain", "--series", "size"}, "--series: expected without --pretrain");
  with({"--base", "missing"}, "missing");
  with({"--base", "base", "--shape", "3-2*2-2"},
       "3-2x2-2: expected 8 layers in all, as the model has, found 7");
  with({"--base", "base", "--shape", "3-2*0-3"}, "--shape: expected at least one layer");
  with({"--base", "base", "--loops", "0"}, "--loops");
  with({"--base", "base", "--cut", "3-2-2"},
       "--cut: expected 8 layers in all, as base has, found 3-2-2");
  with({"--base", "base", "--cut", "3-2-3", "--shape", "3-2*2-3"},
       "--cut: expected with --loops, --router or --series");
  with({"--base", "base", "--router", "none"}, "found 'none'");
  with({"--base", "base", "--from", "x.safetensors"}, "--from is not allowed");
  with({"--base", "base", "--text", "lines.jsonl"}, "lines.jsonl:1: ");
  with({"--base", "base", "--text", "missing.jsonl"}, "missing.jsonl");
}

}  // namespace
}  // namespace logdepth::command_line_train_etd_tests
