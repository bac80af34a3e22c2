// The program `logdepth` from outside: test, diff, info, inspect and draw.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "runtime/file/weights_file.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/places.hpp"

namespace logdepth::command_line_checks_tests { namespace {

using nlohmann::json;
using support::Finished;
using support::lines;

class Checks : public support::CommandLine {
 protected:
  json json_of(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    return json::parse(done(std::move(arguments)));
  }

  /// Doubles what a sublayer of the first layer writes; the hash is written anew.
  void corrupt(const std::string& from, bool attention, const std::string& to) const {
    Model model = read_weights(folder.file(from));
    Layer& layer = model.layers[0];
    for (MatrixEntry& entry :
         attention ? layer.attention.heads[0].output.entries : layer.feedforward.out.entries)
      entry.value = entry.value * Rational(2);
    save_weights(model, folder.file(to));
  }
};

TEST_F(Checks, TestPassesOnItsOwnLanguageAndWritesWhatItChecked) {
  compile_regex("(a|b)*abb", "abb.json");
  const std::string said = done({"test", "abb.json", "--against", "(a|b)*abb", "--up-to", "7",
                                 "--random", "20", "--max-length", "40"});
  EXPECT_EQ(said.substr(0, 7), "passed:");
  EXPECT_NE(said.find("every word of at most 7 letters (255), 304 words with one letter that "
                      "differs from the rest, 20 random words"),
            std::string::npos)
      << said;
  const json checks = json::parse(folder.read("abb.json.checks.json"));
  EXPECT_EQ(checks["sha256"], json::parse(folder.read("abb.json"))["sha256"]);
  ASSERT_EQ(checks["checks"].size(), 1u);
  EXPECT_EQ(checks["checks"][0]["kind"], "test");
  EXPECT_EQ(checks["checks"][0]["result"], "passed");
  const json info = json_of({"info", "abb.json"});
  EXPECT_EQ(info["checks"], checks["checks"]);
  EXPECT_NE(done({"info", "abb.json"}).find("passed"), std::string::npos);

  // What was checked about one content says nothing about another.
  compile_regex("(a|b)*ab", "abb.json");
  EXPECT_EQ(json_of({"info", "abb.json"})["checks"], json::array());
}

// The commands that a failed test prints are run as they stand, by a shell.
TEST_F(Checks, AFailedTestPrintsCommandsThatShowWhatIsWrongInRed) {
  compile_regex("(a|b)*abb", "abb.json");
  done({"compile", "regular", "--group", "Z6", "--letters", "all", "-o", "z6.json"});
  done({"compile", "connectivity", "-o", "graph.json"});
  done({"compile", "division", "-o", "division.json"});
  corrupt("abb.json", false, "bad word's.json");
  corrupt("z6.json", false, "bad-group.json");
  corrupt("division.json", true, "bad-division.json");
  Model graph = read_weights(folder.file("graph.json"));
  graph.layers[7].attention.heads[0].value.entries.clear();
  save_weights(graph, folder.file("bad-graph.json"));
  const std::vector<std::vector<std::string>> tests = {
      {"bad word's.json", "--regex", "(a|b)*abb", "--alphabet", "ab"},
      {"bad-group.json", "--against", "group:Z6", "--letters", "all"},
      {"bad-division.json", "--against", "division"},
      {"bad-graph.json", "--against", "graph:reachability"}};
  for (std::vector<std::string> arguments : tests) {
    const std::string file = arguments.front();
    arguments.insert(arguments.begin(), "test");
    const Finished failed = logdepth(arguments);
    ASSERT_EQ(failed.status, 1) << file << failed.err;
    const std::string mark = "to inspect: ";
    const std::size_t at = failed.out.find(mark);
    ASSERT_NE(at, std::string::npos) << failed.out;
    std::string commands = failed.out.substr(at + mark.size());
    commands = "logdepth() { " + support::program() + " \"$@\"; }\n" + commands;
    const Finished shown = support::run_process({"sh", "-c", commands}, folder.path(), "");
    EXPECT_EQ(shown.status, 0) << file << shown.err;
    EXPECT_EQ(shown.err, "wrote counterexample.svg\n") << file;
    EXPECT_EQ(shown.out.substr(0, 18), "first difference: ") << file;
    const std::string picture = folder.read("counterexample.svg");
    EXPECT_NE(picture.find("class=\"wrong\""), std::string::npos) << file;
    EXPECT_NE(picture.find("first difference from the program: layer "), std::string::npos) << file;
    std::filesystem::remove(folder.file("counterexample.svg"));
  }
}

TEST_F(Checks, ABrokenContractIsSaidOnceInAPicture) {
  compile_regex("(a|b)*abb", "abb.json");
  Model model = read_weights(folder.file("abb.json"));
  model.layers[0].attention.heads[0].query.entries.clear();
  save_weights(model, folder.file("all.json"));
  for (const std::vector<std::string>& against :
       {std::vector<std::string>{}, {"--against", "(a|b)*abb"}}) {
    std::vector<std::string> arguments = {"draw", "all.json", "--input", "abba", "-o", "all.svg"};
    arguments.insert(arguments.end(), against.begin(), against.end());
    done(arguments);
    const std::string picture = folder.read("all.svg");
    const std::string said = "expected exactly one position, found 2 of 2";
    EXPECT_NE(picture.find("contract violated: layer 1, head 0, token 1: " + said),
              std::string::npos);
    EXPECT_EQ(picture.find(said), picture.rfind(said));
  }
}

TEST_F(Checks, APictureIsComparedOnlyWithWhatItsFileCanBeComparedWith) {
  compile_regex("(a|b)*abb", "abb.json");
  done({"compile", "division", "-o", "division.json"});
  const std::vector<std::pair<std::vector<std::string>, std::string>> refused = {
      {{"abb.json", "--against", "(a|b)*abb"}, "--against and --program require an input"},
      {{"abb.json", "--input", "ab", "--against", "graph:reachability"}, "is for graphs"},
      {{"abb.json", "--input", "ab", "--against", "computation-graph"},
       "expected --against program"},
      {{"abb.json", "--input", "ab", "--against", "(c|d)*"}, "not in the alphabet"},
      {{"division.json", "--divide", "3", "--by", "2", "--against", "(a|b)*"},
       "expected --against division or program"}};
  for (const auto& [arguments, reason] : refused) {
    std::vector<std::string> command = {"draw", "-o", "x.svg"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const Finished finished = logdepth(command);
    EXPECT_EQ(finished.status, 2) << reason;
    EXPECT_NE(finished.err.find(reason), std::string::npos) << finished.err;
    EXPECT_FALSE(std::filesystem::exists(folder.file("x.svg")));
  }
  Model bare = read_weights(folder.file("abb.json"));
  bare.derived = {};
  save_weights(bare, folder.file("bare.json"));
  const Finished noted =
      logdepth({"draw", "bare.json", "--input", "ab", "--against", "(a|b)*abb", "-o", "x.svg"});
  EXPECT_EQ(noted.status, 0);
  EXPECT_NE(noted.err.find("the run is not compared with a program: "), std::string::npos);
  const Finished nothing =
      logdepth({"draw", "bare.json", "--input", "ab", "--against", "program", "-o", "y.svg"});
  EXPECT_EQ(nothing.status, 2) << nothing.err;

  // A program of the user's, and one that is none of these weights.
  done({"compile", "program", example("programs/majority.cells"), "-o", "majority.json"});
  const auto against = [&](const std::string& program) {
    return logdepth({"draw", "majority.json", "--input", "0", "--program",
                     example("programs/" + program), "-o", "z.svg"});
  };
  EXPECT_EQ(against("majority.cells").status, 0);
  EXPECT_EQ(folder.read("z.svg").find("class=\"wrong\""), std::string::npos);
  EXPECT_EQ(against("counting.cells").status, 2);
}

TEST_F(Checks, AWeakerTestNeverReplacesTheRecordOfAStrongerOne) {
  compile_regex("(a|b)*abb", "abb.json");
  const auto test = [&](const char* against, const char* up_to, const char* random) {
    logdepth({"test", "abb.json", "--against", against, "--up-to", up_to, "--random", random});
    std::vector<std::string> bounds;
    const json record = json::parse(folder.read("abb.json.checks.json"));
    for (const json& check : record["checks"])
      bounds.push_back(check["bound"].get<std::string>().substr(0, 33));
    return bounds;
  };
  const std::string five = "every word of at most 5 letters (",
                    four = "every word of at most 4 letters (",
                    six = "every word of at most 6 letters (";
  EXPECT_EQ(test("(a|b)*abb", "5", "10"), std::vector{five});
  EXPECT_EQ(test("(a|b)*abb", "4", "10"), std::vector{five});
  EXPECT_EQ(test("(a|b)*abb", "4", "20"), (std::vector{five, four}))
      << "more in one, less in another";
  EXPECT_EQ(test("(a|b)*abb", "6", "20"), std::vector{six}) << "it covers both";
  // A failure stays, whatever passes afterwards.
  const auto failed = test("(a|b)*ab", "4", "0");
  ASSERT_EQ(failed.size(), 2u);
  EXPECT_EQ(test("(a|b)*ab", "1", "0"), failed);
  // Only a program of the user's may have been repaired.
  for (const char* answer : {"accept", "reject"}) {
    folder.write("answer", std::string(answer) + "\n");
    logdepth({"test", "abb.json", "--against", "command:while read w; do cat answer; done",
              "--up-to", "1", "--random", "0"});
  }
  const json record = json::parse(folder.read("abb.json.checks.json"));
  EXPECT_EQ(record["checks"].size(), 3u);
  EXPECT_EQ(record["checks"][2]["result"], "passed");
}

TEST_F(Checks, TestAsksTheWordsOfABatchFirst) {
  compile_regex("(a|b)*abb", "abb.json");
  folder.write("words.txt", "abbaabb\n\nbabab\n");
  const auto with = [&](const std::string& file, const std::string& language = "(a|b)*abb") {
    return logdepth({"test", "abb.json", "--against", language, "--up-to", "2", "--random", "0",
                     "--batch", file});
  };
  const Finished wrong = with("words.txt", "(a|b)*(abb|babab)");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.out.find("stopped after 3 words"), std::string::npos) << wrong.out;
  EXPECT_NE(wrong.out.find("counterexample: 'babab' (5 letters"), std::string::npos) << wrong.out;
  folder.write("words.txt", "abbaabb\n");
  const Finished right = with("words.txt");
  EXPECT_EQ(right.status, 0);
  EXPECT_NE(right.out.find("1 given word, every word of at most 2 letters (7), 0 words"),
            std::string::npos)
      << right.out;
  const auto records = [&] {
    return json::parse(folder.read("abb.json.checks.json"))["checks"].size();
  };
  EXPECT_EQ(records(), 2u) << "of both oracles";
  folder.write("words.txt", "bab\nbb\n");
  EXPECT_EQ(with("words.txt").status, 0);
  EXPECT_EQ(records(), 3u) << "other words cover nothing of these";
  EXPECT_EQ(
      logdepth({"test", "abb.json", "--against", "(a|b)*abb", "--up-to", "2", "--random", "0"})
          .status,
      0);
  EXPECT_EQ(records(), 3u) << "without the words it is weaker";
  folder.write("words.txt", "abb\nabc\n");
  EXPECT_EQ(with("words.txt").status, 2);
  EXPECT_NE(with("words.txt").err.find("words.txt:2: letter"), std::string::npos)
      << with("words.txt").err;
  EXPECT_EQ(with("none.txt").status, 2);
  done({"compile", "connectivity", "-o", "graph.json"});
  const Finished graphs =
      logdepth({"test", "graph.json", "--against", "graph:reachability", "--batch", "words.txt"});
  EXPECT_EQ(graphs.status, 2);
  EXPECT_NE(graphs.err.find("--batch gives words; 'connectivity'"), std::string::npos)
      << graphs.err;
}

TEST_F(Checks, TestFindsAWrongLanguageAndShrinksTheWord) {
  compile_regex("(a|b)*abb", "abb.json");
  const Finished finished = logdepth({"test", "abb.json", "--against", "(a|b)*(abb|babaa)",
                                      "--up-to", "0", "--random", "100", "--json"});
  EXPECT_EQ(finished.status, 1);
  const json out = json::parse(finished.out);
  EXPECT_EQ(out["schema"], "logdepth/test/1");
  EXPECT_EQ(out["passed"], false);
  ASSERT_TRUE(out.contains("counterexample")) << finished.out;
  EXPECT_EQ(out["counterexample"]["word"], "babaa");
  EXPECT_EQ(out["counterexample"]["expected"], "accept");
  EXPECT_EQ(out["counterexample"]["got"], "reject");
  EXPECT_GT(out["counterexample"]["found_at_length"].get<int>(), 5);
  const json checks = json::parse(folder.read("abb.json.checks.json"));
  EXPECT_EQ(checks["checks"][0]["result"], "failed: on 'babaa' expected accept, found reject");
  EXPECT_EQ(json_of({"info", "abb.json"})["checks"], checks["checks"]);

  const Finished text = logdepth({"test", "abb.json", "--against", "(a|b)*ab", "--up-to", "4"});
  EXPECT_EQ(text.status, 1);
  EXPECT_EQ(text.out.substr(0, 7), "FAILED:");
  EXPECT_NE(text.out.find("counterexample: 'ab' (2 letters"), std::string::npos) << text.out;
  EXPECT_EQ(text.err, "");
}

TEST_F(Checks, TestTakesEveryKindOfOracle) {
  done({"compile", "regular", "--fst", example("automata/even_a.fst"), "-o", "even.json"});
  const std::vector<std::vector<std::string>> oracles = {
      {"--against", "regex:b*(ab*ab*)*"},
      {"--against", "b*(ab*ab*)*"},
      {"--against", "fst:" + example("automata/even_a.fst")},
      {"--against", example("automata/even_a.fst")},
      {"--regex", "b*(ab*ab*)*"},
      {"--fst", example("automata/even_a_numbers.fst"), "--symbols",
       example("automata/even_a_numbers.syms")}};
  for (std::vector<std::string> arguments : oracles) {
    arguments.insert(arguments.begin(), {"test", "even.json", "--up-to", "5", "--random", "5"});
    EXPECT_EQ(done(arguments).substr(0, 7), "passed:") << arguments.back();
  }
  EXPECT_EQ(json_of({"info", "even.json"})["checks"].size(), 3u);  // one for each oracle's name
  done({"compile", "regular", "--jff", example("automata/ends_in_abb.jff"), "-o", "abb.json"});
  EXPECT_EQ(done({"test", "abb.json", "--against", example("automata/ends_in_abb.jff"), "--up-to",
                  "5", "--random", "0"})
                .substr(0, 7),
            "passed:");
  done({"compile", "regular", "--dot", example("automata/tomita4.dot"), "-o", "t4.json"});
  EXPECT_EQ(done({"test", "t4.json", "--against", "dot:" + example("automata/tomita4.dot"),
                  "--up-to", "5", "--random", "0"})
                .substr(0, 7),
            "passed:");
}

TEST_F(Checks, TestComparesPrefixProductsOfGroups) {
  done({"compile", "regular", "--group", "S3", "-o", "s3.json"});
  const json out =
      json_of({"test", "s3.json", "--against", "group:S3", "--up-to", "5", "--random", "0"});
  EXPECT_EQ(out["passed"], true);
  EXPECT_EQ(out["exhaustive_words"], 63);
  EXPECT_EQ(out["prefixes"], 1 * 2 + 2 * 4 + 3 * 8 + 4 * 16 + 5 * 32);
  EXPECT_EQ(out["unevaluated"], json::array());
  EXPECT_EQ(logdepth({"test", "s3.json", "--against", "group:T2", "--up-to", "5"}).status, 1);
}

// Letters drawn one by one hold no run of 25 equal ones.
TEST_F(Checks, TestDrawsWordsOfLongRuns) {
  compile_regex("(a|b)*", "all.json");
  const Finished finished =
      logdepth({"test", "all.json", "--against", "!((a|b)*a{25}(a|b)*)", "--up-to", "2", "--json"});
  EXPECT_EQ(finished.status, 1) << finished.err;
  const json out = json::parse(finished.out);
  EXPECT_EQ(out["counterexample"]["word"], std::string(25, 'a'));
  EXPECT_EQ(out["counterexample"]["expected"], "reject");
}

TEST_F(Checks, TestSaysWhenNoPrefixProductWasCompared) {
  compile_regex("(a|b)*abb", "abb.json");
  EXPECT_GT(json_of({"test", "abb.json", "--against", "(a|b)*abb", "--up-to", "3"})["prefixes"], 0);
  compile_regex("(a|b)*a(a|b)*", "some.json", {"--construction", "cascade"});
  folder.write("some.crasp", "alphabet a b\nsome := #[Q_a] > 0\n");
  EXPECT_NE(done({"test", "some.json", "--against", "crasp:some.crasp"})
                .find("\nno state was compared: the oracle has no states\n"),
            std::string::npos);
  done({"compile", "regular", "--group", "Z2", "-o", "z2.json"});
  EXPECT_EQ(json_of({"test", "z2.json", "--against", "group:Z2", "--up-to", "3"})["prefix_note"],
            "");
}

TEST_F(Checks, TestStaysWithinTheLimitThatAFileStates) {
  compile_regex("b*(ab*ab*)*", "even.json", {"--unroll", "4"});
  const json out = json_of({"test", "even.json", "--against", "b*(ab*ab*)*", "--up-to", "6"});
  EXPECT_EQ(out["passed"], true);
  EXPECT_EQ(out["up_to"], 4);
  EXPECT_EQ(out["max_length"], 4);
  EXPECT_EQ(out["exhaustive_words"], 31);
  // A limit that is too large is found out.
  Model model = read_weights(folder.file("even.json"));
  model.unroll.max_length = 9;
  save_weights(model, folder.file("even.json"));
  EXPECT_EQ(logdepth({"test", "even.json", "--against", "b*(ab*ab*)*", "--up-to", "6"}).status, 1);
}

TEST_F(Checks, TheSameSeedTestsTheSameWords) {
  compile_regex("(a|b)*abb", "abb.json");
  const auto with_seed = [&](const std::string& seed) {
    return done({"test", "abb.json", "--against", "(a|b)*abb", "--up-to", "1", "--random", "30",
                 "--seed", seed, "--json"});
  };
  EXPECT_EQ(with_seed("5"), with_seed("5"));
  EXPECT_NE(json::parse(with_seed("5"))["promises"], json::parse(with_seed("6"))["promises"]);
}

TEST_F(Checks, DiffFindsACompiledModelEqualToItsProgram) {
  for (const char* norm : {"rms", "layernorm"})
    for (const char* positions : {"two-circle", "first-flag"}) {
      compile_regex("(a|b)*abb", "abb.json", {"--norm", norm, "--positions", positions});
      for (const char* word : {"", "a", "ab", "aabbabb"})
        EXPECT_EQ(done({"diff", "abb.json", "--input", word}).substr(0, 6), "equal:") << word;
    }
  compile_regex("(a|b)*abb", "flat.json", {"--unroll", "8"});
  const json out = json_of({"diff", "flat.json", "--tokens", "a b b"});
  EXPECT_EQ(out["schema"], "logdepth/diff/1");
  EXPECT_EQ(out["equal"], true);
  EXPECT_EQ(done({"diff", example("programs/parity.cells"), "--input", "1011"}).substr(0, 6),
            "equal:");
}

TEST_F(Checks, DiffShowsTheFirstDifferenceOfCorruptedWeights) {
  compile_regex("(a|b)*abb", "abb.json");
  corrupt("abb.json", false, "bad.json");
  const Finished finished = logdepth({"diff", "bad.json", "--input", "ab", "--json"});
  EXPECT_EQ(finished.status, 1);
  const json out = json::parse(finished.out);
  EXPECT_EQ(out["equal"], false);
  ASSERT_TRUE(out.contains("difference")) << finished.out;
  const json& difference = out["difference"];
  EXPECT_EQ(difference["layer"], 1);
  EXPECT_EQ(difference["sublayer"], "feed-forward");
  EXPECT_EQ(difference["token"], 0);
  EXPECT_NE(difference["expected"], difference["got"]);
  const Finished text = logdepth({"diff", "bad.json", "--input", "ab"});
  EXPECT_EQ(text.status, 1);
  EXPECT_TRUE(text.out.starts_with("first difference: layer 1, feed-forward")) << text.out;
  EXPECT_NE(text.out.find("cell " + difference["cell"].get<std::string>()), std::string::npos);
  EXPECT_EQ(logdepth({"diff", "bad.json", "--input", ""}).status, 0);  // no layer runs

  // Against the program of another file, too.
  EXPECT_EQ(
      logdepth({"diff", "abb.json", "--program", example("programs/parity.cells"), "--input", "a"})
          .status,
      2);
}

TEST_F(Checks, DiffShowsADifferenceAfterWhichTheRunLeavesTheField) {
  compile_regex("(a|b)*abb", "abb.json");
  corrupt("abb.json", true, "bad.json");
  EXPECT_TRUE(json_of({"run", "bad.json", "--input", "aabb"})["results"][0].contains("left_field"));
  const Finished finished = logdepth({"diff", "bad.json", "--input", "aabb"});
  EXPECT_EQ(finished.status, 1) << finished.err;
  EXPECT_TRUE(finished.out.starts_with("first difference: layer 1, attention, token 0"))
      << finished.out;
}

TEST_F(Checks, DiffComparesTheNumberOfLoopsWithTheProgramsOwn) {
  compile_regex("(a|b)*abb", "abb.json");
  Model model = read_weights(folder.file("abb.json"));
  model.unroll.minus = 1;
  save_weights(model, folder.file("fewer.json"));
  const Finished fewer = logdepth({"diff", "fewer.json", "--input", "abb"});
  EXPECT_EQ(fewer.status, 1);
  EXPECT_EQ(fewer.out,
            "first difference: layer 1, the end, token 3, cell loops: expected 2, found 1\n");
  // A file without loops runs as often for every word as for the longest.
  compile_regex("(a|b)*abb", "radix.json", {"--construction", "radix", "--unroll", "64"});
  EXPECT_EQ(logdepth({"diff", "radix.json", "--input", "abb"}).status, 0);
}

TEST_F(Checks, DiffComparesMirrorsAndPaddingToo) {
  compile_regex("(a|b)*abb", "mirrored.json", {"--norm", "layernorm"});
  Model model = read_weights(folder.file("mirrored.json"));
  for (MatrixEntry& entry : model.layers[0].feedforward.out.entries)
    if (entry.row >= model.width / 2) entry.value = entry.value * Rational(2);
  save_weights(model, folder.file("mirrored.json"));
  const json lopsided =
      json::parse(logdepth({"diff", "mirrored.json", "--input", "abb", "--json"}).out);
  EXPECT_EQ(lopsided["difference"]["sublayer"], "feed-forward") << lopsided;
  EXPECT_EQ(lopsided["difference"]["cell"].get<std::string>().substr(0, 21),
            "mirror of coordinate ");

  compile_regex("(a|b)*abb", "padded.json", {"--strict"});
  model = read_weights(folder.file("padded.json"));
  std::set<std::uint32_t> named;
  for (const auto& [name, cell] : model.cells)
    named.insert(cell.coordinates.begin(), cell.coordinates.end());
  ASSERT_LT(named.size(), model.width);
  model.embedding["b"].push_back({model.width - 1, 1});
  save_weights(model, folder.file("padded.json"));
  const json padding =
      json::parse(logdepth({"diff", "padded.json", "--input", "ab", "--json"}).out);
  EXPECT_EQ(padding["difference"], (json{{"layer", 0},
                                         {"sublayer", "embedding"},
                                         {"token", 2},
                                         {"cell", "coordinate " + std::to_string(model.width - 1)},
                                         {"expected", "0"},
                                         {"got", "1"}}));
}

TEST_F(Checks, AnEditedFileWithoutItsNewHashIsRefused) {
  compile_regex("(a|b)*abb", "abb.json");
  std::string text = folder.read("abb.json");
  const std::size_t at = text.find("\"width\": 36");
  ASSERT_NE(at, std::string::npos);
  folder.write("edited.json", text.replace(at, 11, "\"width\": 49"));
  const Finished finished = logdepth({"run", "edited.json", "--input", "a"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_EQ(lines(finished.err).size(), 1u) << finished.err;
}

TEST_F(Checks, InfoCountsOnTheFile) {
  done({"compile", "regular", "--group", "A5", "-o", "a5.json"});
  const json info = json_of({"info", "a5.json", "--at", "1024"});
  EXPECT_EQ(info["schema"], "logdepth/info/1");
  for (const char* field : {"initial", "repeated", "final", "loops", "depth", "width",
                            "strict_width", "cells", "heads", "units", "nonzeros"})
    EXPECT_TRUE(info[field].is_number_integer()) << field;
  EXPECT_EQ(info["initial"], 0);
  EXPECT_EQ(info["repeated"], 1);
  EXPECT_EQ(info["final"], 0);
  EXPECT_EQ(info["loops"], 10);
  EXPECT_EQ(info["depth"], 10);
  EXPECT_EQ(info["heads"], 1);
  EXPECT_LE(info["units"], 210);
  EXPECT_LE(info["cells"], 75);
  EXPECT_EQ(info["at"], 1024);
  EXPECT_EQ(info["generators"], (json{{"a", {1, 2, 0, 3, 4}}, {"b", {1, 2, 3, 4, 0}}}));
  EXPECT_EQ(info["checks"], json::array());
  EXPECT_EQ(info["sha256"], json::parse(folder.read("a5.json"))["sha256"]);
  for (const auto& [n, depth] : {std::pair{"0", 0}, {"1", 0}, {"2", 1}, {"3", 2}, {"1025", 11}})
    EXPECT_EQ(json_of({"info", "a5.json", "--at", n})["depth"], depth) << n;
  EXPECT_NE(done({"info", "a5.json", "--at", "1025"}).find("at n = 1025: 11 (11 loops)"),
            std::string::npos);
}

TEST_F(Checks, InspectTellsAutomatonMonoidAndForecast) {
  const json a5 = json_of({"inspect", "--group", "A5"});
  EXPECT_EQ(a5["schema"], "logdepth/inspect/1");
  EXPECT_EQ(a5["points"], 5);
  EXPECT_EQ(a5["minimal_states"], 60);
  EXPECT_EQ(a5["monoid"], (json{{"size", 60},
                                {"group", true},
                                {"aperiodic", false},
                                {"solvable", false},
                                {"commutative", false},
                                {"largest_subgroup", 60}}));
  EXPECT_EQ(a5["compiles"], true);
  const json abb = json_of({"inspect", "--regex", "(a|b)*abb"});
  EXPECT_EQ(abb["minimal_states"], 4);
  EXPECT_EQ(abb["monoid"]["aperiodic"], true);
  const json large = json_of({"inspect", "--regex", "(a|b)*a(a|b){9}"});
  EXPECT_EQ(large["minimal_states"], 1024);
  EXPECT_EQ(large["compiles"], false);
  for (const auto& [group, said] : {std::pair{"A5", "not solvable, "},
                                    {"S4", "solvable, derived length 3, "},
                                    {"flipflop", "aperiodic, "},
                                    {"T2", "solvable, derived length 1, "}}) {
    const std::string depth = json_of({"inspect", "--group", group})["depth"];
    EXPECT_NE(depth.find(said), std::string::npos) << depth;
    EXPECT_NE(done({"inspect", "--group", group}).find("depth      " + depth + '\n'),
              std::string::npos);
  }
  const json unknown = json_of({"inspect", "--group", "S8"});
  EXPECT_TRUE(unknown["monoid"].is_null());
  EXPECT_TRUE(unknown["algebra"].is_null());
  EXPECT_EQ(unknown["depth"],
            "the monoid was not enumerated; cascade cannot be built, scan has ceil(log2 n)");
  EXPECT_EQ(folder.names(), std::set<std::string>{});
}

TEST_F(Checks, DrawWritesTheAttention) {
  compile_regex("(ab)*", "m.json");
  done({"draw", "m.json", "--input", "abab", "-o", "attention.svg"});
  EXPECT_NE(folder.read("attention.svg").find("<svg"), std::string::npos);
  done({"draw", "m.json", "--tokens", "a b", "-o", "attention.html"});
  EXPECT_NE(folder.read("attention.html").find("<svg"), std::string::npos);
  done({"draw", "m.json", "--input", "", "-o", "empty.svg"});
  const std::string first = folder.read("attention.svg");
  done({"draw", "m.json", "--input", "abab", "-o", "attention.svg"});
  EXPECT_EQ(folder.read("attention.svg"), first);
  EXPECT_EQ(folder.names(),
            (std::set<std::string>{"m.json", "attention.svg", "attention.html", "empty.svg"}));
}

TEST_F(Checks, DrawRefusesAWordThatIsTooLong) {
  compile_regex("(ab)*", "flat.json", {"--unroll", "4"});
  const Finished finished = logdepth({"draw", "flat.json", "--input", "ababa", "-o", "x.svg"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(lines(finished.err).size(), 1u) << finished.err;
  EXPECT_EQ(folder.names(), std::set<std::string>{"flat.json"});
}

// The program `logdepth` from outside: `test --against command:PROGRAM`, an oracle that is a program
// of the user's.

using Arguments = std::vector<std::string>;

class Oracles : public support::CommandLine {
 protected:
  /// A Python program that has the line it is asked as `w` and prints `answer`.
  void oracle(const std::string& name, const std::string& answer) const {
    folder.write(name,
                 "import sys\nfor line in sys.stdin:\n    w = line.rstrip('\\n')\n    print(" +
                     answer + ")\n");
  }
  Finished test(const std::string& model, const std::string& command, Arguments more = {}) const {
    Arguments arguments = {"test", model, "--against", "command:" + command};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return logdepth(arguments);
  }
  void refuses(const std::string& model, const std::string& command,
               const std::string& reason) const {
    const Finished finished = test(model, command);
    EXPECT_EQ(finished.status, 2) << command;
    EXPECT_EQ(finished.out, "") << command;
    EXPECT_NE(finished.err.find(reason), std::string::npos) << finished.err;
  }
};

TEST_F(Oracles, AProgramOfOnesOwnJudgesWords) {
  compile_regex("(b|ab*a)*", "even.json");
  oracle("even.py", "'accept' if w.count('a') % 2 == 0 else 'reject'");
  const Finished passed = test("even.json", "python3 even.py", {"--up-to", "5"});
  EXPECT_EQ(passed.status, 0) << passed.out << passed.err;
  EXPECT_TRUE(passed.out.starts_with("passed: against command python3 even.py, every word"))
      << passed.out;
  for (const char* answer : {"w.count('a') % 2 == 0", "int(w.count('a') % 2 == 0)"}) {
    oracle("other.py", answer);
    EXPECT_EQ(test("even.json", "python3 other.py", {"--up-to", "3"}).status, 0) << answer;
  }
  // Wrong on words of more than six letters with an odd number of a: the shortest is found.
  oracle("wrong.py", "w.count('a') % 2 == 0 or len(w) > 6");
  const Finished failed = test("even.json", "python3 wrong.py", {"--up-to", "4", "--json"});
  EXPECT_EQ(failed.status, 1) << failed.err;
  const json example = json::parse(failed.out)["counterexample"];
  EXPECT_EQ(example["word"].get<std::string>().size(), 7u) << example;
  EXPECT_EQ(example["expected"], "accept");
  EXPECT_EQ(example["got"], "reject");
}

TEST_F(Oracles, AProgramThatKeepsItsOutputForATerminalIsHeardAllTheSame) {
  compile_regex("a*", "all.json");
  // As the C library does for everybody who prints with it.
  EXPECT_EQ(test("all.json", "sed s/.*/accept/", {"--up-to", "4", "--random", "5"}).status, 0);
}

TEST_F(Oracles, NamedValuesAreComparedExactly) {
  done({"compile", "program", example("programs/counting.cells"), "-o", "counting.json"});
  const std::string share =
      "' '.join(f'{l}={__import__(\"fractions\").Fraction(w.count(l), len(w) + 1)}' for l in ";
  oracle("counting.py", share + "'cab')");
  const Finished passed =
      test("counting.json", "python3 counting.py", {"--up-to", "4", "--random", "20"});
  EXPECT_EQ(passed.status, 0) << passed.out << passed.err;
  EXPECT_NE(passed.out.find("\nchecked 3159 named values and "), std::string::npos)
      << passed.out;  // 3 * (121 + 912 + 20)
  oracle("wrong.py", share + "'abc') if len(w) < 4 or 'b' not in w else 'a=0 b=1/5 c=0'");
  const Finished failed = test("counting.json", "python3 wrong.py");
  EXPECT_EQ(failed.status, 1) << failed.err;
  EXPECT_NE(failed.out.find("counterexample: 'aaab' (4 letters"), std::string::npos) << failed.out;
  EXPECT_NE(failed.out.find("expected a=0 b=1/5 c=0, found a=3/5 b=1/5 c=0"), std::string::npos)
      << failed.out;
  for (const char* line :
       {"a=0 b=0", "a=0 b=0 c=0.5", "a=0 b=0 c=0 d=0", "a=0 a=0 b=0 c=0", "0 0 0"}) {
    oracle("other.py", "'" + std::string(line) + "'");
    refuses("counting.json", "python3 other.py",
            "input '': expected one exact value for each of the names a, b, c, as a=1/2, found '" +
                std::string(line) + "'");
  }
  const Finished verdicts = logdepth({"test", "counting.json", "--against", "(a|b|c)*"});
  EXPECT_EQ(verdicts.status, 2);
  EXPECT_NE(verdicts.err.find("has named values and no verdict"), std::string::npos);
}

TEST_F(Oracles, AProgramOfOnesOwnJudgesGraphs) {
  done({"compile", "connectivity", "--construction", "rows", "--size", "3", "-o", "rows.json"});
  folder.write("reach.py", R"(import sys
for line in sys.stdin:
    n, s, t, *ends = map(int, line.split())
    edges, seen, queue = list(zip(ends[::2], ends[1::2])), {s}, [s]
    while queue:
        v = queue.pop()
        for a, b in edges:
            if a == v and b not in seen and (len(sys.argv) < 2 or b != 2):
                seen.add(b); queue.append(b)
    print('connected' if t in seen else 'not connected')
)");
  const Finished passed = test("rows.json", "python3 reach.py", {"--up-to", "2", "--random", "8"});
  EXPECT_EQ(passed.status, 0) << passed.out << passed.err;
  const Finished failed = test("rows.json", "python3 reach.py wrong", {"--up-to", "3"});
  EXPECT_EQ(failed.status, 1) << failed.out << failed.err;
  EXPECT_NE(failed.out.find("expected not connected, found connected"), std::string::npos)
      << failed.out;
}

TEST_F(Oracles, AProgramThatContradictsItselfIsSaidTo) {
  compile_regex("(a|b)*", "all.json");
  folder.write("once.py", R"(import sys
asked = set()
for line in sys.stdin:
    print(line in asked or len(line) < 4)
    asked.add(line)
)");
  refuses("all.json", "python3 once.py", "the oracle is not deterministic: two answers for 'aaa'");
}

/// Writes its number, closes what it has of ours and goes on, whatever it is sent but SIGKILL.
constexpr const char* kLingers =
    "trap '' TERM HUP INT; echo $$ > pid; while read w; do echo accept; done; exec >&- 2>&-; "
    "while :; do sleep 1; done";

TEST_F(Oracles, NothingThatAProgramStartedOutlivesTheTest) {
  compile_regex("(a|b)*", "all.json");
  // What was killed ends a moment later; what was not goes on for ever.
  const auto gone = [&] {
    for (int tenths = 0; tenths < 100; ++tenths) {
      // A process that has ended may still wait to be asked how.
      std::ifstream status("/proc/" + lines(folder.read("pid")).at(0) + "/status");
      const std::string text(std::istreambuf_iterator<char>(status), {});
      if (text.empty() || text.find("State:\tZ") != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
  };
  EXPECT_EQ(test("all.json", kLingers, {"--up-to", "2", "--random", "0"}).status, 0);
  EXPECT_TRUE(gone());
  // And none when the test is interrupted.
  std::filesystem::remove(folder.file("pid"));
  const Finished interrupted = support::run_process(
      {support::program(), "test", "all.json", "--against",
       "command:trap '' TERM HUP INT; echo $$ > pid; while :; do sleep 1; done"},
      folder.path(), "",
      [&] { return folder.names().contains("pid") && !folder.read("pid").empty(); });
  EXPECT_EQ(interrupted.status, 128 + 15);
  EXPECT_TRUE(gone());
}

TEST_F(Oracles, AProgramThatDoesNotAnswerIsNamedWithItsQuestion) {
  compile_regex("(a|b)*", "all.json");
  refuses("all.json", "no-such-program",
          "command 'no-such-program', input '': expected a line, it ended with status 127");
  refuses("all.json", "read line; echo accept; exit 7",
          "input 'a': expected a line, it ended with status 7");
  refuses("all.json", "read line; kill -9 $$", "it ended by signal 9");
  refuses("all.json", "cat", "input '': expected 'accept' or 'reject', found ''");
  refuses("all.json", "while read line; do echo accept; echo x; done",
          "'x'");  // when it is noticed
  refuses("all.json", "exec >&-; sleep 100", "input '': expected a line, it closed its output");
  refuses("all.json", " ", "--against: expected a program after command:");
  folder.write("oracle.sh", "cat\n");
  const Finished file = logdepth({"test", "all.json", "--against", "oracle.sh"});
  EXPECT_EQ(file.status, 2);
  EXPECT_NE(file.err.find("is given as command:oracle.sh"), std::string::npos) << file.err;
  refuses("all.json", "printf 'accept\\naccept\\n'; sleep 5",
          "but it had written 'accept' before, more than one line for the last question");
  done({"compile", "division", "-o", "division.json"});
  refuses("division.json", "cat", "expected --against division");
}

}}  // namespace logdepth::command_line_checks_tests
