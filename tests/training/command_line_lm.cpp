// `logdepth lm` by the command line, on small models.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "runtime/file/whole_file.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/model_files.hpp"

namespace logdepth::command_line_lm_tests {
namespace {

using nlohmann::json;
using support::Finished;
using Arguments = std::vector<std::string>;

class LmCommand : public support::CommandLine {
 protected:
  const std::string model = example("models/lines");
  const std::string text = example("models/lines.txt");

  json answer(Arguments arguments) const {
    arguments.push_back("--json");
    return json::parse(done(arguments));
  }
  /// The folder of a run with loops.
  std::string looped_run() const {
    write_whole_file(folder.file("record.json"), "{}");
    write_whole_file(folder.file("config.json"), to_json(support::small_run_config()).dump());
    write_whole_file(folder.file("model.safetensors"),
                     support::safetensors_bytes(support::small_run_tensors()));
    return folder.path();
  }
  void refused(const Arguments& arguments, const std::string& expected) const {
    const auto before = folder.names();
    const Finished finished = logdepth(arguments);
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_NE(finished.err.find(expected), std::string::npos) << finished.err;
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
    EXPECT_EQ(folder.names(), before) << "nothing is written";
  }
};

TEST_F(LmCommand, LoadSaysWhatAModelIsPredictsATextAndGoesOn) {
  const json shape = answer({"lm", "load", model});
  EXPECT_EQ(shape["architecture"], "olmo2");
  EXPECT_EQ(shape["layers"], 6);
  EXPECT_EQ(shape["parameters"], 20432);
  EXPECT_EQ(shape["encodings"], json({{"F32", 68}}));
  EXPECT_FALSE(shape.contains("text") || shape.contains("prompt"));
  const json said = answer({"lm", "load", model, "--text", text, "--length", "24", "--sequences",
                            "20", "--prompt", "fork sink pan belong to", "--tokens", "5"});
  EXPECT_EQ(said["text"]["sequences"], 20);
  EXPECT_EQ(said["text"]["tokens"], 20 * 23);
  EXPECT_GT(said["text"]["loss"], 0.5);
  EXPECT_LT(said["text"]["loss"], std::log(292) / 2) << "better than knowing nothing";
  EXPECT_GT(said["text"]["standard_error"], 0);
  EXPECT_EQ(said["prompt"]["tokens"].size(), 5u);
  EXPECT_EQ(said["prompt"]["continuation_text"], "kitchen <end>") << "the end of a text ends it";
  EXPECT_EQ(said["prompt"]["next"][0]["text"], "kitchen");
  double sum = 0;
  for (const json& next : said["prompt"]["next"]) sum += next["probability"].get<double>();
  EXPECT_GT(sum, said["prompt"]["next"][0]["probability"].get<double>());
  EXPECT_LT(sum, 1);
  EXPECT_EQ(answer({"lm", "load", model, "--prompt", "fork sink pan belong to", "--tokens",
                    "1"})["prompt"]["continuation_text"],
            "kitchen");
}

TEST_F(LmCommand, WhatIsSavedIsTheSameModelAndALoopedRunIsUnrolled) {
  const Arguments measured = {"--text", text, "--length", "24", "--sequences", "5"};
  const auto loss = [&](const std::string& path) {
    Arguments arguments = {"lm", "load", path};
    arguments.insert(arguments.end(), measured.begin(), measured.end());
    return answer(arguments)["text"]["loss"].get<double>();
  };
  EXPECT_EQ(done({"lm", "save", model, "--out", "saved"}), "");
  EXPECT_EQ(loss(model), loss("saved"));
  const std::string run = looped_run();
  EXPECT_EQ(answer({"lm", "load", run})["shape"], "1-2*3-1");
  done({"lm", "save", run, "--out", "unrolled"});
  EXPECT_EQ(answer({"lm", "load", "unrolled"})["layers"], 8);
  EXPECT_NEAR(loss(run), loss("unrolled"), 1e-3 * loss(run));
}

TEST_F(LmCommand, AngularAndLoopsWriteTheirFilesAndPrintTheSame) {
  const json angular =
      answer({"lm", "angular", model, "--text", text, "--length", "24", "--out", "out/a"});
  EXPECT_EQ(angular["measurement"], "angular-distance");
  EXPECT_EQ(angular["distances"].size(), 6u);
  EXPECT_EQ(json::parse(folder.read("out/a/angular.measurement.json")), angular);
  EXPECT_EQ(folder.read("out/a/angular.svg").rfind("<svg", 0), 0u);
  EXPECT_EQ(support::lines(folder.read("out/a/angular.csv")).size(), 7u);
  const json loops = answer({"lm", "loops", model, "--text", text, "--length", "24", "--sequences",
                             "4", "--blocks", "5,2,5", "--loops", "3,1", "--out", "out/a"});
  EXPECT_EQ(loops["measurement"], "loops-without-training");
  EXPECT_EQ(loops["shapes"].size(), (2u + 5u) * 2u) << "a block that is named twice counts once";
  for (const json& shape : loops["shapes"]) {
    EXPECT_EQ(shape["encoder"].get<int>() + shape["think"].get<int>() + shape["decoder"].get<int>(),
              6);
    EXPECT_EQ(shape["difference"] == 0, shape["loops"] == 1) << shape;
  }
  EXPECT_EQ(json::parse(folder.read("out/a/loops.measurement.json")), loops);
  EXPECT_EQ(folder.read("out/a/loops.svg").rfind("<svg", 0), 0u);
  EXPECT_EQ(answer({"lm", "loops", model, "--text", text, "--length", "24", "--sequences", "4",
                    "--blocks", "2,5", "--loops", "1,3"}),
            loops)
      << "bits repeat";
}

TEST_F(LmCommand, WhatDoesNotFitIsRefused) {
  refused({"lm", "load", "nothing.gguf"}, "nothing.gguf");
  refused({"train", "etd", "--base", model, "--set", "model.width=32", "--loops", "1", "--steps",
           "2", "--out", "runs"},
          "expected model.width = 16 as this language model has it, found 32");
  refused({"lm", "load", model, "--prompt", "no such words"}, "--prompt: expected words");
  refused({"lm", "load", model, "--prompt", "\xff"}, "--prompt: expected UTF-8, found '\\xff'");
  refused({"lm", "load", model, "--text", "no\xff"}, "--text: expected UTF-8, found 'no\\xff'");
  std::string longer;
  for (int i = 0; i < 500; ++i) longer += "1 ";
  refused({"lm", "load", model, "--prompt", longer},
          "room for 20 more tokens in the context of 512");
  refused({"lm", "load", model, "--prompt", " "}, "--prompt: expected a text with tokens");
  refused({"lm", "load", model, "--text", text, "--length", "1024"}, "--length: expected 2 to 512");
  refused({"lm", "angular", model, "--text", "none.txt"}, "none.txt");
  folder.write("short.txt", "fork sink pan belong to kitchen\n");
  refused({"lm", "angular", model, "--text", "short.txt"}, "at least 2 sequences of 96 tokens");
  refused({"lm", "loops", model, "--text", text, "--blocks", "7"}, "--blocks: expected 1 to 6");
  refused({"lm", "loops", model, "--text", text, "--loops", "0"}, "--loops");
  refused({"lm", "angular", model, "--text", text, "--out", "short.txt"}, "--out");
  // The pages of the project are read where no text is named: words that this model has not.
  refused({"lm", "angular", model}, "docs: expected words");
  const std::string run = looped_run();
  refused({"lm", "angular", run, "--text", text}, "a model without loops");
  refused({"lm", "loops", run, "--text", text}, "a model without loops");
}

TEST_F(LmCommand, ATrainingRunBeginsWithALanguageModelThatFits) {
  const Arguments train = {"train", "word-problem", "--monoid", "Z2", "--out", "runs", "--from"};
  const auto from = [&](const std::string& path) {
    Arguments arguments = train;
    arguments.push_back(path);
    return arguments;
  };
  refused(from("none"), "none: expected a file of weights, or a language model, to begin with");
  folder.write("damaged.gguf", "GGUF and nothing else");
  refused(from("damaged.gguf"), "damaged.gguf");
  std::filesystem::create_directory(folder.file("empty"));
  refused(from("empty"), "empty");
}

}  // namespace
}  // namespace logdepth::command_line_lm_tests
