// Arithmetic modulo a prime on computation graphs: the construction against values worked out here,
// from the printed example of the paper, and against the oracle.
#include "constructions/latent_reasoning/computation_graph.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "compiler/difference/first_difference.hpp"
#include "compiler/file/measure.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/program/program.hpp"
#include "logdepth/errors.hpp"
#include "oracle/computation_graph_oracle.hpp"
#include "proofs-check/check/computation_graphs.hpp"
#include "runtime/stream/readout.hpp"
#include "tests/support/examined_files.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::computation_graph_tests { namespace {

using Letters = std::vector<std::string>;
using Values = std::vector<std::uint32_t>;

constexpr GraphEvaluation kForms[] = {GraphEvaluation::compact, GraphEvaluation::pairwise};

Model compiled(const ComputationGraphOptions& options, Norm norm = Norm::rms) {
  CompileOptions compile_options;
  compile_options.norm = norm;
  return compile(computation_graph(options), compile_options).model;
}

Letters words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// What a variable token waits for: its value is there from iteration `due` on.
struct Due {
  std::uint32_t value = 0, due = 0;
};

/// The final value of every variable token and when it is due, by plain arithmetic from left to
/// right; nothing at other tokens. The equations are taken to be well-formed.
std::vector<std::optional<Due>> worked_out(const Letters& letters, std::int64_t prime) {
  std::map<std::string, Due> defined;
  std::vector<std::optional<Due>> tokens(letters.size());
  std::int64_t result = 0;
  std::uint32_t depth = 1;
  std::string operation = "first";
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const std::string name = letters[i].substr(0, letters[i].find(':'));
    if (name == ";") {
      operation = "first";
      depth = 1;
    } else if (name[0] == 'x' && i > 0 && letters[i - 1] == "=") {
      defined[name] = {static_cast<std::uint32_t>(((result % prime) + prime) % prime), depth};
      tokens[i] = defined[name];
    } else if (name[0] == 'x') {
      const Due operand = defined.at(name);
      const std::int64_t value = operand.value;
      tokens[i] = {operand.value, operand.due + 1};
      depth = std::max(depth, operand.due + 1);
      result = operation == "first" ? value
               : operation == "+"   ? result + value
               : operation == "-"   ? result - value
                                    : (result % prime) * value;
    } else if (name != "=") {
      operation = name;
      if (std::isdigit(static_cast<unsigned char>(name[0]))) result = std::stol(name);
    }
  }
  return tokens;
}

/// What every token holds after some iterations from no values.
Values expected_values(const Letters& letters, std::uint32_t prime, std::uint32_t iterations) {
  const auto due = worked_out(letters, prime);
  Values values;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const bool constant = std::isdigit(static_cast<unsigned char>(letters[i][0]));
    values.push_back(due[i]     ? (iterations >= due[i]->due ? due[i]->value : prime)
                     : constant ? static_cast<std::uint32_t>(std::stoul(letters[i]))
                                : prime + 1);
  }
  return values;
}

std::uint32_t depth_of(const Letters& letters, std::uint32_t prime) {
  std::uint32_t depth = 0;
  const auto tokens = worked_out(letters, prime);
  for (std::size_t i = 0; i < letters.size(); ++i)
    if (tokens[i] && letters[i - 1] == "=") depth = std::max(depth, tokens[i]->due);
  return depth;
}

/// Runs a weights file of computation graphs exactly, as many iterations as asked: with one it is a
/// step from any state, whose letters hold values (`x3:2`) or none (`x3`).
struct ComputationGraphRun {
  explicit ComputationGraphRun(const Model& model)
      : file(computation_graph_file(model)), runs(model) {}

  /// The value at every letter. Absent where a token has none, and with `found` set where a contract breaks
  /// or the run is refused.
  std::optional<Values> values(const Letters& letters, std::uint32_t iterations,
                               std::optional<Failure>& found) {
    const auto tokens = tokens_of(runs.model(), letters);
    const auto expected = []() -> FileAnswer { return EveryToken::node_values; };
    found = tokens.has_value() ? runs.run(tokens.value(), iterations, expected)
                               : NoAnswer{expected(), tokens.refusal()};
    Values values;
    for (std::size_t i = 0; !found && i < letters.size(); ++i)
      if (const auto value = node_value(runs.decided(), first_letter(runs.model()) + i, file.prime))
        values.push_back(*value);
    return found || values.size() < letters.size() ? std::nullopt : std::optional(values);
  }

