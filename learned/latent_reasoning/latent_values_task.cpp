#include "learned/latent_reasoning/latent_values_task.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "learned/records/predictor.hpp"

namespace logdepth::inline learned_latent_reasoning {
namespace {

using Method = LatentValuesConfig::Method;

/// Loops per layer of the graph that a model may take to settle.
constexpr std::uint32_t kLoopsPerLayer = 4;

class LatentValuesTask final : public GraphTask {
 public:
  LatentValuesTask(const LatentValuesConfig& config, std::uint64_t seed)
      : GraphTask(config, seed), config_(config), tables_(config.tables()) {}

  TaskFormat format() const override { return factored_format(tables_); }

 private:
  using Texts = std::vector<GraphTokens>;

  const char* kind() const override { return config_.kind(); }
  std::string method() const override {
    switch (config_.method) {
      case Method::feed_forward:
        return "feed-forward";
      case Method::recurrent:
        return "recurrent";
      case Method::continuous:
        return "continuous";
      case Method::no_oracle:
        break;
    }
    return "no-oracle";
  }
  bool trains_one_depth() const override { return config_.method == Method::recurrent; }

  Texts texts_of(const Graphs& graphs) const {
    Texts texts;
    for (const ComputationGraph& graph : graphs)
      texts.push_back(graph_tokens(graph, tables_, config_.supervised));
    return texts;
  }

  Samples samples_of(const Texts& texts, const std::vector<std::size_t>& chosen) const {
    std::size_t longest = 0;
    for (const std::size_t i : chosen) longest = std::max(longest, texts[i].tokens.size());
    Samples samples = factored_samples(tables_, chosen.size(), longest);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const GraphTokens& text = texts[chosen[i]];
      put_state(samples, i, text.tokens);
      put_targets(samples, i, text.state(text.depth, tables_));
      samples.loops = std::max(samples.loops, text.depth);
    }
    if (config_.method == Method::continuous) put_due(samples, texts, chosen);
    return samples;
  }

  static void put_due(Samples& samples, const Texts& texts,
                      const std::vector<std::size_t>& chosen) {
    samples.due.assign(samples.targets.size(), 1);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const std::vector<std::uint32_t>& due = texts[chosen[i]].due;
      for (std::size_t token = 0; token < due.size(); ++token)
        if (due[token] > 0)
          samples.due[(i * samples.tokens + token) * kFactors + kValueFactor] =
              static_cast<std::int32_t>(due[token]);
    }
  }

  Samples training_samples(std::vector<DrawnGraph> drawn, std::uint64_t) const override {
    Graphs graphs;
    for (DrawnGraph& one : drawn) graphs.push_back(std::move(one.graph));
    std::vector<std::size_t> all(graphs.size());
    std::iota(all.begin(), all.end(), 0);
    return samples_of(texts_of(graphs), all);
  }

  std::vector<GraphAnswer> solve(const Predictor& predictor, const Graphs& graphs) const override {
    const Texts texts = texts_of(graphs);
    std::vector<BatchKey> keys;
    for (const GraphTokens& text : texts) keys.push_back({text.depth, text.tokens.size()});
    std::vector<GraphAnswer> answers(graphs.size());
    const bool one_depth = config_.method != Method::feed_forward;
    for (const std::vector<std::size_t>& batch : batches_of_alike(keys, one_depth)) {
      const Samples samples = samples_of(texts, batch);
      if (config_.method == Method::no_oracle) {
        settle(predictor, samples, texts, batch, answers);
      } else {
        const Answers given = predictor.answers(samples, 0);
        for (std::size_t i = 0; i < batch.size(); ++i)
          answers[batch[i]].right = right_nodes(samples, given, i, texts[batch[i]]);
      }
    }
    return answers;
  }

  static std::vector<bool> right_nodes(const Samples& samples, const Answers& given, std::size_t i,
                                       const GraphTokens& text) {
    return text.right_nodes(answered_state(samples, given, i, text.tokens.size()));
  }

  /// Precondition: the graphs have one depth.
  static void settle(const Predictor& predictor, const Samples& samples, const Texts& texts,
                     const std::vector<std::size_t>& batch, std::vector<GraphAnswer>& answers) {
    std::vector<std::uint32_t> loops(std::size_t{kLoopsPerLayer} * samples.loops);
    std::iota(loops.begin(), loops.end(), 1);
    const std::vector<Answers> after = predictor.answers_after(samples, loops);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const GraphTokens& text = texts[batch[i]];
      GraphAnswer& answer = answers[batch[i]];
      answer.settling.emplace();
      std::uint32_t changed = 0;  // the last loop that changed something
      FactoredState now = text.tokens;
      for (std::uint32_t t = 1; t <= after.size(); ++t) {
        FactoredState next = answered_state(samples, after[t - 1], i, text.tokens.size());
        if (next != now) changed = t;
        now = std::move(next);
        answer.right = text.right_nodes(now);
        answer.settling->solved_after.push_back(answer.solved());
      }
      if (changed < after.size()) answer.settling->iterations = changed;
    }
  }

  LatentValuesConfig config_;
  FactorTables tables_;
};

}  // namespace

std::unique_ptr<TaskSettings> LatentValuesConfig::clone() const {
  return std::make_unique<LatentValuesConfig>(*this);
}

void LatentValuesConfig::visit(SettingVisitor& visit) {
  visit_graphs(visit);
  visit("method", method, {"feed-forward", "recurrent", "continuous", "no-oracle"});
  visit("supervised", supervised, {"all-occurrences", "definition-only"});
}

std::uint32_t LatentValuesConfig::most_loops() const {
  if (method != Method::no_oracle) return 0;
  std::uint32_t nodes = 0;  // no graph is deeper
  for (const auto* cells : {&test_nodes, &test_deep_nodes})
    for (const std::uint32_t measured : *cells) nodes = std::max(nodes, measured);
  return kLoopsPerLayer * nodes;
}

std::unique_ptr<Task> LatentValuesConfig::make_task(std::uint64_t seed) const {
  return std::make_unique<LatentValuesTask>(*this, seed);
}

}  // namespace logdepth::inline learned_latent_reasoning
