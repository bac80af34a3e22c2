// Trained networks of runs, measured and drawn by the command line.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "runtime/file/safetensors.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/places.hpp"

namespace logdepth::command_line_measure_tests { namespace {

using nlohmann::json;
using support::Finished;
using Arguments = std::vector<std::string>;

class FinishedRunCommands : public support::CommandLine {
 protected:
  /// The folder of a run of a few steps that knows words of 8 letters.
  std::string trained(const Arguments& more, const std::string& out = "runs") const {
    Arguments arguments = {"train",        "word-problem",
                           "--monoid",     "S3",
                           "--depths",     "1",
                           "--widths",     "16",
                           "--max-length", "8",
                           "--steps",      "60",
                           "--set",        "task.validation=300",
                           "--set",        "training.promotion=0.1",
                           "--set",        "training.read_every=1",
                           "--out",        out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    done(arguments);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.file(out)))
      if (entry.path().filename() == "record.json")
        return std::filesystem::relative(entry.path().parent_path(), folder.path());
    ADD_FAILURE() << "no record in " << out;
    return out;
  }
  std::string looped() const {
    return trained({"--kind", "adaptive-loop", "--set", "model.step_embedding=learned", "--set",
                    "model.step_rows=4"});
  }
  /// One that has a table of eight positions.
  std::string with_table() const {
    return trained({"--kind", "adaptive-loop", "--set", "task.positions=table"}, "tables");
  }
  json measured(const std::string& run, const Arguments& more) const {
    Arguments arguments = {"measure", run, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return json::parse(done(arguments));
  }
  void refused(const Arguments& arguments, const std::string& expected) const {
    const Finished finished = logdepth(arguments);
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_NE(finished.err.find(expected), std::string::npos) << finished.err;
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  }
  std::set<std::string> files(const std::string& run) const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.file(run)))
      names.insert(entry.path().filename());
    return names;
  }
};

TEST_F(FinishedRunCommands, WithoutOptionsARunMeasuresAsItsRecordSays) {
  const std::string run = looped();
  const std::set<std::string> before = files(run);
  const json record = json::parse(folder.read(run + "/record.json"));
  ASSERT_EQ(record["result"]["length"], 8);
  EXPECT_EQ(measured(run, {})["result"], record["result"]);
  const std::string text = done({"measure", run});
  EXPECT_NE(text.find("S3: n* = "), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2 + 8) << "the sentence and the indices";
  EXPECT_EQ(done({"measure", run}), text);
  EXPECT_EQ(files(run), before);
  std::filesystem::remove(folder.file(run + "/record.json"));
  EXPECT_EQ(measured(run, {})["result"], record["result"]) << "a configuration is enough";
}

TEST_F(FinishedRunCommands, LengthWordsAndLoopsAreWhatIsMeasured) {
  const std::string run = looped();
  const json all = measured(run, {});
  const json five = measured(run, {"--length", "5"});
  EXPECT_EQ(five["result"]["accuracy"].size(), 5u) << "also a length between the stages";
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(five["result"]["accuracy"][i], all["result"]["accuracy"][i])
        << "three loops in both, and longer words begin as shorter ones do";
  EXPECT_EQ(measured(run, {"--loops", "3"})["result"], all["result"]);
  const json one = measured(run, {"--loops", "1"});
  EXPECT_EQ(one["loops"], 1);
  EXPECT_EQ(all["result"]["circuit"]["letters"], 8);
  EXPECT_EQ(all["result"]["circuit"]["levels"].size(), 3u);
  EXPECT_EQ(one["result"]["circuit"]["levels"].size(), 1u);
  EXPECT_NE(one["result"]["accuracy"], all["result"]["accuracy"]);
  EXPECT_EQ(one["result"]["accuracy"], all["result"]["by_loops"][0]["accuracy"]);
  const json four = measured(run, {"--length", "4"});
  EXPECT_NE(four["result"]["accuracy"],
            measured(run, {"--length", "4", "--loops", "3"})["result"]["accuracy"])
      << "two loops by themselves";
  const json few = measured(run, {"--words", "10", "-o", "few.json"});
  EXPECT_EQ(few["result"]["words"], 10);
  EXPECT_EQ(json::parse(folder.read("few.json")), few);
}

