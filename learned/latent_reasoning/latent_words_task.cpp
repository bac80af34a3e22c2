#include "learned/latent_reasoning/latent_words_task.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "learned/records/predictor.hpp"

namespace logdepth::inline learned_latent_reasoning {
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
    format.view = TaskFormat::View::causal;
    format.readout = TaskFormat::Readout::each_token;
    format.answer = TaskFormat::Answer::one_class;
    format.outputs = {words_.size()};
    return format;
  }

 private:
  const char* kind() const override { return config_.kind(); }
  std::string method() const override { return "chain-of-thought"; }

  /// Texts as samples; what stands behind an end is never seen by what is asked.
  Samples samples_of(const std::vector<WordText>& texts) const {
    Samples samples;
    samples.count = texts.size();
    for (const WordText& text : texts) samples.tokens = std::max(samples.tokens, text.size());
    samples.size = samples.tokens;
    samples.indices.assign(samples.count * samples.tokens, words_.end());
    samples.targets.assign(samples.indices.size(), Samples::kIgnored);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::copy(texts[i].begin(), texts[i].end(), samples.indices.data() + i * samples.tokens);
      samples.lengths.push_back(static_cast<std::int32_t>(texts[i].size()));
    }
    return samples;
  }

  Samples training_samples(std::vector<DrawnGraph> drawn, std::uint64_t) const override {
    std::vector<WordText> questions, texts;
    for (const DrawnGraph& one : drawn) {
      questions.push_back(question_words(one.graph, words_));
      const WordText thought = thought_words(one.graph, words_, config_.format);
      WordText& text = texts.emplace_back(questions.back());
      text.insert(text.end(), thought.begin(), thought.end());
    }
    // All words but the last are read, the next one is the target from <CoT> on.
    std::vector<WordText> read = texts;
    for (WordText& text : read) text.pop_back();
    Samples samples = samples_of(read);
    for (std::size_t i = 0; i < texts.size(); ++i)
      for (std::size_t word = questions[i].size() - 1; word + 1 < texts[i].size(); ++word)
        samples.targets[i * samples.tokens + word] = texts[i][word + 1];
    return samples;
  }

  std::vector<GraphAnswer> solve(const Predictor& predictor, const Graphs& graphs) const override {
    std::vector<WordText> questions, thoughts;
    std::vector<BatchKey> keys;
    for (const ComputationGraph& graph : graphs) {
      questions.push_back(question_words(graph, words_));
      thoughts.push_back(thought_words(graph, words_, config_.format));
      keys.push_back({0, questions.back().size() + thoughts.back().size()});
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
          predictor.continued(samples_of(prompts), words_.end(), most);
      for (std::size_t k = 0; k < batch.size(); ++k) {
        const std::size_t i = batch[k];
        const WordText thought(
            texts.at(k).begin() + static_cast<std::ptrdiff_t>(questions[i].size()),
            texts.at(k).end());
        answers[i] = {right_in_thought(thought, graphs[i], words_), std::nullopt,
                      same_structure(thought, thoughts[i], words_)};
      }
    }
    return answers;
  }

  LatentWordsConfig config_;
  ThoughtVocabulary words_;
};

}  // namespace

const char* thought_format_name(ThoughtFormat format) {
  switch (format) {
    case ThoughtFormat::val:
      return "val";
    case ThoughtFormat::eq_val:
      return "eq-val";
    case ThoughtFormat::eq_op_val:
      break;
  }
  return "eq-op-val";
}

std::unique_ptr<TaskSettings> LatentWordsConfig::clone() const {
  return std::make_unique<LatentWordsConfig>(*this);
}

void LatentWordsConfig::visit(SettingVisitor& visit) {
  visit_graphs(visit);
  visit("format", format, {"val", "eq-val", "eq-op-val"});
}

std::unique_ptr<Task> LatentWordsConfig::make_task(std::uint64_t seed) const {
  return std::make_unique<LatentWordsTask>(*this, seed);
}

}  // namespace logdepth::inline learned_latent_reasoning
