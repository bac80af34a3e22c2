// `logdepth run` and `logdepth diff` in floating point, from outside: answers, certificates and
// refusals.
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "compiler/passes/compile.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton.hpp"
#include "objects/named_monoids.hpp"
#include "oracle/reachability_oracle.hpp"
#include "proofs-check/check/divisions.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"
#include "runtime/floats/float_run.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/places.hpp"

namespace logdepth::command_line_floats_tests { namespace {

using Engine = FloatOptions::Engine;
using nlohmann::json;
using support::Finished;
using support::lines;

class FloatCommands : public support::CommandLine {
 protected:
  static std::string false_file(const std::string& name) {
    return support::source_dir() + "/tests/claims/false_floats/" + name + ".json";
  }
  void expect_refused(const std::vector<std::string>& arguments,
                      const std::string& sentence) const {
    EXPECT_LT(refuses(arguments, sentence).err.size(), 250u);
  }
};

TEST_F(FloatCommands, AnswerAsTheExactRunDoesAndCertifyIt) {
  compile_a5();
  std::string batch;
  for (const std::size_t length : {0, 1, 2, 3, 8, 17, 64, 200})
    batch += random_text(length, static_cast<unsigned>(length)) + "\n";
  batch += "abab\nab\n" + random_text(3, 5) + "\n";
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, std::vector<std::string>{"--prefixes"}}) {
    std::vector<std::string> run = {"run", "a5.json", "--batch", "-"};
    run.insert(run.end(), more.begin(), more.end());
    const std::string expected = done(run, batch);
    for (const char* engine : {"float64", "float32", "mpfr:60"}) {
      auto in_floats = run;
      in_floats.insert(in_floats.end(), {"--engine", engine});
      const Finished finished = logdepth(in_floats, batch);
      EXPECT_EQ(finished.status, 0) << engine << "\n" << finished.err;
      EXPECT_EQ(finished.out, expected) << engine;
      const std::vector<std::string> said = lines(finished.err);
      ASSERT_EQ(said.size(), 11u) << finished.err;
      EXPECT_EQ(said.back(), "logdepth: word 11: certified");
    }
  }
}

TEST_F(FloatCommands, CertifyTheValuesOfFormulasAsTheExactRunFindsThem) {
  done({"compile", "formula", "-o", "formula.json"});
  const auto times = [](const std::string& text, std::size_t count) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) all += text;
    return all;
  };
  std::mt19937_64 dice(7);
  std::string batch = "\n10&1|\n&\n11&0|!\n";
  for (const std::size_t length : {2, 5, 16, 31, 32, 33, 60, 100}) {
    batch += times("1", length / 2 + 1) + times("&", length / 2) + "\n";
    batch += "0" + times("1|", length / 2) + "\n1" + times("!", length - 1) + "\n";
    for (std::size_t i = 0; i < length; ++i) batch += "01!&|"[dice() % 5];
    batch += "\n";
  }
  const std::string expected = done({"run", "formula.json", "--batch", "-"}, batch);
  for (const char* engine : {"float64", "mpfr:70"})
    EXPECT_EQ(done({"run", "formula.json", "--batch", "-", "--engine", engine}, batch), expected);
  // Each doubling of the length takes some bits. Where they are gone, the answer is not certified.
  const std::string longer = times("1", 300) + times("&", 299);
  const Finished lost = logdepth({"run", "formula.json", "--input", longer, "--engine", "float64"});
  EXPECT_EQ(lost.status, 3);
  EXPECT_NE(lost.err.find("the error bounds of the logits are too large"), std::string::npos);
  EXPECT_EQ(done({"run", "formula.json", "--input", longer, "--engine", "mpfr:80"}), "accept\n");
}

TEST_F(FloatCommands, SayInJsonWithWhichEngineAndHowSure) {
  compile_a5();
  const json out = json::parse(
      done({"run", "a5.json", "--input", "abab", "--engine", "float32", "--json", "--stats"}));
  EXPECT_EQ(out["engine"], "float32");
  EXPECT_EQ(out["facts"], "proved");
  EXPECT_EQ(out["results"][0]["certificate"], "certified");
  EXPECT_FALSE(out["results"][0].contains("reason"));
  const json& s = out["statistics"];
  EXPECT_EQ(s["rows"], 5 * 2);
  EXPECT_EQ(s["single"], 5 * 2);
  EXPECT_EQ(s["scores"], 15 * 2);
  const json exact = json::parse(done({"run", "a5.json", "--input", "abab", "--json"}));
  EXPECT_FALSE(exact["results"][0].contains("certificate"));
  EXPECT_EQ(exact["results"][0]["outcome"], out["results"][0]["outcome"]);
}

