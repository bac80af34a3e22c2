// What Encode-Think-Decode reads from files: lines in the tokens of a language model, pretrained
// models, cuts.

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "learned/encode_think_decode/etd_text.hpp"
#include "learned/encode_think_decode/lines_task.hpp"
#include "learned/encode_think_decode/presets.hpp"
#include "learned/records/task.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/plain_run.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::etd_files_tests {
namespace {

using Json = nlohmann::ordered_json;

RunConfig tiny_base() {
  RunConfig config = etd_base(EtdSize::small);
  config.model.initial = 4;
  config.model.width = 8;
  config.model.heads = 2;
  config.model.hidden = 8;
  return config;
}

class EtdFiles : public testing::Test {
 protected:
  EtdFiles() { support::write_plain_run(tiny_base(), base()); }

  std::string base() const { return folder.file("base"); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder.file(name)) << text;
    return folder.file(name);
  }
  LinesConfig lines_of(const std::string& file) const {
    LinesConfig config;
    config.text = file;
    config.tokens = base();
    return config;
  }
  void refuses(const std::function<void()>& action, const std::string& message) const {
    try {
      action();
      FAIL() << "accepted, expected: " << message;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()), message);
    }
  }

  const support::TemporaryFolder folder;
};

/// Questions "where is NAME ?" of 20 names, with the place of the name's number.
std::string places(const std::vector<std::string>& names) {
  const auto& words = etd_words();
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += R"({"question": "where is )" + names[i] + R"( ?", "answer": ")" + words.at(1 + i % 4) +
            R"(", "kind": ")" + (i % 2 == 0 ? "even" : "odd") + R"(", "difficulty": )" +
            std::to_string(i % 3) + "}\n";
  return text;
}

std::vector<std::string> two_words() {
  std::vector<std::string> names;
  for (std::size_t i = 20; i < 50; ++i)
    for (std::size_t k = 20; k < 30; ++k) names.push_back(etd_words()[i] + " " + etd_words()[k]);
  return names;
}

TEST_F(EtdFiles, QuestionsAreSplitByTheirTextAndReadInTheTokensOfTheModel) {
  const std::vector<std::string> names = two_words();
  const LinesConfig config = lines_of(write("lines.jsonl", places(names)));
  const auto task = config.make_task(1);
  EXPECT_EQ(task->format().outputs.at(0), etd_words().size());
  std::set<std::string> trained, measured;
  const auto see = [&](const Samples& samples, std::set<std::string>& into) {
    for (std::size_t i = 0; i < samples.count; ++i) {
      std::string text;
      const std::size_t row = i * samples.tokens;
      ASSERT_EQ(samples.lengths[i], 6);  // where is X Y ? ANSWER
      for (std::size_t k = 0; k < 6; ++k)
        text += etd_words().at(static_cast<std::size_t>(samples.indices[row + k])) + " ";
      ASSERT_EQ(samples.targets[row + 5], kEndOfLine);
      into.insert(text);
    }
  };
  for (std::uint64_t step = 0; step < 200; ++step) see(task->training_batch(0, step), trained);
  std::map<std::pair<std::string, int>, int> asked;
  const Json result = task->measure(
      [&](const Samples& samples, std::uint32_t) {
        see(samples, measured);
        return samples.targets;
      },
      0, {});
  EXPECT_EQ(trained.size() + measured.size(), names.size()) << "every line is in one of the two";
  EXPECT_NEAR(static_cast<double>(measured.size()) / static_cast<double>(names.size()), 0.125,
              0.06);
  std::size_t total = 0;
  for (const Json& kind : result["kinds"]) {
    EXPECT_EQ(kind["right"], kind["asked"]);
    EXPECT_TRUE(kind["kind"] == "even" || kind["kind"] == "odd");
    int before = -1;
    for (const Json& one : kind["difficulties"]) {
      EXPECT_GT(one["difficulty"], before) << "in their order";
      before = one["difficulty"];
      total += one["asked"].get<std::size_t>();
    }
  }
  EXPECT_EQ(total, measured.size());
  // What is measured does not change with the lines around it.
  std::set<std::string> measured_of_half;
  const std::vector<std::string> half(names.begin(), names.begin() + 144);  // a multiple of 12
  lines_of(write("half.jsonl", places(half)))
      .make_task(9)
      ->measure(
          [&](const Samples& samples, std::uint32_t) {
            see(samples, measured_of_half);
            return samples.targets;
          },
          0, {});
  for (const std::string& line : measured_of_half) EXPECT_TRUE(measured.contains(line)) << line;
}