  ComputationGraphFile file;
  ExactRuns runs;
};

Values run_values(ComputationGraphRun& run, const Letters& letters, std::uint32_t iterations) {
  std::optional<Failure> mismatch;
  const auto values = run.values(letters, iterations, mismatch);
  EXPECT_FALSE(mismatch) << expected_text(*mismatch) << "; got " << got_text(*mismatch);
  EXPECT_TRUE(values) << "a letter without a value";
  return values.value_or(Values());
}

/// The letters of the state that the values say.
Letters state_of(Letters letters, const Values& values, std::uint32_t prime) {
  for (std::size_t i = 0; i < letters.size(); ++i)
    if (letters[i][0] == 'x') {
      letters[i] = letters[i].substr(0, letters[i].find(':'));
      if (values[i] < prime) letters[i] += fmt::format(":{}", values[i]);
    }
  return letters;
}

/// The example that the paper prints: 32 variables of x0..x31 modulo 23, depth 9.
const Letters& printed_graph() {
  static const Letters letters = words_of(
      "2 = x3 ; 2 = x30 ; 18 = x12 ; 14 = x11 ; 15 = x20 ; 8 = x23 ; x30 = x9 ; "
      "x23 + x3 = x22 ; x20 * x23 = x27 ; x3 + x22 = x0 ; x3 + x22 * x11 = x26 ; "
      "x20 - x22 + x23 = x13 ; x22 = x24 ; x12 * x23 - x0 = x17 ; x11 * x26 = x28 ; "
      "x13 - x11 + x23 = x21 ; x17 - x3 = x25 ; x30 * x17 - x23 = x6 ; x17 = x16 ; "
      "x11 + x21 = x7 ; x28 + x17 - x21 = x14 ; x7 = x15 ; x7 = x31 ; x12 + x3 + x14 = x5 ; "
      "x14 = x19 ; x23 - x5 * x7 = x29 ; x5 = x18 ; x25 + x23 - x19 = x4 ; x14 * x29 - x5 = x2 ; "
      "x29 * x28 - x7 = x1 ; x3 * x23 * x18 = x8 ; x8 - x28 - x0 = x10");
  return letters;
}
/// Its values as printed, in the order of the equations.
const Values kPrinted = {2,  2, 18, 14, 15, 8,  2,  10, 5,  12, 7,  13, 10, 17, 6, 7,
                         15, 3, 17, 21, 16, 21, 21, 13, 16, 10, 13, 7,  9,  16, 1, 6};

TEST(ComputationGraph, TakesOneLayerPerUnitOfDepthOrTwoWithTablesOfSquareSize) {
  for (const std::uint32_t operands : {1u, 2u, 3u})
    for (const GraphEvaluation form : kForms) {
      const std::uint32_t layers = form == GraphEvaluation::pairwise && operands == 3 ? 2 : 1;
      const Measures m = measure(compiled({form, 5, 16, operands, 7}), 100);
      EXPECT_EQ(m.initial, 1u);
      EXPECT_EQ(m.repeated, layers);
      EXPECT_EQ(m.final, 0u);
      EXPECT_EQ(m.depth, 1 + 7 * layers);
    }
}

TEST(ComputationGraph, OfThePaperHasItsPrintedValuesAfterNineIterations) {
  const Model model = compiled({GraphEvaluation::pairwise, 23, 128, 3, 9});
  ComputationGraphRun run(model);
  EXPECT_EQ(depth_of(printed_graph(), 23), 9u);
  const Values solved = run_values(run, printed_graph(), 9);
  Values defined;
  for (std::size_t i = 1; i < solved.size(); ++i)
    if (printed_graph()[i - 1] == "=") defined.push_back(solved[i]);
  EXPECT_EQ(defined, kPrinted);
  EXPECT_EQ(run_values(run, printed_graph(), 10), solved);
  for (std::uint32_t t = 0; t < 9; ++t) {
    const Values values = run_values(run, printed_graph(), t);
    EXPECT_EQ(values, expected_values(printed_graph(), 23, t));
    EXPECT_NE(values, solved) << t;
  }
}

