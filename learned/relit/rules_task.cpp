#include "learned/relit/rules_task.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "learned/language_model/question_answers.hpp"
#include "learned/records/task.hpp"
#include "learned/relit/nli_pairs.hpp"
#include "learned/relit/relit_tokens.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_relit {
namespace {

using Json = nlohmann::ordered_json;
using Set = RulesTaskConfig::Set;

/// Samples that a predictor is given at once in a measurement.
constexpr std::size_t kMeasuredAtOnce = 50;
/// Samples of a point of the learning curve.
constexpr std::size_t kScored = 200;
constexpr std::size_t kTrajectories = 12;

/// A prompt as text, with its answer and what answers are sorted by.
struct Prompt {
  std::string text, answer;
  std::int32_t label = 0;
};

/// What is counted of the samples of one proof depth.
struct DepthCount {
  std::size_t asked = 0, right = 0, halting = 0;
  std::vector<std::size_t> halted_at;  ///< by macro step
};

/// What a measurement adds up.
struct Counts {
  std::size_t asked = 0, right = 0, halting_sum = 0, flips = 0;
  std::map<std::int32_t, DepthCount> depths;
  std::vector<std::size_t> right_after, halted_at;  ///< by macro step
  std::vector<double> changes;  ///< by macro step, times the samples; empty: not told
  Json trajectories = Json::array();
};

class RulesTask final : public Task {
 public:
  RulesTask(const RulesTaskConfig& config, std::uint64_t seed)
      : config_(config), seed_(seed), tokens_(relit_tokens(config.tokens)) {
    if (config_.set == Set::rules) {
      check_rule_settings(config_.rules);
      check_proof_depths(config_.depths);
    }
    if (config_.set == Set::file) read_questions();
    // Whatever is asked for can be drawn and written in these tokens.
    for (std::uint32_t i = 0; i < std::min(cells(), config_.test_samples); ++i)
      samples({prompt(i, /*test=*/true)});
  }

  TaskFormat format() const override {
    TaskFormat format;
    format.tables = {tokens_.vocabulary};
    format.view = TaskFormat::View::causal;
    format.readout = TaskFormat::Readout::one_token;
    format.outputs = {tokens_.vocabulary};
    return format;
  }

  Samples training_batch(std::size_t, std::uint64_t step) const override {
    const std::uint64_t count = config_.training_samples;
    std::vector<Prompt> prompts;
    std::vector<std::uint32_t> order;
    for (std::uint64_t k = step * config_.batch; k < (step + 1) * config_.batch; ++k) {
      if (order.empty() || k % count == 0)
        // Step 0 of the stream draws the samples.
        order = CounterRandom(seed_, RandomStream::training, 1 + k / count).permutation(count);
      prompts.push_back(prompt(order[k % count], /*test=*/false));
    }
    return samples(prompts);
  }

  Json measure(const Predictor& predictor, std::size_t,
               const MeasureProgress& progress) const override {
    Counts counts;
    counts.right_after.resize(config_.macro_steps);
    counts.halted_at.resize(config_.macro_steps);
    for (std::size_t first = 0; first < config_.test_samples; first += kMeasuredAtOnce) {
      count(predictor, test_samples(first, kMeasuredAtOnce), counts);
      if (progress) progress(counts.asked, config_.test_samples);
    }
    return result_of(counts);
  }

  Score score(const Predictor& predictor, std::size_t) const override {
    Counts counts;
    counts.right_after.resize(config_.macro_steps);
    counts.halted_at.resize(config_.macro_steps);
    for (std::size_t first = 0; first < scored(); first += kMeasuredAtOnce)
      count(predictor, test_samples(first, std::min(kMeasuredAtOnce, scored() - first)), counts);
    return {static_cast<double>(counts.right) / static_cast<double>(counts.asked)};
  }
  std::string score_name() const override {
    return fmt::format("share of right answers at the halt, {} test samples", scored());
  }

  std::string summary(const Json& result) const override {
    const auto share = [](const Json& entry) {
      return fmt::format("{:.3f}", entry["right"].get<double>() / entry["asked"].get<double>());
    };
    std::string text = fmt::format("{}: {} of {} right;", result["set"].get<std::string>(),
                                   share(result), result["asked"].get<std::size_t>());
    if (config_.set != Set::nli)
      for (const Json& entry : result["by_proof_depth"])
        text += fmt::format(" depth {}: {};", entry["depth"].get<int>(), share(entry));
    return text + fmt::format(" halted after {:.2f} of {} macro steps",
                              result["mean_halting"].get<double>(), config_.macro_steps);
  }

 private:
  /// Kinds of samples that are drawn in turn: answers and depths.
  std::uint32_t answers() const {
    const bool three = config_.set == Set::nli || config_.rules.world == RuleWorld::open;
    return three ? 3 : 2;
  }
  std::uint32_t cells() const {
    return answers() *
           (config_.set == Set::rules ? static_cast<std::uint32_t>(config_.depths.size()) : 1);
  }
  std::size_t scored() const { return std::min<std::size_t>(kScored, config_.test_samples); }

