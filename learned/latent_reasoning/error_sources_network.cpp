#include "learned/latent_reasoning/error_sources_network.hpp"

#include <algorithm>

#include "learned/latent_reasoning/probe_texts.hpp"

namespace logdepth::inline learned_latent_reasoning {
namespace {

constexpr std::size_t kGraphs = 100, kGraphsAtOnce = 10;
/// Training and measures count their steps from 0; probe texts use the number before this one.
constexpr std::uint64_t kErrorStep = (std::uint64_t{1} << 61) + 1;

/// A sum that was asked for.
struct Question {
  std::int32_t answer = 0;
  std::vector<std::uint32_t> tokens, values;  ///< of its operands
};

enum class Source { first_attention, copy, calculation, not_judged };

class ErrorJudge {
 public:
  explicit ErrorJudge(const ErrorCircuit& circuit) : circuit_(circuit) {
    for (std::size_t i = 0; i < circuit.copying.size(); ++i) {
      const Tensor outputs = of_heads(circuit.value_outputs[i], circuit.copying[i]);
      means_.push_back(outputs.mean(0));
      expected_.push_back(outputs - means_.back());
    }
  }

  /// `row`: of the reading.
  Source source(const CircuitReading& reading, std::int64_t row, const Question& question) const {
    // The first operand of a shorter equation stands where a later one of the longest stands.
    const std::size_t skipped = circuit_.naming.size() - question.tokens.size();
    for (std::size_t i = 0; i < question.tokens.size(); ++i) {
      const auto& heads = circuit_.naming[skipped + i];
      if (heads.empty()) continue;
      double attended = 0;
      for (const std::uint32_t head : heads)
        attended += reading.layers.front().weights[row][head][question.tokens[i]].item<double>();
      if (attended < kAttended * static_cast<double>(heads.size())) return Source::first_attention;
    }
    bool judged = true;
    for (std::size_t i = 0; i < question.values.size(); ++i) {
      const std::size_t operand = skipped + i;
      if (circuit_.copying[operand].empty()) {
        judged = false;
        continue;
      }
      const Tensor output =
          of_heads(reading.layers.back().outputs[row], circuit_.copying[operand]) - means_[operand];
      const Tensor expected = expected_[operand][question.values[i]];
      const double norms = (output.norm() * expected.norm()).item<double>();
      if (output.dot(expected).item<double>() < kCopied * norms) return Source::copy;
    }
    return judged ? Source::calculation : Source::not_judged;
  }

 private:
  /// The sum over these heads; `outputs` [..., heads, width].
  static Tensor of_heads(const Tensor& outputs, const std::vector<std::uint32_t>& heads) {
    Tensor sum = torch::zeros_like(outputs.select(-2, 0));
    for (const std::uint32_t head : heads) sum += outputs.select(-2, head);
    return sum;
  }

  const ErrorCircuit& circuit_;
  std::vector<Tensor> means_, expected_;
};

void count(ErrorSources& sources, Source source) {
  ++sources.wrong;
  switch (source) {
    case Source::first_attention:
      ++sources.first_attention;
      break;
    case Source::copy:
      ++sources.copy;
      break;
    case Source::calculation:
      ++sources.calculation;
      break;
    case Source::not_judged:
      ++sources.not_judged;
      break;
  }
}

}  // namespace

ErrorSources error_sources(const CircuitReader& reader, const LatentStepsConfig& task,
                           const ErrorCircuit& circuit, std::uint64_t seed) {
  const FactorTables tables = task.tables();
  const ErrorJudge judge(circuit);
  GraphShape shape = task.graphs;
  const bool deep = task.test_nodes.empty();
  shape.generator = deep ? GraphShape::Generator::deep : GraphShape::Generator::uniform;
  ErrorSources sources;
  sources.graphs = kGraphs;
  sources.nodes = deep ? task.test_deep_nodes.back() : task.test_nodes.back();
  for (std::size_t first = 0; first < kGraphs; first += kGraphsAtOnce) {
    std::vector<FactoredState> states;
    std::vector<TokenPlace> places;
    std::vector<Question> questions;
    for (std::size_t i = first; i < first + kGraphsAtOnce; ++i) {
      CounterRandom random(seed, RandomStream::validation, kErrorStep, i);
      const ComputationGraph graph = draw_graph(shape, sources.nodes, random);
      const GraphTokens text = graph_tokens(graph, tables, task.supervised);
      for (std::uint32_t t = 2; t <= text.depth; ++t) {
        for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
          const GraphNode& node = graph.nodes[n];
          if (node.depth != t) continue;
          places.push_back({states.size(), text.defining[n]});
          Question question{text.final[text.defining[n]],
                            operand_tokens(text.defining[n], node.operands.size()),
                            {}};
          for (const std::uint32_t operand : node.operands)
            question.values.push_back(graph.nodes[operand].value);
          questions.push_back(std::move(question));
        }
        states.push_back(text.state(t - 1, tables));
      }
    }
    const CircuitReading reading = reader(states, places);
    const Tensor answers = reading.values.argmax(-1);
    sources.equations += questions.size();
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const auto row = static_cast<std::int64_t>(i);
      if (answers[row].item<std::int64_t>() != questions[i].answer)
        count(sources, judge.source(reading, row, questions[i]));
    }
  }
  return sources;
}

}  // namespace logdepth::inline learned_latent_reasoning