TEST_F(FinishedRunCommands, BehindABeginTokenWordsMayBeLongerThanThoseOfTraining) {
  const std::string run = looped();
  const json all = measured(run, {}), longer = measured(run, {"--length", "12", "--loops", "3"});
  ASSERT_EQ(longer["result"]["accuracy"].size(), 12u);
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(longer["result"]["accuracy"][i], all["result"]["accuracy"][i]);
  EXPECT_EQ(measured(run, {"--length", "9"})["result"]["by_loops"].size(), 4u);
  refused({"measure", run, "--length", "17"}, "model.step_rows");
}

TEST_F(FinishedRunCommands, AttentionKeepsOrLosesTheEdgesOfAScan) {
  const std::string run = looped();
  const json all = measured(run, {}), kept = measured(run, {"--keep-edges", "2,3"});
  EXPECT_EQ(kept["keep_edges"], json({2, 3}));
  EXPECT_EQ(kept["result"]["accuracy"][0], all["result"]["accuracy"][0])
      << "the first letter reads itself and the begin token in both";
  EXPECT_NE(kept["result"]["accuracy"], all["result"]["accuracy"]);
  const json one = measured(run, {"--loops", "1"});
  EXPECT_EQ(measured(run, {"--keep-edges", "8", "--loops", "1"})["result"], one["result"])
      << "radix 8 is every edge between eight letters";
  const json cut = measured(run, {"--cut-edges", "8", "--loops", "1"});
  EXPECT_EQ(cut["cut_edges"], json({8}));
  EXPECT_NE(cut["result"]["accuracy"], one["result"]["accuracy"]);
}

TEST_F(FinishedRunCommands, EdgesAreMeasuredOnWordsThatAreLongerThanThoseOfTheCircuit) {
  const std::string run = trained({"--kind", "adaptive-loop", "--set", "model.step_rows=5"});
  const json kept =
      measured(run, {"--length", "32", "--keep-edges", "2,2,2,2,2", "--words", "8"})["result"];
  EXPECT_EQ(kept["by_loops"].size(), 5u);
  EXPECT_EQ(kept["circuit"]["letters"], 16);
}

TEST_F(FinishedRunCommands, ANetworkIsTrainedAndMeasuredWithTheEdgesOfItsScanAlone) {
  const std::string run =
      trained({"--kind", "adaptive-loop", "--set", "model.step_rows=4", "--edges", "2,2,2"});
  EXPECT_NE(run.find("adaptive-loop-1-edges-2-2-2"), std::string::npos) << run;
  const json own = measured(run, {});
  EXPECT_EQ(own["result"], measured(run, {"--keep-edges", "2,2,2"})["result"]);
  EXPECT_NE(own["result"], measured(run, {"--keep-edges", "8"})["result"]);
  // Without its edges a run on the same words is another one.
  const std::string free =
      trained({"--kind", "adaptive-loop", "--set", "model.step_rows=4"}, "free");
  EXPECT_NE(measured(free, {"--keep-edges", "2,2,2"})["result"], own["result"]);
}

