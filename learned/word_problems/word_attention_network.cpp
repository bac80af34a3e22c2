#include "learned/word_problems/word_attention_network.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/quoted_text.hpp"
#include "learned/core/finished_run.hpp"
#include "learned/records/counter_random.hpp"
#include "learned/word_problems/prefix_circuit.hpp"
#include "learned/word_problems/task_words.hpp"
#include "learned/word_problems/word_task.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace learned_word_problems {
namespace {

using Words = std::vector<std::vector<std::uint32_t>>;

/// Words that a network is given at once.
constexpr std::size_t kAtOnce = 64;

/// As the task has them; nothing is asked of them.
Samples samples_of_words(const WordTaskConfig& task, const WordTokens& tokens, const Words& words) {
  const std::size_t letters = words.front().size();
  Samples samples = tokens.samples(words.size(), letters);
  // Edges may be measured on words that are longer than these.
  ReadEdges edges = task.edges_of(letters);
  edges.radices = levels_within(edges.radices, letters);
  samples.layer_views = edges.views(letters, tokens.before());
  for (const auto& word : words) tokens.add(samples, word, word.size());
  samples.targets.assign(samples.count * samples.tokens, Samples::kIgnored);
  return samples;
}

/// "iteration 2" and "layer 1" of the second run of "repeated.0".
AttentionLevel named_level(const std::string& block, std::size_t runs, const ModelConfig& model) {
  const std::size_t dot = block.find('.');
  const std::string part = block.substr(0, dot);
  const std::size_t layer = std::stoul(block.substr(dot + 1)) + 1;
  if (part == "repeated")
    return {fmt::format("iteration {}", runs), fmt::format("layer {}", layer), {}};
  const std::size_t before = part == "final" ? model.initial + model.repeated : 0;
  return {fmt::format("layer {}", before + layer), part, {}};
}

/// The sum of the attention between letters on each word, level by level, and the answers.
class AttentionSum {
 public:
  AttentionSum(const Network& network, const RunConfig& config, const WordTokens& tokens)
      : network_(network), config_(config), tokens_(tokens) {}

  void add(const Words& words) {
    std::size_t level = 0;
    std::map<std::string, std::size_t> runs;
    const Probe probe = [&](const std::string& block, const Tensor& weights) {
      const auto before = static_cast<std::int64_t>(tokens_.before());
      const Tensor sum =
          weights.to(torch::kCPU, torch::kFloat64).sum(0).slice(1, before).slice(2, before);
      const std::size_t run = ++runs[block];
      if (level == sums_.size()) {
        sums_.push_back(sum);
        names_.push_back(named_level(block, run, config_.model));
      } else {
        sums_[level] += sum;
      }
      ++level;
    };
    const torch::NoGradGuard no_grad;
    const Batch batch =
        to_batch(samples_of_words(config_.task.as<WordTaskConfig>(), tokens_, words),
                 network_.format(), network_.device(), network_.type());
    PassOptions options;
    options.probe = &probe;
    options.precision = config_.training.precision;
    // A measurement may ask for another number of loops than the network's own.
    const LoopRule& rule = config_.model.loops;
    options.loops = rule.kind == LoopRule::Kind::fixed ? rule.least : network_.loops_of(batch);
    logits_ = network_(batch, options);
    latest_ = answers(logits_, network_.format());
    words_ += words.size();
  }

  std::vector<AttentionLevel> mean() const {
    std::vector<AttentionLevel> levels = names_;
    for (std::size_t l = 0; l < levels.size(); ++l) {
      const Tensor mean = (sums_[l] / static_cast<double>(words_)).contiguous();
      const auto at = mean.accessor<double, 3>();
      for (std::int64_t head = 0; head < mean.size(0); ++head) {
        AttentionMatrix& matrix = levels[l].heads.emplace_back();
        for (std::int64_t i = 0; i < mean.size(1); ++i)
          matrix.emplace_back(at[head][i].data(), at[head][i].data() + mean.size(2));
      }
    }
    return levels;
  }
  /// At the letters of the last word.
  std::vector<std::vector<double>> latest_logits() const {
    const Tensor last = logits_.to(torch::kCPU, torch::kFloat64)
                            .reshape({-1, logits_.size(-1)})
                            .slice(0, -static_cast<std::int64_t>(latest_answers().size()))
                            .contiguous();
    const auto at = last.accessor<double, 2>();
    std::vector<std::vector<double>> logits;
    for (std::int64_t i = 0; i < last.size(0); ++i)
      logits.emplace_back(at[i].data(), at[i].data() + last.size(1));
    return logits;
  }
  /// To the letters of the last word.
  std::vector<std::uint32_t> latest_answers() const {
    return {latest_.begin() + static_cast<std::ptrdiff_t>(tokens_.before()), latest_.end()};
  }