TEST_F(FloatCommands, EndWithThreeWhereOneAnswerIsNotCertified) {
  compile_a5();
  const std::string batch = "ab\n" + random_text(70, 9) + "\n\n";
  const Finished finished =
      logdepth({"run", "a5.json", "--batch", "-", "--engine", "mpfr:9", "--json"}, batch);
  EXPECT_EQ(finished.status, 3);
  const json results = json::parse(finished.out)["results"];
  EXPECT_EQ(results[0]["certificate"], "certified");
  EXPECT_EQ(results[2]["certificate"], "certified");
  if (results[1].contains("certificate")) {
    EXPECT_EQ(results[1]["certificate"], "ambiguous");
    EXPECT_NE(results[1]["reason"].get<std::string>().find("rows of attention"), std::string::npos);
  } else {
    EXPECT_EQ(results[1]["outcome"], "undecided");
  }
  const std::vector<std::string> said = lines(finished.err);
  EXPECT_EQ(said.front(), "logdepth: word 1: certified");
  EXPECT_TRUE(said[1].starts_with("logdepth: word 2: ")) << said[1];
}

TEST_F(FloatCommands, AnswerGraphsAndRawStreams) {
  done({"compile", "connectivity", "-o", "graph.json"});
  done({"compile", "program", example("cells/store.cells"), "-o", "store.json"});
  folder.write("graph.txt", "1 2\n2 3\n4 1\n5 5\n");
  const std::string pairs = "1 3\n3 1\n4 3\n5 1\n5 5\n";
  folder.write("pairs.txt", pairs);
  const std::vector<std::string> graph = {"run",     "graph.json", "--graph",  "graph.txt",
                                          "--batch", "pairs.txt",  "--engine", "float64"};
  const Finished answered = logdepth(graph);
  EXPECT_EQ(answered.status, 0) << answered.err;
  EXPECT_EQ(answered.out, "connected\nnot connected\nconnected\nnot connected\nconnected\n");
  const std::vector<std::string> cells = {"run", "store.json", "--cells",
                                          example("cells/store.txt")};
  auto in_floats = cells;
  in_floats.insert(in_floats.end(), {"--engine", "float64"});
  const Finished said = logdepth(in_floats);
  EXPECT_EQ(said.status, 0);
  EXPECT_TRUE(said.err.starts_with("logdepth: certified: numbers within ")) << said.err;
  // The same names, and as many tokens; roots are numbers.
  const std::vector<std::string> exact = lines(done(cells)), got = lines(said.out);
  ASSERT_EQ(got.size(), exact.size());
  EXPECT_EQ(got[0], exact[0]);
  EXPECT_EQ(said.out.find("sqrt"), std::string::npos);
}

// A row of the transposed position: one that matches, unless it is cut off, or columns do not count.
TEST_F(FloatCommands, CertifyNothingWhereAHeadIsSeenToBreakItsContract) {
  const std::string file =
      support::source_dir() + "/tests/programs/a_row_and_a_column_with_a_one.cells";
  folder.write("cut.cells", read_whole_file(file));
  std::string text = folder.read("cut.cells");
  const std::string both = "find-one R key C and C key R";
  text.replace(text.find(both), both.size(), "find-one R key C");
  folder.write("rows.cells", text);
  for (const char* program : {"cut", "rows"})
    done({"compile", "program", std::string(program) + ".cells", "-o",
          std::string(program) + ".json"});
  for (const char* engine : {"float64", "float32", "mpfr:100"}) {
    const auto ends = [&](const std::string& model, const std::string& word) {
      return std::pair(logdepth({"run", model, "--input", word}),
                       logdepth({"run", model, "--input", word, "--engine", engine}));
    };
    const auto [kept, kept_in_floats] = ends("cut.json", "010011010");
    EXPECT_EQ(kept.status, 0) << kept.err;
    EXPECT_EQ(kept_in_floats.status, 0) << kept_in_floats.err;
    EXPECT_TRUE(kept_in_floats.err.starts_with("logdepth: certified")) << kept_in_floats.err;
    // What several positions hold alike, and what lies nearest where nothing matches.
    for (const auto& [model, word] :
         {std::pair{"rows.json", "010010010"}, std::pair{"cut.json", "0100"}}) {
      const auto [broken, in_floats] = ends(model, word);
      EXPECT_EQ(broken.status, 1) << model;
      EXPECT_NE(broken.err.find("selection contract violated"), std::string::npos);
      EXPECT_EQ(in_floats.status, 1) << model << " " << engine;
      EXPECT_EQ(lines(in_floats.err).back(), lines(broken.err).back());
      EXPECT_TRUE(in_floats.err.starts_with(
          "logdepth: uncertified: layer 1, head 2: expected the one position that matches; the "
          "scores of "))
          << engine << " " << in_floats.err;
    }
  }
}

