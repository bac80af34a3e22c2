// One program, three meanings that must agree: its statements one by one, its statements sublayer
// by sublayer, and the exact forward pass of its weights, compared in every cell at every token
// after every sublayer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/difference/first_difference.hpp"
#include "compiler/meaning/interpret.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/program/program.hpp"
#include "compiler/rules/program_rules.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "constructions/decision_table.hpp"
#include "constructions/product_cells.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "objects/transition_monoid.hpp"
#include "runtime/exact/contract_check.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/random_programs.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::programs_tests { namespace {

using support::RandomInputs;
using support::RandomPrograms;

// --- three meanings ------------------------------------------------------------------------------

/// How often things happened, so that no test passes by doing nothing.
struct Tally {
  std::size_t runs = 0, sublayers = 0, outside_field = 0, irrational = 0;
};

void expect_same_meaning(const Program& program, const Model& model, const Tokens& input,
                         Tally& tally) {
  Runner runner(model);
  ContractCheck promises(model, runner.arithmetic());
  const auto stream = runner.run(input, {&promises});
  ++tally.runs;
  EXPECT_EQ(promises.broken().value_or(""), "");
  const auto difference = first_difference(program, model, input);
  ASSERT_EQ(difference.has_value(), stream.has_value());
  if (!stream.has_value()) {
    ASSERT_TRUE(std::holds_alternative<OutsideField>(stream.refusal()))
        << describe(stream.refusal());
    EXPECT_THROW(interpret(program, input), BrokenProgram);
    ++tally.outside_field;
    return;
  }
  if (const auto& found = difference.value()) FAIL() << describe(*found);
  tally.sublayers += 2 * depth_at(model, input.size);
  // One by one, without any schedule.
  const CellStates meaning = interpret(program, input);
  for (const Real& value : meaning.values) tally.irrational += !value.is_rational();
  for (std::size_t token = 0; token < meaning.tokens; ++token) {
    const auto logits = runner.logits(stream.value(), token);
    for (std::size_t row = 0; row < program.outputs.size(); ++row)
      EXPECT_EQ(logits[row], output_value(meaning, program.outputs[row], token));
  }
}

/// The rule after the pass: every statement once, attention in attention sublayers, and every
/// dependence strictly forward. Errors: std::logic_error.
void check_schedule(const Program& program, const Schedule& schedule) {
  for (const Block block : {Block::initial, Block::repeated, Block::final}) {
    std::unordered_map<const Statement*, std::size_t> slot_of;
    std::size_t slot = 0;
    for (const ScheduledLayer& layer : schedule.block(block)) {
      for (const auto* sublayer : {&layer.attention, &layer.feedforward}) {
        for (const Statement* statement : *sublayer) {
          if (is_attention(*statement) != (slot % 2 == 0))
            throw std::logic_error("schedule: a statement is in the wrong kind of sublayer");
          if (!slot_of.emplace(statement, slot).second)
            throw std::logic_error("schedule: duplicate statement");
          if (mask_group(program, *statement) != mask_group(program, *sublayer->front()))
            throw std::logic_error("schedule: two masks in one sublayer");
        }
        ++slot;
      }
    }
    const auto& statements = program.block(block);
    if (slot_of.size() != statements.size())
      throw std::logic_error("schedule: a statement is missing");
    // Per cell, in program order: reads after the last write, writes not before any earlier access.
    std::unordered_map<CellId, std::size_t> written, touched;
    for (const Statement& statement : statements) {
      const std::size_t at = slot_of.at(&statement);
      const auto reads = cells_read(program, statement);
      const auto writes = cells_written(statement);
      for (const CellId cell : reads)
        if (written.contains(cell) && at <= written[cell])
          throw std::logic_error("schedule: cell " + program.cells[cell].name +
                                 " is read before it is written");
      for (const CellId cell : writes)
        if (touched.contains(cell) && at < touched[cell])
          throw std::logic_error("schedule: cell " + program.cells[cell].name +
                                 " is written before an earlier use");
      for (const CellId cell : writes) written[cell] = std::max(written[cell], at);
      for (const auto* cells : {&reads, &writes})
        for (const CellId cell : *cells) touched[cell] = std::max(touched[cell], at);
    }
  }
}

