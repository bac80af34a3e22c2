// `logdepth export` from outside: what it writes, and what it refuses to write. Who reads it with
// the programs that it is for is tests/python.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "library/exports/network.hpp"
#include "library/exports/self_test.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/safetensors.hpp"
#include "runtime/file/sha256.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/places.hpp"

namespace logdepth::exports_tests { namespace {

using nlohmann::json;
using support::Finished;

class ExportCommand : public support::CommandLine {
 protected:
  void SetUp() override { done({"compile", "regular", "--group", "A5", "-o", "a5.json"}); }

  std::vector<std::string> arguments(const std::string& model,
                                     const std::vector<std::string>& more) const {
    std::vector<std::string> all = {"export", model, "--length", "12", "-o", "out", "--to"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  void refuses(int status, const std::vector<std::string>& said,
               const std::string& sentence) const {
    const Finished finished = logdepth(said);
    EXPECT_EQ(finished.status, status) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_NE(finished.err.find(sentence), std::string::npos) << finished.err;
    EXPECT_EQ(finished.err.find('\n'), finished.err.size() - 1) << "one sentence, one line";
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "out")) << "something was written";
  }
};

TEST_F(ExportCommand, AFolderHoldsWhatItsTargetNeeds) {
  const auto files = [&](const std::string& target) {
    std::set<std::string> names;
    done({"export", "a5.json", "--to", target, "--length", "4", "-o", target});
    for (const auto& file : std::filesystem::directory_iterator(folder.path() / target))
      names.insert(file.path().filename());
    return names;
  };
  std::set<std::string> expected = {"README.md",   "SHA256SUMS",          "circuit.json",
                                    "config.json", "logdepth_answers.py", "model.safetensors"};
  EXPECT_EQ(files("safetensors"), expected);
  expected.insert("logdepth_torch.py");
  EXPECT_EQ(files("torch"), expected);
  expected.insert("logdepth_lens.py");
  EXPECT_EQ(files("transformer-lens"), expected);
  std::string sums;
  for (const char* name : {"model.safetensors", "README.md", "circuit.json", "config.json",
                           "logdepth_answers.py", "logdepth_lens.py", "logdepth_torch.py"})
    sums += sha256(folder.read(std::string("transformer-lens/") + name)) + "  " + name + "\n";
  EXPECT_EQ(folder.read("transformer-lens/SHA256SUMS"), sums) << "as sha256sum -c reads them";
  const auto source = [](const char* name) {
    return read_whole_file(support::source_dir() + "/python/logdepth/" + name);
  };
  EXPECT_EQ(folder.read("safetensors/logdepth_answers.py"), source("answers.py"));
  EXPECT_EQ(folder.read("torch/logdepth_torch.py"), source("torch.py"));
  EXPECT_EQ(folder.read("transformer-lens/logdepth_lens.py"), source("lens.py"));
}

TEST_F(ExportCommand, TheSummarySaysWhatTheConfigurationSays) {
  const json said = json::parse(done(arguments("a5.json", {"torch", "--json"})));
  const json config = json::parse(folder.read("out/config.json"));
  EXPECT_EQ(said.at("schema"), "logdepth/export/1");
  EXPECT_EQ(said.at("loops"), 4);
  EXPECT_EQ(said.at("tokens"), 13);
  EXPECT_EQ(said.at("loops"), config.at("loops"));
  EXPECT_EQ(said.at("tokens"), config.at("most_tokens"));
  EXPECT_EQ(said.at("inputs"), config.at("tested").at("inputs"));
  EXPECT_EQ(said.at("answers"), config.at("tested").at("answers"));
  EXPECT_EQ(said.at("separated"), true);
  EXPECT_EQ(config.at("certified").at("to_length"), 12);
  const json& head = config.at("layers").at(0).at("attention").at("heads").at(0);
  EXPECT_EQ(said.at("temperature"), head.at("temperature"));
  // 128/225 / 13^2; enough for 12 others to weigh less than 2^-54 together.
  EXPECT_NEAR(head.at("gap").get<double>(), 128.0 / 225 / 169, 1e-15);
  const double left = head.at("gap").get<double>() - 2 * head.at("rounding").get<double>();
  EXPECT_LE(12 * std::exp(-head.at("temperature").get<double>() * left), 0x1p-54);
  EXPECT_GT(12 * std::exp(-head.at("temperature").get<double>() / 2 * left), 0x1p-54);
}

// Prefixes are words too, and every one of a long word is dear: it is said how far they were asked.
TEST_F(ExportCommand, TheConfigurationSaysHowFarWordsOfEveryLengthWereTried) {
  const auto tested = [&](const std::string& length) {
    done({"export", "a5.json", "--to", "safetensors", "--temperature", "hard", "--length", length,
          "-o", "out"});
    return json::parse(folder.read("out/config.json")).at("tested");
  };
  EXPECT_EQ(tested("12").at("every_length_to"), 12);
  const json far = tested("600");
  EXPECT_EQ(far.at("to_length"), 600);
  EXPECT_GT(far.at("every_length_to"), 100);
  EXPECT_LT(far.at("every_length_to"), 600);
}

TEST_F(ExportCommand, TheCardHasTheExpressionAsItIs) {
  done({"compile", "regular", "--regex", "(a|\\`)*b", "-o", "bar.json"});
  done(arguments("bar.json", {"safetensors"}));
  const std::string card = folder.read("out/README.md");
  EXPECT_TRUE(card.starts_with("# `` regex (a|\\`)*b ``\n")) << card;
  EXPECT_NE(card.find(" over `` ` `` `a` `b`, after"), std::string::npos) << card;
}

TEST_F(ExportCommand, AFolderIsReplacedAsAWholeOrNotAtAll) {
  namespace fs = std::filesystem;
  const auto names = [&](const fs::path& of) {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder.path() / of))
      found.insert(entry.path().filename());
    return found;
  };
  const std::set<std::string> before = names(".");
  done(arguments("a5.json", {"transformer-lens"}));
  const std::string first = folder.read("out/config.json");
  // A self-test that fails leaves the earlier export as it was.
  EXPECT_EQ(logdepth(arguments("a5.json", {"torch", "--temperature", "1"})).status, 1);
  EXPECT_EQ(folder.read("out/config.json"), first);
  done(arguments("a5.json", {"safetensors"}));
  EXPECT_EQ(names("out"),
            (std::set<std::string>{"README.md", "SHA256SUMS", "circuit.json", "config.json",
                                   "logdepth_answers.py", "model.safetensors"}))
      << "what the earlier target needed is still there";
  // What somebody else put there is not lost.
  folder.write("out/notes.txt", "mine");
  const Finished refused = logdepth(arguments("a5.json", {"torch"}));
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("an earlier export; it holds 'notes.txt'"), std::string::npos)
      << refused.err;
  EXPECT_EQ(folder.read("out/notes.txt"), "mine");
  std::set<std::string> after = names(".");
  after.erase("out");
  EXPECT_EQ(after, before) << "a temporary folder was left";
  fs::create_directories(folder.path() / "empty");
  done({"export", "a5.json", "--to", "torch", "--length", "4", "-o", "empty/"});
  done({"export", "a5.json", "--to", "torch", "--length", "4", "-o", "new/below"});
  EXPECT_EQ(names("new/below"), names("empty"));
  EXPECT_NE(fs::status(folder.path() / "empty").permissions() & fs::perms::group_read,
            fs::perms::none);
}

