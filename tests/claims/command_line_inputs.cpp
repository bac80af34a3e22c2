// The program `logdepth` from outside: graphs and raw streams, on small files made by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/file/weights_file.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/model_samples.hpp"

namespace logdepth::command_line_inputs_tests { namespace {

using nlohmann::json;
using support::Finished;
using support::lines;
using Arguments = std::vector<std::string>;

class Inputs : public support::CommandLine {
 protected:
  void SetUp() override {
    save_weights(example_rows_model(), folder.file("rows.json"));
    save_weights(example_adjacency_model(), folder.file("all.json"));
    save_weights(example_cells_model(), folder.file("difference.json"));
    folder.write("g.txt", "a b\n");
    folder.write("pairs.txt", "a b\nb a\n# both\n\nb b\n");
    folder.write("c.txt", "y x\n1/2-sqrt(3) 2\n0 -3/5 # second\n");
    compile_regex("(a|b)*abb", "abb.json");
  }

  json json_of(Arguments arguments) const {
    arguments.emplace_back("--json");
    return json::parse(done(std::move(arguments)));
  }

  /// One sentence on standard error, nothing on standard output.
  void refuses(const Arguments& arguments, int status, const std::string& reason) const {
    CommandLine::refuses(arguments, reason, status);
  }
};

TEST_F(Inputs, PairsOfAGraphAreAnsweredOnePerLine) {
  for (const char* model : {"rows.json", "all.json"})
    EXPECT_EQ(done({"run", model, "--graph", "g.txt", "--source", "a", "--target", "b"}),
              "connected\n");
  EXPECT_EQ(done({"run", "rows.json", "--graph", "g.txt", "--source", "b", "--target", "a"}),
            "not connected\n");
  EXPECT_EQ(done({"run", "rows.json", "--graph", "g.txt", "--batch", "pairs.txt"}),
            "connected\nnot connected\nconnected\n");
  EXPECT_EQ(done({"run", "rows.json", "--graph", "g.txt", "--batch", "-"}, "b a\n"),
            "not connected\n");
  EXPECT_EQ(done({"run", "rows.json", "--graph", "g.txt", "--batch", "-"}, ""), "");
  EXPECT_EQ(done({"run", "rows.json", "--graph", "g.txt", "--undirected", "--source", "b",
                  "--target", "a"}),
            "connected\n");
}

TEST_F(Inputs, ADivisionIsAskedInNumbersAndAnsweredInNumbers) {
  for (const std::vector<std::string>& form :
       std::vector<std::vector<std::string>>{{}, {"--own-argument"}, {"--unit-inputs"}}) {
    std::vector<std::string> compile = {"compile", "division", "-o", "division.json"};
    compile.insert(compile.end(), form.begin(), form.end());
    done(compile);
    for (const int dividend : {0, 1, 7, 16, 63})
      for (const int divisor : {1, 2, 3, 7, 64, 100})
        EXPECT_EQ(done({"run", "division.json", "--divide", std::to_string(dividend), "--by",
                        std::to_string(divisor)}),
                  std::to_string(dividend / divisor) + " remainder " +
                      std::to_string(dividend % divisor) + "\n");
  }
  const json out = json_of({"run", "division.json", "--divide", "7", "--by", "3"});
  EXPECT_EQ(out["results"][0]["quotient"], "2");
  EXPECT_EQ(out["results"][0]["remainder"], "1");
  refuses({"run", "division.json", "--divide", "7", "--by", "0"}, 2, "--by: expected at least 1");
  refuses({"run", "division.json", "--divide", "7"}, 2, "--divide requires --by");
  refuses({"run", "division.json", "--divide", "1000001", "--by", "3"}, 2,
          "--divide: expected a whole number from 0 to 1000000");
  refuses({"run", "division.json", "--input", "7"}, 2, "--divide A --by M");
  refuses({"run", "abb.json", "--divide", "7", "--by", "3"}, 2, "takes words");
  refuses({"run", "difference.json", "--divide", "7", "--by", "3"}, 2, "is not about division");
}

TEST_F(Inputs, StatesKeepTheNamesOfTheUsersFile) {
  done({"compile", "regular", "--dot", example("automata/tomita4.dot"), "-o", "tomita4.json"});
  EXPECT_NE(
      done({"info", "tomita4.json"}).find("states        [\"none\",\"one\",\"two\",\"no state\"]"),
      std::string::npos);
  EXPECT_NE(done({"inspect", "--dot", example("automata/tomita4.dot")})
                .find("states     [\"none\",\"one\",\"two\",\"no state\"]\n"),
            std::string::npos);
  EXPECT_EQ(done({"run", "tomita4.json", "--tokens", "0 1", "--prefixes"}),
            "[\"one\",\"two\",\"no state\",\"no state\"]\n"
            "[\"none\",\"none\",\"no state\",\"no state\"]\n");
  // Images are points in JSON, as everywhere.
  EXPECT_EQ(
      json_of({"run", "tomita4.json", "--tokens", "0", "--prefixes"})["results"][0]["prefixes"],
      (json{{1, 2, 3, 3}}));
  // States of JFLAP's have numbers and names, a second one of a name its number; merged ones keep
  // both.
  folder.write("two.jff",
               "<structure><type>fa</type><automaton><state id=\"4\" name=\"even\"><initial/>"
               "<final/></state><state id=\"7\" name=\"odd\"/><state id=\"9\" name=\"odd\"/>"
               "<transition><from>4</from><to>7</to><read>a</read></transition>"
               "<transition><from>7</from><to>4</to><read>a</read></transition>"
               "<transition><from>4</from><to>9</to><read>b</read></transition>"
               "<transition><from>9</from><to>4</to><read>a</read></transition>"
               "<transition><from>7</from><to>4</to><read>b</read></transition>"
               "<transition><from>9</from><to>4</to><read>b</read></transition>"
               "</automaton></structure>");
  EXPECT_NE(done({"inspect", "--jff", "two.jff"}).find("states     [\"even\",\"odd|9\"]\n"),
            std::string::npos);
  // Numbers that are ours are not said.
  EXPECT_EQ(done({"inspect", "--fst", example("automata/even_a_numbers.fst"), "--symbols",
                  example("automata/even_a_numbers.syms")})
                .find("states  "),
            std::string::npos);
}

TEST_F(Inputs, ParametersOfAStrangersFileMayBeAnything) {
  Model model = read_weights(folder.file("abb.json"));
  model.parameters = {{"automaton", JsonText{"3"}}, {"states", JsonText{R"(["a"])"}}};
  save_weights(model, folder.file("strange.json"));
  EXPECT_NE(
      done({"info", "strange.json"}).find("verdict       accept: the word is in the language"),
      std::string::npos);
  EXPECT_EQ(done({"run", "strange.json", "--input", "a", "--prefixes"}),
            done({"run", "abb.json", "--input", "a", "--prefixes"}));
}

TEST_F(Inputs, ManyPairsOfAFileThatRunsEachComeWithTheNameOfABetterFile) {
  std::string pairs;
  for (int i = 0; i < 10; ++i) pairs += "a b\n";
  const Finished many = logdepth({"run", "all.json", "--graph", "g.txt", "--batch", "-"}, pairs);
  EXPECT_EQ(many.status, 0);
  EXPECT_EQ(many.err,
            "logdepth: 10 pairs require 10 runs of this network; one made by `compile "
            "connectivity --construction rows --size 2` decides all pairs in one run\n");
  EXPECT_EQ(logdepth({"run", "rows.json", "--graph", "g.txt", "--batch", "-"}, pairs).err, "");
}

TEST_F(Inputs, AGraphSmallerThanItsFileGetsIsolatedVerticesAndALargerOneIsRefused) {
  folder.write("one.txt", "# edge list\na\n");
  EXPECT_EQ(done({"run", "rows.json", "--graph", "one.txt", "--source", "a", "--target", "a"}),
            "connected\n");
  folder.write("three.txt", "a b\nb c\n");
  folder.write("ac.txt", "a c\na a\n");
  const Finished larger =
      logdepth({"run", "rows.json", "--graph", "three.txt", "--batch", "ac.txt"});
  EXPECT_EQ(larger.status, 3);
  EXPECT_EQ(larger.out, "outside the hypotheses\noutside the hypotheses\n");
  EXPECT_NE(larger.err.find("pair 2: hypothesis violated: the graph has 3 vertices"),
            std::string::npos)
      << larger.err;
}

TEST_F(Inputs, GraphsAreAnsweredAsJsonWithTheirPairs) {
  const json out =
      json_of({"run", "rows.json", "--graph", "g.txt", "--batch", "pairs.txt", "--stats"});
  EXPECT_EQ(out["schema"], "logdepth/run/1");
  ASSERT_EQ(out["results"].size(), 3u);
  EXPECT_EQ(out["results"][1], (json{{"source", "b"},
                                     {"target", "a"},
                                     {"vertices", 2},
                                     {"depth", 1},
                                     {"outcome", "not connected"}}));
  EXPECT_EQ(out["promises"]["evaluated"], 3 * 2);  // three heads, two tokens, one run for all pairs
  EXPECT_EQ(out["statistics"]["rows"], 3 * 2);
}

TEST_F(Inputs, RawStreamsAreAnsweredTokenByTokenInTheFormTheyAreRead) {
  const std::string table = "x-y 2y\n3/2+sqrt(3) 1-sqrt(12)\n-3/5 0\n";
  EXPECT_EQ(done({"run", "difference.json", "--cells", "c.txt"}), table);
  const json out = json_of({"run", "difference.json", "--cells", "c.txt"});
  EXPECT_EQ(out["results"][0], (json{{"tokens", 2},
                                     {"depth", 0},
                                     {"outcome", "value"},
                                     {"cells",
                                      {{{"x-y", "3/2 + sqrt(3)"}, {"2y", "1 - sqrt(12)"}},
                                       {{"x-y", "-3/5"}, {"2y", "0"}}}}}));
}

TEST_F(Inputs, TheTraceBeginsWithTheQuestion) {
  done({"run", "rows.json", "--graph", "g.txt", "--batch", "pairs.txt", "--trace", "t.jsonl"});
  const auto said = lines(folder.read("t.jsonl"));
  ASSERT_EQ(said.size(), 1 + 2 * 3 + 3 * 2u);  // a run, three moments, three heads
  const json first = json::parse(said[0]);
  EXPECT_EQ(first["vertices"], (json{"a", "b"}));
  EXPECT_FALSE(first.contains("source"));
  EXPECT_EQ(json::parse(said[1])["cells"]["1"], (json{"1"}));  // the edge, without an index
  done({"run", "all.json", "--graph", "g.txt", "--batch", "pairs.txt", "--trace", "t.jsonl"});
  EXPECT_EQ(json::parse(lines(folder.read("t.jsonl"))[0])["target"], "b");
  done({"run", "difference.json", "--cells", "c.txt", "--trace", "t.jsonl"});
  EXPECT_EQ(json::parse(lines(folder.read("t.jsonl"))[0])["tokens"], 2);
}

TEST_F(Inputs, InputsOfAnotherKindAreRefusedWithTheOptionsThatFit) {
  const std::string graphs = "takes graphs; expected --graph FILE with --source and --target";
  const std::string streams = "takes raw streams; expected --cells FILE";
  refuses({"run", "rows.json", "--input", "ab"}, 2, graphs);
  refuses({"run", "rows.json", "--batch", "pairs.txt"}, 2, graphs);
  refuses({"run", "rows.json", "--cells", "c.txt"}, 2, "--cells: the weights file");
  refuses({"run", "rows.json", "--cells", "c.txt"}, 2, graphs);
  refuses({"run", "rows.json"}, 2, graphs);
  refuses({"run", "difference.json", "--input", "ab"}, 2, streams);
  refuses({"run", "difference.json", "--graph", "g.txt", "--source", "a", "--target", "b"}, 2,
          streams);
  refuses(
      {"run", "abb.json", "--graph", "g.txt", "--source", "a", "--target", "b"}, 2,
      "--graph: the weights file 'regex (a|b)*abb' takes words; expected --input or --tokens or "
      "--batch");
  refuses({"run", "abb.json", "--cells", "c.txt"}, 2, "takes words");
  refuses({"draw", "abb.json", "--cells", "c.txt", "-o", "x.svg"}, 2, "takes words");
  refuses({"diff", "rows.json", "--program", example("programs/parity.cells"), "--input", "a"}, 2,
          graphs);
  refuses({"run", "rows.json", "--graph", "g.txt", "--input", "a"}, 2, "excludes");
  refuses({"run", "difference.json", "--cells", "c.txt", "--batch", "pairs.txt"}, 2, "excludes");
  refuses({"run", "rows.json", "--source", "a"}, 2, "--graph");
  refuses({"run", "rows.json", "--graph", "g.txt", "--source", "a", "--target", "b", "--prefixes"},
          2, "--prefixes: the weights file 'rows' does not take words");
  refuses({"run", "difference.json", "--cells", "c.txt", "--prefixes"}, 2, "does not take words");
}

TEST_F(Inputs, QuestionsAboutAGraphThatMakeNoSenseAreExplained) {
  const Arguments run = {"run", "rows.json", "--graph", "g.txt"};
  const auto with = [&](const Arguments& more) {
    Arguments arguments = run;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  refuses(run, 2, "expected --source and --target, or --batch");
  refuses(with({"--source", "a"}), 2, "expected --source and --target");
  refuses(with({"--source", "a", "--target", "z"}), 2, "--target: 'z' is not a vertex of g.txt");
  refuses(with({"--source", "1", "--target", "b"}), 2, "--source: '1' is not a vertex of g.txt");
  refuses(with({"--source", "a", "--target", "b", "--batch", "pairs.txt"}), 2,
          "--batch is not allowed with --source and --target");
  refuses({"run", "rows.json", "--graph", "nowhere.txt", "--source", "a", "--target", "b"}, 2,
          "nowhere.txt");
  refuses({"run", "difference.json", "--cells", "g.txt"}, 2, "g.txt:1: the first line names 'a'");
  refuses({"run", "difference.json", "--cells", "nowhere.txt"}, 2, "nowhere.txt");
  refuses({"run", "rows.json", "--graph", "g.txt", "--source", "a", "--target", "b", "--trace",
           "g.txt"},
          2, "g.txt: is an input");
}

TEST_F(Inputs, ABatchWithAnUnknownVertexNamesThePair) {
  folder.write("bad.txt", "a b\na z\n");
  const Finished finished =
      logdepth({"run", "rows.json", "--graph", "g.txt", "--batch", "bad.txt"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_EQ(finished.out, "");
  EXPECT_NE(finished.err.find("bad.txt: pair 2: 'z' is not a vertex of g.txt"), std::string::npos)
      << finished.err;
}

TEST_F(Inputs, InfoSaysWhatTheFileTakesAndItsDepthInVertices) {
  EXPECT_NE(done({"info", "rows.json"}).find("graphs, one token per vertex, exactly 2 vertices"),
            std::string::npos);
  EXPECT_EQ(json_of({"info", "rows.json"})["at"], 2);
  EXPECT_EQ(json_of({"info", "rows.json", "--at", "9"})["depth"], 1);
  EXPECT_NE(done({"info", "all.json"}).find("n^3 - n^2 tokens of padding"), std::string::npos);
  EXPECT_NE(done({"info", "difference.json"}).find("raw streams: x y"), std::string::npos);
  EXPECT_NE(done({"info", "abb.json"}).find("words after a beginning token"), std::string::npos);
}

TEST_F(Inputs, DrawShowsWhoAttendsWhereInAGraph) {
  done({"draw", "rows.json", "--graph", "g.txt", "-o", "all.svg"});  // one picture for all pairs
  EXPECT_EQ(folder.read("all.svg").find(">connected<"), std::string::npos);
  done({"draw", "rows.json", "--graph", "g.txt", "--source", "a", "--target", "b", "-o", "a.svg"});
  EXPECT_NE(folder.read("a.svg").find(">connected<"), std::string::npos);
  EXPECT_NE(folder.read("a.svg").find(">vertex<"), std::string::npos);
  done({"draw", "all.json", "--graph", "g.txt", "--source", "a", "--target", "b", "-o", "b.svg"});
  EXPECT_NE(folder.read("b.svg").find(">edge<"), std::string::npos);
  done({"draw", "difference.json", "--cells", "c.txt", "-o", "c.svg"});
  EXPECT_NE(folder.read("c.svg").find("2 tokens"), std::string::npos);
}

TEST_F(Inputs, TestComparesGraphsWithASearchAndShrinks) {
  const json rows = json_of({"test", "rows.json", "--against", "graph:reachability"});
  EXPECT_EQ(rows["passed"], true);
  EXPECT_EQ(rows["up_to"], 2);
  EXPECT_EQ(rows["exhaustive_graphs"], 2 + 10);
  EXPECT_EQ(rows["max_size"], 2);  // the file's own size
  EXPECT_EQ(rows["unevaluated"], json::array());
  EXPECT_GT(rows["promises"], 0);
  EXPECT_EQ(json_of({"info", "rows.json"})["checks"][0]["result"], "passed");

  const Finished failed = logdepth({"test", "all.json", "--against", "graph:reachability",
                                    "--up-to", "0", "--random", "50", "--json"});
  EXPECT_EQ(failed.status, 1);
  const json out = json::parse(failed.out);
  EXPECT_EQ(out["counterexample"]["vertices"], 2);
  EXPECT_EQ(out["counterexample"]["edges"], json::array());
  EXPECT_EQ(out["counterexample"]["expected"], "not connected");
  EXPECT_EQ(out["counterexample"]["got"], "connected");
  const Finished text = logdepth({"test", "all.json", "--against", "graph:reachability"});
  EXPECT_EQ(text.status, 1);
  EXPECT_NE(text.out.find("counterexample: no edge on 2 vertices, source 0, target 1"),
            std::string::npos)
      << text.out;
}

TEST_F(Inputs, TestOfUndirectedGraphsAsksOnlyAboutThem) {
  // Right for undirected graphs of two vertices alone: the column instead of the row.
  Model model = example_rows_model();
  model.unembedding.entries = {{0, 0, 1}, {1, 1, 1}};
  save_weights(model, folder.file("u.json"));
  const json out = json_of({"test", "u.json", "--against", "graph:undirected-reachability"});
  EXPECT_EQ(out["exhaustive_graphs"], 2 + 6);
  EXPECT_EQ(out["passed"], true);
}

TEST_F(Inputs, TestChecksTheContractsAndTheLimitOfGraphFiles) {
  Model model = example_rows_model();
  model.layers[0].attention.heads[2].contract = FindContract{1, true, true};
  save_weights(model, folder.file("liar.json"));
  const Finished liar = logdepth({"test", "liar.json", "--against", "graph:reachability"});
  EXPECT_EQ(liar.status, 1);
  EXPECT_NE(liar.out.find("every selection contract fulfilled"), std::string::npos) << liar.out;
  const Finished run =
      logdepth({"run", "liar.json", "--graph", "g.txt", "--source", "a", "--target", "b"});
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out, "connected\n");
}

TEST_F(Inputs, TestComparesDivisionsAndShrinks) {
  done({"compile", "division", "-o", "division.json"});
  const json out = json_of({"test", "division.json", "--against", "division", "--up-to", "5",
                            "--random", "2", "--max-length", "20"});
  EXPECT_EQ(out["passed"], true);
  EXPECT_EQ(out["exhaustive_inputs"], 2 * 3 + 5 * 6);
  EXPECT_GE(out["divisions"], 5 * 25);
  EXPECT_EQ(out["unevaluated"], json::array());
  Model model = read_weights(folder.file("division.json"));
  auto& names = std::get<CellsOutput>(model.output).names;
  for (std::string& name : names)
    name = (name.starts_with("quotient") ? "remainder" : "quotient") + name.substr(name.size() - 2);
  save_weights(model, folder.file("swapped.json"));
  const Finished failed = logdepth({"test", "swapped.json", "--against", "division", "--json"});
  EXPECT_EQ(failed.status, 1);
  const json example = json::parse(failed.out)["counterexample"];
  EXPECT_EQ(example["divisor"], 1);  // 1 by 1 is 1, remainder 0
  EXPECT_EQ(example["dividends"], (json{0, 1}));
  EXPECT_EQ(example["expected"], "token 1, 1 by 1: quotient.0 = sqrt(1/2)");
  EXPECT_EQ(example["got"], "0");
}

TEST_F(Inputs, TestComparesComputationGraphsAndShrinks) {
  done({"compile", "computation-graph", "--prime", "3", "--names", "6", "--operands", "2",
        "--depth", "2", "-o", "equations.json"});
  EXPECT_EQ(done({"run", "equations.json", "--tokens", "2 = x0 ; x0 * x0 = x4"}),
            "0=0 1=1 2=0 empty=0 n/a=0\n");
  EXPECT_EQ(done({"run", "equations.json", "--tokens", "2 = x0 ; x0 = x4 ; x4 = x3"}),
            "0=0 1=0 2=0 empty=1 n/a=0\n");
  const json out = json_of({"test", "equations.json", "--against", "computation-graph", "--up-to",
                            "2", "--random", "9"});
  EXPECT_EQ(out["passed"], true);
  EXPECT_EQ(out["exhaustive_graphs"], 3 + 3 * 4);
  EXPECT_EQ(out["unevaluated"], json::array());
  Model model = read_weights(folder.file("equations.json"));
  std::swap(model.embedding.at("+"), model.embedding.at("-"));
  save_weights(model, folder.file("signs.json"));
  const Finished failed =
      logdepth({"test", "signs.json", "--against", "computation-graph", "--json"});
  EXPECT_EQ(failed.status, 1);
  const json example = json::parse(failed.out)["counterexample"];
  EXPECT_EQ(example["iterations"], 2);
  const std::string word = example["word"];
  EXPECT_EQ(std::ranges::count(word, ';'), 2) << word;  // two leaves and their sum or difference
}

TEST_F(Inputs, DiffFollowsGraphsAndRawStreams) {
  done({"compile", "connectivity", "-o", "tokens.json"});
  done({"compile", "connectivity", "--construction", "rows", "--size", "3", "-o", "three.json"});
  done({"compile", "division", "--norm", "layernorm", "-o", "division.json"});
  folder.write("d.txt", "i.0 i.1 m.0 m.1 a.0 a.1\n0 1 2 1 0 1\n1 1 2 1 sqrt(1/2) sqrt(1/2)\n");
  const std::vector<Arguments> inputs = {
      {"tokens.json", "--graph", "g.txt", "--source", "a", "--target", "b"},
      {"three.json", "--graph", "g.txt"},  // one run for all pairs
      {"division.json", "--cells", "d.txt"}};
  for (Arguments arguments : inputs) {
    arguments.insert(arguments.begin(), "diff");
    EXPECT_EQ(done(arguments).substr(0, 6), "equal:") << arguments[1];
    Model model = read_weights(folder.file(arguments[1]));
    for (MatrixEntry& entry : model.layers[0].attention.heads[0].output.entries)
      entry.value = entry.value * Rational(2);
    save_weights(model, folder.file("bad.json"));
    arguments[1] = "bad.json";
    const Finished bad = logdepth(arguments);
    EXPECT_EQ(bad.status, 1) << bad.err;
    EXPECT_TRUE(bad.out.starts_with("first difference: layer 1, attention, token ")) << bad.out;
  }
  folder.write("large.txt", "a b\nb c\nc d\n");
  EXPECT_EQ(logdepth({"diff", "three.json", "--graph", "large.txt"}).status, 3);
}

TEST_F(Inputs, TestSaysWhichOracleFits) {
  refuses({"test", "rows.json", "--against", "(a|b)*"}, 2,
          "takes graphs; expected --against graph:reachability");
  refuses({"test", "rows.json", "--regex", "a"}, 2, "does not take words");
  refuses({"test", "difference.json", "--against", "graph:reachability"}, 2,
          "takes raw streams; expected --against division");
  refuses({"test", "difference.json", "--against", "division"}, 2, "is not about division");
  refuses({"test", "abb.json", "--against", "graph:reachability"}, 2, "is for graphs");
  refuses({"test", "abb.json", "--against", "computation-graph"}, 2,
          "is not about computation graphs");
  refuses({"test", "rows.json", "--against", "computation-graph"}, 2,
          "is not about computation graphs");
  refuses({"compile", "computation-graph", "--prime", "9", "-o", "no.json"}, 2, "a prime number");
  refuses({"compile", "computation-graph", "--prime", "31", "-o", "no.json"}, 3,
          "try --construction pairwise");
  refuses({"test", "all.json", "--against", "graph:reachability", "--up-to", "9"}, 2, "lower it");
}

/// A line of raw streams for every row of exact numbers.
std::string cells_text(const std::vector<std::vector<Real>>& rows) {
  std::string text = "x y vote\n";
  for (const auto& row : rows)
    for (std::size_t k = 0; k < row.size(); ++k)
      text += row[k].text() + (k + 1 < row.size() ? " " : "\n");
  return text;
}

TEST_F(Inputs, NumbersThatLeaveTheFieldAreDecidedWithRootsOfRoots) {
  Model model = support::votes_of_directions();
  save_weights(model, folder.file("votes.json"));
  folder.write("no.txt", cells_text(support::opposite_votes(1, Rational(1, 1 << 20))));
  folder.write("yes.txt", cells_text(support::opposite_votes(1, Rational(-1, 1 << 20))));
  folder.write("tie.txt", cells_text(support::opposite_votes(1)));
  const Finished yes = logdepth({"run", "votes.json", "--cells", "yes.txt", "--stats"});
  EXPECT_EQ(yes.status, 0) << yes.err;
  EXPECT_EQ(yes.out, "accept\n");
  EXPECT_NE(yes.err.find("decided with nested radicals; the values leave the number field at layer "
                         "1, attention mask, token 0: the squared norm"),
            std::string::npos)
      << yes.err;
  EXPECT_NE(yes.err.find("\"roots\": 2"), std::string::npos) << yes.err;
  EXPECT_EQ(done({"run", "votes.json", "--cells", "no.txt"}), "reject\n");
  const Finished tie = logdepth({"run", "votes.json", "--cells", "tie.txt"});
  EXPECT_EQ(tie.status, 3);
  EXPECT_EQ(tie.out, "undecided\n");
  const json out = json_of({"run", "votes.json", "--cells", "no.txt", "--stats"});
  EXPECT_EQ(out["results"][0]["outcome"], "reject");
  EXPECT_EQ(out["results"][0]["left_field"].get<std::string>().substr(0, 32),
            "layer 1, attention mask, token 0");
  EXPECT_EQ(out["statistics"]["roots_of_roots"]["roots"], 2);
  // Values, as expressions and, where these are long, between two decimals.
  model.output = CellsOutput{{"near", "average"}};
  model.unembedding = {2, 4, {{0, 2, 1}, {1, 3, 1}}};
  save_weights(model, folder.file("values.json"));
  folder.write("one.txt", "x y vote\n1 1+sqrt(2) 1\n0 0 0\n");
  EXPECT_EQ(done({"run", "values.json", "--cells", "one.txt"}),
            "near average\n1 1/sqrt(5/4+sqrt(1/2))\n0 1/2/sqrt(5/4+sqrt(1/2))\n");
  const std::string trace = folder.file("trace.jsonl");
  EXPECT_NE(logdepth({"run", "values.json", "--cells", "one.txt", "--trace", trace})
                .err.find("where the trace ends"),
            std::string::npos);
}

TEST_F(Inputs, WhatRootsOfRootsDoNotDecideIsOutsideTheField) {
  save_weights(support::votes_of_directions(true), folder.file("all-votes.json"));
  std::vector<std::vector<Real>> rows;
  for (std::int64_t k = 1; k <= 7; ++k)
    for (auto& row : support::opposite_votes(k, 0, 4)) rows.push_back(std::move(row));
  folder.write("many.txt", cells_text(rows));
  const Finished many = logdepth({"run", "all-votes.json", "--cells", "many.txt"});
  EXPECT_EQ(many.status, 3);
  EXPECT_EQ(many.out, "outside the field\n");
  EXPECT_NE(many.err.find("also with nested radicals: layer 1, attention of 14 tokens: the sign of "
                          "a number that is not clearly other than 0 to 16384 bits"),
            std::string::npos)
      << many.err;
}

}}  // namespace logdepth::command_line_inputs_tests
