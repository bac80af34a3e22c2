// What the compiler says about the numbers of its weights, against exact runs: every fact of every
// construction and of random programs holds, each has met numbers that it speaks of, and no head or
// test is without a law but for the listed ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "compiler/file/carried_program.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/program/program.hpp"
#include "constructions/JSHCM26/formula_value_lem4_1.hpp"
#include "constructions/MS25/building_blocks_appA.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "objects/named_monoids.hpp"
#include "runtime/exact/exact.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/stream/forward.hpp"
#include "tests/support/constructed_programs.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/random_programs.hpp"

namespace logdepth::precision_facts_tests { namespace {

using support::RandomInputs;
using support::RandomPrograms;

// A file whose member `derived`, which no hash protects, is what somebody else wrote.

Model with_derived_text(const Model& model, const std::string& derived) {
  nlohmann::json file = nlohmann::json::parse(write_weights(model));
  file["derived"] = nlohmann::json::parse(derived);
  return parse_weights(file.dump(), "changed");
}

/// Compares every precision fact of a weights file with the numbers of exact runs, exactly.
class PrecisionFactCheck : public ForwardObserver<ValueId> {
 public:
  PrecisionFactCheck(const Model& model, const PrecisionFacts& facts, const ValuePool& pool)
      : model_(model), facts_(facts), pool_(pool) {}

  /// The N of the next run.
  void next_size(const Rational& size) { size_ = size; }
  /// The first fact that did not hold, as a sentence; empty: all held.
  const std::string& broken() const { return broken_; }
  /// Facts that no number has been compared with, as in "layer 2, head 0: gap".
  std::vector<std::string> unseen() const {
    std::vector<std::string> missing;
    for (const std::string& fact : stated())
      if (!seen_.contains(fact)) missing.push_back(fact);
    return missing;
  }
  /// How often each kind of fact was compared with a number.
  const std::map<std::string, std::size_t>& compared() const { return compared_; }
  /// How many times its law the least number was, of each gap and each zero.
  const std::map<std::string, double>& slack() const { return slack_; }

  void before(const Location& location, const Stream<ValueId>& stream) override {
    const Layer& layer = model_.layers[location.layer];
    const bool attention = location.sublayer == Sublayer::attention;
    const SparseVector& mask = attention ? layer.attention.mask : layer.feedforward.mask;
    const LayerFacts& facts = facts_.layers[location.layer];
    const MaskFacts& known = attention ? facts.attention : facts.feedforward;
    at_ = "layer " + std::to_string(location.layer) +
          (attention ? ", attention: " : ", feed-forward: ");
    for (std::size_t token = 0; token < stream.tokens; ++token) {
      std::vector<Real> masked;
      for (const SparseEntry& e : mask)
        masked.push_back(pool_[stream.at(token, e.index)].scaled(e.value));
      if (known.scale) check_scale(*known.scale, masked);
      if (known.zero) check_zero(*known.zero, masked);
    }
  }

  void on_head(const Location& location, std::size_t head, const HeadRows<ValueId>& rows) override {
    const HeadFacts& known = facts_.layers[location.layer].heads[head];
    at_ = head_name(location.layer, head);
    queries_.clear();
    keys_.clear();
    for (std::size_t token = 0; token < rows.tokens(); ++token) {
      keys_.push_back(numbers(rows.key(token)));
      queries_.push_back(numbers(rows.query(token)));
      for (const KeyBlock& block : known.blocks) {
        see("block");
        expect(square(keys_.back(), block.rows) == Real(block.square),
               "the keys of a block have another norm");
      }
    }
    if (!known.scaled) return;
    for (std::vector<Real>& query : queries_)
      for (const KeyBlock& block : known.blocks) scale(query, block, known);
  }

  void on_row(const Location& location, std::size_t head, const SelectedRow& row) override {
    const HeadFacts& known = facts_.layers[location.layer].heads[head];
    if (!known.gap && !known.scaled) return;
    at_ = head_name(location.layer, head);
    std::map<std::vector<Real>, Real, Before> by_key;
    std::vector<Real> scores;
    for (std::size_t j = 0; j < row.visible; ++j) {
      const auto [entry, fresh] = by_key.try_emplace(keys_[j]);
      if (fresh) entry->second = product(queries_[row.row], keys_[j]);
      scores.push_back(entry->second);
    }
    const Real best = *std::max_element(scores.begin(), scores.end());
    if (known.scaled) {
      see("scaled");
      std::vector<std::size_t> selected;
      for (std::size_t j = 0; j < row.visible; ++j)
        if (scores[j] == best) selected.push_back(j);
      expect(selected == (*row.positions)(), "scaled queries select something else");
    }
    if (!known.gap) return;
    const Rational law = bound(*known.gap);
    for (const auto& [key, score] : by_key) {
      if (score == best) continue;
      see("gap", best - score, law);
      expect(best - score >= Real(law), "a score is too near to the largest");
    }
  }