const std::vector<CompileOptions>& all_forms() {
  static const std::vector<CompileOptions> forms = {{Norm::rms, false, std::nullopt},
                                                    {Norm::rms, true, std::nullopt},
                                                    {Norm::layernorm, false, std::nullopt},
                                                    {Norm::layernorm, true, std::nullopt}};
  return forms;
}

TEST(Compiled, RandomProgramsHoldTheInterpretedCellsAfterEverySublayer) {
  RandomPrograms programs(laws::seed(), RandomInputs::all);
  Tally tally;
  for (int i = 0; i < 2400; ++i) {
    const Program program = programs.draw_valid();
    const Schedule schedule = schedule_layers(program);
    check_schedule(program, schedule);
    for (const CompileOptions& form : all_forms()) {
      const Model model = compile(program, form).model;
      for (const std::size_t length :
           {std::size_t{0}, 1 + programs.below(3), 3 + programs.below(6)}) {
        const Tokens input = programs.input(program, length);
        expect_same_meaning(program, model, input, tally);
        if (HasFailure())
          FAIL() << "program " << i << ", length " << length << "\n" << print_program(program);
      }
    }
  }
  std::cout << programs.report() << tally.runs << " runs, " << tally.sublayers << " sublayers, "
            << tally.irrational << " irrational cells, " << tally.outside_field
            << " outside the field\n";
  EXPECT_GT(10 * programs.accepted(), 3 * programs.drawn());
  EXPECT_GT(tally.sublayers, 10000u);
  EXPECT_GT(tally.irrational, 1000u);
  for (const char* feature : {"begin",
                              "no-begin",
                              "end",
                              "raw cells",
                              "graph rows",
                              "graph adjacency",
                              "relation",
                              "table",
                              "constant",
                              "no constant",
                              "no positions",
                              "phi",
                              "phi over",
                              "circle",
                              "two-circle",
                              "fine",
                              "parity",
                              "initial",
                              "repeated",
                              "final",
                              "causal under",
                              "unmasked under",
                              "copy",
                              "copy under",
                              "add",
                              "set",
                              "causal uniform",
                              "unmasked uniform",
                              "match",
                              "match back",
                              "match self",
                              "causal same",
                              "unmasked same",
                              "causal rightmost",
                              "unmasked rightmost",
                              "causal rightmost of two",
                              "unmasked rightmost of two",
                              "causal rightmost same",
                              "unmasked rightmost same",
                              "causal nearest",
                              "unmasked nearest",
                              "causal flagged",
                              "unmasked flagged",
                              "causal flagged when",
                              "unmasked flagged when",
                              "find",
                              "find prefer",
                              "find-one",
                              "find-one prefer",
                              "related",
                              "lookup",
                              "lookup else",
                              "move",
                              "move when",
                              "erase",
                              "normalise",
                              "test zero",
                              "test positive",
                              "unroll fixed",
                              "unroll ceil_log2",
                              "accept",
                              "named outputs"})
    EXPECT_GE(programs.features().contains(feature) ? programs.features().at(feature) : 0, 10u)
        << feature;
}

/// Where two states of one program differ; empty when they are equal.
std::string where_apart(const Program& program, const CellStates& a, const CellStates& b) {
  for (std::size_t token = 0; token < a.tokens; ++token)
    for (CellId cell = 0; cell < program.cells.size(); ++cell)
      for (std::uint32_t i = 0; i < size_of(program.cells[cell].type); ++i)
        if (const Component c{cell, i}; !(a.at(token, c) == b.at(token, c)))
          return "token " + std::to_string(token) + ", cell " + program.cells[cell].name + "[" +
                 std::to_string(i) + "]: " + a.at(token, c).text() + " against " +
                 b.at(token, c).text();
  return "";
}

