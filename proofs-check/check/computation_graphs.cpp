#include "proofs-check/check/computation_graphs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <utility>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "oracle/computation_graph_oracle.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/stream/readout.hpp"

namespace logdepth { inline namespace proofs_check_check {
namespace {

[[noreturn]] void refuse_file(const Model& model, const std::string& reason) {
  throw InputError("the weights file " + in_quotes(model.name) +
                   " is not about computation graphs: " + reason);
}

using Equations = std::vector<Equation>;

/// A number from 0 to below - 1: the same on every platform, as the library's distribution is not.
std::uint32_t draw(std::mt19937_64& random, std::size_t below) {
  return static_cast<std::uint32_t>(random() % below);
}

/// Every equation for the next name, over the names before it.
std::vector<Equation> equations_of(std::uint32_t name, std::uint32_t prime,
                                   std::uint32_t operands) {
  std::vector<Equation> all;
  for (std::uint32_t value = 0; value < prime; ++value) all.push_back({name, value, {}, {}});
  const auto extend = [&](auto&& self, const Equation& equation) -> void {
    for (std::uint32_t operand = 0; operand < name; ++operand) {
      if (std::ranges::count(equation.operands, operand) > 0) continue;
      const bool first = equation.operands.empty();
      for (const char operation : first ? std::string(1, '=') : std::string("+-*")) {
        Equation longer = equation;
        longer.operands.push_back(operand);
        if (!first) longer.operations.push_back(operation);
        all.push_back(longer);
        if (longer.operands.size() < operands) self(self, longer);
      }
    }
  };
  if (operands > 0) extend(extend, Equation{name, 0, {}, {}});
  return all;
}

/// Graphs of at most `size` equations.
double count_graphs(std::uint32_t prime, std::uint32_t operands, std::size_t size) {
  double graphs = 1, all = 0;
  for (std::uint32_t name = 0; name < size; ++name) {
    double equations = prime, expressions = 1;
    for (std::uint32_t k = 0; k < std::min(operands, name); ++k) {
      expressions *= (name - k) * (k == 0 ? 1.0 : 3.0);
      equations += expressions;
    }
    graphs *= equations;
    all += graphs;
  }
  return all;
}

/// Every graph of at most so many equations: all that begin like one after it.
class EveryGraph {
 public:
  EveryGraph(const ComputationGraphFile& file, std::size_t up_to) {
    for (std::uint32_t name = 0; name < up_to; ++name)
      choices_.push_back(equations_of(name, file.prime, file.operands));
  }
  std::optional<Equations> next() {
    if (ended_) return std::nullopt;
    if (chosen_.size() < choices_.size()) {
      chosen_.push_back(0);
    } else {
      while (!chosen_.empty() && chosen_.back() + 1 == choices_[chosen_.size() - 1].size())
        chosen_.pop_back();
      ended_ = chosen_.empty();
      if (ended_) return std::nullopt;
      ++chosen_.back();
    }
    Equations graph;
    for (std::size_t i = 0; i < chosen_.size(); ++i) graph.push_back(choices_[i][chosen_[i]]);
    return graph;
  }

 private:
  std::vector<std::vector<Equation>> choices_;  // by name
  std::vector<std::size_t> chosen_;
  bool ended_ = false;
};

class RandomGraphs {
 public:
  RandomGraphs(const ComputationGraphFile& file, std::uint64_t seed)
      : file_(file), sizes_(seed), random_(seed) {}

  Equations graph(std::size_t max_size) {
    const std::size_t size = 1 + draw(sizes_, max_size);
    Equations graph;
    for (std::uint32_t name = 0; name < size; ++name) {
      Equation equation{name, draw(random_, file_.prime), {}, {}};
      const std::size_t operands =
          draw(random_, 4) == 0 ? 0
                                : std::min<std::size_t>(name, 1 + draw(random_, file_.operands));
      while (equation.operands.size() < operands) {
        // Half of the operands are one of the last three, which makes graphs deep.
        const std::uint32_t near = std::min(name, 3u);
        const std::uint32_t operand =
            draw(random_, 2) == 0 ? draw(random_, name) : name - 1 - draw(random_, near);
        if (std::ranges::count(equation.operands, operand) > 0) continue;
        if (!equation.operands.empty()) equation.operations.push_back("+-*"[draw(random_, 3)]);
        equation.operands.push_back(operand);
      }
      graph.push_back(std::move(equation));
    }
    return graph;
  }