 private:
  struct Before {
    bool operator()(const std::vector<Real>& a, const std::vector<Real>& b) const {
      return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
    }
  };
  static std::string head_name(std::size_t layer, std::size_t head) {
    return "layer " + std::to_string(layer) + ", head " + std::to_string(head) + ": ";
  }

  void see(const std::string& kind) {
    seen_.insert(at_ + kind);
    ++compared_[kind];
  }
  void see(const std::string& kind, const Real& number, const Rational& law) {
    see(kind);
    const double times = number.approximate().value / law.approximate();
    const auto [entry, fresh] = slack_.try_emplace(at_ + kind, times);
    entry->second = std::min(entry->second, times);
  }
  void expect(bool holds, const std::string& sentence) {
    if (!holds && broken_.empty()) broken_ = at_ + sentence;
  }

  Rational bound(const SeparationLaw& law) const {
    Rational value = law.coefficient;
    for (std::uint32_t i = 0; i < law.exponent; ++i) value = value / size_;
    return value;
  }
  std::vector<Real> numbers(std::span<const ValueId> ids) const {
    std::vector<Real> values;
    for (const ValueId id : ids) values.push_back(pool_[id]);
    return values;
  }
  static Real product(const std::vector<Real>& a, const std::vector<Real>& b) {
    Real sum;
    for (std::size_t i = 0; i < a.size(); ++i) sum = sum + a[i] * b[i];
    return sum;
  }
  static Real square(const std::vector<Real>& vector, const std::vector<std::uint32_t>& rows) {
    Real sum;
    for (const std::uint32_t row : rows) sum = sum + vector[row] * vector[row];
    return sum;
  }

  /// The block of the query gets the norm of the keys'. The root of an irrational norm is left out,
  /// which a gap would notice: no head of such queries has one.
  void scale(std::vector<Real>& query, const KeyBlock& block, const HeadFacts& known) {
    const Real own = square(query, block.rows);
    expect(own.sign() > 0, "a query to be scaled is zero");
    expect(own.is_rational() || !known.gap, "a query of irrational norm has a gap");
    if (own.sign() <= 0 || !own.is_rational()) return;
    const Rational factor = own.rational_part() / block.square;
    for (const std::uint32_t row : block.rows) query[row] = query[row].divided_by_root(factor);
  }

  void check_scale(const Rational& scale, const std::vector<Real>& masked) {
    see("scale");
    Real squares, sum;
    for (const Real& x : masked) {
      squares = squares + x * x;
      sum = sum + x;
    }
    // norm(x) = sqrt(m) x / ||x||, of a mean of zero under layernorm.
    expect(squares.scaled(scale * scale) == Real(static_cast<std::int64_t>(model_.width)),
           "the norm has another scale");
    expect(model_.norm == Norm::rms || sum.is_zero(), "the mean is not zero");
  }

  void check_zero(const SeparationLaw& law, const std::vector<Real>& masked) {
    for (const Real& x : masked) {
      if (x.is_zero()) continue;
      const Real size = x.sign() < 0 ? -x : x;
      see("zero", size, bound(law));
      expect(size >= Real(bound(law)), "a number is too near to zero");
    }
  }

  std::set<std::string> stated() const {
    std::set<std::string> all;
    for (std::size_t l = 0; l < facts_.layers.size(); ++l) {
      const LayerFacts& layer = facts_.layers[l];
      const std::string name = "layer " + std::to_string(l);
      for (const bool attention : {true, false}) {
        const MaskFacts& mask = attention ? layer.attention : layer.feedforward;
        const std::string sublayer = name + (attention ? ", attention: " : ", feed-forward: ");
        if (mask.scale) all.insert(sublayer + "scale");
        if (mask.zero) all.insert(sublayer + "zero");
      }
      for (std::size_t k = 0; k < layer.heads.size(); ++k) {
        if (!layer.heads[k].blocks.empty()) all.insert(head_name(l, k) + "block");
        if (layer.heads[k].scaled) all.insert(head_name(l, k) + "scaled");
        if (layer.heads[k].gap) all.insert(head_name(l, k) + "gap");
      }
    }
    return all;
  }

