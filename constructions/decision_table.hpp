#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "logdepth/program.hpp"

namespace logdepth { inline namespace constructions {

/// What a token holds, as one of finitely many values: value v where one of the alternatives
/// when[v] holds; never where there are none. Exactly one alternative of exactly one value holds,
/// whatever the cells hold.
struct Digit {
  using Conditions = std::vector<cells::Value>;
  std::vector<std::vector<Conditions>> when;

  std::size_t values() const { return when.size(); }
  /// Number of rules that tell the values apart.
  std::size_t alternatives() const;
};
/// The label of a one-hot cell.
Digit digit(const cells::OneHot& cell);
/// The only value 0: nothing is asked.
Digit no_digit();

/// The outcome for each choice of values; absent where the choice never occurs.
using DecisionOutcome =
    std::function<std::optional<std::uint32_t>(const std::vector<std::uint32_t>& values)>;

/// Rules that assign what `assign` says of the outcome, digit by digit, without asking what no
/// longer matters: values of a digit that all lead to one outcome share one rule.
cells::Rules decision_table(const std::vector<Digit>& digits, const DecisionOutcome& outcome,
                            const std::function<Digit::Conditions(std::uint32_t)>& assign);
/// At least as many as the rules of any table over these digits; stops at 10^18.
std::size_t most_rules(const std::vector<Digit>& digits);

}}  // namespace logdepth::constructions
