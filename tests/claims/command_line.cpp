// The program `logdepth` from outside: compile and run.
#include "tests/support/command_line.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "library/runs/engine.hpp"
#include "library/runs/run_answers.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/places.hpp"

namespace logdepth::command_line_tests { namespace {

using nlohmann::json;
using support::Finished;
using support::lines;

class CompileAndRun : public support::CommandLine {
 protected:
  /// Every word over two letters of at most six, as a batch on standard input.
  void check_batch(const std::string& model, const std::string& letters,
                   const std::function<bool(const std::string&)>& member) const {
    std::string batch, expected;
    support::for_each_word(letters.size(), 6, [&](const Word& word) {
      std::string text;
      for (const Letter letter : word) text += letters[letter];
      batch += text + '\n';
      expected += member(text) ? "accept\n" : "reject\n";
    });
    EXPECT_EQ(done({"run", model, "--batch", "-"}, batch), expected) << model;
  }
};

bool ends_in_abb(const std::string& word) {
  return word.ends_with("abb");
}
bool even_a(const std::string& word) {
  return std::count(word.begin(), word.end(), 'a') % 2 == 0;
}

TEST_F(CompileAndRun, ReadsEveryKindOfAutomaton) {
  const auto compile = [&](std::vector<std::string> source, const std::string& model) {
    source.insert(source.begin(), {"compile", "regular"});
    source.insert(source.end(), {"-o", model});
    EXPECT_EQ(done(source), "");
  };
  compile({"--regex", "(a|b)*abb"}, "regex.json");
  check_batch("regex.json", "ab", ends_in_abb);
  compile({"--jff", example("automata/ends_in_abb.jff")}, "jff.json");
  check_batch("jff.json", "ab", ends_in_abb);
  compile({"--fst", example("automata/even_a.fst")}, "fst.json");
  check_batch("fst.json", "ab", even_a);
  compile({"--fst", example("automata/even_a_numbers.fst"), "--symbols",
           example("automata/even_a_numbers.syms")},
          "symbols.json");
  check_batch("symbols.json", "ab", even_a);
  compile({"--fst", example("automata/dyck_depth2.fst")}, "dyck.json");
  check_batch("dyck.json", "ab", [](const std::string& word) {
    int open = 0;
    for (const char letter : word) {
      open += letter == 'a' ? 1 : -1;
      if (open < 0 || open > 2) return false;
    }
    return open == 0;
  });
  compile({"--dot", example("automata/tomita4.dot")}, "dot.json");
  check_batch("dot.json", "01",
              [](const std::string& word) { return word.find("000") == std::string::npos; });
  compile({"--group", "S3"}, "group.json");
  check_batch("group.json", "ab", [](const std::string& word) {
    int image[3] = {0, 1, 2};  // a = (0 1), b = (0 1 2)
    for (int& point : image)
      for (const char letter : word)
        point = letter == 'b' ? (point + 1) % 3 : point == 2 ? 2 : 1 - point;
    return image[0] == 0 && image[1] == 1;
  });
}

TEST_F(CompileAndRun, CompileSaysWhatItDidOnStandardErrorAndAsJson) {
  const Finished said =
      logdepth({"compile", "regular", "--regex", "(a|b)*abb", "-o", "abb.json", "--json"});
  EXPECT_EQ(said.status, 0);
  EXPECT_NE(said.err.find("minimal DFA 4"), std::string::npos) << said.err;
  EXPECT_NE(said.err.find("table: monoid, smaller: "), std::string::npos) << said.err;
  EXPECT_NE(said.err.find("wrote abb.json"), std::string::npos) << said.err;
  const json out = json::parse(said.out);
  EXPECT_EQ(out["schema"], "logdepth/compile/1");
  EXPECT_EQ(out["output"], "abb.json");
  EXPECT_EQ(out["shape"], (json{{"initial", 0}, {"repeated", 1}, {"final", 0}}));
  EXPECT_EQ(out["automaton"]["minimal_states"], 4);
  EXPECT_EQ(out["table"]["chosen"], "monoid");
  EXPECT_EQ(out["depth_formula"], "ceil(log2 n)");
  for (const char* count : {"width", "cells", "units", "nonzeros"})
    EXPECT_TRUE(out[count].is_number_integer()) << count;
  EXPECT_EQ(out["sha256"], json::parse(folder.read("abb.json"))["sha256"]);
}

TEST_F(CompileAndRun, TheSameCommandWritesTheSameBytes) {
  for (const char* name : {"a.json", "a.json.gz"}) {
    compile_regex("(ab)*", name);
    const std::string first = folder.read(name);
    compile_regex("(ab)*", name);
    EXPECT_EQ(folder.read(name), first);
  }
  EXPECT_EQ(folder.read("a.json.gz").substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(*read_weights(folder.file("a.json")), *read_weights(folder.file("a.json.gz")));
  check_batch("a.json.gz", "ab", [](const std::string& word) {
    for (std::size_t i = 0; i < word.size(); ++i)
      if (word[i] != "ab"[i % 2]) return false;
    return word.size() % 2 == 0;
  });
  EXPECT_EQ(folder.names(), (std::set<std::string>{"a.json", "a.json.gz"}));
}

TEST_F(CompileAndRun, AlphabetNameAndLettersReachTheFile) {
  compile_regex("a*", "a.json", {"--alphabet", "ab", "--name", "only a"});
  const json a = json::parse(done({"info", "a.json", "--json"}));
  EXPECT_EQ(a["alphabet"], (json{"a", "b"}));
  EXPECT_EQ(a["name"], "only a");
  EXPECT_EQ(done({"run", "a.json", "--input", "aab"}), "reject\n");
  folder.write("brackets.fst", "0 1 open\n1 0 close\n0\n");
  done({"compile", "regular", "--fst", "brackets.fst", "--alphabet", "open,other,close", "-o",
        "o.json"});
  EXPECT_EQ(json::parse(done({"info", "o.json", "--json"}))["alphabet"],
            (json{"open", "other", "close"}));
  EXPECT_EQ(done({"run", "o.json", "--tokens", "open other close"}), "reject\n");
  EXPECT_EQ(done({"run", "o.json", "--tokens", "open close"}), "accept\n");
  EXPECT_EQ(done({"run", "o.json", "--tokens", "close open"}), "reject\n");
  done({"compile", "regular", "--group", "S3", "--letters", "all", "-o", "s3.json"});
  EXPECT_EQ(json::parse(done({"info", "s3.json", "--json"}))["alphabet"].size(), 6u);
}

TEST_F(CompileAndRun, StrictPadsToTheWidthThatInfoReports) {
  compile_regex("(a|b)*abb", "plain.json");
  compile_regex("(a|b)*abb", "strict.json", {"--strict"});
  const json plain = json::parse(done({"info", "plain.json", "--json"}));
  const json strict = json::parse(done({"info", "strict.json", "--json"}));
  EXPECT_EQ(strict["width"], plain["strict_width"]);
  EXPECT_EQ(strict["strict_width"], plain["strict_width"]);
  const Head head = read_weights(folder.file("strict.json"))->layers[0].attention.heads[0];
  for (const SparseMatrix* map : {&head.query, &head.key, &head.value})
    EXPECT_EQ(strict["width"], map->rows);
  check_batch("strict.json", "ab", ends_in_abb);
}

TEST_F(CompileAndRun, UnrolledModelsRefuseLongerWordsAndAnswerTheOthers) {
  compile_regex("(a|b)*abb", "abb.json", {"--unroll", "4"});
  const json info = json::parse(done({"info", "abb.json", "--json"}));
  EXPECT_EQ(info["max_length"], 4);
  EXPECT_EQ(info["depth"], 2);
  EXPECT_EQ(done({"run", "abb.json", "--input", "aabb"}), "accept\n");
  const Finished mixed = logdepth({"run", "abb.json", "--batch", "-"}, "aabb\naaabb\nabba\n");
  EXPECT_EQ(mixed.status, 3);
  EXPECT_EQ(mixed.out, "accept\noutside the hypotheses\nreject\n");
  ASSERT_EQ(lines(mixed.err).size(), 1u) << mixed.err;
  EXPECT_NE(mixed.err.find("5 letters"), std::string::npos) << mixed.err;
  EXPECT_NE(mixed.err.find("at most 4"), std::string::npos) << mixed.err;
  const json out = json::parse(logdepth({"run", "abb.json", "--input", "aaabb", "--json"}).out);
  EXPECT_EQ(out["results"][0]["outcome"], "outside the hypotheses");
}

TEST_F(CompileAndRun, WordsComeFromOptionsAndFiles) {
  compile_regex("(a|b)*abb", "abb.json");
  EXPECT_EQ(done({"run", "abb.json", "--input", "aabb"}), "accept\n");
  EXPECT_EQ(done({"run", "abb.json", "--input", ""}), "reject\n");
  EXPECT_EQ(done({"run", "abb.json", "--tokens", "a  a b b"}), "accept\n");
  EXPECT_EQ(done({"run", "abb.json", "--tokens", ""}), "reject\n");
  folder.write("long.txt", "aab\nb a\nab b\n");
  EXPECT_EQ(done({"run", "abb.json", "--input", "@long.txt"}), "accept\n");
  folder.write("tokens.txt", "a a\nb\tb\n");
  EXPECT_EQ(done({"run", "abb.json", "--tokens", "@tokens.txt"}), "accept\n");
  folder.write("batch.txt", "abb\n\nba\r\nbabb");
  EXPECT_EQ(done({"run", "abb.json", "--batch", "batch.txt"}), "accept\nreject\nreject\naccept\n");
  EXPECT_EQ(done({"run", "abb.json", "--batch", "-"}, "\n"), "reject\n");
  EXPECT_EQ(done({"run", "abb.json", "--batch", "-"}, ""), "");
  EXPECT_EQ(lines(done({"run", "abb.json", "--batch", example("words/ab.txt")})).size(), 14u);
}

TEST_F(CompileAndRun, PrefixesArePrintedOnePerLineTheFirstLetterFirst) {
  done({"compile", "regular", "--group", "A5", "-o", "a5.json"});
  EXPECT_EQ(done({"run", "a5.json", "--input", "abab", "--prefixes"}),
            "[1,2,0,3,4]\n[2,3,1,4,0]\n[0,3,2,4,1]\n[1,4,3,0,2]\n");
  EXPECT_EQ(done({"run", "a5.json", "--batch", "-", "--prefixes"}, "a\n\nb\n"),
            "[1,2,0,3,4]\n\n\n[1,2,3,4,0]\n");
}

TEST_F(CompileAndRun, JsonCarriesEveryAnswer) {
  done({"compile", "regular", "--group", "S3", "-o", "s3.json"});
  const json out = json::parse(
      done({"run", "s3.json", "--batch", "-", "--prefixes", "--json", "--stats"}, "aa\n\nabb\n"));
  EXPECT_EQ(out["schema"], "logdepth/run/1");
  EXPECT_EQ(out["engine"], "exact");
  ASSERT_EQ(out["results"].size(), 3u);
  EXPECT_EQ(out["results"][0], (json{{"input", "aa"},
                                     {"letters", 2},
                                     {"depth", 1},
                                     {"outcome", "accept"},
                                     {"prefixes", {{1, 0, 2}, {0, 1, 2}}}}));
  EXPECT_EQ(out["results"][1]["letters"], 0);
  EXPECT_EQ(out["results"][1]["outcome"], "accept");
  EXPECT_EQ(out["results"][1]["prefixes"], json::array());
  EXPECT_EQ(out["results"][2]["outcome"], "reject");
  EXPECT_EQ(out["promises"]["evaluated"], 3 * 1 + 1 * 0 + 4 * 2);
  for (const char* count : {"rows", "scores", "distinct_values"})
    EXPECT_TRUE(out["statistics"][count].is_number_integer()) << count;
  EXPECT_EQ(out["statistics"]["rows"], 3 * 1 + 1 * 0 + 4 * 2);
}

TEST_F(CompileAndRun, StatisticsGoToStandardErrorAndLeaveTheAnswersAlone) {
  compile_regex("(a|b)*abb", "abb.json");
  const Finished finished = logdepth({"run", "abb.json", "--input", "aabb", "--stats"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(finished.out, "accept\n");
  const json counts = json::parse(finished.err);
  EXPECT_EQ(counts["statistics"]["rows"], 10);
  EXPECT_EQ(counts["promises"]["evaluated"], 10);
}

TEST_F(CompileAndRun, TheTraceHoldsEveryCellOfEveryLayerAndEverySelection) {
  for (const std::string positions : {"two-circle", "first-flag"}) {
    done({"compile", "regular", "--group", "S3", "--positions", positions, "-o", "s3.json"});
    const Model model = read_weights(folder.file("s3.json"));
    EXPECT_EQ(done({"run", "s3.json", "--batch", "-", "--trace", "t.jsonl"}, "abbab\n\n"),
              "reject\naccept\n");
    std::size_t begun = 0, streams = 0, rows = 0;
    for (const std::string& line : lines(folder.read("t.jsonl"))) {
      const json entry = json::parse(line);
      if (entry.contains("schema")) {
        EXPECT_EQ(entry["schema"], "logdepth/trace/1");
        EXPECT_EQ(entry["letters"].size(), begun == 0 ? 5u : 0u);
        ++begun;
      } else if (entry.contains("head")) {
        const std::size_t token = entry["token"];
        EXPECT_FALSE(entry["selected"].empty());
        for (const std::size_t position : entry["selected"]) EXPECT_LE(position, token);
        ++rows;
      } else {
        ASSERT_EQ(entry["cells"].size(), model.cells.size());
        for (const auto& [name, cell] : model.cells)
          EXPECT_EQ(entry["cells"][name].size(), cell.coordinates.size()) << name;
        ++streams;
      }
    }
    const std::size_t initial = positions == "first-flag" ? 1 : 0;
    EXPECT_EQ(begun, 2u);
    EXPECT_EQ(streams, 6 * (1 + 2 * (3 + initial)) + 1 * (1 + 2 * initial)) << positions;
    EXPECT_EQ(rows, 6 * (3 + initial) + initial) << positions;
  }
}

TEST_F(CompileAndRun, ATieIsUndecided) {
  compile_regex("(a|b)*abb", "abb.json");
  Model model = read_weights(folder.file("abb.json"));
  // Without its row, accept has the logit 0, which is also reject's on a word of the language.
  const std::uint32_t accept = std::get<AcceptOutput>(model.output).accept;
  std::erase_if(model.unembedding.entries,
                [&](const MatrixEntry& entry) { return entry.row == accept; });
  save_weights(model, folder.file("tie.json"));
  const Finished finished = logdepth({"run", "tie.json", "--batch", "-"}, "ab\nabb\nb\n");
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(finished.out, "reject\nundecided\nreject\n");
  EXPECT_NE(finished.err.find("undecided: "), std::string::npos) << finished.err;
  EXPECT_EQ(logdepth({"run", "tie.json", "--input", "ab"}).status, 0);
  const json out = json::parse(logdepth({"run", "tie.json", "--input", "abb", "--json"}).out);
  EXPECT_EQ(out["results"][0]["outcome"], "undecided");
}

TEST_F(CompileAndRun, ATieOfAPrefixLeavesTheOtherPrefixesTheirAnswers) {
  done({"compile", "regular", "--group", "Z3", "-o", "z3.json"});
  Model model = read_weights(folder.file("z3.json"));
  const AcceptOutput& output = std::get<AcceptOutput>(model.output);
  // Where the second element is right, all have the logit 0.
  const std::uint32_t row = std::get<ElementReadout>(output.prefix).first_row + 1;
  std::erase_if(model.unembedding.entries, [&](const MatrixEntry& e) { return e.row == row; });
  save_weights(model, folder.file("tie.json"));
  const Finished finished = logdepth({"run", "tie.json", "--input", "aaaa", "--prefixes"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(finished.out, "undecided\n[2,0,1]\n[0,1,2]\nundecided\n");
  EXPECT_NE(finished.err.find("undecided: token 1: two elements share the largest logit"),
            std::string::npos)
      << finished.err;
  const json out =
      json::parse(logdepth({"run", "tie.json", "--input", "aaaa", "--prefixes", "--json"}).out);
  EXPECT_EQ(out["results"][0]["prefixes"], json::parse("[null,[2,0,1],[0,1,2],null]"));
  EXPECT_EQ(out["results"][0]["outcome"], "reject");
  // The second reader says the same.
  const Finished second =
      support::run_process({support::python(), support::source_dir() + "/examples/exact_runner.py",
                            "tie.json", "aaaa", "--prefixes"},
                           folder.path());
  EXPECT_EQ(second.status, 3);
  EXPECT_EQ(second.out, finished.out);
}

TEST_F(CompileAndRun, ATieOfTheVerdictIsNoneOfThePrefixesThatWereAskedFor) {
  done({"compile", "regular", "--group", "Z3", "-o", "z3.json"});
  Model model = read_weights(folder.file("z3.json"));
  const std::uint32_t accept = std::get<AcceptOutput>(model.output).accept;
  std::erase_if(model.unembedding.entries, [&](const MatrixEntry& e) { return e.row == accept; });
  save_weights(model, folder.file("tie.json"));
  EXPECT_EQ(logdepth({"run", "tie.json", "--input", "aaa"}).out, "undecided\n");
  EXPECT_EQ(done({"run", "tie.json", "--input", "aaa", "--prefixes"}),
            "[1,2,0]\n[2,0,1]\n[0,1,2]\n");
  const Finished object = logdepth({"run", "tie.json", "--input", "aaa", "--prefixes", "--json"});
  EXPECT_EQ(object.status, 3);
  EXPECT_EQ(json::parse(object.out)["results"][0]["outcome"], "undecided");
}

TEST_F(CompileAndRun, ABrokenContractIsReportedBesideTheAnswer) {
  compile_regex("(a|b)*abb", "abb.json");
  Model model = read_weights(folder.file("abb.json"));
  model.layers[0].attention.heads[0].contract = UniformContract{};
  save_weights(model, folder.file("liar.json"));
  const Finished finished = logdepth({"run", "liar.json", "--input", "aabb"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_EQ(finished.out, "accept\n");
  EXPECT_NE(finished.err.find("contract violated: layer 1, head 0, token 1"), std::string::npos)
      << finished.err;
  EXPECT_EQ(logdepth({"test", "liar.json", "--against", "(a|b)*abb", "--up-to", "3"}).status, 1);
}

TEST_F(CompileAndRun, AnInterruptedRunLeavesNoPartOfItsTrace) {
  done({"compile", "regular", "--group", "A5", "-o", "a5.json"});
  folder.write("long.txt", std::string(20000, 'b'));
  const auto begun = [&] { return folder.names().size() > 2; };
  const Finished finished = support::run_process(
      {support::program(), "run", "a5.json", "--input", "@long.txt", "--trace", "t.jsonl"},
      folder.path(), "", begun);
  EXPECT_EQ(finished.status, 128 + 15);
  EXPECT_EQ(folder.names(), (std::set<std::string>{"a5.json", "long.txt"}));
}

// The program `logdepth` from outside: the tree and the uniform radix construction.

using Arguments = std::vector<std::string>;

class UniformConstructions : public support::CommandLine {
 protected:
  Arguments regular(const Arguments& more) const {
    Arguments all = {"compile", "regular", "--group", "A5", "-o", "a5.json"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  json info() const { return json::parse(done({"info", "a5.json", "--at", "100", "--json"})); }

  /// It answers, is tested, compared, drawn, traced, unrolled and run by the other runner.
  void check_use() const {
    EXPECT_EQ(done({"run", "a5.json", "--input", "abab", "--prefixes"}),
              "[1,2,0,3,4]\n[2,3,1,4,0]\n[0,3,2,4,1]\n[1,4,3,0,2]\n");
    EXPECT_EQ(done({"run", "a5.json", "--batch", "-"}, "\na\naaa\nabb\nbbbbb\n"),
              "accept\nreject\naccept\nreject\naccept\n");
    EXPECT_EQ(logdepth({"test", "a5.json", "--against", "group:A5", "--up-to", "4", "--random",
                        "20", "--max-length", "30"})
                  .status,
              0);
    EXPECT_EQ(logdepth({"diff", "a5.json", "--input", "abaabbab"}).status, 0);
    done({"draw", "a5.json", "--input", "abab", "-o", "attention.svg"});
    done({"draw", "a5.json", "-o", "circuit.svg"});
    EXPECT_NE(folder.read("attention.svg").find("<svg"), std::string::npos);
    EXPECT_NE(folder.read("circuit.svg").find("<svg"), std::string::npos);
    const Finished python = support::run_process(
        {support::python(), example("exact_runner.py"), "a5.json", "abab", "bbbbb", "ababababab"},
        folder.path(), "");
    EXPECT_EQ(python.status, 0) << python.err;
    EXPECT_EQ(python.out, done({"run", "a5.json", "--batch", "-"}, "abab\nbbbbb\nababababab\n"));
  }
};

TEST_F(UniformConstructions, TheTreeIsUsedLikeOthersAndSaysWhatItRepairs) {
  for (const char* norm : {"rms", "layernorm"}) {
    done(regular({"--construction", "tree", "--norm", norm}));
    check_use();
    const json sheet = info();
    EXPECT_EQ(sheet["construction"], "tree");
    EXPECT_EQ(sheet["depth_formula"], "2 ceil(log2 n) + 4");
    EXPECT_EQ(sheet["depth"], 2 * 7 + 4);
    EXPECT_EQ(sheet["parameters"]["positions"], "first-flag");
    EXPECT_GE(sheet["deviations"].size(), 7u);
  }
}

TEST_F(UniformConstructions, RadixWithoutALengthIsOneNetworkForAllLengths) {
  for (const auto& [radix, block, formula, depth] : {std::tuple{"2", "2", "2 ceil(log2 n) + 2", 16},
                                                     {"3", "2", "2 ceil(log_3 n) + 2", 12},
                                                     {"2", "3", "3 ceil(log_4 n) + 2", 14}}) {
    done(regular({"--construction", "radix", "--radix", radix, "--block", block}));
    check_use();
    const json sheet = info();
    EXPECT_EQ(sheet["construction"], "uniform-radix");
    EXPECT_EQ(sheet["depth_formula"], formula);
    EXPECT_EQ(sheet["depth"], depth);
    EXPECT_EQ(sheet["parameters"]["radix"], radix);
    EXPECT_EQ(sheet["parameters"]["block"], block);
    EXPECT_EQ(sheet["parameters"]["positions"], "first-flag");
    EXPECT_FALSE(sheet.contains("max_length"));
  }
  done(regular({"--construction", "radix"}));
  EXPECT_EQ(info()["depth_formula"], "2 ceil(log2 n) + 2");
  done(regular({"--construction", "radix", "--radix", "3", "--unroll", "30"}));
  EXPECT_EQ(info()["construction"], "radix");
  EXPECT_EQ(info()["max_length"], 30);
  check_use();
}

TEST_F(UniformConstructions, OptionsThatDoNotFitAreRefusedInOneSentence) {
  const auto refuses = [&](const Arguments& more, const char* reason) {
    CommandLine::refuses(regular(more), reason);
  };
  for (const char* positions : {"circle", "two-circle"}) {
    refuses({"--construction", "tree", "--positions", positions},
            "supports only first-flag positions");
    refuses({"--construction", "radix", "--positions", positions},
            "supports only first-flag positions");
  }
  done(regular({"--construction", "tree", "--positions", "first-flag"}));
  done(regular({"--construction", "radix", "--positions", "first-flag"}));
  refuses({"--construction", "tree", "--radix", "3"}, "--construction radix");
  refuses({"--block", "3"}, "--construction radix");
  refuses({"--construction", "tree", "--block", "3"}, "--construction radix");
  refuses({"--construction", "radix", "--block", "3", "--unroll", "9"}, "--block");
  for (const char* block : {"0", "1", "99"})
    refuses({"--construction", "radix", "--block", block}, block);
}

// Exact runs by columns, as the program has them: the same answers, what --stats reports, and inputs that
// are left to the general path.

class CommandLineColumns : public support::CommandLine {
 protected:
  json statistics(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--json", "--stats"});
    return json::parse(done(arguments))["statistics"];
  }
};

TEST_F(CommandLineColumns, ALongWordIsRunByColumnsAndAShortOneIsNot) {
  done({"compile", "regular", "--group", "S3", "-o", "s3.json"});
  folder.write("long.txt", random_text(2047, 1));
  const json of_long = statistics({"s3.json", "--input", "@long.txt"});
  EXPECT_EQ(of_long["columns"]["inputs"], 1);
  EXPECT_EQ(of_long["columns"]["tokens"], 2048);
  EXPECT_EQ(of_long["columns"]["general_path"], 0);
  EXPECT_EQ(of_long["rows"], 2048 * 11);
  folder.write("short.txt", random_text(2046, 1));
  EXPECT_FALSE(statistics({"s3.json", "--input", "@short.txt"}).contains("columns"));
}

TEST_F(CommandLineColumns, ABatchRunsWordsOfOneLengthTogetherAndAnswersInOrder) {
  done({"compile", "regular", "--group", "S3", "-o", "s3.json"});
  std::string batch, alone;
  for (unsigned i = 0; i < 400; ++i)
    batch += random_text(i % 3 == 0 ? 11 : i % 3 == 1 ? 17 : i, i) + "\n";
  folder.write("batch.txt", batch);
  const json result = statistics({"s3.json", "--batch", "batch.txt", "--prefixes"});
  EXPECT_GT(result["columns"]["inputs"].get<std::size_t>(), 133u);
  EXPECT_LT(result["columns"]["inputs"].get<std::size_t>(), 300u);
  const Model model = read_weights(folder.file("s3.json"));
  const auto answers = [&](std::size_t least_column_tokens, bool announced) {
    std::vector<std::vector<std::string>> words;
    for (const std::string& line : support::lines(batch)) {
      auto& letters = words.emplace_back();
      for (const char letter : line) letters.emplace_back(1, letter);
    }
    RunAnswers run(model, exact_engine(model, 1, {}, least_column_tokens), Reading{});
    if (announced) run.announce(words);
    std::string text;
    for (const auto& word : words) {
      const RunAnswer answer = run.word(word);
      text += answer.verdict ? *answer.verdict ? "accept" : "reject" : "undecided";
      for (const auto& prefix : *answer.prefixes)
        text += prefix.has_value() ? " " + prefix_text(prefix.value().value) : " ?";
      text += "\n";
    }
    return text;
  };
  const std::string general = answers(static_cast<std::size_t>(-1), true);
  EXPECT_EQ(answers(1, true), general);
  EXPECT_EQ(answers(1, false), general);
  EXPECT_EQ(answers(kLeastColumnTokens, true), general);
}

/// A row has several keys of the largest score before another one has none of its direction; and keys are read in
/// part before it turns out that they have no directions. Both break the contract at any length.
TEST_F(CommandLineColumns, AContractThatIsBrokenIsBrokenAtAnyLength) {
  for (const char* file : {"contract_after_a_tie", "contract_of_half_read_keys"})
    for (const std::size_t letters : {2047, 2048}) {
      folder.write("word.txt", std::string(letters - 1, 'a') + "b");
      const auto finished =
          logdepth({"run", support::source_dir() + "/tests/claims/false_floats/" + file + ".json",
                    "--input", "@word.txt"});
      EXPECT_EQ(finished.status, 1) << file << " " << letters;
      EXPECT_NE(finished.err.find("selection contract violated"), std::string::npos);
    }
}

TEST_F(CommandLineColumns, ABatchIsRunInGroupsThatFitTheMemory) {
  done({"compile", "regular", "--group", "S3", "-o", "s3.json"});
  std::string batch;
  for (unsigned i = 0; i < 4000; ++i) batch += random_text(100, i) + "\n";
  folder.write("batch.txt", batch);
  const json columns =
      statistics({"s3.json", "--batch", "batch.txt", "--memory", "0.01"})["columns"];
  EXPECT_EQ(columns["inputs"], 4000);
  EXPECT_EQ(columns["general_path"], 0);
}

TEST_F(CommandLineColumns, WhyAnInputIsLeftToTheGeneralPathIsReported) {
  done({"compile", "regular", "--group", "S3", "-o", "s3.json"});
  Model model = read_weights(folder.file("s3.json"));
  // A contract that the head does not keep: the general path says so.
  model.layers[0].attention.heads[0].contract = UniformContract{};
  save_weights(CheckedModel(std::move(model)), folder.file("changed.json"));
  folder.write("long.txt", random_text(2500, 2));
  const support::Finished finished =
      logdepth({"run", "changed.json", "--input", "@long.txt", "--stats"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.err.find("\"general_path\": 1"), std::string::npos) << finished.err;
  EXPECT_NE(finished.err.find("\"reason\": \"layer 1, attention: head 0: a selection contract that "
                              "is not proved"),
            std::string::npos)
      << finished.err;
  EXPECT_NE(finished.err.find("selection contract violated: layer 1, head 0, token 1: expected all "
                              "visible positions, found 1 of 2"),
            std::string::npos)
      << finished.err;
}

}}  // namespace logdepth::command_line_tests
