// min, max and conditionals are taken out of a comparison from the outside in. A form is linear in
// the value of each, so with k > 0
//   k min(A, B) + F > 0   iff   k A + F > 0 and k B + F > 0,
//   k max(A, B) + F > 0   iff   k A + F > 0 or  k B + F > 0,
// with k < 0 the other way round, and with a conditional P ? A : B, whatever k is and for = as well,
//   iff  (P and k A + F > 0) or (not P and k B + F > 0).
// F = 0 with a min or max in it is: neither F > 0 nor -F > 0. Forms are integers, so
//   F <= G is G - F + 1 > 0,  and  F > 0 fails iff 1 - F > 0:
// a comparison and its negation are one formula.
//
// A position modulo m is r in m cases, which are told apart like a conditional. What is counted at
// distances d to e: with P_d for "P holds d positions to the left, at a letter", the number is 1 or 0
// as P_d holds if d = e, and else #[P_d] - #[P_(e+1)], because #[P_d] here is #[P] d positions ago.
// P_d is what P is at token max(p - d, 0), where P fails at the beginning token; if P holds there,
// p > d is wanted as well. So it is asked of each part of a conjunction by itself.
#include "constructions/crasp/normal_form.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "logdepth/errors.hpp"

namespace logdepth::crasp {
namespace {

/// Of one comparison, after min, max and conditionals are gone.
constexpr std::size_t kMaxComparisons = 256;

/// Ways of one table; a formula of more asks its operands, which are decided before.
constexpr std::uint64_t kMaxWays = 64;

using Operation = CraspProgram::Operation;
using Kind = Formula::Kind;

constexpr Literal kTrue = {0, false}, kFalse = {0, true};
constexpr std::uint64_t kManyWays = 1u << 20;

/// A linear form of counts and of the nodes with min, max and conditionals.
struct Linear {
  CountForm form;
  std::map<std::uint32_t, std::int64_t> choices;