TEST(Schedule, SublayersMeanTheSameAsStatementsOneByOneAtEveryBlockEnd) {
  RandomPrograms programs(laws::seed() + 1, RandomInputs::all);
  std::size_t shared = 0;  // sublayers with several statements: otherwise nothing is shown
  for (int i = 0; i < 1500; ++i) {
    const Program program = programs.draw_valid();
    const Schedule schedule = schedule_layers(program);
    CellStates one_by_one = start_states(program, programs.input(program, 1 + programs.below(6)));
    CellStates at_once = one_by_one;
    try {
      for (const Block block : {Block::initial, Block::repeated, Block::final}) {
        for (const Statement& statement : program.block(block)) {
          const Statement* const single = &statement;
          step(program, std::span(&single, 1), one_by_one);
        }
        for (const ScheduledLayer& layer : schedule.block(block)) {
          step(program, layer.attention, at_once);
          step(program, layer.feedforward, at_once);
          shared += layer.attention.size() > 1 || layer.feedforward.size() > 1;
        }
        ASSERT_EQ(where_apart(program, one_by_one, at_once), "") << "program " << i << "\n"
                                                                 << print_program(program);
      }
    } catch (const BrokenProgram&) {  // outside the field; compared exactly in the test above
    }
  }
  EXPECT_GT(shared, 300u);
}

/// The sublayer of a schedule's initial block that holds a statement, and its number.
SublayerStatements& sublayer(Schedule& schedule, std::size_t slot) {
  ScheduledLayer& layer = schedule.initial.at(slot / 2);
  return slot % 2 == 0 ? layer.attention : layer.feedforward;
}
std::size_t slot_of(const Schedule& schedule, const Statement& statement) {
  Schedule copy = schedule;
  for (std::size_t slot = 0; slot < 2 * copy.initial.size(); ++slot)
    for (const Statement* s : sublayer(copy, slot))
      if (s == &statement) return slot;
  throw std::logic_error("not scheduled");
}
bool share_a_cell(const std::vector<CellId>& a, const std::vector<CellId>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](CellId c) { return std::find(b.begin(), b.end(), c) != b.end(); });
}

TEST(Schedule, TheRuleRefusesEveryScheduleBrokenByHand) {
  RandomPrograms programs(laws::seed() + 2, RandomInputs::all);
  std::size_t damaged = 0, read_too_early = 0, overwritten_too_early = 0;
  for (int i = 0; i < 600; ++i) {
    SCOPED_TRACE("program " + std::to_string(i));
    const Program program = programs.draw_valid();
    const Schedule good = schedule_layers(program);
    ASSERT_NO_THROW(check_schedule(program, good));
    const auto expect_refused = [&](const Schedule& broken, std::size_t& count) {
      EXPECT_THROW(check_schedule(program, broken), std::logic_error);
      ++count;
    };
    for (const Statement& statement : program.initial) {
      const std::size_t slot = slot_of(good, statement);
      Schedule broken = good;  // left out
      std::erase(sublayer(broken, slot), &statement);
      expect_refused(broken, damaged);
      broken = good;  // twice
      sublayer(broken, slot).push_back(&statement);
      expect_refused(broken, damaged);
      broken = good;  // in the wrong kind of sublayer
      std::erase(sublayer(broken, slot), &statement);
      sublayer(broken, slot ^ 1).push_back(&statement);
      expect_refused(broken, damaged);
    }
    for (std::size_t later = 0; later < program.initial.size(); ++later)
      for (std::size_t earlier = 0; earlier < later; ++earlier) {
        const Statement &a = program.initial[earlier], &b = program.initial[later];
        const std::size_t from = slot_of(good, b), writer = slot_of(good, a);
        const auto move_to = [&](std::size_t slot) {
          Schedule broken = good;
          std::erase(sublayer(broken, from), &b);
          sublayer(broken, slot).push_back(&b);
          return broken;
        };
        // A reader in the sublayer of its writer, or in an earlier one, reads the old value.
        if (share_a_cell(cells_written(a), cells_read(program, b)))
          for (std::size_t slot = from % 2; slot <= writer; slot += 2)
            expect_refused(move_to(slot), read_too_early);
        // A writer before a reader takes its value away.
        if (share_a_cell(cells_read(program, a), cells_written(b)))
          for (std::size_t slot = from % 2; slot < writer; slot += 2)
            expect_refused(move_to(slot), overwritten_too_early);
      }
  }
  EXPECT_GT(damaged, 1000u);
  EXPECT_GT(read_too_early, 300u);
  EXPECT_GT(overwritten_too_early, 50u);
}