TEST_F(ExportCommand, TheExactWeightsAreThoseOfTheFile) {
  done(arguments("a5.json", {"safetensors"}));
  const SafeTensors tensors = read_safetensors(folder.file("out/model.safetensors"));
  const auto number = [&](const std::string& name, std::size_t at) {
    std::int64_t value = 0;
    std::memcpy(&value, tensors.arrays.at(name).bytes.data() + at * sizeof value, sizeof value);
    return value;
  };
  // -15/104 of the file, its mask 13/2, the scale 16/15; 3/8 under mask 1 and 8/3.
  EXPECT_EQ(number("layers.0.in.numerator", 0), -1);
  EXPECT_EQ(number("layers.0.in.denominator", 0), 1);
  EXPECT_EQ(number("layers.0.heads.0.value.numerator", 13), 1);
  EXPECT_EQ(number("layers.0.heads.0.query.numerator", 5), 8);
  EXPECT_EQ(number("layers.0.heads.0.query.denominator", 5), 3);
}

TEST_F(ExportCommand, ATemperatureThatIsTooLowIsFoundOutAndNothingIsWritten) {
  refuses(1, arguments("a5.json", {"torch", "--temperature", "1"}),
          "nothing was written: on the word '");
  refuses(1, arguments("a5.json", {"onnx", "--temperature", "1"}),
          "nothing was written: on the word '");
  done({"compile", "division", "-o", "division.json"});
  refuses(1, arguments("division.json", {"torch", "--temperature", "1"}),
          "nothing was written: on the dividends ");
}