TEST(ComputationGraph, OfAPrimeOfTwoDigitsTakesOneLayerPerUnitOfDepth) {
  const Model model = compiled({GraphEvaluation::compact, 11, 32, 3, 9});
  EXPECT_EQ(measure(model, 1).repeated, 1u);
  ComputationGraphRun run(model);
  const Letters letters = words_of("4 = x8 ; 7 = x1 ; 10 = x30 ; x8 + x1 - x30 = x0");
  EXPECT_EQ(run_values(run, letters, 2), expected_values(letters, 11, 2));
}

TEST(ComputationGraph, IsRightOnEverySmallGraphUnderBothNorms) {
  for (const std::uint32_t operands : {1u, 2u, 3u})
    for (const GraphEvaluation form : kForms)
      for (const Norm norm : {Norm::rms, Norm::layernorm}) {
        const auto report = examine_computation_graphs(compiled({form, 3, 10, operands, 3}, norm),
                                                       {3, 25, 10, laws::seed()});
        ASSERT_FALSE(report.counterexample)
            << expected_text(report.counterexample->finding) << ", found "
            << got_text(report.counterexample->finding);
        EXPECT_TRUE(report.unevaluated.empty());
        EXPECT_GE(report.exhaustive, 3u + 3 * 4 + 3 * 4 * 5);
      }
}

TEST(ComputationGraph, IsRightOnEveryGraphOfFourEquationsModuloTwo) {
  const auto report =
      examine_computation_graphs(compiled({GraphEvaluation::compact, 2, 5, 3, 3}), {4, 0, 0});
  ASSERT_FALSE(report.counterexample) << expected_text(report.counterexample->finding) << ", found "
                                      << got_text(report.counterexample->finding);
  EXPECT_EQ(report.exhaustive, 2u + 2 * 3 + 2 * 3 * 10 + 2 * 3 * 10 * 77);
}

/// A well-formed graph of 1 to `most` equations over names x0..x19 modulo 5.
Letters any_graph(std::size_t most) {
  const auto size = *rc::gen::inRange<std::size_t>(1, most + 1);
  const auto name = [stride = *rc::gen::element(1u, 3u, 7u, 9u),
                     start = *rc::gen::inRange(0u, 20u)](std::size_t i) {
    return fmt::format("x{}", (start + stride * i) % 20);
  };
  Letters letters;
  for (std::size_t i = 0; i < size; ++i) {
    if (i > 0) letters.push_back(";");
    const auto operands = i == 0 ? 0 : *rc::gen::inRange<std::size_t>(0, 4);
    if (operands == 0) letters.push_back(std::to_string(*rc::gen::inRange(0, 5)));
    for (std::size_t k = 0; k < operands; ++k) {
      if (k > 0) letters.push_back(*rc::gen::element<std::string>("+", "-", "*"));
      letters.push_back(name(*rc::gen::inRange<std::size_t>(i > 4 ? i - 4 : 0, i)));
    }
    letters.insert(letters.end(), {"=", name(i)});
  }
  return letters;
}

TEST(ComputationGraph, HasAtEveryTokenTheValueThatIsDueAndNoneBefore) {
  for (const GraphEvaluation form : kForms) {
    const Model model = compiled({form, 5, 20, 3, 1});
    ComputationGraphRun run(model);
    std::uint32_t deepest = 0;
    EXPECT_TRUE(rc::check("from no values", [&] {
      const Letters letters = any_graph(20);
      const std::uint32_t depth = depth_of(letters, 5);
      deepest = std::max(deepest, depth);
      const auto iterations = *rc::gen::inRange(0u, depth + 3);
      RC_ASSERT(run_values(run, letters, iterations) == expected_values(letters, 5, iterations));
      RC_ASSERT(ComputationGraphOracle(5, letters).values(iterations) ==
                expected_values(letters, 5, iterations));
      RC_ASSERT(ComputationGraphOracle(5, letters).depth() == depth);
    }));
    EXPECT_GE(deepest, 10u) << "the graphs were too shallow";
  }
}

TEST(ComputationGraph, HaltsOneIterationAfterItsDepth) {
  const Model model = compiled({GraphEvaluation::compact, 5, 20, 3, 1});
  ComputationGraphRun run(model);
  EXPECT_TRUE(rc::check("a state is fed back until it stays", [&] {
    const Letters letters = any_graph(12);
    Letters state = letters;
    std::uint32_t iterations = 0;
    for (Letters next;; state = std::move(next)) {
      ++iterations;
      next = state_of(letters, run_values(run, state, 1), 5);
      RC_ASSERT(iterations <= 13u);
      RC_ASSERT(next == state_of(letters, run_values(run, letters, iterations), 5));
      if (next == state) break;
    }
    RC_ASSERT(iterations == depth_of(letters, 5) + 1);
  }));
}