  const Model& model_;
  const PrecisionFacts& facts_;
  const ValuePool& pool_;
  Rational size_ = 1;
  std::string at_, broken_;
  std::set<std::string> seen_;
  std::map<std::string, std::size_t> compared_;
  std::map<std::string, double> slack_;
  std::vector<std::vector<Real>> queries_, keys_;
};

const std::vector<CompileOptions>& forms() {
  static const std::vector<CompileOptions> all = {{Norm::rms, false, std::nullopt},
                                                  {Norm::layernorm, true, std::nullopt}};
  return all;
}

/// N: the number of tokens, or the largest given natural number.
Rational size_of_run(const Program& program, const Tokens& tokens) {
  Rational size(static_cast<std::int64_t>(tokens.kinds.size()));
  for (const auto& row : tokens.given) {
    std::size_t at = 0;
    for (const GivenCell& given : program.given) {
      if (given.holds == GivenCell::Holds::natural)
        size = std::max(size, row.at(at).rational_part());
      at += size_of(program.cells[given.cell].type);
    }
  }
  return size;
}

/// A model with its own facts, and runs that they are compared with.
class ComparedRuns {
 public:
  ComparedRuns(const Program& program, const CompileOptions& form)
      : program_(program),
        compiled_(compile(program, form)),
        runner_(compiled_.model),
        observer_(compiled_.model, compiled_.facts, runner_.arithmetic().pool()) {}
  ComparedRuns(const ComparedRuns&) = delete;

  /// False where the run leaves the field.
  bool run(const Tokens& tokens) {
    observer_.next_size(size_of_run(program_, tokens));
    const bool ran = runner_.run(tokens, {&observer_}).has_value();
    EXPECT_EQ(observer_.broken(), "");
    return ran;
  }
  const PrecisionFactCheck& observer() const { return observer_; }
  const Model& model() const { return compiled_.model; }

