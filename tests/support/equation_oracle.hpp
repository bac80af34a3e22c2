#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "learned/records/task.hpp"

namespace logdepth::laws {

/// `operation`: one of + - x.
inline int calculated(int a, char operation, int b, int modulus) {
  const int result = operation == '+' ? a + b : operation == 'x' ? a * b : a - b + modulus;
  return result % modulus;
}

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
  EquationOracle(const std::vector<ReadEquation>& equations, int modulus) : modulus_(modulus) {
    for (const ReadEquation& equation : equations) by_target_[equation.target] = equation;
  }

  int value(int variable) {
    if (const auto known = values_.find(variable); known != values_.end()) return known->second;
    const ReadEquation& equation = by_target_.at(variable);
    int result = equation.constant ? *equation.constant : value(equation.operands.front());
    for (std::size_t i = 1; i < equation.operands.size(); ++i)
      result =
          calculated(result, equation.operations[i - 1], value(equation.operands[i]), modulus_);
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
  int modulus_;
  std::map<int, ReadEquation> by_target_;
  std::map<int, int> values_, depths_;
};

/// Rows of four factors, as the specification of latent reasoning numbers them: syntax 0 value, 1 =,
/// 2 variable, 3 operation, 4 separator, 5 padding; operations + - x.
using TokenRow = std::array<int, 4>;
using TokenRows = std::vector<TokenRow>;

inline TokenRows rows_of_sample(const Samples& samples, std::size_t i) {
  TokenRows rows;
  for (int token = 0; token < samples.lengths.at(i); ++token) {
    const std::int32_t* row = samples.indices.data() + (i * samples.tokens + token) * 4;
    rows.push_back({row[0], row[1], row[2], row[3]});
  }
  return rows;
}

inline std::vector<ReadEquation> equations_of_rows(const TokenRows& rows) {
  std::vector<ReadEquation> equations;
  ReadEquation now;
  bool right = false;
  for (const TokenRow& row : rows) {
    if (row[0] == 0) now.constant = row[3];
    if (row[0] == 1) right = true;
    if (row[0] == 2 && !right) now.operands.push_back(row[1]);
    if (row[0] == 2 && right) now.target = row[1];
    if (row[0] == 3) now.operations += "+-x"[row[2]];
    if (row[0] != 4) continue;
    equations.push_back(now);
    now = {};
    right = false;
  }
  return equations;
}

/// "2 = x3 ; x3 + x1[4] = x22[?] ;": known values of variables in brackets, ? for empty.
inline std::string text_of_rows(const TokenRows& rows, int modulus) {
  std::string text;
  for (const TokenRow& row : rows) {
    if (row[0] == 0) text += std::to_string(row[3]);
    if (row[0] == 1) text += "=";
    if (row[0] == 2)
      text += "x" + std::to_string(row[1]) + "[" +
              (row[3] == modulus + 1 ? "?" : std::to_string(row[3])) + "]";
    if (row[0] == 3) text += "+-x"[row[2]];
    if (row[0] == 4) text += ";";
    if (row[0] == 5) text += "_";
    text += " ";
  }
  return text.substr(0, text.size() - 1);
}

/// One iteration of the layer-by-layer algorithm on the tokens alone: a variable on the left gets
/// what its defining token says now, one on the right what its operands' defining tokens say now.
inline TokenRows next_state(const TokenRows& now, int modulus) {
  const int empty = modulus + 1;
  std::map<int, int> said;  // by the defining tokens
  for (std::size_t i = 1; i < now.size(); ++i)
    if (now[i - 1][0] == 1) said[now[i][1]] = now[i][3];
  TokenRows next = now;
  int value = empty;
  char operation = ' ';
  bool begins = true, right = false;
  for (TokenRow& row : next) {
    if (row[0] == 0) value = row[3];
    if (row[0] == 1) right = true;
    if (row[0] == 3) operation = "+-x"[row[2]];
    if (row[0] == 2 && !right) {
      const int operand = said.at(row[1]);
      if (begins) {
        value = operand;
      } else if (value != empty) {
        value = operand == empty ? empty : calculated(value, operation, operand, modulus);
      }
      row[3] = operand;
    }
    if (row[0] == 2 && right) row[3] = value;
    begins = row[0] == 4;
    if (begins) right = false;
  }
  return next;
}

/// Answers with what `change` makes of each sample's tokens; padding gets `padding`.
inline Predict answering(
    std::function<TokenRows(const TokenRows&, std::uint32_t loops)> change,
    std::function<int()> padding = [] { return 0; }) {
  return [=](const Samples& samples, std::uint32_t loops) {
    Answers answers(samples.targets.size());
    for (std::int32_t& answer : answers) answer = padding();
    for (std::size_t i = 0; i < samples.count; ++i) {
      const TokenRows rows = change(rows_of_sample(samples, i), loops > 0 ? loops : samples.loops);
      for (std::size_t token = 0; token < rows.size(); ++token)
        std::copy(rows[token].begin(), rows[token].end(),
                  answers.begin() + static_cast<std::ptrdiff_t>((i * samples.tokens + token) * 4));
    }
    return answers;
  };
}

}  // namespace logdepth::laws
