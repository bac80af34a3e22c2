// Float runs against exact ones: every number stays within its bound, and an answer that is
// certified is the exact one, with facts and without, in every number format.

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/difference/float_difference.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/MS25/building_blocks_appA.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "constructions/MS25/graph_connectivity_rows_thm5_1.hpp"
#include "constructions/MS25/graph_connectivity_sized_thm5_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/MS25/regular_language_radix_cor4_2.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "constructions/MS25/regular_language_tree_thm4_1.hpp"
#include "constructions/MS25/regular_language_uniform_radix_cor4_2.hpp"
#include "objects/named_monoids.hpp"
#include "proofs-check/check/divisions.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/derived.hpp"
#include "runtime/floats/float_run.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/random_programs.hpp"
#include "tests/support/random_transformers.hpp"

namespace logdepth::float_runs_tests {
namespace {

using Engine = FloatOptions::Engine;
using Scores = FloatOptions::Scores;
using Rule = FloatOptions::Rule;
using support::RandomInputs;
using support::RandomPrograms;

FloatOptions arithmetic(Engine engine, std::uint32_t bits = 53, Scores scores = Scores::distance) {
  FloatOptions options;
  options.engine = engine;
  options.bits = bits;
  options.scores = scores;
  return options;
}

std::string name_of(const FloatOptions& options) {
  const std::string name = options.engine == Engine::float64 ? "float64"
                           : options.engine == Engine::float32
                               ? "float32"
                               : "mpfr:" + std::to_string(options.bits);
  return name + (options.scores == Scores::product ? ", products" : "");
}

const std::vector<FloatOptions>& arithmetics() {
  static const std::vector<FloatOptions> all = {arithmetic(Engine::float64),
                                                arithmetic(Engine::float32),
                                                arithmetic(Engine::mpfr, 8),
                                                arithmetic(Engine::mpfr, 24),
                                                arithmetic(Engine::mpfr, 53),
                                                arithmetic(Engine::mpfr, 113),
                                                arithmetic(Engine::float64, 53, Scores::product)};
  return all;
}

/// How many answers there were, and how many of them certified.
struct Tally {
  std::size_t asked = 0, certified = 0, ambiguous = 0;
  Tally& operator+=(const Tally& other) {
    asked += other.asked;
    certified += other.certified;
    ambiguous += other.ambiguous;
    return *this;
  }
};

template <class T>
void judge(const Outcome<T>& exact, const Outcome<FloatAnswer<T>>& got, Tally& tally) {
  ++tally.asked;
  if (!got.has_value()) return;  // equal logits, say
  tally.ambiguous += got.value().certificate == Certificate::ambiguous;
  EXPECT_EQ(got.value().reason.empty(), got.value().certificate == Certificate::certified);
  if (got.value().certificate != Certificate::certified) return;
  ++tally.certified;
  ASSERT_TRUE(exact.has_value()) << describe(exact.refusal());
  EXPECT_EQ(got.value().value, exact.value());
}

/// All that the model says about an input, exactly and in floating point.
Tally compare_answers(Runner& exact, const Stream<ValueId>& stream, const FloatRunner& floats,
                      const FloatStream& got) {
  Tally tally;
  const Model& model = exact.model();
  for (std::size_t token = 0; token < got.tokens; ++token) {
    if (std::holds_alternative<AcceptOutput>(model.output)) {
      judge(exact.accepts(stream, token), floats.accepts(got, token), tally);
      if (exact.has_prefixes() && token >= exact.first_letter())
        judge(exact.prefix(stream, token), floats.prefix(got, token), tally);
    } else if (std::holds_alternative<RelationOutput>(model.output)) {
      for (std::size_t to = 0; to < got.tokens; ++to)
        judge(exact.relation(stream, token, to), floats.relation(got, token, to), tally);
    } else {
      const auto numbers = floats.numbers(got, token);
      const std::vector<Real> expected = exact.logits(stream, token);
      EXPECT_EQ(numbers.value.size(), expected.size());
      ++tally.asked;
      tally.ambiguous += numbers.certificate == Certificate::ambiguous;
      if (numbers.certificate != Certificate::certified) continue;
      ++tally.certified;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const Approximation x = expected[i].approximate();
        EXPECT_LE(std::fabs(numbers.value[i].value - x.value),
                  (numbers.value[i].error + x.bound) * (1 + 0x1p-40))
            << "number " << i << " of token " << token;
      }
    }
  }
  return tally;
}

/// One model, exactly and in one arithmetic.
class BothRuns {
 public:
  BothRuns(const Model& model, const PrecisionFacts& facts, const FloatOptions& options)
      : model_(model),
        facts_(facts),
        options_(options),
        exact_(model),
        floats_(model, facts, options) {}