 private:
  const Program& program_;
  Compiled compiled_;
  Runner runner_;
  PrecisionFactCheck observer_;
};

/// Inputs of one construction: short and long ones, graphs of up to four vertices.
std::vector<Tokens> inputs(const Program& program, RandomPrograms& random) {
  std::vector<Tokens> all;
  for (const std::size_t length : {0, 1, 2, 3, 4, 6, 9, 13})
    all.push_back(random.input(program, length));
  const auto* graph = std::get_if<GraphInput>(&program.input);
  if (!graph) return all;
  std::mt19937_64 dice(laws::seed());
  for (const std::size_t n : {3, 3, 4}) {
    if (graph->size && n > *graph->size) continue;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < n; ++i) names.push_back(std::to_string(i));
    const Graph some = support::random_graph(dice, names, 0.4);
    all.push_back(graph_tokens(*graph, some, dice() % n, dice() % n).value());
  }
  return all;
}

TEST(PrecisionFacts, HoldOfEveryNumberOfEveryConstruction) {
  RandomPrograms random(laws::seed(), RandomInputs::all);
  std::map<std::string, std::size_t> compared;
  for (const support::NamedProgram& c : support::constructed_programs())
    for (const CompileOptions& form : forms()) {
      SCOPED_TRACE(c.name + (form.norm == Norm::rms ? "" : ", layernorm, strict"));
      ComparedRuns runs(c.program, form);
      for (const Tokens& tokens : inputs(c.program, random)) {
        EXPECT_TRUE(runs.run(tokens));
        if (HasFailure()) return;
      }
      // (m, 1) is the same at all tokens, so no key differs from another.
      const std::vector<std::string> vacuous =
          c.name == "read natural by attention" ? std::vector<std::string>{"layer 0, head 0: gap"}
                                                : std::vector<std::string>{};
      EXPECT_EQ(runs.observer().unseen(), vacuous);
      for (const auto& [kind, times] : runs.observer().compared()) compared[kind] += times;
    }
  for (const auto& [kind, times] : compared) std::cout << kind << ": " << times << "\n";
  for (const char* kind : {"scale", "block", "scaled", "gap", "zero"})
    EXPECT_GT(compared[kind], 1000u) << kind;
}

TEST(PrecisionFacts, HoldOfRandomPrograms) {
  RandomPrograms random(laws::seed() + 1, RandomInputs::all);
  std::map<std::string, std::size_t> compared;
  for (int i = 0; i < 1200; ++i) {
    const Program program = random.draw_valid();
    ComparedRuns runs(program, forms()[random.below(forms().size())]);
    for (const std::size_t length : {std::size_t{1}, 2 + random.below(3), 5 + random.below(4)})
      runs.run(random.input(program, length));
    if (HasFailure()) FAIL() << "program " << i << "\n" << print_program(program);
    for (const auto& [kind, times] : runs.observer().compared()) compared[kind] += times;
  }
  for (const auto& [kind, times] : compared) std::cout << kind << ": " << times << "\n";
  for (const char* kind : {"scale", "block", "scaled", "gap", "zero"})
    EXPECT_GT(compared[kind], 100u) << kind;
}

TEST(PrecisionFacts, AreRepeatedWithTheLayersOfAnUnrolledModel) {
  const Program program = regular_language_scan_MS25_thm4_1(
      named_monoid("S3"), "S3", {ScanPositions::first_flag, ScanTable::matrix});
  const Compiled looped = compile(program), unrolled = compile(program, {Norm::rms, false, 8});
  const PrecisionFacts &once = looped.facts, &thrice = unrolled.facts;
  ASSERT_EQ(once.layers.size(), 2u);
  ASSERT_EQ(thrice.layers.size(), 4u);
  EXPECT_EQ(thrice.layers[0], once.layers[0]);
  for (std::size_t l = 1; l < 4; ++l) EXPECT_EQ(thrice.layers[l], once.layers[1]);
  EXPECT_EQ(with_derived(unrolled)->derived.program, with_derived(looped)->derived.program);
  EXPECT_EQ(with_derived(unrolled)->derived.precision, thrice);
  EXPECT_EQ(unrolled.model->derived, Derived{})
      << "nothing is spelled out before a file is written";
}

/// The heads that compare codes, cells or flags, without a margin, but have no gap, and the tests that
/// have no law.
std::vector<std::string> without_law(const Program& program) {
  const Schedule schedule = schedule_layers(program);
  const MaskTypes masks = type_masks(program, schedule);
  const PrecisionFacts facts = prove_precision(program, schedule, masks,
                                               allocate_cells(program, schedule, Norm::rms, false));
  std::vector<std::string> names;
  std::size_t l = 0;
  for (const Block block : {Block::initial, Block::repeated, Block::final})
    for (const ScheduledLayer& layer : schedule.block(block)) {
      const LayerFacts& known = facts.layers[l++];
      for (std::size_t k = 0; k < layer.attention.size(); ++k) {
        const auto& selector = std::get<FetchStatement>(*layer.attention[k]).selector;
        const auto* found = std::get_if<SelectFound>(&selector);
        const bool compares = !std::holds_alternative<SelectAll>(selector) &&
                              !std::holds_alternative<SelectNearest>(selector) &&
                              !(found && found->prefer);
        if (compares && !known.heads[k].gap)
          names.push_back(statement_name(program, *layer.attention[k]));
        EXPECT_FALSE(!compares && known.heads[k].gap);
      }
      for (const Statement* statement : layer.feedforward)
        if (std::holds_alternative<TestStatement>(*statement) && !known.feedforward.zero)
          names.push_back(statement_name(program, *statement));
    }
  return names;
}

TEST(PrecisionFacts, LeaveNoHeadAndNoTestWithoutALawButTheListedOnes) {
  // Vectors that are given or declared without a bound have none between them.
  const std::map<std::string, std::vector<std::string>> expected = {
      {"division unit", {"test e"}},
      {"division own unit", {"test e"}},
      {"connectivity", {"fetch 'edge'"}},
      {"connectivity n3", {"fetch 'edge'"}},
      {"connectivity paper", {"fetch 'answer'"}},
      {"connectivity paper n3", {"fetch 'answer'"}},
      {"connectivity sized", {"fetch 'left_edge'", "fetch 'right_edge'", "fetch 'edge'"}},
      {"read unit by attention", {"fetch 'read'"}},
      {"read several by attention", {"fetch 'read'"}},
      {"equality stored", {"test e"}}};
  std::size_t listed = 0;
  for (const support::NamedProgram& c : support::constructed_programs()) {
    const auto entry = expected.find(c.name);
    listed += entry != expected.end();
    EXPECT_EQ(without_law(c.program),
              entry == expected.end() ? std::vector<std::string>{} : entry->second)
        << c.name;
  }
  EXPECT_EQ(listed, expected.size());
}

SeparationLaw zero_of_the_last_layer(const std::string& program) {
  return compile(parse_program(program, "a test")).facts.layers.back().feedforward.zero.value();
}

Tokens tokens_of(const Model& model, const Word& word) {
  return word_tokens(std::get<WordInput>(model.input),
                     support::letter_names(Alphabet(model.alphabet), word))
      .value();
}

// Every fact holds, and none is so far from the truth that 2^20 times as much would hold as well.
TEST(PrecisionFacts, OfFormulasHoldOnEveryShortWordAndAreMetByLongOnes) {
  const Program program = formula_value({"boolean"});
  std::mt19937_64 dice(laws::seed());
  for (const CompileOptions& form : forms()) {
    const bool rms = form.norm == Norm::rms;
    ComparedRuns runs(program, form);
    const Model& model = runs.model();
    support::for_each_word(5, rms ? 6 : 4, [&](const Word& word) {
      if (!HasFailure()) {
        EXPECT_TRUE(runs.run(tokens_of(model, word)));
      }
    });
    for (std::size_t i = 0; i < (rms ? 60u : 20u); ++i)
      EXPECT_TRUE(runs.run(tokens_of(model, support::random_word(dice, 5, 1 + dice() % 60))));
    EXPECT_EQ(runs.observer().unseen(), std::vector<std::string>{});
    EXPECT_EQ(runs.observer().slack().size(), 13u);  // nine gaps, four zeros
    for (const auto& [fact, times] : runs.observer().slack()) {
      EXPECT_GE(times, 1 - 0x1p-40) << fact;
      EXPECT_LT(times, 0x1p20) << fact;
    }
  }
}

/// A test for zero of what two heads add, at letters a and b, which flag x tells apart.
std::string zero_program(const std::string& code, const std::string& heads) {
  const bool phi = code.starts_with("phi");
  std::string text = R"(logdepth-cells 1
alphabet a b
cell one constant
cell x flag
cell d number 1
cell e flag
token <begin> x=true e=true
token a x=false e=true
token b x=true e=true
)";
  text += "cell I key " + code + "\ncell P pointer " + code + "\n";
  text += phi ? "cell f flag\ncell p number 2\nposition f\n" : "position I\nposition P back 1\n";
  text += "initial\n";
  if (phi)
    text +=
        "fetch count causal uniform\n add p[0] + 1/2 one - 1/2 f\n add p[1] + 1/2 one + 1/2 f\n"
        "normalise I from p[0] " +
        std::string(code == "phi" ? "" : "3*") + "p[1]\nmove P I\n";
  return text + heads + "test e zero d\noutput o + e\n";
}