// Random words seldom hold a long power of one letter, where the counters of a cascade are furthest
// from 0 and float32 first takes a small difference of two averages for none.
TEST_F(ExportCommand, LongPowersOfALetterAreTried) {
  done({"compile", "regular", "--group", "S3", "--construction", "cascade", "-o", "s3.json"});
  const auto exported = [&](const char* length, const char* precision) {
    return logdepth({"export", "s3.json", "--to", "torch", "--temperature", "hard", "--precision",
                     precision, "--length", length, "-o", "out"});
  };
  const Finished wrong = exported("15", "float32");
  EXPECT_EQ(wrong.status, 1) << wrong.err;
  EXPECT_NE(wrong.err.find("nothing was written: on the word 'b b b b b b b b b b b b b b"),
            std::string::npos)
      << wrong.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "out")) << "something was written";
  const Finished right = exported("15", "float64");
  EXPECT_EQ(right.status, 0) << right.err;
}

TEST_F(ExportCommand, ATemperatureAtWhichScoresAreNotFiniteIsRefused) {
  refuses(2, arguments("a5.json", {"onnx", "--temperature", "1e308"}),
          "--temperature: expected at most ");
  refuses(2, arguments("a5.json", {"torch", "--precision", "float32", "--temperature", "1e38"}),
          "above which scores of float32 would not be finite, found 1e+38");
  const Finished finished =
      logdepth(arguments("a5.json", {"torch", "--temperature", "1e30", "--precision", "float32"}));
  EXPECT_NE(finished.status, 2) << finished.err;
}

TEST_F(ExportCommand, AFileThatProvesNothingHasNoTemperature) {
  json model = json::parse(folder.read("a5.json"));
  model.erase("derived");
  folder.write("bare.json", model.dump());
  refuses(3, arguments("bare.json", {"torch"}),
          "layer 1, head 1: no temperature is proved: the file carries no program from which "
          "anything could be proved; --temperature 256 passes the self-test");
  // Its norms are not folded, and TransformerLens computes them.
  done(arguments("bare.json", {"transformer-lens", "--temperature", "100000"}));
  const Finished finished = logdepth(arguments("bare.json", {"torch", "--temperature", "hard"}));
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_NE(finished.err.find("heads tested, not proved"), std::string::npos) << finished.err;
  const json config = json::parse(folder.read("out/config.json"));
  EXPECT_FALSE(config.at("layers").at(0).at("feedforward").at("norm").is_null());
  EXPECT_TRUE(config.at("certified").at("to_length").is_null());
  EXPECT_EQ(config.at("certified").at("what"), "nothing");
}

TEST_F(ExportCommand, WhatNumbersOfTheFormatCannotTellApartIsRefused) {
  refuses(3, arguments("a5.json", {"torch", "--precision", "float32"}),
          "layer 1, head 1 ('prev'): no temperature is proved: at 13 tokens its scores are "
          "proved to "
          "be 0.0034 apart, of which float32 can lose");
  refuses(3, arguments("a5.json", {"torch", "--precision", "float32"}),
          "expected a separation of more than 8 times that loss, ");
  refuses(3, arguments("a5.json", {"torch", "--precision", "float32"}),
          " passes the self-test (--temperature tested); --temperature hard exports");
}

