#include "learned/latent_reasoning/latent_tasks.hpp"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "learned/records/task.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace learned_latent_reasoning {
namespace {

using Method = LatentValuesConfig::Method;
constexpr std::initializer_list<const char*> kMethodWords = {"feed-forward", "recurrent",
                                                             "continuous", "no-oracle"};

/// Loops per layer of the graph that a model may take to settle.
constexpr std::uint32_t kLoopsPerLayer = 4;

using Texts = std::vector<GraphTokens>;

Texts texts_of(const std::vector<ComputationGraph>& graphs, const FactorTables& tables) {
  Texts texts;
  for (const ComputationGraph& graph : graphs) texts.push_back(graph_tokens(graph, tables));
  return texts;
}

class LatentValuesTask final : public GraphTask {
 public:
  LatentValuesTask(const LatentValuesConfig& config, std::uint64_t seed)
      : GraphTask(config, seed), config_(config), tables_(config.tables()) {}

  TaskFormat format() const override { return factored_format(tables_); }

 private:
  const GraphTaskSettings& settings() const override { return config_; }
  std::string method() const override {
    return kMethodWords.begin()[static_cast<std::size_t>(config_.method)];
  }
  bool trains_one_depth() const override { return config_.method == Method::recurrent; }

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
    Texts texts;
    for (const DrawnGraph& one : drawn) texts.push_back(graph_tokens(one.graph, tables_));
    std::vector<std::size_t> all(texts.size());
    std::iota(all.begin(), all.end(), 0);
    return samples_of(texts, all);
  }