// Of these the scores show nothing: they say how many positions are selected, and the contract says which.
TEST_F(FloatCommands, SayThatAContractIsBrokenAsTheExactRunDoes) {
  for (const char* file : {"contract_after_a_tie", "contract_of_half_read_keys"}) {
    const std::string model = false_file(file);
    const Finished exact = logdepth({"run", model, "--input", "aab"});
    EXPECT_EQ(exact.status, 1) << exact.err;
    for (const char* engine : {"float64", "float32", "mpfr:80"}) {
      const Finished finished = logdepth({"run", model, "--input", "aab", "--engine", engine});
      EXPECT_EQ(finished.status, 1) << engine << finished.err;
      EXPECT_EQ(finished.out, exact.out);
      EXPECT_EQ(lines(finished.err).back(), lines(exact.err).back());
      EXPECT_TRUE(finished.err.starts_with("logdepth: uncertified: a selection contract is "))
          << finished.err;
      const Finished in_json =
          logdepth({"run", model, "--input", "aab", "--engine", engine, "--json"});
      EXPECT_EQ(in_json.status, 1);
      const json said = json::parse(in_json.out);
      EXPECT_EQ(said["results"][0]["certificate"], "uncertified");
      EXPECT_TRUE(said["promises"].contains("broken"));
    }
  }
}

// A mask of one number reads its sign, however small or large the mask is.
TEST_F(FloatCommands, CertifyNothingOfAMaskBeyondTheRangeOfTheFormat) {
  Model beyond_mpfr = read_weights(false_file("mask_above_float32"));
  beyond_mpfr.layers[0].feedforward.mask[0].value = Rational(mpq_class(mpz_class(1) << 1100));
  save_weights(beyond_mpfr, folder.file("mask_above_doubles.json"));
  std::size_t certified = 0;
  for (const std::string& model :
       {false_file("mask_above_float32"), false_file("mask_below_float64"),
        folder.file("mask_above_doubles.json")})
    for (const char* engine : {"float32", "float64", "mpfr:53", "mpfr:200"})
      for (const char* word : {"a", "b", "ab", "ba"}) {
        const Finished finished = logdepth({"run", model, "--input", word, "--engine", engine});
        if (finished.status == 3) continue;
        ++certified;
        EXPECT_EQ(finished.out, done({"run", model, "--input", word})) << model << engine << word;
      }
  EXPECT_EQ(certified, 12u) << "those that are in the range";
}

// The text of a number is rounded once more, to the shortest that reads back as the double.
TEST_F(FloatCommands, PrintNumbersThatAreWithinTheirPrintedBounds) {
  Model model;
  model.name = "fractions";
  model.input = WordInput{false, false};
  model.output = CellsOutput{{"x"}};
  model.width = 1;
  model.position = FirstFlagPosition{};
  model.unroll.kind = Unroll::Kind::fixed;
  model.unembedding = {1, 1, {{0, 0, Rational(1)}}};
  std::mt19937_64 random(6);
  std::string batch;
  for (int i = 0; i < 400; ++i) {
    const auto below = [&](int limit) { return static_cast<std::int64_t>(random() % limit) + 1; };
    model.alphabet.push_back("l" + std::to_string(i));
    model.embedding[model.alphabet.back()] = {
        {0, i < 5 ? Rational(below(64), 64) : Rational(below(100000), below(100000))}};
    batch += model.alphabet.back() + "\n";
  }
  save_weights(model, folder.file("fractions.json"));
  folder.write("letters.txt", batch);
  for (const char* engine : {"float32", "float64", "mpfr:53", "mpfr:100", "mpfr:500"}) {
    const json out = json::parse(
        done({"run", "fractions.json", "--batch", "letters.txt", "--json", "--engine", engine}));
    ASSERT_EQ(out["results"].size(), 400u);
    for (int i = 0; i < 400; ++i) {
      const json& result = out["results"][i];
      const std::string text = result["cells"]["x"];
      const std::size_t point = text.find('.'), e = text.find('e');
      ASSERT_EQ(e, std::string::npos) << text;
      const std::string digits =
          point == std::string::npos ? text : text.substr(0, point) + text.substr(point + 1);
      mpq_class printed{mpz_class(digits, 10)};
      for (std::size_t k = point; k + 1 < text.size(); ++k) printed /= 10;
      const mpq_class exact = model.embedding["l" + std::to_string(i)][0].value.to_mpq();
      const double bound = result["error_bound"];
      EXPECT_LE(abs(printed - exact), mpq_class(bound)) << engine << " " << exact << " " << text;
      EXPECT_LT(bound, std::string(engine) == "float32" ? 1e-4 : 1e-12) << text;
    }
  }
}