TEST_F(EtdFiles, LinesThatDoNotFitAreRefused) {
  const std::vector<std::string> names = two_words();
  const std::string fitting = places(names);
  LinesConfig config = lines_of(write("a.jsonl", fitting));
  config.length = 6;
  refuses([&] { config.make_task(1); },
          config.text +
              ": expected lines of at most 6 tokens with their end (task.length), found 7 "
              "in 'where is " +
              names.front() + " ?'");
  config.length = 7;
  EXPECT_NO_THROW(config.make_task(1));
  config.mixture = {1, 1, 1, 1, 1};
  refuses([&] { config.make_task(1); },
          "task.mixture: expected none with task.text, whose lines are as they are");
  config = lines_of(write("b.jsonl", fitting + R"({"question": "is zebra", "answer": "to"})"));
  try {
    config.make_task(1);
    FAIL() << "accepted a word that is none";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find(config.text + ": "), 0u) << error.what();
    EXPECT_NE(std::string(error.what()).find("zebra"), std::string::npos) << error.what();
  }
  config = lines_of(write("c.jsonl", R"({"question": "is", "answer": "to"})"));
  refuses([&] { config.make_task(1); },
          config.text +
              ": expected questions to train on and questions to measure, about one in "
              "eight, found " +
              (held_out("is") ? "0 and 1" : "1 and 0"));
  config = lines_of(write("d.jsonl", R"({"question": "is"})"));
  EXPECT_THROW(config.make_task(1), InputError);
  config = lines_of(folder.file("none.jsonl"));
  EXPECT_THROW(config.make_task(1), InputError);
}

TEST_F(EtdFiles, ARunIsAPretrainedModelUnlessItLoops) {
  const PretrainedModel model = read_pretrained_model(base());
  EXPECT_EQ(model.model.initial, 4u);
  EXPECT_EQ(model.model.repeated, 0u);
  EXPECT_EQ(model.vocabulary, etd_words().size());
  const auto middle = [&](const std::string& shape) {
    return etd_middle(model, parse_think_shape(shape, "--shape"), EtdSize::small, "");
  };
  // Of a run that passed its block once the layers are counted through.
  support::write_plain_run(middle("1-2*1-1"), folder.file("once"));
  const PretrainedModel once = read_pretrained_model(folder.file("once"));
  EXPECT_EQ(once.model.initial, 4u);
  EXPECT_EQ(once.model.repeated + once.model.final, 0u);
  support::write_plain_run(middle("1-2*2-1"), folder.file("twice"));
  refuses([&] { read_pretrained_model(folder.file("twice")); },
          folder.file("twice") +
              ": expected a model whose layers are passed once, found one with a loop of 2 layers");
}

TEST_F(EtdFiles, ACutIsSpeltOrReadFromAMeasurement) {
  EXPECT_EQ(layer_cut_text(read_layer_cut("1-2-1", "--cut")), "1-2-1");
  const std::string good =
      write("a.measurement.json",
            R"({"cut": {"encoder": 3, "think": 2, "decoder": 3, "encoder_knee": true}})");
  EXPECT_EQ(layer_cut_text(read_layer_cut(good, "--cut")), "3-2-3");
  for (const char* text :
       {"", "{}", "[]", R"({"cut": 3})", R"({"cut": {"encoder": 3, "think": 2}})",
        R"({"cut": {"encoder": -3, "think": 2, "decoder": 3}})",
        R"({"cut": {"encoder": 3.5, "think": 2, "decoder": 3}})",
        R"({"cut": {"encoder": 4294967296, "think": 2, "decoder": 3}})"}) {
    const std::string bad = write("b.json", text);
    refuses([&] { read_layer_cut(bad, "--cut"); },
            bad +
                ": expected the cut of a model as lm angular writes it, an object \"cut\" with "
                "encoder, think and decoder");
  }
  const std::string none = write("c.json", R"({"cut": {"encoder": 4, "think": 0, "decoder": 4}})");
  refuses([&] { read_layer_cut(none, "--cut"); },
          none + ": expected at least one layer in the block, found 4-0-4");
  refuses([&] { read_layer_cut("missing.json", "--cut"); },
          "--cut: expected a cut as 3-2-3, found 'missing.json'");
}

}  // namespace
}  // namespace logdepth::etd_files_tests