TEST_F(ExportCommand, TheTemperatureOfFormulasFollowsFromTheDistancesOfFind) {
  done({"compile", "formula", "-o", "formula.json"});
  const Finished finished = logdepth(arguments("formula.json", {"torch"}));
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_NE(finished.err.find("heads proved to be separated"), std::string::npos) << finished.err;
  const json config = json::parse(folder.read("out/config.json"));
  const json& left = config.at("layers").at(3).at("attention").at("heads").at(0);
  EXPECT_EQ(left.at("name"), "left");
  // 1/1200 / 13^5
  EXPECT_NEAR(left.at("gap").get<double>() * 1200 * 371293, 1, 1e-12);
  std::filesystem::remove_all(folder.path() / "out");
  refuses(3, {"export", "formula.json", "--to", "torch", "--length", "64", "-o", "out"},
          "layer 4, head 1 ('left'): no temperature is proved: at 65 tokens its scores are "
          "proved to be 7.2e-13 apart");
}

TEST_F(ExportCommand, TheTestedTemperatureIsTheLeastPowerOfTwoThatPasses) {
  const auto with = [&](const std::string& temperature) {
    return logdepth(arguments(
        "a5.json", {"torch", "--precision", "float32", "--json", "--temperature", temperature}));
  };
  const Finished finished = with("tested");
  EXPECT_NE(finished.err.find("heads tested, not proved"), std::string::npos) << finished.err;
  const double found = json::parse(finished.out).at("temperature");
  EXPECT_EQ(std::exp2(std::floor(std::log2(found))), found);
  EXPECT_EQ(with(std::to_string(found)).status, 0);
  EXPECT_EQ(with(std::to_string(found / 2)).status, 1) << "less than the least";
}

TEST_F(ExportCommand, TheTestedTemperatureOfACertificateIsTheLeastThatIsProved) {
  const auto with = [&](const std::string& temperature) {
    return logdepth({"export", "a5.json", "--to", "torch", "--length", "4", "-o", "out", "--json",
                     "--certify", "--temperature", temperature});
  };
  const Finished finished = with("tested");
  EXPECT_NE(finished.err.find("every answer certified"), std::string::npos) << finished.err;
  const double found = json::parse(finished.out).at("temperature");
  EXPECT_EQ(std::exp2(std::floor(std::log2(found))), found);
  EXPECT_LT(found, json::parse(with("auto").out).at("temperature").get<double>());
  EXPECT_EQ(with(std::to_string(found / 2)).status, 1) << "less than the least";
}

TEST_F(ExportCommand, ACircuitHasNoNumbersToChooseAndNoOtherTargetHasPairs) {
  for (const auto& [option, value] :
       {std::pair("--temperature", "hard"), std::pair("--precision", "float64"),
        std::pair("--certify", "")}) {
    std::vector<std::string> more = {"circuit", option};
    if (*value) more.push_back(value);
    refuses(2, arguments("a5.json", more), std::string(option) + ": not of --to circuit");
  }
  refuses(2, arguments("a5.json", {"torch", "--pairs", "3"}), "--pairs: not of --to torch");
  refuses(2, arguments("a5.json", {"torch", "--norms", "file"}), "--norms: not of --to torch");
  refuses(2, {"export", "a5.json", "--to", "circuit", "--length", "0", "-o", "out"},
          "--length: expected at least 1");
}

