#include "oracle/computation_graph_oracle.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace oracle {
namespace {

/// A number 0..prime-1.
std::optional<std::uint32_t> residue(const std::string& text, std::uint32_t prime) {
  const auto number = whole_number(text);
  if (!number || *number >= prime) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

}  // namespace

ComputationGraphOracle::ComputationGraphOracle(std::uint32_t prime,
                                               const std::vector<std::string>& letters)
    : prime_(prime) {
  std::map<std::string, std::size_t> defined;
  std::size_t at = 0;
  const auto refuse = [&](const std::string& expected) {
    throw InputError(fmt::format("letter {} of the graph: expected {}, found {}", at + 1, expected,
                                 at < letters.size() ? in_quotes(letters[at]) : "its end"));
  };
  /// The name at `at`, whose value the token holds before the first iteration.
  const auto variable = [&] {
    const std::string letter = at < letters.size() ? letters[at] : "";
    const std::size_t colon = letter.find(':');
    const auto value = colon == std::string::npos ? std::optional(prime)
                                                  : residue(letter.substr(colon + 1), prime);
    if (!letter.starts_with('x') || !value) refuse("a variable");
    tokens_.push_back({*value, true, false, 0});
    return letter.substr(0, colon);
  };
  const auto sign = [&] {
    tokens_.push_back({prime_ + 1, false, false, 0});
    ++at;
  };
  while (at < letters.size()) {
    Equation equation;
    if (const auto value = residue(letters[at], prime)) {
      equation.leaf = true;
      equation.value = *value;
      tokens_.push_back({*value, false, false, 0});
      ++at;
    } else {
      while (true) {
        const auto found = defined.find(variable());
        if (found == defined.end()) refuse("a variable that is defined before");
        tokens_.back().equation = found->second;
        equation.operands.push_back(found->second);
        equation.depth = std::max(equation.depth, equations_[found->second].depth + 1);
        ++at;
        if (at == letters.size() ||
            (letters[at] != "+" && letters[at] != "-" && letters[at] != "*"))
          break;
        equation.operations.push_back(letters[at][0]);
        sign();
      }
    }
    if (at == letters.size() || letters[at] != "=") refuse("'='");
    sign();
    if (!defined.emplace(variable(), equations_.size()).second) refuse("a new variable");
    tokens_.back().defines = true;
    tokens_.back().equation = equations_.size();
    ++at;
    depth_ = std::max(depth_, equation.depth);
    equations_.push_back(std::move(equation));
    if (at == letters.size()) break;
    if (letters[at] != ";") refuse("';'");
    sign();
  }
}

std::vector<std::uint32_t> ComputationGraphOracle::values(std::uint32_t iterations) const {
  std::vector<std::uint32_t> held(equations_.size()), before;
  for (const Token& token : tokens_)
    if (token.defines) held[token.equation] = token.value;
  for (std::uint32_t t = 0; t < iterations; ++t) {
    before = held;
    for (std::size_t e = 0; e < equations_.size(); ++e) {
      const Equation& equation = equations_[e];
      if (equation.leaf) {
        held[e] = equation.value;
        continue;
      }
      std::int64_t result = before[equation.operands[0]];
      bool known = result < prime_;
      for (std::size_t k = 0; k < equation.operations.size(); ++k) {
        const std::int64_t operand = before[equation.operands[k + 1]];
        known = known && operand < prime_;
        const char operation = equation.operations[k];
        result = operation == '+'   ? result + operand
                 : operation == '-' ? result - operand
                                    : result * operand;
        result = (result % prime_ + prime_) % prime_;
      }
      held[e] = known ? static_cast<std::uint32_t>(result) : prime_;
    }
  }
  std::vector<std::uint32_t> values;
  for (const Token& token : tokens_)
    values.push_back(iterations == 0 || !token.variable ? token.value
                     : token.defines                    ? held[token.equation]
                                                        : before[token.equation]);
  return values;
}

}}  // namespace logdepth::oracle