TEST(PrecisionFacts, KnowHowFarTheMeanOfPositionCodesIsFromTheOwnOne) {
  const auto heads = [](const std::string& selector, const std::string& mean,
                        const std::string& own = "I[0]") {
    return "fetch mean " + selector + "\n add d " + mean + "\nfetch own causal match I key I\n" +
           " add d - 3/2 " + own + "\n";
  };
  for (const auto& [code, law] : std::vector<std::pair<std::string, SeparationLaw>>{
           {"circle", {{9, 5}, 3}},  // 3/2 times 1/2 times 12/5
           {"phi", {{3, 4}, 3}},
           {"phi over 3", {{1, 4}, 3}},
           {"fine 2", {{3, 5}, 3}}}) {
    for (const char* const selector : {"same x", "uniform", "flagged x=true"}) {
      SCOPED_TRACE(code + ", " + selector);
      const std::string text =
          zero_program(code, heads(std::string("causal ") + selector, "+ 3/2 I[0]"));
      const Program program = parse_program(text, "a test");
      ComparedRuns runs(program, forms().front());
      support::for_each_word(2, 8, [&](const Word& word) {
        if (!HasFailure()) runs.run(tokens_of(runs.model(), word));
      });
      const std::string last = "layer " + std::to_string(runs.model().layers.size() - 1);
      const std::map<std::string, double> slack = runs.observer().slack();
      ASSERT_TRUE(slack.contains(last + ", feed-forward: zero"));
      EXPECT_LT(slack.at(last + ", feed-forward: zero"), 40);
      EXPECT_EQ(zero_of_the_last_layer(text), law);
    }
  }
  // Positions on both sides, another factor, component, position or code: nothing is known.
  for (const auto& [code, text] : std::vector<std::pair<std::string, std::string>>{
           {"circle", heads("unmasked same x", "+ 3/2 I[0]")},
           {"circle", heads("causal same x", "+ 1 I[0]")},
           {"circle", heads("causal same x", "+ 3/2 I[1]")},
           {"circle", heads("causal same x", "+ 3/2 I[0] + x")},
           {"circle", heads("causal same x", "+ 3/2 P[0]")},
           {"circle", heads("causal same x", "+ 3/2 P[0]", "P[0]")},
           {"two-circle", heads("causal same x", "+ 3/2 I[0]")}})
    EXPECT_FALSE(compile(parse_program(zero_program(code, text), "a test"))
                     .facts.layers.back()
                     .feedforward.zero)
        << code << "\n"
        << text;
}