// A looped program that is only right up to some length does not become right by unrolling.
TEST(Unrolling, KeepsTheLimitThatTheProgramHadAlready) {
  Program program = regular_language_scan_MS25_thm4_1(named_monoid("Z2"), "Z2");
  program.unroll.max_length = 4;
  CompileOptions options;
  options.unroll = 16;
  EXPECT_EQ(compile(program, options).model->unroll.max_length, 4u);
  options.unroll = 3;
  EXPECT_EQ(compile(program, options).model->unroll.max_length, 3u);
}

// --- norm types ----------------------------------------------------------------------------------

// A causal average is another number at every token: only unmasked ones have one norm at all of
// them, so only they may be compared between tokens.
TEST(MaskTypes, OnlyAveragesOverAllTokensHaveACommonNorm) {
  for (const bool causal : {false, true}) {
    const std::string average = causal ? "causal" : "unmasked";
    const Program program = parse_program(
        "logdepth-cells 1\nalphabet a b\ncell one constant\ncell x onehot u v\n"
        "cell n number 2\ncell m number 1\ntoken <begin> x=u\ntoken a x=u\ntoken b x=v\n"
        "initial\nfetch average " +
            average +
            " uniform\nadd n[0] + one\nadd n[1] + x[v]\n"
            "fetch read causal uniform under n\nadd m + n[0]\noutput o + x[u]\n",
        "test");
    const MaskTypes masks = type_masks(program, schedule_layers(program));
    ASSERT_EQ(masks.initial.size(), 2u);
    EXPECT_EQ(masks.initial[0].attention.type, MaskPlan::Type::constant);
    EXPECT_EQ(masks.initial[1].attention.type,
              causal ? MaskPlan::Type::direction : MaskPlan::Type::common);
  }
}

// --- lookups -------------------------------------------------------------------------------------

