// The Python reader in examples/ and the exact runtime give the same answers on the same files.
#include <gtest/gtest.h>

#include <random>

#include "objects/automaton.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/model_samples.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::python_runner_tests { namespace {

using support::compile_form;
using support::Finished;
using support::Language;
using support::lines;
using support::Recogniser;
using support::WordForm;

class PythonRunner : public testing::Test {
 protected:
  Finished python(std::vector<std::string> arguments, const std::string& input = "") const {
    arguments.insert(arguments.begin(),
                     {support::python(), support::source_dir() + "/examples/exact_runner.py"});
    return support::run_process(std::move(arguments), folder.path(), input);
  }

  /// Every word of at most `longest` letters and random words of the lengths given, in one batch
  /// for the verdicts and one for the prefix products.
  void same_answers(const Language& language, const WordForm& form, std::size_t longest,
                    const std::vector<std::size_t>& lengths, const char* name = "m.json") const {
    Recogniser recogniser(compile_form(language.action, form));
    save_weights(recogniser.model(), folder.file(name));
    const Alphabet& alphabet = language.action.alphabet;
    std::mt19937_64 random(laws::seed());
    std::vector<Word> words;
    support::for_each_word(alphabet.size(), longest,
                           [&](const Word& word) { words.push_back(word); });
    for (const std::size_t length : lengths)
      words.push_back(support::random_word(random, alphabet.size(), length));

    std::string batch, verdicts, prefixes;
    std::size_t accepted = 0;
    for (const Word& word : words) {
      batch += alphabet.format_word(word) + '\n';
      const support::Answer answer = recogniser.ask(word);
      ASSERT_TRUE(answer.accepts.has_value()) << answer.refusal;
      verdicts += *answer.accepts ? "accept\n" : "reject\n";
      accepted += *answer.accepts;
      for (const Transformation& prefix : answer.prefixes)
        prefixes += format_transformation(prefix) + '\n';
    }
    EXPECT_GT(accepted, 0u) << language.name;
    folder.write("batch.txt", batch);
    const Finished said = python({name, "--batch", "batch.txt"});
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_EQ(said.out, verdicts) << form.name();
    const Finished listed = python({name, "--batch", "batch.txt", "--prefixes"});
    EXPECT_EQ(listed.status, 0) << listed.err;
    EXPECT_EQ(listed.out, prefixes) << form.name();
  }

  const support::TemporaryFolder folder;
};

TEST_F(PythonRunner, AgreesOnARegularExpression) {
  same_answers(support::regex_language("(a|b)*abb", "ab"), {}, 5, {8, 9, 15, 17});
}

TEST_F(PythonRunner, AgreesOnACyclicGroupUnderTheCircle) {
  same_answers(support::word_problem("Z6"), {.positions = ScanPositions::circle}, 18, {});
}

TEST_F(PythonRunner, AgreesOnAFirstFlagModelWhoseNumbersAreSquareRoots) {
  same_answers(support::word_problem("S3"), {.positions = ScanPositions::first_flag}, 3, {5, 8, 9});
}

TEST_F(PythonRunner, AgreesOnA5) {
  same_answers(support::word_problem("A5"), {}, 3, {5, 8, 9, 17});
}

TEST_F(PythonRunner, AgreesUnderLayerNorm) {
  same_answers(support::tomita(4), {.norm = Norm::layernorm}, 4, {9, 16});
  same_answers(support::tomita(5),
               {.positions = ScanPositions::first_flag, .norm = Norm::layernorm}, 2, {5, 6});
}

TEST_F(PythonRunner, AgreesOnAPaddedModelInAPackedFile) {
  same_answers(support::bounded_dyck(2), {.strict = true}, 4, {9}, "m.json.gz");
}

TEST_F(PythonRunner, AgreesOnAnUnrolledModelAndRefusesBeyond) {
  same_answers(support::word_problem("S3"), {.unroll = 9}, 3, {5, 8, 9});
  const Finished beyond = python({"m.json"}, "ab\nababababab\naa\n");
  EXPECT_EQ(beyond.status, 3);
  const auto said = lines(beyond.out);
  ASSERT_EQ(said.size(), 3u) << beyond.out;
  EXPECT_EQ(said[0], "reject");
  EXPECT_EQ(said[1].substr(0, 22), "outside the hypotheses");
  EXPECT_EQ(said[2], "accept");
}