  void read_questions() {
    for (const QuestionAnswer& line : read_question_answers(config_.questions))
      lines_.push_back({"question : " + line.question + " answer :", line.answer, line.difficulty});
    require(lines_.size() >= std::size_t{config_.training_samples} + config_.test_samples,
            fmt::format("{}: expected {} questions, task.training_samples and task.test_samples, "
                        "found {}",
                        config_.questions, config_.training_samples + config_.test_samples,
                        lines_.size()));
    for (const Prompt& line : lines_) {
      tokens_.prompt(line.text);
      tokens_.answer(line.answer);
    }
  }

  Prompt prompt(std::uint32_t index, bool test) const {
    if (config_.set == Set::file)
      return lines_[test ? lines_.size() - config_.test_samples + index : index];
    CounterRandom random(seed_, test ? RandomStream::validation : RandomStream::training, 0, index);
    const std::uint32_t answer = index % answers();
    if (config_.set == Set::nli) {
      const NliQuestion question = nli_question(static_cast<NliLabel>(answer), test, random);
      return {question.prompt(), nli_answer_word(question.label), 0};
    }
    const RuleQuestion question =
        rule_question(config_.rules, config_.depths[index / answers() % config_.depths.size()],
                      static_cast<RuleAnswer>(answer), random);
    return {question.prompt(), rule_answer_word(question.answer),
            static_cast<std::int32_t>(question.depth)};
  }

  Samples samples(const std::vector<Prompt>& prompts) const {
    std::vector<std::vector<std::int32_t>> texts;
    for (const Prompt& prompt : prompts) texts.push_back(tokens_.prompt(prompt.text));
    Samples samples;
    samples.count = texts.size();
    for (const auto& text : texts) samples.tokens = std::max(samples.tokens, text.size());
    samples.size = samples.tokens;
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      samples.indices.insert(samples.indices.end(), texts[i].begin(), texts[i].end());
      samples.indices.resize((i + 1) * samples.tokens);
      samples.lengths.push_back(static_cast<std::int32_t>(texts[i].size()));
      samples.read.push_back(samples.lengths[i] - 1);
      samples.targets.push_back(tokens_.answer(prompts[i].answer));
      samples.labels.push_back(prompts[i].label);
    }
    return samples;
  }

  Samples test_samples(std::size_t first, std::size_t most) const {
    std::vector<Prompt> prompts;
    for (std::size_t i = first; i < std::min<std::size_t>(first + most, config_.test_samples); ++i)
      prompts.push_back(prompt(static_cast<std::uint32_t>(i), /*test=*/true));
    return samples(prompts);
  }

  void count(const Predictor& predictor, const Samples& samples, Counts& counts) const {
    std::vector<std::uint32_t> steps;
    for (std::uint32_t step = 1; step <= config_.macro_steps; ++step) steps.push_back(step);
    const std::vector<Answers> answers = predictor.answers_after(samples, steps);
    std::vector<std::uint32_t> halted = predictor.loops_taken(samples);
    if (halted.empty()) halted.assign(samples.count, config_.macro_steps);
    for (std::size_t i = 0; i < samples.count; ++i) {
      const std::int32_t target = samples.targets[i];
      const std::size_t last = halted.at(i) - std::size_t{1};
      const bool right = answers.at(last).at(i) == target;
      ++counts.asked;
      counts.right += right;
      counts.halting_sum += halted[i];
      ++counts.halted_at.at(last);
      DepthCount& depth = counts.depths[samples.labels[i]];
      ++depth.asked;
      depth.right += right;
      depth.halting += halted[i];
      depth.halted_at.resize(config_.macro_steps);
      ++depth.halted_at.at(last);
      for (std::size_t step = 0; step < steps.size(); ++step) {
        counts.right_after[step] += answers.at(step).at(i) == target;
        if (step > 0) counts.flips += answers[step][i] != answers[step - 1][i];
      }
      if (counts.trajectories.size() < kTrajectories)
        counts.trajectories.push_back(trajectory(samples, i, answers, halted[i]));
    }
    const std::vector<LoopReading> readings = predictor.loop_readings(samples, config_.macro_steps);
    counts.changes.resize(std::max(counts.changes.size(), readings.size()));
    for (std::size_t step = 0; step < readings.size(); ++step)
      counts.changes[step] += readings[step].change * static_cast<double>(samples.count);
  }

  Json trajectory(const Samples& samples, std::size_t i, const std::vector<Answers>& answers,
                  std::uint32_t halted) const {
    Json words = Json::array();
    for (const Answers& after : answers) words.push_back(word(after[i]));
    return {{"depth", samples.labels[i]},
            {"target", word(samples.targets[i])},
            {"answers", words},
            {"halted", halted}};
  }