// Rule sets drawn near a partition: full tables and trees with rules dropped, doubled and changed.
TEST(LookupPartition, FindsAGapOrAnOverlapExactlyWhenSomeCombinationShowsIt) {
  RandomPrograms random(laws::seed());
  Program p;
  p.cells = {{"f", FlagType{}},
             {"x", OneHotType{{"0", "1", "2"}}},
             {"y", OneHotType{{"0", "1"}}},
             {"t", FlagType{}},
             {"u", OneHotType{{"0", "1", "2"}}}};
  const std::vector<std::uint32_t> values = {2, 3, 2};
  std::size_t good = 0, gaps = 0, overlaps = 0;
  for (int i = 0; i < 4000; ++i) {
    LookupStatement lookup;
    const auto grow = [&](const auto& self, Rule rule, std::vector<CellId> open) -> void {
      if (open.empty() || random.below(4) == 0) {
        rule.then = {{3, static_cast<std::uint32_t>(random.below(2))}};
        if (random.below(8) != 0)
          rule.then.push_back({4, static_cast<std::uint32_t>(random.below(3))});
        lookup.rules.push_back(rule);
        return;
      }
      const std::size_t at = random.below(open.size());
      const CellId cell = open[at];
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
      for (std::uint32_t value = 0; value < values[cell]; ++value) {
        Rule next = rule;
        next.when.push_back({cell, value});
        self(self, next, open);
      }
    };
    grow(grow, {}, {0, 1, 2});
    const std::size_t at = random.below(lookup.rules.size());
    const std::size_t damage = random.below(5);
    if (damage == 0 && lookup.rules.size() > 1)
      lookup.rules.erase(lookup.rules.begin() + static_cast<std::ptrdiff_t>(at));
    if (damage == 1) lookup.rules.push_back(lookup.rules[at]);
    if (damage == 2 && !lookup.rules[at].when.empty()) lookup.rules[at].when.pop_back();
    if (damage == 3 && !lookup.rules[at].when.empty())
      lookup.rules[at].when[0].value =
          (lookup.rules[at].when[0].value + 1) % values[lookup.rules[at].when[0].cell];

    bool gap = false, overlap = false;
    for (const CellId target : {3, 4}) {
      std::set<std::size_t> counts;
      bool assigned = false;
      for (std::uint32_t code = 0; code < 12; ++code) {
        const std::uint32_t now[] = {code % 2, code / 2 % 3, code / 6};
        std::size_t count = 0;
        for (const Rule& rule : lookup.rules) {
          bool assigns = false, holds = true;
          for (const Assignment& a : rule.then) assigns = assigns || a.cell == target;
          for (const Literal& l : rule.when) holds = holds && now[l.cell] == l.value;
          assigned = assigned || assigns;
          count += assigns && holds;
        }
        counts.insert(count);
      }
      if (!assigned) continue;
      gap = gap || counts.contains(0);
      overlap = overlap || *counts.rbegin() > 1;
    }
    const auto violation = partition_violation(p, lookup);
    ASSERT_EQ(violation.has_value(), gap || overlap) << "rule set " << i;
    if (!violation) {
      ++good;
      continue;
    }
    const bool says_gap = violation->starts_with("no rule assigns cell ");
    const bool says_overlap = violation->find(" rules assign cell ") != std::string::npos;
    EXPECT_TRUE(says_gap ? gap : says_overlap && overlap) << *violation;
    gaps += says_gap;
    overlaps += says_overlap;
  }
  std::cout << good << " functions, " << gaps << " gaps, " << overlaps << " overlaps\n";
  EXPECT_GT(good, 200u);
  EXPECT_GT(gaps, 200u);
  EXPECT_GT(overlaps, 200u);
}

// The text form of programs and its inverse.

void expect_text_round_trip(const Program& program) {
  const std::string text = print_program(program);
  const Program read = parse_program(text, "printed");
  ASSERT_EQ(read, program) << text;
  EXPECT_EQ(print_program(read), text);
}

TEST(ProgramText, ParsingWhatWasPrintedGivesTheSameProgram) {
  RandomPrograms programs(laws::seed(), RandomInputs::all);
  for (int i = 0; i < 800; ++i) {
    SCOPED_TRACE("program " + std::to_string(i));
    const Program program = programs.draw();
    expect_text_round_trip(program);
    expect_text_round_trip(programs.with_odd_names(program));
  }
}

