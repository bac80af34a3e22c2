// The analysis of compiler/analysis is sound: at every token of every input of random programs the
// cells are in the concretisation of the abstract state, before every sublayer as the compiler uses
// it, and after every statement.
#include "compiler/analysis/abstract_interpretation.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iostream>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/overload.hpp"
#include "compiler/meaning/interpret.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/program/program.hpp"
#include "compiler/rules/program_rules.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "runtime/file/model_meaning.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/random_programs.hpp"

namespace logdepth::abstract_interpretation_tests { namespace {

using support::RandomInputs;
using support::RandomPrograms;

/// gamma of the analysis (compiler/analysis/abstract_interpretation.hpp), decided at the moments of one run
/// of the interpreter, exactly: every property that a state states, at every token.
class Concretisation {
 public:
  /// `start`: the cells before the first statement of the run.
  Concretisation(const Program& program, const CellStates& start)
      : p_(program), numbers_(program), start_(start) {}

  /// The first property of the state that the cells do not have; empty: they are in gamma(state).
  std::string violation(const AbstractState& state, const CellStates& cells);
  /// How often each kind of property was compared with numbers.
  const std::map<std::string, std::size_t>& compared() const { return compared_; }

 private:
  using Values = std::vector<Real>;  ///< one per token

  void expect(bool holds, CellId cell, const std::string& property);
  Values values(const Component& c) const;
  std::vector<Real> row(std::size_t token, CellId cell) const;

  void check(CellId cell, const AbstractValue& value);
  void check_type(CellId cell);
  void check_typed(CellId cell, const AbstractValue& value);
  void check_number(CellId cell, const AbstractValue& value);
  void check_sum(const Component& c, const std::vector<Summand>& sum);
  void check_summand(CellId cell, const Summand& s, const Values& values);
  Values taken_now(const Component& target, const Summand& s) const;

  void check_read_off(const AbstractState& state);
  void check_group(const std::vector<CellId>& group, const AbstractState& state);

  const Program& p_;
  const NumberProperties numbers_;
  const CellStates start_;
  const CellStates* cells_ = nullptr;  ///< of the moment that is looked at
  std::string violation_;
  std::map<std::string, std::size_t> compared_;
};

/// Rational multiples of one number.
bool rational_multiples(const std::vector<Real>& vector) {
  const auto unit =
      std::find_if(vector.begin(), vector.end(), [](const Real& x) { return !x.is_zero(); });
  return std::all_of(vector.begin(), vector.end(), [&](const Real& x) {
    return x.is_zero() || rational_factor(x, *unit).has_value();
  });
}

Real squared(const std::vector<Real>& vector) {
  Real sum;
  for (const Real& x : vector) sum = sum + x * x;
  return sum;
}

bool all_equal(const std::vector<Real>& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](const Real& x) { return x == values.front(); });
}

Signs both(const Signs& a, const Signs& b) {
  return {a.nonnegative && b.nonnegative, a.positive_first || b.positive_first,
          a.positive_rest || b.positive_rest};
}

std::string Concretisation::violation(const AbstractState& state, const CellStates& cells) {
  cells_ = &cells;
  violation_.clear();
  for (CellId cell = 0; cell < state.size(); ++cell) check(cell, state[cell]);
  check_read_off(state);
  return violation_;
}

void Concretisation::expect(bool holds, CellId cell, const std::string& property) {
  ++compared_[property];
  if (!holds && violation_.empty()) violation_ = "cell " + p_.cells[cell].name + ": " + property;
}

Concretisation::Values Concretisation::values(const Component& c) const {
  Values all;
  for (std::size_t token = 0; token < cells_->tokens; ++token) all.push_back(cells_->at(token, c));
  return all;
}

std::vector<Real> Concretisation::row(std::size_t token, CellId cell) const {
  std::vector<Real> all;
  for (std::uint32_t i = 0; i < size_of(p_.cells[cell].type); ++i)
    all.push_back(cells_->at(token, {cell, i}));
  return all;
}

void Concretisation::check(CellId cell, const AbstractValue& value) {
  switch (value.kind) {
    case AbstractValue::Kind::blank:
      for (std::size_t token = 0; token < cells_->tokens; ++token)
        expect(squared(row(token, cell)).is_zero(), cell, "blank");
      return;
    case AbstractValue::Kind::typed:
      check_type(cell);
      return check_typed(cell, value);
    case AbstractValue::Kind::number:
      return check_number(cell, value);
  }
}