TEST(PrecisionFacts, CountTheSelectionsOfAverages) {
  const std::string start = R"(logdepth-cells 1
alphabet a b
cell one constant
cell x flag
cell y onehot u v
cell D number 1
cell e flag
token <begin> x=true y=u e=true
token a x=false y=v e=true
token b x=true y=u e=true
initial
)";
  const std::string end = "test e zero D\noutput o + e\n";
  // (b - a)/n over one selection, both terms of it.
  EXPECT_EQ(zero_of_the_last_layer(start + "fetch f causal uniform\n add D + y[u] - y[v]\n" + end),
            (SeparationLaw{1, 1}));
  // Two selections; 1/2 + x/2 is 0 or 1, 1/3 x is an odd number of thirds.
  EXPECT_EQ(zero_of_the_last_layer(start + "fetch f causal uniform\n add D + 1/2 one + 1/2 x\n" +
                                   "fetch g unmasked uniform\n add D - 1/3 x\n" + end),
            (SeparationLaw{{1, 3}, 2}));
  // Of the flags that hold, at most N.
  EXPECT_EQ(zero_of_the_last_layer(start + "fetch f causal flagged x=true\n add D + y[u]\n" +
                                   "fetch g causal flagged x=true\n add D - 3/4 x\n" + end),
            (SeparationLaw{{1, 4}, 1}));
}

TEST(PrecisionFacts, KnowWhatALoopClearsOnlyIfItWasThere) {
  const auto zero = [](const std::string& flag_at_entry) {
    const Compiled compiled = compile(parse_program(R"(logdepth-cells 1
alphabet a
unroll ceil_log2 letters minus 0
cell one constant
cell I key circle
cell A flag
cell C state flag
cell h state number 1
cell e state flag
position I
token <begin> A=true C=false e=true
token a A=false e=true C=)" + flag_at_entry +
                                                        R"(
initial
  fetch first causal match I key I
    add h + 1/2 one + 1/2 A
repeated
  fetch undone causal uniform
    add h - 1/2 one - 1/2 C
  lookup flip
    rule C=true -> C=false
    rule C=false -> C=true
  fetch again causal uniform
    add h + 1/2 one + 1/2 C
  fetch own causal match I key I
    set e=true
  test e zero h
output o + e
)",
                                                    "a loop"));
    return compiled.facts.layers.back().feedforward.zero;
  };
  EXPECT_EQ(zero("false"), (SeparationLaw{1, 1}));
  EXPECT_FALSE(zero("true"));
}

TEST(PrecisionFacts, ScaleNoQueryThatAMarginOrASecondTermIsMeasuredAgainst) {
  const auto head = [](const std::string& selector) {
    const Compiled compiled = compile(parse_program(R"(logdepth-cells 1
alphabet a
cell one constant
cell I key circle
cell x flag
cell y flag
position I
token <begin> x=true
token a x=false
initial
fetch f causal )" + selector + "\n copy y x\noutput o + x\n",
                                                    "a head"));
    return compiled.facts.layers.front().heads.front();
  };
  EXPECT_TRUE(head("find-one I key I").scaled);
  EXPECT_FALSE(head("find-one I key I prefer x=true margin 1/9*one").scaled);
  const HeadFacts two = head("find-one I key I and I key I");
  EXPECT_FALSE(two.scaled);
  EXPECT_EQ(two.blocks.size(), 2u);
  EXPECT_EQ(two.blocks[1].rows, (std::vector<std::uint32_t>{2, 3}));
  // A margin leaves no gap between what matches.
  EXPECT_TRUE(two.gap);
  EXPECT_FALSE(head("find-one I key I prefer x=true margin 1/9*one").gap);
  EXPECT_FALSE(head("find-one I key I and ( + I[0] + one : + I[1] ) key I").gap);
}