TEST_F(FloatCommands, TakeATemperatureAndNeverCertifyIt) {
  compile_a5();
  for (const char* temperature : {"0.5", "1e9"}) {
    const Finished finished = logdepth(
        {"run", "a5.json", "--input", "abab", "--engine", "float64", "--temperature", temperature});
    EXPECT_EQ(finished.status, 3);
    EXPECT_NE(finished.err.find("uncertified: the weights file has no proof for softmax attention"),
              std::string::npos)
        << finished.err;
    if (std::string(temperature) == "1e9") {
      EXPECT_EQ(finished.out, done({"run", "a5.json", "--input", "abab"}));
    }
  }
}

TEST_F(FloatCommands, RefuseWhatTheyCannotDoInOneSentence) {
  compile_a5();
  const std::vector<std::string> run = {"run", "a5.json", "--input", "ab"};
  const auto with = [&](const std::vector<std::string>& more) {
    auto all = run;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  for (const char* engine :
       {"double", "float16", "mpfr", "mpfr:", "mpfr:12x", "mpfr:-4", "mpfr:99999999999", "Exact"})
    expect_refused(with({"--engine", engine}),
                   std::string("--engine: expected exact, float64, float32 or mpfr:BITS, found '") +
                       engine + "'");
  for (const char* bits : {"0", "1", "501"})
    expect_refused(with({"--engine", std::string("mpfr:") + bits}),
                   std::string("--engine: expected mpfr:2 to mpfr:500, found mpfr:") + bits);
  for (const char* temperature : {"0", "-1", "nan", "inf"})
    expect_refused(with({"--engine", "float64", "--temperature", temperature}),
                   "--temperature: expected a finite number above 0");
  expect_refused(with({"--temperature", "2"}), "--temperature requires a floating-point --engine");
  expect_refused(with({"--engine", "float64", "--temperature", "hot"}), "--temperature");
  expect_refused(with({"--device", "cuda"}), "--device: the exact engine runs on the CPU only");
  expect_refused(with({"--engine", "float64", "--device", "tpu"}), "--device");
  expect_refused(with({"--engine", "mpfr:53", "--device", "cuda"}), "--device cuda: ");
  expect_refused(with({"--engine", "float64", "--trace", "trace.jsonl"}),
                 "--trace: only the exact engine writes a trace");
  EXPECT_EQ(folder.names(), (std::set<std::string>{"a5.json"}));
}

TEST_F(FloatCommands, BelieveNoFactsThatAreNotProvedFromTheFilesProgram) {
  done({"compile", "regular", "--group", "S3", "--positions", "first-flag", "-o", "s3.json"});
  const json good = json::parse(folder.read("s3.json"));
  const std::string word = random_text(60, 3);
  const auto run = [&](const json& file) {
    folder.write("changed.json", file.dump());
    const Finished finished = logdepth(
        {"run", "changed.json", "--input", word, "--engine", "float32", "--json", "--stats"});
    EXPECT_TRUE(finished.status == 0 || finished.status == 3) << finished.err;
    return json::parse(finished.out);
  };
  const json expected = run(good);
  EXPECT_EQ(expected["facts"], "proved");
  // Whoever believed these would tie what differs, and read every norm wrong.
  json enlarged = good;
  std::size_t gaps = 0, scales = 0;
  for (json& layer : enlarged["derived"]["precision"]) {
    for (const char* sublayer : {"attention", "feedforward"})
      if (layer.contains(sublayer) && layer[sublayer].contains("scale")) {
        layer[sublayer]["scale"] = "1000";
        ++scales;
      }
    if (layer.contains("heads"))
      for (json& head : layer["heads"])
        if (head.contains("gap")) {
          head["gap"] = {"1000", 0};
          ++gaps;
        }
  }
  ASSERT_GT(gaps, 0u);
  ASSERT_GT(scales, 0u);
  const json after = run(enlarged);
  EXPECT_EQ(after["facts"], "proved");
  EXPECT_EQ(after["results"], expected["results"]);
  EXPECT_EQ(after["statistics"], expected["statistics"]);

  json bare = good;
  bare["derived"] = json::object();
  EXPECT_EQ(run(bare)["facts"], "the file carries no program from which anything could be proved");
  json foreign = good;
  done({"compile", "regular", "--group", "Z2", "-o", "other.json"});
  foreign["derived"]["program"] = json::parse(folder.read("other.json"))["derived"]["program"];
  EXPECT_EQ(run(foreign)["facts"], "the file's program does not compile to its weights");
  const Finished said =
      logdepth({"run", "changed.json", "--input", word, "--engine", "float32", "--stats"});
  EXPECT_NE(said.err.find("\"facts\": \"the file's program does not compile to its weights"),
            std::string::npos)
      << said.err;
}

TEST_F(FloatCommands, DiffShowsTheFirstPlaceWhereFewBitsAreWrong) {
  compile_a5();
  folder.write("word.txt", random_text(100, 4));
  const auto diff = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"diff", "a5.json", "--input", "@word.txt"});
    return logdepth(more);
  };
  const Finished found = diff({"--engine", "mpfr:12"});
  EXPECT_EQ(found.status, 1) << found.err;
  EXPECT_TRUE(found.out.starts_with("first difference: layer ")) << found.out;
  for (const char* part : {", token ", ", cell ", ": expected ", ", found ", " within "})
    EXPECT_NE(found.out.find(part), std::string::npos) << part << ": " << found.out;
  const Finished as_json = diff({"--engine", "mpfr:12", "--json"});
  EXPECT_EQ(as_json.status, 1);
  const json difference = json::parse(as_json.out)["difference"];
  EXPECT_EQ(difference["sublayer"], "attention");
  EXPECT_GE(difference["layer"], 1);
  EXPECT_GE(difference["token"], 1);
  EXPECT_TRUE(difference["cell"].is_string());
  const std::string equal =
      "equal up to rounding: every number of every token after every sublayer is within its error "
      "bound of the exact one\n";
  for (const char* engine : {"float64", "mpfr:100"}) {
    const Finished none = diff({"--engine", engine});
    EXPECT_EQ(none.status, 0);
    EXPECT_EQ(none.out, equal);
  }
  // What the bounds allow is wrong nowhere, with however few bits.
  for (const char* engine : {"mpfr:12", "mpfr:5"})
    EXPECT_EQ(diff({"--engine", engine, "--rule", "bounded"}).out, equal);
  expect_refused({"diff", "a5.json", "--input", "ab", "--engine", "float"}, "--engine: expected");
  EXPECT_EQ(diff({"--engine", "float64", "--rule", "lucky"}).status, 2);
  EXPECT_EQ(diff({"--engine", "float64", "--scores", "sum"}).status, 2);
}