TEST_F(PythonRunner, SaysUndecidedOnATieToo) {
  Model model = compile_form(support::regex_language("(a|b)*abb", "ab").action);
  const std::uint32_t accept = std::get<AcceptOutput>(model.output).accept;
  std::erase_if(model.unembedding.entries,
                [&](const MatrixEntry& entry) { return entry.row == accept; });
  save_weights(model, folder.file("tie.json"));
  const Finished finished = python({"tie.json", "ab", "abb", "b"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(finished.out, "reject\nundecided\nreject\n");
}

TEST_F(PythonRunner, RefusesAFileWhoseContentWasChanged) {
  std::string text = write_weights(compile_form(support::tomita(1).action));
  const std::size_t at = text.find("\"source\": \"MS25");
  ASSERT_NE(at, std::string::npos);
  folder.write("m.json", text.replace(at, 15, "\"source\": \"MS26"));
  EXPECT_EQ(python({"m.json", "1"}).status, 2);
  folder.write("m.json", "{}");
  EXPECT_EQ(python({"m.json", "1"}).status, 2);
}

// The Python reader in examples/ and the program give the same answers on graphs and raw streams.

using Arguments = std::vector<std::string>;

class PythonInputs : public support::CommandLine {
 protected:
  Finished python(Arguments arguments) const {
    arguments.insert(arguments.begin(),
                     {support::python(), support::source_dir() + "/examples/exact_runner.py"});
    return support::run_process(std::move(arguments), folder.path());
  }

  /// The answers of both, which have to be the same.
  std::string same_answers(const Arguments& arguments) const {
    const Finished second = python(arguments);
    Arguments run = arguments;
    run.insert(run.begin(), "run");
    const Finished first = logdepth(run);
    EXPECT_EQ(first.status, second.status) << first.err << second.err;
    EXPECT_EQ(first.out, second.out);
    return first.out;
  }

  /// A random graph of n vertices and every pair of them.
  void write_graph(std::size_t n, std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    std::string edges, pairs;
    for (std::size_t i = 0; i < n; ++i) edges += "v" + std::to_string(i) + "\n";
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const std::string pair = "v" + std::to_string(i) + " v" + std::to_string(j) + "\n";
        if (random() % (n + 1) < 2) edges += pair;
        pairs += pair;
      }
    folder.write("g.txt", edges);
    folder.write("pairs.txt", pairs);
  }
};

TEST_F(PythonInputs, AgreesOnSmallFilesMadeByHand) {
  save_weights(example_rows_model(), folder.file("rows.json"));
  save_weights(example_adjacency_model(), folder.file("all.json"));
  save_weights(example_cells_model(), folder.file("cells.json"));
  folder.write("g.txt", "# an edge\na b\n");
  folder.write("pairs.txt", "a b\nb a\nb b\n");
  EXPECT_EQ(same_answers({"rows.json", "--graph", "g.txt", "--batch", "pairs.txt"}),
            "connected\nnot connected\nconnected\n");
  EXPECT_EQ(same_answers({"all.json", "--graph", "g.txt", "--source", "b", "--target", "a"}),
            "connected\n");
  folder.write("c.txt", "y x\n1/2 - sqrt(3) 2 # x - y\n3*sqrt(1/6) -3/5\n");
  EXPECT_EQ(same_answers({"cells.json", "--cells", "c.txt"}),
            "x-y 2y\n3/2+sqrt(3) 1-sqrt(12)\n-3/5-sqrt(3/2) sqrt(6)\n");
}

TEST_F(PythonInputs, AgreesOnConnectivityTokenByToken) {
  done({"compile", "connectivity", "-o", "c.json"});
  write_graph(2, laws::seed());
  same_answers({"c.json", "--graph", "g.txt", "--batch", "pairs.txt"});
  write_graph(3, laws::seed());
  same_answers({"c.json", "--graph", "g.txt", "--source", "v0", "--target", "v2"});
}

TEST_F(PythonInputs, AgreesOnConnectivityByRows) {
  done({"compile", "connectivity", "--construction", "rows", "--size", "5", "-o", "r.json"});
  write_graph(4, laws::seed());
  same_answers({"r.json", "--graph", "g.txt", "--batch", "pairs.txt"});
  write_graph(6, laws::seed());
  const Finished larger =
      python({"r.json", "--graph", "g.txt", "--source", "v0", "--target", "v1"});
  EXPECT_EQ(larger.status, 3);
  EXPECT_EQ(larger.out.substr(0, 22), "outside the hypotheses");
}

TEST_F(PythonInputs, AgreesOnDivision) {
  for (const char* norm : {"rms", "layernorm"}) {
    done({"compile", "division", "--norm", norm, "-o", "d.json"});
    std::string rows = "a.1 a.0 i.0 i.1 m.0 m.1\n";
    for (int i = 0; i < 9; ++i) {
      const int a = i * i % (i + 1), square = a * a + 1;
      rows += "sqrt(1/" + std::to_string(square) + ") " + std::to_string(a) + "*sqrt(1/" +
              std::to_string(square) + ") " + std::to_string(i) + " 1 3 1\n";
    }
    folder.write("d.txt", rows);
    EXPECT_EQ(support::lines(same_answers({"d.json", "--cells", "d.txt"})).size(), 10u);
  }
}

TEST_F(PythonInputs, RefusesInputsOfAnotherKind) {
  save_weights(example_rows_model(), folder.file("rows.json"));
  folder.write("c.txt", "x y\n1 2\n");
  folder.write("g.txt", "a b\n");
  for (const Arguments& arguments :
       {Arguments{"rows.json", "ab"}, Arguments{"rows.json", "--cells", "c.txt"},
        Arguments{"rows.json", "--graph", "g.txt", "--source", "a", "--target", "z"},
        Arguments{"rows.json", "--graph", "g.txt"}}) {
    const Finished finished = python(arguments);
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_EQ(finished.out, "");
  }
}

// The grammar of runtime/README.md, "Raw streams as text".
TEST_F(PythonInputs, AgreesOnHowRawStreamsAreSpelled) {
  save_weights(example_cells_model(), folder.file("cells.json"));
  const auto answers = [&](const std::string& text) {
    folder.write("c.txt", text);
    return same_answers({"cells.json", "--cells", "c.txt"});
  };
  const std::string plain = answers("x y\n1/2 3\n-2 sqrt(2)\n");
  for (const char* same :
       {"# names\n\ny x # in any order\n\n3 1/2\n sqrt(2)\t-2\n#\n",
        "x y\r\n+2/4 6/2\r\n- 2 sqrt(8/4)", "x y\n0+1/2 1 + 2\n-1-1 1/2*sqrt(8)\n",
        "x y\n1 - 1/2 -sqrt(9)+6\n0*sqrt(7)-2 sqrt(2)+0\n"})
    EXPECT_EQ(answers(same), plain) << same;
  // A carriage return is white space wherever it stands.
  EXPECT_EQ(answers("x y\r\n1/2\r3\r\n-2\v\fsqrt(2)\n"), plain);
  for (const char* refused :
       {"x y\n1/0 1\n", "x y\nsqrt(1/0) 1\n", "x y\n1 * sqrt(2) 1\n", "x y\n2sqrt(2) 1\n",
        "x y\nsqrt(-1) 1\n", "x y\n--1 1\n", "x y\n1- 1\n", "x y\n1 1-\n", "x y\n0.5 1\n",
        "x y\n1e3 1\n", "x y\nsqrt(sqrt(2)) 1\n", "x y\n1\n", "x y\n1 2 3\n", "x x\n1 1\n",
        "x\n1\n", "x y z\n1 1 1\n", "x z\n1 1\n",
        "x y\n1\xc2\xa0"
        "1 2\n"}) {
    folder.write("c.txt", refused);
    EXPECT_EQ(logdepth({"run", "cells.json", "--cells", "c.txt"}).status, 2) << refused;
    EXPECT_EQ(python({"cells.json", "--cells", "c.txt"}).status, 2) << refused;
  }
}

TEST_F(PythonInputs, RefusesAnInputWithoutATokenAsOutsideTheHypotheses) {
  save_weights(example_cells_model(), folder.file("cells.json"));
  folder.write("c.txt", "x y\n");
  const Finished first = logdepth({"run", "cells.json", "--cells", "c.txt"});
  const Finished second = python({"cells.json", "--cells", "c.txt"});
  EXPECT_EQ(first.status, 3);
  EXPECT_EQ(second.status, 3);
  EXPECT_EQ(first.out, "outside the hypotheses\n");
  EXPECT_EQ(second.out.substr(0, 22), "outside the hypotheses");
  compile_regex("a*", "a.json");
  Model model = read_weights(folder.file("a.json"));
  std::get<WordInput>(model.input).begin = false;
  model.embedding.erase("<begin>");
  save_weights(model, folder.file("no-begin.json"));
  folder.write("empty.txt", "\n");
  EXPECT_EQ(logdepth({"run", "no-begin.json", "--batch", "empty.txt"}).out,
            "outside the hypotheses\n");
  const Finished word = python({"no-begin.json", "--batch", "empty.txt"});
  EXPECT_EQ(word.status, 3);
  EXPECT_EQ(word.out.substr(0, 22), "outside the hypotheses");
}

TEST_F(PythonInputs, EndsWhereTheNumbersLeaveTheField) {
  save_weights(support::votes_of_directions(), folder.file("votes.json"));
  folder.write("c.txt", "x y vote\n1 1+sqrt(2) 1\n");
  const Finished finished = python({"votes.json", "--cells", "c.txt"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(finished.out, "outside the field: the squared norm of a mask is irrational\n");
  EXPECT_EQ(done({"run", "votes.json", "--cells", "c.txt"}), "accept\n");
}

}}  // namespace logdepth::python_runner_tests