  /// A token as a reader sees it; one that is part of a character has its number.
  std::string word(std::int32_t token) const {
    if (token < 0 || token >= static_cast<std::int32_t>(tokens_.tokeniser->size()))
      return fmt::format("#{}", token);
    std::string text = tokens_.tokeniser->decode_behind(std::vector{token});
    text.erase(0, text.find_first_not_of(' '));
    const bool plain = !text.empty() && std::all_of(text.begin(), text.end(),
                                                    [](char c) { return c > ' ' && c < '\x7f'; });
    return plain ? text : fmt::format("#{}", token);
  }

  Json result_of(const Counts& counts) const {
    const auto mean = [](std::size_t sum, std::size_t of) {
      return static_cast<double>(sum) / static_cast<double>(of);
    };
    Json result;
    result["kind"] = config_.kind();
    result["set"] = set_name();
    result["asked"] = counts.asked;
    result["right"] = counts.right;
    result["mean_halting"] = mean(counts.halting_sum, counts.asked);
    result["by_proof_depth"] = Json::array();
    for (const auto& [depth, count] : counts.depths)
      result["by_proof_depth"].push_back({{"depth", depth},
                                          {"asked", count.asked},
                                          {"right", count.right},
                                          {"mean_halting", mean(count.halting, count.asked)}});
    result["by_macro_step"] = Json::array();
    for (std::size_t step = 0; step < counts.right_after.size(); ++step)
      result["by_macro_step"].push_back(
          {{"step", step + 1},
           {"right", counts.right_after[step]},
           {"change", step < counts.changes.size()
                          ? Json(counts.changes[step] / static_cast<double>(counts.asked))
                          : Json()}});
    result["halting"] = counts.halted_at;
    result["halting_by_proof_depth"] = Json::array();
    for (const auto& [depth, count] : counts.depths)
      result["halting_by_proof_depth"].push_back(count.halted_at);
    result["mean_flips"] = mean(counts.flips, counts.asked);
    result["trajectories"] = counts.trajectories;
    return result;
  }

  const char* set_name() const {
    return config_.set == Set::rules ? "rules" : config_.set == Set::nli ? "nli" : "file";
  }

  RulesTaskConfig config_;
  std::uint64_t seed_;
  RelitTokens tokens_;
  std::vector<Prompt> lines_;  ///< of Set::file
};

}  // namespace

void visit_rule_settings(RuleSettings& rules, SettingVisitor& visit) {
  visit("world", rules.world, {"closed", "open"});
  visit("negation", rules.negation, {"none", "facts", "rules"});
  visit("second_premise", rules.second_premise);
  visit("distractors_least", rules.distractors_least);
  visit("distractors_most", rules.distractors_most);
  visit("most_words", rules.most_words);
}

void check_proof_depths(const std::vector<std::uint32_t>& depths) {
  bool growing = !depths.empty() && depths.back() <= kDeepestProof;
  for (std::size_t i = 1; i < depths.size(); ++i) growing &= depths[i - 1] < depths[i];
  require(growing,
          fmt::format("task.depths: expected growing numbers from 0 to {}", kDeepestProof));
}

std::unique_ptr<TaskSettings> RulesTaskConfig::clone() const {
  return std::make_unique<RulesTaskConfig>(*this);
}

void RulesTaskConfig::visit(SettingVisitor& visit) {
  visit("set", set, {"rules", "nli", "file"});
  visit_rule_settings(rules, visit);
  visit("depths", depths);
  visit.file("questions", questions);
  visit("training_samples", training_samples);
  visit("test_samples", test_samples);
  visit("batch", batch);
  visit("macro_steps", macro_steps);
  visit.file("tokens", tokens);
}

void RulesTaskConfig::validate() const {
  require(macro_steps >= 1 && macro_steps <= 1024, "task.macro_steps: expected 1 to 1024");
  require(training_samples >= 1 && training_samples <= 10'000'000,
          "task.training_samples: expected 1 to 10000000");
  require(test_samples >= 1 && test_samples <= 1'000'000,
          "task.test_samples: expected 1 to 1000000");
  require(batch >= 1 && batch <= 65536, "task.batch: expected 1 to 65536");
  require((set == Set::file) == !questions.empty(),
          "task.questions: expected a file of JSON lines exactly where task.set is file");
}

std::unique_ptr<Task> RulesTaskConfig::make_task(std::uint64_t seed) const {
  validate();
  return std::make_unique<RulesTask>(*this, seed);
}

std::optional<TextTokens> RulesTaskConfig::text_tokens() const {
  if (!tokens.empty()) return TextTokens{{}, tokens};
  return TextTokens{relit_words(), ""};
}

}  // namespace logdepth::inline learned_relit