TEST(PrecisionFacts, AreReadFromAFileAsTheyWereWritten) {
  std::size_t laws = 0;
  for (const support::NamedProgram& c : support::constructed_programs()) {
    const Compiled compiled = compile(c.program);
    const PrecisionFacts& facts = compiled.facts;
    Model model = with_derived(compiled);
    EXPECT_EQ(facts.layers.size(), model.layers.size());
    const auto read = [&] {
      return parse_weights(write_weights(model), c.name)->derived.precision;
    };
    EXPECT_EQ(model.derived.precision, facts) << c.name;
    EXPECT_EQ(read(), facts) << c.name;
    for (const LayerFacts& layer : facts.layers) laws += layer.feedforward.zero.has_value();
    model.derived.precision = no_facts(model);
    EXPECT_EQ(read(), no_facts(model)) << c.name;
  }
  EXPECT_GT(laws, 10u);
}

TEST(PrecisionFacts, AreNotTakenFromAFileTheyDoNotFit) {
  const Model model = with_derived(compile(regular_language_scan_MS25_thm4_1(
      named_monoid("S3"), "S3", {ScanPositions::circle, ScanTable::matrix})));
  const nlohmann::json good = nlohmann::json::parse(write_weights(model))["derived"];
  const auto read = [&](const nlohmann::json& derived) {
    const Model found = with_derived_text(model, derived.dump());
    const nlohmann::json written = nlohmann::json::parse(write_weights(found));
    EXPECT_EQ(written["derived"], derived) << "what does not fit is kept as it is";
    return found.derived.precision;
  };
  ASSERT_TRUE(read(good));
  using Pointer = nlohmann::json::json_pointer;
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"/precision", "3"},
      {"/precision/0", "[]"},
      {"/precision/1", "{}"},
      {"/precision/0/more", "1"},
      {"/precision/0/attention", "[]"},
      {"/precision/0/attention", "{}"},
      {"/precision/0/attention/more", "1"},
      {"/precision/0/attention/scale", "2"},
      {"/precision/0/attention/scale", "\"2/4\""},
      {"/precision/0/attention/scale", "\"-1\""},
      {"/precision/0/attention/scale", "\"0\""},
      {"/precision/0/feedforward/zero", "[\"1\"]"},
      {"/precision/0/feedforward/zero", "[\"1\",65]"},
      {"/precision/0/feedforward/zero", "[\"1\",-1]"},
      {"/precision/0/feedforward/zero", "[\"1\",1.0]"},
      {"/precision/0/heads", "{}"},
      {"/precision/0/heads/1", "{}"},
      {"/precision/0/heads/0/more", "1"},
      {"/precision/0/heads/0/scaled", "false"},
      {"/precision/0/heads/0/scaled", "1"},
      {"/precision/0/heads/0/blocks", "[]"},
      {"/precision/0/heads/0/gap", "[\"-1\",2]"},
      {"/precision/0/heads/0/blocks", "{}"},
      {"/precision/0/heads/0/blocks/0", "{}"},
      {"/precision/0/heads/0/blocks/0/square", "\"0\""},
      {"/precision/0/heads/0/blocks/0/rows", "[]"},
      {"/precision/0/heads/0/blocks/0/rows", "[0,2]"},
      {"/precision/0/heads/0/blocks/0/rows", "[1,0]"},
      {"/precision/0/heads/0/blocks/0/rows", "[0,0]"},
      {"/precision/0/heads/0/blocks/1", "{\"rows\":[1],\"square\":\"1\"}"}};
  for (const auto& [path, value] : changes) {
    nlohmann::json changed = good;
    changed[Pointer(path)] = nlohmann::json::parse(value);
    EXPECT_FALSE(read(changed)) << path << " = " << value;
  }
  nlohmann::json fewer = good;
  fewer["precision"][0].erase("heads");
  EXPECT_FALSE(read(fewer));
  fewer = good;
  fewer.erase("precision");
  EXPECT_FALSE(read(fewer));
  fewer = good;
  fewer["precision"][0].erase("attention");
  ASSERT_TRUE(read(fewer));
  EXPECT_FALSE(read(fewer)->layers[0].attention.scale);
  EXPECT_THROW(with_derived_text(model, "[]"), InputError);
}

