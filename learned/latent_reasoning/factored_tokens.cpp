#include "learned/latent_reasoning/factored_tokens.hpp"

#include <algorithm>
#include <cmath>

namespace logdepth::inline learned_latent_reasoning {
namespace {

bool is_variable(const FactoredToken& token) {
  return token[kSyntaxFactor] == static_cast<std::int32_t>(TokenSyntax::variable);
}

/// Any value but `value`.
std::int32_t other_value(std::int32_t value, const FactorTables& tables, CounterRandom& random) {
  const auto step = static_cast<std::int32_t>(1 + random.below(tables.modulus - 1));
  return (value + step) % static_cast<std::int32_t>(tables.modulus);
}

class TokenWriter {
 public:
  TokenWriter(const FactorTables& tables, GraphTokens& out) : tables_(tables), out_(out) {}

  void write(TokenSyntax syntax) { add(token(syntax), tables_.no_value(), 0); }
  void write_value(std::uint32_t value) {
    FactoredToken written = token(TokenSyntax::value);
    written[kValueFactor] = static_cast<std::int32_t>(value);
    add(written, written[kValueFactor], 0);
  }
  void write_operation(GraphOperation operation) {
    FactoredToken written = token(TokenSyntax::operation);
    written[kOperationFactor] = static_cast<std::int32_t>(operation);
    add(written, tables_.no_value(), 0);
  }
  /// `due`: 0 where the value is never written.
  void write_variable(const GraphNode& node, std::uint32_t due) {
    FactoredToken written = token(TokenSyntax::variable);
    written[kVariableFactor] = static_cast<std::int32_t>(node.name);
    written[kValueFactor] = tables_.empty_value();
    add(written, due == 0 ? tables_.empty_value() : static_cast<std::int32_t>(node.value), due);
  }

 private:
  FactoredToken token(TokenSyntax syntax) const {
    FactoredToken written = tables_.padding();
    written[kSyntaxFactor] = static_cast<std::int32_t>(syntax);
    return written;
  }
  void add(const FactoredToken& written, std::int32_t final, std::uint32_t due) {
    out_.tokens.push_back(written);
    out_.final.push_back(final);
    out_.due.push_back(due);
  }

  const FactorTables& tables_;
  GraphTokens& out_;
};

}  // namespace

GraphTokens graph_tokens(const ComputationGraph& graph, const FactorTables& tables,
                         ValueSupervision supervision) {
  GraphTokens out;
  out.depth = graph.depth();
  TokenWriter writer(tables, out);
  for (const GraphNode& node : graph.nodes) {
    if (node.operands.empty()) writer.write_value(node.value);
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      if (i > 0) writer.write_operation(node.operations[i - 1]);
      const GraphNode& operand = graph.nodes[node.operands[i]];
      writer.write_variable(
          operand, supervision == ValueSupervision::all_occurrences ? operand.depth + 1 : 0);
    }
    writer.write(TokenSyntax::equals);
    out.defining.push_back(static_cast<std::uint32_t>(out.tokens.size()));
    writer.write_variable(node, node.depth);
    writer.write(TokenSyntax::separator);
  }
  return out;
}

FactoredState GraphTokens::state(std::uint32_t t, const FactorTables& tables) const {
  FactoredState now = tokens;
  for (std::size_t i = 0; i < now.size(); ++i)
    now[i][kValueFactor] = due[i] <= t ? final[i] : tables.empty_value();
  return now;
}

std::vector<bool> GraphTokens::right_nodes(const FactoredState& state) const {
  std::vector<bool> right;
  for (const std::uint32_t token : defining)
    right.push_back(state[token][kValueFactor] == final[token]);
  return right;
}

void corrupt(FactoredState& state, const FactorTables& tables, double known, double unknown,
             CounterRandom& random) {
  for (FactoredToken& token : state) {
    if (!is_variable(token)) continue;
    std::int32_t& value = token[kValueFactor];
    if (value == tables.empty_value()) {
      if (random.chance(unknown)) value = static_cast<std::int32_t>(random.below(tables.modulus));
    } else if (random.chance(known)) {
      value = other_value(value, tables, random);
    }
  }
}

std::vector<std::size_t> corrupt_share(FactoredState& state, const FactorTables& tables,
                                       double share, CounterRandom& random) {
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < state.size(); ++i)
    if (is_variable(state[i]) && state[i][kValueFactor] != tables.empty_value()) known.push_back(i);
  const auto count = static_cast<std::size_t>(
      std::max(1.0, std::round(share * static_cast<double>(known.size()))));
  const std::vector<std::uint32_t> order = random.permutation(known.size());
  std::vector<std::size_t> replaced;
  for (std::size_t i = 0; i < std::min(count, known.size()); ++i) {
    replaced.push_back(known[order[i]]);
    std::int32_t& value = state[replaced.back()][kValueFactor];
    value = other_value(value, tables, random);
  }
  return replaced;
}

TaskFormat factored_format(const FactorTables& tables) {
  TaskFormat format;
  format.tables = tables.rows();
  format.view = TaskFormat::View::causal;
  format.readout = TaskFormat::Readout::each_token;
  format.answer = TaskFormat::Answer::one_class;
  format.outputs = tables.rows();
  format.empty = {kValueFactor, static_cast<std::uint32_t>(tables.empty_value())};
  return format;
}

Samples factored_samples(const FactorTables& tables, std::size_t count, std::size_t tokens) {
  Samples samples;
  samples.count = count;
  samples.tokens = samples.size = tokens;
  samples.lengths.resize(count);
  const FactoredToken padding = tables.padding();
  samples.indices.reserve(count * tokens * kFactors);
  for (std::size_t i = 0; i < count * tokens; ++i)
    samples.indices.insert(samples.indices.end(), padding.begin(), padding.end());
  samples.targets.assign(count * tokens * kFactors, Samples::kIgnored);
  return samples;
}

void put_state(Samples& samples, std::size_t i, const FactoredState& state) {
  samples.lengths[i] = static_cast<std::int32_t>(state.size());
  std::int32_t* out = samples.indices.data() + i * samples.tokens * kFactors;
  for (const FactoredToken& token : state) out = std::copy(token.begin(), token.end(), out);
}

void put_targets(Samples& samples, std::size_t i, const FactoredState& state) {
  std::int32_t* out = samples.targets.data() + i * samples.tokens * kFactors;
  for (const FactoredToken& token : state) out = std::copy(token.begin(), token.end(), out);
}

FactoredState answered_state(const Samples& samples, const Answers& answers, std::size_t i,
                             std::size_t tokens) {
  FactoredState state(tokens);
  std::size_t next = i * samples.tokens * kFactors;
  for (FactoredToken& token : state)
    for (std::int32_t& factor : token) factor = answers.at(next++);
  return state;
}

}  // namespace logdepth::inline learned_latent_reasoning