TEST_F(ExportCommand, WrongUsageIsNamed) {
  refuses(2, {"export", "a5.json", "--to", "torch", "--length", "0", "-o", "out"},
          "--length: expected at least 1");
  refuses(2, arguments("a5.json", {"torch", "--temperature", "warm"}),
          "--temperature: expected auto, tested, hard or a number above 0, found 'warm'");
  refuses(2, arguments("a5.json", {"torch", "--temperature", "-1"}),
          "expected auto, tested, hard or a number");
  refuses(2, arguments("a5.json", {"torch", "--temperature", "inf"}),
          "expected auto, tested, hard or a number");
  refuses(2, arguments("a5.json", {"jax"}), "--to");
  refuses(2, {"export", "a5.json", "--to", "torch", "--length", "4", "-o", ""},
          "--output: expected a value, found ''");
  refuses(2, {"export", "a5.json", "--to", "torch", "-o", "out"}, "--length");
  refuses(2, {"export", "a5.json", "--to", "onnx", "--length", "4", "-o", "a5.json"}, "a5.json");
  refuses(2, {"export", "a5.json", "--to", "torch", "--length", "4", "-o", "a5.json/x"},
          "expected the name of a folder");
  done({"compile", "regular", "--group", "A5", "--unroll", "8", "-o", "eight.json"});
  refuses(2, arguments("eight.json", {"torch"}), "--length: expected at most 8");
  refuses(3, {"export", "a5.json", "--to", "torch", "--length", "70000", "-o", "out"},
          "70001 tokens are more than the limit of 65536");
}

TEST_F(ExportCommand, DivisionsOfEveryConstructionAreTested) {
  for (const std::vector<std::string>& construction :
       std::vector<std::vector<std::string>>{{"--construction", "paper"},
                                             {"--construction", "floor", "--for-length", "12"},
                                             {"--unit-inputs"},
                                             {"--own-argument"}}) {
    std::vector<std::string> typed = {"compile", "division", "-o", "division.json"};
    typed.insert(typed.end(), construction.begin(), construction.end());
    done(typed);
    done(arguments("division.json", {"torch", "--temperature", "hard"}));
    EXPECT_GT(json::parse(folder.read("out/config.json")).at("tested").at("answers"), 10000);
  }
}

TEST_F(ExportCommand, RawStreamsOfWhichNothingIsKnownAreRefused) {
  done({"compile", "program", example("cells/store.cells"), "-o", "store.json"});
  refuses(3, arguments("store.json", {"torch", "--temperature", "hard"}),
          "takes raw streams of an unknown format");
}

TEST_F(ExportCommand, TheSeedChoosesOtherWordsAndTheSameOneTheSame) {
  const auto config = [&](const std::string& seed) {
    done(arguments("a5.json", {"safetensors", "--seed", seed}));
    return json::parse(folder.read("out/config.json")).at("examples");
  };
  const json one = config("1");
  EXPECT_EQ(config("1"), one);
  EXPECT_NE(config("2"), one);
}

// The description of a network: what it says of the scores of a head is true in exact runs.

using namespace exports;
namespace {

/// Scores of an exact run beside what the network says: how far apart they are, and how far those of
/// float32 are from them.
class ScoreObserver final : public ForwardObserver<ValueId> {
 public:
  ScoreObserver(const Network& network, Runner& runner)
      : network_(network), pool_(runner.arithmetic().pool()), arrays_(float_arrays(network)) {}

  void before(const Location&, const Stream<ValueId>& stream) override {
    stream_.assign(stream.tokens, std::vector<float>(network_.width));
    for (std::size_t t = 0; t < stream.tokens; ++t)
      for (std::size_t c = 0; c < network_.width; ++c)
        stream_[t][c] = static_cast<float>(pool_[stream.at(t, c)].approximate().value);
  }

  void on_head(const Location& at, std::size_t k, const HeadRows<ValueId>& rows) override {
    const NetworkHead& head = network_.layers[at.layer].heads[k];
    if (!head.compares) return;
    const std::string name = "layers." + std::to_string(at.layer) + ".heads." + std::to_string(k);
    for (std::size_t i = 0; i < rows.tokens(); ++i) {
      std::vector<double> scores;
      for (std::size_t j = 0; j < (head.causal ? i + 1 : rows.tokens()); ++j) {
        Real exact;
        for (std::size_t d = 0; d < rows.score_dimension(); ++d)
          exact = exact + pool_[rows.query(i)[d]] * pool_[rows.key(j)[d]];
        scores.push_back(exact.approximate().value);
        if (network_.layers[at.layer].attention.folded) {
          EXPECT_NEAR(rounded(name, i, j), scores.back(), head.loss) << name;
          ++near;
        }
      }
      const double largest = *std::max_element(scores.begin(), scores.end());
      for (const double score : scores)
        if (head.gap > 0 && largest - score > 1e-9) {
          EXPECT_GE(largest - score, head.gap * (1 - 1e-9)) << name;
          ++apart;
        }
    }
  }