// The program that a weights file carries is outside its hash: each level of trust asks for its own
// evidence, and says why there is none.

Program scan(const std::string& name) {
  return regular_language_scan_MS25_thm4_1(named_monoid(name), name);
}

/// As whoever gets the file reads it.
Model in_a_file(const Compiled& compiled) {
  return parse_weights(write_weights(with_derived(compiled)), "test");
}

void expect_level(const Model& model, Trust needed, Trust reached, const std::string& reason) {
  const CarriedProgram carried(model, needed);
  EXPECT_EQ(carried.trust(), reached);
  EXPECT_EQ(carried.reason(), reason);
  EXPECT_EQ(carried.fitted() != nullptr, reached == Trust::plausible);
  if (reached != Trust::recompiled) {
    EXPECT_EQ(carried.facts(), no_facts(model));
  }
}

constexpr const char* kNothingProved =
    "the file carries no program from which anything could be proved";
constexpr const char* kOtherWeights = "the file's program does not compile to its weights";
constexpr const char* kDoesNotFit = "the file's program does not fit its weights";

TEST(CarriedProgram, ReachesEveryLevelInAFileOfTheCompiler) {
  const Program program = scan("A5");
  for (const bool strict : {false, true})
    for (const auto unrolled : {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(9)})
      for (const Norm norm : {Norm::rms, Norm::layernorm}) {
        const Compiled compiled = compile(program, {norm, strict, unrolled});
        const Model model = in_a_file(compiled);
        expect_level(model, Trust::none, Trust::none, "");
        expect_level(model, Trust::plausible, Trust::plausible, "");
        expect_level(model, Trust::recompiled, Trust::recompiled, "");
        const CarriedProgram carried(model, Trust::recompiled);
        EXPECT_EQ(carried.facts(), compiled.facts);
        ASSERT_TRUE(carried.program());
        EXPECT_EQ(*carried.program(), program);
      }
}

TEST(CarriedProgram, IsNotThereOrNotReadable) {
  Model model = in_a_file(compile(scan("S3")));
  for (const char* const derived : {"{}", "{\"program\":3}", "{\"program\":\"nonsense\"}"}) {
    model = with_derived_text(model, derived);
    EXPECT_EQ(CarriedProgram(model, Trust::none).program(), nullptr) << derived;
    EXPECT_FALSE(CarriedProgram(model, Trust::none).reason().empty()) << derived;
    EXPECT_EQ(CarriedProgram(model, Trust::plausible).trust(), Trust::none) << derived;
    expect_level(model, Trust::recompiled, Trust::none, kNothingProved);
  }
}

TEST(CarriedProgram, OfOtherWeightsIsReadButNotTrusted) {
  Model model = in_a_file(compile(scan("A5")));
  model.derived = with_derived(compile(scan("Z6")))->derived;
  expect_level(model, Trust::none, Trust::none, "");
  expect_level(model, Trust::plausible, Trust::none, kDoesNotFit);
  expect_level(model, Trust::recompiled, Trust::none, kOtherWeights);
  const CarriedProgram carried(model, Trust::none);
  ASSERT_TRUE(carried.program());
  EXPECT_EQ(*carried.program(), scan("Z6"));
}

TEST(CarriedProgram, ThatFitsProvesNothingOfAWeightThatWasChanged) {
  Model model = in_a_file(compile(scan("A5")));
  Rational& weight = model.layers[0].feedforward.in.entries.front().value;
  weight = weight + Rational(1, 3);
  expect_level(model, Trust::plausible, Trust::plausible, "");
  expect_level(model, Trust::recompiled, Trust::none, kOtherWeights);
}

TEST(CarriedProgram, GivesTheFactsThatAreProvedAndNotThoseThatAreWritten) {
  const Compiled compiled = compile(scan("S3"));
  PrecisionFacts enlarged = compiled.facts;
  enlarged.layers[0].heads[0].gap = SeparationLaw{1000, 0};
  Model model = in_a_file({compiled.model, compiled.program, enlarged});
  ASSERT_EQ(model.derived.precision, enlarged);
  EXPECT_EQ(CarriedProgram(model, Trust::recompiled).facts(), compiled.facts);
}

}}  // namespace logdepth::precision_facts_tests