// Cell names are letters, digits, _ and . only, but some of those words mean something else too.
TEST(ProgramText, EveryCellNameThatTheTextFormAllowsSurvivesPrinting) {
  for (const std::string name :
       {"back",     "key",      "state",   "scratch", "flag",    "true",   "rule", "_",
        "_2.x",     "Z",        "when",    "and",     "prefer",  "margin", "find", "zero",
        "positive", "position", "natural", "set",     "related", "ratio",  "key"})
    for (const CellId named : {0, 1, 2}) {
      SCOPED_TRACE("cell " + std::to_string(named) + " is named " + name);
      Program p;
      p.cells = {{"n", NumberType{2}, Lifetime::permanent},
                 {"d", DirectionType{2}, Lifetime::permanent},
                 {"f", FlagType{}, Lifetime::permanent}};
      p.input = CellsInput{};
      p.cells[named].name = name;
      p.given = {{0, GivenCell::Holds::natural}, {1, GivenCell::Holds::value}};
      p.table = {{{2, 1}}, {{2, 0}}};
      FetchStatement fetch;
      fetch.name = "mean";
      fetch.selector = SelectSame{{2, 0}};
      fetch.under = {0};
      fetch.writes = {SumWrite{{0, 1}, {{{0, 0}, Rational(1)}, {{2, 0}, Rational(2)}}}};
      const auto times = [](const Component& c, const Rational& factor) { return Term{c, factor}; };
      p.initial = {fetch,
                   NormaliseStatement{{1}, {times({0, 0}, 1), times({0, 1}, Rational(2, 3))}},
                   NormaliseStatement{{0}, {times({1, 0}, 16), times({2, 0}, 1)}},
                   TestStatement{2, TestStatement::Kind::positive, {0, 1}}};
      fetch.under.clear();
      const Ratio whole{{{{1, 0}, Rational(1)}}, {{{1, 1}, Rational(1)}}};
      const Ratio shifted{{{{1, 0}, Rational(1)}, {{1, 1}, Rational(-2)}}, {{{1, 1}, Rational(1)}}};
      const Ratio other{{{{1, 0}, Rational(1)}, {{2, 0}, Rational(-1, 2)}}, {}};
      for (const Selector& selector : std::initializer_list<Selector>{
               SelectPointed{1, 1, 3}, SelectRightmost{{{2, 0}, {2, 1}}, std::nullopt, 1},
               SelectRightmost{{}, SharedLabel{2, 2}, 1},
               SelectRightmost{{{2, 0}}, SharedLabel{2, 1}, 1}, SelectNearest{whole, 1},
               SelectNearest{shifted, 1}, SelectNearest{other, 1},
               SelectFlagged{{2, 1}, Literal{2, 0}}, SelectFlagged{{2, 1}, std::nullopt},
               SelectFound{{{whole, 1}, {other, 1}, {shifted, 0}}, std::nullopt, true},
               SelectFound{
                   {{shifted, 1}, {whole, 0}}, Preference{{2, 1}, {{1, 0}, Rational(1, 3)}}, false},
               SelectRelated{{2, 2}, 1, {2, 0}}}) {
        fetch.selector = selector;
        fetch.writes = {SetWrite{2, 1}, CopyWrite{1, 0}};
        p.initial.push_back(fetch);
      }
      p.outputs = {{"o", {{{2, 0}, Rational(1)}, {{1, 0}, Rational(1)}}}};
      try {
        const std::string text = print_program(p);
        EXPECT_TRUE(parse_program(text, "printed") == p) << text;
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
    }
}

// What stops a network of one repeated layer and no other (docs/constructions.md) that computes
// positions in its first pass and multiplies in the others: a mask has one norm type for all passes.

const std::string kCells = R"(logdepth-cells 1
program "parity"
alphabet a b
cell one constant
cell fst flag
cell d state onehot even odd
cell sd scratch onehot even odd
position fst
token <begin> d=even
token a d=odd
token b d=even
output accept + d[even]
output reject + d[odd]
)";
const std::string kCount = R"(fetch count causal uniform
add a[0] + 1/2 one - 1/2 fst
add a[1] + 1/2 one + 1/2 fst
)";
const std::string kPosition = "normalise I from a[0] a[1]\n";
const std::string kProduct = R"(fetch prev causal match I back 1 key I
copy sd d
lookup product
rule sd=even d=even -> d=even
rule sd=even d=odd -> d=odd
rule sd=odd d=even -> d=odd
rule sd=odd d=odd -> d=even
erase sd
)";

TEST(OneNormForAllPasses, APositionThatTheFirstPassLeavesBehindIsRefused) {
  const std::string text = kCells + "cell I state key phi\ncell a state number 2\nrepeated\n" +
                           kCount + kPosition + kProduct;
  support::expect_parts(
      support::refusal<ProgramRefused>([&] { (void)compile(parse_program(text, "test")); }),
      {"repeated block: cell I is zero when the loop begins and a value of its type when it ends: "
       "a "
       "second loop would read it differently"});
}

TEST(OneNormForAllPasses, APositionThatEveryPassComputesAgainTakesALayerOfItsOwn) {
  const std::string text = kCells + "cell I scratch key phi\ncell a state number 2\ninitial\n" +
                           kCount + "repeated\n" + kPosition + kProduct + "erase I\n";
  EXPECT_EQ(compile(parse_program(text, "test")).model->shape, (Shape{1, 2, 0}));
}

// Decision tables as functions of what the cells hold, and the images of points in product cells.