TEST_F(FinishedRunCommands, OnlyTheNamedPartsOfANetworkAreTrained) {
  const std::string start = looped();
  done({"train",        "word-problem",
        "--monoid",     "S3",
        "--kind",       "adaptive-loop",
        "--depths",     "1",
        "--widths",     "16",
        "--max-length", "8",
        "--steps",      "3",
        "--set",        "model.step_rows=4",
        "--from",       start,
        "--set",        "training.only=step_embedding,readout",
        "--out",        "part"});
  const auto tensors = [&](const std::string& run) {
    return read_safetensors(folder.file(run + "/model.safetensors")).arrays;
  };
  const auto before = tensors(start), after = tensors("part/S3/adaptive-loop-1-width-16/seed-1");
  std::set<std::string> moved;
  for (const auto& [name, tensor] : before)
    if (after.at(name).bytes != tensor.bytes) moved.insert(name);
  EXPECT_EQ(moved, (std::set<std::string>{"readout.bias", "readout.weight", "step_embedding"}));
  refused({"train", "word-problem", "--steps", "2", "--depths", "1", "--out", "wrong", "--set",
           "training.only=heads"},
          "training.only: expected names among");
  refused({"train", "word-problem", "--steps", "2", "--depths", "1", "--out", "wrong", "--set",
           "training.keep_zeros=true"},
          "training.keep_zeros: expected constructed.weights");
  refused({"train", "word-problem", "--steps", "2", "--depths", "1", "--out", "wrong", "--set",
           "training.only=,query_key_value"},
          "training.only: expected names");
  refused({"train", "word-problem", "--edges", "2,2,2", "--max-length", "8", "--depths", "2",
           "--kind", "loop", "--out", "wrong"},
          "task.edges: expected at most 2 radices, one for each layer that runs, found 3");
  refused({"train", "word-problem", "--packed", "--edges", "2", "--depths", "1", "--out", "wrong"},
          "task.row_tokens: words that share a row read every edge, expected task.edges []");
}

TEST_F(FinishedRunCommands, MeasurementsThatDoNotFitARunAreRefused) {
  const std::string run = looped();
  refused({"measure", run, "--keep-edges", "2,1"}, "--keep-edges");
  refused({"measure", run, "--keep-edges", "2", "--cut-edges", "2"},
          "--keep-edges excludes --cut-edges");
  refused({"measure", run, "--keep-edges", "2,2,2,2"},
          "edges of a scan: expected at most 3 radices, one for each layer that the network runs, "
          "found 4");
  refused({"measure", with_table(), "--length", "9"},
          "--length: expected 2 to 8, the positions that the network has, found 9");
  refused({"measure", run, "--length", "1"}, "--length");
  refused({"measure", run, "--loops", "5"}, "--loops: expected 1 to 4");
  refused({"measure", run, "--loops", "0"}, "--loops");
  refused({"measure", run, "--words", "0"}, "--words");
  refused({"measure", run, "-o", run + "/record.json"}, "record.json");
  refused({"measure", "nowhere"}, "nowhere/record.json");
  const std::string stack = trained({"--kind", "stack"}, "stacks");
  refused({"measure", stack, "--loops", "1"}, "--loops: expected a run whose model repeats");
  std::filesystem::remove(folder.file(stack + "/model.safetensors"));
  refused({"measure", stack}, "model.safetensors");
  done({"train", "row-tokens", "--vertices", "4", "--depths", "1", "--steps", "2", "--set",
        "task.validation=10", "--out", "rows"});
  const std::string rows = "rows/rows-4/stack-1/seed-1";
  const json record = json::parse(folder.read(rows + "/record.json"));
  EXPECT_EQ(measured(rows, {})["result"], record["result"]);
  refused({"measure", rows, "--length", "4"}, "--length: expected a run on words");
  refused({"measure", rows, "--words", "4"}, "--words: expected a run on words");
  refused({"measure", rows, "--keep-edges", "2"}, "--keep-edges: expected a run on words");
  refused({"measure", rows, "--cut-edges", "2"}, "--cut-edges: expected a run on words");
}