  /// Nothing is asked of an input that the exact run refuses.
  Tally run(const Tokens& tokens) {
    const auto difference = first_float_difference(model_, facts_, options_, tokens);
    if (!difference.has_value()) return {};
    if (const auto& d = difference.value()) {
      ADD_FAILURE() << name_of(options_) << ": layer " << d->step << ", " << d->sublayer
                    << ", token " << d->token << ", cell " << d->cell << ": expected "
                    << d->expected << ", found " << d->got;
      return {};
    }
    const auto stream = exact_.run(tokens);
    const auto got = floats_.run(tokens);
    EXPECT_TRUE(stream.has_value() && got.has_value());
    const Tally tally = compare_answers(exact_, stream.value(), floats_, got.value());
    if (testing::Test::HasFailure()) ADD_FAILURE() << "in " << name_of(options_);
    const FloatStatistics& s = floats_.statistics();
    EXPECT_EQ(s.rows, s.single + s.ties + s.alike + s.ambiguous);
    EXPECT_LE(s.open_tests, s.tests);
    return tally;
  }

 private:
  const Model& model_;
  const PrecisionFacts& facts_;
  const FloatOptions options_;
  Runner exact_;
  FloatRunner floats_;
};

TEST(FloatRuns, StayWithinTheirBoundsInRandomTransformers) {
  RandomTransformers random(laws::seed());
  std::vector<FloatOptions> all = arithmetics();
  for (const std::uint32_t bits : {2, 3, 5, 11, 200}) all.push_back(arithmetic(Engine::mpfr, bits));
  std::map<std::string, Tally> tallies;
  for (int i = 0; i < 250; ++i) {
    const Model model = random.model();
    const PrecisionFacts facts = no_facts(model);
    const Tokens tokens[] = {random.input(model), random.input(model)};
    for (const FloatOptions& options : all) {
      if (options.scores == Scores::product) continue;  // the same without facts
      BothRuns runs(model, facts, options);
      for (const Tokens& input : tokens) tallies[name_of(options)] += runs.run(input);
    }
    if (HasFailure()) FAIL() << "model " << i;
  }
  for (const auto& [name, tally] : tallies)
    std::cout << name << ": " << tally.certified << " of " << tally.asked << " certified, "
              << tally.ambiguous << " ambiguous\n";
}

struct Construction {
  std::string name;
  Program program;
};

std::vector<Construction> constructions() {
  std::vector<Construction> all;
  const Action s3 = named_monoid("S3"), flip = named_monoid("flipflop");
  for (const auto& [positions, name] : {std::pair(ScanPositions::two_circle, "two-circle"),
                                        std::pair(ScanPositions::circle, "circle"),
                                        std::pair(ScanPositions::first_flag, "first-flag")}) {
    all.push_back({std::string("scan ") + name,
                   regular_language_scan_MS25_thm4_1(s3, "S3", {positions, ScanTable::matrix})});
    RadixOptions radix;
    radix.radix = 3;
    radix.max_length = 60;
    radix.positions = positions;
    all.push_back({std::string("radix ") + name,
                   regular_language_radix_MS25_cor4_2(flip, "flip-flop", radix)});
  }
  all.push_back({"tree", regular_language_tree_MS25_thm4_1(s3, "S3", {})});
  UniformRadixOptions uniform;
  uniform.radix = 2;
  uniform.block = 3;
  all.push_back(
      {"uniform radix", regular_language_uniform_radix_MS25_cor4_2(flip, "flip-flop", uniform)});
  all.push_back({"division paper", division_MS25_lem3_1({DivisionForm::paper, false, false})});
  for (const bool own : {false, true})
    for (const bool unit : {false, true})
      all.push_back({std::string("division") + (own ? " own" : "") + (unit ? " unit" : ""),
                     division_MS25_lem3_1({DivisionForm::compact, own, unit})});
  using Padding = GraphInput::Padding;
  for (const auto& [form, name] : {std::pair(ConnectivityForm::compact, "connectivity"),
                                   std::pair(ConnectivityForm::paper, "connectivity paper")}) {
    all.push_back({name, graph_connectivity_MS25_thm5_1(form, Padding::n3_minus_n2)});
    all.push_back({std::string(name) + " n3", graph_connectivity_MS25_thm5_1(form, Padding::n3)});
  }
  all.push_back({"connectivity sized", graph_connectivity_sized_MS25_thm5_1(3)});
  all.push_back({"connectivity rows", graph_connectivity_rows_MS25_thm5_1(3)});
  all.push_back({"read several", read_several_MS25_lemA2({2, 2}, ReadBy::attention)});
  all.push_back({"store", store_MS25_lemA3()});
  all.push_back({"overwrite", overwrite_MS25_lemA4()});
  all.push_back({"clear", clear_MS25_lemA5()});
  all.push_back({"offset", offset_MS25_lemA6(2, OffsetForm::cleared)});
  all.push_back({"offset shifted", offset_MS25_lemA6(2, OffsetForm::shifted_query)});
  all.push_back({"equality stored", equality_MS25_lemA7(Compared::stored)});
  all.push_back({"equality computed", equality_MS25_lemA7(Compared::computed)});
  all.push_back({"equality raw", equality_MS25_lemA7(Compared::raw)});
  return all;
}

/// Graphs with little, much and odd in them.
std::vector<Graph> hostile_graphs(std::uint32_t most) {
  std::vector<Graph> all = {support::numbered_graph(1), support::numbered_graph(1)};
  all.back().add_edge(0, 0);
  for (std::uint32_t n = 2; n <= most; ++n) {
    all.push_back(support::numbered_graph(n));  // no edge at all
    all.push_back(support::numbered_graph(n));
    for (Vertex v = 0; v < n; ++v) all.back().add_edge(v, v);
    all.push_back(support::numbered_graph(n));
    for (Vertex v = 0; v + 1 < n; ++v) all.back().add_edge(v + 1, v);  // a path, backwards
  }
  return all;
}

/// Inputs of one construction: short ones, lengths around powers of two, and hostile ones.
std::vector<Tokens> inputs(const Construction& c, const Model& model, RandomPrograms& random,
                           std::size_t longest) {
  std::vector<Tokens> all;
  for (const std::size_t length : {0, 1, 2, 3, 4, 5, 8, 9, 16, 17})
    if (length <= longest) all.push_back(random.input(c.program, length));
  if (c.name.starts_with("division"))
    for (const std::uint64_t divisor : {1, 2, 5, 12, 40}) {
      DivisionInput input{divisor, {}};
      for (std::uint64_t i = 0; i <= longest; ++i)
        input.dividends.push_back(i % 3 == 1 ? i / 2 : i);
      all.push_back(tokens_of(model, division_rows(model, input)).value());
    }
  if (const auto* graph = std::get_if<GraphInput>(&c.program.input))
    for (const Graph& some : hostile_graphs(longest > 5 ? 3 : longest > 2 ? 2 : 1)) {
      const std::size_t source = some.size() - 1, target = some.size() / 2;
      all.push_back(graph_tokens(*graph, some, source, target).value());
    }
  return all;
}

/// Every construction under both norms.
void for_each_model(std::size_t longest,
                    const std::function<void(const Construction&, const Compiled&,
                                             const std::vector<Tokens>&)>& visit) {
  RandomPrograms random(laws::seed(), RandomInputs::all);
  for (const Construction& c : constructions())
    for (const Norm norm : {Norm::rms, Norm::layernorm}) {
      SCOPED_TRACE(c.name + (norm == Norm::rms ? "" : ", layernorm"));
      CompileOptions form;
      form.norm = norm;
      const Compiled compiled = compile(c.program, form);
      visit(c, compiled,
            inputs(c, compiled.model, random, norm == Norm::rms ? longest : longest / 3));
      if (testing::Test::HasFailure()) return;
    }
}

// The weights files of the library are made for double precision. What is given without a bound
// may be arbitrarily near to what it is compared with, so that no number of bits proves a test for
// zero of it.
TEST(FloatRuns, OfDoublesCertifyEveryAnswerOfEveryConstructionButTheListedOnes) {
  const std::set<std::string> without_law = {"division unit", "division own unit",
                                             "equality stored"};
  std::map<std::string, Tally> tallies;
  std::set<std::string> seen;
  for_each_model(
      17, [&](const Construction& c, const Compiled& compiled, const std::vector<Tokens>& tokens) {
        const Model& model = compiled.model;
        const PrecisionFacts proved = compiled.facts, none = no_facts(model);
        for (const Engine engine : {Engine::float64, Engine::float32})
          for (const PrecisionFacts* facts : {&proved, &none}) {
            const FloatOptions options = arithmetic(engine);
            BothRuns runs(model, *facts, options);
            Tally tally;
            for (const Tokens& input : tokens) tally += runs.run(input);
            tallies[name_of(options) + (facts == &none ? " without facts" : "")] += tally;
            if (engine == Engine::float32 || facts == &none) continue;
            EXPECT_GT(tally.asked, 5u);
            if (tally.certified == tally.asked) continue;
            EXPECT_TRUE(without_law.contains(c.name))
                << tally.certified << " of " << tally.asked << " certified";
            seen.insert(c.name);
          }
      });
  EXPECT_EQ(seen, without_law);
  for (const auto& [name, tally] : tallies)
    std::cout << name << ": " << tally.certified << " of " << tally.asked << " certified, "
              << tally.ambiguous << " ambiguous\n";
  // Facts are what certifies, and single precision is enough for most of these short inputs.
  EXPECT_GT(tallies["float32"].certified, tallies["float32"].asked * 3 / 4);
  EXPECT_GT(tallies["float64 without facts"].certified, 1000u);
  EXPECT_LT(tallies["float64 without facts"].certified, tallies["float64"].certified);
  EXPECT_GT(tallies["float64 without facts"].ambiguous, 1000u);
}

TEST(FloatRuns, OfAnyNumberOfBitsStayWithinTheirBoundsInEveryConstruction) {
  std::map<std::string, Tally> tallies;
  for_each_model(3, [&](const Construction&, const Compiled& compiled,
                        const std::vector<Tokens>& tokens) {
    const Model& model = compiled.model;
    const PrecisionFacts proved = compiled.facts, none = no_facts(model);
    for (const FloatOptions& options : arithmetics()) {
      if (options.engine == Engine::float32) continue;
      if (options.engine == Engine::float64 && options.scores == Scores::distance) continue;
      for (const PrecisionFacts* facts : {&proved, &none}) {
        // Few bits and many are enough for what the other norm and no facts change.
        const bool of_interest = options.bits == 8 || options.bits == 113;
        if (!of_interest && (facts == &none || model.norm == Norm::layernorm)) continue;
        BothRuns runs(model, *facts, options);
        for (const Tokens& input : tokens)
          tallies[name_of(options) + (facts == &none ? " without facts" : "")] += runs.run(input);
      }
    }
  });
  for (const auto& [name, tally] : tallies)
    std::cout << name << ": " << tally.certified << " of " << tally.asked << " certified, "
              << tally.ambiguous << " ambiguous\n";
  EXPECT_GE(tallies["mpfr:113"].certified, tallies["mpfr:24"].certified);
  EXPECT_GT(tallies["mpfr:24"].certified, tallies["mpfr:8"].certified);
  EXPECT_GT(tallies["mpfr:8"].certified, 100u);
}

Compiled compiled_scan(ScanPositions positions = ScanPositions::two_circle) {
  return compile(
      regular_language_scan_MS25_thm4_1(named_monoid("S3"), "S3", {positions, ScanTable::matrix}));
}

std::vector<std::string> random_letters(std::size_t length, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> letters;
  for (std::size_t i = 0; i < length; ++i) letters.emplace_back(1, random() % 2 == 0 ? 'a' : 'b');
  return letters;
}

bool same_numbers(const FloatStream& a, const FloatStream& b) {
  if (a.tokens != b.tokens || a.numbers.size() != b.numbers.size()) return false;
  for (std::size_t i = 0; i < a.numbers.size(); ++i)
    if (a.numbers[i].value != b.numbers[i].value || a.numbers[i].error != b.numbers[i].error)
      return false;
  return true;
}

TEST(FloatRuns, AreTheSameForEveryNumberOfThreadsAndInEveryOrderOfABatch) {
  for (const Engine engine : {Engine::float64, Engine::float32})
    for (const ScanPositions positions : {ScanPositions::two_circle, ScanPositions::first_flag}) {
      const auto [model, program, facts] = compiled_scan(positions);
      FloatOptions one = arithmetic(engine), two = one;
      two.threads = 2;
      FloatRunner batch(model, facts, one), threads(model, facts, two);
      // Long after short and short after long, the same size twice, and the empty word.
      for (const std::size_t length : {3, 200, 5, 200, 0, 64, 1, 201}) {
        const Tokens tokens = tokens_of(model, random_letters(length, length)).value();
        FloatRunner alone(model, facts, one);
        const FloatStream expected = alone.run(tokens).value();
        EXPECT_TRUE(same_numbers(batch.run(tokens).value(), expected)) << length;
        EXPECT_TRUE(same_numbers(threads.run(tokens).value(), expected)) << length;
        EXPECT_EQ(batch.statistics().rows, alone.statistics().rows);
        EXPECT_EQ(threads.statistics().scores, alone.statistics().scores);
        EXPECT_EQ(batch.statistics().single, alone.statistics().single);
      }
    }
}

TEST(FloatRuns, ByDistanceAndByProductGiveTheSameWhereBothAreCertified) {
  std::size_t both = 0, by_distance_alone = 0;
  for (const ScanPositions positions :
       {ScanPositions::two_circle, ScanPositions::circle, ScanPositions::first_flag}) {
    const auto [model, program, facts] = compiled_scan(positions);
    for (const Engine engine : {Engine::float64, Engine::float32}) {
      FloatRunner distance(model, facts, arithmetic(engine));
      FloatRunner product(model, facts, arithmetic(engine, 53, Scores::product));
      for (const std::size_t length : {1, 7, 30, 90}) {
        const Tokens tokens = tokens_of(model, random_letters(length, 7 * length)).value();
        const FloatStream d = distance.run(tokens).value(), p = product.run(tokens).value();
        for (std::size_t token = 0; token < d.tokens; ++token) {
          const auto left = distance.accepts(d, token), right = product.accepts(p, token);
          if (!left.has_value() || left.value().certificate != Certificate::certified) continue;
          if (!right.has_value() || right.value().certificate != Certificate::certified) {
            ++by_distance_alone;
            continue;
          }
          ++both;
          EXPECT_EQ(left.value().value, right.value().value);
        }
      }
    }
  }
  std::cout << both << " certified by both, " << by_distance_alone << " by distance alone\n";
  EXPECT_GT(both, 100u);
  EXPECT_GT(by_distance_alone, 50u);
}

}  // namespace
}  // namespace logdepth::float_runs_tests