// Floating point at lengths where it still proves all it says: every answer certified, and right.

FloatOptions arithmetic(Engine engine) {
  FloatOptions options;
  options.engine = engine;
  options.threads = 2;
  return options;
}

/// Every prefix product of a random word over the generators of A5, and how the heads decided.
FloatStatistics expect_a5_certified(ScanPositions positions, Engine engine, std::size_t length) {
  const Action a5 = named_monoid("A5");
  const auto [model, program, facts] =
      compile(regular_language_scan_MS25_thm4_1(a5, "A5", {positions, ScanTable::matrix}));
  std::mt19937_64 random(length);
  const Word word = support::random_word(random, model->alphabet.size(), length);
  const auto tokens = tokens_of(model, support::letter_names(a5.alphabet, word));
  FloatRunner runner(model, facts, arithmetic(engine));
  const FloatStream stream = runner.run(tokens.value()).value();
  const std::vector<Transformation> products = support::products(a5, word);
  std::size_t right = 0;
  for (std::size_t i = 0; i < length; ++i) {
    const auto prefix = runner.prefix(stream, 1 + i);
    right += prefix.has_value() && prefix.value().value == PrefixAnswer(products[i]) &&
             prefix.value().certificate == Certificate::certified;
  }
  EXPECT_EQ(right, length);
  return runner.statistics();
}

TEST(FloatAtLength, ScansOfFiveHundredLettersAreCertifiedInSinglePrecision) {
  const FloatStatistics s = expect_a5_certified(ScanPositions::two_circle, Engine::float32, 512);
  EXPECT_EQ(s.ambiguous, 0u);
  EXPECT_EQ(s.rows, 9u * 513);
}

TEST(FloatAtLength, ScansOfTwentyThousandLettersAreCertifiedInDoublePrecision) {
  const FloatStatistics s = expect_a5_certified(ScanPositions::two_circle, Engine::float64, 20000);
  EXPECT_EQ(s.single, s.rows);
}