  /// Both questions about a graph, under random names.
  AskedCase<ComputationGraphQuestion> about(CaseStage stage, Equations graph) {
    std::vector<std::uint32_t> names(file_.names);
    std::iota(names.begin(), names.end(), 0u);
    for (std::size_t i = 0; i < graph.size(); ++i)
      std::swap(names[i], names[i + draw(random_, names.size() - i)]);
    for (Equation& equation : graph) {
      equation.name = names[equation.name];
      for (std::uint32_t& operand : equation.operands) operand = names[operand];
    }
    const std::uint32_t some = 1 + draw(random_, graph.size() + 1);
    std::vector<std::uint32_t> held;
    for (const Equation& equation : graph)
      for (std::size_t variable = 0; variable <= equation.operands.size(); ++variable)
        held.push_back(draw(random_, file_.prime + 1));
    return {stage, {{graph, {}, file_.iterations}, {graph, std::move(held), some}}};
  }

 private:
  const ComputationGraphFile file_;
  std::mt19937_64 sizes_, random_;
};

}  // namespace

ComputationGraphDomain::ComputationGraphDomain(const Model& model)
    : TestDomain(model), file_(computation_graph_file(model)) {}

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

ComputationGraphFile computation_graph_file(const Model& model) {
  const auto* output = std::get_if<CellsOutput>(&model.output);
  if (!std::holds_alternative<WordInput>(model.input) || !output)
    refuse_file(model, "it does not answer words with named values");
  if (model.unroll.kind != Unroll::Kind::fixed || model.shape.repeated == 0)
    refuse_file(model, "it has no block that is repeated a fixed number of times");
  ComputationGraphFile file;
  file.iterations = model.unroll.loops;
  file.prime = static_cast<std::uint32_t>(std::max<std::size_t>(output->names.size(), 2) - 2);
  std::vector<std::string> expected;
  for (std::uint32_t v = 0; v < file.prime; ++v) expected.push_back(std::to_string(v));
  expected.insert(expected.end(), {"empty", "n/a"});
  if (file.prime == 0 || output->names != expected)
    refuse_file(model, "expected the outputs 0 to p-1, empty and n/a");
  const std::set<std::string> letters(model.alphabet.begin(), model.alphabet.end());
  while (letters.contains(fmt::format("x{}", file.names))) ++file.names;
  if (file.names == 0) refuse_file(model, "expected the letters x0, x1 and so on");
  const std::string* said = text_in(model.parameters, "operands");
  file.operands = said && *said == "1" ? 1 : said && *said == "2" ? 2 : 3;
  return file;
}

std::optional<std::uint32_t> node_value(DecidedRun& run, std::size_t token, std::uint32_t prime) {
  const auto logits = run.logits(token);
  if (!logits.has_value()) return std::nullopt;
  std::optional<std::uint32_t> value;
  for (std::uint32_t row = 0; row < prime + 2; ++row) {
    const std::string& logit = logits.value()[row];
    if (logit == "0") continue;
    if (logit != "1" || value) return std::nullopt;
    value = row;
  }
  return value;
}

Examination<ComputationGraphQuestion> examine_computation_graphs(ComputationGraphDomain& questions,
                                                                 const Bounds& bounds,
                                                                 const Asking& how) {
  const ComputationGraphFile& file = questions.file();
  Bounds within = bounds;
  within.up_to = std::min<std::size_t>(within.up_to, file.names);
  within.max_size = std::min<std::size_t>(within.max_size, file.names);
  if (within.max_size == 0) within.random = 0;
  constexpr double kMaxGraphs = 1e6;
  const double graphs = count_graphs(file.prime, file.operands, within.up_to);
  if (graphs > kMaxGraphs)
    throw SizeLimit(fmt::format("--up-to {} requires {:.2g} graphs modulo {}; lower it",
                                within.up_to, graphs, file.prime));
  EveryGraph every(file, within.up_to);
  RandomGraphs drawn(file, within.seed);
  std::size_t left = within.random;
  CaseGenerator<ComputationGraphQuestion> cases{
      [&]() -> std::optional<AskedCase<ComputationGraphQuestion>> {
        if (auto graph = every.next()) return drawn.about(CaseStage::exhaustive, std::move(*graph));
        if (left == 0) return std::nullopt;
        --left;
        return drawn.about(CaseStage::random, drawn.graph(within.max_size));
      },
      static_cast<std::size_t>(graphs) + within.random};
  auto result = examine(questions, std::move(cases), how);
  result.bounds = within;
  return result;
}

}}  // namespace logdepth::proofs_check_check
