#include "proofs-check/check/test_computation_graph.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "logdepth/errors.hpp"
#include "oracle/computation_graph_oracle.hpp"
#include "proofs-check/check/computation_graph_run.hpp"

namespace logdepth {
namespace {

/// `name = operand o operand ...` or, without operands, `name = value`. Names are numbers.
struct TestedEquation {
  std::uint32_t name = 0, value = 0;
  std::vector<std::uint32_t> operands;
  std::string operations;  ///< one less
};
using TestedGraph = std::vector<TestedEquation>;

/// A number from 0 to below - 1: the same on every platform, as the library's distribution is not.
std::uint32_t draw(std::mt19937_64& random, std::size_t below) {
  return static_cast<std::uint32_t>(random() % below);
}

/// `state`: how a variable's letter goes on after its name, per token.
template <class State>
std::vector<std::string> letters_of(const TestedGraph& graph, State state) {
  std::vector<std::string> letters;
  const auto variable = [&](std::uint32_t name) {
    letters.push_back(fmt::format("x{}{}", name, state()));
  };
  for (const TestedEquation& equation : graph) {
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

/// Every list of equations that can follow `graph`, whose names are 0, 1, ... in order.
template <class Visit>
void each_equation(std::uint32_t prime, std::uint32_t operands, std::uint32_t name, Visit visit) {
  for (std::uint32_t value = 0; value < prime; ++value) visit(TestedEquation{name, value, {}, {}});
  const auto extend = [&](auto&& self, TestedEquation equation) -> void {
    for (std::uint32_t operand = 0; operand < name; ++operand) {
      if (std::ranges::count(equation.operands, operand) > 0) continue;
      const bool first = equation.operands.empty();
      for (const char operation : first ? std::string(1, '=') : std::string("+-*")) {
        TestedEquation longer = equation;
        longer.operands.push_back(operand);
        if (!first) longer.operations.push_back(operation);
        visit(longer);
        if (longer.operands.size() < operands) self(self, longer);
      }
    }
  };
  if (operands > 0) extend(extend, TestedEquation{name, 0, {}, {}});
}

class GraphTest {
 public:
  GraphTest(const Model& model, const ComputationGraphTestOptions& options,
            ComputationGraphReport& report)
      : options_(options), report_(report), run_(model), random_(options.seed) {}

  const ComputationGraphRun& run() const { return run_; }

  /// Both questions about a graph whose names are 0, 1, ...; false ends the test. Of a graph that is
  /// another shard's, everything is drawn and nothing asked.
  bool check(TestedGraph graph, bool asked) {
    std::vector<std::uint32_t> names(run_.names());
    std::iota(names.begin(), names.end(), 0u);
    for (std::size_t i = 0; i < graph.size(); ++i)
      std::swap(names[i], names[i + draw(random_, names.size() - i)]);
    for (TestedEquation& equation : graph) {
      equation.name = names[equation.name];
      for (std::uint32_t& operand : equation.operands) operand = names[operand];
    }
    const std::uint32_t some = 1 + draw(random_, graph.size() + 1);
    const auto states = letters_of(graph, [&] { return random_state(); });
    return !asked || (ask(graph, letters_of(graph, [] { return ""; }), run_.own_iterations()) &&
                      ask(graph, states, some));
  }

  TestedGraph random_graph(std::size_t size) {
    TestedGraph graph;
    for (std::uint32_t name = 0; name < size; ++name) {
      TestedEquation equation{name, draw(random_, run_.prime()), {}, {}};
      const std::size_t operands =
          draw(random_, 4) == 0 ? 0
                                : std::min<std::size_t>(name, 1 + draw(random_, options_.operands));
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

 private:
  std::string random_state() {
    const std::uint32_t value = draw(random_, run_.prime() + 1);
    return value == run_.prime() ? "" : fmt::format(":{}", value);
  }

  bool ask(const TestedGraph& graph, const std::vector<std::string>& letters,
           std::uint32_t iterations) {
    const auto found = mismatch(letters, iterations, true);
    if (!found) return true;
    report_.counterexample = {letters, iterations, found->expected, found->got, letters.size(), 0};
    shrink(graph, *report_.counterexample);
    return false;
  }

  std::optional<Mismatch> mismatch(const std::vector<std::string>& letters,
                                   std::uint32_t iterations, bool count) {
    const auto right = ComputationGraphOracle(run_.prime(), letters).values(iterations);
    std::optional<Mismatch> found;
    const auto got = run_.values(letters, iterations, found);
    if (!got) return found;
    const auto text = [&](std::uint32_t value) {
      return value < run_.prime() ? std::to_string(value) : value == run_.prime() ? "empty" : "n/a";
    };
    for (std::size_t i = 0; i < right.size(); ++i) {
      report_.values += count;
      if ((*got)[i] != right[i])
        return Mismatch{TestedProperty::answer,
                        fmt::format("{} at letter {} ({}) after {} iterations", text(right[i]),
                                    i + 1, letters[i], iterations),
                        text((*got)[i])};
    }
    return std::nullopt;
  }

  /// No values to begin with, fewer equations, values instead of expressions, fewer operands and
  /// iterations, as long as it keeps failing.
  void shrink(TestedGraph graph, ComputationGraphCounterexample& example) {
    const auto attempt = [&](const std::vector<std::string>& letters, std::uint32_t iterations) {
      const auto found = mismatch(letters, iterations, false);
      if (!found) return false;
      example.letters = letters;
      example.iterations = iterations;
      example.expected = found->expected;
      example.got = found->got;
      return true;
    };
    const auto bare = letters_of(graph, [] { return ""; });
    if (!attempt(bare, example.iterations) &&
        !attempt(bare, static_cast<std::uint32_t>(graph.size()) + 1))
      return;
    const auto attempt_graph = [&](const TestedGraph& smaller) {
      if (!attempt(letters_of(smaller, [] { return ""; }), example.iterations)) return false;
      graph = smaller;
      return true;
    };
    for (bool smaller = true; smaller;) {
      smaller = false;
      for (std::size_t i = graph.size(); i-- > 0;) {
        const bool used = std::ranges::any_of(graph, [&](const TestedEquation& other) {
          return std::ranges::count(other.operands, graph[i].name) > 0;
        });
        TestedGraph candidate = graph;
        candidate.erase(candidate.begin() + static_cast<std::ptrdiff_t>(i));
        if (!used && attempt_graph(candidate)) {
          smaller = true;
          continue;
        }
        if (graph[i].operands.empty()) continue;
        candidate = graph;
        candidate[i].operands.clear();
        candidate[i].operations.clear();
        bool constant = false;
        for (std::uint32_t value = 0; !constant && value < run_.prime(); ++value) {
          candidate[i].value = value;
          constant = attempt_graph(candidate);
        }
        if (constant) smaller = true;
        if (constant || graph[i].operands.size() == 1) continue;
        candidate = graph;
        candidate[i].operands.pop_back();
        candidate[i].operations.pop_back();
        smaller = attempt_graph(candidate) || smaller;
      }
      while (example.iterations > 1 && attempt(example.letters, example.iterations - 1))
        smaller = true;
    }
  }

  const ComputationGraphTestOptions& options_;
  ComputationGraphReport& report_;
  ComputationGraphRun run_;
  std::mt19937_64 random_;
};

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

}  // namespace

ComputationGraphReport test_computation_graph(const Model& model,
                                              const ComputationGraphTestOptions& options) {
  ComputationGraphReport report;
  GraphTest test(model, options, report);
  const std::size_t names = test.run().names();
  report.up_to = std::min(options.up_to, names);
  report.max_size = std::min(options.max_size, names);
  report.seed = options.seed;
  constexpr double kMaxGraphs = 1e6;
  const double graphs = count_graphs(test.run().prime(), options.operands, report.up_to);
  if (graphs / static_cast<double>(options.shard.count) > kMaxGraphs)
    throw SizeLimit(fmt::format("--up-to {} means {:.2g} graphs modulo {}; lower it", options.up_to,
                                graphs, test.run().prime()));
  const std::size_t total =
      (static_cast<std::size_t>(graphs) + options.random) / options.shard.count;
  NumberedCases cases(options.shard);
  const auto check = [&](const TestedGraph& graph, std::size_t& count) {
    const bool asked = cases.next();
    count += asked;
    if (asked && options.progress)
      options.progress(report.exhaustive_graphs + report.random_graphs, total);
    if (test.check(graph, asked)) return true;
    report.counterexample->number = cases.number();
    return false;
  };

  bool fine = true;
  const auto extend = [&](auto&& self, const TestedGraph& graph) -> void {
    if (graph.size() == report.up_to) return;
    each_equation(test.run().prime(), options.operands, static_cast<std::uint32_t>(graph.size()),
                  [&](const TestedEquation& equation) {
                    if (!fine) return;
                    TestedGraph longer = graph;
                    longer.push_back(equation);
                    fine = check(longer, report.exhaustive_graphs);
                    self(self, longer);
                  });
  };
  extend(extend, {});
  std::mt19937_64 sizes(options.seed);
  for (std::size_t k = 0; fine && report.max_size > 0 && k < options.random; ++k) {
    fine = check(test.random_graph(1 + draw(sizes, report.max_size)), report.random_graphs);
  }
  report.promises = test.run().run().promises();
  report.unevaluated = test.run().run().unevaluated();
  return report;
}

}  // namespace logdepth
