// What the compiler says about the numbers of its weights, against exact runs: every fact of every
// construction and of random programs holds, each has met numbers that it speaks of, and no head or
// test is without a law but for the listed ones.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compiler/passes/compile.hpp"
#include "compiler/passes/prove_precision.hpp"
#include "compiler/program/program_text.hpp"
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
#include "runtime/exact/run_model.hpp"
#include "runtime/file/derived.hpp"
#include "tests/support/derived_text.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/precision_fact_check.hpp"
#include "tests/support/random_programs.hpp"

namespace logdepth::precision_facts_tests {
namespace {

using laws::PrecisionFactCheck;
using support::RandomInputs;
using support::RandomPrograms;

constexpr auto kGraph = &graph_connectivity_MS25_thm5_1;
using Padding = GraphInput::Padding;

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
  all.push_back({"connectivity", kGraph(ConnectivityForm::compact, Padding::n3_minus_n2)});
  all.push_back({"connectivity n3", kGraph(ConnectivityForm::compact, Padding::n3)});
  all.push_back({"connectivity paper", kGraph(ConnectivityForm::paper, Padding::n3_minus_n2)});
  all.push_back({"connectivity paper n3", kGraph(ConnectivityForm::paper, Padding::n3)});
  all.push_back({"connectivity sized", graph_connectivity_sized_MS25_thm5_1(3)});
  all.push_back({"connectivity rows", graph_connectivity_rows_MS25_thm5_1(3)});
  for (const ReadBy by : {ReadBy::feedforward, ReadBy::attention}) {
    const std::string reader = by == ReadBy::attention ? " by attention" : "";
    for (const auto& [stored, name] :
         {std::pair(Stored::unit, "unit"), std::pair(Stored::position, "position"),
          std::pair(Stored::natural, "natural")})
      all.push_back({std::string("read ") + name + reader, read_MS25_lemA1(stored, by)});
    all.push_back({"read several" + reader, read_several_MS25_lemA2({2, 2}, by)});
  }
  all.push_back({"store", store_MS25_lemA3()});
  all.push_back({"remove", remove_MS25_lemA4()});
  all.push_back({"overwrite", overwrite_MS25_lemA4()});
  all.push_back({"clear", clear_MS25_lemA5()});
  for (const auto& [form, name] :
       {std::pair(OffsetForm::one_layer, "one layer"), std::pair(OffsetForm::cleared, "cleared"),
        std::pair(OffsetForm::shifted_query, "shifted query")})
    all.push_back({std::string("offset ") + name, offset_MS25_lemA6(2, form)});
  for (const auto& [compared, name] :
       {std::pair(Compared::stored, "stored"), std::pair(Compared::computed, "computed"),
        std::pair(Compared::raw, "raw")})
    all.push_back({std::string("equality ") + name, equality_MS25_lemA7(compared)});
  return all;
}

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
  for (const Construction& c : constructions())
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
  const Compiled again = unroll(looped, 8);
  EXPECT_EQ(*again.model, *unrolled.model);
  EXPECT_EQ(again.facts, thrice);
  EXPECT_EQ(again.model->derived, Derived{}) << "nothing is spelled out before a file is written";
}

/// The heads that compare codes, cells or flags but have no gap, and the tests that have no law.
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
        const bool compares = !std::holds_alternative<SelectAll>(selector) &&
                              !std::holds_alternative<SelectNearest>(selector) &&
                              !std::holds_alternative<SelectFound>(selector);
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
  // Vectors that are given without a bound have none between them.
  const std::map<std::string, std::vector<std::string>> expected = {
      {"division unit", {"test e"}},
      {"division own unit", {"test e"}},
      {"read unit by attention", {"fetch 'read'"}},
      {"read several by attention", {"fetch 'read'"}},
      {"equality stored", {"test e"}}};
  std::size_t listed = 0;
  for (const Construction& c : constructions()) {
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
}

TEST(PrecisionFacts, AreReadFromAFileAsTheyWereWritten) {
  std::size_t laws = 0;
  for (const Construction& c : constructions()) {
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
    const Model found = support::with_derived_text(model, derived.dump());
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
  EXPECT_THROW(support::with_derived_text(model, "[]"), InputError);
}

}  // namespace
}  // namespace logdepth::precision_facts_tests