// --- values of their types -----------------------------------------------------------------------

void Concretisation::check_type(CellId cell) {
  for (std::size_t token = 0; token < cells_->tokens; ++token) {
    const std::vector<Real> value = row(token, cell);
    const bool fits = std::visit(
        Overload{[&](const ConstantType&) { return value[0] == Real(1); },
                 [&](const FlagType&) { return value[0] == Real(1) || value[0] == Real(-1); },
                 [&](const OneHotType&) {
                   const auto ones = std::count(value.begin(), value.end(), Real(1));
                   const auto zeros = std::count(value.begin(), value.end(), Real());
                   return ones == 1 && static_cast<std::size_t>(zeros) + 1 == value.size();
                 },
                 [&](const KeyType& t) { return value == code_of(t.code, token); },
                 [&](const PointerType& t) {
                   for (std::size_t e = 0; e <= token; ++e)
                     if (value == code_of(t.code, e)) return true;
                   return false;
                 },
                 [&](const DirectionType&) { return squared(value) == Real(1); },
                 [](const NumberType&) { return false; }},
        p_.cells[cell].type);
    expect(fits, cell, "a value of its type");
  }
}

void Concretisation::check_typed(CellId cell, const AbstractValue& value) {
  const bool flag = std::holds_alternative<FlagType>(p_.cells[cell].type);
  for (std::size_t token = 0; token < cells_->tokens; ++token) {
    const std::vector<Real> own = row(token, cell);
    if (value.first_flag)
      expect(own[0] == Real(token == 0 ? 1 : -1), cell, "true at the first token only");
    if (value.from_input)
      for (std::uint32_t i = 0; i < own.size(); ++i)
        expect(own[i] == start_.at(token, {cell, i}), cell, "still what the input put there");
    if (value.certain)
      expect(flag ? own[0] == Real(*value.certain ? 1 : -1) : own[*value.certain] == Real(1), cell,
             "certain");
    if (value.rational) expect(rational_multiples(own), cell, "rational up to a factor");
    for (std::size_t i = 0; i < value.positive.size(); ++i)
      if (value.positive[i]) expect(own[i].sign() > 0, cell, "a positive component");
  }
}

// --- numbers -------------------------------------------------------------------------------------

void Concretisation::check_number(CellId cell, const AbstractValue& value) {
  if (value.given)
    for (std::size_t token = 0; token < cells_->tokens; ++token) {
      const std::vector<Real> own = row(token, cell);
      const bool position = *value.given == GivenCell::Holds::position;
      const Real expected =
          position ? Real(static_cast<std::int64_t>(token)) : cells_->at(0, {cell, 0});
      expect(own[0] == expected && own[1] == Real(1) && (position || own[0].sign() > 0), cell,
             "as it was given");
    }
  if (value.given || value.unknown) return;
  for (std::uint32_t i = 0; i < value.sums.size(); ++i) check_sum({cell, i}, value.sums[i]);
}

/// The component is the sum of the averages. One that is current is taken again; of what remains, a
/// single one must have its properties, and several what the properties of all imply.
void Concretisation::check_sum(const Component& c, const std::vector<Summand>& sum) {
  Values rest = values(c);
  std::vector<const Summand*> earlier;
  for (const Summand& s : sum) {
    if (!s.current) {
      earlier.push_back(&s);
      continue;
    }
    const Values now = taken_now(c, s);
    check_summand(c.cell, s, now);
    for (std::size_t token = 0; token < rest.size(); ++token)
      rest[token] = rest[token] - now[token];
  }
  if (earlier.empty()) {
    for (const Real& x : rest) expect(x.is_zero(), c.cell, "the sum of its averages");
  } else if (earlier.size() == 1) {
    check_summand(c.cell, *earlier.front(), rest);
  } else {
    Summand all = *earlier.front();
    all.under.clear();
    all.zero_where_first.reset();
    for (const Summand* s : earlier) {
      all.signs = both(all.signs, s->signs);
      all.rational = all.rational && s->rational && s->under.empty();
      all.common = all.common && s->common;
    }
    if (!all.signs.nonnegative) all.signs = {};
    check_summand(c.cell, all, rest);
  }
}