  std::vector<GraphAnswer> solve(const Predictor& predictor, const Graphs& graphs) const override {
    const Texts texts = texts_of(graphs, tables_);
    std::vector<GraphAnswer> answers(graphs.size());
    const bool one_depth = config_.method != Method::feed_forward;
    for (const std::vector<std::size_t>& batch : batches_of_alike(batch_keys(texts), one_depth)) {
      const Samples samples = samples_of(texts, batch);
      if (config_.method == Method::no_oracle) {
        settle(predictor, samples, texts, batch, answers);
      } else {
        const Answers given = predictor.answers(samples, 0);
        for (std::size_t i = 0; i < batch.size(); ++i) {
          const GraphTokens& text = texts[batch[i]];
          answers[batch[i]].right =
              text.right_nodes(answered_state(samples, given, i, text.tokens.size()));
        }
      }
    }
    return answers;
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

void LatentValuesConfig::visit(SettingVisitor& visit) {
  visit_graphs(visit);
  visit("method", method, kMethodWords);
}

std::uint32_t LatentValuesConfig::most_loops() const {
  if (method != Method::no_oracle) return 0;
  // No graph is deeper than it has nodes.
  return test_nodes.empty() ? 0 : kLoopsPerLayer * *std::ranges::max_element(test_nodes);
}

std::unique_ptr<Task> LatentValuesConfig::make_task(std::uint64_t seed) const {
  return std::make_unique<LatentValuesTask>(*this, seed);
}

namespace {

/// Iterations of training beyond the depth of a graph, so that a finished state is left as it is.
constexpr std::uint32_t kIterationsAfter = 3;
/// Iterations of a measured loop per layer of the graph.
constexpr std::uint32_t kIterationsPerLayer = 4;
/// Share of the known values that are replaced before recovery is measured.
constexpr double kReplaced = 0.1;

/// Where the discrete loop came to on one graph.
struct LoopEnd {
  FactoredState state;
  /// How many iterations changed something; absent where the last one allowed still did.
  std::optional<std::uint32_t> iterations;
};

/// Called with a graph and its next state, also by the iteration that changes nothing.
using StateSeen = std::function<void(std::size_t graph, const FactoredState&)>;

void expect_share(double value, const std::string& setting) {
  require(value >= 0 && value <= 1,
          setting + ": expected a share from 0 to 1, found " + nlohmann::json(value).dump());
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
  const GraphTaskSettings& settings() const override { return config_; }
  std::string method() const override { return config_.corrupted > 0 ? "corrected" : "discrete"; }

  Samples training_samples(std::vector<DrawnGraph> drawn, std::uint64_t step) const override {
    std::vector<GraphTokens> texts;
    std::size_t longest = 0;
    for (const DrawnGraph& one : drawn) {
      texts.push_back(graph_tokens(one.graph, tables_));
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
    const Texts texts = texts_of(graphs, tables_);
    std::vector<FactoredState> states;
    for (const GraphTokens& text : texts) states.push_back(text.tokens);
    std::vector<std::vector<bool>> solved_after(graphs.size());
    const std::vector<LoopEnd> ends = run(
        predictor, texts, std::move(states), [&](std::size_t graph, const FactoredState& state) {
          solved_after[graph].push_back(GraphAnswer{texts[graph].right_nodes(state), {}}.solved());
        });
    std::vector<GraphAnswer> answers;
    for (std::size_t i = 0; i < graphs.size(); ++i)
      answers.push_back({texts[i].right_nodes(ends[i].state),
                         GraphAnswer::Settling{ends[i].iterations, std::move(solved_after[i])}});
    return answers;
  }

  void more(Json& json, const Predictor& predictor, const Graphs& graphs) const override {
    const Texts texts = texts_of(graphs, tables_);
    std::vector<FactoredState> states;
    std::vector<std::vector<std::size_t>> replaced;
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      states.push_back(texts[i].state(texts[i].depth, tables_));
      CounterRandom random(seed(), RandomStream::corruption, kMeasuredStep + graphs[i].nodes.size(),
                           i);
      replaced.push_back(corrupt_share(states.back(), tables_, kReplaced, random));
    }
    const std::vector<LoopEnd> ends = run(predictor, texts, std::move(states), {});
    std::size_t hit = 0, mended = 0;
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      const std::vector<bool> now = texts[i].right_nodes(ends[i].state);
      for (std::size_t node = 0; node < now.size(); ++node) {
        const bool was_hit = std::find(replaced[i].begin(), replaced[i].end(),
                                       texts[i].defining[node]) != replaced[i].end();
        hit += was_hit;
        mended += was_hit && now[node];
      }
    }
    json["recovery"] = {{"hit_nodes", hit == 0 ? Json() : Json(share_of(mended, hit))},
                        {"hit", hit}};
  }

  /// Discrete latent reasoning: the likeliest class of every factor is the next state, which is read
  /// again, until a state stays as it is (then it would stay so forever) or its graph had all its
  /// iterations. Similar graphs run as one batch, which those that halted leave. Padding never counts.
  std::vector<LoopEnd> run(const Predictor& predictor, const std::vector<GraphTokens>& texts,
                           std::vector<FactoredState> states, const StateSeen& seen) const {
    std::vector<LoopEnd> ends(texts.size());
    for (std::vector<std::size_t>& running :
         batches_of_alike(batch_keys(texts), /*one_depth=*/false))
      for (std::uint32_t t = 1; !running.empty(); ++t) {
        std::size_t tokens = 0;
        for (const std::size_t graph : running) tokens = std::max(tokens, states[graph].size());
        Samples samples = factored_samples(tables_, running.size(), tokens);
        for (std::size_t i = 0; i < running.size(); ++i) put_state(samples, i, states[running[i]]);
        const Answers answers = predictor.answers(samples, 0);
        std::vector<std::size_t> still;
        for (std::size_t i = 0; i < running.size(); ++i) {
          const std::size_t graph = running[i];
          FactoredState next = answered_state(samples, answers, i, states[graph].size());
          if (seen) seen(graph, next);
          const bool settled = next == states[graph];
          states[graph] = std::move(next);
          if (settled) ends[graph].iterations = t - 1;
          if (!settled && t < kIterationsPerLayer * texts[graph].depth) still.push_back(graph);
        }
        running = std::move(still);
      }
    for (std::size_t i = 0; i < states.size(); ++i) ends[i].state = std::move(states[i]);
    return ends;
  }

  /// Training steps use the numbers below this one of the stream of errors.
  static constexpr std::uint64_t kMeasuredStep = std::uint64_t{1} << 60;

  LatentStepsConfig config_;
  FactorTables tables_;
};

}  // namespace

void LatentStepsConfig::visit(SettingVisitor& visit) {
  visit_graphs(visit);
  visit("corrupted", corrupted);
  visit("corrupted_known", corrupted_known);
  visit("corrupted_empty", corrupted_empty);
}

std::unique_ptr<Task> LatentStepsConfig::make_task(std::uint64_t seed) const {
  return std::make_unique<LatentStepsTask>(*this, seed);
}

namespace {

/// `a o b o c`.
void write_expression(WordText& text, const ComputationGraph& graph, const GraphNode& node,
                      const ThoughtVocabulary& words) {
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    if (i > 0) text.push_back(words.operation(node.operations[i - 1]));
    text.push_back(words.variable(graph.nodes[node.operands[i]].name));
  }
}

}  // namespace

