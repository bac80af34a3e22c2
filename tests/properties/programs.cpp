// One program, three meanings that must agree: its statements one by one, its statements sublayer
// by sublayer, and the exact forward pass of its weights, compared in every cell at every token
// after every sublayer.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "compiler/meaning/interpret.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/passes/norm_types.hpp"
#include "compiler/program/program_text.hpp"
#include "compiler/rules/lookup_partition.hpp"
#include "compiler/rules/program_rules.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "objects/named_monoids.hpp"
#include "runtime/exact/contract_check.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/unrolling.hpp"
#include "tests/support/cell_comparison.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/random_programs.hpp"

namespace logdepth::programs_tests {
namespace {

using support::CellComparison;
using support::first_difference;
using support::RandomInputs;
using support::RandomPrograms;

// --- three meanings ------------------------------------------------------------------------------

/// How often things happened, so that no test passes by doing nothing.
struct Tally {
  std::size_t runs = 0, sublayers = 0, outside_field = 0, irrational = 0;
};

void expect_same_meaning(const Program& program, const Schedule& schedule, const Model& model,
                         const Tokens& input, Tally& tally) {
  Runner runner(model);
  CellComparison comparison(program, schedule, model, runner.arithmetic(),
                            start_states(program, input));
  ContractCheck promises(model, runner.arithmetic());
  const auto stream = runner.run(input, {&promises, &comparison});
  ++tally.runs;
  tally.sublayers += comparison.sublayers();
  ASSERT_EQ(comparison.difference(), "");
  EXPECT_EQ(promises.broken().value_or(""), "");
  if (!stream.has_value()) {
    ASSERT_TRUE(std::holds_alternative<OutsideField>(stream.refusal()))
        << describe(stream.refusal());
    EXPECT_THROW(comparison.advance_to_the_refusal(), BrokenProgram);
    EXPECT_THROW(interpret(program, input), BrokenProgram);
    ++tally.outside_field;
    return;
  }
  comparison.compare(stream.value(), "the end");
  ASSERT_EQ(comparison.difference(), "");
  ASSERT_EQ(comparison.sublayers(), 2 * depth_at(model, input.size));
  // One by one, without any schedule.
  const CellStates meaning = interpret(program, input);
  EXPECT_EQ(first_difference(program, meaning, comparison.states()), "");
  for (const Real& value : meaning.values) tally.irrational += !value.is_rational();
  for (std::size_t token = 0; token < meaning.tokens; ++token) {
    const auto logits = runner.logits(stream.value(), token);
    for (std::size_t row = 0; row < program.outputs.size(); ++row)
      EXPECT_EQ(logits[row], output_value(meaning, program.outputs[row], token));
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
        expect_same_meaning(program, schedule, model, input, tally);
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
                              "move",
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
        ASSERT_EQ(first_difference(program, one_by_one, at_once), "") << "program " << i << "\n"
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

// --- scan ----------------------------------------------------------------------------------------

Action random_dfa_action(std::mt19937_64& random) {
  Action action;
  action.alphabet = Alphabet({"a", "b"});
  action.points = 4;
  for (int letter = 0; letter < 2; ++letter) {
    Transformation map;
    for (State q = 0; q < 4; ++q) map.push_back(static_cast<State>(random() % 4));
    action.generators.push_back(map);
  }
  action.initial = static_cast<State>(random() % 4);
  for (State q = 0; q < 4; ++q) action.accepting.push_back(random() % 2 == 0);
  return action;
}

class ScanPrograms : public testing::TestWithParam<std::string> {
 protected:
  Action action() const {
    std::mt19937_64 random(laws::seed());
    return GetParam() == "dfa" ? random_dfa_action(random) : named_monoid(GetParam());
  }
  static std::vector<std::string> word(const Action& action, std::size_t length,
                                       std::mt19937_64& random) {
    std::vector<std::string> letters;
    for (std::size_t i = 0; i < length; ++i)
      letters.push_back(
          action.alphabet.name(static_cast<Letter>(random() % action.alphabet.size())));
    return letters;
  }
};

TEST_P(ScanPrograms, HoldTheInterpretedCellsAfterEverySublayer) {
  const Action scanned = action();
  std::mt19937_64 random(laws::seed());
  Tally tally;
  for (const ScanPositions positions :
       {ScanPositions::two_circle, ScanPositions::circle, ScanPositions::first_flag})
    for (const ScanTable table : {ScanTable::matrix, ScanTable::monoid}) {
      const Program program =
          regular_language_scan_MS25_thm4_1(scanned, GetParam(), {positions, table});
      EXPECT_EQ(parse_program(print_program(program), "printed"), program);
      const Schedule schedule = schedule_layers(program);
      const bool large = program.repeated.size() > 1 &&
                         std::holds_alternative<LookupStatement>(program.repeated[1]) &&
                         std::get<LookupStatement>(program.repeated[1]).rules.size() > 1000;
      for (const CompileOptions& form : all_forms()) {
        const Model model = compile(program, form).model;
        for (const std::size_t length : {0, 1, 2, 5, large ? 5 : 11})
          expect_same_meaning(program, schedule, model,
                              tokens_of(model, word(scanned, length, random)).value(), tally);
        if (HasFailure()) FAIL() << print_program(program);
      }
    }
  EXPECT_GT(tally.sublayers, 200u);
}

TEST_P(ScanPrograms, UnrolledGiveTheAnswersOfTheLoopedUpToTheirLengthAndRefuseBeyond) {
  const Action scanned = action();
  std::mt19937_64 random(laws::seed());
  for (const ScanPositions positions : {ScanPositions::two_circle, ScanPositions::first_flag}) {
    const Program program =
        regular_language_scan_MS25_thm4_1(scanned, GetParam(), {positions, ScanTable::matrix});
    for (const std::uint64_t size : {1, 2, 5, 8}) {
      CompileOptions options;
      const Model looped = compile(program, options).model;
      options.unroll = size;
      const Model unrolled = compile(program, options).model;
      EXPECT_EQ(unrolled.shape.repeated, 0u);
      EXPECT_EQ(depth_at(unrolled, 1), depth_at(looped, size));
      Runner loop(looped), flat(unrolled);
      for (std::size_t length = 0; length <= size; ++length) {
        const auto letters = word(scanned, length, random);
        const auto a = loop.run_word(letters);
        const auto b = flat.run_word(letters);
        ASSERT_TRUE(a.has_value() && b.has_value());
        for (std::size_t token = 0; token <= length; ++token) {
          EXPECT_EQ(loop.prefix(a.value(), token).value(), flat.prefix(b.value(), token).value());
          EXPECT_EQ(loop.accepts(a.value(), token).value(), flat.accepts(b.value(), token).value());
        }
      }
      const auto beyond = flat.run_word(word(scanned, size + 1, random));
      ASSERT_FALSE(beyond.has_value());
      EXPECT_TRUE(std::holds_alternative<OutsideHypotheses>(beyond.refusal()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Named, ScanPrograms, testing::Values("A5", "S3", "Z6", "flipflop", "dfa"),
                         [](const auto& info) { return info.param; });

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

}  // namespace
}  // namespace logdepth::programs_tests