  bool constant() const { return form.counts.empty() && choices.empty(); }
};

void add_to(std::map<std::uint32_t, std::int64_t>& sum, std::uint32_t key, std::int64_t factor) {
  if ((sum[key] += factor) == 0) sum.erase(key);
}

/// a + factor * b
Linear plus(Linear a, std::int64_t factor, const Linear& b) {
  for (const auto& [formula, k] : b.form.counts) add_to(a.form.counts, formula, factor * k);
  for (const auto& [node, k] : b.choices) add_to(a.choices, node, factor * k);
  a.form.constant += factor * b.form.constant;
  return a;
}

/// The largest integer that is at most a / b, b > 0.
std::int64_t floor_of(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

class Normaliser {
 public:
  explicit Normaliser(const CraspProgram& program)
      : program_(program), literals_(program.nodes.size()), counts_(program.nodes.size()) {
    intern({});
  }

  NormalForm result() {
    // Lines are named as soon as they are there: what a later one shares has the first name.
    std::map<std::uint32_t, std::vector<std::string>> named;
    std::map<std::size_t, std::string> lines;
    for (const CraspProgram::Line& line : program_.lines) {
      named[line.node].push_back(line.name);
      lines[line.line] = line.name;
    }
    for (std::uint32_t i = 0; i < program_.nodes.size(); ++i) {
      line_ = lines.at(program_.nodes[i].line);
      if (is_count(program_.nodes[i].operation)) {
        counts_[i] = count(i);
        continue;
      }
      literals_[i] = literal(program_.nodes[i]);
      for (const std::string& name : named[i]) give_name(literals_[i], name);
    }
    return {std::move(formulas_), literals_[program_.decides]};
  }

 private:
  // --- formulas ---

  std::uint32_t intern(Formula formula) {
    std::vector<std::pair<std::uint32_t, bool>> operands;
    for (const Literal& operand : formula.operands)
      operands.emplace_back(operand.formula, operand.negated);
    const Key key = {formula.kind,          formula.letters, operands,       formula.form.counts,
                     formula.form.constant, formula.number,  formula.modulus};
    const auto next = static_cast<std::uint32_t>(formulas_.size());
    const auto [entry, is_new] = known_.emplace(key, next);
    if (is_new) formulas_.push_back(described(std::move(formula)));
    return entry->second;
  }

  Formula described(Formula formula) const {
    formula.line = line_;
    const std::int64_t at_begin = formula.form.constant;
    formula.at_begin = formula.kind == Kind::all ||
                       (formula.kind == Kind::positive && at_begin > 0) ||
                       (formula.kind == Kind::zero && at_begin == 0) ||
                       (formula.kind == Kind::residue && formula.number == 0);
    for (const auto& [counted, factor] : formula.form.counts)
      formula.level = std::max(formula.level, formulas_[counted].level);
    if (formula.is_test()) ++formula.level;
    if (formula.kind == Kind::earlier) {
      formula.level = formulas_[formula.operands[0].formula].level + 1;
      formula.at_begin = formulas_[formula.operands[0].formula].at_begin;
    }
    if (formula.kind != Kind::all) return formula;
    formula.ways_true = 1;
    formula.ways_false = 0;
    for (const Literal& operand : formula.operands) {
      const Formula& inner = formulas_[operand.formula];
      const auto [holds, fails] = operand.negated ? std::pair(inner.ways_false, inner.ways_true)
                                                  : std::pair(inner.ways_true, inner.ways_false);
      formula.ways_false = std::min(kManyWays, formula.ways_false + formula.ways_true * fails);
      formula.ways_true = std::min(kManyWays, formula.ways_true * holds);
      formula.level = std::max(formula.level, inner.level);
      formula.at_begin = formula.at_begin && inner.at_begin != operand.negated;
    }
    return formula;
  }

  void give_name(Literal literal, const std::string& name) {
    Formula& formula = formulas_[literal.formula];
    // A test for zero begins true and cannot be turned round; nor can what is fetched or given.
    if (formula.name || (formula.kind == Kind::zero && literal.negated)) return;
    if (formula.kind == Kind::residue || formula.kind == Kind::earlier) return;
    formula.name = name;
    formula.name_negated = literal.negated;
  }

  /// Letters of a set; the entry behind the letters is the beginning token.
  Literal letters(std::vector<bool> set) {
    const bool negated = set.back();
    if (negated) set.flip();
    set.pop_back();
    if (std::find(set.begin(), set.end(), true) == set.end()) return negated ? kTrue : kFalse;
    Formula formula{Kind::letters};
    formula.letters = std::move(set);
    return {intern(std::move(formula)), negated};
  }

  std::vector<bool> letters_of(Literal literal) const {
    std::vector<bool> set = formulas_[literal.formula].letters;
    set.push_back(false);
    if (literal.negated) set.flip();
    return set;
  }

  Literal all(const std::vector<Literal>& parts) {
    std::vector<Literal> flat;
    for (const Literal& part : parts) {
      const Formula& formula = formulas_[part.formula];
      if (formula.kind == Kind::all && !part.negated)
        flat.insert(flat.end(), formula.operands.begin(), formula.operands.end());
      else
        flat.push_back(part);
    }
    std::vector<bool> set(program_.alphabet.size() + 1, true);
    std::map<std::uint32_t, bool> others;
    for (const Literal& part : flat) {
      if (part == kFalse) return kFalse;
      if (formulas_[part.formula].kind == Kind::letters) {
        const std::vector<bool> more = letters_of(part);
        for (std::size_t i = 0; i < set.size(); ++i) set[i] = set[i] && more[i];
      } else if (const auto [known, is_new] = others.emplace(part.formula, part.negated);
                 !is_new && known->second != part.negated) {
        return kFalse;
      }
    }
    const Literal letter = letters(std::move(set));
    if (letter == kFalse) return kFalse;
    if (letter != kTrue) others.emplace(letter.formula, letter.negated);
    if (others.size() == 1) return {others.begin()->first, others.begin()->second};
    Formula formula;
    for (const auto& [id, negated] : others) formula.operands.push_back({id, negated});
    return {intern(std::move(formula)), false};
  }
  Literal both(Literal a, Literal b) { return all({a, b}); }
  Literal either(Literal a, Literal b) { return !all({!a, !b}); }

  // --- positions ---

  /// The position is r modulo m.
  Literal residue(std::int64_t r, std::int64_t m) {
    if (m == 1) return kTrue;
    if (m == 2 && r == 1) return !residue(0, 2);
    Formula formula{Kind::residue};
    formula.number = r;
    formula.modulus = m;
    return {intern(std::move(formula)), false};
  }

  /// What the literal is at token max(p - back, 0).
  Literal fetched(Literal literal, std::int64_t back) {
    if (literal.formula == kTrue.formula || back == 0) return literal;
    if (const auto known = fetched_.find({literal.formula, back}); known != fetched_.end())
      return literal.negated ? !known->second : known->second;
    const Formula formula = formulas_[literal.formula];
    Literal result;
    if (formula.kind == Kind::all) {
      std::vector<Literal> parts;
      for (const Literal& operand : formula.operands) parts.push_back(fetched(operand, back));
      result = all(parts);
    } else if (formula.kind == Kind::earlier) {
      result = fetched(formula.operands[0], back + formula.number);
    } else {
      Formula shifted{Kind::earlier};
      shifted.operands = {{literal.formula, false}};
      shifted.number = back;
      result = {intern(std::move(shifted)), false};
    }
    fetched_[{literal.formula, back}] = result;
    return literal.negated ? !result : result;
  }

  /// There is a letter `back` positions to the left, and the literal holds there.
  Literal held(Literal literal, std::int64_t back) {
    const bool at_begin = formulas_[literal.formula].at_begin != literal.negated;
    if (back == 0 && !at_begin) return literal;
    const Literal there = fetched(literal, back);
    if (!at_begin) return there;
    std::vector<bool> letter(program_.alphabet.size() + 1, true);
    letter.back() = false;
    return both(fetched(letters(std::move(letter)), back), there);
  }

  /// The cases of a number that a choice makes of its own: one holds, and says what it is then.
  std::vector<std::pair<Literal, std::int64_t>> cases(std::uint32_t id) {
    const CraspProgram::Node& node = program_.nodes[id];
    if (node.operation == Operation::recent) {
      const Literal holds = held(literals_[node.operands[0]], node.number);
      return {{holds, 1}, {!holds, 0}};
    }
    std::vector<std::pair<Literal, std::int64_t>> cases;
    for (std::int64_t r = 0; r < node.number; ++r) cases.emplace_back(residue(r, node.number), r);
    return cases;
  }

  /// A comparison that is decided case by case: where most cases say yes, where none says no.
  Literal by_cases(const std::vector<std::pair<Literal, Literal>>& cases) {
    Literal some = kFalse, others = kFalse;
    std::size_t yes = 0;
    bool constant = true;
    for (const auto& [condition, result] : cases) {
      some = either(some, both(condition, result));
      others = either(others, both(condition, !result));
      yes += result == kTrue;
      constant = constant && (result == kTrue || result == kFalse);
    }
    return constant && 2 * yes > cases.size() ? !others : some;
  }

  // --- comparisons ---

  /// F > 0 for a form without choices: divided by what its factors share, and turned so that the
  /// first of them is positive.
  Literal positive(CountForm form) {
    if (form.counts.empty()) return form.constant > 0 ? kTrue : kFalse;
    const bool turn = form.counts.begin()->second < 0;
    if (turn) form.constant = 1 - form.constant;
    std::int64_t common = 0;
    for (const auto& [counted, factor] : form.counts) common = std::gcd(common, factor);
    for (auto& [counted, factor] : form.counts) factor /= turn ? -common : common;
    // common * G + c > 0  iff  G >= ceil((1 - c) / common)  iff  G + floor((c - 1) / common) + 1 > 0
    form.constant = floor_of(form.constant - 1, common) + 1;
    if (form.constant > 0 && std::all_of(form.counts.begin(), form.counts.end(),
                                         [](const auto& term) { return term.second > 0; }))
      return turn ? kFalse : kTrue;
    Formula formula{Kind::positive};
    formula.form = std::move(form);
    return {intern(std::move(formula)), turn};
  }

  Literal zero(CountForm form) {
    if (form.counts.empty()) return form.constant == 0 ? kTrue : kFalse;
    std::int64_t common = 0;
    for (const auto& [counted, factor] : form.counts) common = std::gcd(common, factor);
    if (form.constant % common != 0) return kFalse;
    if (form.counts.begin()->second < 0) common = -common;
    for (auto& [counted, factor] : form.counts) factor /= common;
    form.constant /= common;
    Formula formula{Kind::zero};
    formula.form = std::move(form);
    return {intern(std::move(formula)), false};
  }

  /// F > 0, or with `equal` F = 0.
  Literal compared(const Linear& linear, bool equal) {
    if (++steps_ > 2 * kMaxComparisons - 1) refuse_choices();  // a binary tree of comparisons
    if (linear.choices.empty()) return equal ? zero(linear.form) : positive(linear.form);
    const std::uint32_t node = linear.choices.rbegin()->first;
    const std::int64_t factor = linear.choices.rbegin()->second;
    const CraspProgram::Node& choice = program_.nodes[node];
    if (!has_branches(choice.operation)) {
      Linear rest = linear;
      rest.choices.erase(node);
      std::vector<std::pair<Literal, Literal>> decided;
      for (const auto& [condition, number] : cases(node)) {
        Linear there = rest;
        there.form.constant += factor * number;
        decided.emplace_back(condition, compared(there, equal));
      }
      return by_cases(decided);
    }
    const auto with = [&](std::uint32_t branch) {
      Linear rest = linear;
      rest.choices.erase(node);
      return compared(plus(std::move(rest), factor, counts_[choice.operands[branch]]), equal);
    };
    if (choice.operation == Operation::choice) {
      const Literal condition = literals_[choice.operands[0]];
      return either(both(condition, with(1)), both(!condition, with(2)));
    }
    if (equal) return both(!compared(linear, false), !compared(plus({}, -1, linear), false));
    const bool smaller = (choice.operation == Operation::minimum) == (factor > 0);
    return smaller ? both(with(0), with(1)) : either(with(0), with(1));
  }

  Literal comparison(const CraspProgram::Node& node, const Linear& difference, bool equal) {
    comparing_ = &node;
    steps_ = 0;
    return compared(difference, equal);
  }

  [[noreturn]] void refuse_choices() const {
    std::set<std::uint32_t> reached = {comparing_->operands[0], comparing_->operands[1]};
    std::size_t choices = 0;
    bool positions = false;
    while (!reached.empty()) {  // operands come before what uses them
      const std::uint32_t id = *reached.rbegin();
      const CraspProgram::Node& node = program_.nodes[id];
      reached.erase(id);
      if (has_branches(node.operation)) ++choices;
      positions = positions || is_choice(node);
      if (node.operation >= Operation::sum)
        for (const std::uint32_t operand : node.operands)
          if (operand < id) reached.insert(operand);
    }
    if (positions)
      throw SizeLimit(fmt::format(
          "{}:{}: the choices and positions of a comparison make more than {} comparisons without "
          "them of it: expected at most {}; decide some of them on lines of their own",
          program_.source, comparing_->line, kMaxComparisons, kMaxComparisons));
    throw SizeLimit(fmt::format(
        "{}:{}: the {} min, max and conditionals of a comparison make up to 2^{} comparisons "
        "without them of it, and at least {}: expected at most {}; decide some of them on lines of "
        "their own",
        program_.source, comparing_->line, choices, choices, kMaxComparisons + 1, kMaxComparisons));
  }

  // --- nodes ---

  Literal literal(const CraspProgram::Node& node) {
    const auto [a, b, c] = node.operands;
    switch (node.operation) {
      case Operation::letter: {
        std::vector<bool> set(program_.alphabet.size() + 1, false);
        set[static_cast<std::size_t>(node.number)] = true;
        return letters(std::move(set));
      }
      case Operation::constant:
        return node.number ? kTrue : kFalse;
      case Operation::negation:
        return !literals_[a];
      case Operation::both:
        return both(literals_[a], literals_[b]);
      case Operation::either:
        return either(literals_[a], literals_[b]);
      case Operation::less:
        return comparison(node, plus(counts_[b], -1, counts_[a]), false);
      case Operation::less_equal:
        return !comparison(node, plus(counts_[a], -1, counts_[b]), false);
      default:
        return comparison(node, plus(counts_[a], -1, counts_[b]), true);
    }
  }

  Linear count(std::uint32_t id) {
    const CraspProgram::Node& node = program_.nodes[id];
    const auto [a, b, c] = node.operands;
    Linear linear;
    switch (node.operation) {
      case Operation::number:
        linear.form.constant = node.number;
        return linear;
      case Operation::count:
        return count_of(literals_[a]);
      case Operation::recent: {
        if (node.farthest && *node.farthest < node.number) return linear;
        if (is_choice(node)) break;
        for (const auto& [back, factor] :
             {std::pair(std::optional(node.number), 1), std::pair(node.farthest, -1)}) {
          if (!back) continue;
          const Literal there = held(literals_[a], *back + (factor < 0 ? 1 : 0));
          linear = plus(std::move(linear), factor, count_of(there));
        }
        return linear;
      }
      case Operation::position:
        if (node.number == 1) return linear;
        break;
      case Operation::sum:
        return plus(counts_[a], 1, counts_[b]);
      case Operation::difference:
        return plus(counts_[a], -1, counts_[b]);
      case Operation::multiple:
        return plus({}, node.number, counts_[a]);
      case Operation::choice:
        if (literals_[a] == kTrue) return counts_[b];
        if (literals_[a] == kFalse) return counts_[c];
        break;
      default:
        break;
    }
    linear.choices[id] = 1;
    return linear;
  }

  /// How often something does not hold: all positions but those where it does.
  static Linear count_of(Literal literal) {
    Linear linear;
    if (literal.negated) add_to(linear.form.counts, kTrue.formula, 1);
    add_to(linear.form.counts, literal.formula, literal.negated ? -1 : 1);
    return linear;
  }

  static bool has_branches(Operation operation) { return operation >= Operation::minimum; }
  /// A number that is told apart by cases of positions.
  static bool is_choice(const CraspProgram::Node& node) {
    return node.operation == Operation::position ||
           (node.operation == Operation::recent && node.farthest == node.number);
  }

  using Key =
      std::tuple<Kind, std::vector<bool>, std::vector<std::pair<std::uint32_t, bool>>,
                 std::map<std::uint32_t, std::int64_t>, std::int64_t, std::int64_t, std::int64_t>;

  const CraspProgram& program_;
  std::vector<Formula> formulas_;
  std::map<Key, std::uint32_t> known_;
  std::map<std::pair<std::uint32_t, std::int64_t>, Literal> fetched_;
  std::vector<Literal> literals_;  ///< of Boolean nodes
  std::vector<Linear> counts_;     ///< of the others
  std::string line_;               ///< the name of the present line
  const CraspProgram::Node* comparing_ = nullptr;
  std::size_t steps_ = 0;  ///< comparisons that it has become so far, and those between
};

}  // namespace

NormalForm normal_form(const CraspProgram& program) {
  return Normaliser(program).result();
}

namespace {

using Kind = Formula::Kind;
using Done = std::function<void(bool)>;

class Planner {
 public:
  explicit Planner(const NormalForm& normal)
      : normal_(normal),
        used_(normal.formulas.size()),
        due_(normal.formulas.size()),
        decided_(normal.formulas.size()) {}

