#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "learned/records/predictor.hpp"
#include "learned/records/task.hpp"
#include "tests/support/equation_oracle.hpp"

namespace logdepth::laws {

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
inline TokenRows next_state(const TokenRows& now, int modulus, bool left_sides = true) {
  const int empty = modulus + 1;
  const CountedArithmetic arithmetic(modulus);
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
        value = operand == empty ? empty : arithmetic.result(value, operation, operand);
      }
      if (left_sides) row[3] = operand;
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
