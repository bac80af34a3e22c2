// The analysis of compiler/analysis is sound: at every token of every input of random programs the
// cells are in the concretisation of the abstract state, before every sublayer as the compiler uses
// it, and after every statement.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <iostream>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "compiler/analysis/loop_invariant.hpp"
#include "compiler/analysis/number_properties.hpp"
#include "compiler/analysis/transfer.hpp"
#include "compiler/meaning/interpret.hpp"
#include "compiler/passes/norm_types.hpp"
#include "compiler/program/program_text.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "runtime/file/unrolling.hpp"
#include "tests/support/concretisation.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/random_programs.hpp"

namespace logdepth {
namespace {

using support::Concretisation;
using support::RandomInputs;
using support::RandomPrograms;

/// How often each kind of property was compared: no test passes by comparing nothing.
using Compared = std::map<std::string, std::size_t>;
void count(const Concretisation& gamma, Compared& all) {
  for (const auto& [property, times] : gamma.compared()) all[property] += times;
}

/// Calls `run` with the blocks in the order of a run on this input. False where the run leaves the
/// field of numbers.
bool run_blocks(const Program& program, const Tokens& tokens,
                const std::function<void(Block)>& run) {
  try {
    run(Block::initial);
    for (std::uint64_t loop = loops_at(program.unroll, tokens.size); loop > 0; --loop)
      run(Block::repeated);
    run(Block::final);
    return true;
  } catch (const BrokenProgram&) {
    return false;
  }
}

/// Of random programs: any number is as good as any other, so none is simpler.
RandomPrograms drawn_programs() {
  const auto seed = rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>());
  return RandomPrograms(*rc::gen::noShrink(seed), RandomInputs::all);
}

std::vector<Tokens> some_inputs(RandomPrograms& random, const Program& program) {
  std::vector<Tokens> inputs;
  for (const std::size_t length : {std::size_t{1}, 2 + random.below(3), 5 + random.below(3)})
    inputs.push_back(random.input(program, length));
  return inputs;
}

// --- as the compiler uses it -----------------------------------------------------------------------

/// The states that masks were typed in, beside a run of the schedule.
std::string violation_before_sublayers(const Program& program, const Schedule& schedule,
                                       const MaskTypes& types, const Tokens& tokens,
                                       Compared& compared) {
  CellStates cells = start_states(program, tokens);
  Concretisation gamma(program, cells);
  std::string violation;
  run_blocks(program, tokens, [&](Block block) {
    for (std::size_t i = 0; i < schedule.block(block).size(); ++i)
      for (const bool attention : {true, false}) {
        const ScheduledLayer& layer = schedule.block(block)[i];
        const LayerMasks& masks = types.block(block)[i];
        const auto found =
            gamma.violation(attention ? masks.attention.before : masks.feedforward.before, cells);
        if (violation.empty() && !found.empty())
          violation = block_name(block) + " block, layer " + std::to_string(i + 1) +
                      (attention ? ", attention: " : ", feed-forward: ") + found;
        step(program, attention ? layer.attention : layer.feedforward, cells);
      }
  });
  count(gamma, compared);
  return violation;
}

void expect_sound(const Program& program, RandomPrograms& random, Compared& compared) {
  const Schedule schedule = schedule_layers(program);
  const MaskTypes types = type_masks(program, schedule);
  for (const Tokens& tokens : some_inputs(random, program))
    ASSERT_EQ(violation_before_sublayers(program, schedule, types, tokens, compared), "")
        << print_program(program);
}

void expect_compared(Compared& compared, std::size_t times,
                     const std::vector<std::string>& properties) {
  for (const auto& [property, count] : compared) std::cout << property << ": " << count << "\n";
  for (const std::string& property : properties) EXPECT_GT(compared[property], times) << property;
}

TEST(AbstractInterpretation, RandomProgramsStayInTheStatesThatTheirMasksAreTypedIn) {
  RandomPrograms random(laws::seed(), RandomInputs::all);
  Compared compared;
  for (int i = 0; i < 2400; ++i) {
    expect_sound(random.draw_valid(), random, compared);
    if (HasFailure()) FAIL() << "program " << i;
  }
  expect_compared(compared, 100,
                  {"blank",
                   "a value of its type",
                   "true at the first token only",
                   "still what the input put there",
                   "certain",
                   "rational up to a factor",
                   "a positive component",
                   "as it was given",
                   "the sum of its averages",
                   "an average of at least 0",
                   "a positive average",
                   "a rational average",
                   "averages that are rational up to one factor",
                   "an average common to all tokens",
                   "read off: at least 0",
                   "read off: positive",
                   "read off: not zero",
                   "read off: rational up to a factor",
                   "read off: a multiple of (p, L)",
                   "read off: one norm at all tokens"});
}

// Gates and norms in common are what random programs rarely have.
TEST(AbstractInterpretation, ConstructionsStayInTheStatesThatTheirMasksAreTypedIn) {
  RandomPrograms random(laws::seed() + 1, RandomInputs::all);
  Compared compared;
  for (const ConnectivityForm form : {ConnectivityForm::compact, ConnectivityForm::paper})
    for (const auto padding : {GraphInput::Padding::n3_minus_n2, GraphInput::Padding::n3})
      for (int times = 0; times < 3; ++times)
        expect_sound(graph_connectivity_MS25_thm5_1(form, padding), random, compared);
  for (const DivisionForm form : {DivisionForm::compact, DivisionForm::paper})
    expect_sound(division_MS25_lem3_1({form, false, false}), random, compared);
  expect_compared(compared, 100,
                  {"an average of zero behind a gate", "a common average behind a gate",
                   "an average common to all tokens", "read off: one norm at all tokens"});
}

// --- statement by statement ------------------------------------------------------------------------

/// The states before each statement of a block and after the last one, one statement at a time.
class StatesOneByOne {
 public:
  explicit StatesOneByOne(const Program& program)
      : p_(program), numbers_(program), transfer_(program, numbers_) {
    const AbstractState entered = through(Block::initial, initial_state(program));
    const AbstractState kept =
        loop_invariant(numbers_.bounds(), entered, [&](const AbstractState& entry) {
          const AbstractState end = through(Block::repeated, entry);
          for (CellId cell = 0; cell < end.size(); ++cell)
            kinds_kept_ = kinds_kept_ && end[cell].kind == entry[cell].kind;
          // Where they are not, another order than the schedule's proved less: nothing is claimed.
          return kinds_kept_ ? end : entry;
        });
    through(Block::final, kept);
  }