TEST(FloatAtLength, ScansThatOnlyKnowTheFirstPositionAreCertifiedAtTwentyThousandLetters) {
  const FloatStatistics s = expect_a5_certified(ScanPositions::first_flag, Engine::float64, 20000);
  EXPECT_EQ(s.ambiguous, 0u);
}

// A minute or so: not part of the normal run (tests/README.md).
TEST(FloatAtLength, DISABLED_ScansOfAHundredThousandLettersAreCertifiedInDoublePrecision) {
  const FloatStatistics s = expect_a5_certified(ScanPositions::two_circle, Engine::float64, 100000);
  EXPECT_EQ(s.single, s.rows);
}

TEST(FloatAtLength, DivisionsOfTwoThousandPositionsAreCertifiedInDoublePrecision) {
  const auto [model, program, facts] = compile(division_MS25_lem3_1());
  const DivisionFile file = division_file(model);
  FloatRunner runner(model, facts, arithmetic(Engine::float64));
  for (const std::uint64_t divisor : {3, 1999}) {
    DivisionInput input{divisor, {}};
    for (std::uint64_t i = 0; i < 2000; ++i)
      input.dividends.push_back(i % 2 == 0 ? i : i * 7919 % (i + 1));
    const FloatStream stream =
        runner.run(tokens_of(model, division_rows(model, input)).value()).value();
    for (std::size_t i = 0; i < input.dividends.size(); ++i) {
      const auto numbers = runner.numbers(stream, i);
      ASSERT_EQ(numbers.certificate, Certificate::certified) << i;
      const auto expected = right_division(input.dividends[i], divisor);
      for (std::size_t k = 0; k < expected.size(); ++k) {
        const FloatNumber& got = numbers.value[file.rows[k]];
        const Approximation x = expected[k].approximate();
        ASSERT_LE(std::fabs(got.value - x.value), got.error + x.bound) << i;
        // Small enough to tell the codes of any two numbers below 2000.
        ASSERT_LT(got.error, 1e-8) << i;
      }
    }
  }
}

TEST(FloatAtLength, GraphsOfSixVerticesAreCertifiedInDoublePrecision) {
  const auto [model, program, facts] = compile(
      graph_connectivity_MS25_thm5_1(ConnectivityForm::compact, GraphInput::Padding::n3_minus_n2));
  FloatRunner runner(model, facts, arithmetic(Engine::float64));
  std::mt19937_64 random(6);
  std::size_t connected = 0;
  for (int i = 0; i < 12; ++i) {
    const Graph graph =
        support::random_graph(random, {"1", "2", "3", "4", "5", "6"}, i % 2 == 0 ? 0.15 : 0.3);
    const std::size_t source = random() % 6, target = random() % 6;
    const FloatStream stream = runner.run(tokens_of(model, graph, source, target).value()).value();
    const auto answer = runner.connected(stream, source, target);
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer.value().certificate, Certificate::certified) << answer.value().reason;
    const bool expected = ReachabilityOracle(graph).reaches(source, target);
    EXPECT_EQ(answer.value().value, expected);
    connected += expected;
  }
  EXPECT_GT(connected, 2u);
  EXPECT_LT(connected, 10u);
}

Graph two_paths(std::size_t vertices) {
  Graph graph = support::numbered_graph(vertices);
  for (Vertex v = 0; v + 1 < vertices; ++v)
    if (v + 1 != vertices / 2) graph.add_edge(v, v + 1);
  return graph;
}

// The keys of its heads are those of pairs of vertices: some hundreds of 4 113.
TEST(FloatAtLength, GraphsOfSixteenVerticesAreCertifiedInDoublePrecisionForAllThreads) {
  const auto [model, program, facts] = compile(
      graph_connectivity_MS25_thm5_1(ConnectivityForm::compact, GraphInput::Padding::n3_minus_n2));
  const Graph graph = two_paths(16);
  FloatOptions options = arithmetic(Engine::float64);
  FloatRunner two(model, facts, options);
  options.threads = 1;
  FloatRunner one(model, facts, options);
  for (const std::size_t target : {std::size_t{7}, std::size_t{8}}) {
    const Tokens tokens = tokens_of(model, graph, 0, target).value();
    const FloatStream stream = two.run(tokens).value(), same = one.run(tokens).value();
    const auto answer = two.connected(stream, 0, target);
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer.value().certificate, Certificate::certified) << answer.value().reason;
    EXPECT_EQ(answer.value().value, target == 7);
    ASSERT_EQ(stream.numbers.size(), same.numbers.size());
    std::size_t different = 0;
    for (std::size_t i = 0; i < stream.numbers.size(); ++i)
      different += stream.numbers[i].value != same.numbers[i].value ||
                   stream.numbers[i].error != same.numbers[i].error;
    EXPECT_EQ(different, 0u);
  }
}

