#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace logdepth::laws {

/// Arithmetic modulo p by tables that counting alone makes: the other half of tests of computation
/// graphs, sharing nothing with what draws and evaluates them.
class CountedArithmetic {
 public:
  explicit CountedArithmetic(int modulus) : p_(modulus), sum_(modulus), product_(modulus) {
    const auto next = [&](int a) { return a + 1 == p_ ? 0 : a + 1; };
    for (int a = 0; a < p_; ++a) {
      int value = a;
      for (int b = 0; b < p_; ++b, value = next(value)) sum_[a].push_back(value);
    }
    for (int a = 0; a < p_; ++a) {
      int value = 0;
      for (int b = 0; b < p_; ++b, value = sum_[value][a]) product_[a].push_back(value);
    }
  }

  /// `operation`: one of + - x.
  int result(int a, char operation, int b) const {
    if (operation == '+') return sum_[a][b];
    if (operation == 'x') return product_[a][b];
    int difference = 0;  // the number that gives a when b is added
    while (sum_[difference][b] != a) ++difference;
    return difference;
  }

 private:
  int p_;
  std::vector<std::vector<int>> sum_, product_;
};

/// `v = x` or `a o b o c = x`, as a test read it off tokens or words.
struct ReadEquation {
  std::optional<int> constant;
  std::vector<int> operands;
  std::string operations;
  int target = 0;
};

/// Values and depths of all variables, each asked of the equation that defines it.
class EquationOracle {
 public:
  EquationOracle(const std::vector<ReadEquation>& equations, int modulus) : arithmetic_(modulus) {
    for (const ReadEquation& equation : equations) by_target_[equation.target] = equation;
  }

  int value(int variable) {
    if (const auto known = values_.find(variable); known != values_.end()) return known->second;
    const ReadEquation& equation = by_target_.at(variable);
    int result = equation.constant ? *equation.constant : value(equation.operands.front());
    for (std::size_t i = 1; i < equation.operands.size(); ++i)
      result = arithmetic_.result(result, equation.operations[i - 1], value(equation.operands[i]));
    return values_[variable] = result;
  }
  int depth(int variable) {
    if (const auto known = depths_.find(variable); known != depths_.end()) return known->second;
    int most = 0;
    for (const int operand : by_target_.at(variable).operands)
      most = std::max(most, depth(operand));
    return depths_[variable] = most + 1;
  }
  int depth() {
    int most = 0;
    for (const auto& [variable, equation] : by_target_) most = std::max(most, depth(variable));
    return most;
  }

 private:
  CountedArithmetic arithmetic_;
  std::map<int, ReadEquation> by_target_;
  std::map<int, int> values_, depths_;
};

}  // namespace logdepth::laws
