#include "compiler/rules/lookup_partition.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace logdepth::inline compiler_rules {
namespace {

class Partition {
 public:
  Partition(const Program& program, CellId assigned) : p_(program), assigned_(assigned) {}

  /// `rules`: those still compatible with the literals fixed so far.
  std::optional<std::string> check(const std::vector<const Rule*>& rules) {
    if (rules.empty()) return "no rule assigns cell " + name(assigned_) + " when " + path();
    const auto split = most_shared_cell(rules);
    if (!split) {
      if (rules.size() == 1) return std::nullopt;
      return fmt::format("{} rules assign cell {} when {}", rules.size(), name(assigned_), path());
    }
    // Rules without a condition on the cell hold in every branch.
    std::map<std::uint32_t, std::vector<const Rule*>> branches;
    std::vector<const Rule*> everywhere;
    for (const Rule* rule : rules) {
      if (const auto value = condition(*rule, *split)) {
        branches[*value].push_back(rule);
      } else {
        everywhere.push_back(rule);
      }
    }
    for (std::uint32_t value = 0; value < values(*split); ++value) {
      std::vector<const Rule*> branch = std::move(branches[value]);
      branch.insert(branch.end(), everywhere.begin(), everywhere.end());
      fixed_.push_back({*split, value});
      if (auto violation = check(branch)) return violation;
      fixed_.pop_back();
    }
    return std::nullopt;
  }

 private:
  std::uint32_t values(CellId cell) const {
    const auto* onehot = std::get_if<OneHotType>(&p_.cells[cell].type);
    return onehot ? static_cast<std::uint32_t>(onehot->labels.size()) : 2;
  }
  const std::string& name(CellId cell) const { return p_.cells[cell].name; }

  bool is_fixed(CellId cell) const {
    return std::any_of(fixed_.begin(), fixed_.end(),
                       [&](const Literal& literal) { return literal.cell == cell; });
  }
  static std::optional<std::uint32_t> condition(const Rule& rule, CellId cell) {
    for (const Literal& literal : rule.when)
      if (literal.cell == cell) return literal.value;
    return std::nullopt;
  }
  /// The unfixed cell most rules have a condition on; absent when no condition is left.
  std::optional<CellId> most_shared_cell(const std::vector<const Rule*>& rules) const {
    std::unordered_map<CellId, std::size_t> uses;
    for (const Rule* rule : rules)
      for (const Literal& literal : rule->when)
        if (!is_fixed(literal.cell)) ++uses[literal.cell];
    std::optional<CellId> best;
    for (const auto& [cell, count] : uses)
      if (!best || count > uses[*best] || (count == uses[*best] && cell < *best)) best = cell;
    return best;
  }
  std::string path() const {
    if (fixed_.empty()) return "nothing is required";
    std::string text;
    for (const Literal& literal : fixed_) {
      const auto* onehot = std::get_if<OneHotType>(&p_.cells[literal.cell].type);
      text += (text.empty() ? "" : ", ") + name(literal.cell) + "=" +
              (onehot          ? onehot->labels[literal.value]
               : literal.value ? "true"
                               : "false");
    }
    return text;
  }

  const Program& p_;
  CellId assigned_;
  std::vector<Literal> fixed_;
};

}  // namespace

std::optional<std::string> partition_violation(const Program& program,
                                               const LookupStatement& lookup) {
  std::map<CellId, std::vector<const Rule*>> assigning;
  for (const Rule& rule : lookup.rules)
    for (const Assignment& assignment : rule.then) assigning[assignment.cell].push_back(&rule);
  for (const auto& [cell, rules] : assigning)
    if (auto violation = Partition(program, cell).check(rules)) return violation;
  return std::nullopt;
}

}  // namespace logdepth::inline compiler_rules