  DecisionPlan plan() {
    const Formula& decides = formula(normal_.decides.formula);
    if (decides.kind != Kind::all)
      decide(normal_.decides.formula, decides.level);
    else
      for (const Literal& operand : decides.operands) decide(operand.formula, decides.level);
    for (auto id = static_cast<std::uint32_t>(used_.size()); id-- > 0;)
      if (used_[id]) ask(id);

    DecisionPlan plan;
    plan.stages.resize(decides.level);
    for (std::uint32_t id = 0; id < used_.size(); ++id) {
      if (!used_[id]) continue;
      if (formula(id).kind == Kind::letters) plan.letters.push_back(id);
      if (formula(id).kind == Kind::residue) plan.residues.push_back(id);
      if (formula(id).kind == Kind::earlier)
        plan.stages[formula(id).level - 1].earlier.push_back(id);
      if (formula(id).is_test()) plan.stages[formula(id).level - 1].tests.push_back(id);
    }
    tabulate(0, plan.start);
    for (std::uint32_t level = 1; level <= decides.level; ++level)
      tabulate(level, plan.stages[level - 1]);
    return plan;
  }

 private:
  const Formula& formula(std::uint32_t id) const { return normal_.formulas[id]; }
  bool wide(std::uint32_t id) const {
    return formula(id).ways_true + formula(id).ways_false > kMaxWays;
  }

