#include "learned/latent_reasoning/latent_steps_task.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "learned/latent_reasoning/discrete_loop.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_latent_reasoning {
namespace {

/// Iterations of training beyond the depth of a graph, so that a finished state is left as it is.
constexpr std::uint32_t kIterationsAfter = 3;
/// Iterations of a measured loop per layer of the graph.
constexpr std::uint32_t kIterationsPerLayer = 4;
/// Share of the known values that are replaced before recovery is measured.
constexpr double kReplaced = 0.1;

void expect_share(double value, const char* setting) {
  if (!(value >= 0 && value <= 1))
    throw InputError(std::string(setting) + ": expected a share from 0 to 1, found " +
                     nlohmann::json(value).dump());
}

class LatentStepsTask final : public GraphTask {
 public:
  LatentStepsTask(const LatentStepsConfig& config, std::uint64_t seed)
      : GraphTask(config, seed), config_(config), tables_(config.tables()) {
    expect_share(config.corrupted, "task.corrupted");
    expect_share(config.corrupted_known, "task.corrupted_known");
    expect_share(config.corrupted_empty, "task.corrupted_empty");
  }

  TaskFormat format() const override { return factored_format(tables_); }

 private:
  const char* kind() const override { return config_.kind(); }
  std::string method() const override { return config_.corrupted > 0 ? "corrected" : "discrete"; }

  GraphTokens tokens_of(const ComputationGraph& graph) const {
    return graph_tokens(graph, tables_, config_.supervised);
  }

  Samples training_samples(std::vector<DrawnGraph> drawn, std::uint64_t step) const override {
    std::vector<GraphTokens> texts;
    std::size_t longest = 0;
    for (const DrawnGraph& one : drawn) {
      texts.push_back(tokens_of(one.graph));
      longest = std::max(longest, texts.back().tokens.size());
    }
    Samples samples = factored_samples(tables_, drawn.size(), longest);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto t =
          static_cast<std::uint32_t>(drawn[i].random.below(texts[i].depth + kIterationsAfter + 1));
      FactoredState state = texts[i].state(t, tables_);
      CounterRandom errors(seed(), RandomStream::corruption, step, i);
      if (errors.chance(config_.corrupted))
        corrupt(state, tables_, config_.corrupted_known, config_.corrupted_empty, errors);
      put_state(samples, i, state);
      put_targets(samples, i, texts[i].state(t + 1, tables_));
    }
    return samples;
  }

  std::vector<GraphAnswer> solve(const Predictor& predictor, const Graphs& graphs) const override {
    std::vector<GraphTokens> texts;
    std::vector<FactoredState> states;
    for (const ComputationGraph& graph : graphs) {
      texts.push_back(tokens_of(graph));
      states.push_back(texts.back().tokens);
    }
    std::vector<std::vector<bool>> solved_after(graphs.size());
    const std::vector<LoopEnd> ends =
        run(predictor, texts, std::move(states),
            [&](std::size_t graph, std::uint32_t, const FactoredState& state) {
              const std::vector<bool> right = texts[graph].right_nodes(state);
              solved_after[graph].push_back(
                  std::all_of(right.begin(), right.end(), [](bool node) { return node; }));
            });
    std::vector<GraphAnswer> answers;
    for (std::size_t i = 0; i < graphs.size(); ++i)
      answers.push_back({texts[i].right_nodes(ends[i].state),
                         GraphAnswer::Settling{ends[i].iterations, std::move(solved_after[i])},
                         std::nullopt});
    return answers;
  }

  void more(Json& json, const Predictor& predictor, const GraphCell& cell,
            const Graphs& graphs) const override {
    std::vector<GraphTokens> texts;
    std::vector<FactoredState> states;
    std::vector<std::vector<std::size_t>> replaced;
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      texts.push_back(tokens_of(graphs[i]));
      states.push_back(texts.back().state(texts.back().depth, tables_));
      CounterRandom random(seed(), RandomStream::corruption, kMeasuredStep + cell.nodes, i);
      replaced.push_back(corrupt_share(states.back(), tables_, kReplaced, random));
    }
    const std::vector<LoopEnd> ends = run(predictor, texts, std::move(states), {});
    std::size_t nodes = 0, right = 0, solved = 0, hit = 0, mended = 0;
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      const std::vector<bool> now = texts[i].right_nodes(ends[i].state);
      nodes += now.size();
      const auto right_now = static_cast<std::size_t>(std::count(now.begin(), now.end(), true));
      right += right_now;
      solved += right_now == now.size();
      for (std::size_t node = 0; node < now.size(); ++node) {
        const bool was_hit = std::find(replaced[i].begin(), replaced[i].end(),
                                       texts[i].defining[node]) != replaced[i].end();
        hit += was_hit;
        mended += was_hit && now[node];
      }
    }
    const auto share = [](std::size_t part, std::size_t whole) {
      return static_cast<double>(part) / static_cast<double>(whole);
    };
    json["recovery"] = {{"replaced", kReplaced},
                        {"nodes", share(right, nodes)},
                        {"graphs", share(solved, graphs.size())},
                        {"hit_nodes", hit == 0 ? Json() : Json(share(mended, hit))},
                        {"hit", hit}};
  }

  /// The loop on all graphs, batch by batch of similar ones.
  std::vector<LoopEnd> run(const Predictor& predictor, const std::vector<GraphTokens>& texts,
                           std::vector<FactoredState> states, const StateSeen& seen) const {
    std::vector<BatchKey> keys;
    for (const GraphTokens& text : texts) keys.push_back({text.depth, text.tokens.size()});
    std::vector<LoopEnd> ends(texts.size());
    for (const std::vector<std::size_t>& batch : batches_of_alike(keys, /*one_depth=*/false)) {
      std::vector<FactoredState> part;
      std::vector<std::uint32_t> most;
      for (const std::size_t i : batch) {
        part.push_back(std::move(states[i]));
        most.push_back(kIterationsPerLayer * texts[i].depth);
      }
      const StateSeen seen_here = [&](std::size_t i, std::uint32_t t, const FactoredState& state) {
        if (seen) seen(batch[i], t, state);
      };
      std::vector<LoopEnd> part_ends =
          run_discrete_loop(predictor, tables_, std::move(part), most, seen_here);
      for (std::size_t i = 0; i < batch.size(); ++i) ends[batch[i]] = std::move(part_ends[i]);
    }
    return ends;
  }

  /// Training steps use the numbers below this one of the stream of errors.
  static constexpr std::uint64_t kMeasuredStep = std::uint64_t{1} << 60;

  LatentStepsConfig config_;
  FactorTables tables_;
};

}  // namespace

std::unique_ptr<TaskSettings> LatentStepsConfig::clone() const {
  return std::make_unique<LatentStepsConfig>(*this);
}

void LatentStepsConfig::visit(SettingVisitor& visit) {
  visit_graphs(visit);
  visit("supervised", supervised, {"all-occurrences", "definition-only"});
  visit("corrupted", corrupted);
  visit("corrupted_known", corrupted_known);
  visit("corrupted_empty", corrupted_empty);
}

std::unique_ptr<Task> LatentStepsConfig::make_task(std::uint64_t seed) const {
  return std::make_unique<LatentStepsTask>(*this, seed);
}

}  // namespace logdepth::inline learned_latent_reasoning