/// What each cell holds.
using Held = std::map<std::uint32_t, std::uint32_t>;

bool hold(const std::vector<cells::Value>& conditions, const Held& held) {
  return std::all_of(conditions.begin(), conditions.end(), [&](const cells::Value& condition) {
    return held.at(condition.cell) == condition.value;
  });
}

/// The values of the digit one alternative of which holds: one, as the type says.
std::vector<std::uint32_t> values_of(const Digit& digit, const Held& held) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t value = 0; value < digit.values(); ++value)
    for (const Digit::Conditions& alternative : digit.when[value])
      if (hold(alternative, held)) found.push_back(value);
  return found;
}

/// Cells with their numbers of values, and everything that they can hold.
class Contents {
 public:
  void add(std::uint32_t cell, std::size_t values) { sizes_.emplace_back(cell, values); }
  void for_each(const std::function<void(const Held&)>& visit) const {
    Held held;
    for (const auto& [cell, size] : sizes_) held[cell] = 0;
    while (true) {
      visit(held);
      std::size_t i = 0;
      for (; i < sizes_.size(); ++i) {
        if (++held[sizes_[i].first] < sizes_[i].second) break;
        held[sizes_[i].first] = 0;
      }
      if (i == sizes_.size()) return;
    }
  }

 private:
  std::vector<std::pair<std::uint32_t, std::size_t>> sizes_;
};

/// One-hot cells, digits that flags tell by a list of decisions, and digits of one value.
class RandomDigits {
 public:
  explicit RandomDigits(std::mt19937_64& random) : random_(random) {
    for (std::size_t i = 1 + random_() % 4; i > 0; --i) add();
  }
  const std::vector<Digit>& digits() const { return digits_; }
  const Contents& contents() const { return contents_; }
  const cells::OneHot& answer() const { return answer_; }

 private:
  void add() {
    const std::size_t kind = random_() % 4;
    if (kind == 0) {
      digits_.push_back(no_digit());
    } else if (kind <= 2) {
      const auto cell =
          program_.onehot("x" + std::to_string(digits_.size()), cells::numbered(1 + random_() % 4));
      contents_.add(cell.id(), cell.labels().size());
      digits_.push_back(digit(cell));
    } else {
      // The first flag that holds says the value, the last value says that none does; several flags
      // may say the same, and some value nothing.
      const std::size_t values = 1 + random_() % 3;
      Digit digit{std::vector<std::vector<Digit::Conditions>>(values)};
      Digit::Conditions before;
      for (std::size_t flag = 0; flag < 3; ++flag) {
        const auto cell =
            program_.flag("f" + std::to_string(digits_.size()) + std::to_string(flag));
        contents_.add(cell.id(), 2);
        Digit::Conditions here = before;
        here.push_back(cell);
        digit.when[random_() % values].push_back(here);
        before.push_back(!cell);
      }
      digit.when[random_() % values].push_back(before);
      digits_.push_back(digit);
    }
  }

  std::mt19937_64& random_;
  cells::Program program_{"digits"};
  std::vector<Digit> digits_;
  Contents contents_;
  cells::OneHot answer_ = program_.onehot("answer", cells::numbered(8));
};

TEST(DecisionTables, HoldOneRuleWhateverTheCellsHoldAndItSaysTheOutcome) {
  std::mt19937_64 random(laws::seed());
  for (std::size_t i = 0; i < 500; ++i) {
    const RandomDigits sample(random);
    std::map<std::vector<std::uint32_t>, std::optional<std::uint32_t>> outcomes;
    const std::size_t different = 1 + random() % 8;
    const DecisionOutcome outcome =
        [&](const std::vector<std::uint32_t>& values) -> std::optional<std::uint32_t> {
      const auto [place, added] = outcomes.try_emplace(values);
      if (added && random() % 4 != 0)
        place->second = static_cast<std::uint32_t>(random() % different);
      return place->second;
    };
    const cells::Rules rules = decision_table(sample.digits(), outcome, [&](std::uint32_t value) {
      return Digit::Conditions{sample.answer().at(value)};
    });
    ASSERT_LE(rules.size(), most_rules(sample.digits()));
    sample.contents().for_each([&](const Held& held) {
      std::vector<std::uint32_t> values;
      for (const Digit& digit : sample.digits()) {
        const auto found = values_of(digit, held);
        ASSERT_EQ(found.size(), 1u);
        values.push_back(found.front());
      }
      std::vector<std::uint32_t> answers;
      for (const cells::Rule& rule : rules)
        if (hold(rule.when, held)) answers.push_back(rule.then.at(0).value);
      ASSERT_EQ(answers.size(), 1u) << "table " << i;
      const auto& expected = outcomes.at(values);
      ASSERT_TRUE(!expected || *expected == answers.front()) << "table " << i;
    });
  }
}