  /// Something asks for the formula after the tests of this level.
  void decide(std::uint32_t id, std::uint32_t level) {
    used_[id] = true;
    due_[id] = std::min(due_[id].value_or(level), level);
  }

  /// What a formula asks for itself.
  void ask(std::uint32_t id) {
    for (const auto& [counted, factor] : formula(id).form.counts)
      decide(counted, formula(id).level - 1);
    for (const Literal& operand : formula(id).operands) {
      if (formula(id).kind == Kind::earlier) decide(operand.formula, formula(id).level - 1);
      if (due_[id] && wide(id)) decide(operand.formula, *due_[id]);
      used_[operand.formula] = true;
    }
  }

  /// When one combination is due, all that can be are decided with it.
  void tabulate(std::uint32_t level, Stage& stage) {
    std::vector<std::uint32_t> ready;
    bool is_due = false;
    for (std::uint32_t id = 1; id < used_.size(); ++id) {
      if (formula(id).kind != Kind::all || !due_[id] || decided_[id]) continue;
      if (formula(id).level <= level) ready.push_back(id);
      is_due = is_due || *due_[id] <= level;
    }
    if (!is_due) return;
    std::map<std::uint32_t, std::size_t> height;
    for (const std::uint32_t id : ready) {
      std::size_t below = 0;
      if (wide(id))
        for (const Literal& operand : formula(id).operands)
          if (const auto same = height.find(operand.formula); same != height.end())
            below = std::max(below, same->second);
      height[id] = below + 1;
      stage.table_layers = std::max(stage.table_layers, height[id]);
      stage.tables.push_back({id, ways(id)});
    }
    for (const std::uint32_t id : ready) decided_[id] = true;
  }