TEST(ComputationGraph, IsRightAfterItsDepthWhateverTheVariablesHeld) {
  const Model model = compiled({GraphEvaluation::pairwise, 5, 20, 3, 1});
  ComputationGraphRun run(model);
  EXPECT_TRUE(rc::check("from any values", [&] {
    const Letters letters = any_graph(12);
    Letters state = letters;
    for (std::string& letter : state)
      if (const int value = *rc::gen::inRange(0, 6); letter[0] == 'x' && value < 5)
        letter += fmt::format(":{}", value);
    const std::uint32_t depth = depth_of(letters, 5);
    RC_ASSERT(run_values(run, state, depth) == expected_values(letters, 5, depth));
  }));
}

TEST(ComputationGraph, DoesAfterEveryLayerWhatItsProgramSays) {
  const Letters letters =
      words_of("2 = x4 ; 1 = x1:2 ; x4 - x1:1 * x1 = x0 ; x0 = x3:0 ; x3 + x0 = x2");
  for (const GraphEvaluation form : kForms)
    for (const Norm norm : {Norm::rms, Norm::layernorm}) {
      const ComputationGraphOptions options{form, 3, 5, 3, 3};
      EXPECT_FALSE(
          first_difference(computation_graph(options), compiled(options, norm), letters).value());
    }
}

/// Replaces one occurrence of `before` in the program's text.
Model edited(const ComputationGraphOptions& options, const std::string& before,
             const std::string& after) {
  std::string text = print_program(computation_graph(options));
  const std::size_t at = text.find(before);
  EXPECT_NE(at, std::string::npos) << before;
  text.replace(at, before.size(), after);
  return compile(parse_program(text, "edited"), {}).model;
}

TEST(ComputationGraph, BrokenOnPurposeIsToldFromTheRightOne) {
  const ComputationGraphOptions compact{GraphEvaluation::compact, 3, 16, 3, 8};
  const ComputationGraphOptions pairwise{GraphEvaluation::pairwise, 3, 16, 3, 8};
  struct Edit {
    ComputationGraphOptions options;
    std::string before, after, told_by;
  };
  const std::string contract = "every selection contract fulfilled";
  const std::vector<Edit> edits = {
      // A definition is no longer told from the other tokens of its name.
      {compact, "    add c[0] + 1/2 one + 1/2 equals\n", "", contract},
      // The first name is looked for by the key of the second.
      {compact, "find-one ( - 16 name[x0]", "find-one ( - 14 name[x0]", contract},
      // Where no operand stands the beginning token is not found.
      {compact, "+ 15 n.1[none]", "+ 17 n.1[none]", contract},
      {compact, "position P6 back 6", "position P6 back 7", "at letter"},
      {compact, "position P5 back 5", "position P5 back 3", "at letter"},
      {compact, "position P3 back 3", "position P3 back 5", "at letter"},
      {compact, "copy f.0 v", "copy f.0 given", "at letter"},
      // One entry of each part of the table.
      {compact, "defines=false f=1 -> v=1", "defines=false f=1 -> v=2", "at letter"},
      {compact, "defines=false f=empty -> v=empty", "defines=false f=empty -> v=0", "at letter"},
      {compact, "leaf=true given=2 -> v=2", "leaf=true given=2 -> v=0", "at letter"},
      {compact, "o.0=none f.0=0 -> v=0", "o.0=none f.0=0 -> v=empty", "at letter"},
      {compact, "o.0=- o.1=none f.1=1 f.0=2 -> v=2", "o.0=- o.1=none f.1=1 f.0=2 -> v=1",
       "at letter"},
      {compact, "o.0=* o.1=+ f.2=1 f.1=1 f.0=2 -> v=1", "o.0=* o.1=+ f.2=1 f.1=1 f.0=2 -> v=0",
       "at letter"},
      {compact, "o.0=+ o.1=* f.2=empty -> v=empty", "o.0=+ o.1=* f.2=empty -> v=1", "at letter"},
      {pairwise, "o.1=- f.2=0 f.1=1 -> e.1=2", "o.1=- f.2=0 f.1=1 -> e.1=1", "at letter"},
      {pairwise, "o.0=* e.1=2 f.0=2 -> v=1", "o.0=* e.1=2 f.0=2 -> v=2", "at letter"},
  };
  for (const Edit& edit : edits) {
    const auto report =
        examine_computation_graphs(edited(edit.options, edit.before, edit.after), {3, 400, 16});
    ASSERT_TRUE(report.counterexample) << edit.before << " became " << edit.after;
    EXPECT_NE(expected_text(report.counterexample->finding).find(edit.told_by), std::string::npos)
        << edit.before << ": " << expected_text(report.counterexample->finding);
    EXPECT_LE(report.counterexample->input.equations.size(),
              report.counterexample->first.equations.size());
  }
}

