#include "constructions/crasp/decision_plan.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace logdepth::crasp {
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