  std::vector<Way> ways(std::uint32_t id) const {
    std::vector<Way> ways;
    std::map<std::uint32_t, bool> known;
    every(id, 0, !wide(id), known, [&](bool holds) {
      Way way{{}, holds};
      for (const auto& [asked, holds_there] : known) way.when.push_back({asked, !holds_there});
      ways.push_back(std::move(way));
    });
    return ways;
  }

  /// Asks the operands of a combination from one on until one fails, in every way; `known` is what
  /// the answers have been.
  void every(std::uint32_t id, std::size_t from, bool deep, std::map<std::uint32_t, bool>& known,
             const Done& done) const {
    const std::vector<Literal>& operands = formula(id).operands;
    if (from == operands.size()) return done(true);
    const Literal operand = operands[from];
    const Done next = [&](bool holds) {
      if (holds == operand.negated) return done(false);
      every(id, from + 1, deep, known, done);
    };
    const std::uint32_t asked = operand.formula;
    if (deep && formula(asked).kind == Kind::all && !decided_[asked])
      return every(asked, 0, deep, known, next);
    if (const auto answer = known.find(asked); answer != known.end()) return next(answer->second);
    for (const bool holds : {true, false}) {
      known[asked] = holds;
      next(holds);
    }
    known.erase(asked);
  }