TEST(ComputationGraph, AnEntryOfTheTableBrokenOnPurposeIsShrunkToTheExpression) {
  const Model model =
      edited({GraphEvaluation::compact, 3, 8, 3, 4}, "o.0=- o.1=none f.1=1 f.0=2 -> v=2",
             "o.0=- o.1=none f.1=1 f.0=2 -> v=1");
  const auto report = examine_computation_graphs(model, {0, 200, 24});
  ASSERT_TRUE(report.counterexample);
  const auto letters = [&](const ComputationGraphQuestion& question) {
    return ComputationGraphDomain(model).letters(question).size();
  };
  EXPECT_EQ(letters(report.counterexample->input), 13u);  // v = x ; v = x ; x - x = x
  EXPECT_EQ(report.counterexample->input.iterations, 2u);
  EXPECT_GT(letters(report.counterexample->first), 13u);
}

TEST(ComputationGraph, TellsWhenANameIsUsedBeforeItsDefinitionOrDefinedTwice) {
  const Model model = compiled({GraphEvaluation::compact, 3, 4, 3, 1});
  ComputationGraphRun run(model);
  for (const char* text : {"x1 = x0", "2 = x0 ; 1 = x0 ; x0 = x1", "x0 = x0 ; 1 = x0"}) {
    std::optional<Failure> mismatch;
    EXPECT_FALSE(run.values(words_of(text), 2, mismatch)) << text;
    ASSERT_TRUE(mismatch) << text;
    EXPECT_EQ(property_of(*mismatch), TestedProperty::contract) << text;
    EXPECT_THROW(ComputationGraphOracle(3, words_of(text)), InputError) << text;
  }
}

TEST(ComputationGraph, RefusesWhatIsOutsideItsRanges) {
  for (const ComputationGraphOptions& options :
       std::vector<ComputationGraphOptions>{{GraphEvaluation::compact, 4, 8, 3, 1},
                                            {GraphEvaluation::compact, 1, 8, 3, 1},
                                            {GraphEvaluation::compact, 101, 8, 3, 1},
                                            {GraphEvaluation::compact, 3, 0, 3, 1},
                                            {GraphEvaluation::compact, 3, 1001, 3, 1},
                                            {GraphEvaluation::compact, 3, 8, 0, 1},
                                            {GraphEvaluation::compact, 3, 8, 4, 1},
                                            {GraphEvaluation::compact, 3, 8, 3, 0}})
    EXPECT_THROW(computation_graph(options), InputError);
  EXPECT_THROW(computation_graph({GraphEvaluation::compact, 31, 8, 3, 1}), SizeLimit);
  EXPECT_NO_THROW(computation_graph({GraphEvaluation::pairwise, 31, 8, 3, 1}));
}

TEST(ComputationGraph, OracleSaysWhichLetterDoesNotFit) {
  const std::map<std::string, std::string> refusals = {
      {"2 = x0 ; x0 ;", "letter 6 of the graph: expected '=', found ';'"},
      {"3 = x0", "letter 1 of the graph: expected a variable, found '3'"},
      {"2 = x0:3", "letter 3 of the graph: expected a variable, found 'x0:3'"},
      {"2 = x0 ; x0 +", "letter 7 of the graph: expected a variable, found its end"},
      {"2 = x0 ; x1 = x2",
       "letter 5 of the graph: expected a variable that is defined before, "
       "found 'x1'"},
      {"2 = x0 ; 1 = x0:1", "letter 7 of the graph: expected a new variable, found 'x0:1'"},
      {"2 = x0 x1", "letter 4 of the graph: expected ';', found 'x1'"}};
  for (const auto& [text, refusal] : refusals)
    EXPECT_EQ(support::refusal([&, t = text] { ComputationGraphOracle(3, words_of(t)); }), refusal)
        << text;
}

}}  // namespace logdepth::computation_graph_tests
