#include "learned/latent_reasoning/constructed_graphs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "learned/latent_reasoning/latent_steps_task.hpp"
#include "learned/latent_reasoning/runs.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_latent_reasoning {
namespace {

constexpr const char* kOperationLetters = "+-*";
/// Outputs that are no values: empty and n/a.
constexpr std::size_t kBesideValues = 2;

std::string letter_of(const FactoredToken& token, const FactorTables& tables) {
  switch (static_cast<TokenSyntax>(token[kSyntaxFactor])) {
    case TokenSyntax::value:
      return std::to_string(token[kValueFactor]);
    case TokenSyntax::equals:
      return "=";
    case TokenSyntax::variable: {
      const std::int32_t value = token[kValueFactor];
      const std::string name = fmt::format("x{}", token[kVariableFactor]);
      return value < tables.no_value() ? fmt::format("{}:{}", name, value) : name;
    }
    case TokenSyntax::operation:
      return std::string(1, kOperationLetters[token[kOperationFactor]]);
    case TokenSyntax::separator:
    case TokenSyntax::padding:
      break;
  }
  return ";";
}

std::vector<std::string> expected_outputs(std::uint32_t modulus) {
  std::vector<std::string> outputs;
  for (std::uint32_t value = 0; value < modulus; ++value) outputs.push_back(std::to_string(value));
  outputs.insert(outputs.end(), {"empty", "n/a"});
  return outputs;
}

/// Names x0, x1 ... that a file reads without a value.
std::uint32_t names_of(const ExactFile& file) {
  std::uint32_t names = 0;
  while (std::ranges::find(file.letters, fmt::format("x{}", names)) != file.letters.end()) ++names;
  return names;
}

std::uint32_t most_operands(const GraphShape& shape) {
  std::uint32_t most = 0;
  for (std::uint32_t i = 0; i < shape.operand_weights.size(); ++i)
    if (shape.operand_weights[i] > 0) most = i + 1;
  return most;
}

/// Errors: InputError where graphs of this shape are larger than the file was made for.
void check_size(const ExactFile& file, const GraphShape& shape) {
  if (const std::uint32_t names = names_of(file); names < shape.names)
    throw InputError(
        fmt::format("{}: expected the letters x0 to x{}, as many names as the runs have, found {}",
                    file.name, shape.names - 1, names));
  if (const std::uint32_t most = most_operands(shape); file.most_operands < most)
    throw InputError(
        fmt::format("{}: expected a file compiled with --operands at least {}, as many as nodes of "
                    "the runs have, found {}",
                    file.name, most, file.most_operands));
}

RunRecord record_of(const latent::Section& section, const ExactFile& file) {
  LatentStepsConfig task;
  static_cast<GraphTaskSettings&>(task) = section.task();
  task.test_nodes = section.nodes(GraphShape::Generator::uniform);
  task.test_deep_nodes = section.nodes(GraphShape::Generator::deep);
  RunRecord record;
  record.config.seed = section.series.front().runs.front().end.seed;
  task.validation = kConstructedGraphs;
  for (const latent::Series& series : section.series) {
    record.config.seed = std::min(record.config.seed, series.runs.front().end.seed);
    task.validation = std::min(task.validation, series.task().validation);
  }
  record.config.preset = "constructed";
  record.config.task = task;
  record.config.constructed.emplace().weights = file.name;
  record.training = {{"layers_per_iteration", file.layers_per_iteration},
                     {"layers_beside", file.layers_beside}};
  record.result = task.make_task(record.config.seed)
                      ->measure(constructed_predictor(file, task.tables()), 0, {});
  return record;
}

}  // namespace

Predictor constructed_predictor(const ExactFile& file, const FactorTables& tables) {
  return Predict([file, tables](const Samples& samples, std::uint32_t) {
    Answers answers = samples.indices;  // one head for each table
    for (std::size_t i = 0; i < samples.count; ++i) {
      const std::size_t length = samples.length(i);
      const auto first = static_cast<std::ptrdiff_t>(i * samples.tokens * kFactors);
      std::vector<std::string> word;
      for (std::size_t token = 0; token < length; ++token) {
        FactoredToken factors;
        std::copy_n(samples.indices.begin() + first + static_cast<std::ptrdiff_t>(token * kFactors),
                    kFactors, factors.begin());
        word.push_back(letter_of(factors, tables));
      }
      const std::vector<std::uint32_t> values = file.answers(word);
      for (std::size_t token = 0; token < length; ++token) {
        const auto value = static_cast<std::int32_t>(values.at(token));
        answers[static_cast<std::size_t>(first) + token * kFactors + kValueFactor] =
            value < tables.no_value()    ? value
            : value == tables.no_value() ? tables.empty_value()
                                         : tables.no_value();
      }
    }
    return answers;
  });
}

std::vector<RunRecord> with_constructed_graphs(const std::vector<RunRecord>& records,
                                               const ExactFile& file) {
  std::vector<RunRecord> all = records;
  std::set<std::uint32_t> moduli;
  for (const latent::Section& section : latent::sections_of(records)) {
    const GraphShape& shape = section.task().graphs;
    moduli.insert(shape.modulus);
    if (file.outputs != expected_outputs(shape.modulus)) continue;
    check_size(file, shape);
    all.push_back(record_of(section, file));
  }
  if (all.size() == records.size())
    throw InputError(
        fmt::format("{}: expected arithmetic modulo the number of a run, {}, found modulo {} "
                    "(logdepth compile computation-graph)",
                    file.name, fmt::join(moduli, " or "), file.outputs.size() - kBesideValues));
  return all;
}

}  // namespace logdepth::inline learned_latent_reasoning