// Single precision decides no test for p = n (p div n) there. Rows for which every key is a
// candidate then share one average: added up one by one, they took minutes.
TEST(FloatAtLength, GraphsThatThePrecisionDoesNotSufficeForEndAndAreNotCertified) {
  const auto [model, program, facts] = compile(
      graph_connectivity_MS25_thm5_1(ConnectivityForm::compact, GraphInput::Padding::n3_minus_n2));
  FloatRunner runner(model, facts, arithmetic(Engine::float32));
  const FloatStream stream = runner.run(tokens_of(model, two_paths(22), 0, 10).value()).value();
  const auto answer = runner.connected(stream, 0, 10);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer.value().certificate, Certificate::ambiguous);
  EXPECT_GT(runner.statistics().ambiguous, 10u * 10648);
}

// Long words and large graphs, exactly: every prefix product, and that the cost does not grow with
// the square of the length. Sizes beyond these are measured by bench/exact_cost.

class RunsAtLength : public support::CommandLine {
 protected:
  /// The products of all prefixes, one letter after the other, as `run --prefixes` prints them.
  static std::string products(const std::string& word) {
    const std::vector<std::size_t> images[] = {{1, 2, 0, 3, 4}, {1, 2, 3, 4, 0}};
    std::vector<std::size_t> now = {0, 1, 2, 3, 4};
    std::string text;
    for (const char letter : word) {
      for (std::size_t i = 0; i < now.size(); ++i) {
        now[i] = images[letter - 'a'][now[i]];
        text += (i == 0 ? "[" : ",") + std::to_string(now[i]);
      }
      text += "]\n";
    }
    return text;
  }
};

TEST_F(RunsAtLength, EveryPrefixProductOfThirtyThousandLettersIsRightAndNoTwoKeysAreCompared) {
  compile_a5();
  const std::string word = random_text(30000, 1);
  folder.write("word.txt", word);
  EXPECT_EQ(done({"run", "a5.json", "--input", "@word.txt", "--prefixes"}), products(word));
  const json statistics = json::parse(
      done({"run", "a5.json", "--input", "@word.txt", "--json", "--stats"}))["statistics"];
  EXPECT_EQ(statistics["rows"], 30001 * 15);
  EXPECT_EQ(statistics["rows_by_rule"]["match"], statistics["rows"]);
  EXPECT_EQ(statistics["scores"], 0);
}

TEST_F(RunsAtLength, TheTreeComparesFewKeysPerRow) {
  compile_a5({"--construction", "tree"});
  const std::string word = random_text(3000, 2);
  folder.write("word.txt", word);
  EXPECT_EQ(done({"run", "a5.json", "--input", "@word.txt", "--prefixes"}), products(word));
  const json statistics = json::parse(
      done({"run", "a5.json", "--input", "@word.txt", "--json", "--stats"}))["statistics"];
  std::size_t rows = 0;
  for (const char* rule : {"uniform", "match", "angle", "one_query", "distinct_keys"})
    rows += statistics["rows_by_rule"][rule].get<std::size_t>();
  EXPECT_EQ(rows, statistics["rows"]);
  EXPECT_EQ(statistics["rows_by_rule"]["distinct_keys"], 0);
  EXPECT_LT(statistics["scores"].get<std::size_t>(), 2 * rows);
}

TEST_F(RunsAtLength, ThreadsChangeNeitherAnswersNorCounters) {
  done({"compile", "connectivity", "-o", "graph.json"});
  std::mt19937_64 random(3);
  std::vector<std::string> names;
  for (int vertex = 1; vertex <= 14; ++vertex) names.push_back(std::to_string(vertex));
  const Graph graph = support::random_graph(random, names, 0.1);
  folder.write("graph.txt", support::edge_list_text(graph));
  const ReachabilityOracle oracle(graph);
  std::string pairs, expected;
  for (const Vertex source : {0u, 5u})
    for (const Vertex target : {3u, 13u}) {
      pairs += names[source] + " " + names[target] + "\n";
      expected += oracle.reaches(source, target) ? "connected\n" : "not connected\n";
    }
  folder.write("pairs.txt", pairs);
  std::vector<json> statistics;
  for (const char* threads : {"1", "2", "7"}) {
    const std::vector<std::string> run = {"run",     "graph.json", "--graph",   "graph.txt",
                                          "--batch", "pairs.txt",  "--threads", threads};
    EXPECT_EQ(done(run), expected);
    auto with_statistics = run;
    with_statistics.insert(with_statistics.end(), {"--json", "--stats"});
    statistics.push_back(json::parse(done(with_statistics))["statistics"]);
    EXPECT_EQ(statistics.back()["columns"]["general_path"], 0);
    EXPECT_EQ(statistics.back(), statistics.front()) << threads << " threads";
  }
}

