#include "proofs-check/check/computation_graphs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/phrases.hpp"
#include "oracle/computation_graph_oracle.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/stream/readout.hpp"

namespace logdepth::inline proofs_check_check {

ComputationGraphDomain::ComputationGraphDomain(const Model& model)
    : model_(model), file_(computation_graph_file(model)) {}

std::vector<std::string> ComputationGraphDomain::letters(
    const ComputationGraphQuestion& question) const {
  std::vector<std::string> letters;
  std::size_t variables = 0;
  const auto variable = [&](std::uint32_t name) {
    std::string letter = fmt::format("x{}", name);
    if (variables < question.held.size() && question.held[variables] < file_.prime)
      letter += fmt::format(":{}", question.held[variables]);
    ++variables;
    letters.push_back(std::move(letter));
  };
  for (const Equation& equation : question.equations) {
    if (!letters.empty()) letters.push_back(";");
    if (equation.operands.empty()) letters.push_back(std::to_string(equation.value));
    for (std::size_t k = 0; k < equation.operands.size(); ++k) {
      if (k > 0) letters.push_back(std::string(1, equation.operations[k - 1]));
      variable(equation.operands[k]);
    }
    letters.push_back("=");
    variable(equation.name);
  }
  return letters;
}

Outcome<Tokens> ComputationGraphDomain::tokens(const ComputationGraphQuestion& question) const {
  return tokens_of(model_, letters(question));
}

std::optional<std::uint32_t> ComputationGraphDomain::loops(
    const ComputationGraphQuestion& question) const {
  if (question.iterations == file_.iterations) return std::nullopt;
  return question.iterations;
}

std::string ComputationGraphDomain::text(const ComputationGraphQuestion& question) const {
  return "'" + joined(letters(question), " ") + "'";
}

std::optional<Failure> ComputationGraphDomain::judge(const ComputationGraphQuestion& question,
                                                     DecidedRun& run, ComparedCounts& counts) {
  const auto letters = this->letters(question);
  const auto right = ComputationGraphOracle(file_.prime, letters).values(question.iterations);
  for (std::size_t i = 0; i < right.size(); ++i) {
    const auto node = [&](std::optional<std::uint32_t> value) {
      return NodeValue{i + 1, letters[i], question.iterations, file_.prime, value};
    };
    const auto got = node_value(run, first_letter(model_) + i, file_.prime);
    if (got != right[i]) return WrongAnswer{node(right[i]), node(got)};
    ++counts.numbers;
    ++counts.answers;
  }
  return std::nullopt;
}

/// No values to begin with, fewer equations, values instead of expressions, fewer operands and
/// iterations, as long as it keeps failing.
ComputationGraphQuestion ComputationGraphDomain::shrunk(
    ComputationGraphQuestion question,
    const std::function<bool(const ComputationGraphQuestion&)>& fails) const {
  const auto becomes = [&](const ComputationGraphQuestion& candidate) {
    if (!fails(candidate)) return false;
    question = candidate;
    return true;
  };
  ComputationGraphQuestion bare = question;
  bare.held.clear();
  if (!becomes(bare)) {
    bare.iterations = static_cast<std::uint32_t>(question.equations.size()) + 1;
    if (!becomes(bare)) return question;
  }
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t i = question.equations.size(); i-- > 0;) {
      const std::uint32_t name = question.equations[i].name;
      const bool used = std::ranges::any_of(question.equations, [&](const Equation& other) {
        return std::ranges::count(other.operands, name) > 0;
      });
      ComputationGraphQuestion candidate = question;
      candidate.equations.erase(candidate.equations.begin() + static_cast<std::ptrdiff_t>(i));
      if (!used && becomes(candidate)) {
        smaller = true;
        continue;
      }
      if (question.equations[i].operands.empty()) continue;
      candidate = question;
      candidate.equations[i].operands.clear();
      candidate.equations[i].operations.clear();
      bool constant = false;
      for (std::uint32_t value = 0; !constant && value < file_.prime; ++value) {
        candidate.equations[i].value = value;
        constant = becomes(candidate);
      }
      if (constant) smaller = true;
      if (constant || question.equations[i].operands.size() == 1) continue;
      candidate = question;
      candidate.equations[i].operands.pop_back();
      candidate.equations[i].operations.pop_back();
      smaller = becomes(candidate) || smaller;
    }
    for (bool fewer = true; fewer && question.iterations > 1;) {
      ComputationGraphQuestion candidate = question;
      --candidate.iterations;
      fewer = becomes(candidate);
      smaller = fewer || smaller;
    }
  }
  return question;
}

}  // namespace logdepth::inline proofs_check_check
