// `logdepth run` and `logdepth diff` in floating point, from outside: answers, certificates and
// refusals.

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/places.hpp"

namespace logdepth::command_line_floats_tests {
namespace {

using nlohmann::json;
using support::Finished;
using support::lines;

class FloatCommands : public support::CommandLine {
 protected:
  void compile_a5() const { done({"compile", "regular", "--group", "A5", "-o", "a5.json"}); }
  static std::string random_text(std::size_t letters, unsigned seed) {
    std::mt19937_64 random(seed);
    std::string text;
    for (std::size_t i = 0; i < letters; ++i) text += random() % 2 == 0 ? 'a' : 'b';
    return text;
  }
  /// One sentence on standard error, nothing on standard output, status 2.
  void expect_refused(const std::vector<std::string>& arguments,
                      const std::string& sentence) const {
    const Finished finished = logdepth(arguments);
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_NE(finished.err.find(sentence), std::string::npos) << finished.err;
    EXPECT_LT(finished.err.size(), 250u) << finished.err;
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
      EXPECT_EQ(in_floats.status, 3) << model << " " << engine;
      EXPECT_TRUE(in_floats.err.starts_with(
          "logdepth: uncertified: layer 1, head 2: expected the one position that matches; the "
          "scores of "))
          << engine << " " << in_floats.err;
    }
  }
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
  for (const char* engine : {"double", "float16", "mpfr", "mpfr:", "mpfr:12x", "mpfr:-4",
                             "mpfr:99999999999", "", "Exact"})
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
  EXPECT_NE(said.err.find("facts: the file's program does not compile to its weights"),
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

}  // namespace
}  // namespace logdepth::command_line_floats_tests