TEST_F(RunsAtLength, MemosAreDroppedWhenMemoryRunsShortAndTheAnswersStay) {
  compile_a5();
  const Model model = read_weights(folder.file("a5.json"));
  const std::string word = random_text(2000, 4);
  std::vector<std::string> letters;
  for (const char letter : word) letters.emplace_back(1, letter);
  std::size_t refused = 0, answered = 0;
  for (std::size_t memory = std::size_t{1} << 26; memory > 1 << 14; memory -= memory / 8) {
    Runner runner(model, memory);
    try {
      const auto stream = runner.run_word(letters);
      ASSERT_TRUE(stream.has_value());
      EXPECT_LE(runner.bytes(), memory);
      std::string text;
      for (std::size_t i = 0; i < letters.size(); ++i) {
        const auto product = runner.prefix(stream.value(), first_letter(runner.model()) + i);
        ASSERT_TRUE(product.has_value());
        text += format_transformation(std::get<Transformation>(product.value())) + "\n";
      }
      EXPECT_EQ(text, products(word));
      EXPECT_EQ(refused, 0u) << "less memory was refused before";
      ++answered;
    } catch (const SizeLimit&) {
      ++refused;
    }
  }
  EXPECT_GT(answered, 10u);
  EXPECT_GT(refused, 10u);
}

TEST_F(RunsAtLength, AnInputThatNeedsTooMuchMemoryIsRefusedAndTheOthersAreAnswered) {
  compile_a5();
  folder.write("word.txt", random_text(60000, 5));  // too long for columns as well
  const Finished finished =
      logdepth({"run", "a5.json", "--input", "@word.txt", "--memory", "0.001"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(finished.out, "resource limit exceeded\n");
  EXPECT_NE(finished.err.find("embedding of 60001 tokens: the run holds "), std::string::npos)
      << finished.err;
  EXPECT_NE(finished.err.find("; the limit is 1049 KiB"), std::string::npos) << finished.err;
  const Finished batch = logdepth({"run", "a5.json", "--batch", "-", "--memory", "0.001", "--json"},
                                  "aaa\n" + random_text(60000, 5) + "\n\n");
  EXPECT_EQ(batch.status, 3);
  EXPECT_NE(batch.err.find("word 2: embedding of 60001 tokens: "), std::string::npos) << batch.err;
  const json results = json::parse(batch.out)["results"];
  EXPECT_EQ(results[0]["outcome"], "accept");
  EXPECT_EQ(results[1]["outcome"], "beyond a limit");
  EXPECT_EQ(results[2]["outcome"], "accept");
  for (const char* option : {"--memory", "--threads"})
    for (const char* value : {"0", "-1", "nan", "1e30", "abc"}) {
      const Finished refused = logdepth({"run", "a5.json", "--input", "ab", option, value});
      EXPECT_EQ(refused.status, 2) << option << " " << value;
      EXPECT_LT(refused.err.size(), 200u) << refused.err;
    }
}

TEST_F(RunsAtLength, ABatchForgetsEarlierWordsBeforeItRunsOutOfMemory) {
  compile_a5({"--construction", "tree"});
  std::string batch, expected;
  for (unsigned i = 0; i < 40; ++i) {
    const std::string word = random_text(150 + i, i);
    batch += word + "\n";
    expected += (i == 0 ? "" : "\n") + products(word);
  }
  folder.write("batch.txt", batch);
  const std::vector<std::string> run = {"run", "a5.json", "--batch", "batch.txt", "--prefixes"};
  EXPECT_EQ(done(run), expected);
  const auto values = [&](const std::string& memory) {
    auto with_statistics = run;
    with_statistics.insert(with_statistics.end(), {"--memory", memory, "--json", "--stats"});
    return json::parse(done(with_statistics))["statistics"]["distinct_values"].get<std::size_t>();
  };
  auto tight = run;
  tight.insert(tight.end(), {"--memory", "0.002"});
  EXPECT_EQ(done(tight), expected);
  EXPECT_LT(values("0.002"), values("1")) << "nothing was forgotten";
}

}}  // namespace logdepth::command_line_floats_tests
