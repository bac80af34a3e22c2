#include "constructions/decision_table.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace logdepth { inline namespace constructions {
namespace {

/// What is decided below a choice of the first values.
struct Decided {
  std::optional<std::uint32_t> outcome;  ///< the same for all choices that occur
  cells::Rules rules;                    ///< where several outcomes occur
};

class Table {
 public:
  Table(const std::vector<Digit>& digits, const DecisionOutcome& outcome,
        const std::function<Digit::Conditions(std::uint32_t)>& assign)
      : digits_(digits), outcome_(outcome), assign_(assign) {}

  cells::Rules rules() {
    Decided decided = decide();
    if (!decided.rules.empty()) return std::move(decided.rules);
    return {{{}, assign_(decided.outcome.value_or(0))}};
  }

 private:
  Decided decide() {
    if (chosen_.size() == digits_.size()) return {outcome_(chosen_), {}};
    const Digit& digit = digits_[chosen_.size()];
    std::vector<Decided> below(digit.values());
    for (std::uint32_t value = 0; value < digit.values(); ++value) {
      if (digit.when[value].empty()) continue;
      chosen_.push_back(value);
      below[value] = decide();
      chosen_.pop_back();
    }
    // What never occurs may go anywhere.
    const auto first = std::find_if(below.begin(), below.end(),
                                    [](const Decided& d) { return d.outcome || !d.rules.empty(); });
    if (first == below.end()) return {};
    if (std::all_of(below.begin(), below.end(), [&](const Decided& d) {
          return d.rules.empty() && (!d.outcome || d.outcome == first->outcome);
        }))
      return {first->outcome, {}};
    Decided result;
    for (std::uint32_t value = 0; value < digit.values(); ++value) {
      Decided& d = below[value];
      if (d.rules.empty())
        d.rules = {{{}, assign_(d.outcome.value_or(first->outcome.value_or(0)))}};
      for (const Digit::Conditions& alternative : digit.when[value])
        for (cells::Rule& rule : cells::under(alternative, d.rules))
          result.rules.push_back(std::move(rule));
    }
    return result;
  }

  const std::vector<Digit>& digits_;
  const DecisionOutcome& outcome_;
  const std::function<Digit::Conditions(std::uint32_t)>& assign_;
  std::vector<std::uint32_t> chosen_;
};

}  // namespace

std::size_t Digit::alternatives() const {
  std::size_t count = 0;
  for (const auto& value : when) count += value.size();
  return count;
}

Digit digit(const cells::OneHot& cell) {
  Digit result;
  for (std::uint32_t label = 0; label < cell.size(); ++label)
    result.when.push_back({{cell.at(label)}});
  return result;
}

Digit no_digit() {
  return {{{{}}}};
}

cells::Rules decision_table(const std::vector<Digit>& digits, const DecisionOutcome& outcome,
                            const std::function<Digit::Conditions(std::uint32_t)>& assign) {
  return Table(digits, outcome, assign).rules();
}

std::size_t most_rules(const std::vector<Digit>& digits) {
  constexpr auto kStop = static_cast<std::size_t>(
      std::min<std::uint64_t>(1000000000000000000, std::numeric_limits<std::size_t>::max()));
  std::size_t rules = 1;
  for (const Digit& digit : digits) {
    const std::size_t more = std::max<std::size_t>(digit.alternatives(), 1);
    rules = rules > kStop / more ? kStop : rules * more;
  }
  return rules;
}

}}  // namespace logdepth::constructions
