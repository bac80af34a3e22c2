// Float runs against exact ones: every number stays within its bound, and an answer that is
// certified is the exact one, with facts and without, in every number format.
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/difference/first_difference.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/MS25/building_blocks_appA.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "proofs-check/check/divisions.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/file/model_rules.hpp"
#include "runtime/floats/float_run.hpp"
#include "runtime/numbers/real.hpp"
#include "tests/support/constructed_programs.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/random_programs.hpp"
#include "tests/support/random_transformers.hpp"

namespace logdepth::float_runs_tests { namespace {

using Engine = FloatOptions::Engine;
using Rule = FloatOptions::Rule;
using Scores = FloatOptions::Scores;
using support::compile_form;
using support::NamedProgram;
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
      if (reads_prefixes(exact.model()) && token >= first_letter(exact.model()))
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
      ADD_FAILURE() << name_of(options_) << ": layer " << d->layer << ", " << d->sublayer
                    << ", token " << d->token << ", cell " << d->cell << ": expected "
                    << d->expected << ", found " << d->found;
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
std::vector<Tokens> inputs(const NamedProgram& c, const Model& model, RandomPrograms& random,
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
                    const std::function<void(const NamedProgram&, const Compiled&,
                                             const std::vector<Tokens>&)>& visit) {
  RandomPrograms random(laws::seed(), RandomInputs::all);
  // Of reading, storing and fetching from an earlier position, one form each.
  const std::set<std::string> left_out = {
      "read unit",    "read position",          "read natural",
      "read several", "read unit by attention", "read position by attention",
      "remove",       "offset one layer",       "read natural by attention"};
  for (const NamedProgram& c : support::constructed_programs()) {
    if (left_out.contains(c.name)) continue;
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
      17, [&](const NamedProgram& c, const Compiled& compiled, const std::vector<Tokens>& tokens) {
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
  for_each_model(3, [&](const NamedProgram&, const Compiled& compiled,
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

// The float pass on a CUDA device beside the host: the same source, so the same bits. Where the
// program was built without CUDA or no device answers, the tests say so and are skipped.

FloatOptions on(FloatOptions::Device device, FloatOptions::Engine engine) {
  FloatOptions options;
  options.device = device;
  options.engine = engine;
  return options;
}

bool has_device() {
  return cuda_devices() > 0;
}

/// The stream after the last layer, on one device.
FloatStream stream_on(FloatOptions::Device device, FloatOptions::Engine engine,
                      const Compiled& compiled, const Tokens& tokens, FloatStatistics& statistics) {
  FloatRunner runner(compiled.model, compiled.facts, on(device, engine));
  auto stream = runner.run(tokens);
  statistics = runner.statistics();
  return std::move(stream).value();
}

void expect_same_bits(const Compiled& compiled, const Tokens& tokens) {
  for (const auto engine : {FloatOptions::Engine::float64, FloatOptions::Engine::float32}) {
    FloatStatistics host_statistics, device_statistics;
    const FloatStream host =
        stream_on(FloatOptions::Device::cpu, engine, compiled, tokens, host_statistics);
    const FloatStream device =
        stream_on(FloatOptions::Device::cuda, engine, compiled, tokens, device_statistics);
    ASSERT_EQ(host.numbers.size(), device.numbers.size());
    for (std::size_t i = 0; i < host.numbers.size(); ++i) {
      ASSERT_EQ(host.numbers[i].value, device.numbers[i].value) << "number " << i;
      ASSERT_EQ(host.numbers[i].error, device.numbers[i].error) << "number " << i;
    }
    EXPECT_EQ(host_statistics.single, device_statistics.single);
    EXPECT_EQ(host_statistics.ties, device_statistics.ties);
    EXPECT_EQ(host_statistics.ambiguous, device_statistics.ambiguous);
    EXPECT_EQ(host_statistics.open_tests, device_statistics.open_tests);
  }
}

TEST(FloatDevices, ADeviceThatIsNotThereIsBadInputAndNotACrash) {
  if (has_device()) GTEST_SKIP() << "a CUDA device answers";
  const Model model = compile_form(support::word_problem("Z2").action);
  const PrecisionFacts facts = no_facts(model);
  EXPECT_THROW(
      FloatRunner(model, facts, on(FloatOptions::Device::cuda, FloatOptions::Engine::float64)),
      InputError);
}

TEST(FloatDevices, GiveTheSameBitsForWords) {
  if (!has_device()) GTEST_SKIP() << "no CUDA device answers, or built without CUDA";
  for (const auto& form : support::all_forms({})) {
    const Compiled compiled = compiled_form(support::word_problem("A5").action, form);
    for (const std::size_t length : {1u, 2u, 31u, 32u, 33u, 500u}) {
      std::vector<std::string> word;
      for (std::size_t i = 0; i < length; ++i) word.push_back(i % 3 == 0 ? "a" : "b");
      expect_same_bits(compiled, tokens_of(compiled.model, word).value());
    }
  }
}

TEST(FloatDevices, GiveTheSameBitsForGraphs) {
  if (!has_device()) GTEST_SKIP() << "no CUDA device answers, or built without CUDA";
  for (const ConnectivityForm form : {ConnectivityForm::compact, ConnectivityForm::paper}) {
    const Compiled compiled =
        compile(graph_connectivity_MS25_thm5_1(form, GraphInput::Padding::n3_minus_n2));
    Graph graph;
    for (const char* name : {"a", "b", "c", "d", "e"}) graph.add_vertex(name);
    graph.add_edge(0, 1);
    graph.add_edge(1, 2);
    graph.add_edge(2, 3);
    graph.add_edge(4, 4);
    expect_same_bits(compiled, tokens_of(compiled.model, graph, 0, 3).value());
    expect_same_bits(compiled, tokens_of(compiled.model, graph, 3, 4).value());
  }
}

// The text of a double, and how far it is from it.

TEST(FloatText, IsAsFarFromItsNumberAsIsSaidRoundedUp) {
  std::mt19937_64 random(3);
  int inexact = 0;
  for (int i = 0; i < 20000; ++i) {
    const double value =
        i % 2 == 0 ? std::bit_cast<double>(random()) : static_cast<double>(random() % 100000) / 999;
    if (!std::isfinite(value)) continue;
    const std::string text = shortest_text(value);
    // By another reader, GMP's of binary floats, with more digits than any double has.
    mpf_class named(0, 8000);
    ASSERT_EQ(named.set_str(text, 10), 0) << text;
    const mpf_class off = abs(named - mpf_class(value, 8000));
    const mpf_class said(text_error(value), 8000);
    EXPECT_LE(off, said + mpf_class("1e-2200", 8000)) << text;
    if (said > 0) {
      ++inexact;
      EXPECT_LE(said, off * mpf_class("1.000000000000001", 8000) + mpf_class("1e-323", 8000))
          << text;
      // Never more than half a unit in the last place.
      EXPECT_LE(
          text_error(value),
          (std::nextafter(std::fabs(value), INFINITY) - std::fabs(value)) / 2 * 1.001 + 1e-323);
    }
  }
  EXPECT_GT(inexact, 10000);
  for (const double exact : {0.0, 1.0, -0.5, 0.015625, 1e22, -3.0})
    EXPECT_EQ(text_error(exact), 0) << exact;
  EXPECT_GT(text_error(0.1), 5e-18);
  EXPECT_LT(text_error(0.1), 6e-18);
}

TEST(FloatText, SumsOfBoundsAreNotBelowTheSum) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 20000; ++i) {
    const double a = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 100));
    const double b = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 100));
    const mpq_class sum = mpq_class(a) + mpq_class(b), said(sum_of_bounds(a, b));
    EXPECT_LE(sum, said);
    EXPECT_LE(said, sum * mpq_class(1.0000000000000005));
  }
  EXPECT_EQ(sum_of_bounds(0, 0.1), 0.1);
  EXPECT_EQ(sum_of_bounds(0.1, 0), 0.1);
  EXPECT_EQ(sum_of_bounds(0.1, INFINITY), INFINITY);
}

}}  // namespace logdepth::float_runs_tests