/// One number per token, of which `s` states properties.
void Concretisation::check_summand(CellId cell, const Summand& s, const Values& values) {
  for (std::size_t token = 0; token < values.size(); ++token) {
    const Real& x = values[token];
    if (s.signs.nonnegative) expect(x.sign() >= 0, cell, "an average of at least 0");
    if (token == 0 ? s.signs.positive_first : s.signs.positive_rest)
      expect(x.sign() > 0, cell, "a positive average");
    if (s.rational && s.under.empty()) expect(x.is_rational(), cell, "a rational average");
    if (s.zero_where_first && (token == 0) == *s.zero_where_first)
      expect(x.is_zero(), cell, "an average of zero behind a gate");
  }
  if (s.rational)
    expect(rational_multiples(values), cell, "averages that are rational up to one factor");
  if (s.common) expect(all_equal(values), cell, "an average common to all tokens");
  if (s.zero_where_first && !*s.zero_where_first) return;  // one token lets it through
  if (s.zero_where_first && values.size() > 1)
    expect(all_equal({values.begin() + 1, values.end()}), cell, "a common average behind a gate");
}

/// The average, taken of what the cells hold now.
Concretisation::Values Concretisation::taken_now(const Component& target, const Summand& s) const {
  const Statement again =
      FetchStatement{"again", s.causal, s.selector, s.under, {SumWrite{target, s.form}}};
  const Statement* const one = &again;
  CellStates after = *cells_;
  step(p_, std::span(&one, 1), after);
  Values average;
  for (std::size_t token = 0; token < after.tokens; ++token)
    average.push_back(after.at(token, target) - cells_->at(token, target));
  return average;
}

// --- what is read off ----------------------------------------------------------------------------

/// Signs of every component; the other questions for every cell and every two cells.
void Concretisation::check_read_off(const AbstractState& state) {
  std::vector<CellId> filled;
  for (CellId cell = 0; cell < state.size(); ++cell) {
    if (state[cell].kind == AbstractValue::Kind::blank) continue;
    filled.push_back(cell);
    for (std::uint32_t i = 0; i < size_of(p_.cells[cell].type); ++i) {
      const Signs signs = numbers_.signs({cell, i}, state);
      for (std::size_t token = 0; token < cells_->tokens; ++token) {
        const int sign = cells_->at(token, {cell, i}).sign();
        if (signs.nonnegative) expect(sign >= 0, cell, "read off: at least 0");
        if (token == 0 ? signs.positive_first : signs.positive_rest)
          expect(sign > 0, cell, "read off: positive");
      }
    }
  }
  for (std::size_t a = 0; a < filled.size(); ++a) {
    check_group({filled[a]}, state);
    for (std::size_t b = a + 1; b < filled.size(); ++b) check_group({filled[a], filled[b]}, state);
  }
}

void Concretisation::check_group(const std::vector<CellId>& group, const AbstractState& state) {
  const std::vector<Term> terms = norm_group(p_, group);
  const bool nonzero = numbers_.nonzero(terms, state), common = numbers_.common(terms, state),
             rational = numbers_.rational_ratio(terms, state);
  const auto position = numbers_.position_ratio(terms, state);
  if (!nonzero && !common && !rational && !position) return;
  Values norms;
  for (std::size_t token = 0; token < cells_->tokens; ++token) {
    std::vector<Real> vector;
    for (const Term& term : terms) vector.push_back(cells_->at(token, term.component));
    norms.push_back(squared(vector));
    if (nonzero) expect(!norms.back().is_zero(), group.front(), "read off: not zero");
    if (rational)
      expect(rational_multiples(vector), group.front(), "read off: rational up to a factor");
    if (position)
      expect(
          vector[1].sign() > 0 && vector[0].scaled(*position) ==
                                      vector[1].scaled(Rational(static_cast<std::int64_t>(token))),
          group.front(), "read off: a multiple of (p, L)");
  }
  if (common) expect(all_equal(norms), group.front(), "read off: one norm at all tokens");
}

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

}}  // namespace logdepth::abstract_interpretation_tests