  bool apply() const { return kinds_kept_; }
  const std::vector<AbstractState>& of(Block block) const { return states_.at(block); }

 private:
  AbstractState through(Block block, const AbstractState& entry) {
    std::vector<AbstractState>& states = states_[block];
    states = {entry};
    for (const Statement& statement : p_.block(block)) {
      const Statement* const one = &statement;
      states.push_back(transfer_.after(std::span(&one, 1), states.back()));
    }
    return states.back();
  }

  const Program& p_;
  const NumberProperties numbers_;
  const Transfer transfer_;
  std::map<Block, std::vector<AbstractState>> states_;
  bool kinds_kept_ = true;
};

std::string violation_after_statements(const Program& program, const StatesOneByOne& states,
                                       const Tokens& tokens, Compared& compared) {
  CellStates cells = start_states(program, tokens);
  Concretisation gamma(program, cells);
  std::string violation;
  run_blocks(program, tokens, [&](Block block) {
    for (std::size_t i = 0; i <= program.block(block).size(); ++i) {
      const auto found = gamma.violation(states.of(block)[i], cells);
      if (violation.empty() && !found.empty())
        violation =
            block_name(block) + " block, after statement " + std::to_string(i) + ": " + found;
      if (i == program.block(block).size()) return;
      const Statement* const one = &program.block(block)[i];
      step(program, std::span(&one, 1), cells);
    }
  });
  count(gamma, compared);
  return violation;
}

RC_GTEST_PROP(AbstractInterpretation, EveryCellIsInItsAbstractValueAfterEveryStatement, ()) {
  RandomPrograms random = drawn_programs();
  const Program program = random.draw_valid();
  const StatesOneByOne states(program);
  RC_PRE(states.apply());
  Compared compared;
  const Tokens tokens = random.input(program, 1 + random.below(7));
  const auto violation = violation_after_statements(program, states, tokens, compared);
  if (!violation.empty()) RC_FAIL(violation + "\n" + print_program(program));
  RC_ASSERT(!compared.empty());
}

// --- join ----------------------------------------------------------------------------------------

/// All states of a program at the beginnings of its sublayers.
std::vector<AbstractState> states_of(const Program& program) {
  const Schedule schedule = schedule_layers(program);
  const MaskTypes types = type_masks(program, schedule);
  std::vector<AbstractState> states;
  for (const Block block : {Block::initial, Block::repeated, Block::final})
    for (const LayerMasks& masks : types.block(block)) {
      states.push_back(masks.attention.before);
      states.push_back(masks.feedforward.before);
    }
  return states;
}

RC_GTEST_PROP(AbstractInterpretation, TheJoinIsAnUpperBoundThatAJoinWithItsPartsDoesNotRaise, ()) {
  RandomPrograms random = drawn_programs();
  const auto states = states_of(random.draw_valid());
  for (const AbstractState& x : states)
    for (const AbstractState& y : states)
      for (CellId cell = 0; cell < x.size(); ++cell) {
        const AbstractValue &a = x[cell], &b = y[cell];
        if (a.kind != b.kind) continue;
        const AbstractValue both = join(a, b);
        RC_ASSERT(both.kind == a.kind);
        RC_ASSERT(join(a, a) == a);
        RC_ASSERT(join(both, a) == both);
        RC_ASSERT(join(both, b) == both);
        RC_ASSERT(join(a, both) == both);
      }
}

Summand average_of_first_component(bool current, bool nonnegative) {
  Summand s;
  s.selector = SelectAll{};
  s.form = {{{0, 0}, Rational(1)}};
  s.current = current;
  s.signs.nonnegative = nonnegative;
  return s;
}

// The same average, taken before and after its cell was overwritten: two summands that differ in
// nothing but in what is known of them.
TEST(AbstractInterpretation, TheJoinOfSumsTakesEverySummandOnce) {
  AbstractValue begin = AbstractValue::empty_sum(1), end = begin;
  begin.sums[0] = {average_of_first_component(false, true), average_of_first_component(true, true)};
  end.sums[0] = {average_of_first_component(false, true), average_of_first_component(true, false)};
  const AbstractValue both = join(begin, end);
  ASSERT_FALSE(both.unknown);
  ASSERT_EQ(both.sums[0].size(), 2u);
  EXPECT_TRUE(both.sums[0][0].signs.nonnegative);
  EXPECT_FALSE(both.sums[0][1].signs.nonnegative) << "the second average may be negative";
  EXPECT_TRUE(both.sums[0][1].current);

  end.sums[0].push_back(average_of_first_component(true, true));
  EXPECT_TRUE(join(begin, end).unknown) << "one side has a summand more";
  EXPECT_TRUE(join(end, begin).unknown);
}

}  // namespace
}  // namespace logdepth
