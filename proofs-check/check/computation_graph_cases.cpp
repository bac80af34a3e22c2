#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "logdepth/errors.hpp"
#include "proofs-check/check/computation_graphs.hpp"

namespace logdepth::inline proofs_check_check {
namespace {

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

/// GraphClass of at most `size` equations.
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

Examination<ComputationGraphQuestion> examine_computation_graphs(ExactRuns& runs,
                                                                 ComputationGraphDomain& questions,
                                                                 const Bounds& bounds,
                                                                 const Asking& how) {
  const ComputationGraphFile& file = questions.file();
  Bounds within = bounds;
  within.up_to = std::min<std::size_t>(within.up_to, file.names);
  within.max_size = std::min<std::size_t>(within.max_size, file.names);
  if (within.max_size == 0) within.random = 0;
  constexpr double kMaxGraphs = 1e6;
  const double graphs = count_graphs(file.prime, file.operands, within.up_to);
  if (graphs / static_cast<double>(how.shard.count) > kMaxGraphs)
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
  auto result = examine(runs, questions, std::move(cases), how);
  result.bounds = within;
  return result;
}

}  // namespace logdepth::inline proofs_check_check
