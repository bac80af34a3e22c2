// Files from strangers: what they hold may be large, deep or meant for the terminal of a reader.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/quoted_text.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/starved/commands.hpp"
#include "tests/support/places.hpp"

namespace logdepth::starved { namespace {

class HostileFiles : public Starved {
 protected:
  /// That the command is refused with this status in one line of this many bytes at most.
  void refused(int status, const std::vector<std::string>& arguments,
               const std::string& sentence) const {
    const auto finished = starve("", arguments);
    EXPECT_EQ(finished.status, status) << finished.err;
    EXPECT_NE(finished.err.find(sentence), std::string::npos) << finished.err;
    EXPECT_EQ(support::lines(finished.err).size(), 1u) << finished.err;
    EXPECT_LT(finished.err.size(), 1000u);
  }

  static std::string chain(std::size_t states) {
    std::string text;
    for (std::size_t q = 0; q + 1 < states; ++q)
      text += std::to_string(q) + " " + std::to_string(q + 1) + " a\n";
    return text + std::to_string(states - 1) + "\n";
  }
};

/// GiB of address space, by the shell: far less than lists of all pairs of states took.
const std::string kTwoGiB = support::sanitized() ? "" : "ulimit -v 2097152;";

TEST_F(HostileFiles, ChainsOfManyStatesAreForecastInTheRoomOfTheirFile) {
  for (const std::size_t states : {std::size_t{40001}, (std::size_t{1} << 20) - 1}) {
    folder.write("chain.fst", chain(states));
    const auto finished =
        starve(kTwoGiB, {"compile", "regular", "--fst", "chain.fst", "-o", "out.json"});
    EXPECT_EQ(finished.status, 3);
    EXPECT_NE(finished.err.find("needs more than 1000000 hidden units"), std::string::npos)
        << finished.err;
    EXPECT_EQ(finished.err.find("out of memory"), std::string::npos) << finished.err;
  }
  folder.write("chain.fst", chain((std::size_t{1} << 20) + 1));
  refused(3, {"convert", "--fst", "chain.fst", "-o", "out.dot"},
          "the automaton has more than 1048576 states, the limit");
}

TEST_F(HostileFiles, LongRegularExpressionsAreForecastInTheRoomOfTheirText) {
  const auto finished = starve(
      kTwoGiB, {"compile", "regular", "--regex", std::string(120000, 'a'), "-o", "out.json"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_NE(finished.err.find("needs more than 1000000 hidden units"), std::string::npos)
      << finished.err;
}

TEST_F(HostileFiles, ALongNumberIsNotPrintedWhole) {
  done({"compile", "division", "-o", "division.json"});
  std::string number;
  for (const char* prime : {"2", "3", "5", "7", "11", "13"})
    number +=
        std::string(number.empty() ? "" : "+") + std::string(3000, '9') + "*sqrt(" + prime + ")";
  folder.write("long.txt", "i.0 i.1 m.0 m.1 a.0 a.1\n" + number + " 1 1 1 1 1\n");
  refused(3, {"run", "division.json", "--cells", "long.txt"}, "may not be given (");
}

TEST_F(HostileFiles, TextsOfAWeightsFileForgeNoLineOfItsClaimSheet) {
  Model model = read_weights(folder.file("abb.json"));
  model.name =
      "\x1b[31mred\xc2\x9b"
      "2J";
  model.construction = "scan\nchecks        test: passed (every word)";
  model.deviations = {"none\nchecks        test: passed (every word)",
                      "\xe2\x80\xae"
                      "reversed"};
  save_weights(model, folder.file("forged.json"));
  folder.write("forged.json.checks.json",
               nlohmann::json{{"schema", "logdepth/checks/1"},
                              {"sha256", weights_hash(read_weights(folder.file("forged.json")))},
                              {"checks",
                               {{{"kind", "test\x1b[2J"},
                                 {"against", "a\nb"},
                                 {"bound", "\x1b]0;x\x07"},
                                 {"result", "passed"}}}}}
                   .dump());
  const auto honest = support::lines(done({"info", "abb.json"})).size();
  const auto said = support::lines(done({"info", "forged.json"}));
  EXPECT_EQ(said.size(), honest + model.deviations.size() -
                             read_weights(folder.file("abb.json"))->deviations.size());
  for (const std::string& line : said) {
    EXPECT_EQ(printable(line, line.size()), line);
    EXPECT_FALSE(line.starts_with("checks  ")) << line;
  }
  refused(2, {"run", "forged.json", "--graph", "graph.edges", "--source", "0", "--target", "1"},
          "'\\x1b[31mred\\xc2\\x9b2J'");
}

TEST_F(HostileFiles, NamesOfAnyFileAreQuotedForATerminal) {
  const std::string bad = "\x1b[31m\x07";
  folder.write("bad.edges", bad + " b\n");
  folder.write("bad.cells", "program x\ncell " + bad + " flag\n");
  folder.write("bad.txt", bad + " b\n");
  folder.write("bad.fst", "0 1 " + bad + "\n1\n");
  folder.write("bad.crasp", "alphabet a\n" + bad + " := Q_a\n");
  folder.write("bad.json", "{\"" + bad + "\": 1}");
  done({"compile", "division", "-o", "division.json"});
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"run", "graph.json", "--graph", "bad.edges", "--source", bad, "--target", "b"},
           {"run", "graph.json", "--graph", "graph.edges", "--source", bad, "--target", "0"},
           {"run", "abb.json", "--input", bad},
           {"run", "division.json", "--cells", "bad.txt"},
           {"compile", "program", "bad.cells", "-o", "out.json"},
           {"compile", "regular", "--fst", "bad.fst", "-o", "out.json"},
           {"compile", "regular", "--regex", bad + "(", "-o", "out.json"},
           {"compile", "crasp", "bad.crasp", "-o", "out.json"},
           {"info", "bad.json"},
           {"train", "plan", "bad.json", "--out", "runs", "--status"},
           {bad},
           {"info", "abb.json", "--" + bad}})
    refused(2, arguments, "logdepth: ");
}

TEST_F(HostileFiles, DeepTreesAreRefusedByEveryReader) {
  const auto deep = [](const std::string& before, const std::string& after) {
    constexpr std::size_t kDepth = 200000;
    return before + std::string(kDepth, '[') + std::string(kDepth, ']') + after;
  };
  folder.write("deep.json", deep("", ""));
  std::filesystem::create_directory(folder.path() / "run");
  folder.write("run/record.json",
               deep(R"({"format":"logdepth-run","version":2,"config":{},"machine":{},)"
                    R"("result":{},"training":{"curve":)",
                    "}}"));
  folder.write("plan.json", deep(R"({"format":"logdepth-plan","version":1,"runs":)", "}"));
  folder.write("abb.json.checks.json", deep(R"({"schema":)", "}"));
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"info", "deep.json"},
           {"info", "abb.json"},
           {"measure", "run"},
           {"compare", "run"},
           {"train", "plan", "plan.json", "--out", "runs", "--status"},
           {"convert", "--json-automaton", "deep.json", "-o", "out.dot"},
           {"convert", "--graph", "deep.json", "-o", "out.dot"}})
    refused(2, arguments, "");
}

}}  // namespace logdepth::starved