TEST_F(FinishedRunCommands, AWordThatNoMemoryHoldsIsSaidInASentence) {
  if (support::sanitized()) GTEST_SKIP() << "ends at the first refused request";
  // 16 heads of 65 537 times 65 537 scores: 256 GiB.
  const std::string run = trained({"--set", "model.heads=16", "--set", "model.width=32"});
  const Finished finished = logdepth({"measure", run, "--length", "65536", "--words", "1"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(finished.err, "logdepth: out of memory\n");
}

const Arguments kDrawn = {"--tokens", "g1 g2 g3 g4 g5 g1 g2 g3"};

TEST_F(FinishedRunCommands, ATrainedNetworkIsDrawnBesideTheScanAndNamed) {
  const std::string run = looped();
  const auto drawn = [&](const Arguments& more) {
    Arguments arguments = {"draw", "--learned", run};
    arguments.insert(arguments.end(), kDrawn.begin(), kDrawn.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return done(arguments);
  };
  const std::set<std::string> before = files(run);
  const std::string text = drawn({"-o", "one.svg"});
  EXPECT_NE(text.find("prefix circuit, on 64 random words of 8 letters, seed 1\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(drawn({"-o", "two.svg"}), text);
  const std::string picture = folder.read("one.svg");
  EXPECT_EQ(picture, folder.read("two.svg"));
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = picture.find(part); at != std::string::npos;
         at = picture.find(part, at + 1))
      ++found;
    return found;
  };
  for (const char* part : {">learned: S3<", ">compiled: S3<"}) EXPECT_EQ(count(part), 1u) << part;
  for (const char* part : {">iteration 1<", ">iteration 2<", ">iteration 3<", ">g5<"})
    EXPECT_GE(count(part), 2u) << part;
  EXPECT_EQ(count(">iteration 4<"), 0u);

  const json named = json::parse(drawn({"--json", "--words", "5", "--seed", "3"}));
  EXPECT_EQ(named["words"], 5);
  EXPECT_EQ(named["levels"].size(), 3u);
  EXPECT_EQ(named["fits"]["Sklansky"]["of_positions"], 12);
  EXPECT_NE(named["levels"], json::parse(drawn({"--json", "--words", "5"}))["levels"]);
  EXPECT_EQ(files(run), before);
}

TEST_F(FinishedRunCommands, WhatCannotBeDrawnIsRefusedInOneSentence) {
  const std::string run = looped();
  const auto refuses = [&](const Arguments& more, const std::string& expected) {
    Arguments arguments = {"draw", "--learned", run};
    arguments.insert(arguments.end(), more.begin(), more.end());
    refused(arguments, expected);
  };
  refused({"draw", "--learned", with_table(), "--tokens", "g1 g1 g1 g1 g1 g1 g1 g1 g1"},
          "expected 2 to 8 letters (the positions of the network), found 9");
  refuses({"--tokens", "g1"}, "expected 2 to 1024 letters, found 1");
  refuses({"--tokens", "g1 g9"}, "g9");
  refuses({}, "--input");
  refuses({"--tokens", "g1 g2", "-o", "x.html"}, "x.html");
  refuses({"--tokens", "g1 g2", "--words", "0"}, "--words");
  folder.write("g.edges", "a b\n");
  refuses({"--graph", "g.edges", "--source", "a", "--target", "b"}, "--learned: expected a word");
  done({"train", "row-tokens", "--vertices", "4", "--depths", "1", "--steps", "2", "--set",
        "task.validation=10", "--out", "rows"});
  refused({"draw", "--learned", "rows/rows-4/stack-1/seed-1", "--input", "ab"},
          "task.kind: expected words");
}

TEST_F(FinishedRunCommands, AConstructedNetworkHasNoAttentionToDraw) {
  done({"compile", "regular", "--group", "S3", "-o", "s3.json"});
  done({"train", "construction", "s3.json", "--monoid", "S3", "--length", "4", "--steps", "1",
        "--out", "kept"});
  const std::string run = "kept/S3/construction/seed-1";
  refused({"draw", "--learned", run, "--input", "abab"}, "no attention to show");
  refused({"measure", run, "--loops", "1"}, "--loops: expected a run whose model repeats");
  refused({"measure", run, "--keep-edges", "2"},
          "--keep-edges: expected a run of a stack or a loop");
  EXPECT_EQ(measured(run, {"--length", "4", "--words", "20"})["result"]["accuracy"][3], 1.0);
}

}}  // namespace logdepth::command_line_measure_tests