 private:
  const Network& network_;
  const RunConfig& config_;
  const WordTokens& tokens_;
  std::vector<Tensor> sums_;  ///< [heads, L, L] of each level
  std::vector<AttentionLevel> names_;
  Tensor logits_;
  Answers latest_;
  std::size_t words_ = 0;
};

void check(const AttentionQuestion& question, std::size_t letters, std::size_t longest) {
  require(!question.word.empty() && question.word.size() <= longest,
          fmt::format("word: expected 1 to {} letters, found {}", longest, question.word.size()));
  for (const std::uint32_t letter : question.word)
    require(letter < letters,
            fmt::format("word: expected letters from 0 to {}, found {}", letters - 1, letter));
  require(question.words > 0, "words: expected at least 1");
}

}  // namespace

WordAttention read_word_attention(const Network& network, const RunConfig& config,
                                  const AttentionQuestion& question) {
  const auto& task = config.task.as<WordTaskConfig>();
  const bool begin = task.positions == WordTaskConfig::Positions::begin;
  const std::uint32_t alphabet = network.format().tables.front() - (begin ? 1 : 0);
  check(question, alphabet, most_looked_at(task));
  const WordTokens tokens(begin, alphabet, task.max_length);
  AttentionSum word(network, config, tokens), drawn(network, config, tokens);
  word.add({question.word});
  for (std::size_t first = 0; first < question.words; first += kAtOnce) {
    Words words;
    for (std::size_t i = first; i < std::min<std::size_t>(first + kAtOnce, question.words); ++i) {
      CounterRandom random(question.seed, RandomStream::validation, 0, i);
      words.push_back(uniform_word(question.word.size(), alphabet, random));
    }
    drawn.add(words);
  }
  WordAttention attention;
  attention.word = word.mean();
  if (attention.word.empty())
    throw InputError(
        "the network has no attention to show, expected one of blocks that are trained");
  attention.answers = word.latest_answers();
  attention.logits = word.latest_logits();
  attention.mean = drawn.mean();
  return attention;
}

}}  // namespace logdepth::learned_word_problems

namespace logdepth { inline namespace learned_core {

// What is read off trained networks beside their answers; compiled where libtorch is found. No other paper reads
// anything, so these two functions of core/finished_run.hpp are defined here.

/// `circuit`, of a run of words: that of its attention on 64 random words of as many letters as it was trained on, at
/// most 16. Of constructed networks and other tasks nothing.
void add_inspections(const RunConfig& config, const Network& network,
                     nlohmann::ordered_json& result) {
  const auto* task = config.task.try_as<WordTaskConfig>();
  if (!task || config.constructed) return;
  constexpr std::size_t kMostLetters = 16;
  constexpr std::uint32_t kWords = 64;
  const char* const trained = result.contains("trained_length") ? "trained_length" : "length";
  AttentionQuestion question;
  question.word.resize(std::min(result.at(trained).get<std::size_t>(), kMostLetters));
  question.words = kWords;
  question.seed = config.seed;
  const torch::NoGradGuard no_grad;
  result["circuit"] = circuit_of_result(
      prefix_circuit(read_word_attention(network, config, question).mean), kWords);
}

nlohmann::ordered_json inspect_run(const std::string& name, const nlohmann::json& question,
                                   const std::string& folder, torch::Device device) {
  if (name != kWordAttention)
    throw InputError("--inspect: expected " + std::string(kWordAttention) + ", found " +
                     in_quotes(name));
  if (question.is_null()) throw InputError("--question: expected one of --inspect " + name);
  const FinishedRun run = open_run(folder, device);
  const torch::NoGradGuard no_grad;
  letters_of_run(run.record);  // refuses runs of other tasks
  const WordAttention attention = read_word_attention(
      *run.network, run.record.config, attention_question_from_json(question, "--question"));
  return nlohmann::json(attention);
}

}}  // namespace logdepth::learned_core