WordText question_words(const ComputationGraph& graph, const ThoughtVocabulary& words) {
  WordText text;
  for (const GraphNode& node : graph.nodes) {
    if (node.operands.empty()) text.push_back(words.value(node.value));
    write_expression(text, graph, node, words);
    text.insert(text.end(), {words.equals(), words.variable(node.name), words.separator()});
  }
  text.push_back(words.begin_thought());
  return text;
}

WordText thought_words(const ComputationGraph& graph, const ThoughtVocabulary& words) {
  WordText text;
  for (const GraphNode& node : graph.nodes) {
    text.insert(text.end(), {words.variable(node.name), words.equals()});
    if (!node.operands.empty()) {
      write_expression(text, graph, node, words);
      text.push_back(words.equals());
    }
    text.insert(text.end(), {words.value(node.value), words.separator()});
  }
  text.push_back(words.end());
  return text;
}

std::vector<bool> right_in_thought(const WordText& thought, const ComputationGraph& graph,
                                   const ThoughtVocabulary& words) {
  std::map<std::int32_t, std::int32_t> last_word;  // by the first word of a part
  for (auto begin = thought.begin(); begin != thought.end();) {
    const auto end = std::find_if(begin, thought.end(), [&](std::int32_t word) {
      return word == words.separator() || word == words.end();
    });
    if (end != begin) last_word.emplace(*begin, *(end - 1));
    begin = end == thought.end() ? end : end + 1;
  }
  std::vector<bool> right;
  for (const GraphNode& node : graph.nodes) {
    const auto found = last_word.find(words.variable(node.name));
    right.push_back(found != last_word.end() && found->second == words.value(node.value));
  }
  return right;
}

namespace {

class LatentWordsTask final : public GraphTask {
 public:
  LatentWordsTask(const LatentWordsConfig& config, std::uint64_t seed)
      : GraphTask(config, seed),
        config_(config),
        words_{config.graphs.modulus, config.graphs.names} {}

  TaskFormat format() const override {
    TaskFormat format;
    format.tables = {words_.size()};
    format.outputs = {words_.size()};
    return format;
  }

 private:
  const GraphTaskSettings& settings() const override { return config_; }
  std::string method() const override { return "chain-of-thought"; }

  Samples training_samples(std::vector<DrawnGraph> drawn, std::uint64_t) const override {
    std::vector<WordText> questions, texts;
    for (const DrawnGraph& one : drawn) {
      questions.push_back(question_words(one.graph, words_));
      const WordText thought = thought_words(one.graph, words_);
      WordText& text = texts.emplace_back(questions.back());
      text.insert(text.end(), thought.begin(), thought.end());
    }
    // All words but the last are read, the next one is the target from <CoT> on.
    std::vector<WordText> read = texts;
    for (WordText& text : read) text.pop_back();
    Samples samples = samples_of_texts(read, words_.end());
    for (std::size_t i = 0; i < texts.size(); ++i)
      for (std::size_t word = questions[i].size() - 1; word + 1 < texts[i].size(); ++word)
        samples.targets[i * samples.tokens + word] = texts[i][word + 1];
    return samples;
  }

  std::vector<GraphAnswer> solve(const Predictor& predictor, const Graphs& graphs) const override {
    std::vector<WordText> questions;
    std::vector<BatchKey> keys;
    for (const ComputationGraph& graph : graphs) {
      questions.push_back(question_words(graph, words_));
      keys.push_back({0, questions.back().size() + thought_words(graph, words_).size()});
    }
    std::vector<GraphAnswer> answers(graphs.size());
    for (const std::vector<std::size_t>& batch : batches_of_alike(keys, /*one_depth=*/false)) {
      std::vector<WordText> prompts;
      std::size_t most = 0;
      for (const std::size_t i : batch) {
        prompts.push_back(questions[i]);
        most = std::max(most, keys[i].tokens);
      }
      const std::vector<WordText> texts =
          predictor.continued(samples_of_texts(prompts, words_.end()), words_.end(), most);
      for (std::size_t k = 0; k < batch.size(); ++k) {
        const std::size_t i = batch[k];
        const WordText thought(
            texts.at(k).begin() + static_cast<std::ptrdiff_t>(questions[i].size()),
            texts.at(k).end());
        answers[i].right = right_in_thought(thought, graphs[i], words_);
      }
    }
    return answers;
  }

  LatentWordsConfig config_;
  ThoughtVocabulary words_;
};

}  // namespace

void LatentWordsConfig::visit(SettingVisitor& visit) {
  visit_graphs(visit);
}

std::unique_ptr<Task> LatentWordsConfig::make_task(std::uint64_t seed) const {
  return std::make_unique<LatentWordsTask>(*this, seed);
}

}}  // namespace logdepth::learned_latent_reasoning