  std::size_t apart = 0, near = 0;

 private:
  float rounded(const std::string& name, std::size_t i, std::size_t j) const {
    const auto read = [&](const std::string& matrix, std::size_t token, std::size_t row) {
      const FloatArray& array = arrays_.at(name + matrix);
      float sum = 0;
      for (std::size_t c = 0; c < array.columns; ++c)
        sum += static_cast<float>(array.numbers[row * array.columns + c]) * stream_[token][c];
      return sum;
    };
    float score = 0;
    for (std::size_t d = 0; d < arrays_.at(name + ".query").rows; ++d)
      score += read(".query", i, d) * read(".key", j, d);
    return score;
  }

  const Network& network_;
  const ValuePool& pool_;
  const FloatArrays arrays_;
  std::vector<std::vector<float>> stream_;
};

class Networks : public support::CommandLine {
 protected:
  void expect_true_bounds(const std::vector<std::string>& construction) const {
    SCOPED_TRACE(testing::PrintToString(construction));
    std::vector<std::string> arguments = {"compile"};
    arguments.insert(arguments.end(), construction.begin(), construction.end());
    arguments.insert(arguments.end(), {"-o", "model.json"});
    done(arguments);
    const Model model = read_weights(folder.file("model.json"));
    constexpr std::uint64_t kLength = 11;
    const Network network = network_of(model, {.length = kLength, .single = true});
    Runner runner(model);
    ScoreObserver scores(network, runner);
    std::mt19937_64 random(7);
    for (int word = 0; word < 5; ++word) {
      std::vector<std::string> letters;
      for (std::uint64_t i = 0; i < kLength; ++i)
        letters.push_back(model.alphabet[random() % model.alphabet.size()]);
      ASSERT_TRUE(runner.run_word(letters, {&scores}).has_value());
    }
    EXPECT_GT(scores.apart, 100u) << "no separation was looked at";
    EXPECT_GT(scores.near, 100u) << "no score was looked at";
  }
};

TEST_F(Networks, ScoresAreAsFarApartAsItSays) {
  for (const char* norm : {"rms", "layernorm"})
    for (const char* positions : {"two-circle", "circle", "first-flag"})
      expect_true_bounds({"regular", "--group", "S3", "--norm", norm, "--positions", positions});
  expect_true_bounds({"regular", "--group", "S3", "--construction", "tree"});
  expect_true_bounds({"regular", "--regex", "(a|b)*abb", "--construction", "cascade"});
  expect_true_bounds(
      {"regular", "--group", "S3", "--construction", "radix", "--radix", "3", "--unroll", "20"});
}

TEST_F(Networks, AnExactWeightOfMoreThanSixtyFourBitsIsRefusedByTheNameOfItsMatrix) {
  done({"compile", "regular", "--group", "Z6", "-o", "model.json"});
  Network network = network_of(read_weights(folder.file("model.json")), {.length = 3});
  const auto arrays = float_arrays(network);
  EXPECT_NO_THROW((void)tensors_of(network, arrays));
  Rational& weight = network.layers[0].heads[0].key.entries[0].value;
  weight = weight * *Rational::parse("9223372036854775808");
  try {
    (void)tensors_of(network, arrays);
    ADD_FAILURE() << "it was written";
  } catch (const ExportRefused& refused) {
    EXPECT_NE(std::string(refused.what()).find("layers.0.heads.0.key: the exact weight"),
              std::string::npos)
        << refused.what();
  }
}

}  // namespace

}}  // namespace logdepth::exports_tests