TEST(DecisionTables, DoNotAskWhatDoesNotMatter) {
  cells::Program program("digits");
  const auto a = program.onehot("a", cells::numbered(3)),
             b = program.onehot("b", cells::numbered(4)),
             y = program.onehot("y", cells::numbered(3));
  const auto assign = [&](std::uint32_t value) { return Digit::Conditions{y.at(value)}; };
  const std::vector<Digit> digits = {digit(a), digit(b)};
  const auto rules = [&](const DecisionOutcome& outcome) {
    return decision_table(digits, outcome, assign).size();
  };
  using Values = std::vector<std::uint32_t>;
  EXPECT_EQ(most_rules(digits), 12u);
  EXPECT_EQ(rules([](const Values&) { return 2; }), 1u);
  EXPECT_EQ(rules([](const Values&) { return std::nullopt; }), 1u);
  EXPECT_EQ(rules([](const Values& v) { return v[0]; }), 3u);
  // b matters where a is 1 only.
  EXPECT_EQ(rules([](const Values& v) { return v[0] == 1 ? v[1] % 2 : 2; }), 2u + 4u);
  // What never occurs takes the answer of what does.
  EXPECT_EQ(rules([](const Values& v) -> std::optional<std::uint32_t> {
              if (v[1] != 3) return std::nullopt;
              return 1;
            }),
            1u);
  EXPECT_EQ(rules([](const Values& v) -> std::optional<std::uint32_t> {
              if (v[0] == 0) return std::nullopt;
              return v[0];
            }),
            3u);
}

TEST(ProductCells, TellTheImageOfEveryPointOfEveryProduct) {
  for (const char* name : {"flipflop", "S3", "T2", "T3", "A4", "Z5"})
    for (const ScanTable table : {ScanTable::matrix, ScanTable::monoid}) {
      const Action action = named_monoid(name);
      const ProductForecast forecast = forecast_scan(action, {ScanPositions::fine, table});
      const auto products = make_product_cells(action, forecast);
      cells::Program program("product");
      const cells::Product product = products->declare(program, {{"d", cells::permanent}}).front();
      const auto monoid = enumerate_monoid(action.generators, action.points, 1000);
      for (const Transformation& map : monoid->elements) {
        Held held;
        for (const cells::Value& value : products->values(product, map))
          held[value.cell] = value.value;
        for (State point = 0; point < action.points; ++point)
          ASSERT_EQ(values_of(products->image(product, point), held),
                    std::vector<std::uint32_t>{map[point]})
              << name << ' ' << format_transformation(map) << " at " << point;
      }
    }
}

TEST(ProductCells, ThatNeverMoveAPointAskNothingForItsImage) {
  // 2 stays where it is; 0 and 1 change places.
  const Action action{Alphabet({"a"}), 3, {{1, 0, 2}}, std::nullopt, {}};
  const ProductForecast forecast = forecast_scan(action, {ScanPositions::fine, ScanTable::matrix});
  const auto products = make_product_cells(action, forecast);
  cells::Program program("product");
  const cells::Product product = products->declare(program, {{"d", cells::permanent}}).front();
  EXPECT_EQ(values_of(products->image(product, 2), {}), std::vector<std::uint32_t>{2});
  EXPECT_EQ(products->values(product, action.generators[0]).size(), 2u);
}

}}  // namespace logdepth::programs_tests