  const NormalForm& normal_;
  std::vector<bool> used_;                         ///< asked for by what decides
  std::vector<std::optional<std::uint32_t>> due_;  ///< of those that get a flag: at which level
  std::vector<bool> decided_;                      ///< combinations, at earlier levels
};

}  // namespace

std::size_t DecisionPlan::comparisons() const {
  std::size_t sum = 0;
  for (const Stage& stage : stages) sum += stage.tests.size();
  return sum;
}

std::size_t DecisionPlan::table_layers() const {
  std::size_t sum = start.table_layers;
  for (const Stage& stage : stages) sum += stage.table_layers;
  return sum;
}

bool DecisionPlan::positions() const {
  return !residues.empty() ||
         std::ranges::any_of(stages, [](const Stage& stage) { return !stage.earlier.empty(); });
}

std::size_t DecisionPlan::position_layers(const NormalForm& normal) const {
  const bool large = std::ranges::any_of(
      residues, [&](std::uint32_t id) { return normal.formulas[id].modulus > 2; });
  std::size_t sum = large ? 2 : 0;
  for (const Stage& stage : stages)
    sum += !stage.earlier.empty() && stage.tests.empty() && stage.table_layers == 0;
  return sum;
}

DecisionPlan decision_plan(const NormalForm& normal) {
  return Planner(normal).plan();
}

}  // namespace logdepth::crasp
